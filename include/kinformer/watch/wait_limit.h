#ifndef KINFORMER_WATCH_WAIT_LIMIT_H_
#define KINFORMER_WATCH_WAIT_LIMIT_H_

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <kinformer/base/clock.h>

namespace kinformer {

/// How long to wait, and on which clock. Durations convert implicitly: `WaitFor(pods, key, condition, 30s)`.
class WaitLimit {
 public:
  /// If the informers use another clock, pass that one.
  template <typename Rep, typename Period>
  WaitLimit(std::chrono::duration<Rep, Period> timeout,  // NOLINT(google-explicit-constructor)
            std::shared_ptr<const Clock> clock = Clock::System())
      : timeout_(std::max(SaturatingCast(timeout), Duration::zero())), clock_(std::move(clock)) {}

  /// No time limit: until stopped.
  static WaitLimit Forever(std::shared_ptr<const Clock> clock = Clock::System()) {
    return WaitLimit(Duration::max(), std::move(clock));
  }

  Duration timeout() const { return timeout_; }
  const std::shared_ptr<const Clock>& clock() const& { return clock_; }
  std::shared_ptr<const Clock> clock() && { return std::move(clock_); }
  /// The deadline of a wait that starts now; nullopt: none.
  std::optional<TimePoint> Deadline() const {
    const TimePoint deadline = clock_->After(timeout_);
    return deadline == Clock::kNever ? std::nullopt : std::optional(deadline);
  }
  /// The time left until the deadline. Without one, a century: long enough, and it can be added to a time without
  /// overflow.
  Duration RemainingUntil(std::optional<TimePoint> deadline) const {
    constexpr Duration kNever = std::chrono::hours(24 * 36500);
    return deadline ? std::min<Duration>(*deadline - clock_->Now(), kNever) : kNever;
  }

 private:
  Duration timeout_;
  std::shared_ptr<const Clock> clock_;
};

}  // namespace kinformer

#endif  // KINFORMER_WATCH_WAIT_LIMIT_H_
