#ifndef KINFORMER_SRC_APISERVER_CACHER_CACHE_WATCHER_H_
#define KINFORMER_SRC_APISERVER_CACHER_CACHE_WATCHER_H_

// In:     events of the Dispatcher; the cache's objects and ring where it is behind
// Out:    what its client sees, pulled
// Thread: one consumer pulls it; the Dispatcher delivers to it
// Next:   the watch server

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/mutex.h>
#include <kinformer/reflector/lister_watcher.h>

#include "src/apiserver/cacher/selection.h"
#include "src/apiserver/cacher/watch_cache.h"

namespace kinformer::apiserver {

/// Functions to be called once no lock is held.
using ReadyCalls = std::vector<std::function<void()>>;

struct CacheWatcherOptions {
  Selection selection{};
  /// Events that wait for the consumer.
  std::size_t capacity = 20;
  /// Events after this one.
  Revision start = 0;
  /// What is sent as ADDED before them: the objects as of `start`. Null: nothing.
  std::shared_ptr<const std::vector<ObjectPtr>> initial{};
  /// Sent after those. Null: nothing.
  ObjectPtr initial_events_end{};
  bool bookmarks = false;
  std::optional<TimePoint> deadline{};
  std::shared_ptr<const Clock> clock = Clock::System();
};

/// One watch of the cache: a place in the order of events.
///
/// It begins behind: first come the initial objects, then the events that the cache's ring has since. Once it has
/// caught up the Dispatcher gives it what it matches, into a bounded buffer. If that is full, the watcher is behind
/// again and the ring is where it goes on. So nobody waits for it, and nothing is kept for it that is not kept anyway;
/// and where the ring has moved on, it ends.
///
/// @par Thread Safety
/// TryNext and NotifyWhenReady: one consumer; all else: any thread.
class CacheWatcher {
 public:
  CacheWatcher(std::shared_ptr<const WatchCache> cache, CacheWatcherOptions options);

  Result<std::optional<WatchPart>> TryNext();
  void NotifyWhenReady(std::function<void()> ready);

  /// Takes what is new to it; leaves `items` empty. True: more has come since the consumer's last pull than fits.
  bool Deliver(std::vector<WatchItem>& items, TimePoint now, ReadyCalls& ready);
  /// Dropped unless it has room, has caught up, and begun before that revision.
  bool OfferBookmark(const ObjectPtr& bookmark, Revision revision, ReadyCalls& ready);
  /// What waits is still given, then WatchEnd.
  void End(ReadyCalls& ready);

  /// Since when more waits than fits, if so.
  std::optional<TimePoint> BlockedSince() const;
  /// When that last ended.
  TimePoint UnblockedAt() const;

  const CacheWatcherOptions& options() const { return options_; }

 private:
  // The consumer's: they look at objects without the lock, which the Dispatcher must never wait for.

  /// Fills the buffer from what comes before live events; afterwards it has something, or the watcher has caught up.
  void CatchUp() KINFORMER_EXCLUDES(mutex_);
  void TakeInitial();
  EventsTaken TakeFromRing(Revision& seen);

  bool HasSomething() const KINFORMER_REQUIRES(mutex_) { return !opened_ || !buffer_.empty() || ended_; }
  void Finish() KINFORMER_REQUIRES(mutex_);
  void Pulled() KINFORMER_REQUIRES(mutex_);
  void Wake(ReadyCalls& ready) KINFORMER_REQUIRES(mutex_);

  const std::shared_ptr<const WatchCache> cache_;
  const CacheWatcherOptions options_;

  // The consumer's own.
  std::shared_ptr<const std::vector<ObjectPtr>> initial_;
  std::size_t next_initial_ = 0;
  bool owes_initial_end_ = false;
  std::vector<CacheEventPtr> taken_;
  std::vector<WatchItem> found_;

  mutable Mutex mutex_;
  std::vector<WatchItem> buffer_ KINFORMER_GUARDED_BY(mutex_);
  /// All up to here is in the buffer or has been given, or does not match. Only the consumer moves it while behind.
  Revision seen_ KINFORMER_GUARDED_BY(mutex_) = 0;
  bool behind_ KINFORMER_GUARDED_BY(mutex_) = true;
  bool opened_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool ended_ KINFORMER_GUARDED_BY(mutex_) = false;
  /// Delivered since the last pull while behind.
  std::size_t missed_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::optional<TimePoint> blocked_since_ KINFORMER_GUARDED_BY(mutex_){};
  TimePoint unblocked_at_ KINFORMER_GUARDED_BY(mutex_){};
  std::function<void()> ready_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CACHER_CACHE_WATCHER_H_
