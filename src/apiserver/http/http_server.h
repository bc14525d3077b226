#ifndef KINFORMER_SRC_APISERVER_HTTP_HTTP_SERVER_H_
#define KINFORMER_SRC_APISERVER_HTTP_HTTP_SERVER_H_

// In:     TCP connections, plain or TLS, with HTTP/1.0 and 1.1 requests on them
// Out:    HttpExchanges, to the handler
// Thread: `io_threads` of its own, each with its own connections; the handler is called on them
// Next:   the handler, which hands the work to a pool and answers from there

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/base/logger.h>
#include <kinformer/base/result.h>

#include "src/apiserver/http/http_exchange.h"

namespace kinformer::apiserver {

/// TLS 1.2 or newer; ALPN chooses http/1.1.
struct TlsOptions {
  /// The server's certificate first, then those between it and its CA. PEM.
  std::string certificate_pem{};
  std::string key_pem{};
  /// Clients are asked for a certificate. None is fine, and one that these CAs do not vouch for ends nothing: the
  /// request then says so in HttpPeer::certificate_error. Empty: clients are not asked.
  std::string client_ca_pem{};
};

/// Beyond each of them a client is told so, or cut off.
struct HttpLimits {
  std::size_t max_body_bytes = 3 * 1024 * 1024;  ///< 413
  std::size_t max_header_bytes = 64 * 1024;      ///< 431; with the request line
  std::size_t max_target_bytes = 16 * 1024;      ///< 414
  /// Open at one time; more are closed as they come.
  std::size_t max_connections = 4096;
  /// For the TLS handshake and the first request's head; of later requests, from their first byte.
  std::chrono::milliseconds header_timeout = std::chrono::seconds(10);
  /// For the whole of a body.
  std::chrono::milliseconds body_timeout = std::chrono::seconds(60);
  /// Between two requests.
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(120);
  /// Of a peer that takes nothing of what waits for it.
  std::chrono::milliseconds write_timeout = std::chrono::seconds(30);
  /// For what a peer still sends when the server has closed its side, and for its Close frame.
  std::chrono::milliseconds linger_timeout = std::chrono::seconds(2);
};

/// The answer to a request that never reaches the handler.
struct HttpRefusal {
  std::vector<HttpHeader> headers = {{"Content-Type", "text/plain; charset=utf-8"}};
  std::string body{};
};

struct HttpServerOptions {
  /// An address of this machine, not a name.
  std::string bind_address = "127.0.0.1";
  /// Zero: a free one.
  std::uint16_t port = 0;
  std::size_t io_threads = 2;
  std::optional<TlsOptions> tls{};
  HttpLimits limits{};
  /// Says it in the words of those who are served here. Called on an I/O thread. Empty: the message, in plain text.
  std::function<HttpRefusal(int status, std::string_view message)> refusal{};
  Logger logger{};
};

/// An event-driven server of HTTP/1.1 and WebSockets: a connection costs no thread, a silent one next to no memory.
///
/// @par Thread Safety
/// Start and Stop from any thread but the server's own, one at a time.
class HttpServer {
 public:
  /// `handler` is called on an I/O thread with each request and must not block; what it throws becomes a 500.
  HttpServer(HttpServerOptions options, HttpHandler handler);
  /// Stops it.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Listens, and starts the threads. Returns the port. Once.
  Result<std::uint16_t> Start();
  /// Ends every connection where it is and joins the threads. When it returns, the handler and the callbacks run no
  /// more; exchanges and streams that somebody still holds do nothing.
  void Stop();

  /// For fault injection, as if the server were not running: all connections are reset, and new ones refused until
  /// SetRefusing(false). The port is kept. From any thread once started; does not wait.
  void SetRefusing(bool refusing);

  /// Open now.
  std::size_t ConnectionCount() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_HTTP_HTTP_SERVER_H_
