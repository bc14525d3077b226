// READY, STATUS and RESTARTS as kubectl prints them.

#include "examples/pod-watcher/pod_row.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/codec/object.h>

namespace kinformer {
namespace {

using core::v1::Pod;
using nlohmann::json;

PodRow RowFrom(const json& pod) { return RowOf(Pod(*Object::FromJson(pod))); }

json PodWith(std::size_t containers, json status) {
  json pod = {{"apiVersion", "v1"},
              {"kind", "Pod"},
              {"metadata", {{"name", "web-0"}, {"namespace", "shop"}, {"resourceVersion", "42"}}},
              {"spec", {{"containers", json::array()}}},
              {"status", std::move(status)}};
  for (std::size_t i = 0; i < containers; ++i) {
    pod["spec"]["containers"].push_back({{"name", "c" + std::to_string(i)}, {"image", "nginx:" + std::to_string(i)}});
  }
  return pod;
}
json Status(const std::string& phase, const std::vector<json>& statuses, bool ready = false) {
  return {{"phase", phase},
          {"containerStatuses", statuses},
          {"conditions", json::array({{{"type", "Ready"}, {"status", ready ? "True" : "False"}}})}};
}
json Running(bool ready = true, int restarts = 0) {
  return {{"ready", ready}, {"restartCount", restarts}, {"state", {{"running", json::object()}}}};
}
json Waiting(const std::string& reason, int restarts = 0) {
  return {{"ready", false}, {"restartCount", restarts}, {"state", {{"waiting", {{"reason", reason}}}}}};
}
json Terminated(const std::string& reason, int code, int signal = 0) {
  json state = {{"exitCode", code}};
  if (!reason.empty()) state["reason"] = reason;
  if (signal != 0) state["signal"] = signal;
  return {{"ready", false}, {"restartCount", 0}, {"state", {{"terminated", std::move(state)}}}};
}
json Named(json status, const std::string& name) {
  status["name"] = name;
  return status;
}

TEST(PodRowTest, ARunningPodIsReadyWhenItsConditionSaysSo) {
  const PodRow ready = RowFrom(PodWith(2, Status("Running", {Running(), Running()}, true)));
  EXPECT_EQ(ready.status, "Running");
  EXPECT_EQ(ready.ready_containers, 2U);
  EXPECT_EQ(ready.containers, 2U);
  EXPECT_EQ(ready.health, Health::kGood);
  EXPECT_FALSE(ready.IsNotReady());

  const PodRow unready = RowFrom(PodWith(2, Status("Running", {Running(), Running(false)})));
  EXPECT_EQ(unready.status, "Running");
  EXPECT_EQ(unready.ready_containers, 1U);
  EXPECT_EQ(unready.health, Health::kChanging);
  EXPECT_TRUE(unready.IsNotReady());
}

TEST(PodRowTest, TheReasonOfAWaitingContainerIsTheStatus) {
  for (const auto& [reason, health] : {std::pair{"ContainerCreating", Health::kChanging},
                                       {"CrashLoopBackOff", Health::kFailing},
                                       {"ErrImagePull", Health::kFailing},
                                       {"ImagePullBackOff", Health::kFailing},
                                       {"CreateContainerConfigError", Health::kFailing},
                                       {"InvalidImageName", Health::kFailing}}) {
    const PodRow row = RowFrom(PodWith(1, Status("Pending", {Waiting(reason)})));
    EXPECT_EQ(row.status, reason);
    EXPECT_EQ(row.health, health) << reason;
  }
}

TEST(PodRowTest, TheFirstContainerThatDoesNotRunGivesTheStatus) {
  EXPECT_EQ(RowFrom(PodWith(2, Status("Running", {Waiting("CrashLoopBackOff"), Waiting("ErrImagePull")}))).status,
            "CrashLoopBackOff");
  EXPECT_EQ(RowFrom(PodWith(2, Status("Running", {Running(), Waiting("ErrImagePull")}))).status, "ErrImagePull");
}

TEST(PodRowTest, APodThatHasEndedSaysHow) {
  const PodRow completed = RowFrom(PodWith(1, Status("Succeeded", {Terminated("Completed", 0)})));
  EXPECT_EQ(completed.status, "Completed");
  EXPECT_EQ(completed.health, Health::kDone);
  const PodRow failed = RowFrom(PodWith(1, Status("Failed", {Terminated("Error", 1)})));
  EXPECT_EQ(failed.status, "Error");
  EXPECT_EQ(failed.health, Health::kFailing);
  EXPECT_EQ(RowFrom(PodWith(1, Status("Failed", {Terminated("", 3)}))).status, "ExitCode:3");
  EXPECT_EQ(RowFrom(PodWith(1, Status("Failed", {Terminated("", 137, 9)}))).status, "Signal:9");
  EXPECT_EQ(RowFrom(PodWith(1, Status("Running", {Terminated("OOMKilled", 137)}))).health, Health::kFailing);
}

TEST(PodRowTest, OneCompletedContainerDoesNotMakeThePodComplete) {
  EXPECT_EQ(RowFrom(PodWith(2, Status("Running", {Terminated("Completed", 0), Running()}, true))).status, "Running");
  EXPECT_EQ(RowFrom(PodWith(2, Status("Running", {Terminated("Completed", 0), Running()}, false))).status, "NotReady");
  EXPECT_EQ(RowFrom(PodWith(2, Status("Running", {Terminated("Completed", 0), Terminated("Error", 1)}))).status,
            "Error");
}

TEST(PodRowTest, ThePodsOwnReasonComesBeforeItsPhase) {
  const PodRow evicted = RowFrom(PodWith(1, {{"phase", "Failed"}, {"reason", "Evicted"}}));
  EXPECT_EQ(evicted.status, "Evicted");
  EXPECT_EQ(evicted.health, Health::kFailing);
  json gated = {{"phase", "Pending"},
                {"conditions", json::array({{{"type", "PodScheduled"}, {"reason", "SchedulingGated"}}})}};
  EXPECT_EQ(RowFrom(PodWith(1, std::move(gated))).status, "SchedulingGated");
}

TEST(PodRowTest, ADeletedPodIsTerminatingUnlessItHasEndedOrItsNodeIsLost) {
  json pod = PodWith(1, Status("Running", {Running()}, true));
  pod["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  EXPECT_EQ(RowFrom(pod).status, "Terminating");
  EXPECT_EQ(RowFrom(pod).health, Health::kChanging);
  pod["status"]["reason"] = "NodeLost";
  EXPECT_EQ(RowFrom(pod).status, "Unknown");
  pod["status"] = Status("Succeeded", {Terminated("Completed", 0)});
  EXPECT_EQ(RowFrom(pod).status, "Completed");
}

TEST(PodRowTest, InitContainersThatAreNotDoneGiveTheStatus) {
  json pod = PodWith(1, Status("Pending", {Waiting("PodInitializing")}));
  pod["spec"]["initContainers"] = json::array({{{"name", "a"}}, {{"name", "b"}}});
  const auto status_with = [&](json first, json second) {
    pod["status"]["initContainerStatuses"] = json::array({Named(std::move(first), "a"), Named(std::move(second), "b")});
    return RowFrom(pod);
  };
  EXPECT_EQ(status_with(Running(false), Waiting("PodInitializing")).status, "Init:0/2");
  EXPECT_EQ(status_with(Terminated("Completed", 0), Running(false)).status, "Init:1/2");
  EXPECT_EQ(status_with(Terminated("Error", 1), Waiting("PodInitializing")).status, "Init:Error");
  EXPECT_EQ(status_with(Terminated("", 2), Waiting("PodInitializing")).status, "Init:ExitCode:2");
  const PodRow crashing = status_with(Waiting("CrashLoopBackOff", 4), Waiting("PodInitializing"));
  EXPECT_EQ(crashing.status, "Init:CrashLoopBackOff");
  EXPECT_EQ(crashing.restarts, 4);
  EXPECT_EQ(crashing.health, Health::kFailing);
  EXPECT_EQ(status_with(Terminated("Completed", 0), Terminated("Completed", 0)).status, "PodInitializing");
}

TEST(PodRowTest, SidecarsCountAsContainers) {
  json pod = PodWith(1, Status("Running", {Running(true, 1)}, true));
  pod["spec"]["initContainers"] = json::array({{{"name", "proxy"}, {"restartPolicy", "Always"}}, {{"name", "setup"}}});
  json proxy = Named(Running(true, 2), "proxy");
  proxy["started"] = true;
  json setup = Named(Terminated("Completed", 0), "setup");
  setup["restartCount"] = 5;
  pod["status"]["initContainerStatuses"] = json::array({proxy, setup});
  const PodRow row = RowFrom(pod);
  EXPECT_EQ(row.status, "Running");
  EXPECT_EQ(row.ready_containers, 2U);
  EXPECT_EQ(row.containers, 2U);
  EXPECT_EQ(row.restarts, 3) << "those of the init container that is done do not count";
}

TEST(PodRowTest, RestartsAreAddedUpAndTheLastOneIsKnown) {
  json first = Running(true, 2);
  first["lastState"]["terminated"]["finishedAt"] = "2026-01-01T00:00:00Z";
  json second = Running(true, 1);
  second["lastState"]["terminated"]["finishedAt"] = "2026-01-02T00:00:00Z";
  const PodRow row = RowFrom(PodWith(2, Status("Running", {second, first}, true)));
  EXPECT_EQ(row.restarts, 3);
  EXPECT_EQ(row.last_restart, ParseTimestamp("2026-01-02T00:00:00Z"));
}

TEST(PodRowTest, TheOtherColumnsAreReadToo) {
  json pod = PodWith(2, Status("Running", {Running()}, true));
  pod["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z";
  pod["spec"]["nodeName"] = "node-7";
  pod["status"]["podIP"] = "10.0.0.1";
  const PodRow row = RowFrom(pod);
  EXPECT_EQ(row.namespace_name, "shop");
  EXPECT_EQ(row.name, "web-0");
  EXPECT_EQ(row.version, 42U);
  EXPECT_EQ(row.created, ParseTimestamp("2026-01-01T00:00:00Z"));
  EXPECT_EQ(row.node, "node-7");
  EXPECT_EQ(row.ip, "10.0.0.1");
  EXPECT_EQ(row.images, "nginx:0,nginx:1");
  EXPECT_EQ(row.phase, Phase::kRunning);
}

TEST(PodRowTest, EscapeSequencesInAReasonDoNotReachTheTerminal) {
  EXPECT_EQ(RowFrom(PodWith(1, {{"phase", "Pending"}, {"reason", "a\033[2Jb"}})).status, "a?[2Jb");
}

}  // namespace
}  // namespace kinformer
