#ifndef KINFORMER_BASE_CLOCK_H_
#define KINFORMER_BASE_CLOCK_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

namespace kinformer {

/// Monotonic time, used for all deadlines and timers.
using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

/// Converts to Duration, clamped to Duration::min() and Duration::max().
template <typename Rep, typename Period>
constexpr Duration SaturatingCast(std::chrono::duration<Rep, Period> duration) {
  using Seconds = std::chrono::duration<double>;
  // Negated, so that NaN becomes max().
  if (!(Seconds(duration) < Seconds(Duration::max()))) return Duration::max();
  if (Seconds(duration) <= Seconds(Duration::min())) return Duration::min();
  return std::chrono::duration_cast<Duration>(duration);
}

/// `time + duration` without overflow. TimePoint::max() means "never" and is preserved.
template <typename Rep, typename Period>
constexpr TimePoint SaturatingAdd(TimePoint time, std::chrono::duration<Rep, Period> duration) {
  const Duration by = SaturatingCast(duration);
  const Duration since = time.time_since_epoch();
  if (time == TimePoint::max() || by == Duration::max()) return TimePoint::max();
  if (by > Duration::zero() && since > Duration::max() - by) return TimePoint::max();
  if (by < Duration::zero() && since < Duration::min() - by) return TimePoint::min();
  return time + by;
}

/// What a waiting thread blocks on. It counts wake-ups, so waking takes none of the waiter's own locks.
struct WaitCell {
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t generation = 0;

  std::uint64_t Generation();
  void Wake();
};

/// Time source and timed waiting. Tests replace it with a FakeClock.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class Clock {
 public:
  /// The deadline of a wait without a time limit.
  static constexpr TimePoint kNever = TimePoint::max();

  virtual ~Clock() = default;

  virtual TimePoint Now() const = 0;
  /// Wall-clock time, for comparison with other machines' time: certificate and credential expiry.
  virtual std::chrono::system_clock::time_point WallNow() const = 0;
  /// Blocks until `cell` leaves `generation` or `deadline` passes; nullopt: no deadline. May return early.
  virtual void BlockUntil(const std::shared_ptr<WaitCell>& cell, std::uint64_t generation,
                          std::optional<TimePoint> deadline) const = 0;

  /// `Now() + duration`; kNever if that overflows. Accepts any duration, so that milliseconds::max() means "forever"
  /// too.
  template <typename Rep, typename Period>
  TimePoint After(std::chrono::duration<Rep, Period> duration) const {
    return SaturatingAdd(Now(), duration);
  }

  /// False if `stop` was requested before the deadline.
  bool SleepUntil(TimePoint deadline, const std::stop_token& stop) const;
  template <typename Rep, typename Period>
  bool SleepFor(std::chrono::duration<Rep, Period> duration, const std::stop_token& stop) const {
    return SleepUntil(After(duration), stop);
  }

  /// The system clock. Never destroyed.
  static const std::shared_ptr<const Clock>& System();
};

}  // namespace kinformer

#endif  // KINFORMER_BASE_CLOCK_H_
