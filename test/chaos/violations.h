#ifndef KINFORMER_TEST_CHAOS_VIOLATIONS_H_
#define KINFORMER_TEST_CHAOS_VIOLATIONS_H_

// Findings and counters of a run. Thread-safe.

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "src/base/mutex.h"

namespace kinformer::chaos {

class Violations {
 public:
  void Report(std::string what) {
    const MutexLock lock(mutex_);
    // Keeps only the first few: later ones are usually consequences.
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
  /// Failed lists and watches that informers recovered from, and how many of them were 410.
  std::atomic<std::uint64_t> errors = 0;
  std::atomic<std::uint64_t> expired = 0;
  /// Lists by informers that have been released; those of live informers are in their status.
  std::atomic<std::uint64_t> lists_of_gone = 0;
  std::atomic<std::uint64_t> writes = 0;
  std::atomic<std::uint64_t> deletions = 0;
  std::atomic<std::uint64_t> unanswered = 0;
  /// Of the RetryWatcher: lives (see WatcherLife), and events received.
  std::atomic<std::uint64_t> watcher_lives = 0;
  std::atomic<std::uint64_t> watcher_events = 0;
};

}  // namespace kinformer::chaos

#endif  // KINFORMER_TEST_CHAOS_VIOLATIONS_H_
