#ifndef KINFORMER_SRC_LISTWATCH_CACHER_WATCHER_TIMES_H_
#define KINFORMER_SRC_LISTWATCH_CACHER_WATCHER_TIMES_H_

// In:     watchers with a deadline, or that want bookmarks
// Out:    those that are due
// Thread: none; guarded by the Dispatcher
// Next:   Dispatcher

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <kinformer/base/clock.h>

#include "src/listwatch/cacher/registered_watcher.h"

namespace kinformer::apiserver {

/// Watchers in the order of one of their times. `Slot`: the member that keeps a watcher's place.
template <std::optional<RegisteredWatcher::Times::iterator> RegisteredWatcher::*Slot>
class WatcherTimes {
 public:
  bool empty() const { return times_.empty(); }
  /// The earliest time. Requires !empty().
  TimePoint Next() const { return times_.begin()->first; }
  /// The earliest watcher, if it is due.
  RegisteredWatcher* Due(TimePoint now) const {
    return times_.empty() || times_.begin()->first > now ? nullptr : times_.begin()->second;
  }

  /// Adds the watcher, or moves it to another time.
  void Set(RegisteredWatcher& registered, TimePoint when) {
    Remove(registered);
    registered.*Slot = times_.emplace(when, &registered);
  }
  void Remove(RegisteredWatcher& registered) {
    if (const auto place = std::exchange(registered.*Slot, std::nullopt)) times_.erase(*place);
  }
  /// The watchers must be destroyed or set again.
  void Clear() { times_.clear(); }

 private:
  RegisteredWatcher::Times times_;
};

using BookmarkTimes = WatcherTimes<&RegisteredWatcher::bookmark>;
using DeadlineTimes = WatcherTimes<&RegisteredWatcher::deadline>;

/// When a watch gets its next bookmark: regularly, and `before_deadline` before it ends.
inline TimePoint NextBookmark(TimePoint now, std::optional<TimePoint> deadline, Duration frequency,
                              Duration before_deadline) {
  const TimePoint regular = now + frequency;
  if (!deadline) return regular;
  const TimePoint last = *deadline - before_deadline;
  return last > now ? std::min(last, regular) : regular;
}

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_CACHER_WATCHER_TIMES_H_
