#ifndef KINFORMER_SRC_APISERVER_CACHER_EVENT_RING_H_
#define KINFORMER_SRC_APISERVER_CACHER_EVENT_RING_H_

// In:     events in the order of their revisions
// Out:    the newest of them, as many as fit
// Thread: none of its own; guarded by the WatchCache
// Next:   WatchCache

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/apiserver/cacher/cache_event.h"

namespace kinformer::apiserver {

struct EventRingOptions {
  std::size_t min_capacity = 100;
  /// Doubled for each doubling of the window beyond 75 s.
  std::size_t max_capacity = std::size_t{100} * 1024;
  /// For so long events should be kept: a client that saw a bookmark, one a minute, can go on from there.
  Duration window = std::chrono::seconds(75);
};

/// Grows to twice its size when it is full and its oldest event is younger than the window; shrinks to half when even
/// the newest quarter reaches back further than that.
class EventRing {
 public:
  explicit EventRing(const EventRingOptions& options);

  void Append(CacheEventPtr event);
  /// Forgets all events, as after a list. Keeps its size.
  void Clear();

  std::size_t size() const { return static_cast<std::size_t>(end_ - start_); }
  std::size_t capacity() const { return slots_.size(); }
  /// Something was pushed out since the last Clear.
  bool Evicted() const { return evicted_; }
  /// The index-th oldest. Precondition: index < size().
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

#endif  // KINFORMER_SRC_APISERVER_CACHER_EVENT_RING_H_
