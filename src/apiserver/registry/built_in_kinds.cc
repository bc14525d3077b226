#include <chrono>
#include <nlohmann/json.hpp>
#include <vector>

#include "src/apiserver/registry/kind_rules.h"
#include "src/apiserver/registry/served_kind.h"

// The one place that says what the server does for each built-in kind. Names, scope and subresources are generated
// (src/schema/built_in_resources.h), and so is the structure; columns and selectable fields are in src/schema too.

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

std::vector<ServedKind> Records() {
  return {
      {.resource = {"", "v1", "configmaps"}, .rules = &kConfigMapRules},
      {.resource = {"", "v1", "endpoints"},
       .create_on_update = true,
       .deprecation = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"},
      {.resource = {"", "v1", "events"},
       .create_on_update = true,
       .ttl = hours(1),
       .cached = false,
       .rules = &kCoreEventRules},
      {.resource = {"", "v1", "limitranges"}, .create_on_update = true},
      {.resource = {"", "v1", "namespaces"}, .name_rule = NameRule::kLabel, .rules = &kNamespaceRules},
      {.resource = {"", "v1", "nodes"}, .rules = &kNodeRules},
      {.resource = {"", "v1", "persistentvolumeclaims"}, .rules = &kPersistentVolumeClaimRules},
      {.resource = {"", "v1", "persistentvolumes"}, .rules = &kPersistentVolumeRules},
      {.resource = {"", "v1", "pods"},
       .graceful = true,
       .has_generation = true,
       .trigger_fields = {"spec.nodeName"},
       .rules = &kPodRules},
      {.resource = {"", "v1", "podtemplates"}, .has_generation = true, .rules = &kPodTemplateRules},
      {.resource = {"", "v1", "replicationcontrollers"}, .has_generation = true, .rules = &kReplicationControllerRules},
      {.resource = {"", "v1", "resourcequotas"}, .rules = &kShowsDeleted},
      {.resource = {"", "v1", "secrets"}, .rules = &kSecretRules},
      {.resource = {"", "v1", "serviceaccounts"}, .rules = &kShowsDeleted},
      {.resource = {"", "v1", "services"},
       .create_on_update = true,
       .name_rule = NameRule::kLabel,
       .rules = &kServiceRules},
      {.resource = {"apps", "v1", "controllerrevisions"}},
      {.resource = {"apps", "v1", "daemonsets"}, .has_generation = true, .rules = &kDaemonSetRules},
      {.resource = {"apps", "v1", "deployments"}, .has_generation = true, .rules = &kDeploymentRules},
      {.resource = {"apps", "v1", "replicasets"}, .has_generation = true, .rules = &kReplicaSetRules},
      {.resource = {"apps", "v1", "statefulsets"}, .has_generation = true, .rules = &kStatefulSetRules},
      {.resource = {"autoscaling", "v2", "horizontalpodautoscalers"}, .rules = &kHorizontalPodAutoscalerRules},
      {.resource = {"batch", "v1", "cronjobs"}, .has_generation = true, .rules = &kCronJobRules},
      {.resource = {"batch", "v1", "jobs"}, .has_generation = true, .rules = &kJobRules},
      {.resource = {"coordination.k8s.io", "v1", "leases"},
       .unconditional_update = false,
       .create_on_update = true,
       .rules = &kLeaseRules},
      {.resource = {"discovery.k8s.io", "v1", "endpointslices"}, .has_generation = true, .rules = &kEndpointSliceRules},
      // The same objects as the core group's events.
      {.resource = {"events.k8s.io", "v1", "events"},
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
      {.resource = {"networking.k8s.io", "v1", "ingressclasses"}, .has_generation = true},
      {.resource = {"networking.k8s.io", "v1", "ingresses"}, .has_generation = true, .rules = &kIngressRules},
      {.resource = {"networking.k8s.io", "v1", "networkpolicies"}, .has_generation = true},
      {.resource = {"policy", "v1", "poddisruptionbudgets"},
       .has_generation = true,
       .unconditional_update = false,
       .rules = &kPodDisruptionBudgetRules},
      {.resource = {"rbac.authorization.k8s.io", "v1", "clusterrolebindings"},
       .create_on_update = true,
       .name_rule = NameRule::kPathSegment,
       .rules = &kBindingRules},
      {.resource = {"rbac.authorization.k8s.io", "v1", "clusterroles"},
       .create_on_update = true,
       .name_rule = NameRule::kPathSegment,
       .rules = &kRoleRules},
      {.resource = {"rbac.authorization.k8s.io", "v1", "rolebindings"},
       .create_on_update = true,
       .name_rule = NameRule::kPathSegment,
       .rules = &kBindingRules},
      {.resource = {"rbac.authorization.k8s.io", "v1", "roles"},
       .create_on_update = true,
       .name_rule = NameRule::kPathSegment,
       .rules = &kRoleRules},
      {.resource = {"scheduling.k8s.io", "v1", "priorityclasses"},
       .has_generation = true,
       .rules = &kPriorityClassRules},
      {.resource = {"storage.k8s.io", "v1", "storageclasses"}, .rules = &kStorageClassRules},
  };
}

}  // namespace

const std::vector<ServedKind>& BuiltInKinds() {
  static const std::vector<ServedKind> kinds = [] {
    std::vector<ServedKind> all = Records();
    for (ServedKind& kind : all) kind.TakeBuiltInFacts();
    return all;
  }();
  return kinds;
}

const ServedKind& CustomResourceDefinitionKind() {
  static const ServedKind kind = [] {
    ServedKind definitions{.resource = {"apiextensions.k8s.io", "v1", "customresourcedefinitions"},
                           .has_generation = true,
                           .unconditional_update = false};
    definitions.TakeBuiltInFacts();
    return definitions;
  }();
  return kind;
}

}  // namespace kinformer::apiserver
