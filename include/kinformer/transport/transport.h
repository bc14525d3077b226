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

namespace kinformer {

namespace internal {
struct TlsMaterial;
}

using Header = std::pair<std::string, std::string>;

/// The first header of that name, compared without regard to case.
std::optional<std::string_view> FindHeader(const std::vector<Header>& headers, std::string_view name);

/// One HTTP request to the API server that a Transport was made for.
struct Request {
  std::string method = "GET";
  /// Path and query, percent-encoded: "/api/v1/pods?limit=500".
  std::string target{};
  std::vector<Header> headers{};
  std::string body{};
  /// The whole exchange; zero: no limit.
  std::chrono::milliseconds timeout{0};
  /// No byte for this long (while the reader is not the one who holds it up); zero: no limit.
  std::chrono::milliseconds idle_timeout{0};
  /// The caller can take the stream up again where it broke (a watch). Such a stream is ended when its connection has
  /// been silent too long and cannot be probed; others then wait for their own time limits.
  bool resumable = false;
  /// Whom to trust and who we are on this connection. Filled in by the client; a transport of yours may ignore it.
  std::shared_ptr<const internal::TlsMaterial> tls{};
};

struct ResponseHead {
  int status = 0;
  std::vector<Header> headers{};
};
/// The body is complete.
struct ResponseEnd {};
/// What comes out of a stream: one ResponseHead, any number of body chunks, then ResponseEnd.
using ResponsePart = std::variant<ResponseHead, std::string, ResponseEnd>;

/// The answer to one request, pulled by its consumer at its own pace. Destroying it cancels the request.
///
/// @par Thread Safety
/// One consumer at a time; the function given to NotifyWhenReady runs on any thread.
class ResponseStream {
 public:
  virtual ~ResponseStream() = default;

  /// What has arrived, without waiting; nullopt if nothing has. After ResponseEnd or an error the stream is spent.
  virtual Result<std::optional<ResponsePart>> TryNext() = 0;
  /// Calls `ready` once, as soon as TryNext has something (at once, if it has already). It may run on the I/O thread,
  /// so it must only signal or post, never work. A later call replaces an earlier one; when it returns, the earlier
  /// function is not running and will not be called.
  virtual void NotifyWhenReady(std::function<void()> ready) = 0;
  /// Gives back a chunk that has been read, so that its memory serves another: a stream in full flow then allocates
  /// nothing. Never needed.
  virtual void Recycle(std::string chunk);
};

/// Waits for the next part. kCancelled when stopped.
Result<ResponsePart> Next(ResponseStream& stream, const std::stop_token& stop);

/// Reads a body to its end; kTooLarge beyond `limit` bytes.
Result<std::string> ReadBody(ResponseStream& stream, std::size_t limit, const std::stop_token& stop);

/// Sends requests to one API server. The seam at which users and tests put their own: record, fake, tunnel.
///
/// @par Thread Safety
/// All functions may be called from any thread. Streams may outlive the transport; they then fail with kCancelled.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Starts a request; never blocks on the network. What goes wrong comes out of the stream.
  virtual std::unique_ptr<ResponseStream> Start(Request request) = 0;
};

}  // namespace kinformer

#endif  // KINFORMER_TRANSPORT_TRANSPORT_H_
