#ifndef KINFORMER_SRC_TRANSPORT_FLOOD_GUARD_H_
#define KINFORMER_SRC_TRANSPORT_FLOOD_GUARD_H_

#include <cstddef>
#include <stop_token>
#include <utility>

#include <curl/curl.h>

#include <kinformer/base/clock.h>

namespace kinformer::internal {

/// Brings the I/O thread back out of libcurl.
///
/// libcurl reads a connection on and on while what comes is for none of its streams: an HTTP/2 server that sends pings
/// as fast as they are read keeps it there for good, where no deadline is looked at and no end is noticed. The guard
/// looks on as TLS records arrive, and ends their connection when a turn of the loop lasts too long with nothing for
/// anybody, or when the thread is to stop.
///
/// Used by the I/O thread alone.
class FloodGuard {
 public:
  explicit FloodGuard(Duration patience) : patience_(patience) {}
  FloodGuard(const FloodGuard&) = delete;
  FloodGuard& operator=(const FloodGuard&) = delete;

  /// Connections that this transfer opens are guarded. The guard outlives them.
  void Watch(CURL* transfer);

  /// libcurl is about to be called, or has just given somebody bytes.
  void Progress(TimePoint now) {
    since_ = now;
    records_ = 0;
  }
  void StopWhen(std::stop_token stop) { stop_ = std::move(stop); }
  /// Whether a connection was ended since the last call.
  bool TakeEnded() { return std::exchange(ended_, false); }

 private:
  static CURLcode OnContext(CURL* transfer, void* context, void* self);
  /// Whether the connection that has just brought a record is to be ended.
  bool IsEnough();

  const Duration patience_;
  TimePoint since_{};
  std::size_t records_ = 0;
  std::stop_token stop_{};
  bool ended_ = false;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_TRANSPORT_FLOOD_GUARD_H_
