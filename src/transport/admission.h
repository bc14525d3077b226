#ifndef KINFORMER_SRC_TRANSPORT_ADMISSION_H_
#define KINFORMER_SRC_TRANSPORT_ADMISSION_H_

// In:     what happens to the requests that were passed to libcurl
// Out:    whether another one may be
// Thread: the I/O thread; pure
// Next:   CurlLoop

#include <cstdint>
#include <unordered_set>

namespace kinformer::internal {

/// Decides when a request may be passed to libcurl.
///
/// libcurl opens a connection for every request that finds the others full or still connecting: a hundred requests at
/// once would open a hundred connections, even if the server allows a hundred streams per connection. So, unless the
/// server speaks HTTP/1.1 anyway, a request is passed to libcurl only when the previous one has found its connection.
///
/// A connection may take long to establish, or never be established. Meanwhile one request at a time may try to share
/// an existing connection: if libcurl has none with a free stream, the request is taken back, and tried again when a
/// stream has ended or a connection is established.
class Admission {
 public:
  using RequestId = std::uint64_t;  ///< Never 0.

  explicit Admission(bool speaks_http1) : speaks_http1_(speaks_http1) {}

  /// The next request may open a connection.
  bool MayConnect() const { return speaks_http1_ || unplaced_.empty(); }
  /// The next request may be passed on condition that it shares an established connection.
  bool MayShare() const { return may_have_room_ && sharing_ == 0; }

  /// `shares`: it may not open a connection.
  void OnPassed(RequestId request, bool shares);
  /// libcurl has found a connection for it. May be reported more than once.
  void OnPlaced(RequestId request);
  /// It was to share a connection, but none had room.
  void OnTakenBack(RequestId request);
  /// `had_connection`: a stream is free again.
  void OnEnded(RequestId request, bool had_connection);
  /// A new connection carries its first request.
  void OnConnectionEstablished() { may_have_room_ = true; }
  /// The protocol of the latest response.
  void OnProtocol(bool http1) { speaks_http1_ = http1; }

 private:
  bool speaks_http1_;
  std::unordered_set<RequestId> unplaced_{};  ///< Passed to libcurl, but without a connection.
  RequestId sharing_ = 0;                     ///< The one of these that may only share a connection; 0: none.
  bool may_have_room_ = true;                 ///< A connection may have a free stream.
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_TRANSPORT_ADMISSION_H_
