#include "src/apiserver/registry/pod_eviction.h"

#include <chrono>
#include <cstdint>
#include <utility>

#include <nlohmann/json.hpp>

#include <kinformer/meta/selector.h>
#include <kinformer/meta/status_error.h>

#include "src/apiserver/registry/registry_errors.h"
#include "src/codec/json_fields.h"
#include "src/listwatch/storage/storage_errors.h"
#include "src/views/read.h"

namespace kinformer::apiserver {
namespace {

using internal::FieldOf;
using internal::IntegerOf;
using internal::TextOf;
using nlohmann::json;

/// Attempts in case of conflicting writes to the pod or its budget.
constexpr int kTries = 20;
/// So many unconfirmed evictions mean that no controller is running.
constexpr std::size_t kMaxDisruptedPods = 2000;
/// The field manager of all writes by the server itself.
constexpr const char* kManager = "kinformer-apiserver";

std::int64_t NumberOf(const json& object, const char* name) { return IntegerOf(object, name).value_or(0); }

Error WouldViolate(std::string why) {
  Error error{.code = ErrorCode::kServer,
              .message = "Cannot evict pod as it would violate the pod's disruption budget.",
              .http_status = 429,
              .reason = "TooManyRequests"};
  error.details.causes.push_back({.reason = "DisruptionBudget", .message = std::move(why), .field = {}});
  return error;
}

bool IsOver(const Object& pod) {
  const std::string phase = pod.At("/status/phase").StringOr("");
  return phase == "Succeeded" || phase == "Failed" || pod.At("/metadata/deletionTimestamp").Exists();
}

/// The pod does no work yet, or no longer.
bool NeedsNoBudget(const Object& pod) { return IsOver(pod) || pod.At("/status/phase").StringOr("") == "Pending"; }

bool IsReady(const Object& pod) {
  for (const Value& condition : pod.At("/status/conditions").Elements()) {
    if (condition.At("/type").StringOr("") == "Ready") return condition.At("/status").StringOr("") == "True";
  }
  return false;
}

/// A missing selector selects nothing, an empty one every pod.
bool Selects(const Object& budget, const Object& pod) {
  const Result<LabelSelector> selector = internal::Selector(budget.At("/spec/selector"));
  return selector && selector->Matches(pod.Labels());
}

/// An unready pod may be evicted if enough others are healthy, or always if the budget says so.
bool AllowsUnreadyEviction(const Object& budget) {
  if (budget.At("/spec/unhealthyPodEvictionPolicy").StringOr("") == "AlwaysAllow") return true;
  const std::int64_t desired = budget.At("/status/desiredHealthy").IntOr(0);
  return desired > 0 && budget.At("/status/currentHealthy").IntOr(0) >= desired;
}

/// The DisruptionAllowed condition; null if there is none.
json* FindCondition(json& status) {
  json& conditions = status["conditions"];
  if (!conditions.is_array()) conditions = json::array();
  for (json& condition : conditions) {
    if (TextOf(condition, "type") == "DisruptionAllowed") return &condition;
  }
  return nullptr;
}

/// Why a budget allows no disruption, as far as its status says.
std::string WhyNot(const std::string& name, json& status) {
  const json* const condition = FindCondition(status);
  const bool says_why =
      condition != nullptr && TextOf(*condition, "status") == "False" && !TextOf(*condition, "message").empty();
  std::string not_now = "The disruption budget " + name + " does not allow evicting pods currently";
  // After a failed sync the counters are unreliable.
  if (says_why && TextOf(*condition, "reason") == "SyncFailed") {
    return not_now + " because it failed sync: " + TextOf(*condition, "message");
  }
  const std::int64_t needs = NumberOf(status, "desiredHealthy");
  const std::int64_t has = NumberOf(status, "currentHealthy");
  if (has <= needs) {
    return "The disruption budget " + name + " needs " + std::to_string(needs) + " healthy pods and has " +
           std::to_string(has) + " currently";
  }
  if (says_why) return not_now + " (" + TextOf(*condition, "reason") + "): " + TextOf(*condition, "message");
  return not_now;
}

void SetCondition(json& status, Timestamp now) {
  json* allowed = FindCondition(status);
  if (allowed == nullptr) allowed = &status["conditions"].emplace_back(json{{"type", "DisruptionAllowed"}});
  if (TextOf(*allowed, "status") != "False") (*allowed)["lastTransitionTime"] = FormatTimestamp(now);
  (*allowed)["status"] = "False";
  (*allowed)["reason"] = "InsufficientPods";
  (*allowed)["message"] = "";
  (*allowed)["observedGeneration"] = NumberOf(status, "observedGeneration");
}

/// Records one disruption in the budget's status. On a conflict, retries with the latest version.
Result<void> TakeFrom(const ResourceStore& budgets, ObjectPtr budget, std::string_view pod, bool dry_run, Timestamp now,
                      const std::stop_token& stop) {
  const std::string space(budget->Namespace());
  const std::string name(budget->Name());
  for (int tries = 1;; ++tries) {
    const Result<json> disrupted = Disrupted(budget->ToJson(), pod, now);
    if (!disrupted) return disrupted.error();
    const Result<UpdateOutcome> updated = budgets.Update(space, name, Subresource::kStatus, disrupted->dump(),
                                                         {.dry_run = dry_run, .field_manager = kManager}, stop);
    if (updated) return {};
    if (!IsConflict(updated.error())) return updated.error();
    if (tries == kTries) {
      return Error{.code = ErrorCode::kServer,
                   .message = "Timeout: couldn't update PodDisruptionBudget \"" + name + "\" due to conflicts",
                   .http_status = 504,
                   .reason = "Timeout",
                   .retry_after = std::chrono::seconds(10)};
    }
    Result<ObjectPtr> again = budgets.Get(space, name, "", stop);
    if (!again) return std::move(again).error();
    budget = *std::move(again);
  }
}

/// Charges the eviction to the pod's budget, if it has one. True: nothing was charged, since the pod in its current
/// state may go without.
Result<bool> ChargeBudget(const ResourceStore& budgets, const Object& pod, bool dry_run, Timestamp now,
                          const std::stop_token& stop) {
  const Result<ObjectList> list = budgets.List({.namespace_name = std::string(pod.Namespace())}, stop);
  if (!list) return list.error();
  ObjectPtr found;
  for (const ObjectPtr& budget : list->items) {
    if (!Selects(*budget, pod)) continue;
    if (found != nullptr) {
      return InternalServerError(
          "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.");
    }
    found = budget;
  }
  if (found == nullptr) return false;
  if (!IsReady(pod) && AllowsUnreadyEviction(*found)) return true;
  if (Result<void> taken = TakeFrom(budgets, std::move(found), pod.Name(), dry_run, now, stop); !taken) {
    return std::move(taken).error();
  }
  return false;
}

}  // namespace

Result<void> CheckEviction(const json& eviction, const std::string& namespace_name, const std::string& name) {
  if (!eviction.is_object()) return BadRequestError("Eviction cannot be read: not a JSON object");
  const std::string& api_version = TextOf(eviction, "apiVersion");
  const std::string& kind = TextOf(eviction, "kind");
  const bool known = api_version.empty() || api_version == "policy/v1" || api_version == "policy/v1beta1";
  if (!known || (!kind.empty() && kind != "Eviction")) {
    const std::string version = api_version.substr(api_version.find('/') + 1);
    return BadRequestError(kind + " in version \"" + version + "\" cannot be handled as a Eviction: converting (" +
                           version + "." + kind + ") to (policy.Eviction): unknown conversion");
  }
  const json& metadata = FieldOf(eviction, "metadata");
  if (const std::string& named = TextOf(metadata, "name"); !named.empty() && named != name) {
    return BadRequestError("name in URL does not match name in Eviction object");
  }
  if (const std::string& space = TextOf(metadata, "namespace"); !space.empty() && space != namespace_name) {
    return BadRequestError("the namespace of the provided object does not match the namespace sent on the request");
  }
  return {};
}

Result<json> Disrupted(json budget, std::string_view pod, Timestamp now) {
  const GroupVersionResource resource{"policy", "v1", "poddisruptionbudget"};
  const std::string name = TextOf(FieldOf(budget, "metadata"), "name");
  json& status = budget["status"];
  if (!status.is_object()) status = json::object();
  if (NumberOf(status, "observedGeneration") < NumberOf(FieldOf(budget, "metadata"), "generation")) {
    Error error = WouldViolate("The disruption budget " + name + " is still being processed by the server.");
    error.retry_after = std::chrono::seconds(10);
    return error;
  }
  const std::int64_t allowed = NumberOf(status, "disruptionsAllowed");
  if (allowed < 0) return ForbiddenError(resource, name, "pdb disruptions allowed is negative");
  if (FieldOf(status, "disruptedPods").size() > kMaxDisruptedPods) {
    return ForbiddenError(resource, name,
                          "DisruptedPods map too big - too many evictions not confirmed by PDB controller");
  }
  if (allowed == 0) return WouldViolate(WhyNot(name, status));
  status["disruptionsAllowed"] = allowed - 1;
  if (allowed == 1) SetCondition(status, now);
  if (!FieldOf(status, "disruptedPods").is_object()) status["disruptedPods"] = json::object();
  status["disruptedPods"][std::string(pod)] = FormatTimestamp(now);
  return budget;
}

Result<void> Evict(const ResourceStore& pods, const ResourceStore& budgets, const std::string& namespace_name,
                   const std::string& name, const DeleteParameters& parameters, Timestamp now,
                   const std::stop_token& stop) {
  const bool any_version = parameters.preconditions.resource_version.empty();
  for (int tries = 1;; ++tries) {
    const Result<ObjectPtr> pod = pods.Get(namespace_name, name, "", stop);
    if (!pod) return pod.error();
    const bool idle = NeedsNoBudget(**pod);
    // If the pod is pending, delete only this version: once it runs, its budget must be charged.
    bool as_it_is = idle && !IsOver(**pod);
    if (!idle) {
      const Result<bool> missed_by_nobody = ChargeBudget(budgets, **pod, parameters.dry_run, now, stop);
      if (!missed_by_nobody.ok()) return missed_by_nobody.error();
      as_it_is = *missed_by_nobody;
    }
    DeleteParameters deletion = parameters;
    if (as_it_is && any_version) deletion.preconditions.resource_version = std::string((*pod)->ResourceVersion());
    const Result<DeleteOutcome> deleted = pods.Delete(namespace_name, name, deletion, stop);
    if (deleted) return {};
    // A budget is charged only once.
    if (!idle || !any_version || !IsConflict(deleted.error()) || tries == kTries) return deleted.error();
  }
}

}  // namespace kinformer::apiserver
