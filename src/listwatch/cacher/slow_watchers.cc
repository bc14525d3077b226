#include "src/listwatch/cacher/slow_watchers.h"

#include <algorithm>
#include <utility>

namespace kinformer::apiserver {

void SlowWatchers::Add(RegisteredWatcher& registered) {
  if (std::exchange(registered.blocked, true)) return;
  blocked_.push_back(&registered);
}

void SlowWatchers::Remove(RegisteredWatcher& registered) {
  if (std::exchange(registered.blocked, false)) std::erase(blocked_, &registered);
}

void SlowWatchers::Clear(TimePoint now) {
  blocked_.clear();
  if (const auto ends = std::exchange(budget_ends_, std::nullopt)) budget_.GiveBack(*ends - now, now);
}

SlowWatchers::Verdict SlowWatchers::Check(TimePoint now) {
  Verdict verdict;
  if (blocked_.empty() && !budget_ends_) return verdict;
  std::optional<TimePoint> released;
  std::vector<RegisteredWatcher*> late;
  const auto check_at = [&](TimePoint when) { verdict.next_check = std::min(verdict.next_check.value_or(when), when); };
  std::erase_if(blocked_, [&](RegisteredWatcher* registered) {
    const std::optional<TimePoint> since = registered->watcher->BlockedSince();
    if (!since) {
      registered->blocked = false;
      released = std::max(released, std::optional(registered->watcher->UnblockedAt()));
      return true;
    }
    const TimePoint becomes_late = *since + grace_;
    if (becomes_late <= now) {
      late.push_back(registered);
    } else {
      check_at(becomes_late);
    }
    return false;
  });
  if (late.empty()) {
    if (const auto ends = std::exchange(budget_ends_, std::nullopt)) {
      budget_.GiveBack(*ends - released.value_or(now), now);
    }
    return verdict;
  }
  if (!budget_ends_) budget_ends_ = now + budget_.TakeAll(now);
  if (now >= *budget_ends_) {
    budget_ends_.reset();
    verdict.terminate = std::move(late);
  } else {
    check_at(*budget_ends_);
  }
  return verdict;
}

}  // namespace kinformer::apiserver
