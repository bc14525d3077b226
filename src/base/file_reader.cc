#include "src/base/file_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "src/base/descriptor.h"

namespace kinformer::internal {
namespace {

constexpr const char* kNotFound = "NotFound";

Error FileError(int number) {
  Error error{.code = ErrorCode::kInvalidConfig, .message = std::generic_category().message(number)};
  if (number == ENOENT || number == ENOTDIR) error.reason = kNotFound;
  return error;
}

}  // namespace

Result<std::string> ReadFile(const std::string& path, std::size_t limit, FileKinds kinds) {
  // Opening a pipe without a writer would block.
  const int flags = O_RDONLY | O_CLOEXEC | (kinds == FileKinds::kRegularOnly ? O_NONBLOCK : 0);
  const Descriptor file(::open(path.c_str(), flags));
  if (file.get() < 0) return FileError(errno);

  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return FileError(errno);
  if (S_ISDIR(status.st_mode)) return FileError(EISDIR);
  if (kinds == FileKinds::kRegularOnly && !S_ISREG(status.st_mode)) {
    return Error{.code = ErrorCode::kInvalidConfig, .message = "not a regular file"};
  }

  std::string content;
  std::array<char, 16384> buffer;
  for (;;) {
    const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FileError(errno);
    if (count == 0) return content;
    if (content.size() + static_cast<std::size_t>(count) > limit) {
      return Error{.code = ErrorCode::kTooLarge, .message = "larger than " + std::to_string(limit) + " bytes"};
    }
    content.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

bool IsFileNotFound(const Error& error) { return error.reason == kNotFound; }

std::string ResolvePath(const std::string& path, const std::string& base_dir) {
  if (path.empty() || path.front() == '/' || base_dir.empty()) return path;
  return (std::filesystem::path(base_dir) / path).lexically_normal().string();
}

}  // namespace kinformer::internal
