#include "src/listwatch/cacher/follow_tracker.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>

namespace kinformer::apiserver {
namespace {

using namespace std::chrono_literals;

Error Broken(const std::string& why) { return {.code = ErrorCode::kDisconnected, .message = why}; }

class FollowTrackerTest : public ::testing::Test {
 protected:
  bool Follows() const { return !tracker_.Check().has_value(); }

  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  FollowTracker tracker_{{.tolerance = 5s, .settled_after = 2s}, clock_};
};

TEST_F(FollowTrackerTest, AFailureCountsAfterAWhileAndSaysWhyAndHowLong) {
  EXPECT_TRUE(Follows());
  tracker_.Failed(Broken("first"));
  clock_->Advance(4s);
  EXPECT_TRUE(Follows());
  ASSERT_TRUE(tracker_.Check(/*tolerant=*/false));
  clock_->Advance(1s);
  tracker_.Failed(Broken("second"));
  const auto failure = tracker_.Check();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->duration, Duration(5s));
  EXPECT_EQ(failure->error.message, "second");
}

TEST_F(FollowTrackerTest, WhatTheStorageTellsEndsAFailure) {
  tracker_.Failed(Broken("x"));
  clock_->Advance(10s);
  ASSERT_FALSE(Follows());
  tracker_.DataReceived();
  EXPECT_TRUE(Follows());
  // The next failure starts over.
  tracker_.Failed(Broken("y"));
  clock_->Advance(4s);
  EXPECT_TRUE(Follows());
}

TEST_F(FollowTrackerTest, AWatchThatIsAcceptedAndLastsEndsAFailure) {
  tracker_.Failed(Broken("x"));
  clock_->Advance(10s);
  tracker_.Accepted();
  EXPECT_FALSE(Follows());
  clock_->Advance(2s);
  EXPECT_TRUE(Follows());
  tracker_.Failed(Broken("y"));
  EXPECT_TRUE(Follows()) << "that was long after the first one";
}

TEST_F(FollowTrackerTest, AWatchThatIsAcceptedAndBreaksAgainAndAgainIsAFailure) {
  tracker_.Failed(Broken("x"));
  for (int i = 0; i < 5; ++i) {
    clock_->Advance(1s);
    tracker_.Accepted();
    clock_->Advance(1s);
    tracker_.Failed(Broken("x"));
  }
  EXPECT_FALSE(Follows());
}

TEST_F(FollowTrackerTest, AStreamThatBreaksNowAndThenAndIsResumedIsNotAFailure) {
  for (int i = 0; i < 10; ++i) {
    tracker_.Failed(Broken("x"));
    for (int step = 0; step < 45; ++step) {
      if (step == 1) tracker_.Accepted();
      EXPECT_TRUE(Follows()) << i << " " << step;
      clock_->Advance(1s);
    }
  }
}

}  // namespace
}  // namespace kinformer::apiserver
