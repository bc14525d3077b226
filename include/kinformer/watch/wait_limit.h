#ifndef KINFORMER_WATCH_WAIT_LIMIT_H_
#define KINFORMER_WATCH_WAIT_LIMIT_H_

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <kinformer/base/clock.h>

namespace kinformer {

/// How long to wait, and by which clock. A duration stands for itself: `WaitFor(pods, key, condition, 30s)`.
class WaitLimit {
 public:
  /// Where informers run on a clock of your own, give it here too.
  template <typename Rep, typename Period>
  WaitLimit(std::chrono::duration<Rep, Period> timeout,  // NOLINT(google-explicit-constructor)
            std::shared_ptr<const Clock> clock = Clock::System())
      : timeout_(Bounded(timeout)), clock_(std::move(clock)) {}

  /// Until stopped.
  static WaitLimit Forever(std::shared_ptr<const Clock> clock = Clock::System()) {
    return WaitLimit(Duration::max(), std::move(clock));
  }

  Duration timeout() const { return timeout_; }
  const std::shared_ptr<const Clock>& clock() const { return clock_; }
  /// From now on; nullopt: for ever.
  std::optional<TimePoint> Deadline() const {
    const TimePoint now = clock_->Now();
    if (timeout_ >= TimePoint::max() - now) return std::nullopt;
    return now + timeout_;
  }
  /// From now to the deadline; of none, so long that it never passes, and still can be added to the time.
  Duration LeftUntil(std::optional<TimePoint> deadline) const {
    constexpr Duration kNever = std::chrono::hours(24 * 36500);
    return deadline ? std::min<Duration>(*deadline - clock_->Now(), kNever) : kNever;
  }

 private:
  // Hours beyond what Duration can count would overflow in the conversion.
  template <typename Rep, typename Period>
  static Duration Bounded(std::chrono::duration<Rep, Period> timeout) {
    using Seconds = std::chrono::duration<double>;
    if (Seconds(timeout) >= Seconds(Duration::max())) return Duration::max();
    return std::max(std::chrono::duration_cast<Duration>(timeout), Duration::zero());
  }

  Duration timeout_;
  std::shared_ptr<const Clock> clock_;
};

}  // namespace kinformer

#endif  // KINFORMER_WATCH_WAIT_LIMIT_H_
