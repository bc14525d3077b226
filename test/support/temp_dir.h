#ifndef KINFORMER_TEST_SUPPORT_TEMP_DIR_H_
#define KINFORMER_TEST_SUPPORT_TEMP_DIR_H_

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace kinformer::testing_support {

/// A new directory, accessible to this user only. The destructor removes it with its contents.
class TempDir {
 public:
  /// Throws std::system_error if the directory cannot be created.
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file, atomically replacing an existing one: readers see the old or the new content, never a mix. Creates
  /// the directories in `name`. Returns the file's path.
  std::string Write(std::string_view name, std::string_view content, unsigned mode = 0600) const;

 private:
  std::filesystem::path path_;
};

/// Sets (or with nullopt unsets) an environment variable, and restores it in the destructor. Do not use while another
/// thread reads the environment.
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
