#ifndef KINFORMER_SRC_LISTWATCH_CACHER_FRESH_WAITS_H_
#define KINFORMER_SRC_LISTWATCH_CACHER_FRESH_WAITS_H_

// In:     reads that wait for a revision; the cache's progress
// Out:    one callback per read, when it need not wait any longer
// Thread: any; a task on the pool while reads are waiting
// Next:   Cacher

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <kinformer/base/clock.h>

#include "src/base/mutex.h"
#include "src/base/task_pool.h"
#include "src/listwatch/storage/backend.h"

namespace kinformer::apiserver {

struct FreshWaitsOptions {
  /// Interval between progress requests to the storage while reads are waiting.
  Duration progress_interval = std::chrono::milliseconds(100);
  std::function<void()> request_progress{};
  /// The cache's revision.
  std::function<Revision()> current{};
};

/// Reads that wait for the cache without blocking a thread. With no waiters, Advance is one atomic load.
///
/// @par Thread Safety
/// All functions may be called from any thread. Callbacks run on any thread, with no lock held.
class FreshWaits {
 public:
  /// Uses the pool's clock. The pool must outlive it.
  FreshWaits(TaskPool& pool, FreshWaitsOptions options);
  ~FreshWaits();
  FreshWaits(const FreshWaits&) = delete;
  FreshWaits& operator=(const FreshWaits&) = delete;

  /// Calls `done` exactly once: when the cache reaches the revision, at the deadline, or at Stop. If the revision is
  /// already reached, or after Stop, `done` runs before Add returns.
  void Add(Revision revision, TimePoint deadline, std::function<void()> done);
  /// The cache has reached this revision. Call it after `current` returns it.
  void Advance(Revision revision);
  /// Calls all waiters; later ones do not wait.
  void Stop();

 private:
  struct Waiter {
    TimePoint deadline{};
    std::function<void()> done{};
  };
  using Waiters = std::multimap<Revision, Waiter>;

  /// Schedules Tick, instead of the one that is scheduled. False if the pool is stopped.
  bool ScheduleTick(TimePoint when) KINFORMER_REQUIRES(mutex_);
  void Tick(TimePoint scheduled_for);
  static void CallAll(Waiters& waiters);

  const FreshWaitsOptions options_;
  const std::shared_ptr<const Clock> clock_;
  std::atomic<std::size_t> count_ = 0;
  Mutex mutex_;
  bool stopped_ KINFORMER_GUARDED_BY(mutex_) = false;
  /// nullopt: no tick is scheduled, because no read is waiting.
  std::optional<TimePoint> next_tick_ KINFORMER_GUARDED_BY(mutex_){};
  TimePoint next_progress_request_ KINFORMER_GUARDED_BY(mutex_){};
  Waiters waiters_ KINFORMER_GUARDED_BY(mutex_);
  SerialTasks tasks_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_CACHER_FRESH_WAITS_H_
