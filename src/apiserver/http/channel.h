#ifndef KINFORMER_SRC_APISERVER_HTTP_CHANNEL_H_
#define KINFORMER_SRC_APISERVER_HTTP_CHANNEL_H_

// In:     a connected socket that does not block
// Out:    its bytes, through TLS or as they are
// Thread: one at a time, the connection's I/O thread
// Next:   Connection, which waits for the socket when a call asks for it

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/apiserver/http/http_request.h"
#include "src/apiserver/http/openssl_ptr.h"

namespace kinformer::apiserver {

/// Room to work in, one for all connections of a thread, so that a silent one needs none.
struct ChannelScratch {
  std::string plain;
  std::string cipher;
  std::array<char, 64 * 1024> read;
  std::vector<std::string_view> pieces;
};

struct Moved {
  enum class Status {
    kDone,
    kWouldBlock,  ///< Wait for the socket: reads to be readable, writes to be writable.
    kEnd,         ///< Reads: the peer sends nothing more.
    kFailed,
  };
  Status status = Status::kDone;
  std::size_t bytes = 0;
};

/// Of records for a peer that does not take them, TLS's own answers among them: until it has, nothing more is read.
inline constexpr std::size_t kMaxPending = 256 * 1024;

/// The bytes of one connection. Does not own the socket.
class Channel {
 public:
  virtual ~Channel() = default;

  /// kWouldBlock: again when the socket is readable (it may be already), after FlushPending.
  virtual Moved Handshake() = 0;
  virtual Moved Read(ChannelScratch& scratch, std::span<char> into) = 0;
  /// Takes as much as fits, from all of `pieces` at once. kWouldBlock may come with bytes taken.
  virtual Moved Write(ChannelScratch& scratch, std::span<const std::string_view> pieces) = 0;
  /// Sends what was taken and is still here: kDone when nothing is. Counts bytes as they are sent.
  virtual Moved FlushPending() = 0;
  virtual std::size_t PendingBytes() const = 0;
  bool HasPending() const { return PendingBytes() > 0; }
  /// Says to the peer that this was all, as far as that can be said without waiting.
  virtual void ShutdownWrites() = 0;
  virtual void DescribePeer(HttpPeer& peer) const = 0;
};

std::unique_ptr<Channel> MakePlainChannel(int socket);
/// Null where OpenSSL has no memory left.
std::unique_ptr<Channel> MakeTlsChannel(int socket, SSL_CTX* context);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_HTTP_CHANNEL_H_
