#ifndef KINFORMER_SRC_TRANSPORT_FLOOD_GUARD_H_
#define KINFORMER_SRC_TRANSPORT_FLOOD_GUARD_H_

#include <cstddef>
#include <stop_token>
#include <utility>

#include <curl/curl.h>

#include <kinformer/base/clock.h>

namespace kinformer::internal {

/// Gets the I/O thread out of libcurl when a server floods a connection.
///
/// libcurl keeps reading a connection while the data is for none of its streams: an HTTP/2 server that sends pings as
/// fast as they are read keeps it there forever, where no deadline is checked and no stop is noticed. The guard
/// observes TLS records as they arrive, and ends their connection when one turn of the loop takes too long without
/// delivering data, or when the thread is to stop.
///
/// Used by the I/O thread only.
class FloodGuard {
 public:
  explicit FloodGuard(Duration max_time) : max_time_(max_time) {}
  FloodGuard(const FloodGuard&) = delete;
  FloodGuard& operator=(const FloodGuard&) = delete;

  /// Guards the connections that this transfer opens. The guard must outlive them.
  void Watch(CURL* transfer);

  /// libcurl is about to be called, or has just delivered data.
  void Progress(TimePoint now) {
    since_ = now;
    records_ = 0;
  }
  void StopWhen(std::stop_token stop) { stop_ = std::move(stop); }
  /// Whether a connection was ended since the last call.
  bool TakeEnded() { return std::exchange(ended_, false); }

 private:
  static CURLcode OnContext(CURL* transfer, void* context, void* self);
  /// Whether to end the connection on which a record has just arrived.
  bool ShouldEnd();

  const Duration max_time_;
  TimePoint since_{};
  std::size_t records_ = 0;
  std::stop_token stop_{};
  bool ended_ = false;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_TRANSPORT_FLOOD_GUARD_H_
