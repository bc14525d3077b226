#include "src/base/reaper.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

namespace kinformer::internal {
namespace {

/// Joins everything at exit: no thread is ever detached.
struct ProcessReaper {
  Reaper reaper;
  ~ProcessReaper() { (void)reaper.JoinAll(std::nullopt); }
};

}  // namespace

Reaper::~Reaper() {
  JoinEnded();
  std::vector<std::shared_ptr<Joinable>> left;
  {
    const MutexLock lock(mutex_);
    left.swap(joinables_);
  }
  for (auto& joinable : left) ForProcess().Adopt(std::move(joinable));
}

void Reaper::Adopt(std::shared_ptr<Joinable> joinable) {
  const MutexLock lock(mutex_);
  joinables_.push_back(std::move(joinable));
}

void Reaper::JoinEnded() {
  std::vector<std::shared_ptr<Joinable>> ended;
  {
    const MutexLock lock(mutex_);
    const auto first =
        std::stable_partition(joinables_.begin(), joinables_.end(), [](const auto& j) { return !j->Ended(); });
    std::move(first, joinables_.end(), std::back_inserter(ended));
    joinables_.erase(first, joinables_.end());
  }
  for (auto& joinable : ended) {
    if (!joinable->Join(std::nullopt)) Adopt(std::move(joinable));  // Called on that thread itself.
  }
}

std::vector<std::string> Reaper::JoinAll(std::optional<TimePoint> deadline) {
  std::vector<std::shared_ptr<Joinable>> all;
  {
    const MutexLock lock(mutex_);
    all = joinables_;
  }
  std::vector<std::string> running;
  for (const auto& joinable : all) {
    if (joinable->Join(deadline)) {
      const MutexLock lock(mutex_);
      std::erase(joinables_, joinable);
    } else {
      running.push_back(joinable->Running());
    }
  }
  return running;
}

std::uint64_t Reaper::NextId() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

Reaper& Reaper::ForProcess() {
  static ProcessReaper process;
  return process.reaper;
}

}  // namespace kinformer::internal
