#include "examples/pod-watcher/text.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PodTextTest, WidthsAreThoseOfATerminal) {
  EXPECT_EQ(DisplayWidth("web-0"), 5U);
  EXPECT_EQ(DisplayWidth("größe"), 5U);
  EXPECT_EQ(DisplayWidth("日本"), 4U);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1U) << "a combining accent";
  EXPECT_EQ(DisplayWidth("🚀"), 2U);
  EXPECT_EQ(DisplayWidth("\033[1mbold\033[22m"), 4U) << "attributes take no room";
}

TEST(PodTextTest, LongTextsAreCutWithAnEllipsisAndNeverInsideACharacter) {
  EXPECT_EQ(Cut("web-0", 5), "web-0");
  EXPECT_EQ(Cut("web-01", 5), "web-…");
  EXPECT_EQ(Cut("web", 1), "…");
  EXPECT_EQ(Cut("web", 0), "");
  EXPECT_EQ(Cut("日本語", 5), "日本…");
  EXPECT_EQ(Cut("日本語", 4), "日…") << "half of a wide character does not fit";
  EXPECT_EQ(Fit("日本語", 4), "日… ");
  EXPECT_EQ(Fit("a", 3), "a  ");
}

TEST(PodTextTest, NothingThatAServerSendsCanSteerTheTerminal) {
  EXPECT_EQ(Printable("Running"), "Running");
  EXPECT_EQ(Printable("\033[2Jgone\n"), "?[2Jgone?");
  EXPECT_EQ(Printable("a\u009bb\u202ec"), "a??b???c") << "controls in UTF-8 are replaced byte by byte";
  EXPECT_EQ(Printable("\xff\xc3"), "??");
  EXPECT_EQ(Printable("größe…"), "größe…");
}

TEST(PodTextTest, ProblemsAreWrappedAtSpacesAndCutAtTheLastLine) {
  EXPECT_THAT(Wrap("cannot connect to it", 10, 5), ElementsAre("cannot", "connect to", "it"));
  EXPECT_THAT(Wrap("cannot connect to it", 10, 2), ElementsAre("cannot", "connect t…"));
  EXPECT_THAT(Wrap("abcdefgh", 3, 5), ElementsAre("abc", "def", "gh"));
  EXPECT_THAT(Wrap("日本", 1, 9), ElementsAre("…", "…")) << "too wide for the terminal";
  EXPECT_THAT(Wrap("", 10, 5), IsEmpty());
}

TEST(PodTextTest, AFilterIgnoresCase) {
  EXPECT_TRUE(ContainsIgnoringCase("CrashLoopBackOff", LowerCase("LOOP")));
  EXPECT_TRUE(ContainsIgnoringCase("anything", ""));
  EXPECT_TRUE(ContainsIgnoringCase("", ""));
  EXPECT_FALSE(ContainsIgnoringCase("web", "webs"));
}

TEST(PodTextTest, TheFirstAndLastCharacterGoWhole) {
  EXPECT_EQ(WithoutLastCharacter("groß"), "gro");
  EXPECT_EQ(WithoutFirstCharacter("üb"), "b");
  EXPECT_EQ(WithoutLastCharacter(""), "");
  EXPECT_EQ(WithoutFirstCharacter(""), "");
}

TEST(PodTextTest, DurationsAreThoseOfKubectl) {
  EXPECT_EQ(HumanDuration(-5s), "<invalid>");
  EXPECT_EQ(HumanDuration(0s), "0s");
  EXPECT_EQ(HumanDuration(119s), "119s");
  EXPECT_EQ(HumanDuration(120s), "2m");
  EXPECT_EQ(HumanDuration(5min + 30s), "5m30s");
  EXPECT_EQ(HumanDuration(90min), "90m");
  EXPECT_EQ(HumanDuration(7h + 5min), "7h5m");
  EXPECT_EQ(HumanDuration(47h), "47h");
  EXPECT_EQ(HumanDuration(24h * 3 + 4h), "3d4h");
  EXPECT_EQ(HumanDuration(24h * 400), "400d");
  EXPECT_EQ(HumanDuration(24h * 740), "2y10d");
  EXPECT_EQ(HumanDuration(24h * 365 * 9), "9y");
}

}  // namespace
}  // namespace kinformer
