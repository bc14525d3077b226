#ifndef KINFORMER_SRC_LISTWATCH_CACHER_FOLLOW_TRACKER_H_
#define KINFORMER_SRC_LISTWATCH_CACHER_FOLLOW_TRACKER_H_

// In:     results of the lists and watches of a cache's Reflector
// Out:    whether the cache follows its storage; if not, since when and why
// Thread: any
// Next:   Cacher, /readyz

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>

#include <kinformer/base/clock.h>
#include <kinformer/base/error.h>

#include "src/base/mutex.h"

namespace kinformer::apiserver {

struct FollowTrackerOptions {
  /// Shorter interruptions are ignored: streams break and are resumed.
  Duration tolerance = std::chrono::seconds(5);
  /// A watch open for this long after the storage accepted it counts as working, even without any event. Shorter than
  /// the tolerance, so that a stream that breaks once and is resumed never counts as a failure.
  Duration settled_after = std::chrono::seconds(2);
};

/// Decides whether a cache follows its storage. A failure lasts until data arrives or a watch has settled, so watches
/// that are accepted but keep breaking count as a failure, too.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class FollowTracker {
 public:
  struct Failure {
    Duration duration{};
    /// The most recent error.
    Error error{};
  };

  FollowTracker(FollowTrackerOptions options, std::shared_ptr<const Clock> clock)
      : options_(options), clock_(std::move(clock)) {}

  /// A list or a watch failed.
  void Failed(const Error& error);
  /// The storage accepted a watch.
  void Accepted();
  /// A list is complete, or a watch delivered an event or progress. Cheap if there is no failure.
  void DataReceived();

  /// nullopt: it follows. `tolerant`: failures shorter than the tolerance are ignored.
  std::optional<Failure> Check(bool tolerant = true) const;

 private:
  bool Settled(TimePoint now) const KINFORMER_REQUIRES(mutex_) {
    return accepted_ && now - *accepted_ >= options_.settled_after;
  }

  const FollowTrackerOptions options_;
  const std::shared_ptr<const Clock> clock_;

  std::atomic<bool> failing_ = false;
  mutable Mutex mutex_;
  TimePoint since_ KINFORMER_GUARDED_BY(mutex_);
  Error error_ KINFORMER_GUARDED_BY(mutex_);
  std::optional<TimePoint> accepted_ KINFORMER_GUARDED_BY(mutex_);  ///< When a watch was accepted; nullopt: none since
                                                                    ///< the last failure.
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_CACHER_FOLLOW_TRACKER_H_
