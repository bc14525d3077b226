#include "src/apiserver/registry/served_kind.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "src/apiserver/schema/built_in_schemas.h"
#include "src/apiserver/schema/built_in_selectable_fields.h"

namespace kinformer::apiserver {
namespace {

using std::chrono::hours;

/// Kubernetes' own groups have no dot, or end like this; their names are left out of keys.
constexpr std::string_view kOwnSuffix = ".k8s.io";

std::vector<ServedKind> MakeCoreKinds() {
  const std::string core;
  return {
      {.resource = {core, "v1", "configmaps"}, .kind = "ConfigMap", .singular = "configmap", .short_names = {"cm"}},
      {.resource = {core, "v1", "endpoints"},
       .kind = "Endpoints",
       .singular = "endpoints",
       .short_names = {"ep"},
       .create_on_update = true,
       .deprecation = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"},
      {.resource = {core, "v1", "events"},
       .kind = "Event",
       .singular = "event",
       .short_names = {"ev"},
       .create_on_update = true,
       .ttl = hours(1),
       .cached = false},
      {.resource = {core, "v1", "limitranges"},
       .kind = "LimitRange",
       .singular = "limitrange",
       .short_names = {"limits"},
       .create_on_update = true},
      {.resource = {core, "v1", "namespaces"},
       .kind = "Namespace",
       .singular = "namespace",
       .scope = Scope::kCluster,
       .short_names = {"ns"},
       .has_status = true,
       .has_finalize = true,
       .name_rule = NameRule::kLabel},
      {.resource = {core, "v1", "nodes"},
       .kind = "Node",
       .singular = "node",
       .scope = Scope::kCluster,
       .short_names = {"no"},
       .has_status = true},
      {.resource = {core, "v1", "persistentvolumeclaims"},
       .kind = "PersistentVolumeClaim",
       .singular = "persistentvolumeclaim",
       .short_names = {"pvc"},
       .has_status = true},
      {.resource = {core, "v1", "persistentvolumes"},
       .kind = "PersistentVolume",
       .singular = "persistentvolume",
       .scope = Scope::kCluster,
       .short_names = {"pv"},
       .has_status = true},
      {.resource = {core, "v1", "pods"},
       .kind = "Pod",
       .singular = "pod",
       .short_names = {"po"},
       .categories = {"all"},
       .has_status = true,
       .has_binding = true,
       .has_eviction = true,
       .graceful = true,
       .has_generation = true,
       .trigger_fields = {"spec.nodeName"}},
      {.resource = {core, "v1", "podtemplates"},
       .kind = "PodTemplate",
       .singular = "podtemplate",
       .has_generation = true},
      {.resource = {core, "v1", "replicationcontrollers"},
       .kind = "ReplicationController",
       .singular = "replicationcontroller",
       .short_names = {"rc"},
       .categories = {"all"},
       .has_status = true,
       .has_scale = true,
       .has_generation = true},
      {.resource = {core, "v1", "resourcequotas"},
       .kind = "ResourceQuota",
       .singular = "resourcequota",
       .short_names = {"quota"},
       .has_status = true},
      {.resource = {core, "v1", "secrets"}, .kind = "Secret", .singular = "secret"},
      {.resource = {core, "v1", "serviceaccounts"},
       .kind = "ServiceAccount",
       .singular = "serviceaccount",
       .short_names = {"sa"}},
      {.resource = {core, "v1", "services"},
       .kind = "Service",
       .singular = "service",
       .short_names = {"svc"},
       .categories = {"all"},
       .has_status = true,
       .create_on_update = true,
       .name_rule = NameRule::kLabel},
  };
}

std::vector<ServedKind> MakeGroupKinds() {
  return {
      {.resource = {"apps", "v1", "controllerrevisions"},
       .kind = "ControllerRevision",
       .singular = "controllerrevision"},
      {.resource = {"apps", "v1", "daemonsets"},
       .kind = "DaemonSet",
       .singular = "daemonset",
       .short_names = {"ds"},
       .categories = {"all"},
       .has_status = true,
       .has_generation = true},
      {.resource = {"apps", "v1", "deployments"},
       .kind = "Deployment",
       .singular = "deployment",
       .short_names = {"deploy"},
       .categories = {"all"},
       .has_status = true,
       .has_scale = true,
       .has_generation = true},
      {.resource = {"apps", "v1", "replicasets"},
       .kind = "ReplicaSet",
       .singular = "replicaset",
       .short_names = {"rs"},
       .categories = {"all"},
       .has_status = true,
       .has_scale = true,
       .has_generation = true},
      {.resource = {"apps", "v1", "statefulsets"},
       .kind = "StatefulSet",
       .singular = "statefulset",
       .short_names = {"sts"},
       .categories = {"all"},
       .has_status = true,
       .has_scale = true,
       .has_generation = true},
      {.resource = {"autoscaling", "v2", "horizontalpodautoscalers"},
       .kind = "HorizontalPodAutoscaler",
       .singular = "horizontalpodautoscaler",
       .short_names = {"hpa"},
       .categories = {"all"},
       .has_status = true},
      {.resource = {"batch", "v1", "cronjobs"},
       .kind = "CronJob",
       .singular = "cronjob",
       .short_names = {"cj"},
       .categories = {"all"},
       .has_status = true,
       .has_generation = true},
      {.resource = {"batch", "v1", "jobs"},
       .kind = "Job",
       .singular = "job",
       .categories = {"all"},
       .has_status = true,
       .has_generation = true},
      {.resource = {"coordination.k8s.io", "v1", "leases"},
       .kind = "Lease",
       .singular = "lease",
       .unconditional_update = false,
       .create_on_update = true},
      {.resource = {"discovery.k8s.io", "v1", "endpointslices"},
       .kind = "EndpointSlice",
       .singular = "endpointslice",
       .has_generation = true},
      // The same objects as the core group's events.
      {.resource = {"events.k8s.io", "v1", "events"},
       .kind = "Event",
       .singular = "event",
       .short_names = {"ev"},
       .create_on_update = true,
       .ttl = hours(1),
       .cached = false,
       .stored_as = {"", "v1", "Event"},
       .stored_names = {{"regarding", "involvedObject"},
                        {"deprecatedSource", "source"},
                        {"note", "message"},
                        {"deprecatedFirstTimestamp", "firstTimestamp"},
                        {"deprecatedLastTimestamp", "lastTimestamp"},
                        {"deprecatedCount", "count"},
                        {"reportingController", "reportingComponent"}}},
      {.resource = {"networking.k8s.io", "v1", "ingressclasses"},
       .kind = "IngressClass",
       .singular = "ingressclass",
       .scope = Scope::kCluster,
       .has_generation = true},
      {.resource = {"networking.k8s.io", "v1", "ingresses"},
       .kind = "Ingress",
       .singular = "ingress",
       .short_names = {"ing"},
       .has_status = true,
       .has_generation = true},
      {.resource = {"networking.k8s.io", "v1", "networkpolicies"},
       .kind = "NetworkPolicy",
       .singular = "networkpolicy",
       .short_names = {"netpol"},
       .has_generation = true},
      {.resource = {"policy", "v1", "poddisruptionbudgets"},
       .kind = "PodDisruptionBudget",
       .singular = "poddisruptionbudget",
       .short_names = {"pdb"},
       .has_status = true,
       .has_generation = true,
       .unconditional_update = false},
      {.resource = {"rbac.authorization.k8s.io", "v1", "clusterrolebindings"},
       .kind = "ClusterRoleBinding",
       .singular = "clusterrolebinding",
       .scope = Scope::kCluster,
       .create_on_update = true,
       .name_rule = NameRule::kPathSegment},
      {.resource = {"rbac.authorization.k8s.io", "v1", "clusterroles"},
       .kind = "ClusterRole",
       .singular = "clusterrole",
       .scope = Scope::kCluster,
       .create_on_update = true,
       .name_rule = NameRule::kPathSegment},
      {.resource = {"rbac.authorization.k8s.io", "v1", "rolebindings"},
       .kind = "RoleBinding",
       .singular = "rolebinding",
       .create_on_update = true,
       .name_rule = NameRule::kPathSegment},
      {.resource = {"rbac.authorization.k8s.io", "v1", "roles"},
       .kind = "Role",
       .singular = "role",
       .create_on_update = true,
       .name_rule = NameRule::kPathSegment},
      {.resource = {"scheduling.k8s.io", "v1", "priorityclasses"},
       .kind = "PriorityClass",
       .singular = "priorityclass",
       .scope = Scope::kCluster,
       .short_names = {"pc"},
       .has_generation = true},
      {.resource = {"storage.k8s.io", "v1", "storageclasses"},
       .kind = "StorageClass",
       .singular = "storageclass",
       .scope = Scope::kCluster,
       .short_names = {"sc"}},
  };
}

/// The fields of selectors as text. One that is not among the selectable ones (of another version of the kind) is what
/// is at its name.
class FieldValues {
 public:
  explicit FieldValues(const std::vector<SelectableField>& fields) {
    for (const SelectableField& field : fields) {
      fields_.push_back({.name = field.name, .pointer = PointerOf(field.json_path), .absent = field.absent});
    }
  }

  std::string operator()(const Object& object, std::string_view field) const {
    const auto found =
        std::find_if(fields_.begin(), fields_.end(), [&](const Field& one) { return one.name == field; });
    if (found == fields_.end()) return At(object, PointerOf("." + std::string(field)), "");
    return At(object, found->pointer, found->absent);
  }

 private:
  struct Field {
    std::string name{};
    std::string pointer{};
    std::string absent{};
  };

  static std::string PointerOf(std::string path) {
    std::replace(path.begin(), path.end(), '.', '/');
    return path;
  }

  static std::string At(const Object& object, const std::string& pointer, const std::string& absent) {
    const Value value = object.At(pointer);
    return !value.Exists() || value.IsNull() ? absent : value.StringOr(value.Raw());
  }

  std::vector<Field> fields_;
};

}  // namespace

std::vector<std::string> ServedKind::Verbs() const {
  if (create_only) return {"create"};
  // Nobody deletes all namespaces by one request.
  if (has_finalize) return {"create", "delete", "get", "list", "patch", "update", "watch"};
  if (schema != nullptr) return {"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"};
  return {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
}

std::vector<ServedSubresource> ServedKind::Subresources() const {
  std::vector<ServedSubresource> all;
  const std::vector<std::string> verbs = {"get", "patch", "update"};
  if (has_binding) all.push_back({.name = "binding", .kind = {"", "v1", "Binding"}, .verbs = {"create"}});
  if (has_eviction) all.push_back({.name = "eviction", .kind = {"policy", "v1", "Eviction"}, .verbs = {"create"}});
  if (has_finalize) all.push_back({.name = "finalize", .kind = Gvk(), .verbs = {"update"}});
  const ServedSubresource status{.name = "status", .kind = Gvk(), .verbs = verbs};
  // Custom kinds tell them in their own order, the others by name.
  if (has_status && schema != nullptr) all.push_back(status);
  if (has_scale) all.push_back({.name = "scale", .kind = {"autoscaling", "v1", "Scale"}, .verbs = verbs});
  if (has_status && schema == nullptr) all.push_back(status);
  return all;
}

std::string ServedKind::Prefix() const {
  const bool own = schema == nullptr && (resource.group.find('.') == std::string::npos ||
                                         std::string_view(resource.group).ends_with(kOwnSuffix));
  return "/registry/" + (own ? std::string() : resource.group + "/") + resource.resource + "/";
}

StorageOptions ServedKind::ForStorage() const {
  // As they are stored, which is how selectors are translated for them.
  const std::vector<SelectableField> fields =
      stored_as.kind.empty() ? SelectableFields() : BuiltInSelectableFields(stored_as);
  return {.resource = resource,
          .kind = stored_as.kind.empty() ? Gvk() : stored_as,
          .prefix = Prefix(),
          .trigger_fields = trigger_fields,
          .field_value = FieldValues(fields),
          .update_ttl = ttl};
}

std::shared_ptr<ObjectStorage> ServedKind::Seen(std::shared_ptr<ObjectStorage> stored) const {
  if (stored_as.kind.empty()) return stored;
  StorageOptions options = stored->options();
  options.kind = Gvk();
  return std::make_shared<RenamedStorage>(std::move(options), stored_names, std::move(stored));
}

StatusReach ServedKind::ReachOfStatus() const {
  if (IsExtension()) return {};
  // A real server has these for controllers and kubelets of long ago, which sent them as they knew them.
  if (kind == "Deployment") return {.metadata = true, .but = "labels"};
  if (kind == "Pod") return {.metadata = true, .but = "ownerReferences"};
  return {.metadata = true};
}

KindSchemaPtr ServedKind::FindSchema() const { return schema != nullptr ? schema : FindBuiltInSchema(Gvk()); }

std::vector<SelectableField> ServedKind::SelectableFields() const {
  return schema != nullptr ? schema->selectable_fields : BuiltInSelectableFields(Gvk());
}

const std::vector<ServedKind>& BuiltInKinds() {
  static const std::vector<ServedKind> kinds = [] {
    std::vector<ServedKind> all = MakeCoreKinds();
    std::vector<ServedKind> more = MakeGroupKinds();
    std::move(more.begin(), more.end(), std::back_inserter(all));
    return all;
  }();
  return kinds;
}

const ServedKind& CustomResourceDefinitionKind() {
  static const ServedKind kind{.resource = {"apiextensions.k8s.io", "v1", "customresourcedefinitions"},
                               .kind = "CustomResourceDefinition",
                               .singular = "customresourcedefinition",
                               .scope = Scope::kCluster,
                               .short_names = {"crd", "crds"},
                               .categories = {"api-extensions"},
                               .has_status = true,
                               .has_generation = true,
                               .unconditional_update = false};
  return kind;
}

}  // namespace kinformer::apiserver
