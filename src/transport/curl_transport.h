#ifndef KINFORMER_SRC_TRANSPORT_CURL_TRANSPORT_H_
#define KINFORMER_SRC_TRANSPORT_CURL_TRANSPORT_H_

// In:     requests, from any thread
// Out:    the bytes of their responses, each into its Exchange
// Thread: one of its own (the I/O thread), which runs libcurl and nothing else
// Next:   the consumer of each ResponseStream, on its own thread

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include <kinformer/base/logger.h>
#include <kinformer/transport/transport.h>

#include "src/transport/connection_health.h"

namespace kinformer::internal {

class CurlLoop;

struct CurlTransportOptions {
  std::string server{};     ///< "https://host:6443", optionally with a path prefix.
  std::string proxy_url{};  ///< http, https, socks5 or socks5h; empty: from the environment.
  std::string user_agent{};
  /// CAs to trust if a request names none (PEM file); empty: the system's.
  std::string system_roots_file{};
  /// For name lookup, TCP and TLS together.
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(30);
  /// How long a resolved address is used for new connections.
  std::chrono::seconds dns_cache{60};
  ConnectionHealthOptions health{};
  /// How long a server may keep the I/O thread busy with data that belongs to no request.
  std::chrono::milliseconds max_flood_time = std::chrono::seconds(2);
  std::string probe_target = "/version";
  /// How much of a response may be queued for a slow reader.
  std::size_t queue_bytes = 4U << 20U;
  std::size_t max_header_bytes = 256U << 10U;
  Logger logger{};
};

struct CurlTransportStats {
  std::size_t connections_opened = 0;
  std::size_t connections_open = 0;
  std::size_t requests_in_flight = 0;
};

/// cpr sessions on one libcurl multi handle: HTTP/2 with many streams per connection, or HTTP/1.1 if the server
/// supports nothing newer.
///
/// The destructor does not wait for libcurl's own name-lookup thread if a request is cancelled during a lookup:
/// getaddrinfo cannot be interrupted. That thread uses nothing of ours and ends on its own.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class CurlTransport final : public Transport {
 public:
  /// Starts the I/O thread. kInvalidConfig for an invalid server or proxy URL.
  static Result<std::unique_ptr<CurlTransport>> Create(CurlTransportOptions options);
  /// Cancels all requests and joins the I/O thread. On the I/O thread itself (inside a function given to
  /// NotifyWhenReady), the thread ends soon afterwards instead.
  ~CurlTransport() override;

  std::unique_ptr<ResponseStream> Start(Request request) override;

  CurlTransportStats Stats() const;

 private:
  explicit CurlTransport(std::shared_ptr<CurlLoop> loop);

  std::shared_ptr<CurlLoop> loop_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_TRANSPORT_CURL_TRANSPORT_H_
