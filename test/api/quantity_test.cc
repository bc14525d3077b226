#include <kinformer/api/quantity.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace kinformer::api {
namespace {

// The expected values are those of apimachinery 0.36, except where its int64 overflows silently (here: nullopt), and
// for values of negative amounts below a unit (-0.1n: apimachinery rounds these up to 1), and for binary results beyond
// 2^63-1 (7Ei+7Ei: apimachinery writes 14Ei, which it reads as 2^63-1).

TEST(QuantityTest, MeansWhatApimachineryReads) {
  struct Case {
    std::string text;
    std::string canonical;
    std::optional<std::int64_t> value;
    std::optional<std::int64_t> milli_value;
  };
  const std::vector<Case> cases = {
      {"0", "0", 0, 0},
      {"1", "1", 1, 1000},
      {"100m", "100m", 1, 100},
      {"1000m", "1", 1, 1000},
      {"1500m", "1500m", 2, 1500},
      {"0.5", "500m", 1, 500},
      {".5", "500m", 1, 500},
      {"1.", "1", 1, 1000},
      {"+1", "1", 1, 1000},
      {"-1", "-1", -1, -1000},
      {"-1.5", "-1500m", -2, -1500},
      {"0.1", "100m", 1, 100},
      {"0.001", "1m", 1, 1},
      {"1n", "1n", 1, 1},
      {"1u", "1u", 1, 1},
      {"1m", "1m", 1, 1},
      {"1k", "1k", 1000, 1000000},
      {"1M", "1M", 1000000, 1000000000},
      {"1G", "1G", 1000000000, 1000000000000},
      {"1T", "1T", 1000000000000, 1000000000000000},
      {"1P", "1P", 1000000000000000, 1000000000000000000},
      {"1E", "1E", 1000000000000000000, std::nullopt},
      {"1Ki", "1Ki", 1024, 1024000},
      {"1Mi", "1Mi", 1048576, 1048576000},
      {"1Gi", "1Gi", 1073741824, 1073741824000},
      {"1Ti", "1Ti", 1099511627776, 1099511627776000},
      {"1Pi", "1Pi", 1125899906842624, 1125899906842624000},
      {"1Ei", "1Ei", 1152921504606846976, std::nullopt},
      {"7Ei", "7Ei", 8070450532247928832, std::nullopt},
      {"8Ei", "9223372036854775807", 9223372036854775807, std::nullopt},
      {"100Ei", "9223372036854775807", 9223372036854775807, std::nullopt},
      {"-8Ei", "-9223372036854775807", -9223372036854775807, std::nullopt},
      {"1024Mi", "1Gi", 1073741824, 1073741824000},
      {"1000Ki", "1000Ki", 1024000, 1024000000},
      {"1536Mi", "1536Mi", 1610612736, 1610612736000},
      {"0.5Gi", "512Mi", 536870912, 536870912000},
      {"1.5Gi", "1536Mi", 1610612736, 1610612736000},
      {"1.1Ki", "1126400m", 1127, 1126400},
      {"0.1Ki", "102400m", 103, 102400},
      {"0.0001Ki", "102400u", 1, 103},
      {"512", "512", 512, 512000},
      {"1023Ki", "1023Ki", 1047552, 1047552000},
      {"1024", "1024", 1024, 1024000},
      {"1024Ki", "1Mi", 1048576, 1048576000},
      {"2048Ki", "2Mi", 2097152, 2097152000},
      {"12e6", "12e6", 12000000, 12000000000},
      {"12E6", "12e6", 12000000, 12000000000},
      {"1e3", "1e3", 1000, 1000000},
      {"1e-3", "1e-3", 1, 1},
      {"1e+3", "1e3", 1000, 1000000},
      {"1.5e3", "1500", 1500, 1500000},
      {"123456e-6", "123456e-6", 1, 124},
      {"1e-10", "1e-9", 1, 1},
      {"0.1n", "1n", 1, 1},
      {"0.0000000001", "1n", 1, 1},
      {"-0.1n", "-1n", -1, -1},
      {"1.1n", "2n", 1, 1},
      {"100000", "100k", 100000, 100000000},
      {"123456789", "123456789", 123456789, 123456789000},
      {"1000000", "1M", 1000000, 1000000000},
      {"1234567890123456789", "1234567890123456789", 1234567890123456789, std::nullopt},
      {"9223372036854775807", "9223372036854775807", 9223372036854775807, std::nullopt},
      {"9223372036854775808", "9223372036854775808", std::nullopt, std::nullopt},
      {"99999999999999999999", "99999999999999999999", std::nullopt, std::nullopt},
      {"1e18", "1e18", 1000000000000000000, std::nullopt},
      {"1e20", "100e18", std::nullopt, std::nullopt},
      {"00001", "1", 1, 1000},
      {"0000", "0", 0, 0},
      {"0.0", "0", 0, 0},
      {"-0", "0", 0, 0},
      {"1.0", "1", 1, 1000},
      {"1.000", "1", 1, 1000},
      {"1.000Gi", "1Gi", 1073741824, 1073741824000},
      {"1.0Ki", "1Ki", 1024, 1024000},
      {"0.3333333333Gi", "357913941297541940n", 357913942, 357913941298},
      {"0.33333333333333333333333333333Ki", "341333333334n", 342, 341334},
      {"3.1415926535897932384626433832795", "3141592654n", 4, 3142},
      {"999999999999999999999Ki", "9223372036854775807", 9223372036854775807, std::nullopt},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const Quantity quantity(c.text);
    EXPECT_TRUE(quantity.IsValid());
    EXPECT_EQ(quantity.text(), c.text);
    EXPECT_EQ(quantity.Canonical(), c.canonical);
    EXPECT_EQ(quantity.Value(), c.value);
    EXPECT_EQ(quantity.MilliValue(), c.milli_value);
    EXPECT_EQ(quantity, Quantity(c.canonical));
  }
}

TEST(QuantityTest, RejectsWhatApimachineryRejects) {
  for (const std::string text : {"",      "a",    "1a",   "1 ",   " 1",    "1K",  "1ki",
                                 "1mi",   "1ee3", "1e",   "1E3E", "1e3.5", "--1", "+-1",
                                 "1.2.3", "1i",   "1KiB", "1e-",  "0x10",  "1,5", "1e99999999999999999999"}) {
    SCOPED_TRACE(text);
    const Quantity quantity(text);
    EXPECT_FALSE(quantity.IsValid());
    EXPECT_EQ(quantity.text(), text);
    EXPECT_EQ(quantity.Canonical(), text);
    EXPECT_EQ(quantity.Value(), std::nullopt);
    EXPECT_EQ(quantity.ToDouble(), std::nullopt);
    EXPECT_EQ(quantity.Sign(), 0);
    EXPECT_EQ((quantity + Quantity("1")).text(), "");
  }
}

TEST(QuantityTest, CalculatesExactlyAndInCanonicalForm) {
  struct Case {
    std::string a;
    std::string b;
    std::string sum;
    std::string difference;
    std::string times_three;
    int order;
  };
  const std::vector<Case> cases = {
      {"1", "1", "2", "0", "3", 0},
      {"500m", "500m", "1", "0", "1500m", 0},
      {"1Gi", "512Mi", "1536Mi", "512Mi", "3Gi", 1},
      {"1Gi", "1G", "2073741824", "73741824", "3Gi", 1},
      {"1G", "1Gi", "2073741824", "-73741824", "3G", -1},
      {"0", "1Gi", "1Gi", "-1Gi", "0", -1},
      {"0", "1e3", "1e3", "-1e3", "0", -1},
      {"1e3", "1k", "2e3", "0", "3e3", 0},
      {"100m", "1", "1100m", "-900m", "300m", -1},
      {"1", "100m", "1100m", "900m", "3", 1},
      {"1.5Gi", "0.5Gi", "2Gi", "1Gi", "4608Mi", 1},
      {"1Ki", "1", "1025", "1023", "3Ki", 1},
      {"1Ki", "100m", "1024100m", "1023900m", "3Ki", 1},
      {"1n", "1", "1000000001n", "-999999999n", "3n", -1},
      {"9223372036854775807", "1", "9223372036854775808", "9223372036854775806", "27670116110564327421", 1},
      {"7Ei", "7Ei", "16140901064495857664", "0", "24211351596743786496", 0},
      {"-7Ei", "7Ei", "0", "-16140901064495857664", "-24211351596743786496", -1},
      {"4Ei", "3Ei", "7Ei", "1Ei", "13835058055282163712", 1},
      {"-1", "1", "0", "-2", "-3", -1},
      {"1", "-3", "-2", "4", "3", 1},
      {"0.0001Ki", "1Mi", "1048576102400u", "-1048575897600u", "307200u", -1},
      {"100m", "100u", "100100u", "99900u", "300m", 1},
      {"1e-3", "1e-3", "2e-3", "0", "3e-3", 0},
      {"1M", "1", "1000001", "999999", "3M", 1},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.a + " and " + c.b);
    const Quantity a(c.a);
    const Quantity b(c.b);
    EXPECT_EQ((a + b).text(), c.sum);
    EXPECT_EQ((a - b).text(), c.difference);
    EXPECT_EQ((a * 3).text(), c.times_three);
    EXPECT_EQ(a == b, c.order == 0);
    EXPECT_EQ(a < b, c.order < 0);
    EXPECT_EQ(a > b, c.order > 0);
  }
}

TEST(QuantityTest, ResultsBeyondTheBinaryNotationCanBeCalculatedWith) {
  const Quantity large("7Ei");
  EXPECT_EQ((large + large) - large, large);
  EXPECT_EQ(large * 3, large + large + large);
  EXPECT_EQ(large * 3 - large * 2, large);
  EXPECT_EQ(-(large * 3) + large * 4, large);
  EXPECT_GT(large + large, large);
}

TEST(QuantityTest, AMovedOneIsZero) {
  Quantity number = Quantity::FromNumber("123456789012345678901234567890");
  Quantity moved = std::move(number);
  EXPECT_TRUE(moved.IsNumber());
  EXPECT_EQ(number.text(), "0");
  EXPECT_FALSE(number.IsNumber());
  number = std::move(moved);
  EXPECT_TRUE(number.IsNumber());
  EXPECT_EQ(moved.text(), "0");
  EXPECT_FALSE(moved.IsNumber());
  Quantity& same = number;
  number = std::move(same);
  EXPECT_EQ(number.text(), "123456789012345678901234567890");
}

TEST(QuantityTest, AccumulatesInPlace) {
  Quantity sum;
  for (const char* const part : {"100m", "250m", "1", "650m"}) sum += part;
  EXPECT_EQ(sum.text(), "2");
  sum -= "3";
  EXPECT_EQ(sum.text(), "-1");
  EXPECT_EQ(sum.Sign(), -1);
  EXPECT_EQ((-sum).text(), "1");
}

TEST(QuantityTest, OneThatIsNotValidIsUnorderedAndEqualsOnlyItsText) {
  EXPECT_EQ(Quantity("x"), Quantity("x"));
  EXPECT_NE(Quantity("x"), Quantity("y"));
  EXPECT_NE(Quantity("x"), Quantity("0"));
  EXPECT_FALSE(Quantity("x") < Quantity("1"));
  EXPECT_FALSE(Quantity("x") > Quantity("1"));
}

TEST(QuantityTest, WhatExceedsItsRangeIsNotValid) {
  EXPECT_TRUE(Quantity("9999999999999999999999999999").IsValid());
  EXPECT_FALSE(Quantity("1e28").IsValid());
  EXPECT_FALSE(Quantity("1e2000000000").IsValid());
  EXPECT_EQ(Quantity("1e-2000000000").Canonical(), "1e-9");
  const Quantity large("9999999999999999999999999999");
  EXPECT_EQ((large + large).text(), "");
  EXPECT_EQ((large * 1000).text(), "");
}

TEST(QuantityTest, ConvertsFromIntegersAndToDoubles) {
  EXPECT_EQ(Quantity(5).text(), "5");
  EXPECT_EQ(Quantity(std::int64_t{-7}).text(), "-7");
  EXPECT_DOUBLE_EQ(Quantity("1500m").ToDouble().value(), 1.5);
  EXPECT_DOUBLE_EQ(Quantity("1Gi").ToDouble().value(), 1073741824.0);
  EXPECT_EQ(Quantity().text(), "0");
}

}  // namespace
}  // namespace kinformer::api
