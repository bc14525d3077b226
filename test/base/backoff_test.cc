#include <kinformer/base/backoff.h>

#include <gtest/gtest.h>

namespace kinformer {
namespace {

using namespace std::chrono_literals;

TEST(BackoffTest, DoublesFlattensAtTheCapAndStartsAgainAfterAReset) {
  Backoff backoff({.initial = 800ms, .factor = 2, .cap = 5s, .jitter = 0, .reset_after = 0s});
  const TimePoint now{};
  EXPECT_EQ(backoff.Next(now), 800ms);
  EXPECT_EQ(backoff.Next(now), 1600ms);
  EXPECT_EQ(backoff.Next(now), 3200ms);
  EXPECT_EQ(backoff.Next(now), 5s);
  EXPECT_EQ(backoff.Next(now), 5s);
  backoff.Reset();
  EXPECT_EQ(backoff.Next(now), 800ms);
}

TEST(BackoffTest, ForgetsAfterAQuietTime) {
  Backoff backoff({.jitter = 0});
  TimePoint now{1h};
  EXPECT_EQ(backoff.Next(now), 800ms);
  EXPECT_EQ(backoff.Next(now += 119s), 1600ms);
  EXPECT_EQ(backoff.Next(now += 120s), 800ms);
}

TEST(BackoffTest, JitterStretchesEachDelayByLessThanItsOwnLength) {
  Backoff backoff({.initial = 1s, .factor = 1, .cap = 1s, .jitter = 1}, 42);
  Duration shortest = 10s;
  Duration longest = 0s;
  for (int i = 0; i < 1'000; ++i) {
    const Duration delay = backoff.Next(TimePoint{});
    ASSERT_GE(delay, 1s);
    ASSERT_LT(delay, 2s);
    shortest = std::min(shortest, delay);
    longest = std::max(longest, delay);
  }
  EXPECT_LT(shortest, 1100ms);
  EXPECT_GT(longest, 1900ms);
}

TEST(BackoffTest, NeverOverflowsHoweverOftenItIsAsked) {
  Backoff backoff({.initial = 1s, .factor = 1e6, .cap = 24h, .jitter = 0});
  for (int i = 0; i < 100; ++i) backoff.Next(TimePoint{});
  EXPECT_EQ(backoff.Next(TimePoint{}), 24h);
}

TEST(BackoffTest, NeverOverflows) {
  Backoff backoff({.initial = Duration::max() / 4, .cap = Duration::max(), .jitter = 1.0}, 1);
  for (int i = 0; i < 10; ++i) EXPECT_GT(backoff.Next(TimePoint()), Duration::zero());
  EXPECT_EQ(backoff.Next(TimePoint()), Duration::max());
}

}  // namespace
}  // namespace kinformer
