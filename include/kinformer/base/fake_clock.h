#ifndef KINFORMER_BASE_FAKE_CLOCK_H_
#define KINFORMER_BASE_FAKE_CLOCK_H_

#include <cstddef>
#include <vector>

#include <kinformer/base/clock.h>

namespace kinformer {

/// A clock that moves only on Advance, which wakes the waiters that are due. For tests.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class FakeClock final : public Clock {
 public:
  /// Starts at an arbitrary monotonic time and at 2026-01-01T00:00:00Z wall-clock time.
  FakeClock();
  ~FakeClock() override;

  TimePoint Now() const override;
  std::chrono::system_clock::time_point WallNow() const override;
  void BlockUntil(const std::shared_ptr<WaitCell>& cell, std::uint64_t generation,
                  std::optional<TimePoint> deadline) const override;

  /// Moves both times forward and wakes every waiter whose deadline has passed.
  void Advance(Duration by);
  /// Blocks, in real time, until at least `count` threads wait with a deadline. Call it before Advance instead of
  /// sleeping.
  void AwaitWaiters(std::size_t count) const;
  /// The earliest deadline of any waiter; nullopt if no waiter has one.
  std::optional<TimePoint> NextDeadline() const;

 private:
  struct Waiter {
    TimePoint deadline;
    std::shared_ptr<WaitCell> cell;
  };

  mutable std::mutex mutex_;
  mutable std::condition_variable waiters_changed_;
  mutable std::vector<Waiter> waiters_;
  Duration elapsed_{0};
};

}  // namespace kinformer

#endif  // KINFORMER_BASE_FAKE_CLOCK_H_
