#ifndef KINFORMER_SRC_HTTP_HTTP_SERVER_H_
#define KINFORMER_SRC_HTTP_HTTP_SERVER_H_

// In:     TCP connections, plain or TLS, with HTTP/1.0 and 1.1 requests on them
// Out:    HttpExchanges, to the handler
// Thread: `io_threads` of its own, each with its own connections; the handler is called on them
// Next:   the handler, which answers from a pool

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

#include "src/http/http_exchange.h"

namespace kinformer::apiserver {

/// TLS 1.2 or newer; ALPN chooses http/1.1.
struct TlsOptions {
  /// The server's certificate first, then the intermediates. PEM.
  std::string certificate_pem{};
  std::string key_pem{};
  /// Client CAs. Clients may present a certificate. One that is not trusted does not end the connection;
  /// HttpPeer::certificate_error then says why. Empty: clients are not asked.
  std::string client_ca_pem{};
};

/// A client that exceeds a limit gets the given status, or is disconnected.
struct HttpLimits {
  std::size_t max_body_bytes = 3 * 1024 * 1024;  ///< 413
  std::size_t max_header_bytes = 64 * 1024;      ///< 431; includes the request line
  std::size_t max_target_bytes = 16 * 1024;      ///< 414
  /// Maximum open connections; further ones are closed at once.
  std::size_t max_connections = 4096;
  /// For the TLS handshake and the head of the first request; for later requests, from their first byte.
  std::chrono::milliseconds header_timeout = std::chrono::seconds(10);
  /// For the whole body.
  std::chrono::milliseconds body_timeout = std::chrono::seconds(60);
  /// Idle timeout between requests.
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(120);
  /// How long a peer may accept nothing while data is queued.
  std::chrono::milliseconds write_timeout = std::chrono::seconds(30);
  /// How long to wait for the peer after the server has shut its side, and for its Close frame.
  std::chrono::milliseconds linger_timeout = std::chrono::seconds(2);
};

/// The response to a request that is rejected before it reaches the handler.
struct HttpRefusal {
  std::vector<HttpHeader> headers = {{"Content-Type", "text/plain; charset=utf-8"}};
  std::string body{};
};

struct HttpServerOptions {
  /// A local IP address, not a host name.
  std::string bind_address = "127.0.0.1";
  /// Zero: any free port.
  std::uint16_t port = 0;
  std::size_t io_threads = 2;
  std::optional<TlsOptions> tls{};
  HttpLimits limits{};
  /// Formats that response. Called on an I/O thread. Unset: the message as plain text.
  std::function<HttpRefusal(int status, std::string_view message)> refusal{};
  Logger logger{};
};

/// An event-driven server for HTTP/1.1 and WebSockets: connections need no thread, and idle ones hardly any memory.
///
/// @par Thread Safety
/// Start and Stop: not concurrently, and not from the server's own threads.
class HttpServer {
 public:
  /// `handler` is called on an I/O thread for each request. It must not block; an exception becomes a 500.
  HttpServer(HttpServerOptions options, HttpHandler handler);
  /// Calls Stop.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Listens and starts the threads. Returns the port. Call once.
  Result<std::uint16_t> Start();
  /// Cuts off all connections and joins the threads. When it returns, no handler or callback runs any more; remaining
  /// exchanges and streams have no effect.
  void Stop();

  /// For fault injection: acts as if the server were not running. All connections are reset, and new ones refused until
  /// SetRefusing(false). The port stays reserved. Any thread, once started; does not block.
  void SetRefusing(bool refusing);

  /// Number of open connections.
  std::size_t ConnectionCount() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_HTTP_HTTP_SERVER_H_
