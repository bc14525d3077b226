#ifndef KINFORMER_TEST_CHAOS_VIOLATIONS_H_
#define KINFORMER_TEST_CHAOS_VIOLATIONS_H_

// What the threads of a run find out. All of it from any thread.

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <kinformer/base/mutex.h>

namespace kinformer::chaos {

class Violations {
 public:
  void Report(std::string what) {
    const MutexLock lock(mutex_);
    // The first ones tell; a flood would only hide them.
    if (all_.size() < 5) all_.push_back(std::move(what));
  }
  std::vector<std::string> All() const {
    const MutexLock lock(mutex_);
    return all_;
  }
  bool Any() const {
    const MutexLock lock(mutex_);
    return !all_.empty();
  }

 private:
  mutable Mutex mutex_;
  std::vector<std::string> all_ KINFORMER_GUARDED_BY(mutex_);
};

struct Figures {
  std::atomic<std::uint64_t> events = 0;
  /// Failed lists and watches that an informer got over, and those of them that said 410.
  std::atomic<std::uint64_t> errors = 0;
  std::atomic<std::uint64_t> expired = 0;
  /// Of informers that were let go; those of the others their status tells.
  std::atomic<std::uint64_t> lists_of_gone = 0;
  std::atomic<std::uint64_t> writes = 0;
  std::atomic<std::uint64_t> deletions = 0;
  std::atomic<std::uint64_t> unanswered = 0;
  /// Of the RetryWatcher: lives, and acknowledged writes that it had to show.
  std::atomic<std::uint64_t> watcher_lives = 0;
  std::atomic<std::uint64_t> watcher_events = 0;
};

}  // namespace kinformer::chaos

#endif  // KINFORMER_TEST_CHAOS_VIOLATIONS_H_
