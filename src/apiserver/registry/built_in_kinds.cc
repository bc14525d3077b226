#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "src/apiserver/registry/kind_rules.h"
#include "src/apiserver/registry/served_kind.h"

// The one place that says what the server does for each built-in kind: names, scope, subresources, and rules.
// Structure, columns and selectable fields are in src/schema, by the same group, version and kind.

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using std::chrono::hours;

// The initial status of each kind.
json ActivePhase(const json& /*object*/) { return {{"phase", "Active"}}; }
json PendingPhase(const json& /*object*/) { return {{"phase", "Pending"}}; }
json PodStatus(const json& pod) { return {{"phase", "Pending"}, {"qosClass", QosClass(pod)}}; }
json NoLoadBalancer(const json& /*object*/) { return {{"loadBalancer", json::object()}}; }
json NoReplicas(const json& /*object*/) { return {{"replicas", 0}}; }
json StatefulSetStatus(const json& /*object*/) { return {{"replicas", 0}, {"availableReplicas", 0}}; }
json DaemonSetStatus(const json& /*object*/) {
  return {{"currentNumberScheduled", 0}, {"desiredNumberScheduled", 0}, {"numberMisscheduled", 0}, {"numberReady", 0}};
}
json BudgetStatus(const json& /*object*/) {
  return {{"disruptionsAllowed", 0}, {"currentHealthy", 0}, {"desiredHealthy", 0}, {"expectedPods", 0}};
}
json AutoscalerStatus(const json& /*object*/) { return {{"currentMetrics", nullptr}, {"desiredReplicas", 0}}; }

constexpr ObjectRules kConfigMapRules{.check = CheckConfigMap};
constexpr ObjectRules kCoreEventRules{.complete_new = CompleteEvent, .check = CheckEvent};
constexpr ObjectRules kEventRules{.check = CheckNewEvent};
constexpr ObjectRules kNamespaceRules{.initial_status = ActivePhase};
constexpr ObjectRules kNodeRules{.keeps_client_status = true};
constexpr ObjectRules kPersistentVolumeClaimRules{
    .check = CheckClaim, .initial_status = PendingPhase, .shows_deleted = true};
constexpr ObjectRules kPersistentVolumeRules{
    .check = CheckVolume, .initial_status = PendingPhase, .shows_deleted = true};
constexpr ObjectRules kPodRules{
    .check = CheckPod, .initial_status = PodStatus, .status_excludes = "ownerReferences", .shows_deleted = true};
constexpr ObjectRules kPodTemplateRules{.check = CheckPodTemplate, .shows_deleted = true};
constexpr ObjectRules kReplicationControllerRules{.check = CheckReplicationController,
                                                  .check_status = CheckReplicationControllerStatus,
                                                  .initial_status = NoReplicas,
                                                  .shows_deleted = true};
constexpr ObjectRules kShowsDeleted{.shows_deleted = true};
constexpr ObjectRules kSecretRules{.check = CheckSecret};
constexpr ObjectRules kServiceRules{.check = CheckService, .initial_status = NoLoadBalancer, .shows_deleted = true};
constexpr ObjectRules kDaemonSetRules{
    .check = CheckDaemonSet, .check_status = CheckDaemonSetStatus, .initial_status = DaemonSetStatus};
constexpr ObjectRules kDeploymentRules{
    .check = CheckDeployment, .check_status = CheckDeploymentStatus, .status_excludes = "labels"};
constexpr ObjectRules kReplicaSetRules{
    .check = CheckReplicaSet, .check_status = CheckReplicaSetStatus, .initial_status = NoReplicas};
constexpr ObjectRules kStatefulSetRules{.complete_new = CompleteClaims,
                                        .check = CheckStatefulSet,
                                        .check_status = CheckStatefulSetStatus,
                                        .initial_status = StatefulSetStatus};
constexpr ObjectRules kHorizontalPodAutoscalerRules{
    .check = CheckAutoscaler, .check_status = CheckAutoscalerStatus, .initial_status = AutoscalerStatus};
constexpr ObjectRules kCronJobRules{.complete_new = CompleteCronJob, .check = CheckCronJob};
constexpr ObjectRules kJobRules{.complete_new = CompleteJob, .check = CheckJob};
constexpr ObjectRules kLeaseRules{.check = CheckLease};
constexpr ObjectRules kEndpointSliceRules{.complete_new = CompleteEndpointSlice, .check = CheckEndpointSlice};
constexpr ObjectRules kIngressRules{.check = CheckIngress, .initial_status = NoLoadBalancer};
constexpr ObjectRules kPodDisruptionBudgetRules{
    .check = CheckBudget, .check_status = CheckBudgetStatus, .initial_status = BudgetStatus};
constexpr ObjectRules kRoleRules{.check = CheckRole};
constexpr ObjectRules kBindingRules{.check = CheckBinding};
constexpr ObjectRules kPriorityClassRules{.check = CheckPriorityClass};
constexpr ObjectRules kStorageClassRules{.check = CheckStorageClass, .shows_deleted = true};

std::vector<ServedKind> MakeCoreKinds() {
  const std::string core;
  return {
      {.resource = {core, "v1", "configmaps"},
       .kind = "ConfigMap",
       .singular = "configmap",
       .short_names = {"cm"},
       .rules = &kConfigMapRules},
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
       .cached = false,
       .rules = &kCoreEventRules},
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
       .name_rule = NameRule::kLabel,
       .rules = &kNamespaceRules},
      {.resource = {core, "v1", "nodes"},
       .kind = "Node",
       .singular = "node",
       .scope = Scope::kCluster,
       .short_names = {"no"},
       .has_status = true,
       .rules = &kNodeRules},
      {.resource = {core, "v1", "persistentvolumeclaims"},
       .kind = "PersistentVolumeClaim",
       .singular = "persistentvolumeclaim",
       .short_names = {"pvc"},
       .has_status = true,
       .rules = &kPersistentVolumeClaimRules},
      {.resource = {core, "v1", "persistentvolumes"},
       .kind = "PersistentVolume",
       .singular = "persistentvolume",
       .scope = Scope::kCluster,
       .short_names = {"pv"},
       .has_status = true,
       .rules = &kPersistentVolumeRules},
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
       .trigger_fields = {"spec.nodeName"},
       .rules = &kPodRules},
      {.resource = {core, "v1", "podtemplates"},
       .kind = "PodTemplate",
       .singular = "podtemplate",
       .has_generation = true,
       .rules = &kPodTemplateRules},
      {.resource = {core, "v1", "replicationcontrollers"},
       .kind = "ReplicationController",
       .singular = "replicationcontroller",
       .short_names = {"rc"},
       .categories = {"all"},
       .has_status = true,
       .has_scale = true,
       .has_generation = true,
       .rules = &kReplicationControllerRules},
      {.resource = {core, "v1", "resourcequotas"},
       .kind = "ResourceQuota",
       .singular = "resourcequota",
       .short_names = {"quota"},
       .has_status = true,
       .rules = &kShowsDeleted},
      {.resource = {core, "v1", "secrets"}, .kind = "Secret", .singular = "secret", .rules = &kSecretRules},
      {.resource = {core, "v1", "serviceaccounts"},
       .kind = "ServiceAccount",
       .singular = "serviceaccount",
       .short_names = {"sa"},
       .rules = &kShowsDeleted},
      {.resource = {core, "v1", "services"},
       .kind = "Service",
       .singular = "service",
       .short_names = {"svc"},
       .categories = {"all"},
       .has_status = true,
       .create_on_update = true,
       .name_rule = NameRule::kLabel,
       .rules = &kServiceRules},
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
       .has_generation = true,
       .rules = &kDaemonSetRules},
      {.resource = {"apps", "v1", "deployments"},
       .kind = "Deployment",
       .singular = "deployment",
       .short_names = {"deploy"},
       .categories = {"all"},
       .has_status = true,
       .has_scale = true,
       .has_generation = true,
       .rules = &kDeploymentRules},
      {.resource = {"apps", "v1", "replicasets"},
       .kind = "ReplicaSet",
       .singular = "replicaset",
       .short_names = {"rs"},
       .categories = {"all"},
       .has_status = true,
       .has_scale = true,
       .has_generation = true,
       .rules = &kReplicaSetRules},
      {.resource = {"apps", "v1", "statefulsets"},
       .kind = "StatefulSet",
       .singular = "statefulset",
       .short_names = {"sts"},
       .categories = {"all"},
       .has_status = true,
       .has_scale = true,
       .has_generation = true,
       .rules = &kStatefulSetRules},
      {.resource = {"autoscaling", "v2", "horizontalpodautoscalers"},
       .kind = "HorizontalPodAutoscaler",
       .singular = "horizontalpodautoscaler",
       .short_names = {"hpa"},
       .categories = {"all"},
       .has_status = true,
       .rules = &kHorizontalPodAutoscalerRules},
      {.resource = {"batch", "v1", "cronjobs"},
       .kind = "CronJob",
       .singular = "cronjob",
       .short_names = {"cj"},
       .categories = {"all"},
       .has_status = true,
       .has_generation = true,
       .rules = &kCronJobRules},
      {.resource = {"batch", "v1", "jobs"},
       .kind = "Job",
       .singular = "job",
       .categories = {"all"},
       .has_status = true,
       .has_generation = true,
       .rules = &kJobRules},
      {.resource = {"coordination.k8s.io", "v1", "leases"},
       .kind = "Lease",
       .singular = "lease",
       .unconditional_update = false,
       .create_on_update = true,
       .rules = &kLeaseRules},
      {.resource = {"discovery.k8s.io", "v1", "endpointslices"},
       .kind = "EndpointSlice",
       .singular = "endpointslice",
       .has_generation = true,
       .rules = &kEndpointSliceRules},
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
                        {"reportingController", "reportingComponent"}},
       .rules = &kEventRules},
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
       .has_generation = true,
       .rules = &kIngressRules},
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
       .unconditional_update = false,
       .rules = &kPodDisruptionBudgetRules},
      {.resource = {"rbac.authorization.k8s.io", "v1", "clusterrolebindings"},
       .kind = "ClusterRoleBinding",
       .singular = "clusterrolebinding",
       .scope = Scope::kCluster,
       .create_on_update = true,
       .name_rule = NameRule::kPathSegment,
       .rules = &kBindingRules},
      {.resource = {"rbac.authorization.k8s.io", "v1", "clusterroles"},
       .kind = "ClusterRole",
       .singular = "clusterrole",
       .scope = Scope::kCluster,
       .create_on_update = true,
       .name_rule = NameRule::kPathSegment,
       .rules = &kRoleRules},
      {.resource = {"rbac.authorization.k8s.io", "v1", "rolebindings"},
       .kind = "RoleBinding",
       .singular = "rolebinding",
       .create_on_update = true,
       .name_rule = NameRule::kPathSegment,
       .rules = &kBindingRules},
      {.resource = {"rbac.authorization.k8s.io", "v1", "roles"},
       .kind = "Role",
       .singular = "role",
       .create_on_update = true,
       .name_rule = NameRule::kPathSegment,
       .rules = &kRoleRules},
      {.resource = {"scheduling.k8s.io", "v1", "priorityclasses"},
       .kind = "PriorityClass",
       .singular = "priorityclass",
       .scope = Scope::kCluster,
       .short_names = {"pc"},
       .has_generation = true,
       .rules = &kPriorityClassRules},
      {.resource = {"storage.k8s.io", "v1", "storageclasses"},
       .kind = "StorageClass",
       .singular = "storageclass",
       .scope = Scope::kCluster,
       .short_names = {"sc"},
       .rules = &kStorageClassRules},
  };
}

}  // namespace

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
