#include "src/apiserver/registry/kind_rules.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

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

constexpr std::size_t kMaxData = 1024 * 1024;
constexpr const char* kRbacGroup = "rbac.authorization.k8s.io";

void CheckServicePort(const json& port, const std::string& path, bool needs_name, std::set<std::string>& names,
                      Errors& errors) {
  const std::string& name = TextOf(port, "name");
  if (name.empty()) {
    if (needs_name) errors.push_back(FieldRequired(path + ".name"));
  } else {
    if (const std::string wrong = WrongDnsLabel(name); !wrong.empty()) {
      errors.push_back(FieldInvalid(path + ".name", name, wrong));
    }
    if (!names.insert(name).second) errors.push_back(FieldDuplicate(path + ".name", name));
  }
  const std::int64_t number = IntegerOf(port, "port").value_or(0);
  if (number < 1 || number > 65535) {
    errors.push_back(FieldInvalid(path + ".port", number, "must be between 1 and 65535, inclusive"));
  }
  const std::string& protocol = TextOf(port, "protocol");
  if (protocol != "TCP" && protocol != "UDP" && protocol != "SCTP") {
    errors.push_back(FieldNotSupported(path + ".protocol", protocol, {"SCTP", "TCP", "UDP"}));
  }
  const json& target = FieldOf(port, "targetPort");
  if (target.is_number_integer() && (target.get<std::int64_t>() < 1 || target.get<std::int64_t>() > 65535)) {
    errors.push_back(FieldInvalid(path + ".targetPort", target, "must be between 1 and 65535, inclusive"));
  }
}

void CheckKeys(const json& object, const char* name, std::size_t& size, Errors& errors) {
  const json& data = FieldOf(object, name);
  if (!data.is_object()) return;
  for (const auto& [key, value] : data.items()) {
    if (const std::string wrong = WrongConfigKey(key); !wrong.empty()) {
      errors.push_back(FieldInvalid(std::string(name) + "[" + key + "]", key, wrong));
    }
    if (value.is_string()) size += value.get_ref<const std::string&>().size();
  }
}

void CheckImmutable(const json& object, const json& old, const std::vector<const char*>& names, Errors& errors) {
  if (FieldOf(old, "immutable") != true) return;
  if (FieldOf(object, "immutable") != true) {
    errors.push_back(FieldForbidden("immutable", "field is immutable when `immutable` is set"));
  }
  for (const char* name : names) {
    if (FieldOf(object, name) != FieldOf(old, name)) {
      errors.push_back(FieldForbidden(name, "field is immutable when `immutable` is set"));
    }
  }
}

/// Adds a selector that matches this job's pods only.
void SelectOwnPods(json& job) {
  json& spec = job["spec"];
  if (FieldOf(spec, "manualSelector") == true) return;
  const json& metadata = job["metadata"];
  json& labels = spec["template"]["metadata"]["labels"];
  const json name = FieldOf(metadata, "name");
  const json uid = FieldOf(metadata, "uid");
  for (const char* label : {"job-name", "batch.kubernetes.io/job-name"}) {
    if (!labels.contains(label)) labels[label] = name;
  }
  for (const char* label : {"controller-uid", "batch.kubernetes.io/controller-uid"}) {
    if (!labels.contains(label)) labels[label] = uid;
  }
  json& selected = spec["selector"]["matchLabels"];
  if (!selected.contains("batch.kubernetes.io/controller-uid")) selected["batch.kubernetes.io/controller-uid"] = uid;
}

void SetInAll(json& object, const char* list, const char* member, const json& value) {
  const auto found = object.find(list);
  if (found == object.end() || !found->is_array()) return;
  for (json& item : *found) {
    if (item.is_object()) item.emplace(member, value);
  }
}

}  // namespace

void CheckPod(const json& object, const json* /*old*/, Errors& errors) {
  CheckPodSpec(FieldOf(object, "spec"), "spec", {}, errors);
}

void CheckService(const json& object, const json* /*old*/, Errors& errors) {
  const json& spec = FieldOf(object, "spec");
  const std::string& type = TextOf(spec, "type");
  const bool headless = TextOf(spec, "clusterIP") == "None";
  const json& ports = FieldOf(spec, "ports");
  if (IsBlank(ports) && !headless && type != "ExternalName") errors.push_back(FieldRequired("spec.ports"));
  if (headless && (type == "LoadBalancer" || type == "NodePort")) {
    errors.push_back(FieldInvalid("spec.clusterIPs[0]", "None", "may not be set to 'None' for " + type + " services"));
  }
  if (type == "ExternalName" && TextOf(spec, "externalName").empty()) {
    errors.push_back(FieldRequired("spec.externalName"));
  }
  std::set<std::string> names;
  std::set<std::pair<std::string, std::int64_t>> numbers;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::string at = AtIndex("spec.ports", i);
    CheckServicePort(ports[i], at, ports.size() > 1, names, errors);
    const std::string& protocol = TextOf(ports[i], "protocol");
    const std::int64_t port = IntegerOf(ports[i], "port").value_or(0);
    if (!numbers.emplace(protocol, port).second) {
      errors.push_back(FieldDuplicate(at, {{"port", port}, {"protocol", protocol}}));
    }
    if (type == "ClusterIP" && IntegerOf(ports[i], "nodePort").value_or(0) != 0) {
      errors.push_back(FieldForbidden(at + ".nodePort", "may not be used when `type` is 'ClusterIP'"));
    }
  }
  static const std::vector<std::string> types = {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"};
  if (std::find(types.begin(), types.end(), type) == types.end()) {
    errors.push_back(FieldNotSupported("spec.type", type, types));
  }
  const std::string& affinity = TextOf(spec, "sessionAffinity");
  if (affinity != "ClientIP" && affinity != "None") {
    errors.push_back(FieldNotSupported("spec.sessionAffinity", affinity, {"ClientIP", "None"}));
  }
}

void CheckConfigMap(const json& object, const json* old, Errors& errors) {
  std::size_t size = 0;
  CheckKeys(object, "data", size, errors);
  CheckKeys(object, "binaryData", size, errors);
  const json& data = FieldOf(object, "data");
  if (data.is_object()) {
    for (const auto& [key, value] : data.items()) {
      if (FieldOf(object, "binaryData").contains(key)) {
        errors.push_back(FieldInvalid("data[" + key + "]", key, "duplicate of key present in binaryData"));
      }
    }
  }
  if (size > kMaxData) errors.push_back(FieldTooLong("[]", kMaxData));
  if (old != nullptr) CheckImmutable(object, *old, {"data", "binaryData"}, errors);
}

void CheckSecret(const json& object, const json* old, Errors& errors) {
  std::size_t size = 0;
  CheckKeys(object, "data", size, errors);
  // Base64 is a third longer than the data that it encodes.
  if (size / 4 * 3 > kMaxData) errors.push_back(FieldTooLong("data", kMaxData));
  const std::string& type = TextOf(object, "type");
  const json& data = FieldOf(object, "data");
  const auto needs = [&](const char* key) {
    if (FieldOf(data, key).is_null()) errors.push_back(FieldRequired("data[" + std::string(key) + "]"));
  };
  if (type == "kubernetes.io/tls") {
    needs("tls.crt");
    needs("tls.key");
  } else if (type == "kubernetes.io/dockerconfigjson") {
    needs(".dockerconfigjson");
  } else if (type == "kubernetes.io/dockercfg") {
    needs(".dockercfg");
  } else if (type == "kubernetes.io/ssh-auth") {
    needs("ssh-privatekey");
  } else if (type == "kubernetes.io/basic-auth") {
    if (FieldOf(data, "username").is_null() && FieldOf(data, "password").is_null()) {
      needs("username");
      needs("password");
    }
  } else if (type == "kubernetes.io/service-account-token") {
    const char* name = "kubernetes.io/service-account.name";
    if (TextOf(FieldOf(FieldOf(object, "metadata"), "annotations"), name).empty()) {
      errors.push_back(FieldRequired("metadata.annotations[" + std::string(name) + "]"));
    }
  }
  if (old == nullptr) return;
  if (TextOf(*old, "type") != type) errors.push_back(FieldInvalid("type", type, "field is immutable"));
  CheckImmutable(object, *old, {"data"}, errors);
}

void CheckClaim(const json& object, const json* old, Errors& errors) {
  const json& spec = FieldOf(object, "spec");
  if (IsBlank(FieldOf(spec, "accessModes"))) {
    errors.push_back(FieldRequired("spec.accessModes", "at least 1 access mode is required"));
  }
  static const std::vector<std::string> modes = {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"};
  for (const json& mode : FieldOf(spec, "accessModes")) {
    if (std::find(modes.begin(), modes.end(), mode) == modes.end()) {
      errors.push_back(FieldNotSupported("spec.accessModes", mode, modes));
    }
  }
  if (FieldOf(FieldOf(FieldOf(spec, "resources"), "requests"), "storage").is_null()) {
    errors.push_back(FieldRequired("spec.resources[storage]"));
  }
  if (old == nullptr) return;
  json before = FieldOf(*old, "spec");
  json after = spec;
  // Mutable: requests, volumeAttributesClassName, and volumeName while it is unset.
  for (json* one : {&before, &after}) {
    if (!one->is_object()) continue;
    one->erase("volumeAttributesClassName");
    if (one->contains("resources")) (*one)["resources"].erase("requests");
  }
  if (before.is_object() && TextOf(before, "volumeName").empty() && after.is_object()) after.erase("volumeName");
  if (before != after) {
    errors.push_back(FieldForbidden("spec",
                                    "spec is immutable after creation except resources.requests and "
                                    "volumeAttributesClassName for bound claims"));
  }
}

void CheckVolume(const json& object, const json* /*old*/, Errors& errors) {
  const json& spec = FieldOf(object, "spec");
  if (IsBlank(FieldOf(spec, "accessModes"))) errors.push_back(FieldRequired("spec.accessModes"));
  if (IsBlank(FieldOf(spec, "capacity"))) errors.push_back(FieldRequired("spec.capacity"));
}

void CheckEvent(const json& object, const json* /*old*/, Errors& errors) {
  const json& involved = FieldOf(object, "involvedObject");
  const std::string& in = TextOf(involved, "namespace");
  const std::string& own = TextOf(FieldOf(object, "metadata"), "namespace");
  const bool is_new = !TextOf(object, "eventTime").empty();
  const bool fits = in.empty() ? own == "default" || (is_new && own == "kube-system") : is_new || in == own;
  if (!fits) errors.push_back(FieldInvalid("involvedObject.namespace", in, "does not match event.namespace"));
  if (!is_new) return;
  for (const char* name : {"reportingComponent", "reportingInstance", "action", "reason"}) {
    if (TextOf(object, name).empty()) errors.push_back(FieldRequired(name));
  }
}

/// The events.k8s.io rules: stricter, and only on create.
void CheckNewEvent(const json& object, const json* old, Errors& errors) {
  if (old != nullptr) return;
  const std::string& in = TextOf(FieldOf(object, "regarding"), "namespace");
  const std::string& own = TextOf(FieldOf(object, "metadata"), "namespace");
  if (in.empty() ? own != "default" && own != "kube-system" : in != own) {
    errors.push_back(FieldInvalid("involvedObject.namespace", in, "does not match event.namespace"));
  }
  for (const char* name : {"eventTime", "reportingController", "reportingInstance", "action", "reason", "type"}) {
    if (TextOf(object, name).empty()) errors.push_back(FieldRequired(name));
  }
}

void CheckLease(const json& object, const json* /*old*/, Errors& errors) {
  const json& spec = FieldOf(object, "spec");
  if (const auto seconds = IntegerOf(spec, "leaseDurationSeconds"); seconds && *seconds <= 0) {
    errors.push_back(FieldInvalid("spec.leaseDurationSeconds", *seconds, "must be greater than 0"));
  }
  if (const auto transitions = IntegerOf(spec, "leaseTransitions"); transitions && *transitions < 0) {
    errors.push_back(FieldInvalid("spec.leaseTransitions", *transitions, "must be greater than or equal to 0"));
  }
}

void CheckRole(const json& object, const json* /*old*/, Errors& errors) {
  const bool namespaced = TextOf(object, "kind") == "Role";
  const json& rules = FieldOf(object, "rules");
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::string at = AtIndex("rules", i);
    const json& rule = rules[i];
    if (IsBlank(FieldOf(rule, "verbs"))) {
      errors.push_back(FieldRequired(at + ".verbs", "verbs must contain at least one value"));
    }
    const json& urls = FieldOf(rule, "nonResourceURLs");
    if (!IsBlank(urls)) {
      if (namespaced) {
        errors.push_back(
            FieldInvalid(at + ".nonResourceURLs", urls, "namespaced rules cannot apply to non-resource URLs"));
      }
      if (!IsBlank(FieldOf(rule, "apiGroups")) || !IsBlank(FieldOf(rule, "resources"))) {
        errors.push_back(FieldInvalid(at + ".nonResourceURLs", urls,
                                      "rules cannot apply to both regular resources and non-resource URLs"));
      }
      continue;
    }
    if (IsBlank(FieldOf(rule, "apiGroups"))) {
      errors.push_back(FieldRequired(at + ".apiGroups", "resource rules must supply at least one api group"));
    }
    if (IsBlank(FieldOf(rule, "resources"))) {
      errors.push_back(FieldRequired(at + ".resources", "resource rules must supply at least one resource"));
    }
  }
}

void CheckBinding(const json& object, const json* old, Errors& errors) {
  const bool namespaced = TextOf(object, "kind") == "RoleBinding";
  const json& role = FieldOf(object, "roleRef");
  if (TextOf(role, "apiGroup") != kRbacGroup) {
    errors.push_back(FieldNotSupported("roleRef.apiGroup", TextOf(role, "apiGroup"), {kRbacGroup}));
  }
  const std::string& kind = TextOf(role, "kind");
  if (kind != "ClusterRole" && !(namespaced && kind == "Role")) {
    errors.push_back(FieldNotSupported(
        "roleRef.kind", kind,
        namespaced ? std::vector<std::string>{"Role", "ClusterRole"} : std::vector<std::string>{"ClusterRole"}));
  }
  if (TextOf(role, "name").empty()) errors.push_back(FieldRequired("roleRef.name"));
  const json& subjects = FieldOf(object, "subjects");
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const std::string at = AtIndex("subjects", i);
    if (TextOf(subjects[i], "name").empty()) errors.push_back(FieldRequired(at + ".name"));
    const std::string& who = TextOf(subjects[i], "kind");
    const std::string& group = TextOf(subjects[i], "apiGroup");
    if (who == "ServiceAccount") {
      if (!group.empty()) errors.push_back(FieldNotSupported(at + ".apiGroup", group, {""}));
      if (!namespaced && TextOf(subjects[i], "namespace").empty()) errors.push_back(FieldRequired(at + ".namespace"));
    } else if (who != "User" && who != "Group") {
      errors.push_back(FieldNotSupported(at + ".kind", who, {"ServiceAccount", "User", "Group"}));
    } else if (group != kRbacGroup) {
      errors.push_back(FieldNotSupported(at + ".apiGroup", group, {kRbacGroup}));
    }
  }
  if (old != nullptr && FieldOf(*old, "roleRef") != role) {
    errors.push_back(FieldInvalid("roleRef", role, "cannot change roleRef"));
  }
}

void CheckIngress(const json& object, const json* /*old*/, Errors& errors) {
  const json& spec = FieldOf(object, "spec");
  const json& rules = FieldOf(spec, "rules");
  if (IsBlank(rules) && FieldOf(spec, "defaultBackend").is_null()) {
    errors.push_back(FieldInvalid("spec", json::array(), "either `defaultBackend` or `rules` must be specified"));
  }
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const json& paths = FieldOf(FieldOf(rules[i], "http"), "paths");
    const std::string at = AtIndex("spec.rules", i) + ".http.paths";
    if (!FieldOf(rules[i], "http").is_null() && IsBlank(paths)) errors.push_back(FieldRequired(at));
    for (std::size_t k = 0; k < paths.size(); ++k) {
      const std::string path_at = AtIndex(at, k);
      const std::string& type = TextOf(paths[k], "pathType");
      const std::string& path = TextOf(paths[k], "path");
      if (type.empty()) {
        errors.push_back(FieldRequired(path_at + ".pathType", "pathType must be specified"));
      } else if (type != "Exact" && type != "Prefix" && type != "ImplementationSpecific") {
        errors.push_back(FieldNotSupported(path_at + ".pathType", type, {"Exact", "ImplementationSpecific", "Prefix"}));
      } else if (!path.starts_with('/') && (type != "ImplementationSpecific" || !path.empty())) {
        errors.push_back(FieldInvalid(path_at + ".path", path, "must be an absolute path"));
      }
    }
  }
}

void CheckBudget(const json& object, const json* /*old*/, Errors& errors) {
  const json& spec = FieldOf(object, "spec");
  if (!FieldOf(spec, "minAvailable").is_null() && !FieldOf(spec, "maxUnavailable").is_null()) {
    errors.push_back(FieldInvalid("spec", spec, "minAvailable and maxUnavailable cannot be both set"));
  }
}

void CheckAutoscaler(const json& object, const json* /*old*/, Errors& errors) {
  const json& spec = FieldOf(object, "spec");
  const std::int64_t most = IntegerOf(spec, "maxReplicas").value_or(0);
  const std::int64_t least = IntegerOf(spec, "minReplicas").value_or(1);
  if (least < 1) errors.push_back(FieldInvalid("spec.minReplicas", least, "must be greater than or equal to 1"));
  if (most < 1) errors.push_back(FieldRequired("spec.maxReplicas", "must be set and greater than 0"));
  if (most >= 1 && most < least) {
    errors.push_back(FieldInvalid("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`"));
  }
  for (const char* name : {"kind", "name"}) {
    if (TextOf(FieldOf(spec, "scaleTargetRef"), name).empty()) {
      errors.push_back(FieldRequired(std::string("spec.scaleTargetRef.") + name));
    }
  }
}

void CheckStorageClass(const json& object, const json* old, Errors& errors) {
  if (TextOf(object, "provisioner").empty()) errors.push_back(FieldRequired("provisioner"));
  if (old == nullptr) return;
  if (FieldOf(*old, "parameters") != FieldOf(object, "parameters")) {
    errors.push_back(FieldForbidden("parameters", "updates to parameters are forbidden."));
  }
  if (FieldOf(*old, "provisioner") != FieldOf(object, "provisioner")) {
    errors.push_back(FieldForbidden("provisioner", "updates to provisioner are forbidden."));
  }
}

void CheckPriorityClass(const json& object, const json* old, Errors& errors) {
  if (old != nullptr && IntegerOf(*old, "value").value_or(0) != IntegerOf(object, "value").value_or(0)) {
    errors.push_back(FieldForbidden("value", "may not be changed in an update."));
  }
}

void CheckEndpointSlice(const json& object, const json* old, Errors& errors) {
  const std::string& type = TextOf(object, "addressType");
  if (type.empty()) {
    errors.push_back(FieldRequired("addressType"));
  } else if (type != "IPv4" && type != "IPv6" && type != "FQDN") {
    errors.push_back(FieldNotSupported("addressType", type, {"FQDN", "IPv4", "IPv6"}));
  }
  const json& endpoints = FieldOf(object, "endpoints");
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    if (IsBlank(FieldOf(endpoints[i], "addresses"))) {
      errors.push_back(FieldRequired(AtIndex("endpoints", i) + ".addresses", "must contain at least 1 address"));
    }
  }
  if (old != nullptr && TextOf(*old, "addressType") != type) {
    errors.push_back(FieldInvalid("addressType", type, "field is immutable"));
  }
}

void CompleteJob(json& job) {
  SelectOwnPods(job);
  const json::json_pointer labels("/spec/template/metadata/labels");
  if (!job["metadata"].contains("labels") && job.contains(labels)) job["metadata"]["labels"] = job.at(labels);
}

void CompleteCronJob(json& cron_job) {
  for (const char* where : {"/spec/jobTemplate", "/spec/jobTemplate/spec/template"}) {
    const json::json_pointer place(where);
    if (cron_job.contains(place) && cron_job.at(place).is_object()) cron_job[place].emplace("metadata", json::object());
  }
}

void CompleteClaims(json& set) {
  const auto spec = set.find("spec");
  if (spec == set.end() || !spec->is_object()) return;
  SetInAll(*spec, "volumeClaimTemplates", "apiVersion", "v1");
  SetInAll(*spec, "volumeClaimTemplates", "kind", "PersistentVolumeClaim");
  SetInAll(*spec, "volumeClaimTemplates", "status", {{"phase", "Pending"}});
}

void CompleteEndpointSlice(json& slice) { SetInAll(slice, "endpoints", "conditions", json::object()); }

void CompleteEvent(json& event) {
  for (const char* time : {"firstTimestamp", "lastTimestamp", "eventTime"}) event.emplace(time, nullptr);
  for (const char* text : {"reportingComponent", "reportingInstance"}) event.emplace(text, "");
}

std::vector<FieldError> CheckKind(const ServedKind& kind, const json& object, const json* old) {
  Errors errors;
  if (kind.rules != nullptr && kind.rules->check != nullptr) kind.rules->check(object, old, errors);
  return errors;
}

std::vector<FieldError> CheckStatus(const ServedKind& kind, const json& object, const json* old) {
  Errors errors;
  if (kind.rules != nullptr && kind.rules->check_status != nullptr) kind.rules->check_status(object, old, errors);
  return errors;
}

}  // namespace kinformer::apiserver
