#include "src/listwatch/cacher/event_ring.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace kinformer::apiserver {

EventRing::EventRing(const EventRingOptions& options)
    : options_(options), max_capacity_(std::max(options.max_capacity, options.min_capacity)) {
  for (Duration window = std::chrono::seconds(75); window < options.window; window *= 2) max_capacity_ *= 2;
  slots_.resize(std::max<std::size_t>(1, options.min_capacity));
}

void EventRing::Append(CacheEventPtr event) {
  if (Full()) {
    const TimePoint now = event->recorded;
    const std::size_t quarter = std::max<std::size_t>(1, capacity() / 4);
    if (now - At(0)->recorded < options_.window) {
      Resize(std::min(capacity() * 2, max_capacity_));
    } else if (now - At(size() - quarter)->recorded > options_.window) {
      Resize(std::max(capacity() / 2, options_.min_capacity));
    }
  }
  if (Full()) {
    slots_[start_ % slots_.size()] = nullptr;
    ++start_;
    evicted_ = true;
  }
  slots_[end_ % slots_.size()] = std::move(event);
  ++end_;
}

void EventRing::Resize(std::size_t capacity) {
  if (capacity == this->capacity()) return;
  std::vector<CacheEventPtr> slots(capacity);
  const std::size_t keep = std::min(capacity, size());
  if (keep < size()) evicted_ = true;
  for (std::size_t i = 0; i < keep; ++i) slots[i] = At(size() - keep + i);
  slots_ = std::move(slots);
  start_ = 0;
  end_ = keep;
}

void EventRing::Clear() {
  std::fill(slots_.begin(), slots_.end(), nullptr);
  start_ = end_ = 0;
  evicted_ = false;
}

std::size_t EventRing::FirstAfter(Revision revision) const {
  std::size_t low = 0;
  std::size_t high = size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (At(middle)->revision <= revision) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace kinformer::apiserver
