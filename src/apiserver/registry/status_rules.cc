#include <algorithm>
#include <string_view>

#include "src/apiserver/registry/json_fields.h"
#include "src/apiserver/registry/kind_rules.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using Errors = std::vector<FieldError>;

/// The numbers of a status. In the order in which a server tells what is wrong with them.
struct CountRules {
  std::string_view kind;
  /// None is negative.
  std::vector<const char*> counts;
  /// None is more than all replicas.
  std::vector<const char*> of_replicas{};
  /// How the message names what availableReplicas may not exceed; empty: nothing.
  std::string_view ready{};
};

const std::vector<CountRules>& AllCountRules() {
  static const std::vector<CountRules> all{
      {.kind = "Deployment",
       .counts = {"observedGeneration", "replicas", "updatedReplicas", "readyReplicas", "availableReplicas",
                  "unavailableReplicas", "terminatingReplicas", "collisionCount"},
       .of_replicas = {"updatedReplicas", "readyReplicas", "availableReplicas"},
       .ready = "readyReplicas"},
      {.kind = "ReplicaSet",
       .counts = {"replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration",
                  "terminatingReplicas"},
       .of_replicas = {"fullyLabeledReplicas", "readyReplicas", "availableReplicas"},
       .ready = "readyReplicas"},
      {.kind = "ReplicationController",
       .counts = {"replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"},
       .of_replicas = {"fullyLabeledReplicas", "readyReplicas", "availableReplicas"},
       .ready = "readyReplicas"},
      {.kind = "StatefulSet",
       .counts = {"replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas",
                  "observedGeneration", "collisionCount"},
       .of_replicas = {"readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"},
       .ready = "status.readyReplicas"},
      {.kind = "DaemonSet",
       .counts = {"currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady",
                  "observedGeneration", "updatedNumberScheduled", "numberAvailable", "numberUnavailable",
                  "collisionCount"}},
      {.kind = "PodDisruptionBudget",
       .counts = {"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"}},
      {.kind = "HorizontalPodAutoscaler", .counts = {"currentReplicas", "desiredReplicas"}},
  };
  return all;
}

std::int64_t CountOf(const json& status, const char* name) { return IntegerOf(status, name).value_or(0); }

/// It only grows: names are made of it, and one that was used must not come back.
void CheckCollisions(const json& status, const json& before, Errors& errors) {
  const auto had = IntegerOf(before, "collisionCount");
  const auto has = IntegerOf(status, "collisionCount");
  if (!had || (has && *has >= *had)) return;
  errors.push_back(FieldInvalid("status.collisionCount", has.value_or(0), "cannot be decremented"));
}

}  // namespace

std::vector<FieldError> CheckStatus(const ServedKind& kind, const json& object, const json* old) {
  Errors errors;
  const auto& all = AllCountRules();
  const auto rules = std::find_if(all.begin(), all.end(), [&](const CountRules& one) { return one.kind == kind.kind; });
  if (rules == all.end()) return errors;
  const json& status = FieldOf(object, "status");
  const auto wrong = [&](const char* name, const std::string& why) {
    errors.push_back(FieldInvalid(std::string("status.") + name, CountOf(status, name), why));
  };
  for (const char* name : rules->counts) {
    if (CountOf(status, name) < 0) wrong(name, "must be greater than or equal to 0");
  }
  for (const char* name : rules->of_replicas) {
    if (CountOf(status, name) > CountOf(status, "replicas")) wrong(name, "cannot be greater than status.replicas");
  }
  if (!rules->ready.empty() && CountOf(status, "availableReplicas") > CountOf(status, "readyReplicas")) {
    wrong("availableReplicas", "cannot be greater than " + std::string(rules->ready));
  }
  if (old != nullptr) CheckCollisions(status, FieldOf(*old, "status"), errors);
  return errors;
}

}  // namespace kinformer::apiserver
