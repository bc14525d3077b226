#ifndef KINFORMER_SRC_INFORMER_INFORMER_CORE_H_
#define KINFORMER_SRC_INFORMER_INFORMER_CORE_H_

// In:     a ListerWatcher
// Out:    a cache that follows it, and calls of handlers
// Thread: tasks on the pool (one queue for the reflector, one for the cache), one thread per handler
// Next:   user code
//
// The only place that knows the whole chain: Reflector → DeltaFifo → Indexer → SharedProcessor.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>
#include <kinformer/base/mutex.h>
#include <kinformer/base/result.h>
#include <kinformer/base/task_pool.h>
#include <kinformer/informer/informer_options.h>
#include <kinformer/processor/event_handler.h>
#include <kinformer/processor/registration.h>
#include <kinformer/reflector/lister_watcher.h>
#include <kinformer/reflector/reflector_target.h>
#include <kinformer/store/indexer.h>

#include "src/delta/delta_fifo.h"
#include "src/informer/delta_applier.h"
#include "src/informer/informer_source.h"
#include "src/processor/shared_processor.h"
#include "src/reflector/reflector.h"

namespace kinformer::internal {

struct InformerCoreOptions {
  ReflectorOptions reflector{};
  /// For handlers that name none of their own.
  std::chrono::milliseconds resync{0};
  std::function<void(const Error&)> on_error{};
  /// Of `reflector.transform`, for telling informers apart.
  std::string transform_name{};
  Logger logger{};
};

/// What to watch in one namespace.
using MakeListerWatcher = std::function<std::shared_ptr<ListerWatcher>(const std::string& namespace_name)>;

/// One watch (or one per namespace), one cache, any number of handlers; of objects of any kind. Typed informers are
/// thin handles on it.
///
/// @par Thread Safety
/// All functions may be called from any thread, handlers included; what would wait for itself there returns
/// kFailedPrecondition.
class InformerCore final : public std::enable_shared_from_this<InformerCore>, private KnownObjects {
 public:
  /// Keeps the pool: a handle may outlive the factory that made it.
  InformerCore(std::shared_ptr<TaskPool> pool, std::shared_ptr<ListerWatcher> source, InformerCoreOptions options);
  /// Of some namespaces, see SetNamespaces.
  InformerCore(std::shared_ptr<TaskPool> pool, MakeListerWatcher make, std::vector<std::string> namespaces,
               InformerCoreOptions options);
  /// Ends the watch and the handlers. Not on one of its own threads: see OnOwnThread.
  ~InformerCore() override;

  /// Begins to list and watch; after a Stop, again: what changed meanwhile arrives as ordinary events.
  void Start();
  /// Ends the watch. The cache stays as it is, handlers stay registered.
  void Stop();

  /// Watches these namespaces from now on. Objects of others leave the cache: handlers are told that they are deleted,
  /// their final state unknown. kFailedPrecondition if it was not made for some namespaces.
  Result<void> SetNamespaces(std::vector<std::string> namespaces);
  /// kFailedPrecondition once it has been started.
  Result<void> SetTransform(NamedTransform transform);
  std::string TransformName() const;
  void SetWatchErrorHandler(std::function<void(const Error&)> on_error);

  /// The handler first sees every object that is in the cache, then what happens, without a gap.
  /// kFailedPrecondition after ShutDown.
  Result<std::shared_ptr<ProcessorListener>> AddEventHandler(EventHandler handler, HandlerOptions options);
  const std::shared_ptr<Indexer>& indexer() const { return indexer_; }

  /// The first list of every namespace is in the cache.
  bool HasSynced() const;
  /// The first list is in the cache. Where that takes too long, the error is the last one that the server gave
  /// (forbidden, no such kind, TLS, ...), with its code.
  Result<void> WaitForSync(std::optional<TimePoint> deadline, const std::stop_token& stop) const;
  /// The version up to which the cache is a copy of the server. Of some namespaces: the oldest.
  std::string ResourceVersion() const;
  /// The cache is at least as new as this version: what you wrote is in it. `namespace_name`: where you wrote it; of
  /// some namespaces only that one is waited for then.
  Result<void> WaitForResourceVersion(const std::string& version, const std::string& namespace_name,
                                      std::optional<TimePoint> deadline, const std::stop_token& stop) const;
  InformerStatus Status() const;
  const std::string& name() const { return options_.reflector.name; }
  /// Ends everything for good: no handler runs any more. The cache can still be read.
  void ShutDown();
  /// True on a thread that runs a handler or an index function of this informer: it must not wait for its end.
  bool OnOwnThread() const;
  const Clock& clock() const { return *clock_; }

 private:
  /// A source, and how far the cache has followed it.
  struct Scope {
    std::shared_ptr<InformerSource> source{};
    std::string resource_version{};
    bool synced = false;
    /// Why it is not synced yet.
    std::optional<Error> error{};
    /// The namespace is not wanted any more; gone when its last delta is processed.
    bool retired = false;
  };

  ObjectPtr Find(std::string_view namespace_name, std::string_view name) const override;
  void OnError(const Error& error);
  void OnSourceError(int scope, const Error& error);
  std::shared_ptr<InformerSource> MakeSource(int scope, const std::string& namespace_name,
                                             std::shared_ptr<ListerWatcher> source) KINFORMER_REQUIRES(mutex_);
  /// Those that are not retired.
  std::vector<std::shared_ptr<InformerSource>> Sources() const;
  bool AllSynced() const KINFORMER_REQUIRES(mutex_);
  /// The error of one that is not synced; else the last there was.
  const std::optional<Error>& WhyNotSynced() const KINFORMER_REQUIRES(mutex_);
  bool ReachedVersion(const std::string& version, const std::string& namespace_name) const KINFORMER_REQUIRES(mutex_);
  std::string OldestVersion() const KINFORMER_REQUIRES(mutex_);
  /// Takes what waits and brings it into the cache and to the handlers; one turn, then others have theirs.
  void Process();
  /// Leaves out what came from a namespace that is not wanted any more.
  void DropRetired(std::vector<Delta>& batch) const;
  void ApplyReplace(Delta& delta);
  void ApplyResync();
  void ScheduleResync();
  void OnResyncTimer();
  void PublishProgress(const std::vector<Delta>& batch);

  const std::shared_ptr<TaskPool> pool_;  // first, so that it goes last
  const InformerCoreOptions options_;
  const MakeListerWatcher make_;  ///< Set where it is of some namespaces.
  const std::shared_ptr<ListerWatcher> everything_;
  const std::shared_ptr<const Clock> clock_;
  const std::shared_ptr<Indexer> indexer_;
  DeltaApplier applier_;  ///< The cache's queue only.
  SharedProcessor processor_;
  DeltaFifo fifo_;

  mutable Mutex mutex_;
  mutable CondVar changed_;
  /// Made by the first Start, since a transform may be set until then.
  std::map<int, Scope> scopes_ KINFORMER_GUARDED_BY(mutex_);
  std::vector<std::string> namespaces_ KINFORMER_GUARDED_BY(mutex_);
  int last_scope_ KINFORMER_GUARDED_BY(mutex_) = 0;
  NamedTransform transform_ KINFORMER_GUARDED_BY(mutex_);
  std::function<void(const Error&)> on_error_ KINFORMER_GUARDED_BY(mutex_);
  bool started_ KINFORMER_GUARDED_BY(mutex_) = false;  ///< Ever.
  bool running_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool handlers_synced_ KINFORMER_GUARDED_BY(mutex_) = false;
  std::optional<Error> last_error_ KINFORMER_GUARDED_BY(mutex_);

  std::optional<TimePoint> resync_at_;  ///< The cache's queue only: the timer that is set.

  SerialTasks cache_tasks_;  // Destroyed first: no task of it runs when the rest goes.
};

/// Compares versions as the API does since it guarantees their order: as numbers.
bool IsAtLeast(const std::string& version, const std::string& wanted);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_INFORMER_INFORMER_CORE_H_
