#ifndef KINFORMER_SRC_PROCESSOR_BURST_QUEUE_H_
#define KINFORMER_SRC_PROCESSOR_BURST_QUEUE_H_

#include <cstddef>
#include <list>
#include <vector>

#include "src/processor/notification.h"

namespace kinformer::internal {

/// Everything in the order it came, without a bound. Memory comes and goes in blocks, so that what a burst took is
/// given back while it is worked off.
///
/// @par Thread Safety
/// None: its owner locks.
class BurstQueue {
 public:
  static constexpr std::size_t kBlock = 64;

  void Push(Notification notification);
  /// Precondition: Size() > 0.
  Notification Pop();
  std::size_t Size() const { return size_; }
  /// Additions of the initial list among them.
  std::size_t Initial() const { return initial_; }
  /// Blocks of memory held: no more than Size() needs, one apart.
  std::size_t Blocks() const { return blocks_.size(); }

 private:
  std::list<std::vector<Notification>> blocks_;
  std::size_t head_ = 0;  // where in the first block the next one is
  std::size_t size_ = 0;
  std::size_t initial_ = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_PROCESSOR_BURST_QUEUE_H_
