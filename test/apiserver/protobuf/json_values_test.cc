#include "src/apiserver/protobuf/json_values.h"

#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace kinformer::apiserver::protobuf {
namespace {

std::string Duration(std::int64_t nanos) {
  std::string out;
  AppendDuration(nanos, out);
  return out;
}

TEST(JsonValues, ADurationIsWrittenAsGoWritesIt) {
  EXPECT_EQ(Duration(0), "\"0s\"");
  EXPECT_EQ(Duration(7), "\"7ns\"");
  EXPECT_EQ(Duration(1500), "\"1.5\u00b5s\"");
  EXPECT_EQ(Duration(2000000), "\"2ms\"");
  EXPECT_EQ(Duration(1000000000), "\"1s\"");
  EXPECT_EQ(Duration(1500000000), "\"1.5s\"");
  EXPECT_EQ(Duration(90000000000), "\"1m30s\"");
  EXPECT_EQ(Duration(5400000000000), "\"1h30m0s\"");
  EXPECT_EQ(Duration(-3600000000001), "\"-1h0m0.000000001s\"");
  EXPECT_EQ(Duration(std::numeric_limits<std::int64_t>::min()), "\"-2562047h47m16.854775808s\"");
}

TEST(JsonValues, ADoubleIsItsShortestTextAndInfinityIsNone) {
  std::string out;
  EXPECT_TRUE(AppendDouble(0.1, out));
  EXPECT_EQ(out, "0.1");
  EXPECT_FALSE(AppendDouble(std::numeric_limits<double>::infinity(), out));
  EXPECT_FALSE(AppendDouble(std::numeric_limits<double>::quiet_NaN(), out));
  EXPECT_EQ(out, "0.1");
}

TEST(JsonValues, AMicroTimeHasSixDigits) {
  std::string out;
  EXPECT_TRUE(AppendTime(1700000000, 1999, true, out));
  EXPECT_EQ(out, "\"2023-11-14T22:13:20.000001Z\"");
  EXPECT_FALSE(AppendTime(0, -1, true, out));
}

}  // namespace
}  // namespace kinformer::apiserver::protobuf
