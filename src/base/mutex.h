#ifndef KINFORMER_SRC_BASE_MUTEX_H_
#define KINFORMER_SRC_BASE_MUTEX_H_

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include <kinformer/base/clock.h>

#include "src/base/thread_annotations.h"

namespace kinformer {

/// std::mutex that clang's thread-safety analysis understands (libstdc++'s is not annotated).
class KINFORMER_CAPABILITY("mutex") Mutex {
 public:
  void Lock() KINFORMER_ACQUIRE() { mutex_.lock(); }
  void Unlock() KINFORMER_RELEASE() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

/// Holds a Mutex for a scope. `Unlock` and `Lock` release it temporarily, for calls that must not run under it.
class KINFORMER_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) KINFORMER_ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() KINFORMER_RELEASE() {
    if (held_) mutex_.Unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void Unlock() KINFORMER_RELEASE() {
    held_ = false;
    mutex_.Unlock();
  }
  void Lock() KINFORMER_ACQUIRE() {
    mutex_.Lock();
    held_ = true;
  }

 private:
  friend class CondVar;
  Mutex& mutex_;
  bool held_ = true;
};

/// Waits for a condition, a deadline or a stop, whichever comes first; works with fake clocks too.
///
/// The predicate runs with the lock held. Notifying requires no lock.
class CondVar {
 public:
  void NotifyAll() { cell_->Wake(); }

  /// Returns the predicate's last value: false if the deadline passed or a stop was requested.
  template <typename Predicate>
  bool Wait(MutexLock& lock, const Clock& clock, std::optional<TimePoint> deadline, const std::stop_token& stop,
            Predicate predicate) KINFORMER_NO_THREAD_SAFETY_ANALYSIS {
    if (deadline == Clock::kNever) deadline.reset();
    const std::stop_callback on_stop(stop, [cell = cell_] { cell->Wake(); });
    for (;;) {
      // Read before the predicate: a later change advances the generation, so that no wake-up is lost.
      const std::uint64_t generation = cell_->Generation();
      if (predicate()) return true;
      if (stop.stop_requested() || (deadline && clock.Now() >= *deadline)) return false;
      lock.mutex_.Unlock();
      clock.BlockUntil(cell_, generation, deadline);
      lock.mutex_.Lock();
    }
  }
  template <typename Predicate>
  bool Wait(MutexLock& lock, const std::stop_token& stop, Predicate predicate) {
    return Wait(lock, *Clock::System(), std::nullopt, stop, std::move(predicate));
  }

 private:
  std::shared_ptr<WaitCell> cell_ = std::make_shared<WaitCell>();
};

}  // namespace kinformer

#endif  // KINFORMER_SRC_BASE_MUTEX_H_
