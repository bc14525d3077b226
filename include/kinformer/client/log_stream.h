#ifndef KINFORMER_CLIENT_LOG_STREAM_H_
#define KINFORMER_CLIENT_LOG_STREAM_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include <kinformer/base/result.h>

namespace kinformer {

class ResponseStream;

/// A container's log, line by line. Move-only; destruction ends the request. A moved-from stream returns
/// kFailedPrecondition.
///
/// @par Thread Safety
/// One reader at a time.
class LogStream {
 public:
  LogStream(LogStream&&) noexcept;
  LogStream& operator=(LogStream&&) noexcept;
  ~LogStream();

  /// Waits for the next line and returns it without its newline; nullopt at the end. Lines longer than 1 MiB are split.
  Result<std::optional<std::string>> NextLine(const std::stop_token& stop = {});

 private:
  friend class Client;
  LogStream(std::shared_ptr<const void> keep_alive, std::unique_ptr<ResponseStream> stream);

  std::shared_ptr<const void> keep_alive_;  ///< The client, whose I/O thread feeds the stream.
  std::unique_ptr<ResponseStream> stream_;
  std::string buffer_;
  std::size_t scanned_ = 0;
  bool ended_ = false;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_LOG_STREAM_H_
