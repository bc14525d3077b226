#ifndef KINFORMER_SRC_TRANSPORT_COMMAND_QUEUE_H_
#define KINFORMER_SRC_TRANSPORT_COMMAND_QUEUE_H_

#include <functional>
#include <utility>
#include <vector>

#include "src/base/mutex.h"

namespace kinformer::internal {

/// Commands from any thread to the one that serves them, in order.
///
/// @par Thread Safety
/// All functions may be called from any thread.
template <typename Command>
class CommandQueue {
 public:
  /// `wake` interrupts the serving thread's wait. It runs under the queue's lock, so it must not block, and it is not
  /// called after Close() has returned.
  explicit CommandQueue(std::function<void()> wake) : wake_(std::move(wake)) {}

  /// False if the queue is closed: `command` is then unchanged.
  bool Push(Command&& command) {
    const MutexLock lock(mutex_);
    if (closed_) return false;
    commands_.push_back(std::move(command));
    wake_();
    return true;
  }

  void Wake() {
    const MutexLock lock(mutex_);
    if (!closed_) wake_();
  }

  std::vector<Command> TakeAll() {
    const MutexLock lock(mutex_);
    return std::exchange(commands_, {});
  }

  /// Returns the commands that were not served.
  std::vector<Command> Close() {
    const MutexLock lock(mutex_);
    closed_ = true;
    return std::exchange(commands_, {});
  }

 private:
  const std::function<void()> wake_;
  Mutex mutex_;
  std::vector<Command> commands_ KINFORMER_GUARDED_BY(mutex_);
  bool closed_ KINFORMER_GUARDED_BY(mutex_) = false;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_TRANSPORT_COMMAND_QUEUE_H_
