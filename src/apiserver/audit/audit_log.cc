#include "src/apiserver/audit/audit_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "src/base/user_code.h"

namespace kinformer::apiserver {
namespace {

constexpr mode_t kOwnerOnly = 0600;

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() { ::close(fd_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void Append(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(fd_, text.data(), text.size());
      if (written < 0) {
        if (errno == EINTR) continue;
        throw std::system_error(errno, std::generic_category());
      }
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

 private:
  const int fd_;
};

}  // namespace

Result<std::shared_ptr<AuditLog>> AuditLog::OpenFile(const std::string& path, Logger logger) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, kOwnerOnly);
  if (fd < 0) {
    return Error{.code = ErrorCode::kInvalidConfig,
                 .message = path + ": the audit log cannot be opened: " + std::generic_category().message(errno)};
  }
  return std::make_shared<AuditLog>(
      [file = std::make_shared<const File>(fd)](std::string_view line) { file->Append(line); }, std::move(logger));
}

AuditLog::AuditLog(Sink sink, Logger logger) : logger_(std::move(logger)), sink_(std::move(sink)) {}

void AuditLog::Write(const AuditEvent& event) {
  const std::string line = AuditLine(event);
  std::string failure;
  {
    const MutexLock lock(mutex_);
    ++stats_.events;
    const auto threw = internal::Contain([&] { sink_(line); });
    if (!threw || stats_.errors++ > 0) return;
    failure = *threw;
  }
  logger_.Error("apiserver", "cannot write the audit log; further errors are only counted", {{"error", failure}});
}

AuditLogStats AuditLog::Stats() const {
  const MutexLock lock(mutex_);
  return stats_;
}

}  // namespace kinformer::apiserver
