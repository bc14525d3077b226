#include "src/base/file_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "src/base/descriptor.h"

namespace kinformer::internal {
namespace {

Error WriteError(const std::string& path, int code) {
  return {.code = ErrorCode::kInvalidConfig,
          .message = path + ": cannot be written: " + std::generic_category().message(code)};
}

bool WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

Result<void> WriteFile(const std::string& path, std::string_view text, unsigned mode) {
  // In the same directory, so that the rename stays on one file system. mkostemp creates it with mode 0600.
  std::string temporary = path + ".XXXXXX";
  const Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.open()) return WriteError(path, errno);
  bool good = ::fchmod(file.get(), static_cast<mode_t>(mode)) == 0 && WriteAll(file.get(), text);
  good = good && ::rename(temporary.c_str(), path.c_str()) == 0;
  if (good) return {};
  const int code = errno;
  ::unlink(temporary.c_str());
  return WriteError(path, code);
}

}  // namespace kinformer::internal
