#ifndef KINFORMER_BENCH_KINFORMER_LOAD_TARGET_H_
#define KINFORMER_BENCH_KINFORMER_LOAD_TARGET_H_

// In:     a kubeconfig's context
// Out:    what a connection needs: an address, whom to trust, and the heads of requests
// Thread: made once; then read by any
// Next:   Connection

#include <openssl/ssl.h>
#include <sys/socket.h>

#include <memory>
#include <string>
#include <string_view>

#include <kinformer/base/result.h>
#include <kinformer/client/config.h>

namespace kinformer::bench {

struct SslContextFree {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

/// The server under load.
struct Target {
  sockaddr_storage address{};
  socklen_t address_size = 0;
  /// As the Host header has it.
  std::string host{};
  /// The name or address that its certificate must be for.
  std::string server_name{};
  /// Null: plain HTTP.
  std::unique_ptr<SSL_CTX, SslContextFree> tls{};
  /// "Authorization: ...\r\n", or empty.
  std::string authorization{};

  /// A whole request of HTTP/1.1.
  std::string Request(std::string_view method, std::string_view path, std::string_view body = {}) const;
};

/// Of credentials, a token and a client certificate are known. `token_file`, if not empty, takes their place: a
/// kubeconfig has none for a server without TLS.
Result<Target> MakeTarget(const Config& config, const std::string& token_file = {});

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_LOAD_TARGET_H_
