#ifndef KINFORMER_SRC_INFORMER_INFORMER_SOURCE_H_
#define KINFORMER_SRC_INFORMER_INFORMER_SOURCE_H_

// In:     a ListerWatcher
// Out:    deltas of one scope, in the informer's queue
// Thread: the Reflector's tasks
// Next:   InformerCore

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <kinformer/reflector/lister_watcher.h>

#include "src/base/task_pool.h"
#include "src/delta/delta_fifo.h"
#include "src/reflector/reflector.h"

namespace kinformer::internal {

/// One watch of an informer, responsible for the whole cache or for one namespace.
///
/// @par Thread Safety
/// All functions may be called from any thread. None calls user code; only AwaitStopped waits for it.
class InformerSource {
 public:
  /// The pool and the queue must outlive it.
  InformerSource(TaskPool& pool, DeltaFifo& fifo, int scope, std::string namespace_name,
                 std::shared_ptr<ListerWatcher> lister_watcher, ReflectorOptions options,
                 std::function<void(const Error&)> on_error)
      : fifo_(fifo),
        scope_(scope),
        namespace_name_(std::move(namespace_name)),
        target_(fifo, scope),
        reflector_(pool, std::move(lister_watcher), target_, std::move(options), std::move(on_error)) {}

  int scope() const { return scope_; }
  /// "": all namespaces.
  const std::string& namespace_name() const { return namespace_name_; }

  void Start() { reflector_.Start(); }
  void RequestStop() { reflector_.RequestStop(); }
  bool AwaitStopped(std::optional<TimePoint> deadline) { return reflector_.AwaitStopped(deadline); }
  /// Queues the removal of this source's objects from the cache. Permanent.
  void Forget() { fifo_.Forget(scope_); }
  bool Busy() const { return reflector_.Busy(); }
  ReflectorStatus Status() const { return reflector_.Status(); }

 private:
  DeltaFifo& fifo_;
  const int scope_;
  const std::string namespace_name_;
  DeltaScope target_;
  Reflector reflector_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_INFORMER_INFORMER_SOURCE_H_
