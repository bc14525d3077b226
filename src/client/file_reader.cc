#include "src/client/file_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace kinformer::internal {
namespace {

constexpr const char* kNotFound = "NotFound";

Error FromErrno(int number) {
  Error error{.code = ErrorCode::kInvalidConfig, .message = std::generic_category().message(number)};
  if (number == ENOENT || number == ENOTDIR) error.reason = kNotFound;
  return error;
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

Result<std::string> ReadFile(const std::string& path, std::size_t limit, FileKinds kinds) {
  // Opening a pipe without a writer blocks, unless told not to.
  const int flags = O_RDONLY | O_CLOEXEC | (kinds == FileKinds::kRegularOnly ? O_NONBLOCK : 0);
  const Descriptor file(::open(path.c_str(), flags));
  if (file.get() < 0) return FromErrno(errno);

  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return FromErrno(errno);
  if (S_ISDIR(status.st_mode)) return FromErrno(EISDIR);
  if (kinds == FileKinds::kRegularOnly && !S_ISREG(status.st_mode)) {
    return Error{.code = ErrorCode::kInvalidConfig, .message = "not a regular file"};
  }

  std::string content;
  std::array<char, 16384> buffer;
  for (;;) {
    const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FromErrno(errno);
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
