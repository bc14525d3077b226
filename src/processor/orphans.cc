#include "src/processor/orphans.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kinformer::internal {

Orphans::~Orphans() {
  for (const auto& listener : listeners_) listener->AwaitEnd();
}

void Orphans::Adopt(std::vector<std::shared_ptr<ProcessorListener>> listeners) {
  const MutexLock lock(mutex_);
  std::move(listeners.begin(), listeners.end(), std::back_inserter(listeners_));
}

void Orphans::JoinEnded() {
  std::vector<std::shared_ptr<ProcessorListener>> ended;
  {
    const MutexLock lock(mutex_);
    const auto first =
        std::stable_partition(listeners_.begin(), listeners_.end(), [](const auto& l) { return !l->Ended(); });
    std::move(first, listeners_.end(), std::back_inserter(ended));
    listeners_.erase(first, listeners_.end());
  }
  for (const auto& listener : ended) listener->AwaitEnd();
}

Orphans& Orphans::OfProcess() {
  static Orphans orphans;
  return orphans;
}

}  // namespace kinformer::internal
