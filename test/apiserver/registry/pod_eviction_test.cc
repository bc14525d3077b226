#include "src/apiserver/registry/pod_eviction.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/meta/status_error.h>

#include "test/apiserver/registry/resource_store_testing.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class PodEvictionTest : public ResourceStoreTest {
 protected:
  /// Creates a pod of app "web".
  void Make(const std::string& name, const std::string& phase, bool ready) {
    json pod = Pod(name);
    pod["metadata"]["labels"] = {{"app", "web"}};
    pod = Created(pod);
    pod["status"]["phase"] = phase;
    pod["status"]["conditions"] = json::array({{{"type", "Ready"}, {"status", ready ? "True" : "False"}}});
    Updated(pod, Subresource::kStatus);
  }

  /// Creates a disruption budget for that app, with the status its controller would set.
  void MakeBudget(const std::string& name, const json& status, json spec = json::object()) {
    spec["selector"] = {{"matchLabels", {{"app", "web"}}}};
    json budget = Created({{"apiVersion", "policy/v1"},
                           {"kind", "PodDisruptionBudget"},
                           {"metadata", {{"name", name}}},
                           {"spec", std::move(spec)}});
    if (status.empty()) return;
    budget["status"] = status;
    Updated(budget, Subresource::kStatus);
  }
  json BudgetStatus(const std::string& name) {
    return Of("PodDisruptionBudget").Get("default", name, "", {}).value()->ToJson().at("status");
  }

  Result<void> Evicted(const std::string& name, const DeleteParameters& parameters = {}) {
    return Evict(Of("Pod"), Of("PodDisruptionBudget"), "default", name, parameters, clock_->WallNow(), {});
  }
  /// The HTTP status of the refusal; 0 if the pod was evicted.
  int Refused(const std::string& name, const DeleteParameters& parameters = {}) {
    const Result<void> evicted = Evicted(name, parameters);
    return evicted ? 0 : evicted.error().http_status;
  }
};

TEST_F(PodEvictionTest, APodWithoutABudgetIsDeleted) {
  Make("web-0", "Running", true);
  EXPECT_EQ(Refused("web-0"), 0);
  EXPECT_FALSE(IsThere("Pod", "web-0"));
  EXPECT_EQ(Refused("web-0"), 404);
}

TEST_F(PodEvictionTest, ABudgetAllowsAsManyAsItSaysAndRemembersWhom) {
  Make("web-0", "Running", true);
  Make("web-1", "Running", true);
  MakeBudget("web",
             {{"observedGeneration", 1}, {"disruptionsAllowed", 1}, {"currentHealthy", 2}, {"desiredHealthy", 1}});
  EXPECT_EQ(Refused("web-0"), 0);
  EXPECT_FALSE(IsThere("Pod", "web-0"));
  const json status = BudgetStatus("web");
  EXPECT_EQ(status.at("disruptionsAllowed"), 0);
  EXPECT_TRUE(status.at("disruptedPods").contains("web-0"));
  EXPECT_EQ(status.at("conditions").at(0).at("reason"), "InsufficientPods");

  const Result<void> second = Evicted("web-1");
  ASSERT_FALSE(second.ok());
  EXPECT_TRUE(IsTooManyRequests(second.error()));
  EXPECT_FALSE(second.error().retry_after.has_value());
  ASSERT_EQ(second.error().details.causes.size(), 1U);
  EXPECT_EQ(second.error().details.causes[0].reason, "DisruptionBudget");
  EXPECT_EQ(second.error().details.causes[0].message,
            "The disruption budget web does not allow evicting pods currently");
  EXPECT_TRUE(IsThere("Pod", "web-1"));
}

TEST_F(PodEvictionTest, ARefusalSaysWhatTheBudgetsControllerSaid) {
  const auto why = [](json status) {
    status["observedGeneration"] = 1;
    const json budget = {{"metadata", {{"name", "web"}, {"generation", 1}}}, {"status", std::move(status)}};
    return Disrupted(budget, "web-0", {}).error().details.causes.at(0).message;
  };
  const json healthy = {{"currentHealthy", 3}, {"desiredHealthy", 2}};
  EXPECT_EQ(why({{"currentHealthy", 1}, {"desiredHealthy", 2}}),
            "The disruption budget web needs 2 healthy pods and has 1 currently");
  const std::string not_now = "The disruption budget web does not allow evicting pods currently";
  EXPECT_EQ(why(healthy), not_now);
  json status = healthy;
  status["conditions"] =
      json::array({{{"type", "DisruptionAllowed"}, {"status", "False"}, {"reason", "Odd"}, {"message", "not today"}}});
  EXPECT_EQ(why(status), not_now + " (Odd): not today");
  status["conditions"][0]["reason"] = "SyncFailed";
  EXPECT_EQ(why(status), not_now + " because it failed sync: not today");
}

TEST_F(PodEvictionTest, ABudgetWhoseSpecNobodyHasLookedAtAllowsNothingYet) {
  Make("web-0", "Running", true);
  MakeBudget("web", {});
  const Result<void> early = Evicted("web-0");
  ASSERT_FALSE(early.ok());
  EXPECT_EQ(early.error().http_status, 429);
  EXPECT_EQ(early.error().retry_after, std::chrono::seconds(10));
  EXPECT_TRUE(IsThere("Pod", "web-0"));
}

TEST_F(PodEvictionTest, PodsThatDoNoWorkNeedNoBudget) {
  MakeBudget("web", {{"observedGeneration", 1}, {"disruptionsAllowed", 0}, {"desiredHealthy", 1}});
  for (const char* phase : {"Pending", "Succeeded", "Failed"}) {
    Make("web-0", phase, false);
    EXPECT_EQ(Refused("web-0"), 0) << phase;
    EXPECT_FALSE(IsThere("Pod", "web-0")) << phase;
  }
  EXPECT_EQ(BudgetStatus("web").at("disruptionsAllowed"), 0);
}

TEST_F(PodEvictionTest, APodThatIsNotReadyGoesWhereEnoughOthersAreOrThePolicySaysSo) {
  MakeBudget("web",
             {{"observedGeneration", 1}, {"disruptionsAllowed", 0}, {"currentHealthy", 1}, {"desiredHealthy", 2}});
  Make("web-0", "Running", false);
  EXPECT_EQ(Refused("web-0"), 429);
  ASSERT_TRUE(
      Patch("PodDisruptionBudget", "web", PatchKind::kMerge, R"({"status":{"currentHealthy":2}})", Subresource::kStatus)
          .ok());
  EXPECT_EQ(Refused("web-0"), 0);

  ASSERT_TRUE(Of("PodDisruptionBudget").Delete("default", "web", {}, {}).ok());
  MakeBudget("web", {{"observedGeneration", 1}, {"disruptionsAllowed", 0}, {"desiredHealthy", 2}},
             {{"unhealthyPodEvictionPolicy", "AlwaysAllow"}});
  Make("web-1", "Running", false);
  EXPECT_EQ(Refused("web-1"), 0);
}

TEST_F(PodEvictionTest, TwoBudgetsOfOnePodAreTooMany) {
  Make("web-0", "Running", true);
  MakeBudget("one", {{"observedGeneration", 1}, {"disruptionsAllowed", 1}});
  MakeBudget("two", {{"observedGeneration", 1}, {"disruptionsAllowed", 1}});
  const Result<void> refused = Evicted("web-0");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().http_status, 500);
  EXPECT_THAT(refused.error().message, HasSubstr("more than one PodDisruptionBudget"));
}

TEST_F(PodEvictionTest, ADryRunAsksTheBudgetAndTakesNothingFromIt) {
  Make("web-0", "Running", true);
  MakeBudget("web", {{"observedGeneration", 1}, {"disruptionsAllowed", 1}, {"desiredHealthy", 1}});
  EXPECT_EQ(Refused("web-0", {.dry_run = true}), 0);
  EXPECT_TRUE(IsThere("Pod", "web-0"));
  EXPECT_EQ(BudgetStatus("web").at("disruptionsAllowed"), 1);
}

TEST_F(PodEvictionTest, APreconditionThatIsNotMetKeepsThePod) {
  Make("web-0", "Running", true);
  EXPECT_EQ(Refused("web-0", {.preconditions = {.uid = "another"}}), 409);
  EXPECT_EQ(Refused("web-0", {.preconditions = {.resource_version = "1"}}), 409);
  EXPECT_TRUE(IsThere("Pod", "web-0"));
}

TEST_F(PodEvictionTest, ABudgetWhoseStatusCannotBeForbids) {
  const json budget = {{"metadata", {{"name", "web"}, {"generation", 1}}},
                       {"status", {{"observedGeneration", 1}, {"disruptionsAllowed", -1}}}};
  EXPECT_EQ(Disrupted(budget, "web-0", {}).error().http_status, 403);
  json full = budget;
  full["status"]["disruptionsAllowed"] = 1;
  for (int i = 0; i <= 2000; ++i) full["status"]["disruptedPods"]["pod-" + std::to_string(i)] = "2026-01-01T00:00:00Z";
  EXPECT_THAT(Disrupted(full, "web-0", {}).error().message, HasSubstr("not confirmed"));
}

TEST_F(PodEvictionTest, AnEvictionNamesThePodOfItsUrl) {
  const json good = {{"apiVersion", "policy/v1"}, {"kind", "Eviction"}, {"metadata", {{"name", "a"}}}};
  EXPECT_TRUE(CheckEviction(good, "default", "a").ok());
  EXPECT_TRUE(CheckEviction(json::object(), "default", "a").ok());
  EXPECT_FALSE(CheckEviction(good, "default", "b").ok());
  json elsewhere = good;
  elsewhere["metadata"]["namespace"] = "other";
  EXPECT_FALSE(CheckEviction(elsewhere, "default", "a").ok());
  EXPECT_FALSE(CheckEviction({{"apiVersion", "v1"}, {"kind", "ConfigMap"}}, "default", "a").ok());
  EXPECT_FALSE(CheckEviction({{"kind", "Pod"}}, "default", "a").ok());
  EXPECT_FALSE(CheckEviction(json::array(), "default", "a").ok());
}

}  // namespace
}  // namespace kinformer::apiserver
