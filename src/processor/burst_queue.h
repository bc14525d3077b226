#ifndef KINFORMER_SRC_PROCESSOR_BURST_QUEUE_H_
#define KINFORMER_SRC_PROCESSOR_BURST_QUEUE_H_

#include <cstddef>
#include <list>
#include <vector>

#include "src/processor/notification.h"

namespace kinformer::internal {

/// An unbounded FIFO. Memory is allocated in blocks, so that the memory of a burst is released while it drains.
///
/// @par Thread Safety
/// None: the owner locks.
class BurstQueue {
 public:
  static constexpr std::size_t kBlock = 64;

  void Push(Notification notification);
  /// Precondition: Size() > 0.
  Notification Pop();
  std::size_t Size() const { return size_; }
  /// Queued additions from the initial list.
  std::size_t Initial() const { return initial_; }
  /// Memory blocks held: at most one more than Size() needs.
  std::size_t Blocks() const { return blocks_.size(); }

 private:
  std::list<std::vector<Notification>> blocks_;
  std::size_t head_ = 0;  // index of the next notification in the first block
  std::size_t size_ = 0;
  std::size_t initial_ = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_PROCESSOR_BURST_QUEUE_H_
