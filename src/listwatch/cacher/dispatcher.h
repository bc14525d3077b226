#ifndef KINFORMER_SRC_LISTWATCH_CACHER_DISPATCHER_H_
#define KINFORMER_SRC_LISTWATCH_CACHER_DISPATCHER_H_

// In:     every event of the cache, in order
// Out:    for each watcher its matching events, bookmarks, and its end
// Thread: tasks of its own SerialTasks on the pool; it never waits for a watcher
// Next:   CacheWatcher

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include <kinformer/base/clock.h>

#include "src/base/mutex.h"
#include "src/base/task_pool.h"
#include "src/listwatch/cacher/bookmark_cache.h"
#include "src/listwatch/cacher/cache_event.h"
#include "src/listwatch/cacher/cache_watcher.h"
#include "src/listwatch/cacher/incoming_queue.h"
#include "src/listwatch/cacher/matcher_pool.h"
#include "src/listwatch/cacher/registered_watcher.h"
#include "src/listwatch/cacher/slow_watchers.h"
#include "src/listwatch/cacher/time_budget.h"
#include "src/listwatch/cacher/watcher_filter.h"
#include "src/listwatch/cacher/watcher_index.h"
#include "src/listwatch/cacher/watcher_times.h"
#include "src/listwatch/storage/object_storage.h"

namespace kinformer::apiserver {

/// About twice the time that one write to a client takes, divided by the number of CPUs.
Duration DefaultCostPerWatcher();

struct DispatcherOptions {
  /// Maximum queue length. When full, the producer dispatches inline.
  std::size_t incoming_bound = 100;
  /// Estimated cost of notifying one watcher, regardless of the number of events. After a batch to many watchers the
  /// dispatcher pauses for this times their number (at most 50 ms; less than 1 ms is skipped), so that further events
  /// coalesce. Zero: no pauses.
  Duration cost_per_watcher = DefaultCostPerWatcher();
  Duration bookmark_frequency = std::chrono::minutes(1);
  /// Interval between checks for due bookmarks; jitter adds up to 25 %.
  Duration bookmark_tick = std::chrono::seconds(1);
  /// A watch with a deadline gets its last bookmark this long before it.
  Duration bookmark_before_deadline = std::chrono::seconds(2);
  /// Grace period for a watcher whose buffer overflows: it may not have been scheduled yet. After it, all late watchers
  /// share `slow_watcher_budget`; when that is used up, they are terminated.
  Duration slow_watcher_grace = std::chrono::milliseconds(500);
  TimeBudgetOptions slow_watcher_budget{};
  std::uint64_t seed = 0;  ///< For jitter. Zero: random.
};

struct DispatcherStatus {
  std::size_t watchers = 0;
  /// Length of the queue, and its high-water mark.
  std::size_t incoming = 0;
  std::size_t incoming_high_water_mark = 0;
  /// All events up to this revision have been dispatched.
  Revision revision = 0;
  std::uint64_t events = 0;
  /// Pairs of watcher and event that were evaluated, and that matched.
  std::uint64_t evaluations = 0;
  std::uint64_t deliveries = 0;
  std::uint64_t bookmarks = 0;
  /// Watchers ended because they were slow, reached their deadline, or the cache was reset.
  std::uint64_t terminated = 0;
  std::uint64_t timed_out = 0;
  std::uint64_t reset = 0;
};

/// Delivers events to watchers.
///
/// Events wait in an IncomingQueue. A batch is staged per watcher: the WatcherIndex finds the candidates, their
/// Matchers evaluate each distinct selector once per event. Then it is delivered with one lock and one wake-up per
/// watcher.
///
/// @par Thread Safety
/// All functions may be called from any thread, but Push and Progress not concurrently.
class Dispatcher : public std::enable_shared_from_this<Dispatcher> {
 public:
  /// The pool must outlive it.
  Dispatcher(TaskPool& pool, std::shared_ptr<const StorageOptions> storage, DispatcherOptions options);
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  void Push(CacheEventPtr event);
  /// There are no further events up to this revision.
  void Progress(Revision revision);

  /// Starts accepting watchers. `revision`: the cache's current revision.
  void Open(Revision revision);
  /// Ends all watchers and rejects new ones until Open.
  void Shut();
  /// Shuts permanently. When it returns, none of its tasks runs.
  void Stop();

  /// A token for Register; nullopt while shut. Get it before looking up the watcher's start revision.
  std::optional<std::uint64_t> Generation() const;
  /// False if it was shut since the token was obtained.
  bool Register(const std::shared_ptr<CacheWatcher>& watcher, std::uint64_t generation);
  void Remove(const CacheWatcher* watcher);

  /// Equal predicates share one Matcher.
  std::shared_ptr<Matcher> MatcherFor(const SelectionPredicate& predicate);
  /// Buffer capacity for a watcher with this predicate.
  std::size_t BufferSize(const SelectionPredicate& predicate, std::size_t ring_capacity) const;
  /// Repeated calls for the same bookmark return the same object.
  ObjectPtr Bookmark(Revision revision, bool ends_initial_events);

  DispatcherStatus Status() const;
  /// Blocks until all events up to the revision have been dispatched. False: the deadline has passed on `clock`, a stop
  /// was requested, or the dispatcher is shut.
  bool AwaitDispatched(Revision revision, const Clock& clock, TimePoint deadline, const std::stop_token& stop) const;

 private:
  void Enqueue(IncomingEvent incoming);
  void DispatchBatch();
  void PostDispatch(TimePoint not_before);
  void Stage(const CacheEvent& event) KINFORMER_REQUIRES(mutex_);
  void StageFor(const WatcherIndex::Bucket& bucket, const CacheEvent& event) KINFORMER_REQUIRES(mutex_);
  void DeliverStaged(TimePoint now, ReadyCalls& ready) KINFORMER_REQUIRES(mutex_);

  void OnTimer(TimePoint armed_for);
  void SendBookmarks(TimePoint now, ReadyCalls& ready) KINFORMER_REQUIRES(mutex_);
  void EndOverdue(TimePoint now, ReadyCalls& ready) KINFORMER_REQUIRES(mutex_);
  void EndSlow(TimePoint now, ReadyCalls& ready) KINFORMER_REQUIRES(mutex_);
  void ScheduleBookmark(RegisteredWatcher& registered, TimePoint now) KINFORMER_REQUIRES(mutex_);
  void ArmTick(TimePoint now) KINFORMER_REQUIRES(mutex_);
  void Arm(TimePoint when) KINFORMER_REQUIRES(mutex_);

  void Forget(RegisteredWatcher& registered) KINFORMER_REQUIRES(mutex_);

  const std::shared_ptr<const StorageOptions> storage_;
  const DispatcherOptions options_;
  const std::shared_ptr<const Clock> clock_;
  SerialTasks tasks_;
  IncomingQueue incoming_;
  MatcherPool matchers_;
  BookmarkCache bookmarks_;

  mutable Mutex mutex_;
  bool open_ KINFORMER_GUARDED_BY(mutex_) = false;
  std::uint64_t generation_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::unordered_map<const CacheWatcher*, RegisteredWatcher> registered_ KINFORMER_GUARDED_BY(mutex_);
  WatcherIndex index_;  ///< Guarded by mutex_, except for its pure functions.
  BookmarkTimes bookmark_times_ KINFORMER_GUARDED_BY(mutex_);
  DeadlineTimes deadlines_ KINFORMER_GUARDED_BY(mutex_);
  SlowWatchers slow_ KINFORMER_GUARDED_BY(mutex_);

  std::vector<IncomingEvent> batch_ KINFORMER_GUARDED_BY(mutex_);
  /// The watchers with staged events.
  std::vector<RegisteredWatcher*> staged_ KINFORMER_GUARDED_BY(mutex_);
  std::uint64_t event_number_ KINFORMER_GUARDED_BY(mutex_) = 0;

  /// The next check for due bookmarks, and the time for which OnTimer is posted.
  std::optional<TimePoint> tick_ KINFORMER_GUARDED_BY(mutex_){};
  std::optional<TimePoint> armed_ KINFORMER_GUARDED_BY(mutex_){};
  std::mt19937_64 random_ KINFORMER_GUARDED_BY(mutex_);
  DispatcherStatus status_ KINFORMER_GUARDED_BY(mutex_);
  /// Notified after each batch, and when the dispatcher is shut.
  mutable CondVar dispatched_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_CACHER_DISPATCHER_H_
