#include "examples/pod-watcher/pod_table.h"

#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Timestamp kTableNow{1'000'000s};

PodRow Row(const std::string& name, std::uint64_t version = 1) {
  return {.namespace_name = "default",
          .name = name,
          .phase = Phase::kRunning,
          .health = Health::kGood,
          .status = "Running",
          .ready = true,
          .version = version};
}
Changes ChangesOf(std::vector<PodRow> rows) {
  Changes changes;
  for (PodRow& row : rows) {
    std::string key = KeyOf(row);
    changes[std::move(key)] = std::move(row);
  }
  return changes;
}
std::vector<std::string> Names(const PodTable& table) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < table.size(); ++i) names.push_back(table[i].name);
  return names;
}

TEST(PodTableTest, TheMostRecentlyChangedPodIsFirst) {
  PodTable table;
  table.Apply(ChangesOf({Row("a", 10), Row("b", 9), Row("c", 11)}));
  EXPECT_THAT(Names(table), ElementsAre("c", "a", "b")) << "by number, not by text";
  table.Apply(ChangesOf({Row("b", 12)}));
  EXPECT_THAT(Names(table), ElementsAre("b", "c", "a"));
  Changes gone;
  gone["default/c"] = std::nullopt;
  table.Apply(std::move(gone));
  EXPECT_THAT(Names(table), ElementsAre("b", "a"));
}

TEST(PodTableTest, EverySortOrderPutsTheInterestingPodFirst) {
  PodRow a = Row("a");
  PodRow b = Row("b");
  PodRow c = Row("c");
  a.namespace_name = "z";
  a.created = kTableNow;
  b.created = kTableNow - 5s;
  c.created = kTableNow - 1s;
  c.restarts = 7;
  b.restarts = 2;
  b.health = Health::kFailing;
  b.status = "Error";
  c.health = Health::kDone;
  c.node = "n1";
  a.node = "n2";
  b.node = "n3";
  PodTable table;
  table.Apply(ChangesOf({a, b, c}));
  const auto sorted = [&](SortOrder order, bool reversed = false) {
    table.SortBy(order, reversed);
    return Names(table);
  };
  EXPECT_THAT(sorted(SortOrder::kName), ElementsAre("a", "b", "c"));
  EXPECT_THAT(sorted(SortOrder::kName, true), ElementsAre("c", "b", "a"));
  EXPECT_THAT(sorted(SortOrder::kNamespace), ElementsAre("b", "c", "a"));
  EXPECT_THAT(sorted(SortOrder::kAge), ElementsAre("a", "c", "b"));
  EXPECT_THAT(sorted(SortOrder::kRestarts), ElementsAre("c", "b", "a"));
  EXPECT_THAT(sorted(SortOrder::kStatus), ElementsAre("b", "a", "c"));
  EXPECT_THAT(sorted(SortOrder::kNode), ElementsAre("c", "a", "b"));
}

TEST(PodTableTest, TheOrdersFollowEachOtherInACircle) {
  SortOrder order = SortOrder::kChanged;
  std::vector<std::string> names;
  for (int i = 0; i < 8; ++i, order = Next(order)) names.emplace_back(NameOf(order));
  EXPECT_THAT(names, ElementsAre("changed", "name", "namespace", "age", "restarts", "status", "node", "changed"));
}

TEST(PodTableTest, AFilterMatchesNamespaceAndNameStatusAndNodeInAnyCase) {
  PodRow a = Row("web-1", 3);
  a.node = "Node-7";
  PodRow b = Row("api-1", 2);
  b.status = "CrashLoopBackOff";
  PodRow c = Row("dns-1", 1);
  c.namespace_name = "kube-system";
  PodTable table;
  table.Apply(ChangesOf({a, b, c}));
  const auto filtered = [&](const std::string& text) {
    table.FilterBy(text);
    return Names(table);
  };
  EXPECT_THAT(filtered("WEB"), ElementsAre("web-1"));
  EXPECT_THAT(filtered("node-7"), ElementsAre("web-1"));
  EXPECT_THAT(filtered("loopback"), ElementsAre("api-1"));
  EXPECT_THAT(filtered("system/dns"), ElementsAre("dns-1"));
  EXPECT_THAT(filtered("none"), IsEmpty());
  EXPECT_THAT(filtered(""), ElementsAre("web-1", "api-1", "dns-1"));
}

TEST(PodTableTest, PodsComeAndGoAsTheyBeginAndCeaseToMatch) {
  PodTable table;
  table.FilterBy("error");
  table.Apply(ChangesOf({Row("a", 1), Row("b", 2)}));
  EXPECT_THAT(Names(table), IsEmpty());
  PodRow failing = Row("a", 3);
  failing.status = "Error";
  table.Apply(ChangesOf({failing}));
  EXPECT_THAT(Names(table), ElementsAre("a"));
  EXPECT_EQ(table.Find("default/a"), 0U);
  EXPECT_EQ(table.Find("default/b"), std::nullopt);
  table.Apply(ChangesOf({Row("a", 4)}));
  EXPECT_THAT(Names(table), IsEmpty());
}

TEST(PodTableTest, TheSummaryCountsAllPodsWhateverTheFilter) {
  PodTable table;
  table.FilterBy("nothing");
  PodRow pending = Row("b");
  pending.phase = Phase::kPending;
  pending.ready = false;
  PodRow unready = Row("c");
  unready.ready = false;
  unready.restarts = 3;
  table.Apply(ChangesOf({Row("a"), pending, unready}));
  EXPECT_EQ(table.summary().pods, 3U);
  EXPECT_EQ(table.summary().Of(Phase::kRunning), 2U);
  EXPECT_EQ(table.summary().Of(Phase::kPending), 1U);
  EXPECT_EQ(table.summary().not_ready, 1U) << "a pending pod is not counted twice";
  EXPECT_EQ(table.summary().restarts, 3);
  Changes changes = ChangesOf({Row("b")});
  changes["default/c"] = std::nullopt;
  changes["default/never-seen"] = std::nullopt;
  table.Apply(std::move(changes));
  EXPECT_EQ(table.summary().pods, 2U);
  EXPECT_EQ(table.summary().Of(Phase::kRunning), 2U);
  EXPECT_EQ(table.summary().Of(Phase::kPending), 0U);
  EXPECT_EQ(table.summary().not_ready, 0U);
  EXPECT_EQ(table.summary().restarts, 0);
}

TEST(PodTableTest, ManySmallChangesLeaveTheSameTableAsOneLargeOne) {
  std::mt19937 random(7);  // NOLINT: the same numbers in every run
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  PodTable table;
  Changes final_state;
  for (std::uint64_t version = 1; version <= 600; ++version) {
    PodRow row = Row("pod-" + std::to_string(below(50)), version);
    row.restarts = below(5);
    const std::string key = KeyOf(row);
    if (version == 300) table.SortBy(SortOrder::kRestarts, true);
    if (version == 400) table.FilterBy("-1");
    std::optional<PodRow> change = below(4) == 0 ? std::nullopt : std::optional(std::move(row));
    final_state[key] = change;
    Changes changes;
    changes[key] = std::move(change);
    table.Apply(std::move(changes));
  }
  PodTable expected;
  expected.SortBy(SortOrder::kRestarts, true);
  expected.FilterBy("-1");
  expected.Apply(std::move(final_state));
  EXPECT_EQ(Names(table), Names(expected));
  EXPECT_EQ(table.summary().restarts, expected.summary().restarts);
  EXPECT_EQ(table.summary().pods, expected.summary().pods);
  for (std::size_t i = 0; i < table.size(); ++i) EXPECT_EQ(table.Find(KeyOf(table[i])), i);
}

}  // namespace
}  // namespace kinformer
