#include "src/base/rate_limiter.h"

#include <gtest/gtest.h>

#include <chrono>

namespace kinformer::internal {
namespace {

using namespace std::chrono_literals;

TEST(RateLimiterTest, ABurstPassesAtOnceAndThenOneTokenATime) {
  RateLimiter limiter(/*qps=*/10, /*burst=*/2);
  const TimePoint now{};
  EXPECT_EQ(limiter.Reserve(now), 0ms);
  EXPECT_EQ(limiter.Reserve(now), 0ms);
  EXPECT_EQ(limiter.Reserve(now), 100ms);
  EXPECT_EQ(limiter.Reserve(now), 200ms);
  EXPECT_EQ(limiter.Reserve(now + 1h), 0ms);
}

TEST(RateLimiterTest, WithoutARateNothingWaits) {
  RateLimiter limiter(0, 0);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(limiter.Reserve(TimePoint{}), 0ms);
}

}  // namespace
}  // namespace kinformer::internal
