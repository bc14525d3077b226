#ifndef KINFORMER_BENCH_KINFORMER_LOAD_TARGET_H_
#define KINFORMER_BENCH_KINFORMER_LOAD_TARGET_H_

// In:     a kubeconfig's context
// Out:    what a connection needs: address, trusted CAs, request headers
// Thread: created once, then read by any
// Next:   Connection

#include <openssl/ssl.h>
#include <sys/socket.h>

#include <memory>
#include <string>
#include <string_view>

#include <kinformer/base/result.h>
#include <kinformer/config/config.h>

namespace kinformer::bench {

struct SslContextFree {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

/// The server under load.
struct Target {
  sockaddr_storage address{};
  socklen_t address_size = 0;
  /// The value of the Host header.
  std::string host{};
  /// The name or address the server's certificate must match.
  std::string server_name{};
  /// Null: plain HTTP.
  std::unique_ptr<SSL_CTX, SslContextFree> tls{};
  /// "Authorization: ...\r\n", or empty.
  std::string authorization{};

  /// A complete HTTP/1.1 request.
  std::string Request(std::string_view method, std::string_view path, std::string_view body = {}) const;
};

/// Supports tokens and client certificates. `token_file`, if not empty, overrides the config's token; it is needed
/// because loading a kubeconfig drops the credentials for a server without TLS.
Result<Target> MakeTarget(const Config& config, const std::string& token_file = {});

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_LOAD_TARGET_H_
