#include "src/processor/burst_queue.h"

#include <string>

#include <gtest/gtest.h>

#include "test/processor/processor_testing.h"

namespace kinformer::internal {
namespace {

TEST(BurstQueueTest, KeepsOrderAcrossBlocks) {
  BurstQueue queue;
  int pushed = 0;
  int popped = 0;
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 37; ++i) queue.Push(Added(Pod("p", pushed++)));
    for (int i = 0; i < 31; ++i) ASSERT_EQ(Describe(queue.Pop()), "+p" + std::to_string(popped++));
  }
  EXPECT_EQ(queue.Size(), static_cast<std::size_t>(pushed - popped));
  while (queue.Size() > 0) ASSERT_EQ(Describe(queue.Pop()), "+p" + std::to_string(popped++));
  EXPECT_EQ(popped, pushed);
}

TEST(BurstQueueTest, GivesMemoryBackWhileABurstIsWorkedOff) {
  BurstQueue queue;
  const ObjectPtr pod = Pod("a");
  const std::size_t burst = 100 * BurstQueue::kBlock;
  for (std::size_t i = 0; i < burst; ++i) queue.Push(Added(pod));
  EXPECT_EQ(queue.Blocks(), 100u);
  for (std::size_t i = 0; i < burst / 2; ++i) queue.Pop();
  EXPECT_LE(queue.Blocks(), 51u);
  while (queue.Size() > 0) queue.Pop();
  EXPECT_LE(queue.Blocks(), 1u);
  EXPECT_EQ(pod.use_count(), 1) << "an object handed out is not kept";
  for (int i = 0; i < 1000; ++i) {
    queue.Push(Added(pod));
    queue.Pop();
  }
  EXPECT_LE(queue.Blocks(), 1u);
}

TEST(BurstQueueTest, CountsAdditionsOfTheInitialList) {
  BurstQueue queue;
  queue.Push(Added(Pod("a"), true));
  queue.Push(Added(Pod("b"), false));
  queue.Push(Added(Pod("c"), true));
  EXPECT_EQ(queue.Initial(), 2u);
  queue.Pop();
  EXPECT_EQ(queue.Initial(), 1u);
  queue.Pop();
  EXPECT_EQ(queue.Initial(), 1u);
  queue.Pop();
  EXPECT_EQ(queue.Initial(), 0u);
}

}  // namespace
}  // namespace kinformer::internal
