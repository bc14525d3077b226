#include "src/processor/burst_queue.h"

#include <utility>

namespace kinformer::internal {

void BurstQueue::Push(Notification notification) {
  if (blocks_.empty() || blocks_.back().size() == kBlock) {
    blocks_.emplace_back();
    blocks_.back().reserve(kBlock);
  }
  if (IsInitial(notification)) ++initial_;
  blocks_.back().push_back(std::move(notification));
  ++size_;
}

Notification BurstQueue::Pop() {
  std::vector<Notification>& block = blocks_.front();
  Notification notification = std::move(block[head_]);
  ++head_;
  --size_;
  if (IsInitial(notification)) --initial_;
  if (size_ == 0) {
    block.clear();  // the last block is kept: an idle handler allocates nothing
    head_ = 0;
  } else if (head_ == kBlock) {
    blocks_.pop_front();
    head_ = 0;
  }
  return notification;
}

}  // namespace kinformer::internal
