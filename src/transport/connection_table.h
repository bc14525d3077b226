#ifndef KINFORMER_SRC_TRANSPORT_CONNECTION_TABLE_H_
#define KINFORMER_SRC_TRANSPORT_CONNECTION_TABLE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include <kinformer/base/error.h>
#include <kinformer/transport/tls_material.h>

namespace kinformer::internal {

/// The sockets that libcurl has open, as connections with an id, and why connections were ended from here.
///
/// @par Thread Safety
/// Used by the I/O thread; opened() and open() may be called from any thread.
class ConnectionTable {
 public:
  using Id = std::uint64_t;  ///< Never reused; 0: no connection.
  struct Connection {
    int socket = -1;
    TlsMaterialPtr tls{};
    bool used = false;  ///< It is established, and has carried a request.
    std::optional<Error> lost{};
  };

  Id Open(int socket);
  /// libcurl closes the socket. Returns its connection, or 0.
  Id Close(int socket);

  /// Null if it is closed.
  const Connection* Find(Id id) const;
  /// The connection with this local port, or 0.
  Id FindByLocalPort(int port) const;

  /// A request is about to be sent on it. True if that is its first one.
  bool Use(Id id, TlsMaterialPtr tls);
  /// True if an established connection uses this TLS material.
  bool IsUsedWith(const TlsMaterialPtr& tls) const;

  /// Its requests fail with this error instead of libcurl's.
  void SetLost(Id id, Error why);
  /// nullopt unless SetLost was called. Also for a connection closed recently: libcurl may close one before it has
  /// reported to all its requests.
  std::optional<Error> LostError(Id id) const;

  std::size_t opened() const { return opened_.load(); }
  std::size_t open() const { return open_.load(); }

 private:
  Id next_id_ = 1;
  std::map<Id, Connection> connections_{};
  std::map<Id, Error> recently_lost_{};
  std::atomic<std::size_t> opened_ = 0;
  std::atomic<std::size_t> open_ = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_TRANSPORT_CONNECTION_TABLE_H_
