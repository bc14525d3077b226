#ifndef KINFORMER_SRC_LISTWATCH_CACHER_EVENT_RING_H_
#define KINFORMER_SRC_LISTWATCH_CACHER_EVENT_RING_H_

// In:     events in the order of their revisions
// Out:    the newest of them, up to its capacity
// Thread: none of its own; guarded by the WatchCache
// Next:   WatchCache

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/listwatch/cacher/cache_event.h"

namespace kinformer::apiserver {

struct EventRingOptions {
  std::size_t min_capacity = 100;
  /// Doubled for each doubling of the window beyond 75 s.
  std::size_t max_capacity = std::size_t{100} * 1024;
  /// Target retention. Longer than the bookmark interval (one minute), so that clients can resume from a bookmark.
  Duration window = std::chrono::seconds(75);
};

/// On Append to a full ring: doubles its capacity if its oldest event is younger than the window; halves it if the
/// newest quarter alone spans more than the window.
class EventRing {
 public:
  explicit EventRing(const EventRingOptions& options);

  void Append(CacheEventPtr event);
  /// Drops all events, as after a list. Keeps the capacity.
  void Clear();

  std::size_t size() const { return static_cast<std::size_t>(end_ - start_); }
  std::size_t capacity() const { return slots_.size(); }
  /// True if an event was evicted since the last Clear.
  bool Evicted() const { return evicted_; }
  /// The event at this position, the oldest first. Precondition: index < size().
  const CacheEventPtr& At(std::size_t index) const { return slots_[(start_ + index) % slots_.size()]; }
  /// The index of the first event after that revision; size() if there is none.
  std::size_t FirstAfter(Revision revision) const;

 private:
  bool Full() const { return size() == capacity(); }
  void Resize(std::size_t capacity);

  const EventRingOptions options_;
  std::size_t max_capacity_;
  std::vector<CacheEventPtr> slots_;
  std::uint64_t start_ = 0;
  std::uint64_t end_ = 0;
  bool evicted_ = false;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_CACHER_EVENT_RING_H_
