#ifndef KINFORMER_SRC_APISERVER_HTTP_HTTP_EXCHANGE_H_
#define KINFORMER_SRC_APISERVER_HTTP_HTTP_EXCHANGE_H_

// In:     one request of an HttpServer
// Out:    its answer: at once, as a stream, or as a WebSocket; or a fault
// Thread: all functions from any thread; callbacks on the server's I/O threads, where nothing may block
// Next:   Connection, which sends what waits in the order in which it came

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/base/result.h>

#include "src/apiserver/http/buffer.h"
#include "src/apiserver/http/http_request.h"

namespace kinformer::apiserver {

/// What fault injection does to a connection beneath HTTP. The endings (CloseCleanly, Reset, Stall, Abort) end the
/// stream too: its Write says false from then on, and its OnClosed calls back. On an exchange that has been answered,
/// or a stream that has ended, nothing here does anything.
class RawConnection {
 public:
  virtual ~RawConnection() = default;

  /// Sends bytes as they are: no head, no chunk, no frame around them. Of an exchange, they are then its answer; end
  /// them with one of the endings.
  virtual void WriteRaw(Buffer bytes) = 0;
  /// From here to the end of this answer each byte is a TCP segment (and TLS record) of its own, and each byte of a
  /// chunked stream a chunk.
  virtual void ByteByByte(bool on) = 0;

  /// What has been written goes out, and then the connection ends: with TLS's close_notify and FIN...
  virtual void CloseCleanly() = 0;
  /// ... or with RST...
  virtual void Reset() = 0;
  /// ... or it stays open, and nothing is read or written any more: to the peer, the server has gone silent. Until the
  /// peer closes (noticed within a second or two) or the server stops.
  virtual void Stall() = 0;
  /// RST at once; what has not been sent is dropped.
  virtual void Abort() = 0;
};

/// The writing side of an answer that goes on.
///
/// Writes never block. They wait in a queue, of which all that is there goes out at once when the socket takes it; so
/// a caller that is faster than the peer must look at QueuedBytes() and wait with NotifyWhenDrained(). A peer that
/// takes nothing for HttpLimits::write_timeout is cut off.
///
/// @par Thread Safety
/// All functions may be called from any thread. Messages of one thread go out in its order.
///
/// @par Callbacks
/// On an I/O thread of the server, with no lock held; or on the caller's own, inside the call, if it is closed already.
/// They must not block and must not stop the server. They are dropped, with what they hold, once called or closed.
class OutputStream {
 public:
  virtual ~OutputStream() = default;

  /// One message: its parts are sent one after the other as one chunk or text frame. An empty one is not sent in HTTP.
  /// False: the connection is gone or the stream has ended, and nothing was queued.
  virtual bool Write(std::span<const Buffer> message) = 0;
  bool Write(const Buffer& message) { return Write(std::span<const Buffer>(&message, 1)); }
  /// What has been written and not yet given to the kernel, with what frames it.
  virtual std::size_t QueuedBytes() const = 0;
  /// Calls back once, as soon as nothing waits or the connection is gone.
  virtual void NotifyWhenDrained(std::function<void()> callback) = 0;
  /// Calls back once when the peer has gone or been cut off, or the server stops. Not after End or Close. A second call
  /// takes the first one's place.
  virtual void OnClosed(std::function<void()> callback) = 0;
  virtual bool IsClosed() const = 0;
  /// Lives as long as the stream.
  virtual RawConnection& Raw() = 0;
};

/// A chunked answer (to HTTP/1.0: one that ends with the connection). Destroyed without End, the connection is closed
/// where it is, so that the peer sees that something is missing.
class HttpStream : public OutputStream {
 public:
  virtual void End() = 0;
};

/// A WebSocket: every Write is one text frame. What the peer sends is read and dropped, its pings are answered.
/// Destroyed without Close, it is closed with 1001 (going away).
class WebSocketStream : public OutputStream {
 public:
  /// Sends a Close frame after what was written, and waits a few seconds for the peer's. `reason`: 123 bytes at most,
  /// cut there.
  virtual void Close(std::uint16_t code, std::string_view reason = {}) = 0;
};

/// One request, to be answered once; the first answer counts, others do nothing. Destroyed without an answer it is
/// answered with 500.
///
/// Content-Length, Transfer-Encoding, Connection and Date are the server's own: of those in `headers`, "Connection:
/// close" is heeded and the others are left out. Control characters in headers become blanks.
///
/// @par Thread Safety
/// All functions may be called from any thread; what request() returns is the owner's.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;

  virtual HttpRequest& request() = 0;

  /// The parts are sent one after the other, without being copied. Of HEAD, the length of the body alone is told.
  virtual void Respond(int status, std::vector<HttpHeader> headers, std::vector<Buffer> body) = 0;
  void Respond(int status, std::vector<HttpHeader> headers, std::string body);
  /// The head goes out at once.
  virtual std::shared_ptr<HttpStream> BeginStream(int status, std::vector<HttpHeader> headers) = 0;
  /// Of the subprotocols that the peer offers, in its order, the first that is in `subprotocols` is chosen.
  /// Fails where request().IsWebSocketUpgrade() is false; the request then still waits for an answer.
  virtual Result<std::shared_ptr<WebSocketStream>> AcceptWebSocket(const std::vector<std::string>& subprotocols) = 0;

  /// As OutputStream::OnClosed, for who is busy with the answer. Not called once it has been given.
  virtual void OnClosed(std::function<void()> callback) = 0;
  /// Lives as long as the exchange.
  virtual RawConnection& Raw() = 0;
};

using HttpHandler = std::function<void(std::shared_ptr<HttpExchange>)>;

inline void HttpExchange::Respond(int status, std::vector<HttpHeader> headers, std::string body) {
  std::vector<Buffer> parts;
  if (!body.empty()) parts.emplace_back(std::move(body));
  Respond(status, std::move(headers), std::move(parts));
}

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_HTTP_HTTP_EXCHANGE_H_
