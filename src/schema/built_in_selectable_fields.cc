#include "src/schema/built_in_selectable_fields.h"

#include <span>
#include <string>
#include <string_view>

namespace kinformer::apiserver {
namespace {

struct Field {
  std::string_view name{};
  /// Empty: "." and the name.
  std::string_view json_path{};
  std::string_view absent{};
};

struct SelectableKind {
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  std::span<const Field> fields;
};

constexpr Field kCoreEvent[] = {
    {.name = "involvedObject.kind"},
    {.name = "involvedObject.namespace"},
    {.name = "involvedObject.name"},
    {.name = "involvedObject.uid"},
    {.name = "involvedObject.apiVersion"},
    {.name = "involvedObject.resourceVersion"},
    {.name = "involvedObject.fieldPath"},
    {.name = "reason"},
    {.name = "reportingComponent"},
    {.name = "source", .json_path = ".source.component"},
    {.name = "type"},
};
constexpr Field kEvent[] = {
    {.name = "regarding.kind"},       {.name = "regarding.namespace"},
    {.name = "regarding.name"},       {.name = "regarding.uid"},
    {.name = "regarding.apiVersion"}, {.name = "regarding.resourceVersion"},
    {.name = "regarding.fieldPath"},  {.name = "reason"},
    {.name = "reportingController"},  {.name = "type"},
};
constexpr Field kPod[] = {
    {.name = "spec.nodeName"},
    {.name = "spec.restartPolicy"},
    {.name = "spec.schedulerName"},
    {.name = "spec.serviceAccountName"},
    {.name = "spec.hostNetwork", .absent = "false"},
    {.name = "status.phase"},
    {.name = "status.podIP"},
    {.name = "status.nominatedNodeName"},
};
constexpr Field kNamespace[] = {{.name = "status.phase"}};
constexpr Field kNode[] = {{.name = "spec.unschedulable", .absent = "false"}};
constexpr Field kReplicas[] = {{.name = "status.replicas", .absent = "0"}};
constexpr Field kSecret[] = {{.name = "type"}};
constexpr Field kService[] = {{.name = "spec.clusterIP"}, {.name = "spec.type"}};
constexpr Field kJob[] = {{.name = "status.successful", .json_path = ".status.succeeded", .absent = "0"}};

constexpr SelectableKind kSelectableKinds[] = {
    {"", "v1", "Event", kCoreEvent},
    {"", "v1", "Namespace", kNamespace},
    {"", "v1", "Node", kNode},
    {"", "v1", "Pod", kPod},
    {"", "v1", "ReplicationController", kReplicas},
    {"", "v1", "Secret", kSecret},
    {"", "v1", "Service", kService},
    {"apps", "v1", "ReplicaSet", kReplicas},
    {"batch", "v1", "Job", kJob},
    {"events.k8s.io", "v1", "Event", kEvent},
};

}  // namespace

std::vector<SelectableField> BuiltInSelectableFields(const GroupVersionKind& kind) {
  std::vector<SelectableField> fields;
  for (const SelectableKind& one : kSelectableKinds) {
    if (one.group != kind.group || one.version != kind.version || one.kind != kind.kind) continue;
    for (const Field& field : one.fields) {
      const std::string name(field.name);
      fields.push_back({.name = name,
                        .json_path = field.json_path.empty() ? "." + name : std::string(field.json_path),
                        .absent = std::string(field.absent)});
    }
  }
  return fields;
}

std::vector<GroupVersionKind> KindsWithBuiltInSelectableFields() {
  std::vector<GroupVersionKind> kinds;
  for (const SelectableKind& one : kSelectableKinds) {
    kinds.push_back({std::string(one.group), std::string(one.version), std::string(one.kind)});
  }
  return kinds;
}

}  // namespace kinformer::apiserver
