#include "src/listwatch/cacher/incoming_queue.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace kinformer::apiserver {
namespace {

constexpr Duration kShortestPause = std::chrono::milliseconds(1);
constexpr Duration kLongestPause = std::chrono::milliseconds(50);

}  // namespace

IncomingQueue::Pushed IncomingQueue::Push(IncomingEvent incoming) {
  const MutexLock lock(mutex_);
  queue_.push_back(std::move(incoming));
  high_water_mark_ = std::max(high_water_mark_, queue_.size());
  return {.schedule = !std::exchange(scheduled_, true), .not_before = not_before_, .full = queue_.size() >= bound_};
}

bool IncomingQueue::TakeBatch(std::vector<IncomingEvent>& batch) {
  batch.clear();
  const MutexLock lock(mutex_);
  const std::size_t count = std::min(kBatch, queue_.size());
  for (std::size_t i = 0; i < count; ++i) {
    batch.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return !queue_.empty();
}

bool IncomingQueue::EndBatch(TimePoint not_before, bool more) {
  const MutexLock lock(mutex_);
  not_before_ = not_before;
  more = more || !queue_.empty();
  if (!more) scheduled_ = false;
  return more;
}

void IncomingQueue::Clear() {
  const MutexLock lock(mutex_);
  queue_.clear();
}

std::size_t IncomingQueue::size() const {
  const MutexLock lock(mutex_);
  return queue_.size();
}

std::size_t IncomingQueue::high_water_mark() const {
  const MutexLock lock(mutex_);
  return high_water_mark_;
}

Duration PauseAfterBatch(Duration cost_per_watcher, std::size_t watchers) {
  const Duration pause = cost_per_watcher * static_cast<Duration::rep>(watchers);
  return pause < kShortestPause ? Duration::zero() : std::min(pause, kLongestPause);
}

}  // namespace kinformer::apiserver
