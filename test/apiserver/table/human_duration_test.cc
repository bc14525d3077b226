#include "src/apiserver/table/human_duration.h"

#include <chrono>

#include <gtest/gtest.h>

namespace kinformer::apiserver {
namespace {

using namespace std::chrono_literals;

TEST(HumanDuration, IsAsLongAsItsPrecisionDeserves) {
  EXPECT_EQ(HumanDuration(-2s), "<invalid>");
  EXPECT_EQ(HumanDuration(-1500ms), "0s");
  EXPECT_EQ(HumanDuration(0s), "0s");
  EXPECT_EQ(HumanDuration(119999ms), "119s");
  EXPECT_EQ(HumanDuration(2min), "2m");
  EXPECT_EQ(HumanDuration(5min + 12s), "5m12s");
  EXPECT_EQ(HumanDuration(10min + 59s), "10m");
  EXPECT_EQ(HumanDuration(179min), "179m");
  EXPECT_EQ(HumanDuration(3h), "3h");
  EXPECT_EQ(HumanDuration(3h + 7min), "3h7m");
  EXPECT_EQ(HumanDuration(47h), "47h");
  EXPECT_EQ(HumanDuration(48h), "2d");
  EXPECT_EQ(HumanDuration(24h * 5 + 3h), "5d3h");
  EXPECT_EQ(HumanDuration(24h * 8 + 3h), "8d");
  EXPECT_EQ(HumanDuration(24h * 729), "729d");
  EXPECT_EQ(HumanDuration(24h * 730), "2y");
  EXPECT_EQ(HumanDuration(24h * 770), "2y40d");
  EXPECT_EQ(HumanDuration(24h * 365 * 8 + 24h), "8y");
}

TEST(HumanDuration, AnAgeIsKnownOnlyOfAMomentThatIs) {
  const Timestamp now = *ParseTimestamp("2026-01-10T12:00:00Z");
  EXPECT_EQ(AgeSince("2026-01-10T11:59:15Z", now), "45s");
  EXPECT_EQ(AgeSince(std::nullopt, now), "<unknown>");
  EXPECT_EQ(AgeSince("yesterday", now), "<unknown>");
}

}  // namespace
}  // namespace kinformer::apiserver
