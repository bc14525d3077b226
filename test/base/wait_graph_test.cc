#include "src/base/wait_graph.h"

#include <gtest/gtest.h>

namespace kinformer::internal {
namespace {

class WaitGraphTest : public ::testing::Test {
 protected:
  int a_ = 0;
  int b_ = 0;
  int c_ = 0;
  WaitGraph graph_;
};

TEST_F(WaitGraphTest, NobodyWaitsForItself) { EXPECT_FALSE(graph_.Begin(&a_, &a_)); }

TEST_F(WaitGraphTest, TwoDoNotWaitForEachOther) {
  EXPECT_TRUE(graph_.Begin(&a_, &b_));
  EXPECT_FALSE(graph_.Begin(&b_, &a_));
}

TEST_F(WaitGraphTest, ThreeDoNotWaitInACircle) {
  EXPECT_TRUE(graph_.Begin(&a_, &b_));
  EXPECT_TRUE(graph_.Begin(&b_, &c_));
  EXPECT_FALSE(graph_.Begin(&c_, &a_));
}

TEST_F(WaitGraphTest, SeveralMayWaitForOne) {
  EXPECT_TRUE(graph_.Begin(&a_, &c_));
  EXPECT_TRUE(graph_.Begin(&b_, &c_));
}

TEST_F(WaitGraphTest, AWaitThatEndedAndOneThatWasRefusedAreForgotten) {
  EXPECT_TRUE(graph_.Begin(&a_, &b_));
  EXPECT_FALSE(graph_.Begin(&b_, &a_));
  graph_.End(&a_);
  EXPECT_TRUE(graph_.Begin(&b_, &a_));
}

}  // namespace
}  // namespace kinformer::internal
