#include <kinformer/meta/time.h>

#include <gtest/gtest.h>

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;

constexpr Timestamp kNoon = sys_days(std::chrono::year(2024) / 2 / 29) + 12h;

TEST(TimeTest, ATimestampOfTheApiIsRead) {
  EXPECT_EQ(ParseTimestamp("2024-02-29T12:00:00Z"), kNoon);
  EXPECT_EQ(ParseTimestamp("1970-01-01T00:00:01Z"), Timestamp(1s));
  EXPECT_EQ(ParseTimestamp("1969-12-31T23:59:59.5Z"), Timestamp(-500ms));
}

TEST(TimeTest, FractionsOfAnyLengthAreRead) {
  EXPECT_EQ(ParseTimestamp("2024-02-29T12:00:00.123456Z"), kNoon + 123456us);
  EXPECT_EQ(ParseTimestamp("2024-02-29T12:00:00.5Z"), kNoon + 500ms);
  EXPECT_EQ(ParseTimestamp("2024-02-29T12:00:00.000000001999Z"),
            kNoon + std::chrono::duration_cast<Timestamp::duration>(1ns));
}

TEST(TimeTest, OffsetsAreTakenOff) {
  EXPECT_EQ(ParseTimestamp("2024-02-29T14:30:00+02:30"), kNoon);
  EXPECT_EQ(ParseTimestamp("2024-02-29T04:00:00.25-08:00"), kNoon + 250ms);
}

TEST(TimeTest, WhatIsNoTimestampIsNothing) {
  for (const char* bad : {"",
                          "now",
                          "2024-02-29",
                          "2024-02-29T12:00:00",
                          "2024-02-29 12:00:00Z",
                          "2024-02-29T12:00:00ZZ",
                          "2023-02-29T12:00:00Z",
                          "2024-13-01T12:00:00Z",
                          "2024-00-01T12:00:00Z",
                          "2024-01-00T12:00:00Z",
                          "2024-02-29T24:00:00Z",
                          "2024-02-29T12:60:00Z",
                          "2024-02-29T12:00:60Z",
                          "2024-02-29T12:00:00.Z",
                          "2024-02-29T12:00:00+0200",
                          "2024-02-29T12:00:00+24:00",
                          "2024-02-29T12:00:00+00:60",
                          "+024-02-29T12:00:00Z",
                          "2024-2-29T12:00:00Z",
                          "2024-02-29T12:00:00z",
                          "2024-02-29T12:00:00.5"}) {
    EXPECT_EQ(ParseTimestamp(bad), std::nullopt) << bad;
  }
}

TEST(TimeTest, AYearThatTheClockCannotHoldIsNothing) {
  EXPECT_EQ(ParseTimestamp("0001-01-01T00:00:00Z"), std::nullopt);
  EXPECT_EQ(ParseTimestamp("9999-12-31T23:59:59.999999999Z"), std::nullopt);
}

TEST(TimeTest, WhatIsWrittenIsReadBack) {
  EXPECT_EQ(FormatTimestamp(kNoon + 999ms), "2024-02-29T12:00:00Z");
  EXPECT_EQ(FormatMicroTime(kNoon), "2024-02-29T12:00:00.000000Z");
  EXPECT_EQ(FormatMicroTime(kNoon + 1234us), "2024-02-29T12:00:00.001234Z");
  EXPECT_EQ(FormatTimestamp(Timestamp(-1ms)), "1969-12-31T23:59:59Z");
  EXPECT_EQ(ParseTimestamp(FormatMicroTime(kNoon + 7us)), kNoon + 7us);
  for (const Timestamp limit : {Timestamp::min(), Timestamp::max()}) {
    EXPECT_EQ(FormatTimestamp(limit).size(), 20U);
  }
}

}  // namespace
}  // namespace kinformer
