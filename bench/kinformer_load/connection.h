#ifndef KINFORMER_BENCH_KINFORMER_LOAD_CONNECTION_H_
#define KINFORMER_BENCH_KINFORMER_LOAD_CONNECTION_H_

// In:     requests, and the news that its socket is ready
// Out:    the bytes of answers
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

/// One connection that never blocks, through TLS or plain.
class Connection {
 public:
  /// Begins to connect. The target must outlive it.
  static Result<std::unique_ptr<Connection>> Open(const Target& target);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int fd() const { return fd_; }
  /// Sent as soon as it can be; Advance says whether that is now.
  void Send(std::string_view bytes) { out_.append(bytes); }

  /// Connects, shakes hands and sends, as far as that goes without waiting.
  Result<void> Advance();
  /// Whether the next step waits for the socket to be writable.
  bool WantsToWrite() const { return wants_to_write_; }

  struct Received {
    std::size_t bytes = 0;
    bool end = false;    ///< The server sends nothing more.
    bool again = false;  ///< More is here already; the socket will not say so.
  };
  /// What is there, as much as fits; nothing while it is not connected.
  Result<Received> Receive(std::span<char> into);

 private:
  Connection(int fd, std::unique_ptr<SSL, SslFree> ssl) : fd_(fd), ssl_(std::move(ssl)) {}
  Result<void> SendPlain();
  Result<void> SendTls();

  const int fd_;
  const std::unique_ptr<SSL, SslFree> ssl_;
  bool connected_ = false;
  bool ready_ = false;  ///< Hands are shaken.
  bool wants_to_write_ = true;
  std::string out_;
};

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_LOAD_CONNECTION_H_
