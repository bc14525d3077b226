#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "src/apiserver/registry/kind_rules.h"
#include "src/codec/json_fields.h"

namespace kinformer::apiserver {
namespace {

using internal::FieldOf;
using internal::IntegerOf;
using nlohmann::json;
using Errors = std::vector<FieldError>;

/// Counters in a status, in the order in which a server reports errors in them.
struct CountRules {
  /// Must not be negative.
  std::vector<const char*> counts;
  /// Must not exceed status.replicas.
  std::vector<const char*> of_replicas{};
  /// The error message's name for readyReplicas, the upper bound of availableReplicas; empty: no bound.
  std::string_view ready{};
};

std::int64_t CountOf(const json& status, const char* name) { return IntegerOf(status, name).value_or(0); }

/// collisionCount must not decrease: names are derived from it, and a used one must not recur.
void CheckCollisions(const json& status, const json& before, Errors& errors) {
  const auto had = IntegerOf(before, "collisionCount");
  const auto has = IntegerOf(status, "collisionCount");
  if (!had || (has && *has >= *had)) return;
  errors.push_back(FieldInvalid("status.collisionCount", has.value_or(0), "cannot be decremented"));
}

void CheckCounts(const CountRules& rules, const json& object, const json* old, Errors& errors) {
  const json& status = FieldOf(object, "status");
  const auto wrong = [&](const char* name, const std::string& why) {
    errors.push_back(FieldInvalid(std::string("status.") + name, CountOf(status, name), why));
  };
  for (const char* name : rules.counts) {
    if (CountOf(status, name) < 0) wrong(name, "must be greater than or equal to 0");
  }
  for (const char* name : rules.of_replicas) {
    if (CountOf(status, name) > CountOf(status, "replicas")) wrong(name, "cannot be greater than status.replicas");
  }
  if (!rules.ready.empty() && CountOf(status, "availableReplicas") > CountOf(status, "readyReplicas")) {
    wrong("availableReplicas", "cannot be greater than " + std::string(rules.ready));
  }
  if (old != nullptr) CheckCollisions(status, FieldOf(*old, "status"), errors);
}

}  // namespace

void CheckDeploymentStatus(const json& object, const json* old, Errors& errors) {
  static const CountRules rules{
      .counts = {"observedGeneration", "replicas", "updatedReplicas", "readyReplicas", "availableReplicas",
                 "unavailableReplicas", "terminatingReplicas", "collisionCount"},
      .of_replicas = {"updatedReplicas", "readyReplicas", "availableReplicas"},
      .ready = "readyReplicas"};
  CheckCounts(rules, object, old, errors);
}

void CheckReplicaSetStatus(const json& object, const json* old, Errors& errors) {
  static const CountRules rules{.counts = {"replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas",
                                           "observedGeneration", "terminatingReplicas"},
                                .of_replicas = {"fullyLabeledReplicas", "readyReplicas", "availableReplicas"},
                                .ready = "readyReplicas"};
  CheckCounts(rules, object, old, errors);
}

void CheckReplicationControllerStatus(const json& object, const json* old, Errors& errors) {
  static const CountRules rules{
      .counts = {"replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"},
      .of_replicas = {"fullyLabeledReplicas", "readyReplicas", "availableReplicas"},
      .ready = "readyReplicas"};
  CheckCounts(rules, object, old, errors);
}

void CheckStatefulSetStatus(const json& object, const json* old, Errors& errors) {
  static const CountRules rules{
      .counts = {"replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas",
                 "observedGeneration", "collisionCount"},
      .of_replicas = {"readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"},
      .ready = "status.readyReplicas"};
  CheckCounts(rules, object, old, errors);
}

void CheckDaemonSetStatus(const json& object, const json* old, Errors& errors) {
  static const CountRules rules{.counts = {"currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled",
                                           "numberReady", "observedGeneration", "updatedNumberScheduled",
                                           "numberAvailable", "numberUnavailable", "collisionCount"}};
  CheckCounts(rules, object, old, errors);
}

void CheckBudgetStatus(const json& object, const json* old, Errors& errors) {
  static const CountRules rules{.counts = {"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"}};
  CheckCounts(rules, object, old, errors);
}

void CheckAutoscalerStatus(const json& object, const json* old, Errors& errors) {
  static const CountRules rules{.counts = {"currentReplicas", "desiredReplicas"}};
  CheckCounts(rules, object, old, errors);
}

}  // namespace kinformer::apiserver
