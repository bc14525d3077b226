#include "src/apiserver/simulation/pod_life.h"

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/views/core_v1.h>

namespace kinformer::apiserver {
namespace {

TEST(PodLifeTest, BeginsWithAllPodsRunningOnNodes) {
  const PodLife life({.pods = 50, .nodes = 4});
  ASSERT_EQ(life.Pods().size(), 50U);
  std::set<std::string> names;
  for (const SimulatedPod& pod : life.Pods()) {
    EXPECT_EQ(pod.phase, SimulatedPod::Phase::kRunning);
    EXPECT_FALSE(pod.node.empty());
    names.insert(pod.name);
  }
  EXPECT_EQ(names.size(), 50U);
  EXPECT_EQ(life.Nodes().size(), 4U);
}

TEST(PodLifeTest, EverythingHappensInAnOrderThatPodsCanLive) {
  PodLife life({.pods = 20, .nodes = 2, .seed = 7});
  std::map<std::string, SimulatedPod::Phase> phases;
  for (const SimulatedPod& pod : life.Pods()) phases[pod.name] = pod.phase;
  std::set<PodStep::Kind> seen;
  for (int i = 0; i < 5000; ++i) {
    const PodStep step = life.Next();
    seen.insert(step.kind);
    const auto before = phases.find(step.pod.name);
    if (step.kind == PodStep::Kind::kCreate) {
      ASSERT_EQ(before, phases.end());
      EXPECT_TRUE(step.pod.node.empty());
    } else {
      ASSERT_NE(before, phases.end());
    }
    if (step.kind == PodStep::Kind::kDelete) {
      EXPECT_TRUE(before->second == SimulatedPod::Phase::kSucceeded || before->second == SimulatedPod::Phase::kEvicted);
      phases.erase(step.pod.name);
    } else {
      phases[step.pod.name] = step.pod.phase;
    }
    EXPECT_LE(phases.size(), 20U);
    EXPECT_GE(phases.size(), 19U) << "one that goes is replaced";
  }
  EXPECT_EQ(seen.size(), 7U) << "all kinds of things happen";
}

TEST(PodLifeTest, TheSameSeedGivesTheSameLife) {
  PodLife a({.pods = 5, .nodes = 2, .seed = 3});
  PodLife b({.pods = 5, .nodes = 2, .seed = 3});
  for (int i = 0; i < 100; ++i) {
    const PodStep step_a = a.Next();
    const PodStep step_b = b.Next();
    EXPECT_EQ(step_a.kind, step_b.kind);
    EXPECT_EQ(step_a.pod.name, step_b.pod.name);
  }
}

TEST(PodLifeTest, BodiesAreObjectsThatTheTypedViewsRead) {
  SimulatedPod pod{.namespace_name = "default",
                   .name = "web-1",
                   .app = "web",
                   .node = "node-0",
                   .phase = SimulatedPod::Phase::kEvicted,
                   .restarts = 2};
  nlohmann::json body = nlohmann::json::parse(PodBody(pod));
  body.merge_patch(nlohmann::json::parse(StatusPatch(pod, Timestamp(std::chrono::seconds(1)))));
  const core::v1::Pod view(*Object::FromJson(body));
  EXPECT_EQ(view.NodeName(), "node-0");
  EXPECT_EQ(view.Phase(), "Failed");
  EXPECT_EQ(view.ContainerStatuses().at(0).RestartCount(), 2);
  EXPECT_EQ(nlohmann::json::parse(NodeBody("node-0")).at("metadata").at("name"), "node-0");
}

}  // namespace
}  // namespace kinformer::apiserver
