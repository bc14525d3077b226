#include "src/base/text.h"

#include <gtest/gtest.h>

#include "src/base/utc_text.h"
#include "src/base/utf8.h"

namespace kinformer::internal {
namespace {

TEST(TextTest, TrimsOnlyTheGivenBlanksAndOnlyAtTheEnds) {
  EXPECT_EQ(Trim(" \t\n\r\v\fa b\f\v\r\n\t "), "a b");
  EXPECT_EQ(Trim(" \v "), "");
  EXPECT_EQ(Trim(""), "");
  EXPECT_EQ(Trim("\t a\r\n", kHeaderSpace), "a\r\n");
}

TEST(TextTest, LettersOfAsciiHaveACaseAndOthersDoNot) {
  EXPECT_EQ(Lower(std::string("AbZ[`@{\xC4\xE4")), "abz[`@{\xC4\xE4");
  EXPECT_TRUE(EqualsIgnoringCase("Content-TYPE", "content-type"));
  EXPECT_FALSE(EqualsIgnoringCase("Content-Type", "Content-Type2"));
  EXPECT_FALSE(EqualsIgnoringCase("\xC4", "\xE4"));
  EXPECT_FALSE(EqualsIgnoringCase("@", "`"));
}

TEST(TextTest, EmptyPartsAreJoinedToo) {
  EXPECT_EQ(Joined({}, ", "), "");
  EXPECT_EQ(Joined({"a"}, ", "), "a");
  EXPECT_EQ(Joined({"", "a", ""}, ", "), ", a, ");
}

TEST(TextTest, WhatWasReplacedIsNotSearchedAgain) {
  EXPECT_EQ(ReplaceAll("aaa", "aa", "a"), "aa");
  EXPECT_EQ(ReplaceAll("x-x", "x", "xx"), "xx-xx");
  EXPECT_EQ(ReplaceAll("", "x", "y"), "");
}

TEST(UtcTextTest, EachPartHasItsWidth) {
  using std::chrono::seconds;
  using std::chrono::sys_seconds;
  EXPECT_EQ(UtcText(sys_seconds(seconds(0))), "1970-01-01T00:00:00");
  EXPECT_EQ(UtcText(sys_seconds(seconds(-1))), "1969-12-31T23:59:59");
  EXPECT_EQ(UtcText(sys_seconds(seconds(1709164799))), "2024-02-28T23:59:59");
  EXPECT_EQ(UtcText(sys_seconds(seconds(-62167219200))), "0000-01-01T00:00:00");
  EXPECT_EQ(UtcText(sys_seconds(seconds(253402300799))), "9999-12-31T23:59:59");
}

TEST(Utf8Test, OverlongFormsAndSurrogatesAreInvalid) {
  EXPECT_EQ(Utf8Length(""), 0U);
  EXPECT_EQ(Utf8Length("a"), 1U);
  EXPECT_EQ(Utf8Length("ä."), 2U);
  EXPECT_EQ(Utf8Length("€"), 3U);
  EXPECT_EQ(Utf8Length("\xF0\x9F\x98\x80"), 4U);
  for (const char* invalid : {"\x80", "\xC0\x80", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
                              "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x82"}) {
    EXPECT_EQ(Utf8Length(invalid), 0U);
  }
}

}  // namespace
}  // namespace kinformer::internal
