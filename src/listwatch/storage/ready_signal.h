#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_READY_SIGNAL_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_READY_SIGNAL_H_

#include <functional>
#include <utility>

#include "src/base/mutex.h"

namespace kinformer::apiserver {

/// The one-shot callback of a PullStream's consumer. After Set, check whether data is already available and call Fire
/// if so; otherwise a wake-up may be lost.
///
/// @par Thread Safety
/// All functions may be called from any thread. When Set returns, the previous callback is not running and will not be
/// called. So a callback must not call Set: it would deadlock.
class ReadySignal {
 public:
  void Set(std::function<void()> ready) {
    const MutexLock lock(mutex_);
    ready_ = std::move(ready);
  }
  void Fire() {
    // Held during the call, so that Set waits for it.
    const MutexLock lock(mutex_);
    if (const std::function<void()> ready = std::exchange(ready_, nullptr)) ready();
  }

 private:
  Mutex mutex_;
  std::function<void()> ready_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_READY_SIGNAL_H_
