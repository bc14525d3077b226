#include <kinformer/base/fake_clock.h>

#include <algorithm>

namespace kinformer {
namespace {

// Not zero, so that "an hour ago" is representable at the start.
constexpr TimePoint kEpoch{std::chrono::hours(1'000)};
constexpr Duration kLongest = Duration::max() / 2;
constexpr std::chrono::system_clock::time_point kWallEpoch{
    std::chrono::seconds(1'767'225'600)};  // 2026-01-01T00:00:00Z

}  // namespace

FakeClock::FakeClock() = default;
FakeClock::~FakeClock() = default;

TimePoint FakeClock::Now() const {
  const std::lock_guard lock(mutex_);
  return kEpoch + elapsed_;
}

std::chrono::system_clock::time_point FakeClock::WallNow() const {
  const std::lock_guard lock(mutex_);
  return kWallEpoch + std::chrono::duration_cast<std::chrono::system_clock::duration>(elapsed_);
}

void FakeClock::BlockUntil(const std::shared_ptr<WaitCell>& cell, std::uint64_t generation,
                           std::optional<TimePoint> deadline) const {
  if (deadline == kNever) deadline.reset();
  if (deadline) {
    const std::lock_guard lock(mutex_);
    if (kEpoch + elapsed_ >= *deadline) return;
    waiters_.push_back({*deadline, cell});
    waiters_changed_.notify_all();
  }
  {
    std::unique_lock lock(cell->mutex);
    cell->changed.wait(lock, [&] { return cell->generation != generation; });
  }
  if (deadline) {
    const std::lock_guard lock(mutex_);
    const auto mine = std::find_if(waiters_.begin(), waiters_.end(),
                                   [&](const Waiter& w) { return w.cell == cell && w.deadline == *deadline; });
    if (mine != waiters_.end()) waiters_.erase(mine);
    waiters_changed_.notify_all();
  }
}

void FakeClock::Advance(Duration by) {
  std::vector<std::shared_ptr<WaitCell>> due;
  {
    const std::lock_guard lock(mutex_);
    // Capped at half of the range, so that later times are representable.
    elapsed_ = by < kLongest - elapsed_ ? elapsed_ + by : kLongest;
    // Waiters woken here no longer count: AwaitWaiters after Advance waits for threads that wait again.
    const auto is_due = [&](const Waiter& w) { return w.deadline <= kEpoch + elapsed_; };
    for (const Waiter& waiter : waiters_) {
      if (is_due(waiter)) due.push_back(waiter.cell);
    }
    std::erase_if(waiters_, is_due);
    waiters_changed_.notify_all();
  }
  for (const auto& cell : due) cell->Wake();
}

void FakeClock::AwaitWaiters(std::size_t count) const {
  std::unique_lock lock(mutex_);
  waiters_changed_.wait(lock, [&] { return waiters_.size() >= count; });
}

std::optional<TimePoint> FakeClock::NextDeadline() const {
  const std::lock_guard lock(mutex_);
  const auto first = std::min_element(waiters_.begin(), waiters_.end(),
                                      [](const Waiter& a, const Waiter& b) { return a.deadline < b.deadline; });
  if (first == waiters_.end()) return std::nullopt;
  return first->deadline;
}

}  // namespace kinformer
