#ifndef KINFORMER_SRC_INFORMER_INFORMER_CORE_H_
#define KINFORMER_SRC_INFORMER_INFORMER_CORE_H_

// In:     a ListerWatcher
// Out:    a cache that follows it, and calls to handlers
// Thread: tasks on the pool (one queue for the reflector, one for the cache), one thread per handler
// Next:   user code
//
// The only place that knows the whole chain: Reflector → DeltaFifo → Indexer → SharedProcessor. SourceSet starts and
// stops the reflectors, DeltaApplier writes the cache, CacheProgress answers how far it is, ResyncSchedule and
// MergedStatus compute; this class connects them.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>
#include <kinformer/base/result.h>
#include <kinformer/informer/informer_options.h>
#include <kinformer/processor/event_handler.h>
#include <kinformer/processor/registration.h>
#include <kinformer/reflector/lister_watcher.h>

#include "src/base/mutex.h"
#include "src/base/reaper.h"
#include "src/base/task_pool.h"
#include "src/delta/delta_fifo.h"
#include "src/informer/cache_progress.h"
#include "src/informer/delta_applier.h"
#include "src/informer/resync_schedule.h"
#include "src/informer/source_set.h"
#include "src/processor/shared_processor.h"
#include "src/reflector/reflector.h"
#include "src/reflector/reflector_target.h"
#include "src/store/indexer.h"

namespace kinformer::internal {

struct InformerCoreOptions {
  ReflectorOptions reflector{};
  /// Default for handlers that set no resync period.
  std::chrono::milliseconds resync{0};
  std::function<void(const Error&)> on_error{};
  /// Informers with equal keys have the same transform. nullopt: never shared.
  std::optional<std::string> transform_key = std::string();
  /// Set if the informer can never work. Waits return it; Start only logs it.
  std::optional<Error> misconfigured{};
  /// See FactoryOptions::max_queued_bytes.
  std::size_t max_queued_bytes = DeltaFifo::kDefaultMaxBytes;
  /// Takes over handler threads that cannot be joined where the informer ends. Default: the process-wide reaper.
  std::shared_ptr<Reaper> reaper{};
  Logger logger{};
};

/// One watch (or one per namespace), one cache, any number of handlers, for objects of any kind. Typed informers are
/// thin handles to it.
///
/// Lifetime: Create returns the handle that users share. Dropping the last copy shuts the informer down: on a user
/// thread after waiting for all its callbacks, inside a callback without waiting. Running tasks keep the core itself
/// alive until they return.
///
/// @par Thread Safety
/// All functions may be called from any thread, including from callbacks. A call that would wait for itself returns
/// kFailedPrecondition.
class InformerCore final : public std::enable_shared_from_this<InformerCore>, private KnownObjects {
  struct Private {};  // Only Create constructs one.

 public:
  InformerCore(Private, std::shared_ptr<TaskPool> pool, std::shared_ptr<ListerWatcher> source, MakeListerWatcher make,
               std::vector<std::string> namespaces, InformerCoreOptions options);
  ~InformerCore() override;

  /// Shares ownership of the pool: a handle may outlive the factory that made it.
  static std::shared_ptr<InformerCore> Create(std::shared_ptr<TaskPool> pool, std::shared_ptr<ListerWatcher> source,
                                              InformerCoreOptions options);
  /// A multi-namespace informer: see SetNamespaces.
  static std::shared_ptr<InformerCore> Create(std::shared_ptr<TaskPool> pool, MakeListerWatcher make,
                                              std::vector<std::string> namespaces, InformerCoreOptions options);

  /// Starts to list and watch. After a Stop, resumes: changes made meanwhile arrive as ordinary events.
  void Start();
  /// Ends the watch and waits for a running transform, tweak or `on_error` (inside one of them it does not wait). The
  /// cache is kept and handlers stay registered.
  void Stop() { sources_.Stop(); }

  /// Watches exactly these namespaces from now on. Objects of other namespaces are removed from the cache; handlers see
  /// deletions with final_state_unknown set. kFailedPrecondition if the informer was not created with a set of
  /// namespaces.
  Result<void> SetNamespaces(std::vector<std::string> namespaces) {
    return sources_.SetNamespaces(std::move(namespaces));
  }
  /// kFailedPrecondition once the informer has been started.
  Result<void> SetTransform(NamedTransform transform) { return sources_.SetTransform(std::move(transform)); }
  /// See InformerCoreOptions::transform_key.
  std::optional<std::string> TransformKey() const { return sources_.TransformKey(); }
  void SetWatchErrorHandler(std::function<void(const Error&)> on_error);

  /// The handler first receives every object in the cache, then all later changes, without a gap. kFailedPrecondition
  /// after RequestShutDown.
  Result<std::shared_ptr<ProcessorListener>> AddEventHandler(EventHandler handler, HandlerOptions options);
  const std::shared_ptr<Indexer>& indexer() const { return indexer_; }

  /// True once the first list of every namespace is in the cache.
  bool HasSynced() const { return progress_.HasSynced(); }
  /// Waits for HasSynced. On a timeout returns the last error (forbidden, no such kind, TLS, …) with its code, or
  /// kDeadlineExceeded if there was none. kFailedPrecondition once shut down, and inside a callback on the pool.
  Result<void> WaitForSync(std::optional<TimePoint> deadline, const std::stop_token& stop) const;
  /// The resource version the cache reflects; with several namespaces, the oldest of theirs.
  std::string ResourceVersion() const { return progress_.ResourceVersion(); }
  /// Waits until the cache is at least as new as `version`. With several namespaces and a `namespace_name`, waits for
  /// that one only; kInvalidArgument if it is not watched.
  Result<void> WaitForResourceVersion(const std::string& version, const std::string& namespace_name,
                                      std::optional<TimePoint> deadline, const std::stop_token& stop) const;
  InformerStatus Status() const;
  const std::string& name() const { return options_.reflector.name; }
  /// Ends the informer for good: no callback starts after this returns. The cache stays readable.
  void RequestShutDown();
  /// After RequestShutDown: waits until no callback runs. Returns descriptions of the callbacks still running when the
  /// deadline (system clock) passes, or that cannot be waited for because they wait for the calling thread.
  std::vector<std::string> AwaitShutDown(std::optional<TimePoint> deadline);
  /// True on a thread that runs a callback of this informer or any callback on its pool: waiting for the informer there
  /// would deadlock.
  bool OnOwnThread() const;
  const Clock& clock() const { return *clock_; }

 private:
  struct Handle;
  struct NextTurn;
  static std::shared_ptr<InformerCore> MakeHandle(std::shared_ptr<InformerCore> core);

  ObjectPtr Find(std::string_view namespace_name, std::string_view name) const override;
  /// Called when the last handle is dropped.
  void Release();
  /// Runs `task` on the cache queue if the informer still exists.
  void PostToCache(std::function<void(InformerCore&)> task);
  void OnCacheError(const Error& error);
  void OnSourceError(int scope, const Error& error);
  void CallErrorHandler(const Error& error);
  std::shared_ptr<InformerSource> MakeSource(int scope, const std::string& namespace_name,
                                             std::shared_ptr<ListerWatcher> lister_watcher, Transform transform);
  /// Why a wait can only fail: the informer is misconfigured, or the calling thread is one that the wait needs.
  Result<void> CheckWait() const;
  /// Applies one batch to the cache, notifies the handlers, and reposts itself to let other tasks run.
  void Process();
  void ApplyReplace(Delta& delta);
  void ApplyResync();
  void PublishProgress(const std::vector<Delta>& batch);
  void ArmResync();
  void OnResyncTimer();

  const std::shared_ptr<TaskPool> pool_;  // first, so that it is destroyed last
  const InformerCoreOptions options_;
  const std::shared_ptr<const Clock> clock_;
  const std::shared_ptr<Indexer> indexer_;
  DeltaApplier applier_;  ///< Used on the cache queue only.
  SharedProcessor processor_;
  mutable Mutex mutex_;
  std::function<void(const Error&)> on_error_ KINFORMER_GUARDED_BY(mutex_);
  DeltaFifo fifo_;
  CacheProgress progress_;
  SourceSet sources_;
  ResyncSchedule resync_;  ///< Used on the cache queue only.

  SerialTasks cache_tasks_;  // Destroyed first: none of its tasks runs while the rest is destroyed.
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_INFORMER_INFORMER_CORE_H_
