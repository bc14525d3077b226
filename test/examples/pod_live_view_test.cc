#include "examples/pod-watcher/live_view.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "examples/pod-watcher/terminal.h"
#include "examples/pod-watcher/text.h"
#include "test/examples/screen.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using testing_support::Screen;
using Code = Key::Code;

const Timestamp kNow{1'000'000s};

PodRow Row(std::size_t number) {
  return {.namespace_name = number % 10 == 9 ? "kube-system" : "default",
          .name = "worker-" + std::to_string(number),
          .phase = Phase::kRunning,
          .health = Health::kGood,
          .status = "Running",
          .ready = true,
          .ready_containers = 1,
          .containers = 1,
          .created = kNow - 90s,
          .node = "node-" + std::to_string(number % 7),
          .ip = "10.0.0.1",
          .images = "nginx:1",
          .version = 1000 - number};
}

Changes Rows(std::size_t count) {
  Changes changes;
  for (std::size_t i = 0; i < count; ++i) changes[KeyOf(Row(i))] = Row(i);
  return changes;
}
Changes One(const PodRow& row) {
  Changes changes;
  changes[KeyOf(row)] = row;
  return changes;
}

/// What a user sees, without attributes.
std::vector<std::string> Seen(LiveView& view, std::size_t width, std::size_t height, Timestamp now = kNow) {
  Screen screen(width, height);
  screen.Feed(Redraw({}, view.Render(width, height, now), width));
  return screen.Lines();
}
std::string Selected(LiveView& view, std::size_t width = 80, std::size_t height = 24) {
  for (const std::string& line : Seen(view, width, height)) {
    if (line.starts_with(">")) return line;
  }
  return "";
}
std::string Footer(LiveView& view) { return Seen(view, 80, 24).back(); }
void Type(LiveView& view, const std::string& text) {
  for (const char c : text) EXPECT_TRUE(view.Handle({.code = Code::kText, .text = std::string(1, c)}));
}
void Press(LiveView& view, Code code, int times = 1) {
  for (int i = 0; i < times; ++i) EXPECT_TRUE(view.Handle({.code = code}));
}

TEST(PodLiveViewTest, AFrameHasASummaryAHeaderTheNewestPodsAndTheKeys) {
  LiveView view({});
  view.Apply(Rows(30));
  PodRow failing = Row(3);
  failing.phase = Phase::kFailed;
  failing.health = Health::kFailing;
  failing.status = "CrashLoopBackOff";
  failing.restarts = 12;
  failing.version = 2000;
  failing.changed = kNow - 1s;
  view.Apply(One(failing));
  view.SetEvents(31);
  const std::vector<std::string> lines = Seen(view, 100, 10);
  ASSERT_EQ(lines.size(), 10U);
  EXPECT_EQ(lines[0], "30 pods  29 Running  1 Failed  12 restarts");
  EXPECT_EQ(lines[1], "  NAMESPACE  NAME      READY  STATUS            RESTARTS  AGE  NODE");
  EXPECT_EQ(lines[2], ">*default    worker-3  1/1    CrashLoopBackOff  12        90s  node-3");
  EXPECT_EQ(lines[3], "  default    worker-0  1/1    Running           0         90s  node-0");
  EXPECT_THAT(lines[9], StartsWith("↑↓ scroll  s sort:changed↓  r reverse  / filter  ? help  q quit"));
  EXPECT_THAT(lines[9], HasSubstr("1/30  31 events"));
}

TEST(PodLiveViewTest, OneNamespaceIsNamedInTheSummaryAndHasNoColumn) {
  LiveView view({.namespace_name = "shop"});
  view.Apply(Rows(1));
  EXPECT_THAT(Seen(view, 80, 24)[0], StartsWith("1 pod in shop  1 Running"));
  EXPECT_THAT(Seen(view, 80, 24)[1], Not(HasSubstr("NAMESPACE")));
}

TEST(PodLiveViewTest, WideHasAddressesImagesAndTheTimeOfTheLastRestart) {
  LiveView view({.wide = true});
  PodRow row = Row(0);
  row.restarts = 2;
  row.last_restart = kNow - 5min;
  view.Apply(One(row));
  EXPECT_EQ(Seen(view, 120, 24)[1], "  NAMESPACE  NAME      READY  STATUS   RESTARTS    AGE  NODE    IP        IMAGES");
  EXPECT_EQ(Seen(view, 120, 24)[2],
            "> default    worker-0  1/1    Running  2 (5m ago)  90s  node-0  10.0.0.1  nginx:1");
}

TEST(PodLiveViewTest, FramesOfEverySizeFit) {
  LiveView view({.wide = true});
  view.Apply(Rows(500));
  PodRow pod = Row(0);
  pod.name = "a-name-of-a-deployment-that-is-rather-long-7d9f8b6c5d-x2x4z";
  pod.status = "CreateContainerConfigError";
  pod.images = std::string(300, 'i');
  pod.version = 5000;
  pod.changed = kNow;
  view.Apply(One(pod));
  view.SetProblem("watching pods: cannot connect to 127.0.0.1:1: Connection refused; trying again");
  for (const bool help : {false, true}) {
    if (help) Type(view, "?");
    for (std::size_t width = 1; width <= 260; width += width < 50 ? 1 : 35) {
      for (std::size_t height = 1; height <= 61; height += height < 12 ? 1 : 12) {
        const std::vector<std::string> lines = view.Render(width, height, kNow);
        EXPECT_EQ(lines.size(), height);
        for (const std::string& line : lines) EXPECT_LE(DisplayWidth(line), width) << line;
      }
    }
  }
}

TEST(PodLiveViewTest, A40x10TerminalShowsNameReadyStatusAndAge) {
  LiveView view({});
  view.Apply(Rows(300));
  PodRow pod = Row(0);
  pod.name = "worker-with-a-long-name-0";
  pod.status = "ContainerCreating";
  pod.version = 5000;
  view.Apply(One(pod));
  EXPECT_THAT(Seen(view, 40, 10),
              ElementsAre("301 pods  301 Running  0 restarts",         //
                          "  NAME            READY  STATUS      AGE",  //
                          "> worker-with-a…  1/1    Container…  90s",  //
                          "  worker-0        1/1    Running     90s",  //
                          "  worker-1        1/1    Running     90s",  //
                          "  worker-2        1/1    Running     90s",  //
                          "  worker-3        1/1    Running     90s",  //
                          "  worker-4        1/1    Running     90s",  //
                          "  worker-5        1/1    Running     90s",  //
                          "s sort:changed↓ / filter ? help q quit"));
}

TEST(PodLiveViewTest, A250x60TerminalShowsAllColumnsWhole) {
  LiveView view({.wide = true});
  view.Apply(Rows(300));
  const std::vector<std::string> lines = Seen(view, 250, 60);
  EXPECT_THAT(lines[1], HasSubstr("IMAGES"));
  EXPECT_THAT(lines[2], HasSubstr("worker-0"));
  EXPECT_THAT(lines[58], HasSubstr("worker-56")) << "57 rows between the header and the footer";
  for (const std::string& line : lines) EXPECT_THAT(line, Not(HasSubstr("…")));
}

TEST(PodLiveViewTest, TheSummaryTakesMoreLinesWhereOneIsTooShort) {
  LiveView view({});
  Changes changes;
  for (const Phase phase : {Phase::kRunning, Phase::kPending, Phase::kSucceeded, Phase::kFailed, Phase::kUnknown}) {
    PodRow row = Row(static_cast<std::size_t>(phase));
    row.phase = phase;
    row.ready = false;
    changes[KeyOf(row)] = row;
  }
  view.Apply(std::move(changes));
  EXPECT_EQ(Seen(view, 100, 10)[0],
            "5 pods  1 Running  1 not ready  1 Pending  1 Failed  1 Unknown  1 Succeeded  0 restarts");
  const std::vector<std::string> lines = Seen(view, 40, 10);
  EXPECT_EQ(lines[0], "5 pods  1 Running  1 not ready");
  EXPECT_EQ(lines[1], "1 Pending  1 Failed  1 Unknown");
  EXPECT_EQ(lines[2], "1 Succeeded  0 restarts");
  EXPECT_THAT(lines[3], StartsWith("  NAME"));
}

TEST(PodLiveViewTest, ScrollingStopsAtBothEnds) {
  LiveView view({});
  view.Apply(Rows(100));
  EXPECT_THAT(Selected(view), HasSubstr("worker-0 "));
  Press(view, Code::kUp, 3);
  EXPECT_THAT(Selected(view), HasSubstr("worker-0 "));
  Press(view, Code::kDown, 2);
  Type(view, "jk");
  EXPECT_THAT(Selected(view), HasSubstr("worker-2 "));
  Press(view, Code::kPageDown);
  EXPECT_THAT(Selected(view), HasSubstr("worker-23 ")) << "a page is the 21 rows in sight";
  Press(view, Code::kPageDown, 10);
  EXPECT_THAT(Selected(view), HasSubstr("worker-99 "));
  EXPECT_THAT(Seen(view, 80, 24)[22], StartsWith(">")) << "the last pod is in the last row";
  Press(view, Code::kHome);
  EXPECT_THAT(Selected(view), HasSubstr("worker-0 "));
  Press(view, Code::kEnd);
  EXPECT_THAT(Footer(view), HasSubstr("100/100"));
  Press(view, Code::kPageUp, 10);
  EXPECT_THAT(Footer(view), HasSubstr(" 1/100"));
  Type(view, "G");
  EXPECT_THAT(Footer(view), HasSubstr("100/100"));
  Type(view, "g");
  EXPECT_THAT(Footer(view), HasSubstr(" 1/100"));
}

TEST(PodLiveViewTest, ScrollingAnEmptyTableDoesNothing) {
  LiveView view({});
  Press(view, Code::kEnd);
  Press(view, Code::kDown);
  Press(view, Code::kPageUp);
  EXPECT_EQ(Seen(view, 80, 24)[2], "  no pods");
  EXPECT_THAT(Footer(view), HasSubstr("0/0"));
}

TEST(PodLiveViewTest, ASmallerTerminalKeepsTheSelectedPodInSight) {
  LiveView view({});
  view.Apply(Rows(30));
  Press(view, Code::kDown, 15);
  EXPECT_THAT(Selected(view, 80, 24), HasSubstr("worker-15 "));
  EXPECT_THAT(Selected(view, 40, 5), HasSubstr("worker-15 "));
  EXPECT_THAT(Selected(view, 250, 60), HasSubstr("worker-15 "));
  EXPECT_THAT(Seen(view, 250, 60)[2], HasSubstr("worker-0 ")) << "a taller one is filled";
}

TEST(PodLiveViewTest, TheSelectedPodIsFollowedAtItsPlaceOnTheScreen) {
  LiveView view({});
  view.Apply(Rows(100));
  Press(view, Code::kDown, 50);
  const std::vector<std::string> before = Seen(view, 80, 24);
  PodRow newer = Row(99);
  newer.version = 5000;
  view.Apply(One(newer));
  const std::vector<std::string> after = Seen(view, 80, 24);
  EXPECT_THAT(Selected(view), HasSubstr("worker-50 "));
  EXPECT_THAT(Footer(view), HasSubstr("52/100"));
  for (std::size_t i = 0; i < 23; ++i) EXPECT_EQ(before[i], after[i]);

  Changes gone;
  gone[KeyOf(Row(50))] = std::nullopt;
  view.Apply(std::move(gone));
  EXPECT_THAT(Selected(view), HasSubstr("worker-51 ")) << "the one that took its place";
}

TEST(PodLiveViewTest, InTheFirstRowTheSelectionStaysOnTop) {
  LiveView view({});
  view.Apply(Rows(100));
  PodRow newer = Row(99);
  newer.version = 5000;
  view.Apply(One(newer));
  EXPECT_THAT(Selected(view), HasSubstr("worker-99 "));
}

TEST(PodLiveViewTest, SGoesToTheNextOrderAndRReversesIt) {
  LiveView view({});
  view.Apply(Rows(12));
  Type(view, "s");
  EXPECT_THAT(Seen(view, 80, 24)[1], HasSubstr("NAME↓"));
  EXPECT_THAT(Footer(view), HasSubstr("sort:name↓"));
  EXPECT_THAT(Selected(view), HasSubstr("worker-0 "));
  Type(view, "r");
  EXPECT_THAT(Seen(view, 80, 24)[1], HasSubstr("NAME↑"));
  EXPECT_THAT(Selected(view), HasSubstr("worker-9 "));
  Type(view, "s");
  EXPECT_THAT(Seen(view, 80, 24)[1], HasSubstr("NAMESPACE↓")) << "a new order begins unreversed";
}

TEST(PodLiveViewTest, AFilterWorksAsItIsTypedAndIsKeptByEnterAndClearedByEscape) {
  LiveView view({});
  view.Apply(Rows(100));
  Type(view, "/ER-9");
  EXPECT_THAT(Footer(view), StartsWith("filter: ER-9"));
  EXPECT_THAT(Seen(view, 80, 24)[2], HasSubstr("worker-9 "));
  EXPECT_THAT(Seen(view, 80, 24)[3], HasSubstr("worker-90 "));
  Press(view, Code::kBackspace);
  Type(view, "qs");
  EXPECT_EQ(Seen(view, 80, 24)[2], "  no pod matches \"ER-qs\"") << "q and s are letters here";
  Press(view, Code::kClearLine);
  Type(view, "er-42");
  Press(view, Code::kEnter);
  EXPECT_THAT(Footer(view), HasSubstr("/ er-42"));
  EXPECT_THAT(Footer(view), HasSubstr("1/1"));
  EXPECT_THAT(Seen(view, 80, 24)[0], StartsWith("100 pods")) << "the summary counts all";
  Press(view, Code::kEscape);
  EXPECT_THAT(Footer(view), HasSubstr("1/100"));
  Type(view, "/x");
  Press(view, Code::kEscape);
  EXPECT_THAT(Footer(view), HasSubstr("/ filter"));
}

TEST(PodLiveViewTest, QQuitsAlsoFromTheHelpAndAnyOtherKeyGoesBack) {
  LiveView view({});
  view.Apply(Rows(3));
  Type(view, "?");
  EXPECT_THAT(Seen(view, 40, 10)[0], HasSubstr("one pod up or down"));
  EXPECT_THAT(Seen(view, 40, 10)[7], HasSubstr("quit")) << "the keys fit into a small terminal";
  Type(view, "s");
  EXPECT_THAT(Footer(view), HasSubstr("sort:changed")) << "the key only closed the help";
  EXPECT_FALSE(view.Handle({.code = Code::kText, .text = "q"}));
  Type(view, "?");
  EXPECT_FALSE(view.Handle({.code = Code::kText, .text = "q"}));
}

TEST(PodLiveViewTest, AProblemIsShownUntilItIsOver) {
  LiveView view({});
  view.Apply(Rows(3));
  view.SetProblem("cannot connect\033[2J; trying again");
  EXPECT_EQ(Seen(view, 80, 24)[1], "cannot connect?[2J; trying again");
  view.SetProblem("");
  EXPECT_THAT(Seen(view, 80, 24)[1], HasSubstr("NAMESPACE"));
}

TEST(PodLiveViewTest, StatusesHaveColoursUnlessTheyAreOff) {
  const auto frame = [](bool colours) {
    LiveView view({.colours = colours});
    Changes changes = Rows(4);
    const std::pair<Health, const char*> healths[] = {{Health::kGood, "Running"},
                                                      {Health::kChanging, "Pending"},
                                                      {Health::kFailing, "Error"},
                                                      {Health::kDone, "Completed"}};
    for (std::size_t i = 0; i < 4; ++i) {
      PodRow row = Row(i);
      row.health = healths[i].first;
      row.status = healths[i].second;
      row.phase = Phase::kFailed;
      row.changed = kNow;
      changes[KeyOf(row)] = row;
    }
    view.Apply(std::move(changes));
    view.SetProblem("problem");
    std::string text;
    for (const std::string& line : view.Render(80, 24, kNow)) text += line + "\n";
    return text;
  };
  EXPECT_THAT(frame(true), HasSubstr("\033[32mRunning"));
  EXPECT_THAT(frame(true), HasSubstr("\033[33mPending"));
  EXPECT_THAT(frame(true), HasSubstr("\033[31mError"));
  EXPECT_THAT(frame(true), HasSubstr("\033[2m *default"));
  EXPECT_THAT(frame(true), HasSubstr("\033[31mproblem"));
  EXPECT_THAT(frame(false), Not(::testing::ContainsRegex("\033\\[[349][0-9]m")));
  EXPECT_THAT(frame(false), Not(HasSubstr("\033[2m")));
  EXPECT_THAT(frame(false), HasSubstr(">*default")) << "marks do not depend on colour";
}

TEST(PodLiveViewTest, TheMarkOfAChangeGoesAfterThreeSeconds) {
  LiveView view({});
  PodRow row = Row(0);
  row.changed = kNow;
  view.Apply(One(row));
  EXPECT_THAT(Seen(view, 80, 24, kNow + 2s)[2], StartsWith(">*"));
  EXPECT_THAT(Seen(view, 80, 24, kNow + 3s)[2], StartsWith("> "));
}

TEST(PodLiveViewTest, ColumnsDoNotJumpWhileRowsComeAndGo) {
  LiveView view({});
  view.Apply(Rows(5));
  PodRow row = Row(1);
  row.status = "ContainerCreating";
  view.Apply(One(row));
  const std::string header = Seen(view, 100, 24)[1];
  row.status = "Running";
  view.Apply(One(row));
  EXPECT_EQ(Seen(view, 100, 24)[1], header);
}

TEST(PodLiveViewTest, WithoutKeysTheFooterNamesNone) {
  LiveView view({.keys = false});
  EXPECT_THAT(Footer(view), StartsWith("Ctrl-C quit"));
  EXPECT_THAT(Footer(view), Not(HasSubstr("sort")));
}

TEST(PodTerminalTest, OnlyLinesThatChangedAreWritten) {
  EXPECT_EQ(Redraw({"a", "b"}, {"a", "b"}, 10), "");
  EXPECT_EQ(Redraw({"a", "b"}, {"a", "c"}, 10), "\033[2;1Hc\033[K");
  EXPECT_EQ(Redraw({}, {"a", "b"}, 10), "\033[1;1Ha\033[K\033[2;1Hb\033[K");
  EXPECT_EQ(Redraw({}, {"abc"}, 3), "\033[1;1Habc") << "clearing behind the last column would clear that";
}

}  // namespace
}  // namespace kinformer
