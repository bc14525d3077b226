#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "src/apiserver/registry/kind_rules.h"
#include "src/apiserver/registry/name_rules.h"
#include "src/codec/json_fields.h"

namespace kinformer::apiserver {
namespace {

using internal::AtIndex;
using internal::FieldOf;
using internal::IntegerOf;
using internal::IsBlank;
using internal::TextOf;
using nlohmann::json;
using Errors = std::vector<FieldError>;

constexpr std::size_t kMaxCronJobName = 52;

void CheckNotNegative(const json& object, const char* name, const std::string& path, Errors& errors) {
  const auto value = IntegerOf(object, name);
  if (value && *value < 0) {
    errors.push_back(FieldInvalid(path + "." + name, *value, "must be greater than or equal to 0"));
  }
}

bool Contains(const json& list, const json& value) {
  return list.is_array() && std::find(list.begin(), list.end(), value) != list.end();
}

/// Evaluates a LabelSelector.
bool Matches(const json& selector, const json& labels) {
  const json& wanted = FieldOf(selector, "matchLabels");
  if (wanted.is_object()) {
    for (const auto& [key, value] : wanted.items()) {
      if (FieldOf(labels, key.c_str()) != value) return false;
    }
  }
  for (const json& expression : FieldOf(selector, "matchExpressions")) {
    const json& value = FieldOf(labels, TextOf(expression, "key").c_str());
    const std::string& how = TextOf(expression, "operator");
    const json& values = FieldOf(expression, "values");
    const bool matches = how == "In"             ? Contains(values, value)
                         : how == "NotIn"        ? !Contains(values, value)
                         : how == "Exists"       ? !value.is_null()
                         : how == "DoesNotExist" ? value.is_null()
                                                 : false;
    if (!matches) return false;
  }
  return true;
}

void CheckSelector(const json& selector, const std::string& path, Errors& errors) {
  const json& expressions = FieldOf(selector, "matchExpressions");
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const std::string at = AtIndex(path + ".matchExpressions", i);
    const std::string& how = TextOf(expressions[i], "operator");
    const bool empty = IsBlank(FieldOf(expressions[i], "values"));
    if (how == "In" || how == "NotIn") {
      if (empty) {
        errors.push_back(FieldRequired(at + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
      }
    } else if (how == "Exists" || how == "DoesNotExist") {
      if (!empty) {
        errors.push_back(
            FieldForbidden(at + ".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      }
    } else {
      errors.push_back(FieldInvalid(at + ".operator", how, "not a valid selector operator"));
    }
    if (const std::string wrong = WrongQualifiedName(TextOf(expressions[i], "key")); !wrong.empty()) {
      errors.push_back(FieldInvalid(at + ".key", TextOf(expressions[i], "key"), wrong));
    }
  }
}

void CheckTemplateLabels(const json& labels, const std::string& path, Errors& errors) {
  if (!labels.is_object()) return;
  for (const auto& [key, value] : labels.items()) {
    if (const std::string wrong = WrongQualifiedName(key); !wrong.empty()) {
      errors.push_back(FieldInvalid(path, key, wrong));
    }
    if (const std::string wrong = value.is_string() ? WrongLabelValue(value.get<std::string>()) : ""; !wrong.empty()) {
      errors.push_back(FieldInvalid(path, value, wrong));
    }
  }
}

constexpr const char* kNoMatch = "`selector` does not match template `labels`";

/// The selector must be set, match the template's labels, and not change. `old`: null skips the last check.
void CheckSelected(const json& object, const json* old, const char* kind_in_words, Errors& errors) {
  const json& spec = FieldOf(object, "spec");
  const json& selector = FieldOf(spec, "selector");
  const json& labels = FieldOf(FieldOf(FieldOf(spec, "template"), "metadata"), "labels");
  if (selector.is_null()) {
    errors.push_back(FieldRequired("spec.selector"));
    errors.push_back(FieldInvalid("spec.template.metadata.labels", labels, kNoMatch));
  } else {
    CheckSelector(selector, "spec.selector", errors);
    if (IsBlank(FieldOf(selector, "matchLabels")) && IsBlank(FieldOf(selector, "matchExpressions"))) {
      errors.push_back(
          FieldInvalid("spec.selector", selector, std::string("empty selector is invalid for ") + kind_in_words));
    } else if (!Matches(selector, labels)) {
      errors.push_back(FieldInvalid("spec.template.metadata.labels", labels, kNoMatch));
    }
  }
  if (old != nullptr && FieldOf(FieldOf(*old, "spec"), "selector") != selector) {
    errors.push_back(FieldInvalid("spec.selector", selector, "field is immutable"));
  }
  CheckTemplateLabels(labels, "spec.template.metadata.labels", errors);
  CheckPodSpec(FieldOf(FieldOf(spec, "template"), "spec"), "spec.template.spec", {"Always"}, errors);
  for (const char* number : {"replicas", "minReadySeconds", "revisionHistoryLimit"}) {
    CheckNotNegative(spec, number, "spec", errors);
  }
}

void CheckStrategy(const json& strategy, const std::string& path, const std::vector<std::string>& types,
                   const char* other, Errors& errors) {
  if (strategy.is_null()) return;
  const std::string& type = TextOf(strategy, "type");
  if (std::find(types.begin(), types.end(), type) == types.end()) {
    errors.push_back(FieldNotSupported(path + ".type", type, types));
  } else if (type == other && !FieldOf(strategy, "rollingUpdate").is_null()) {
    errors.push_back(FieldForbidden(path + ".rollingUpdate",
                                    "may not be specified when strategy `type` is '" + std::string(other) + "'"));
  }
}

bool IsIndexed(const json& job_spec) { return TextOf(job_spec, "completionMode") == "Indexed"; }

void CheckJobSpec(const json& spec, const std::string& path, Errors& errors) {
  for (const char* number :
       {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"}) {
    CheckNotNegative(spec, number, path, errors);
  }
  if (IsIndexed(spec) && FieldOf(spec, "completions").is_null()) {
    errors.push_back(FieldRequired(path + ".completions", "when completion mode is Indexed"));
  }
  const json& pod = FieldOf(FieldOf(spec, "template"), "spec");
  // A separate error, because the default, Always, is not allowed here.
  if (TextOf(pod, "restartPolicy") == "Always") {
    errors.push_back(FieldRequired(path + ".template.spec.restartPolicy", R"(valid values: "OnFailure", "Never")"));
    CheckPodSpec(pod, path + ".template.spec", {}, errors);
  } else {
    CheckPodSpec(pod, path + ".template.spec", {"OnFailure", "Never"}, errors);
  }
}

/// Whether a job is suspended without pods, because it has not started or its pods have been removed.
bool HasMutableTemplate(const json& job) {
  const json& status = FieldOf(job, "status");
  if (FieldOf(FieldOf(job, "spec"), "suspend") != true || IntegerOf(status, "active").value_or(0) != 0) return false;
  if (FieldOf(status, "startTime").is_null()) return true;
  const json& conditions = FieldOf(status, "conditions");
  return std::any_of(conditions.begin(), conditions.end(), [](const json& condition) {
    return TextOf(condition, "type") == "Suspended" && TextOf(condition, "status") == "True";
  });
}

void CopyField(const json& from, const char* name, json& to) {
  if (const json& value = FieldOf(from, name); !value.is_null()) {
    to[name] = value;
  } else if (to.is_object()) {
    to.erase(name);
  }
}

/// `old`, a pod spec, with those fields of `pod` that may change in the template of a suspended job: where its pods may
/// run, and the resources of their containers.
json WithMutableFields(json old, const json& pod) {
  if (!old.is_object() || !pod.is_object()) return old;
  for (const char* name : {"nodeSelector", "tolerations", "schedulingGates"}) CopyField(pod, name, old);
  // Of the affinity, only the node's.
  const json& affinity = FieldOf(pod, "affinity");
  json kept = FieldOf(old, "affinity");
  if (!affinity.is_null() || !kept.is_null()) {
    if (kept.is_null()) kept = json::object();
    CopyField(affinity, "nodeAffinity", kept);
    if (affinity.is_null() && kept.empty()) {
      old.erase("affinity");
    } else {
      old["affinity"] = std::move(kept);
    }
  }
  for (const char* list : {"containers", "initContainers"}) {
    const json& wanted = FieldOf(pod, list);
    if (!wanted.is_array() || FieldOf(old, list).size() != wanted.size()) continue;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      json& container = old[list][i];
      if (TextOf(container, "name") == TextOf(wanted[i], "name")) CopyField(wanted[i], "resources", container);
    }
  }
  return old;
}

}  // namespace

void CheckDeployment(const json& object, const json* old, Errors& errors) {
  CheckSelected(object, old, "deployment", errors);
  const json& spec = FieldOf(object, "spec");
  CheckStrategy(FieldOf(spec, "strategy"), "spec.strategy", {"Recreate", "RollingUpdate"}, "Recreate", errors);
  const auto deadline = IntegerOf(spec, "progressDeadlineSeconds");
  CheckNotNegative(spec, "progressDeadlineSeconds", "spec", errors);
  if (deadline && *deadline <= IntegerOf(spec, "minReadySeconds").value_or(0)) {
    errors.push_back(FieldInvalid("spec.progressDeadlineSeconds", *deadline, "must be greater than minReadySeconds"));
  }
}

void CheckReplicaSet(const json& object, const json* old, Errors& errors) {
  // A real server says "deployment" for both kinds.
  CheckSelected(object, old, "deployment", errors);
}

void CheckStatefulSet(const json& object, const json* old, Errors& errors) {
  CheckSelected(object, nullptr, "statefulset", errors);
  const json& spec = FieldOf(object, "spec");
  CheckStrategy(FieldOf(spec, "updateStrategy"), "spec.updateStrategy", {"OnDelete", "RollingUpdate"}, "OnDelete",
                errors);
  const std::string& policy = TextOf(spec, "podManagementPolicy");
  if (policy != "OrderedReady" && policy != "Parallel") {
    errors.push_back(FieldNotSupported("spec.podManagementPolicy", policy, {"OrderedReady", "Parallel"}));
  }
  if (old == nullptr) return;
  json before = FieldOf(*old, "spec");
  json after = spec;
  for (const char* name : {"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
                           "persistentVolumeClaimRetentionPolicy", "minReadySeconds"}) {
    if (before.is_object()) before.erase(name);
    if (after.is_object()) after.erase(name);
  }
  if (before != after) {
    errors.push_back(FieldForbidden(
        "spec",
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
        "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"));
  }
}

void CheckDaemonSet(const json& object, const json* old, Errors& errors) {
  CheckSelected(object, old, "daemonset", errors);
  CheckStrategy(FieldOf(FieldOf(object, "spec"), "updateStrategy"), "spec.updateStrategy",
                {"OnDelete", "RollingUpdate"}, "OnDelete", errors);
}

void CheckReplicationController(const json& object, const json* /*old*/, Errors& errors) {
  const json& spec = FieldOf(object, "spec");
  CheckNotNegative(spec, "replicas", "spec", errors);
  CheckNotNegative(spec, "minReadySeconds", "spec", errors);
  const json& selector = FieldOf(spec, "selector");
  if (IsBlank(selector)) errors.push_back(FieldRequired("spec.selector"));
  const json& pods = FieldOf(spec, "template");
  if (pods.is_null()) return errors.push_back(FieldRequired("spec.template"));
  const json& labels = FieldOf(FieldOf(pods, "metadata"), "labels");
  if (!IsBlank(selector) && !Matches({{"matchLabels", selector}}, labels)) {
    errors.push_back(FieldInvalid("spec.template.metadata.labels", labels.is_null() ? json::object() : labels,
                                  "`selector` does not match template `labels`"));
  }
  CheckPodSpec(FieldOf(pods, "spec"), "spec.template.spec", {"Always"}, errors);
}

void CheckJob(const json& object, const json* old, Errors& errors) {
  const json& spec = FieldOf(object, "spec");
  CheckJobSpec(spec, "spec", errors);
  if (old == nullptr) return;
  const json& before = FieldOf(*old, "spec");
  const auto check_same = [&](const char* name) {
    if (FieldOf(before, name) == FieldOf(spec, name)) return;
    errors.push_back(FieldInvalid(std::string("spec.") + name, FieldOf(spec, name), "field is immutable"));
  };
  if (!IsIndexed(spec)) {
    check_same("completions");
  } else if (const auto completions = IntegerOf(spec, "completions");
             completions && FieldOf(before, "completions") != FieldOf(spec, "completions") &&
             completions != IntegerOf(spec, "parallelism").value_or(1)) {
    // An indexed job is resized as a whole.
    errors.push_back(
        FieldInvalid("spec.completions", *completions, "can only be modified in tandem with spec.parallelism"));
  }
  check_same("selector");
  if (HasMutableTemplate(*old)) {
    const json& pod = FieldOf(FieldOf(spec, "template"), "spec");
    if (WithMutableFields(FieldOf(FieldOf(before, "template"), "spec"), pod) != pod) {
      errors.push_back(FieldInvalid("spec.template.spec", pod, "field is immutable"));
    }
  } else {
    check_same("template");
  }
  for (const char* name :
       {"completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"}) {
    check_same(name);
  }
}

void CheckCronJob(const json& object, const json* /*old*/, Errors& errors) {
  const json& spec = FieldOf(object, "spec");
  if (TextOf(FieldOf(object, "metadata"), "name").size() > kMaxCronJobName) {
    errors.push_back(FieldInvalid("metadata.name", TextOf(FieldOf(object, "metadata"), "name"),
                                  "must be no more than " + std::to_string(kMaxCronJobName) + " characters"));
  }
  if (TextOf(spec, "schedule").empty()) errors.push_back(FieldRequired("spec.schedule"));
  const std::string& policy = TextOf(spec, "concurrencyPolicy");
  if (policy != "Allow" && policy != "Forbid" && policy != "Replace") {
    errors.push_back(FieldNotSupported("spec.concurrencyPolicy", policy, {"Allow", "Forbid", "Replace"}));
  }
  for (const char* number : {"startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"}) {
    CheckNotNegative(spec, number, "spec", errors);
  }
  CheckJobSpec(FieldOf(FieldOf(spec, "jobTemplate"), "spec"), "spec.jobTemplate.spec", errors);
}

void CheckPodTemplate(const json& object, const json* /*old*/, Errors& errors) {
  CheckPodSpec(FieldOf(FieldOf(object, "template"), "spec"), "template.spec", {}, errors);
}

}  // namespace kinformer::apiserver
