#ifndef KINFORMER_SRC_LISTWATCH_CACHER_CACHE_WATCHER_H_
#define KINFORMER_SRC_LISTWATCH_CACHER_CACHE_WATCHER_H_

// In:     events of the Dispatcher; the cache's objects and event ring while it is behind
// Out:    the events its client sees, by pull
// Thread: one consumer pulls; the Dispatcher delivers
// Next:   the watch server

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/reflector/lister_watcher.h>

#include "src/base/mutex.h"
#include "src/listwatch/cacher/watch_cache.h"
#include "src/listwatch/cacher/watcher_filter.h"

namespace kinformer::apiserver {

/// Callbacks to run once no lock is held.
using ReadyCalls = std::vector<std::function<void()>>;

struct CacheWatcherOptions {
  WatcherFilter filter{};
  /// Maximum number of buffered events.
  std::size_t capacity = 20;
  /// Only events after this revision are delivered.
  Revision start = 0;
  /// The objects as of `start`, sent as ADDED before any event. Null: none.
  std::shared_ptr<const std::vector<ObjectPtr>> initial{};
  /// The bookmark sent after the initial objects. Null: none.
  ObjectPtr initial_events_end{};
  bool bookmarks = false;
  std::optional<TimePoint> deadline{};
  std::shared_ptr<const Clock> clock = Clock::System();
};

/// One watch of the cache.
///
/// A watcher starts behind: it first sends the initial objects, then the events in the cache's ring. Once it has caught
/// up, the Dispatcher delivers matching events into its bounded buffer. When the buffer is full, the watcher falls
/// behind again and resumes from the ring. So a slow watcher blocks no one and needs no memory beyond its buffer and
/// the shared ring. If the ring has evicted an event that it still needs, the watch ends.
///
/// @par Thread Safety
/// TryNext and NotifyWhenReady: one consumer. All others: any thread.
class CacheWatcher {
 public:
  CacheWatcher(std::shared_ptr<const WatchCache> cache, CacheWatcherOptions options);

  Result<std::optional<WatchPart>> TryNext();
  void NotifyWhenReady(std::function<void()> ready);

  /// Buffers the items that are new to this watcher and clears `items`. Returns true if more events have arrived since
  /// the consumer's last pull than the buffer holds.
  bool Deliver(std::vector<WatchItem>& items, TimePoint now, ReadyCalls& ready);
  /// Returns false and drops the bookmark if the watcher is behind or ended, its buffer is full, or the revision is not
  /// after its start or before an event it already has.
  bool OfferBookmark(const ObjectPtr& bookmark, Revision revision, ReadyCalls& ready);
  /// Buffered events are still delivered, then WatchEnd.
  void End(ReadyCalls& ready);

  /// Since when more events wait than the buffer holds; nullopt if they do not.
  std::optional<TimePoint> BlockedSince() const;
  /// When the consumer last ended such an overflow.
  TimePoint UnblockedAt() const;

  const CacheWatcherOptions& options() const { return options_; }

 private:
  // Consumer only. These match objects without the lock, so that the Dispatcher never waits for it.

  /// Fills the buffer with initial objects or ring events. Afterwards the buffer is not empty, or the watcher has
  /// caught up or ended.
  void CatchUp() KINFORMER_EXCLUDES(mutex_);
  void TakeInitial();
  EventsTaken TakeFromRing(Revision& seen);

  bool HasSomething() const KINFORMER_REQUIRES(mutex_) { return !opened_ || !buffer_.empty() || ended_; }
  void Finish() KINFORMER_REQUIRES(mutex_);
  void Pulled() KINFORMER_REQUIRES(mutex_);
  void Wake(ReadyCalls& ready) KINFORMER_REQUIRES(mutex_);

  const std::shared_ptr<const WatchCache> cache_;
  const CacheWatcherOptions options_;

  // Used by the consumer only.
  std::shared_ptr<const std::vector<ObjectPtr>> initial_;
  std::size_t next_initial_ = 0;
  bool owes_initial_end_ = false;
  std::vector<CacheEventPtr> taken_;
  std::vector<WatchItem> found_;

  mutable Mutex mutex_;
  std::vector<WatchItem> buffer_ KINFORMER_GUARDED_BY(mutex_);
  /// All events up to this revision are buffered, delivered, or do not match. While behind, only the consumer changes
  /// it.
  Revision seen_ KINFORMER_GUARDED_BY(mutex_) = 0;
  bool behind_ KINFORMER_GUARDED_BY(mutex_) = true;
  bool opened_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool ended_ KINFORMER_GUARDED_BY(mutex_) = false;
  /// Events dropped since the last pull because the watcher was behind; it takes them from the ring.
  std::size_t missed_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::optional<TimePoint> blocked_since_ KINFORMER_GUARDED_BY(mutex_){};
  TimePoint unblocked_at_ KINFORMER_GUARDED_BY(mutex_){};
  std::function<void()> ready_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_CACHER_CACHE_WATCHER_H_
