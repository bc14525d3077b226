#include "test/chaos/plan.h"

#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinformer::chaos {
namespace {

using namespace std::chrono_literals;

TEST(DiceTest, TheSameSeedGivesTheSameNumbersOnEveryMachine) {
  Dice dice(42);
  Dice again(42);
  Dice other(42, 1);
  const std::uint64_t first = dice.Next();
  EXPECT_EQ(again.Next(), first);
  EXPECT_NE(other.Next(), first);
  EXPECT_EQ(Dice(1).Next(), 17405687883870564846U) << "a plan that was printed must stay what it was";
}

TEST(DiceTest, NumbersLieWithinTheirBoundsAndReachThem) {
  Dice dice(7);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    seen.insert(dice.Between(-2, 2));
    const auto size = dice.Magnitude(3, 1000);
    EXPECT_GE(size, 3U);
    EXPECT_LE(size, 1000U);
  }
  EXPECT_THAT(seen, ::testing::ElementsAre(-2, -1, 0, 1, 2));
  EXPECT_EQ(dice.Magnitude(5, 5), 5U);
}

TEST(DiceTest, SmallMagnitudesAreAsFrequentAsLargeOnes) {
  Dice dice(7);
  int small = 0;
  for (int i = 0; i < 1000; ++i) small += dice.Magnitude(1, 1U << 20U) <= (1U << 10U) ? 1 : 0;
  EXPECT_GT(small, 400);
  EXPECT_LT(small, 600);
}

TEST(PlanTest, TheSameSeedIsTheSamePlanAndAnotherIsAnother) {
  EXPECT_EQ(MakePlan(3, 60s).actions, MakePlan(3, 60s).actions);
  EXPECT_NE(MakePlan(3, 60s).actions, MakePlan(4, 60s).actions);
}

TEST(PlanTest, EveryPlanKillsServerAndStorageAndForgetsHoweverShortItIs) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (const auto length : {1s, 5s, 60s, 600s}) {
      const Plan plan = MakePlan(seed, length);
      std::set<ActionKind> kinds;
      for (const Action& action : plan.actions) kinds.insert(action.kind);
      for (const ActionKind kind : {ActionKind::kKillServer, ActionKind::kKillEtcd, ActionKind::kForgetAndRestart}) {
        EXPECT_TRUE(kinds.contains(kind)) << NameOf(kind) << " in seed " << seed;
      }
      EXPECT_TRUE(std::is_sorted(plan.actions.begin(), plan.actions.end(),
                                 [](const Action& a, const Action& b) { return a.at < b.at; }));
      EXPECT_LE(plan.actions.back().at, length);
    }
  }
}

TEST(PlanTest, ALongPlanHasEachKindOfActionAndLeavesTheServerTimeToComeBack) {
  std::map<ActionKind, int> count;
  const Plan plan = MakePlan(1, 600s);
  int heavy = 0;
  for (const Action& action : plan.actions) {
    ++count[action.kind];
    heavy += IsHeavy(action.kind) ? 1 : 0;
  }
  EXPECT_EQ(count.size(), 13U);
  EXPECT_LE(heavy, 50);
  EXPECT_GT(plan.actions.size(), 500U);
}

TEST(HarmsOfTest, AConnectionsHarmsAreGivenByTheSeedAndItsNumberAlone) {
  EXPECT_EQ(HarmsOf(1, 5), HarmsOf(1, 5));
  std::map<HarmKind, int> count;
  int harmless = 0;
  bool differ = false;
  for (std::uint64_t n = 0; n < 500; ++n) {
    const ConnectionHarms harms = HarmsOf(1, n);
    differ = differ || !(harms == HarmsOf(2, n));
    harmless += harms.to_client.empty() && harms.to_server.empty() ? 1 : 0;
    for (const auto* direction : {&harms.to_client, &harms.to_server}) {
      for (const Harm& harm : *direction) ++count[harm.kind];
      EXPECT_TRUE(std::is_sorted(direction->begin(), direction->end(),
                                 [](const Harm& a, const Harm& b) { return a.at < b.at; }));
    }
  }
  EXPECT_TRUE(differ);
  EXPECT_EQ(count.size(), kHarmKinds) << "every kind happens";
  EXPECT_GT(harmless, 100) << "else no request would ever succeed";
}

TEST(ActionTest, IsPrintedWithAllThatItIs) {
  EXPECT_EQ(ToString(Action{.at = 1200ms, .kind = ActionKind::kStallAll, .duration = 80ms}), "1200ms stall-all 80ms");
  EXPECT_EQ(ToString(Action{.at = 5ms, .kind = ActionKind::kChangeNamespaces, .choice = 6}),
            "5ms change-namespaces #6");
  EXPECT_EQ(ToString(Harm{.kind = HarmKind::kDrop, .at = 7, .length = 3}), "drop@7+3");
}

}  // namespace
}  // namespace kinformer::chaos
