#include "src/apiserver/simulation/pod_life.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 6> kApps = {"web", "api", "worker", "cache", "billing", "search"};
/// One in this many pods belongs to the system.
constexpr std::size_t kSystemShare = 10;
constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";

std::string PodIp(const SimulatedPod& pod) {
  const std::size_t number = std::hash<std::string>()(pod.namespace_name + "/" + pod.name);
  return "10." + std::to_string(number >> 16U & 0xffU) + "." + std::to_string(number >> 8U & 0xffU) + "." +
         std::to_string(number & 0xffU);
}

std::string_view PhaseName(SimulatedPod::Phase phase) {
  switch (phase) {
    case SimulatedPod::Phase::kUnscheduled:
    case SimulatedPod::Phase::kScheduled:
      return "Pending";
    case SimulatedPod::Phase::kRunning:
      return "Running";
    case SimulatedPod::Phase::kSucceeded:
      return "Succeeded";
    case SimulatedPod::Phase::kEvicted:
      return "Failed";
  }
  return "Unknown";
}

json Condition(std::string_view type, bool is, const std::string& now) {
  return {{"type", type}, {"status", is ? "True" : "False"}, {"lastTransitionTime", now}};
}

}  // namespace

PodLife::PodLife(PodLifeOptions options) : options_(options), random_(options.seed) {
  pods_.reserve(options_.pods);
  for (std::size_t i = 0; i < options_.pods; ++i) {
    SimulatedPod pod = NewPod();
    pod.node = Nodes()[Below(std::max<std::size_t>(1, options_.nodes))];
    pod.phase = SimulatedPod::Phase::kRunning;
    pods_.push_back(std::move(pod));
  }
}

std::vector<std::string> PodLife::Nodes() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, options_.nodes); ++i)
    names.push_back("node-" + std::to_string(i));
  return names;
}

SimulatedPod PodLife::NewPod() {
  SimulatedPod pod;
  const bool system = made_ % kSystemShare == kSystemShare - 1;
  pod.namespace_name = system ? "kube-system" : "default";
  pod.app = system ? "node-agent" : std::string(kApps[Below(kApps.size())]);
  pod.name = pod.app + "-";
  for (int i = 0; i < 5; ++i) pod.name += kLetters[Below(kLetters.size())];
  pod.name += "-" + std::to_string(made_++);
  return pod;
}

PodStep PodLife::Next() {
  if (pods_.size() < options_.pods) {
    pods_.push_back(NewPod());
    return {.kind = PodStep::Kind::kCreate, .pod = pods_.back()};
  }
  const std::size_t chosen = Below(pods_.size());
  SimulatedPod& pod = pods_[chosen];
  switch (pod.phase) {
    case SimulatedPod::Phase::kUnscheduled:
      pod.node = "node-" + std::to_string(Below(std::max<std::size_t>(1, options_.nodes)));
      pod.phase = SimulatedPod::Phase::kScheduled;
      return {.kind = PodStep::Kind::kSchedule, .pod = pod};
    case SimulatedPod::Phase::kScheduled:
      pod.phase = SimulatedPod::Phase::kRunning;
      return {.kind = PodStep::Kind::kStart, .pod = pod};
    case SimulatedPod::Phase::kRunning: {
      const std::size_t fate = Below(10);
      if (fate < 6) {
        ++pod.restarts;
        return {.kind = PodStep::Kind::kRestart, .pod = pod};
      }
      const bool evicted = fate == 9;
      pod.phase = evicted ? SimulatedPod::Phase::kEvicted : SimulatedPod::Phase::kSucceeded;
      return {.kind = evicted ? PodStep::Kind::kEvict : PodStep::Kind::kSucceed, .pod = pod};
    }
    case SimulatedPod::Phase::kSucceeded:
    case SimulatedPod::Phase::kEvicted:
      break;
  }
  PodStep step{.kind = PodStep::Kind::kDelete, .pod = std::move(pod)};
  std::swap(pods_[chosen], pods_.back());
  pods_.pop_back();
  return step;
}

std::string NodeBody(const std::string& name) {
  const json node = {{"apiVersion", "v1"},
                     {"kind", "Node"},
                     {"metadata", {{"name", name}, {"labels", {{"kubernetes.io/hostname", name}}}}},
                     {"spec", json::object()},
                     {"status",
                      {{"capacity", {{"cpu", "8"}, {"memory", "32Gi"}, {"pods", "110"}}},
                       {"allocatable", {{"cpu", "8"}, {"memory", "31Gi"}, {"pods", "110"}}},
                       {"conditions", json::array({{{"type", "Ready"}, {"status", "True"}}})}}}};
  return node.dump();
}

std::string PodBody(const SimulatedPod& pod) {
  json body = {
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata",
       {{"name", pod.name},
        {"namespace", pod.namespace_name},
        {"labels", {{"app", pod.app}, {"app.kubernetes.io/managed-by", "simulation"}}}}},
      {"spec",
       {{"restartPolicy", "Always"},
        {"terminationGracePeriodSeconds", 30},
        {"containers", json::array({{{"name", pod.app},
                                     {"image", "registry.example/" + pod.app + ":1.4.2"},
                                     {"resources", {{"requests", {{"cpu", "100m"}, {"memory", "128Mi"}}}}}}})}}}};
  if (!pod.node.empty()) body["spec"]["nodeName"] = pod.node;
  return body.dump();
}

std::string StatusPatch(const SimulatedPod& pod, Timestamp now) {
  const std::string time = FormatTimestamp(now);
  const bool running = pod.phase == SimulatedPod::Phase::kRunning;
  json status = {{"phase", PhaseName(pod.phase)},
                 {"conditions", json::array({Condition("PodScheduled", !pod.node.empty(), time),
                                             Condition("Ready", running, time)})}};
  if (pod.phase == SimulatedPod::Phase::kEvicted) {
    status["reason"] = "Evicted";
    status["message"] = "The node was low on resource: memory.";
  }
  json state = {{"waiting", {{"reason", "ContainerCreating"}}}};
  if (running) {
    state = {{"running", {{"startedAt", time}}}};
    status["podIP"] = PodIp(pod);
    status["startTime"] = time;
  } else if (pod.phase == SimulatedPod::Phase::kSucceeded || pod.phase == SimulatedPod::Phase::kEvicted) {
    const bool good = pod.phase == SimulatedPod::Phase::kSucceeded;
    state = {{"terminated",
              {{"exitCode", good ? 0 : 137}, {"reason", good ? "Completed" : "Evicted"}, {"finishedAt", time}}}};
  }
  status["containerStatuses"] = json::array({{{"name", pod.app},
                                              {"image", "registry.example/" + pod.app + ":1.4.2"},
                                              {"ready", running},
                                              {"restartCount", pod.restarts},
                                              {"state", std::move(state)}}});
  return json{{"status", std::move(status)}}.dump();
}

}  // namespace kinformer::apiserver
