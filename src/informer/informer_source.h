#ifndef KINFORMER_SRC_INFORMER_INFORMER_SOURCE_H_
#define KINFORMER_SRC_INFORMER_INFORMER_SOURCE_H_

// In:     a ListerWatcher
// Out:    deltas of one scope in the informer's queue
// Thread: the Reflector's tasks
// Next:   InformerCore

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <kinformer/base/mutex.h>
#include <kinformer/base/task_pool.h>
#include <kinformer/reflector/lister_watcher.h>

#include "src/delta/delta_fifo.h"
#include "src/reflector/reflector.h"

namespace kinformer::internal {

/// One watch of an informer and the part of the cache that it answers for: all of it, or one namespace.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class InformerSource {
 public:
  /// The pool and the queue must outlive it.
  InformerSource(TaskPool& pool, DeltaFifo& fifo, int scope, std::string namespace_name,
                 std::shared_ptr<ListerWatcher> lister_watcher, ReflectorOptions options,
                 std::function<void(const Error&)> on_error)
      : scope_(scope),
        namespace_name_(std::move(namespace_name)),
        target_(fifo, scope),
        reflector_(pool, std::move(lister_watcher), target_, std::move(options), std::move(on_error)) {}

  int scope() const { return scope_; }
  /// "": it answers for everything.
  const std::string& namespace_name() const { return namespace_name_; }

  /// Nothing once it is retired.
  void Start() {
    const MutexLock lock(mutex_);
    if (!retired_) reflector_.Start();
  }
  void Stop() { reflector_.Stop(); }
  /// For good: what it brought is to go out of the cache. Once.
  void Retire() {
    {
      const MutexLock lock(mutex_);
      retired_ = true;
    }
    Stop();
    target_.Forget();
  }
  ReflectorStatus Status() const { return reflector_.Status(); }

 private:
  const int scope_;
  const std::string namespace_name_;
  DeltaScope target_;
  Mutex mutex_;
  bool retired_ KINFORMER_GUARDED_BY(mutex_) = false;
  Reflector reflector_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_INFORMER_INFORMER_SOURCE_H_
