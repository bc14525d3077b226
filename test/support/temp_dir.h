#ifndef KINFORMER_TEST_SUPPORT_TEMP_DIR_H_
#define KINFORMER_TEST_SUPPORT_TEMP_DIR_H_

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace kinformer::testing_support {

/// A fresh directory, readable by this user only, removed with all that is in it at the end of the scope.
class TempDir {
 public:
  /// Throws std::system_error when the directory cannot be made.
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file, replacing it atomically when it is there (a reader sees the old or the new content, never a half).
  /// `name` may hold folders, which are made. Returns the file's path.
  std::string Write(std::string_view name, std::string_view content, unsigned mode = 0600) const;

 private:
  std::filesystem::path path_;
};

/// Sets an environment variable (or unsets it: nullopt) for a scope and puts back what was there. Not for use while
/// another thread reads the environment.
class ScopedEnv {
 public:
  ScopedEnv(std::string name, std::optional<std::string> value);
  ~ScopedEnv();
  ScopedEnv(const ScopedEnv&) = delete;
  ScopedEnv& operator=(const ScopedEnv&) = delete;

 private:
  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace kinformer::testing_support

#endif  // KINFORMER_TEST_SUPPORT_TEMP_DIR_H_
