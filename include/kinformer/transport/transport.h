#ifndef KINFORMER_TRANSPORT_TRANSPORT_H_
#define KINFORMER_TRANSPORT_TRANSPORT_H_

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/transport/tls_material.h>

namespace kinformer {

using Header = std::pair<std::string, std::string>;

/// The first header with this name, compared case-insensitively.
std::optional<std::string_view> FindHeader(const std::vector<Header>& headers, std::string_view name);

/// One HTTP request to the API server that a Transport was made for.
struct Request {
  std::string method = "GET";
  /// Path and query, percent-encoded: "/api/v1/pods?limit=500".
  std::string target{};
  std::vector<Header> headers{};
  std::string body{};
  /// Limit for the whole exchange; zero: none.
  std::chrono::milliseconds timeout{0};
  /// Idle timeout. Excludes time paused by a slow reader. Zero: none.
  std::chrono::milliseconds idle_timeout{0};
  /// The caller can resume the stream if it breaks, as in a watch. Such a stream is ended when its connection has been
  /// silent for too long and cannot be probed; other streams then wait for their own timeouts.
  bool resumable = false;
  /// TLS settings for the connection. Set by the client; null in requests that do not come from a client. A custom
  /// transport should apply them, or credentials may be sent to an unverified server.
  TlsMaterialPtr tls{};
};

struct ResponseHead {
  int status = 0;
  std::vector<Header> headers{};
};
/// The body is complete.
struct ResponseEnd {};
/// The parts of a stream: one ResponseHead, any number of body chunks, then ResponseEnd.
using ResponsePart = std::variant<ResponseHead, std::string, ResponseEnd>;

/// The response to one request, pulled by its consumer. Destruction cancels the request.
///
/// @par Thread Safety
/// One consumer at a time; the function given to NotifyWhenReady runs on any thread.
class ResponseStream {
 public:
  virtual ~ResponseStream() = default;

  /// Returns what has arrived, without waiting; nullopt if nothing has. Nothing follows ResponseEnd or an error.
  virtual Result<std::optional<ResponsePart>> TryNext() = 0;
  /// Calls `ready` once, as soon as TryNext has something; immediately, if it already has. Calls may be spurious: if
  /// TryNext then has nothing, call this again. `ready` may run on the I/O thread, so it must only signal or post; it
  /// may destroy this stream and the client. A later call replaces an earlier one; when it returns, the earlier
  /// function is not running and will not be called (unless it is the one making the call).
  virtual void NotifyWhenReady(std::function<void()> ready) = 0;
  /// Returns a consumed chunk, so that its memory is reused: a busy stream then does not allocate. Optional.
  virtual void Recycle(std::string chunk);
};

/// Waits for the next part. kCancelled when stopped.
Result<ResponsePart> Next(ResponseStream& stream, const std::stop_token& stop);

/// Reads the body to its end; kTooLarge beyond `limit` bytes.
Result<std::string> ReadBody(ResponseStream& stream, std::size_t limit, const std::stop_token& stop);

/// Sends requests to one API server. Implement it to record, fake or tunnel requests.
///
/// @par Thread Safety
/// All functions may be called from any thread. Streams may outlive the transport; they then fail with kCancelled.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Starts a request; never blocks on the network. Errors are reported by the stream.
  virtual std::unique_ptr<ResponseStream> Start(Request request) = 0;
};

}  // namespace kinformer

#endif  // KINFORMER_TRANSPORT_TRANSPORT_H_
