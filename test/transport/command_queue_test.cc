#include "src/transport/command_queue.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinformer::internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CommandQueueTest, GivesCommandsInOrderAndWakesForEach) {
  int wakes = 0;
  CommandQueue<int> queue([&] { ++wakes; });
  EXPECT_TRUE(queue.Push(1));
  EXPECT_TRUE(queue.Push(2));
  EXPECT_EQ(wakes, 2);
  EXPECT_THAT(queue.TakeAll(), ElementsAre(1, 2));
  EXPECT_THAT(queue.TakeAll(), IsEmpty());
  queue.Wake();
  EXPECT_EQ(wakes, 3);
}

TEST(CommandQueueTest, OnceClosedItTakesNothingAndWakesNobody) {
  int wakes = 0;
  CommandQueue<std::unique_ptr<int>> queue([&] { ++wakes; });
  queue.Push(std::make_unique<int>(1));
  EXPECT_EQ(queue.Close().size(), 1U) << "what was not served";
  auto late = std::make_unique<int>(2);
  EXPECT_FALSE(queue.Push(std::move(late)));
  EXPECT_NE(late, nullptr) << "it stays the caller's";  // NOLINT(bugprone-use-after-move)
  queue.Wake();
  EXPECT_EQ(wakes, 1);
  EXPECT_THAT(queue.TakeAll(), IsEmpty());
}

}  // namespace
}  // namespace kinformer::internal
