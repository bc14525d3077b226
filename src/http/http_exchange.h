#ifndef KINFORMER_SRC_HTTP_HTTP_EXCHANGE_H_
#define KINFORMER_SRC_HTTP_HTTP_EXCHANGE_H_

// In:     one request to an HttpServer
// Out:    its response: complete, as a stream, or as a WebSocket; or a fault
// Thread: all functions from any thread; callbacks on the server's I/O threads, where nothing may block
// Next:   Connection, which sends queued data in order

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/base/result.h>

#include "src/http/buffer.h"
#include "src/http/http_request.h"

namespace kinformer::apiserver {

/// Faults to inject into a connection, below HTTP. The endings (CloseCleanly, Reset, Stall, Abort) also end the stream:
/// its Write returns false from then on, and its OnClosed callback is called. No effect on an exchange that has been
/// answered, or a stream that has ended.
class RawConnection {
 public:
  virtual ~RawConnection() = default;

  /// Sends bytes without head, chunk or frame. For an exchange they become its response; finish it with one of the
  /// endings.
  virtual void WriteRaw(Buffer bytes) = 0;
  /// From here to the end of this response, each byte is a TCP segment (and TLS record) of its own, and each byte of a
  /// chunked stream a chunk.
  virtual void ByteByByte(bool on) = 0;

  /// Sends what has been written, then closes the connection with TLS's close_notify and FIN...
  virtual void CloseCleanly() = 0;
  /// ... or with RST...
  virtual void Reset() = 0;
  /// ... or leaves it open, but neither reads nor writes any more: to the peer the server hangs. Lasts until the peer
  /// closes (noticed within a second or two) or the server stops.
  virtual void Stall() = 0;
  /// RST at once; unsent data is dropped.
  virtual void Abort() = 0;
};

/// The writing side of a streamed response.
///
/// Writes never block: they are queued, and the whole queue is sent when the socket accepts it. For back-pressure,
/// check QueuedBytes() and wait with NotifyWhenDrained(). A peer that accepts nothing for HttpLimits::write_timeout is
/// disconnected.
///
/// @par Thread Safety
/// All functions may be called from any thread. Messages written by one thread keep their order.
///
/// @par Callbacks
/// Run on an I/O thread of the server with no lock held; or on the caller's thread, inside the call, if already closed.
/// They must not block or stop the server. They are destroyed after the call, or when the stream ends.
class OutputStream {
 public:
  virtual ~OutputStream() = default;

  /// Sends one message: its parts together form one chunk or text frame. In HTTP an empty message is not sent. False if
  /// the connection is closed or the stream has ended; nothing is queued then.
  virtual bool Write(std::span<const Buffer> message) = 0;
  bool Write(const Buffer& message) { return Write(std::span<const Buffer>(&message, 1)); }
  /// Bytes written but not yet handed to the kernel, including framing.
  virtual std::size_t QueuedBytes() const = 0;
  /// Called once, when nothing is queued or the connection is closed.
  virtual void NotifyWhenDrained(std::function<void()> callback) = 0;
  /// Called once, when the peer has disconnected or was disconnected, or the server stops. Not called after End or
  /// Close. Replaces a previous callback.
  virtual void OnClosed(std::function<void()> callback) = 0;
  virtual bool IsClosed() const = 0;
  /// Valid as long as the stream.
  virtual RawConnection& Raw() = 0;
};

/// A chunked response (for HTTP/1.0: one that ends with the connection). Destroyed without End, it closes the
/// connection, so that the peer sees an incomplete response.
class HttpStream : public OutputStream {
 public:
  virtual void End() = 0;
};

/// A WebSocket: every Write is one text frame. The peer's data is read and dropped; its pings are answered. Destroyed
/// without Close, it is closed with 1001 (going away).
class WebSocketStream : public OutputStream {
 public:
  /// Sends a Close frame after queued data, and waits for the peer's (HttpLimits::linger_timeout). `reason` is
  /// truncated to 123 bytes.
  virtual void Close(std::uint16_t code, std::string_view reason = {}) = 0;
};

/// One request, to be answered once; only the first answer counts. Destroyed without an answer, it is answered with
/// 500.
///
/// The server sets Content-Length, Transfer-Encoding, Connection and Date. In `headers` they are ignored, except for
/// "Connection: close". Control characters in headers are replaced by spaces.
///
/// @par Thread Safety
/// All functions may be called from any thread; the result of request() belongs to the exchange's owner.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;

  virtual HttpRequest& request() = 0;

  /// The parts are sent in order, without copying. For HEAD only the length of the body is sent.
  virtual void Respond(int status, std::vector<HttpHeader> headers, std::vector<Buffer> body) = 0;
  void Respond(int status, std::vector<HttpHeader> headers, std::string body);
  /// The head is sent at once.
  virtual std::shared_ptr<HttpStream> BeginStream(int status, std::vector<HttpHeader> headers) = 0;
  /// Chooses the first of the peer's subprotocols, in its order, that is in `subprotocols`. Fails if
  /// request().IsWebSocketUpgrade() is false; the request must then still be answered.
  virtual Result<std::shared_ptr<WebSocketStream>> AcceptWebSocket(const std::vector<std::string>& subprotocols) = 0;

  /// Like OutputStream::OnClosed, while the response is being prepared. Not called once it has been given.
  virtual void OnClosed(std::function<void()> callback) = 0;
  /// Valid as long as the exchange.
  virtual RawConnection& Raw() = 0;
};

using HttpHandler = std::function<void(std::shared_ptr<HttpExchange>)>;

inline void HttpExchange::Respond(int status, std::vector<HttpHeader> headers, std::string body) {
  std::vector<Buffer> parts;
  if (!body.empty()) parts.emplace_back(std::move(body));
  Respond(status, std::move(headers), std::move(parts));
}

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_HTTP_HTTP_EXCHANGE_H_
