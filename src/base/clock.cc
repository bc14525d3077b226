#include <kinformer/base/clock.h>

#include <algorithm>

namespace kinformer {
namespace {

/// A standard library without a timed wait on the steady clock converts deadlines to the system clock, where distant
/// ones overflow. Long waits are therefore split.
constexpr std::chrono::hours kLongestWait{24};

class SystemClock final : public Clock {
 public:
  TimePoint Now() const override { return std::chrono::steady_clock::now(); }
  std::chrono::system_clock::time_point WallNow() const override { return std::chrono::system_clock::now(); }
  void BlockUntil(const std::shared_ptr<WaitCell>& cell, std::uint64_t generation,
                  std::optional<TimePoint> deadline) const override {
    std::unique_lock lock(cell->mutex);
    const auto moved = [&] { return cell->generation != generation; };
    if (!deadline || *deadline == kNever) {
      cell->changed.wait(lock, moved);
      return;
    }
    for (TimePoint now = Now(); now < *deadline && !moved(); now = Now()) {
      cell->changed.wait_until(lock, std::min(*deadline, now + kLongestWait), moved);
    }
  }
};

}  // namespace

std::uint64_t WaitCell::Generation() {
  const std::lock_guard lock(mutex);
  return generation;
}

void WaitCell::Wake() {
  {
    const std::lock_guard lock(mutex);
    ++generation;
  }
  changed.notify_all();
}

bool Clock::SleepUntil(TimePoint deadline, const std::stop_token& stop) const {
  const auto cell = std::make_shared<WaitCell>();
  const std::stop_callback on_stop(stop, [cell] { cell->Wake(); });
  for (;;) {
    const std::uint64_t generation = cell->Generation();
    if (stop.stop_requested()) return false;
    if (Now() >= deadline) return true;
    BlockUntil(cell, generation, deadline == kNever ? std::nullopt : std::optional(deadline));
  }
}

const std::shared_ptr<const Clock>& Clock::System() {
  static const std::shared_ptr<const Clock> clock = std::make_shared<SystemClock>();
  return clock;
}

}  // namespace kinformer
