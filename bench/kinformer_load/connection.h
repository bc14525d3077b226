#ifndef KINFORMER_BENCH_KINFORMER_LOAD_CONNECTION_H_
#define KINFORMER_BENCH_KINFORMER_LOAD_CONNECTION_H_

// In:     requests, and readiness of its socket
// Out:    the bytes of responses
// Thread: one, its owner's
// Next:   Poller, ResponseReader

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <kinformer/base/result.h>

#include "bench/kinformer_load/target.h"

namespace kinformer::bench {

struct SslFree {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};

/// A non-blocking connection, with or without TLS.
class Connection {
 public:
  /// Starts to connect. The target must outlive it.
  static Result<std::unique_ptr<Connection>> Open(const Target& target);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int fd() const { return fd_; }
  /// Queues bytes; Advance sends them.
  void Send(std::string_view bytes) { out_.append(bytes); }

  /// Connects, performs the TLS handshake and sends, as far as possible without blocking.
  Result<void> Advance();
  /// True if the next step needs the socket to be writable.
  bool WantsToWrite() const { return wants_to_write_; }

  struct Received {
    std::size_t bytes = 0;
    bool end = false;    ///< The server has closed its side.
    bool again = false;  ///< More data is buffered; the socket will not become readable for it.
  };
  /// Reads what is available, as much as fits; nothing before the connection is established.
  Result<Received> Receive(std::span<char> into);

 private:
  Connection(int fd, std::unique_ptr<SSL, SslFree> ssl) : fd_(fd), ssl_(std::move(ssl)) {}
  Result<void> SendPlain();
  Result<void> SendTls();

  const int fd_;
  const std::unique_ptr<SSL, SslFree> ssl_;
  bool connected_ = false;
  bool ready_ = false;  ///< Connected, and the TLS handshake is done.
  bool wants_to_write_ = true;
  std::string out_;
};

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_LOAD_CONNECTION_H_
