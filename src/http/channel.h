#ifndef KINFORMER_SRC_HTTP_CHANNEL_H_
#define KINFORMER_SRC_HTTP_CHANNEL_H_

// In:     a connected, non-blocking socket
// Out:    its bytes, through TLS or plain
// Thread: the connection's I/O thread
// Next:   Connection, which waits for the socket when a call requires it

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/http/http_request.h"
#include "src/http/openssl_ptr.h"

namespace kinformer::apiserver {

/// Scratch buffers, shared by all connections of a thread, so that an idle connection needs none.
struct ChannelScratch {
  std::string plain;
  std::string cipher;
  std::array<char, 64 * 1024> read;
  std::vector<std::string_view> pieces;
};

struct Moved {
  enum class Status {
    kDone,
    kWouldBlock,  ///< Wait until the socket is readable (reads) or writable (writes).
    kEnd,         ///< Reads: end of stream.
    kFailed,
  };
  Status status = Status::kDone;
  std::size_t bytes = 0;
};

/// Limit for TLS records that the peer has not accepted, including replies that TLS itself generates. Above it nothing
/// more is read.
inline constexpr std::size_t kMaxPending = 256 * 1024;

/// Reads and writes the bytes of one connection. Does not own the socket.
class Channel {
 public:
  virtual ~Channel() = default;

  /// On kWouldBlock: call FlushPending, then retry when the socket is readable (it may be already).
  virtual Moved Handshake() = 0;
  virtual Moved Read(ChannelScratch& scratch, std::span<char> into) = 0;
  /// Accepts as much of `pieces` as possible. kWouldBlock may come with bytes accepted.
  virtual Moved Write(ChannelScratch& scratch, std::span<const std::string_view> pieces) = 0;
  /// Sends accepted data that is still buffered. kDone when the buffer is empty; `bytes`: bytes sent.
  virtual Moved FlushPending() = 0;
  virtual std::size_t PendingBytes() const = 0;
  bool HasPending() const { return PendingBytes() > 0; }
  /// Announces the end of the stream to the peer, as far as possible without blocking.
  virtual void ShutdownWrites() = 0;
  virtual void DescribePeer(HttpPeer& peer) const = 0;
};

std::unique_ptr<Channel> MakePlainChannel(int socket);
/// Null if OpenSSL is out of memory.
std::unique_ptr<Channel> MakeTlsChannel(int socket, SSL_CTX* context);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_HTTP_CHANNEL_H_
