#include "src/apiserver/faults/fault_plan.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace kinformer::apiserver {
namespace {

RequestInfo Request(const std::string& method, const std::string& path, const std::string& query = "") {
  return ParseRequestInfo(method, path, query).value();
}

RequestInfo ListPods(const std::string& query = "") { return Request("GET", "/api/v1/namespaces/a/pods", query); }
RequestInfo WatchPods() { return ListPods("watch=true"); }

Fault Of(std::string_view spec) { return ParseFault(spec).value(); }

bool Strikes(FaultPlan& plan, const RequestInfo& request, FaultPlace place = FaultPlace::kRequest) {
  return plan.StrikeRequest(request, place).has_value();
}

TEST(FaultPlanTest, AFaultConcernsItsVerbAndResource) {
  EXPECT_TRUE(Concerns(Of("list:pods=error,500"), ListPods()));
  EXPECT_FALSE(Concerns(Of("get:pods=error,500"), ListPods()));
  EXPECT_FALSE(Concerns(Of("list:pods=error,500"), WatchPods()));
  EXPECT_TRUE(Concerns(Of("*:*=error,500"), WatchPods()));
  EXPECT_FALSE(Concerns(Of("list:services=error,500"), ListPods()));
  const RequestInfo deployments = Request("GET", "/apis/apps/v1/deployments");
  EXPECT_TRUE(Concerns(Of("list:deployments=error,500"), deployments));
  EXPECT_TRUE(Concerns(Of("list:deployments.apps=error,500"), deployments));
  EXPECT_FALSE(Concerns(Of("list:deployments.extensions=error,500"), deployments));
  const RequestInfo status = Request("PUT", "/api/v1/namespaces/a/pods/b/status");
  EXPECT_TRUE(Concerns(Of("update:pods/status=error,500"), status));
  EXPECT_FALSE(Concerns(Of("update:pods=error,500"), status));
  EXPECT_TRUE(Concerns(Of("get:/version=error,500"), Request("GET", "/version")));
  EXPECT_FALSE(Concerns(Of("get:/version=error,500"), Request("GET", "/healthz")));
}

TEST(FaultPlanTest, SomeFaultsConcernOnlyWhatTheyCanHappenTo) {
  EXPECT_FALSE(Concerns(Of("list:pods=expired-page"), ListPods("limit=2")));
  EXPECT_TRUE(Concerns(Of("list:pods=expired-page"), ListPods("limit=2&continue=abc")));
  EXPECT_FALSE(Concerns(Of("watch:pods=reject-initial-events"), WatchPods()));
  EXPECT_TRUE(Concerns(Of("watch:pods=reject-initial-events"), ListPods("watch=1&sendInitialEvents=true")));
  EXPECT_FALSE(Concerns(Of("list:pods=stale-list"), ListPods()));
  EXPECT_TRUE(Concerns(Of("list:pods=stale-list"), ListPods("resourceVersion=0")));
  EXPECT_FALSE(Concerns(Of("*:pods=conflict-storm"), ListPods()));
  EXPECT_TRUE(Concerns(Of("*:pods=conflict-storm"), Request("PUT", "/api/v1/namespaces/a/pods/b")));
  const Fault stale = Of("get:/apis/apps/v1=stale-discovery");
  EXPECT_TRUE(Concerns(stale, Request("GET", "/apis/apps/v1")));
  EXPECT_FALSE(Concerns(stale, Request("GET", "/apis/batch/v1")));
  EXPECT_FALSE(Concerns(stale, Request("GET", "/apis")));
  EXPECT_TRUE(Concerns(stale, Request("GET", "/apis"), /*aggregated=*/true));
}

TEST(FaultPlanTest, NthStrikesThatMatchAlone) {
  FaultPlan plan;
  const Faults::Id id = plan.Add(Of("list:pods:nth=2=error,500"));
  EXPECT_FALSE(Strikes(plan, ListPods()));
  EXPECT_FALSE(Strikes(plan, Request("GET", "/api/v1/services")));
  EXPECT_TRUE(Strikes(plan, ListPods()));
  EXPECT_FALSE(Strikes(plan, ListPods()));
  EXPECT_EQ(plan.Count(id), 1U);
}

TEST(FaultPlanTest, TimesAndAStormsLengthAreTheMost) {
  FaultPlan plan;
  const Faults::Id twice = plan.Add(Of("list:pods:times=2=error,500"));
  EXPECT_TRUE(Strikes(plan, ListPods()));
  EXPECT_TRUE(Strikes(plan, ListPods()));
  EXPECT_FALSE(Strikes(plan, ListPods()));
  EXPECT_EQ(plan.Count(twice), 2U);
  plan.Add(Of("update:pods=conflict-storm,3"));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Strikes(plan, Request("PUT", "/api/v1/namespaces/a/pods/b")));
  EXPECT_FALSE(Strikes(plan, Request("PUT", "/api/v1/namespaces/a/pods/b")));
}

TEST(FaultPlanTest, AStormBeginsWithTheNthRequestAndLastsAsLongAsItSays) {
  const RequestInfo update = Request("PUT", "/apis/apps/v1/namespaces/a/deployments/b");
  FaultPlan plan;
  const Faults::Id first = plan.Add(Of("update:deployments:nth=1=conflict-storm,2"));
  EXPECT_TRUE(Strikes(plan, update));
  EXPECT_TRUE(Strikes(plan, update));
  EXPECT_FALSE(Strikes(plan, update));
  EXPECT_EQ(plan.Count(first), 2U);
  plan.Clear();
  const Faults::Id third = plan.Add(Of("update:deployments:nth=3=conflict-storm,2"));
  for (const bool strikes : {false, false, true, true, false, false}) EXPECT_EQ(Strikes(plan, update), strikes);
  EXPECT_EQ(plan.Count(third), 2U);
  plan.Clear();
  plan.Add(Of("update:deployments:nth=2:times=1=conflict-storm,5"));
  for (const bool strikes : {false, true, false, false}) EXPECT_EQ(Strikes(plan, update), strikes);
}

TEST(FaultPlanTest, TheFirstThatStrikesHidesTheOthers) {
  FaultPlan plan;
  const Faults::Id first = plan.Add(Of("list:pods:times=1=error,500"));
  const Faults::Id second = plan.Add(Of("list:*=error,503"));
  EXPECT_EQ(plan.StrikeRequest(ListPods(), FaultPlace::kRequest)->id, first);
  EXPECT_EQ(plan.StrikeRequest(ListPods(), FaultPlace::kRequest)->id, second);
  EXPECT_TRUE(plan.Remove(second));
  EXPECT_FALSE(plan.Remove(second));
  EXPECT_FALSE(Strikes(plan, ListPods()));
}

TEST(FaultPlanTest, EachFaultStrikesWhereItBelongs) {
  FaultPlan plan;
  plan.Add(Of("*:pods=lost-answer"));
  EXPECT_FALSE(Strikes(plan, ListPods(), FaultPlace::kRequest));
  EXPECT_TRUE(Strikes(plan, ListPods(), FaultPlace::kAnswer));
  plan.Clear();
  // For a watch, this fault applies to its events.
  plan.Add(Of("*:pods=stall"));
  EXPECT_TRUE(Strikes(plan, ListPods()));
  EXPECT_FALSE(Strikes(plan, WatchPods()));
  Faults::Id last = 0;
  EXPECT_EQ(plan.BeginWatch(WatchPods(), last).size(), 1U);
}

TEST(FaultPlanTest, RunningWatchesAreJoinedByFaultsWithoutANumber) {
  FaultPlan plan;
  Faults::Id last = 0;
  EXPECT_TRUE(plan.BeginWatch(WatchPods(), last).empty());
  int changes = 0;
  const std::uint64_t subscription = plan.Subscribe([&] { ++changes; });
  const Faults::Id every = plan.Add(Of("watch:pods:times=1=close"));
  plan.Add(Of("watch:pods:nth=1=close"));
  plan.Add(Of("watch:services=close"));
  EXPECT_EQ(changes, 3);
  const std::vector<JoinedFault> joined = plan.JoinWatch(WatchPods(), last);
  ASSERT_EQ(joined.size(), 1U);
  EXPECT_EQ(joined[0].id, every);
  EXPECT_TRUE(plan.JoinWatch(WatchPods(), last).empty());
  EXPECT_TRUE(plan.Strike(every));
  EXPECT_FALSE(plan.Strike(every));
  plan.Unsubscribe(subscription);
  plan.Add(Of("watch:pods=close"));
  EXPECT_EQ(changes, 3);
}

TEST(FaultPlanTest, AKindIsRemovedForATimeOrUntilTheFaultIs) {
  FaultPlan plan;
  const TimePoint now{};
  const Faults::Id id = plan.Add(Of("watch:pods=kind-removed"));
  EXPECT_FALSE(plan.IsRemoved(ListPods(), now));
  plan.MarkRemoved(id, now + std::chrono::seconds(5));
  EXPECT_TRUE(plan.IsRemoved(ListPods(), now));
  EXPECT_FALSE(plan.IsRemoved(Request("GET", "/api/v1/services"), now));
  EXPECT_FALSE(plan.IsRemoved(ListPods(), now + std::chrono::seconds(5)));
  plan.MarkRemoved(id, std::nullopt);
  EXPECT_TRUE(plan.IsRemoved(ListPods(), now + std::chrono::hours(1)));
  plan.Remove(id);
  EXPECT_FALSE(plan.IsRemoved(ListPods(), now));
}

}  // namespace
}  // namespace kinformer::apiserver
