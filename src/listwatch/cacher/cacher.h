#ifndef KINFORMER_SRC_LISTWATCH_CACHER_CACHER_H_
#define KINFORMER_SRC_LISTWATCH_CACHER_CACHER_H_

// In:     requests to a resource's storage
// Out:    lists, gets and watches from memory; everything else from the storage
// Thread: calls block; the Reflector and the Dispatcher are tasks on the pool
// Next:   the storage it decorates

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>
#include <kinformer/reflector/lister_watcher.h>

#include "src/base/mutex.h"
#include "src/base/task_pool.h"
#include "src/listwatch/cacher/dispatcher.h"
#include "src/listwatch/cacher/follow_tracker.h"
#include "src/listwatch/cacher/fresh_waits.h"
#include "src/listwatch/cacher/watch_cache.h"
#include "src/listwatch/storage/backend.h"
#include "src/listwatch/storage/object_storage.h"
#include "src/reflector/reflector.h"

namespace kinformer::apiserver {

/// The functions of the backend below the storage that a Cacher needs.
struct BackendProgress {
  std::function<Result<Revision>(const std::stop_token&)> current_revision{};
  std::function<void()> request_progress{};
  std::function<bool()> is_reliable{};

  /// `backend` must outlive the result.
  static BackendProgress Of(Backend& backend);
};

struct CacherOptions {
  /// Page size when filling the cache.
  std::int64_t page_size = 10'000;
  /// Delay before the Reflector retries.
  Duration restart_delay = std::chrono::seconds(1);
  std::chrono::milliseconds max_internal_error_retry = std::chrono::seconds(30);
  EventRingOptions ring{};
  Duration fresh_timeout = std::chrono::seconds(3);
  Duration progress_interval = std::chrono::milliseconds(100);
  FollowTrackerOptions follow{};
  DispatcherOptions dispatcher{};
  Logger logger{};
};

struct CacherStatus {
  bool ready = false;
  /// Number of times the cache was filled.
  std::uint64_t fills = 0;
  WatchCacheStatus cache{};
  DispatcherStatus dispatcher{};
  internal::ReflectorStatus reflector{};
  /// Gets and lists answered from the cache, and from the storage.
  std::uint64_t reads_from_cache = 0;
  std::uint64_t reads_from_storage = 0;
  /// Consistent lists that fell back to the storage because the cache was not fresh in time. Included in
  /// reads_from_storage.
  std::uint64_t consistent_fallbacks = 0;
};

/// A storage that keeps its objects and latest changes in memory, like k8s.io/apiserver's Cacher.
///
/// A Reflector over the storage fills the cache; it is ready after the first list. A broken stream is resumed without
/// any visible effect. Where that is impossible (the storage has compacted the revision, or its responses are invalid),
/// all watches end and the cache is not ready until it is filled again; requests then get 429 with Retry-After.
///
/// All watchers share the same objects, so each is serialized once, regardless of the number of watchers.
///
/// @par Thread Safety
/// All functions may be called from any thread, but Start and Stop not concurrently.
class Cacher final : public ObjectStorage {
 public:
  /// `source` lists and watches the contents of `storage`. Uses the pool's clock. Does not start anything.
  Cacher(std::shared_ptr<TaskPool> pool, std::shared_ptr<ListerWatcher> source, std::shared_ptr<ObjectStorage> storage,
         BackendProgress progress, CacherOptions options = {});
  ~Cacher() override;
  Cacher(const Cacher&) = delete;
  Cacher& operator=(const Cacher&) = delete;

  void Start();
  /// Ends all watches, permanently. Must not be called from one of the Cacher's own tasks.
  void Stop();
  CacherStatus Status() const;

  const StorageOptions& options() const override { return *storage_options_; }
  Result<ObjectPtr> Create(const Object& object, std::chrono::seconds ttl, const std::stop_token& stop) override;
  Result<ObjectPtr> Get(const std::string& namespace_name, const std::string& name, const std::string& resource_version,
                        const std::stop_token& stop) override;
  Result<ObjectList> List(const ListQuery& query, const std::stop_token& stop) override;
  Result<void> AwaitVersion(const std::string& resource_version, Suspension& suspension,
                            const std::stop_token& stop) override;
  Result<ObjectPtr> GuaranteedUpdate(const std::string& namespace_name, const std::string& name, bool create_if_missing,
                                     const Preconditions& preconditions, const Change& change,
                                     const std::stop_token& stop) override;
  /// Like List, waits until the cache is as fresh as requested, at most CacherOptions::fresh_timeout: blocks, or
  /// suspends if the query has a Suspension.
  Result<std::unique_ptr<WatchEventStream>> Watch(const WatchQuery& query, const std::stop_token& stop) override;
  Result<void> Ready() const override;
  /// Blocks until the cache is ready. False: the deadline has passed on `clock`, or a stop was requested.
  bool AwaitReady(const Clock& clock, TimePoint deadline, const std::stop_token& stop) const;
  /// Blocks until the watches have been handed all events up to now. False: as for AwaitReady, or the cache is not
  /// ready. Finding out which events there are takes a consistent list, whose time does not count.
  bool AwaitDispatched(const Clock& clock, TimePoint deadline, const std::stop_token& stop);
  bool AnswersFromMemory() const override { return filled_.load(std::memory_order_relaxed); }
  /// Fails if the cache is not filled, or if it is stale because the lists and watches that update it have been failing
  /// for a while. A stale cache still answers reads.
  Result<void> Following() const;
  /// Never becomes false again.
  bool HasBeenFilled() const;

 private:
  class Source;
  class FollowedWatch;

  void BecomeReady(Revision revision);
  /// `level`: of the log message.
  void BecomeUnready(const std::string& why, LogLevel level = LogLevel::kWarning);
  Error NotReady() const;
  /// Blocks if `suspension` is null, else suspends. On timeout: 504 Timeout, cause ResourceVersionTooLarge.
  Result<void> AwaitFresh(Revision revision, Suspension* suspension, const std::stop_token& stop);
  /// The backend's revision; for a resumed read the revision it has been waiting for.
  Result<Revision> NewestRevision(const Suspension* suspension, const std::stop_token& stop) const;
  Result<ObjectList> ListFromStorage(const ListQuery& query, const std::stop_token& stop);
  Result<ObjectList> ListFromCache(const ListQuery& query);

  const std::shared_ptr<TaskPool> pool_;
  const std::shared_ptr<ObjectStorage> storage_;
  const std::shared_ptr<const StorageOptions> storage_options_;
  const BackendProgress progress_;
  const CacherOptions options_;
  const std::shared_ptr<const Clock> clock_;

  mutable Mutex mutex_;
  bool ready_ KINFORMER_GUARDED_BY(mutex_) = false;
  mutable CondVar became_ready_;
  std::string why_not_ready_ KINFORMER_GUARDED_BY(mutex_) = "it has not been filled yet";
  TimePoint unready_since_ KINFORMER_GUARDED_BY(mutex_);
  std::uint64_t fills_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::atomic<bool> filled_ = false;  ///< Lock-free copy of ready_.

  std::atomic<std::uint64_t> reads_from_cache_ = 0;
  std::atomic<std::uint64_t> reads_from_storage_ = 0;
  std::atomic<std::uint64_t> consistent_fallbacks_ = 0;

  FollowTracker follow_;

  // The Reflector writes to the cache, which notifies the dispatcher and the waits: destroyed in reverse order.
  const std::shared_ptr<Dispatcher> dispatcher_;
  const std::shared_ptr<WatchCache> cache_;
  const std::shared_ptr<FreshWaits> waits_;
  internal::Reflector reflector_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_CACHER_CACHER_H_
