#ifndef KINFORMER_SRC_LISTWATCH_CACHER_TIME_BUDGET_H_
#define KINFORMER_SRC_LISTWATCH_CACHER_TIME_BUDGET_H_

// In:     the current time
// Out:    how long all slow watchers together may be waited for
// Thread: none; guarded by the Dispatcher
// Next:   Dispatcher

#include <algorithm>
#include <chrono>
#include <utility>

#include <kinformer/base/clock.h>

namespace kinformer::apiserver {

struct TimeBudgetOptions {
  /// Added every second.
  Duration refresh = std::chrono::milliseconds(50);
  Duration max = std::chrono::milliseconds(100);
};

/// Starts empty. Take all of it and give back the unused part.
class TimeBudget {
 public:
  TimeBudget(const TimeBudgetOptions& options, TimePoint now) : options_(options), refreshed_(now) {}

  Duration TakeAll(TimePoint now) {
    Refresh(now);
    return std::exchange(left_, Duration::zero());
  }
  void GiveBack(Duration unused, TimePoint now) {
    Refresh(now);
    left_ = std::min(options_.max, left_ + std::max(Duration::zero(), unused));
  }

 private:
  void Refresh(TimePoint now) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now - refreshed_);
    if (seconds.count() <= 0) return;
    refreshed_ += seconds;
    // After a long time simply fill it: the product could overflow.
    left_ = seconds > std::chrono::hours(1) ? options_.max
                                            : std::min(options_.max, left_ + options_.refresh * seconds.count());
  }

  const TimeBudgetOptions options_;
  TimePoint refreshed_;
  Duration left_ = Duration::zero();
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_CACHER_TIME_BUDGET_H_
