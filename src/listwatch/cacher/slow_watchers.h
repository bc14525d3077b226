#ifndef KINFORMER_SRC_LISTWATCH_CACHER_SLOW_WATCHERS_H_
#define KINFORMER_SRC_LISTWATCH_CACHER_SLOW_WATCHERS_H_

// In:     watchers whose buffer overflows
// Out:    those to terminate, and when to check again
// Thread: none; guarded by the Dispatcher
// Next:   Dispatcher

#include <optional>
#include <vector>

#include <kinformer/base/clock.h>

#include "src/listwatch/cacher/registered_watcher.h"
#include "src/listwatch/cacher/time_budget.h"

namespace kinformer::apiserver {

/// Each blocked watcher has a grace period. After it, all late watchers share one time budget; when that is used up,
/// they are terminated.
class SlowWatchers {
 public:
  SlowWatchers(Duration grace, const TimeBudgetOptions& budget, TimePoint now) : grace_(grace), budget_(budget, now) {}

  /// The watcher's buffer overflows.
  void Add(RegisteredWatcher& registered);
  void Remove(RegisteredWatcher& registered);
  /// Forgets all watchers, and gives the budget back.
  void Clear(TimePoint now);

  struct Verdict {
    /// To be ended; still in here until removed.
    std::vector<RegisteredWatcher*> terminate{};
    /// When to check again, if no watcher is added before.
    std::optional<TimePoint> next_check{};
  };
  Verdict Check(TimePoint now);

 private:
  const Duration grace_;
  TimeBudget budget_;
  std::vector<RegisteredWatcher*> blocked_;
  /// When the time taken from the budget runs out; nullopt: none is taken.
  std::optional<TimePoint> budget_ends_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_CACHER_SLOW_WATCHERS_H_
