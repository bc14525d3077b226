#include <kinformer/client/log_stream.h>

#include <utility>

#include <kinformer/transport/transport.h>

namespace kinformer {
namespace {

constexpr std::size_t kLongestLine = 1U << 20U;

}  // namespace

LogStream::LogStream(std::shared_ptr<const void> keep_alive, std::unique_ptr<ResponseStream> stream)
    : keep_alive_(std::move(keep_alive)), stream_(std::move(stream)) {}
LogStream::LogStream(LogStream&&) noexcept = default;
LogStream& LogStream::operator=(LogStream&&) noexcept = default;
LogStream::~LogStream() = default;

Result<std::optional<std::string>> LogStream::NextLine(const std::stop_token& stop) {
  if (stream_ == nullptr) {
    return Error{.code = ErrorCode::kFailedPrecondition, .message = "the log was moved to another LogStream"};
  }
  for (;;) {
    const std::size_t newline = buffer_.find('\n', scanned_);
    if (newline != std::string::npos) {
      std::string line = buffer_.substr(0, newline);
      buffer_.erase(0, newline + 1);
      scanned_ = 0;
      return std::optional(std::move(line));
    }
    scanned_ = buffer_.size();
    if (buffer_.size() >= kLongestLine || (ended_ && !buffer_.empty())) {
      scanned_ = 0;
      return std::optional(std::exchange(buffer_, {}));
    }
    if (ended_) return std::optional<std::string>();
    Result<ResponsePart> part = kinformer::Next(*stream_, stop);
    if (!part) return std::move(part).error();
    if (auto* chunk = std::get_if<std::string>(&*part)) {
      buffer_ += *chunk;
    } else if (std::holds_alternative<ResponseEnd>(*part)) {
      ended_ = true;
    }
  }
}

}  // namespace kinformer
