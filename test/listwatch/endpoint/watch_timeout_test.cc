#include "src/listwatch/endpoint/watch_timeout.h"

#include <limits>

#include <gtest/gtest.h>

namespace kinformer::apiserver {
namespace {

using namespace std::chrono_literals;

TEST(WatchTimeoutTest, IsThatOfTheClientOrThirtyToSixtyMinutes) {
  const TimePoint now = TimePoint() + 1h;
  EXPECT_EQ(WatchDeadline(now, 0, 0.0), now + 1800s);
  EXPECT_EQ(WatchDeadline(now, 0, 0.5), now + 2700s);
  EXPECT_EQ(WatchDeadline(now, 30, 0.5), now + 30s);
  EXPECT_EQ(WatchDeadline(now, -1, 0.5), now);
  EXPECT_EQ(WatchDeadline(now, std::numeric_limits<std::int64_t>::max(), 0.5), now + kMaxWatchTimeout);
}

}  // namespace
}  // namespace kinformer::apiserver
