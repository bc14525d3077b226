#ifndef KINFORMER_SRC_APISERVER_CACHER_DISPATCHER_H_
#define KINFORMER_SRC_APISERVER_CACHER_DISPATCHER_H_

// In:     every event of the cache, in order
// Out:    to each watcher what it matches, bookmarks, and its end
// Thread: tasks of its own SerialTasks on the pool; it never waits for a watcher
// Next:   CacheWatcher

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/mutex.h>
#include <kinformer/base/task_pool.h>

#include "src/apiserver/cacher/cache_event.h"
#include "src/apiserver/cacher/cache_watcher.h"
#include "src/apiserver/cacher/selection.h"
#include "src/apiserver/cacher/time_budget.h"
#include "src/apiserver/storage/object_storage.h"

namespace kinformer::apiserver {

/// Twice what writing something to one client takes, about, on a machine with as many processors as this one.
Duration DefaultCostPerWatcher();

struct DispatcherOptions {
  /// Events that wait to be dispatched. Whoever brings one more does the dispatcher's work before he goes on.
  std::size_t incoming_bound = 100;
  /// What it costs to tell one watcher of something, be it one event or twenty. After telling many, the dispatcher
  /// waits for as long as that costs, so that it is twenty which a thousand of them are told of next. Zero: never.
  Duration cost_per_watcher = DefaultCostPerWatcher();
  Duration bookmark_frequency = std::chrono::minutes(1);
  /// How often it is looked whether bookmarks are due, stretched by up to a quarter.
  Duration bookmark_tick = std::chrono::seconds(1);
  /// The last bookmark comes so long before a watch's deadline.
  Duration bookmark_before_deadline = std::chrono::seconds(2);
  /// A watcher whose buffer overflows may not have had its turn on a processor since it was woken. For so long that
  /// costs nothing; after that all who are late share the budget.
  Duration slow_watcher_grace = std::chrono::milliseconds(500);
  TimeBudgetOptions slow_watcher_budget{};
  std::uint64_t seed = 0;  ///< Of jitter; zero: random.
};

struct DispatcherStatus {
  std::size_t watchers = 0;
  /// Waiting to be dispatched, now and at the worst moment.
  std::size_t incoming = 0;
  std::size_t incoming_high_water_mark = 0;
  /// All events up to here have been dispatched.
  Revision revision = 0;
  std::uint64_t events = 0;
  /// Watchers that were looked at for an event, and events that they got.
  std::uint64_t evaluations = 0;
  std::uint64_t deliveries = 0;
  std::uint64_t bookmarks = 0;
  /// Watchers that were ended: because they were slow, because their time was up, because the cache began anew.
  std::uint64_t terminated = 0;
  std::uint64_t timed_out = 0;
  std::uint64_t reset = 0;
};

/// Hands events on to watchers.
///
/// Watchers are found by the value of a trigger field, else by namespace and name; only the rest is asked about every
/// event. A batch of events is handed over at once: one lock and one wake-up per watcher.
///
/// @par Thread Safety
/// All functions may be called from any thread; Push and Progress by one at a time.
class Dispatcher : public std::enable_shared_from_this<Dispatcher> {
 public:
  /// The pool must outlive it.
  Dispatcher(TaskPool& pool, std::shared_ptr<const StorageOptions> storage, DispatcherOptions options);
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  void Push(CacheEventPtr event);
  /// Nothing happened up to there.
  void Progress(Revision revision);

  /// From now on watchers are taken; all is known up to that revision.
  void Open(Revision revision);
  /// Ends every watcher and takes none, until it is opened again.
  void Shut();
  /// Shut for good: no task of it runs afterwards.
  void Stop();

  /// What Register wants to hear; nullopt while it is shut. A watcher's place must be looked up after this was asked.
  std::optional<std::uint64_t> Generation() const;
  /// False if it was shut since then.
  bool Register(const std::shared_ptr<CacheWatcher>& watcher, std::uint64_t generation);
  void Remove(const CacheWatcher* watcher);

  /// Equal predicates give the same Matcher.
  std::shared_ptr<Matcher> MatcherFor(const Predicate& predicate);
  /// How many events may wait for a watcher with that predicate.
  std::size_t BufferSize(const Predicate& predicate, std::size_t ring_capacity) const;
  /// Made once for all who ask for the same.
  ObjectPtr Bookmark(Revision revision, bool ends_initial_events);

  DispatcherStatus Status() const;

 private:
  struct Registered;
  using Bucket = std::vector<Registered*>;
  using Times = std::multimap<TimePoint, Registered*>;

  struct Incoming {
    /// Null: only the revision.
    CacheEventPtr event{};
    Revision revision = 0;
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  using ValueBuckets = std::unordered_map<std::string, Bucket, TextHash, std::equal_to<>>;

  /// Where a watcher is looked up.
  struct Registered {
    std::shared_ptr<CacheWatcher> watcher{};
    /// The trigger field, if it goes by one, and the value; else by namespace and name.
    std::optional<std::size_t> trigger{};
    std::string value{};
    NamespacedName scope{};
    /// Events of the batch under way.
    std::vector<WatchItem> staged{};
    bool blocked = false;  ///< Is in blocked_.
    std::optional<Times::iterator> bookmark{};
    std::optional<Times::iterator> deadline{};
  };

  void Enqueue(Incoming incoming);
  void DispatchBatch();
  void PostDispatch(TimePoint not_before);
  Duration PauseAfter(std::size_t watchers) const;
  bool TakeBatch() KINFORMER_REQUIRES(mutex_);
  void Stage(const CacheEvent& event) KINFORMER_REQUIRES(mutex_);
  void StageFor(const Bucket& bucket, const CacheEvent& event) KINFORMER_REQUIRES(mutex_);
  void StageScope(std::string_view namespace_name, std::string_view name, const CacheEvent& event)
      KINFORMER_REQUIRES(mutex_);
  void DeliverStaged(TimePoint now, ReadyCalls& ready) KINFORMER_REQUIRES(mutex_);

  void OnTimer(TimePoint armed_for);
  void SendBookmarks(TimePoint now, ReadyCalls& ready) KINFORMER_REQUIRES(mutex_);
  void EndOverdue(TimePoint now, ReadyCalls& ready) KINFORMER_REQUIRES(mutex_);
  void EndSlow(TimePoint now, ReadyCalls& ready) KINFORMER_REQUIRES(mutex_);
  TimePoint NextBookmark(const CacheWatcher& watcher, TimePoint now) const;
  void ArmTick(TimePoint now) KINFORMER_REQUIRES(mutex_);
  void Arm(TimePoint when) KINFORMER_REQUIRES(mutex_);

  Bucket& BucketOf(const Registered& registered) KINFORMER_REQUIRES(mutex_);
  void Forget(Registered& registered) KINFORMER_REQUIRES(mutex_);
  std::optional<std::pair<std::size_t, std::string>> TriggerOf(const Predicate& predicate) const;

  const std::shared_ptr<const StorageOptions> storage_;
  const DispatcherOptions options_;
  const std::shared_ptr<const Clock> clock_;
  SerialTasks tasks_;

  // Apart from the other lock, so that a batch under way does not hold up who brings the next event.
  mutable Mutex incoming_mutex_;
  std::deque<Incoming> incoming_ KINFORMER_GUARDED_BY(incoming_mutex_);
  bool task_posted_ KINFORMER_GUARDED_BY(incoming_mutex_) = false;
  /// The last batch went to so many that the next waits until then.
  TimePoint not_before_ KINFORMER_GUARDED_BY(incoming_mutex_){};
  std::size_t high_water_mark_ KINFORMER_GUARDED_BY(incoming_mutex_) = 0;

  mutable Mutex mutex_;
  bool open_ KINFORMER_GUARDED_BY(mutex_) = false;
  std::uint64_t generation_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::unordered_map<const CacheWatcher*, Registered> registered_ KINFORMER_GUARDED_BY(mutex_);
  /// One per trigger field.
  std::vector<ValueBuckets> by_value_ KINFORMER_GUARDED_BY(mutex_);
  std::unordered_map<NamespacedName, Bucket> by_scope_ KINFORMER_GUARDED_BY(mutex_);
  /// Of all namespaces and names.
  Bucket everywhere_ KINFORMER_GUARDED_BY(mutex_);
  std::unordered_map<std::string, std::weak_ptr<Matcher>> matchers_ KINFORMER_GUARDED_BY(mutex_);
  std::size_t matchers_sweep_ KINFORMER_GUARDED_BY(mutex_) = 64;

  std::vector<Incoming> batch_ KINFORMER_GUARDED_BY(mutex_);
  std::vector<Registered*> staged_ KINFORMER_GUARDED_BY(mutex_);
  std::uint64_t event_number_ KINFORMER_GUARDED_BY(mutex_) = 0;

  Times bookmarks_due_ KINFORMER_GUARDED_BY(mutex_);
  Times deadlines_ KINFORMER_GUARDED_BY(mutex_);
  std::optional<TimePoint> tick_ KINFORMER_GUARDED_BY(mutex_){};
  std::optional<TimePoint> armed_ KINFORMER_GUARDED_BY(mutex_){};
  std::mt19937_64 random_ KINFORMER_GUARDED_BY(mutex_);
  /// The last ones made: without and with the annotation.
  std::array<std::pair<Revision, ObjectPtr>, 2> bookmarks_ KINFORMER_GUARDED_BY(mutex_){};

  std::vector<Registered*> blocked_ KINFORMER_GUARDED_BY(mutex_);
  TimeBudget budget_ KINFORMER_GUARDED_BY(mutex_);
  /// Until when the budget that was taken lasts.
  std::optional<TimePoint> budget_ends_ KINFORMER_GUARDED_BY(mutex_){};
  DispatcherStatus status_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CACHER_DISPATCHER_H_
