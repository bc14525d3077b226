#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <kinformer/api/bytes.h>
#include <kinformer/api/duration.h>
#include <kinformer/api/int_or_string.h>
#include <kinformer/api/raw_json.h>
#include <kinformer/api/time.h>
#include <kinformer/base/result.h>

namespace kinformer::api {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

// The expected values are those of Go's time.ParseDuration and Duration.String.
TEST(DurationTest, MeansWhatGoReadsAndIsWrittenAsGoWritesIt) {
  struct Case {
    std::string text;
    std::int64_t nanos;
    std::string written;
  };
  const std::vector<Case> cases = {
      {"0", 0, "0s"},
      {"0s", 0, "0s"},
      {"5s", 5000000000, "5s"},
      {"30s", 30000000000, "30s"},
      {"1478s", 1478000000000, "24m38s"},
      {"-5s", -5000000000, "-5s"},
      {"+5s", 5000000000, "5s"},
      {"-0", 0, "0s"},
      {"+0", 0, "0s"},
      {"5.0s", 5000000000, "5s"},
      {"5.6s", 5600000000, "5.6s"},
      {"5.s", 5000000000, "5s"},
      {".5s", 500000000, "500ms"},
      {"1.0s", 1000000000, "1s"},
      {"1.00s", 1000000000, "1s"},
      {"1.004s", 1004000000, "1.004s"},
      {"1.0040s", 1004000000, "1.004s"},
      {"100.00100s", 100001000000, "1m40.001s"},
      {"10ns", 10, "10ns"},
      {"11us", 11000, "11µs"},
      {"12µs", 12000, "12µs"},
      {"12μs", 12000, "12µs"},
      {"13ms", 13000000, "13ms"},
      {"14s", 14000000000, "14s"},
      {"15m", 900000000000, "15m0s"},
      {"16h", 57600000000000, "16h0m0s"},
      {"3h30m", 12600000000000, "3h30m0s"},
      {"10.5s4m", 250500000000, "4m10.5s"},
      {"-2m3.4s", -123400000000, "-2m3.4s"},
      {"1h2m3s4ms5us6ns", 3723004005006, "1h2m3.004005006s"},
      {"39h9m14.425s", 140954425000000, "39h9m14.425s"},
      {"52763797000ns", 52763797000, "52.763797s"},
      {"0.3333333333333333333h", 1200000000000, "20m0s"},
      {"9007199254740993ns", 9007199254740993, "2501h59m59.254740993s"},
      {"9223372036854775807ns", 9223372036854775807, "2562047h47m16.854775807s"},
      {"9223372036854775.807us", 9223372036854775807, "2562047h47m16.854775807s"},
      {"9223372036s854ms775us807ns", 9223372036854775807, "2562047h47m16.854775807s"},
      {"-9223372036854775808ns", std::numeric_limits<std::int64_t>::min(), "-2562047h47m16.854775808s"},
      {"-9223372036854775.808us", std::numeric_limits<std::int64_t>::min(), "-2562047h47m16.854775808s"},
      {"-2562047h47m16.854775808s", std::numeric_limits<std::int64_t>::min(), "-2562047h47m16.854775808s"},
      {"0.100000000000000000000h", 360000000000, "6m0s"},
      {"0.830103483285477580700h", 2988372539827, "49m48.372539827s"},
      {"90s", 90000000000, "1m30s"},
      {"3600s", 3600000000000, "1h0m0s"},
      {"1.5h", 5400000000000, "1h30m0s"},
      {"1us", 1000, "1µs"},
      {"1500ns", 1500, "1.5µs"},
      {"1ms500us", 1500000, "1.5ms"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const Duration duration(c.text);
    EXPECT_EQ(duration.text(), c.text);
    EXPECT_EQ(duration.ToNanoseconds(), nanoseconds(c.nanos));
    EXPECT_EQ(Duration(nanoseconds(c.nanos)).text(), c.written);
    EXPECT_EQ(duration, Duration(c.written));
  }
}

TEST(DurationTest, RejectsWhatGoRejects) {
  for (const std::string text :
       {"", "3", "-", "s", ".", "-.", ".s", "+.s", "1d", "3000000h", "9223372036854775808ns", "9223372036854775.808us",
        "9223372036854ms775us808ns", "1h 2m", "1H", "0x1s", "1e3s"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(Duration(text).ToNanoseconds(), std::nullopt);
    EXPECT_EQ(Duration(text), Duration(text));
  }
  EXPECT_NE(Duration("x"), Duration("y"));
}

TEST(TimeTest, KeepsItsTextAndConvertsOnDemand) {
  const Time time("2024-05-01T14:30:00.5+02:00");
  EXPECT_EQ(time.text(), "2024-05-01T14:30:00.5+02:00");
  EXPECT_EQ(time.ToTimestamp(), Timestamp(seconds(1714566600) + milliseconds(500)));
  EXPECT_EQ(time, Time("2024-05-01T12:30:00.500Z"));
  EXPECT_NE(time, Time("2024-05-01T12:30:00Z"));
  EXPECT_EQ(Time("soon").ToTimestamp(), std::nullopt);
  EXPECT_EQ(Time("soon"), Time("soon"));
  EXPECT_NE(Time("soon"), Time("later"));
}

TEST(TimeTest, IsWrittenToTheSecondAndAMicroTimeToTheMicrosecond) {
  const auto at = std::chrono::sys_time<microseconds>(seconds(1714566600) + microseconds(123456));
  EXPECT_EQ(Time(at).text(), "2024-05-01T12:30:00Z");
  EXPECT_EQ(MicroTime(at).text(), "2024-05-01T12:30:00.123456Z");
  EXPECT_EQ(MicroTime(at), MicroTime("2024-05-01T12:30:00.123456000Z"));
}

TEST(BytesTest, KeepTheirBase64AndDecodeOnDemand) {
  EXPECT_EQ(Bytes::FromData("hello").base64(), "aGVsbG8=");
  EXPECT_EQ(Bytes::FromBase64("aGVsbG8=").Data(), "hello");
  EXPECT_EQ(Bytes::FromData(std::string("\0\xff", 2)).Data(), std::string("\0\xff", 2));
  EXPECT_EQ(Bytes::FromBase64("***").Data(), std::nullopt);
  EXPECT_EQ(Bytes::FromBase64("***").base64(), "***");
  EXPECT_EQ(Bytes(), Bytes::FromData(""));
}

TEST(IntOrStringTest, IsOneOfBoth) {
  const IntOrString port(80);
  EXPECT_TRUE(port.IsInt());
  EXPECT_EQ(port.ToInt(), 80);
  EXPECT_EQ(port.ToString(), "80");
  const IntOrString name("http");
  EXPECT_TRUE(name.IsText());
  EXPECT_EQ(name.text(), "http");
  EXPECT_EQ(name.ToString(), "http");
  EXPECT_NE(port, IntOrString("80"));
  EXPECT_EQ(name, IntOrString(std::string("http")));
}

// As apimachinery's IntValue and GetScaledValueFromIntOrPercent, with nullopt for their errors.
TEST(IntOrStringTest, ReadsNumbersAndPercentages) {
  struct Case {
    std::string text;
    std::optional<std::int64_t> number;
    std::optional<std::int64_t> up_of_seven;
    std::optional<std::int64_t> down_of_seven;
  };
  const std::optional<std::int64_t> none;
  const std::vector<Case> cases = {{"80", 80, none, none},    {"http", none, none, none},
                                   {"25%", none, 2, 1},       {"-5", -5, none, none},
                                   {"+7", 7, none, none},     {"", none, none, none},
                                   {"1.5", none, none, none}, {"50%", none, 4, 3},
                                   {"100%", none, 7, 7},      {"-10%", none, 0, -1},
                                   {"%", none, none, none},   {"x%", none, none, none},
                                   {"+-1", none, none, none}, {"99999999999999999999", none, none, none}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const IntOrString value(c.text);
    EXPECT_EQ(value.ToInt(), c.number);
    EXPECT_EQ(value.ScaledValue(7, true), c.up_of_seven);
    EXPECT_EQ(value.ScaledValue(7, false), c.down_of_seven);
  }
  EXPECT_EQ(IntOrString(3).ScaledValue(7, true), 3);
}

TEST(RawJsonTest, IsValidatedAndWithoutWhiteSpace) {
  EXPECT_EQ(RawJson::Parse(R"( { "a b" : [ 1 , "x\" y" ] } )")->text(), R"({"a b":[1,"x\" y"]})");
  EXPECT_EQ(RawJson().text(), "null");
  const auto broken = RawJson::Parse("{");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, ErrorCode::kMalformed);
  EXPECT_FALSE(RawJson::Parse(std::string(600, '[') + std::string(600, ']')));
}

}  // namespace
}  // namespace kinformer::api
