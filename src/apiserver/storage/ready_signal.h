#ifndef KINFORMER_SRC_APISERVER_STORAGE_READY_SIGNAL_H_
#define KINFORMER_SRC_APISERVER_STORAGE_READY_SIGNAL_H_

#include <functional>
#include <utility>

#include <kinformer/base/mutex.h>

namespace kinformer::apiserver {

/// The function that a PullStream's consumer wants to be called once. Whoever sets it must look afterwards whether
/// something is there already, and fire then: so none is missed.
///
/// @par Thread Safety
/// All functions may be called from any thread. When Set returns, the function of before is not running and will not be
/// called; so Set must not be called from inside it.
class ReadySignal {
 public:
  void Set(std::function<void()> ready) {
    const MutexLock lock(mutex_);
    ready_ = std::move(ready);
  }
  void Fire() {
    // Held while it runs, so that Set waits for it.
    const MutexLock lock(mutex_);
    if (const std::function<void()> ready = std::exchange(ready_, nullptr)) ready();
  }

 private:
  Mutex mutex_;
  std::function<void()> ready_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_STORAGE_READY_SIGNAL_H_
