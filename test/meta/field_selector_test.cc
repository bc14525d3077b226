#include <map>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/meta/selector.h>

namespace kinformer {
namespace {

using ::testing::HasSubstr;

FieldSelector Parsed(std::string_view text) {
  auto selector = FieldSelector::Parse(text);
  EXPECT_TRUE(selector) << text << ": " << (selector ? "" : selector.error().message);
  return selector ? *selector : FieldSelector();
}

std::string ErrorOf(std::string_view text) {
  auto selector = FieldSelector::Parse(text);
  EXPECT_FALSE(selector) << text;
  if (selector) return "";
  EXPECT_EQ(selector.error().code, ErrorCode::kInvalidArgument);
  return selector.error().message;
}

std::optional<std::string> RunningPod(std::string_view field) {
  if (field == "metadata.name") return "web-0";
  if (field == "status.phase") return "Running";
  return std::nullopt;
}

TEST(FieldSelectorTest, AllTermsMustMatch) {
  EXPECT_TRUE(Parsed("metadata.name=web-0,status.phase==Running").Matches(RunningPod));
  EXPECT_TRUE(Parsed("metadata.name=web-0,status.phase!=Pending").Matches(RunningPod));
  EXPECT_FALSE(Parsed("metadata.name=web-0,status.phase!=Running").Matches(RunningPod));
  EXPECT_FALSE(Parsed("metadata.name=web-1").Matches(RunningPod));
}

TEST(FieldSelectorTest, AFieldThatIsAbsentIsEmpty) {
  EXPECT_TRUE(Parsed("spec.nodeName=").Matches(RunningPod));
  EXPECT_FALSE(Parsed("spec.nodeName!=").Matches(RunningPod));
  EXPECT_TRUE(Parsed("spec.nodeName!=a").Matches(RunningPod));
}

TEST(FieldSelectorTest, ValuesMayComeAsAnyKindOfText) {
  EXPECT_TRUE(Parsed("a=b").Matches([](std::string_view) { return "b"; }));
  EXPECT_TRUE(Parsed("a=b").Matches([](std::string_view) { return std::string("b"); }));
  EXPECT_TRUE(Parsed("a=b").Matches([](std::string_view) { return std::optional<std::string_view>("b"); }));
}

TEST(FieldSelectorTest, TheEmptySelectorMatchesEverything) {
  for (const char* text : {"", ",", ",,"}) {
    EXPECT_TRUE(Parsed(text).IsEverything());
    EXPECT_TRUE(Parsed(text).Matches(RunningPod));
  }
}

TEST(FieldSelectorTest, EscapedCharactersAreDataAndComeBackEscaped) {
  const FieldSelector selector = Parsed(R"(a=x\,y\=z\\,b=c)");
  ASSERT_EQ(selector.requirements().size(), 2U);
  EXPECT_EQ(selector.requirements()[0].value, R"(x,y=z\)");
  EXPECT_EQ(ToString(selector), R"(a=x\,y\=z\\,b=c)");
}

TEST(FieldSelectorTest, TheTextIsCanonicalHoweverTheSelectorWasWritten) {
  EXPECT_EQ(ToString(Parsed("status.phase!=Running,,metadata.name==x,status.phase!=Running,")),
            "metadata.name=x,status.phase!=Running");
  EXPECT_EQ(Parsed("a=b,c=d"), Parsed("c==d,a=b"));
}

TEST(FieldSelectorTest, ValuesKeepTheirBlanks) {
  EXPECT_EQ(Parsed("reason= a b ").RequiresExactMatch("reason"), " a b ");
}

TEST(FieldSelectorTest, AnErrorSaysWhereWhatWasFoundAndWhatWasExpected) {
  EXPECT_THAT(ErrorOf("metadata.name"), HasSubstr("at byte 13: found the end, expected one of =, ==, !="));
  EXPECT_THAT(ErrorOf("a=b,c"), HasSubstr("at byte 5: found the end, expected one of"));
  EXPECT_THAT(ErrorOf("a=b,=c"), HasSubstr("at byte 4: found \"=\", expected the name of a field"));
  EXPECT_THAT(ErrorOf("a=b, c=d"), HasSubstr("at byte 4: found \" \", expected the name of a field"));
  EXPECT_THAT(ErrorOf("a in (b)"), HasSubstr("at byte 1: found \" \", expected one of"));
  EXPECT_THAT(ErrorOf("a=b=c"), HasSubstr("at byte 3: found '='"));
  EXPECT_THAT(ErrorOf(R"(a=b\c)"), HasSubstr("at byte 3: found \"\\c\", expected one of"));
  EXPECT_THAT(ErrorOf(R"(a=b\)"), HasSubstr("at byte 3: found \"\\\", expected one of"));
}

TEST(FieldSelectorTest, ATextBeyondTheBoundIsRefused) {
  auto selector = FieldSelector::Parse("a=" + std::string(kMaxSelectorBytes, 'b'));
  ASSERT_FALSE(selector);
  EXPECT_EQ(selector.error().code, ErrorCode::kTooLarge);
}

TEST(FieldSelectorTest, AnExactMatchIsFoundWhereAFieldMustHaveOneValue) {
  EXPECT_EQ(Parsed("metadata.name=x,a!=b").RequiresExactMatch("metadata.name"), "x");
  EXPECT_EQ(Parsed("metadata.name!=x").RequiresExactMatch("metadata.name"), std::nullopt);
  EXPECT_EQ(Parsed("").RequiresExactMatch("metadata.name"), std::nullopt);
}

TEST(FieldSelectorTest, ASelectorIsBuiltFromRequirements) {
  auto selector = FieldSelector::From({{"b", FieldOperator::kNotEquals, "x=y"}, {"a", FieldOperator::kEquals, ""}});
  ASSERT_TRUE(selector);
  EXPECT_EQ(ToString(*selector), R"(a=,b!=x\=y)");
  EXPECT_EQ(Parsed(ToString(*selector)), *selector);
  for (const char* bad : {"", "a b", "a=b", "a!", "a,b", "a\\"}) {
    EXPECT_FALSE(FieldSelector::From({{bad, FieldOperator::kEquals, "x"}})) << bad;
  }
}

TEST(FieldSelectorTest, AndNeedsBoth) { EXPECT_EQ(Parsed("a=b").And(Parsed("c!=d,a=b")), Parsed("a=b,c!=d")); }

}  // namespace
}  // namespace kinformer
