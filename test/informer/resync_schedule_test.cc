#include "src/informer/resync_schedule.h"

#include <chrono>

#include <kinformer/base/fake_clock.h>

#include <gtest/gtest.h>

namespace kinformer::internal {
namespace {

using namespace std::chrono_literals;

class ResyncScheduleTest : public ::testing::Test {
 protected:
  FakeClock clock_;
  const TimePoint now_ = clock_.Now();
  ResyncSchedule schedule_;
};

TEST_F(ResyncScheduleTest, NothingIsArmedBeforeTheFirstListOrWithoutAPeriod) {
  EXPECT_EQ(schedule_.Arm(now_ + 1s), std::nullopt);
  schedule_.Begin();
  EXPECT_EQ(schedule_.Arm(std::nullopt), std::nullopt);
  EXPECT_EQ(schedule_.Arm(now_ + 1s), now_ + 1s);
}

TEST_F(ResyncScheduleTest, AnEarlierTimerServesALaterResync) {
  schedule_.Begin();
  EXPECT_EQ(schedule_.Arm(now_ + 5s), now_ + 5s);
  EXPECT_EQ(schedule_.Arm(now_ + 5s), std::nullopt);
  EXPECT_EQ(schedule_.Arm(now_ + 9s), std::nullopt);
  EXPECT_EQ(schedule_.Arm(now_ + 2s), now_ + 2s) << "an earlier one needs its own";
}

TEST_F(ResyncScheduleTest, AfterATimerTheNextOneIsArmed) {
  schedule_.Begin();
  EXPECT_EQ(schedule_.Arm(now_ + 5s), now_ + 5s);
  clock_.Advance(5s);
  schedule_.Fired();
  EXPECT_EQ(schedule_.Arm(clock_.Now() + 5s), now_ + 10s);
}

}  // namespace
}  // namespace kinformer::internal
