#ifndef KINFORMER_SRC_TRANSPORT_CURL_TRANSPORT_H_
#define KINFORMER_SRC_TRANSPORT_CURL_TRANSPORT_H_

// In:     requests, from any thread
// Out:    bytes of their responses, each into its Exchange
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

struct CurlTransportOptions {
  std::string server{};     ///< "https://host:6443", perhaps with a path in front of the API's.
  std::string proxy_url{};  ///< http, https or socks5; empty: as the environment says.
  std::string user_agent{};
  /// Roots to trust where a request names none of its own (PEM file); empty: the system's.
  std::string system_roots_file{};
  /// Name lookup, TCP and TLS together.
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(30);
  /// How long an address that was looked up is used for new connections.
  std::chrono::seconds dns_cache{60};
  ConnectionHealthOptions health{};
  /// How long a server may keep the I/O thread busy with what is no answer to anybody.
  std::chrono::milliseconds flood_patience = std::chrono::seconds(2);
  std::string probe_target = "/version";
  /// How much of a response may wait for a slow reader.
  std::size_t queue_bytes = 4U << 20U;
  std::size_t max_header_bytes = 256U << 10U;
  Logger logger{};
};

struct CurlTransportStats {
  std::size_t connections_opened = 0;
  std::size_t connections_open = 0;
  std::size_t requests_under_way = 0;
};

/// cpr sessions on one libcurl multi handle: HTTP/2 with many streams a connection, HTTP/1.1 where the server has no
/// more.
///
/// The one thread that its destructor does not wait for is libcurl's own name lookup, when a request is cancelled in
/// the middle of one: getaddrinfo cannot be interrupted. That thread touches nothing of ours and ends by itself.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class CurlTransport final : public Transport {
 public:
  /// Starts the I/O thread. kInvalidConfig for a bad server or proxy URL.
  static Result<std::unique_ptr<CurlTransport>> Create(CurlTransportOptions options);
  /// Cancels what is under way and joins the I/O thread.
  ~CurlTransport() override;

  std::unique_ptr<ResponseStream> Start(Request request) override;

  CurlTransportStats Stats() const;

 private:
  class Loop;
  class Stream;
  explicit CurlTransport(std::shared_ptr<Loop> loop);

  std::shared_ptr<Loop> loop_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_TRANSPORT_CURL_TRANSPORT_H_
