#ifndef KINFORMER_SRC_APISERVER_CACHER_CACHER_H_
#define KINFORMER_SRC_APISERVER_CACHER_CACHER_H_

// In:     what endpoints ask of a resource's storage
// Out:    lists, gets and watches from memory; all else from the storage
// Thread: calls block their caller; the Reflector and the Dispatcher are tasks on the pool
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
#include <kinformer/base/mutex.h>
#include <kinformer/base/task_pool.h>
#include <kinformer/reflector/lister_watcher.h>

#include "src/apiserver/cacher/dispatcher.h"
#include "src/apiserver/cacher/watch_cache.h"
#include "src/apiserver/storage/backend.h"
#include "src/apiserver/storage/object_storage.h"
#include "src/reflector/reflector.h"

namespace kinformer::apiserver {

/// What a Cacher wants to know of the backend below its storage.
struct BackendProgress {
  std::function<Result<Revision>(const std::stop_token&)> current_revision{};
  std::function<void()> request_progress{};
  std::function<bool()> is_reliable{};

  /// The backend must outlive whoever asks.
  static BackendProgress Of(Backend& backend);
};

struct CacherOptions {
  /// Of the pages in which the cache is filled.
  std::int64_t page_size = 10'000;
  /// After a break, so long until the next try.
  Duration restart_delay = std::chrono::seconds(1);
  std::chrono::milliseconds max_internal_error_retry = std::chrono::seconds(30);
  EventRingOptions ring{};
  Duration fresh_timeout = std::chrono::seconds(3);
  Duration progress_interval = std::chrono::milliseconds(100);
  DispatcherOptions dispatcher{};
  Logger logger{};
};

struct CacherStatus {
  bool ready = false;
  /// How often the cache was filled.
  std::uint64_t fills = 0;
  WatchCacheStatus cache{};
  DispatcherStatus dispatcher{};
  internal::ReflectorStatus reflector{};
  /// Lists and gets that the cache answered, and those that the storage did.
  std::uint64_t reads_from_cache = 0;
  std::uint64_t reads_from_storage = 0;
  /// Among the latter: consistent lists for which the cache was not fresh in time.
  std::uint64_t consistent_fallbacks = 0;
};

/// A storage with its objects and latest changes in memory: k8s.io/apiserver's Cacher.
///
/// A Reflector over the storage fills it. It is ready from the first list on. A stream that breaks is resumed and
/// nobody notices; where that is impossible (the storage has forgotten the version, or its answers make no sense) the
/// cache is not ready until it has been filled again, and all its watches end. Until then: 429, with a time to wait.
///
/// All watchers are given the same objects, so a text is made once, however many there are.
///
/// @par Thread Safety
/// All functions may be called from any thread; Start and Stop one at a time.
class Cacher final : public ObjectStorage {
 public:
  /// `source` lists and watches what `storage` stores. The pool's clock is its clock. Starts nothing.
  Cacher(std::shared_ptr<TaskPool> pool, std::shared_ptr<ListerWatcher> source, std::shared_ptr<ObjectStorage> storage,
         BackendProgress progress, CacherOptions options = {});
  ~Cacher() override;
  Cacher(const Cacher&) = delete;
  Cacher& operator=(const Cacher&) = delete;

  void Start();
  /// Ends all watches, for good. Not from a task that the Cacher itself runs.
  void Stop();
  CacherStatus Status() const;

  const StorageOptions& options() const override { return *storage_options_; }
  Result<ObjectPtr> Create(const Object& object, std::chrono::seconds ttl, const std::stop_token& stop) override;
  Result<ObjectPtr> Get(const std::string& namespace_name, const std::string& name, const std::string& resource_version,
                        const std::stop_token& stop) override;
  Result<ListResult> List(const ListQuery& query, const std::stop_token& stop) override;
  Result<ObjectPtr> GuaranteedUpdate(const std::string& namespace_name, const std::string& name, bool create_if_missing,
                                     const Preconditions& preconditions, const Change& change,
                                     const std::stop_token& stop) override;
  /// Blocks for as long as the cache needs to be as fresh as was asked for, three seconds at the most.
  Result<std::unique_ptr<WatchEventStream>> Watch(const WatchQuery& query, const std::stop_token& stop) override;
  Result<void> Ready() const override;

 private:
  class Source;

  void BecomeReady(Revision revision);
  /// `level`: of what is logged about it; being stopped is no news.
  void BecomeUnready(const std::string& why, LogLevel level = LogLevel::kWarning);
  Error NotReady() const;
  Result<ListResult> ListFromStorage(const ListQuery& query, const std::stop_token& stop);
  Result<ListResult> ListFromCache(const ListQuery& query);

  const std::shared_ptr<TaskPool> pool_;
  const std::shared_ptr<ObjectStorage> storage_;
  const std::shared_ptr<const StorageOptions> storage_options_;
  const BackendProgress progress_;
  const CacherOptions options_;
  const std::shared_ptr<const Clock> clock_;

  mutable Mutex mutex_;
  bool ready_ KINFORMER_GUARDED_BY(mutex_) = false;
  std::string why_not_ready_ KINFORMER_GUARDED_BY(mutex_) = "it has not been filled yet";
  TimePoint unready_since_ KINFORMER_GUARDED_BY(mutex_);
  std::uint64_t fills_ KINFORMER_GUARDED_BY(mutex_) = 0;

  std::atomic<std::uint64_t> reads_from_cache_ = 0;
  std::atomic<std::uint64_t> reads_from_storage_ = 0;
  std::atomic<std::uint64_t> consistent_fallbacks_ = 0;

  // The Reflector writes to the cache, which tells the dispatcher: the last one ends first.
  const std::shared_ptr<Dispatcher> dispatcher_;
  const std::shared_ptr<WatchCache> cache_;
  internal::Reflector reflector_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CACHER_CACHER_H_
