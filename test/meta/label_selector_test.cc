#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/meta/selector.h>

namespace kinformer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Labels = std::map<std::string, std::string>;

LabelSelector ParsedLabels(std::string_view text) {
  auto selector = LabelSelector::Parse(text);
  EXPECT_TRUE(selector) << text << ": " << (selector ? "" : selector.error().message);
  return selector ? *selector : LabelSelector::Nothing();
}

std::string LabelErrorOf(std::string_view text) {
  auto selector = LabelSelector::Parse(text);
  EXPECT_FALSE(selector) << text;
  if (selector) return "";
  EXPECT_EQ(selector.error().code, ErrorCode::kInvalidArgument);
  return selector.error().message;
}

TEST(LabelSelectorTest, TheEmptySelectorMatchesEverything) {
  for (const char* text : {"", "  ", "\t\n"}) {
    EXPECT_TRUE(ParsedLabels(text).IsEverything());
    EXPECT_TRUE(ParsedLabels(text).Matches(Labels{}));
    EXPECT_TRUE(ParsedLabels(text).Matches(Labels{{"a", "b"}}));
  }
  EXPECT_EQ(ToString(LabelSelector::Everything()), "");
}

TEST(LabelSelectorTest, NothingMatchesNothingAlsoAfterItsTextIsParsed) {
  const LabelSelector again = ParsedLabels(ToString(LabelSelector::Nothing()));
  for (const LabelSelector& nothing : {LabelSelector::Nothing(), again}) {
    EXPECT_FALSE(nothing.IsEverything());
    EXPECT_FALSE(nothing.Matches(Labels{}));
    EXPECT_FALSE(nothing.Matches(Labels{{"nothing", ""}}));
  }
}

TEST(LabelSelectorTest, EqualityNeedsTheLabelWithThatValue) {
  for (const char* text : {"a=b", "a==b", " a = b ", "a\t==\nb"}) {
    EXPECT_TRUE(ParsedLabels(text).Matches(Labels{{"a", "b"}, {"c", "d"}})) << text;
    EXPECT_FALSE(ParsedLabels(text).Matches(Labels{{"a", "c"}})) << text;
    EXPECT_FALSE(ParsedLabels(text).Matches(Labels{})) << text;
  }
}

TEST(LabelSelectorTest, AnEmptyValueIsAValueAndNotAnAbsentLabel) {
  EXPECT_TRUE(ParsedLabels("a=").Matches(Labels{{"a", ""}}));
  EXPECT_FALSE(ParsedLabels("a=").Matches(Labels{}));
  EXPECT_FALSE(ParsedLabels("a!=").Matches(Labels{{"a", ""}}));
  EXPECT_TRUE(ParsedLabels("a=,b=c").Matches(Labels{{"a", ""}, {"b", "c"}}));
}

TEST(LabelSelectorTest, InequalityMatchesWhereTheLabelIsAbsent) {
  EXPECT_TRUE(ParsedLabels("a!=b").Matches(Labels{}));
  EXPECT_TRUE(ParsedLabels("a!=b").Matches(Labels{{"a", "c"}}));
  EXPECT_FALSE(ParsedLabels("a!=b").Matches(Labels{{"a", "b"}}));
}

TEST(LabelSelectorTest, InMatchesAnyOfTheValues) {
  EXPECT_TRUE(ParsedLabels("e in (x,y)").Matches(Labels{{"e", "y"}}));
  EXPECT_FALSE(ParsedLabels("e in (x,y)").Matches(Labels{{"e", "z"}}));
  EXPECT_FALSE(ParsedLabels("e in (x,y)").Matches(Labels{}));
}

TEST(LabelSelectorTest, NotInMatchesWhereTheLabelIsAbsent) {
  EXPECT_TRUE(ParsedLabels("e notin (x,y)").Matches(Labels{}));
  EXPECT_TRUE(ParsedLabels("e notin (x,y)").Matches(Labels{{"e", "z"}}));
  EXPECT_FALSE(ParsedLabels("e notin (x,y)").Matches(Labels{{"e", "x"}}));
}

TEST(LabelSelectorTest, ASetMayContainTheEmptyValue) {
  EXPECT_TRUE(ParsedLabels("a in ()").Matches(Labels{{"a", ""}}));
  EXPECT_EQ(ParsedLabels("a in (,)"), ParsedLabels("a in ()"));
  EXPECT_EQ(ToString(ParsedLabels("a in (b,)")), "a in (,b)");
  EXPECT_EQ(ToString(ParsedLabels("a in (b,,c)")), "a in (,b,c)");
}

TEST(LabelSelectorTest, ExistenceAndAbsenceLookAtTheKeyAlone) {
  EXPECT_TRUE(ParsedLabels("f").Matches(Labels{{"f", ""}}));
  EXPECT_FALSE(ParsedLabels("f").Matches(Labels{}));
  EXPECT_TRUE(ParsedLabels("!f").Matches(Labels{}));
  EXPECT_TRUE(ParsedLabels("! f").Matches(Labels{}));
  EXPECT_FALSE(ParsedLabels("!f").Matches(Labels{{"f", ""}}));
}

TEST(LabelSelectorTest, ComparisonsMatchOnlyLabelsThatAreIntegers) {
  EXPECT_TRUE(ParsedLabels("n>1").Matches(Labels{{"n", "2"}}));
  EXPECT_FALSE(ParsedLabels("n>1").Matches(Labels{{"n", "1"}}));
  EXPECT_TRUE(ParsedLabels("n<5").Matches(Labels{{"n", "4"}}));
  EXPECT_TRUE(ParsedLabels("n<5").Matches(Labels{{"n", "-4"}}));
  EXPECT_FALSE(ParsedLabels("n<5").Matches(Labels{{"n", "5"}}));
  for (const char* value : {"", "x", "4x", "4.0", "99999999999999999999", "+-4"}) {
    EXPECT_FALSE(ParsedLabels("n<5").Matches(Labels{{"n", value}})) << value;
    EXPECT_FALSE(ParsedLabels("n>5").Matches(Labels{{"n", value}})) << value;
  }
  EXPECT_FALSE(ParsedLabels("n<5").Matches(Labels{}));
}

TEST(LabelSelectorTest, AllRequirementsMustMatchAlsoOnTheSameKey) {
  EXPECT_TRUE(ParsedLabels("n>1,n<5,n!=3").Matches(Labels{{"n", "4"}}));
  EXPECT_FALSE(ParsedLabels("n>1,n<5,n!=3").Matches(Labels{{"n", "3"}}));
  EXPECT_FALSE(ParsedLabels("a=1,a=2").Matches(Labels{{"a", "1"}}));
}

TEST(LabelSelectorTest, TheWordsInAndNotinAreKeysAndValuesWhereTheyStandAsSuch) {
  EXPECT_TRUE(ParsedLabels("in in (in,notin)").Matches(Labels{{"in", "notin"}}));
  EXPECT_TRUE(ParsedLabels("notin=in").Matches(Labels{{"notin", "in"}}));
  EXPECT_TRUE(ParsedLabels("in").Matches(Labels{{"in", ""}}));
  EXPECT_TRUE(ParsedLabels("!notin,x notin(in)").Matches(Labels{}));
}

TEST(LabelSelectorTest, TheTextIsCanonicalHoweverTheSelectorWasWritten) {
  EXPECT_EQ(ToString(ParsedLabels(" c != d , a==b,!f,e in ( y , x,y ),g notin (z) , h,n>1,m<2,a=b")),
            "a=b,c!=d,e in (x,y),!f,g notin (z),h,m<2,n>1");
  EXPECT_EQ(ParsedLabels("a=b,c=d"), ParsedLabels("c==d , a=b"));
  EXPECT_NE(ParsedLabels("a=b"), ParsedLabels("a!=b"));
}

TEST(LabelSelectorTest, AnErrorSaysWhereWhatWasFoundAndWhatWasExpected) {
  EXPECT_THAT(LabelErrorOf("a=b,"), HasSubstr("at byte 4: found the end, expected a label key or '!'"));
  EXPECT_THAT(LabelErrorOf(",a"), HasSubstr("at byte 0: found \",\", expected a label key"));
  EXPECT_THAT(LabelErrorOf("a=b c"), HasSubstr("at byte 4: found \"c\", expected ',' or the end"));
  EXPECT_THAT(LabelErrorOf("a b"), HasSubstr("at byte 2: found \"b\", expected one of =, ==, !=, in, notin"));
  EXPECT_THAT(LabelErrorOf("a in x"), HasSubstr("at byte 5: found \"x\", expected '('"));
  EXPECT_THAT(LabelErrorOf("a in (x"), HasSubstr("at byte 7: found the end, expected ',' or ')'"));
  EXPECT_THAT(LabelErrorOf("a in (x y)"), HasSubstr("at byte 8: found \"y\", expected ',' or ')'"));
  EXPECT_THAT(LabelErrorOf("a in (=)"), HasSubstr("at byte 6: found \"=\", expected a value, ',' or ')'"));
  EXPECT_THAT(LabelErrorOf("!a=b"), HasSubstr("at byte 2: found \"=\", expected ',' or the end"));
  EXPECT_THAT(LabelErrorOf("!!a"), HasSubstr("at byte 1: found \"!\", expected a label key"));
  EXPECT_THAT(LabelErrorOf("a===b"), HasSubstr("at byte 3: found \"=\", expected a value"));
  EXPECT_THAT(LabelErrorOf("a in"), HasSubstr("at byte 4: found the end, expected '('"));
}

TEST(LabelSelectorTest, KeysAndValuesAreCheckedWhereTheyStand) {
  EXPECT_THAT(LabelErrorOf("a=b,-c=d"), HasSubstr("at byte 4: label key \"-c\""));
  EXPECT_THAT(LabelErrorOf("a=b,A.b/c=d"), HasSubstr("at byte 4: label key \"A.b/c\""));
  EXPECT_THAT(LabelErrorOf("a in (x,y/z)"), HasSubstr("at byte 8: label value \"y/z\""));
  EXPECT_THAT(LabelErrorOf("a=" + std::string(64, 'x')), HasSubstr("longer than 63 bytes"));
  EXPECT_THAT(LabelErrorOf("n>x"), HasSubstr("an integer"));
  EXPECT_THAT(LabelErrorOf("n>"), HasSubstr("an integer"));
  EXPECT_THAT(LabelErrorOf(std::string("a\0b", 3)), HasSubstr("at byte 0: label key \"a\\x00b\""));
}

TEST(LabelSelectorTest, ATextBeyondTheBoundIsRefused) {
  auto selector = LabelSelector::Parse(std::string(kMaxSelectorBytes + 1, 'a'));
  ASSERT_FALSE(selector);
  EXPECT_EQ(selector.error().code, ErrorCode::kTooLarge);
  EXPECT_TRUE(LabelSelector::Parse(std::string(kMaxSelectorBytes, ' ')));
}

TEST(LabelSelectorTest, ASelectorIsBuiltFromWhatAnApiObjectHolds) {
  auto selector = LabelSelector::FromApi(
      {{"app", "web"}},
      {{"tier", "In", {"b", "a"}}, {"env", "NotIn", {"dev"}}, {"x", "Exists", {}}, {"y", "DoesNotExist", {}}});
  ASSERT_TRUE(selector) << selector.error().message;
  EXPECT_EQ(ToString(*selector), "app=web,env notin (dev),tier in (a,b),x,!y");
  EXPECT_TRUE(LabelSelector::FromApi({}, {})->IsEverything());
}

TEST(LabelSelectorTest, AnErrorInAnApiObjectNamesTheEntry) {
  auto bad_operator = LabelSelector::FromApi({}, {{"a", "Exists", {}}, {"b", "Gt", {"1"}}});
  ASSERT_FALSE(bad_operator);
  EXPECT_THAT(bad_operator.error().message, HasSubstr("matchExpressions[1]: operator \"Gt\""));
  auto no_values = LabelSelector::FromApi({}, {{"a", "In", {}}});
  ASSERT_FALSE(no_values);
  EXPECT_THAT(no_values.error().message, HasSubstr("matchExpressions[0]: label \"a\""));
  auto values_of_exists = LabelSelector::FromApi({}, {{"a", "Exists", {"x"}}});
  EXPECT_FALSE(values_of_exists);
  auto bad_key = LabelSelector::FromApi({{"-", "x"}});
  ASSERT_FALSE(bad_key);
  EXPECT_THAT(bad_key.error().message, HasSubstr("matchLabels: label key"));
}

TEST(LabelSelectorTest, ASelectorIsBuiltFromRequirements) {
  auto requirement = LabelRequirement::Create("a", LabelOperator::kIn, {"y", "x", "y"});
  ASSERT_TRUE(requirement);
  EXPECT_THAT(requirement->values(), ElementsAre("x", "y"));
  const LabelSelector selector({*requirement, *requirement});
  EXPECT_EQ(selector, ParsedLabels("a in (x,y)"));
  EXPECT_EQ(selector.requirements().size(), 1U);
  EXPECT_FALSE(LabelRequirement::Create("a", LabelOperator::kEquals));
  EXPECT_FALSE(LabelRequirement::Create("a", LabelOperator::kEquals, {"x", "y"}));
  EXPECT_FALSE(LabelRequirement::Create("a", LabelOperator::kLessThan, {"x"}));
}

TEST(LabelSelectorTest, AndNeedsBoth) {
  EXPECT_EQ(ParsedLabels("a=b").And(ParsedLabels("c,a=b")), ParsedLabels("a=b,c"));
  EXPECT_EQ(ParsedLabels("a=b").And(LabelSelector::Everything()), ParsedLabels("a=b"));
}

TEST(LabelSelectorTest, AnExactMatchIsFoundWhereOneValueIsRequired) {
  EXPECT_EQ(ParsedLabels("a=b,c").RequiresExactMatch("a"), "b");
  EXPECT_EQ(ParsedLabels("a in (b)").RequiresExactMatch("a"), "b");
  EXPECT_EQ(ParsedLabels("a in (b,c)").RequiresExactMatch("a"), std::nullopt);
  EXPECT_EQ(ParsedLabels("a!=b").RequiresExactMatch("a"), std::nullopt);
  EXPECT_EQ(ParsedLabels("a=b").RequiresExactMatch("c"), std::nullopt);
}

struct Finder {
  std::optional<std::string_view> Find(std::string_view key) const {
    if (key == "a") return "b";
    return std::nullopt;
  }
};

TEST(LabelSelectorTest, LabelsComeFromAFindAMapOrACallable) {
  const LabelSelector selector = ParsedLabels("a=b,!c");
  EXPECT_TRUE(selector.Matches(Finder{}));
  EXPECT_TRUE(selector.Matches(std::unordered_map<std::string, std::string>{{"a", "b"}}));
  EXPECT_TRUE(selector.Matches(std::map<std::string, std::string, std::less<>>{{"a", "b"}}));
  EXPECT_TRUE(selector.Matches(std::map<std::string_view, std::string_view>{{"a", "b"}}));
  EXPECT_TRUE(selector.Matches([](std::string_view key) { return Finder{}.Find(key); }));
}

}  // namespace
}  // namespace kinformer
