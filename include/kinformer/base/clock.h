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

/// Monotonic time, as every deadline and timer of ours counts it.
using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

/// What one waiting thread blocks on. A generation that moves, instead of a bare condition variable, so that whoever
/// wakes it needs none of the waiter's own locks. Used through CondVar (base/mutex.h) and Clock::SleepUntil.
struct WaitCell {
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t generation = 0;

  std::uint64_t Generation();
  void Wake();
};

/// The time, and waiting for it. The seam that lets tests run hours in microseconds.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;

  virtual TimePoint Now() const = 0;
  /// For what is compared with other machines' time: certificate and credential expiry.
  virtual std::chrono::system_clock::time_point WallNow() const = 0;
  /// Blocks until `cell` leaves `generation`, or until `deadline`.
  virtual void BlockUntil(const std::shared_ptr<WaitCell>& cell, std::uint64_t generation,
                          std::optional<TimePoint> deadline) const = 0;

  /// False if stopped before the time came.
  bool SleepUntil(TimePoint deadline, const std::stop_token& stop) const;
  bool SleepFor(Duration duration, const std::stop_token& stop) const { return SleepUntil(Now() + duration, stop); }

  /// The machine's clock; lives for ever.
  static const std::shared_ptr<const Clock>& System();
};

}  // namespace kinformer

#endif  // KINFORMER_BASE_CLOCK_H_
