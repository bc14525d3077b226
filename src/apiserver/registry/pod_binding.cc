#include "src/apiserver/registry/pod_binding.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "src/apiserver/registry/registry_errors.h"
#include "src/codec/json_fields.h"
#include "src/listwatch/storage/storage_errors.h"

namespace kinformer::apiserver {
namespace {

using internal::FieldOf;
using internal::TextOf;
using nlohmann::json;

void SetScheduled(json& pod, Timestamp now) {
  json& conditions = pod["status"]["conditions"];
  if (!conditions.is_array()) conditions = json::array();
  json* scheduled = nullptr;
  for (json& condition : conditions) {
    if (TextOf(condition, "type") == "PodScheduled") scheduled = &condition;
  }
  if (scheduled == nullptr) scheduled = &conditions.emplace_back(json{{"type", "PodScheduled"}});
  if (TextOf(*scheduled, "status") != "True") (*scheduled)["lastTransitionTime"] = FormatTimestamp(now);
  (*scheduled)["status"] = "True";
  (*scheduled)["lastProbeTime"] = nullptr;
  scheduled->erase("reason");
  scheduled->erase("message");
}

}  // namespace

Result<void> CheckBinding(const json& binding, const std::string& namespace_name, const std::string& name) {
  if (!binding.is_object()) return BadRequestError("Binding cannot be read: not a JSON object");
  const json& metadata = FieldOf(binding, "metadata");
  if (const std::string named = TextOf(metadata, "name"); !named.empty() && named != name) {
    return BadRequestError("name in URL does not match name in Binding object");
  }
  if (const std::string space = TextOf(metadata, "namespace"); !space.empty() && space != namespace_name) {
    return BadRequestError("the namespace of the provided object does not match the namespace sent on the request");
  }
  const json& target = FieldOf(binding, "target");
  std::vector<ErrorCause> causes;
  if (const std::string kind = TextOf(target, "kind"); !kind.empty() && kind != "Node") {
    causes.push_back({.reason = "FieldValueNotSupported",
                      .message = "Unsupported value: \"" + kind + "\": supported values: \"Node\", \"<empty>\"",
                      .field = "target.kind"});
  }
  if (TextOf(target, "name").empty()) causes.push_back(Required("target.name", ""));
  if (!causes.empty()) return InvalidError({"", "v1", "Binding"}, name, std::move(causes));
  return {};
}

Result<json> Bound(const ServedKind& pods, json pod, const json& binding, Timestamp now) {
  const std::string name = TextOf(pod.at("metadata"), "name");
  const std::string node = TextOf(FieldOf(binding, "target"), "name");
  const GroupVersionResource bindings{pods.resource.group, pods.resource.version, pods.resource.resource + "/binding"};
  if (pod.at("metadata").contains("deletionTimestamp")) {
    return ConflictError(bindings, name, "pod " + name + " is being deleted, cannot be assigned to a host");
  }
  if (const std::string has = TextOf(FieldOf(pod, "spec"), "nodeName"); !has.empty()) {
    return ConflictError(bindings, name, "pod " + name + " is already assigned to node \"" + has + "\"");
  }
  pod["spec"]["nodeName"] = node;
  const json& metadata = FieldOf(binding, "metadata");
  for (const char* part : {"annotations", "labels"}) {
    const json& entries = FieldOf(metadata, part);
    if (!entries.is_object()) continue;
    for (const auto& [key, value] : entries.items()) {
      if (value.is_string()) pod["metadata"][part][key] = value;
    }
  }
  SetScheduled(pod, now);
  return pod;
}

}  // namespace kinformer::apiserver
