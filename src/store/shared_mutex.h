#ifndef KINFORMER_SRC_STORE_SHARED_MUTEX_H_
#define KINFORMER_SRC_STORE_SHARED_MUTEX_H_

#include <atomic>
#include <mutex>
#include <shared_mutex>

#include "src/base/thread_annotations.h"

namespace kinformer::internal {

/// A std::shared_mutex with clang thread-safety annotations and no writer starvation: libstdc++'s admits new readers
/// while a writer waits, this one does not. Readers must therefore not lock recursively.
class KINFORMER_CAPABILITY("mutex") SharedMutex {
 public:
  void Lock() KINFORMER_ACQUIRE() {
    const std::scoped_lock gate(gate_);
    writer_waits_.store(true, std::memory_order_relaxed);
    mutex_.lock();
    writer_waits_.store(false, std::memory_order_relaxed);
  }
  void Unlock() KINFORMER_RELEASE() { mutex_.unlock(); }

  void LockShared() KINFORMER_THREAD_ANNOTATION(acquire_shared_capability()) {
    if (!writer_waits_.load(std::memory_order_relaxed)) {
      mutex_.lock_shared();
      return;
    }
    const std::scoped_lock gate(gate_);  // Queue behind the writer.
    mutex_.lock_shared();
  }
  void UnlockShared() KINFORMER_THREAD_ANNOTATION(release_shared_capability()) { mutex_.unlock_shared(); }

 private:
  std::shared_mutex mutex_;
  std::mutex gate_;
  std::atomic<bool> writer_waits_{false};
};

class KINFORMER_SCOPED_CAPABILITY WriterLock {
 public:
  explicit WriterLock(SharedMutex& mutex) KINFORMER_ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~WriterLock() KINFORMER_RELEASE() { mutex_.Unlock(); }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  SharedMutex& mutex_;
};

class KINFORMER_SCOPED_CAPABILITY ReaderLock {
 public:
  explicit ReaderLock(SharedMutex& mutex) KINFORMER_THREAD_ANNOTATION(acquire_shared_capability(mutex))
      : mutex_(mutex) {
    mutex_.LockShared();
  }
  ~ReaderLock() KINFORMER_RELEASE() { mutex_.UnlockShared(); }
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;

 private:
  SharedMutex& mutex_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_STORE_SHARED_MUTEX_H_
