#include "src/schema/built_in_columns.h"

#include <span>
#include <string>
#include <string_view>

namespace kinformer::apiserver {
namespace {

/// A constexpr PrinterColumn.
struct Column {
  std::string_view name{};
  std::string_view type = "string";
  std::string_view format{};
  std::string_view description{};
  int priority = 0;
  std::string_view json_path{};
  std::string_view printer{};
  std::string_view absent{};
  bool empty_is_absent = false;
};

struct KindColumns {
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  std::span<const Column> columns;
};

// Cells for absent values.
constexpr std::string_view kEmpty = R"("")";
constexpr std::string_view kNone = R"("<none>")";
constexpr std::string_view kUnset = R"("<unset>")";
constexpr std::string_view kUnknown = R"("<unknown>")";
constexpr std::string_view kNotApplicable = R"("N/A")";

/// The value at a path, unchanged.
constexpr Column Text(std::string_view name, std::string_view description, std::string_view json_path,
                      std::string_view absent = kEmpty) {
  return {.name = name, .description = description, .json_path = json_path, .absent = absent};
}
/// The same, but "" counts as absent.
constexpr Column TextOr(std::string_view name, std::string_view description, std::string_view json_path,
                        std::string_view absent) {
  Column column = Text(name, description, json_path, absent);
  column.empty_is_absent = true;
  return column;
}
constexpr Column Count(std::string_view name, std::string_view description, std::string_view json_path,
                       std::string_view absent = "0") {
  return {.name = name, .type = "integer", .description = description, .json_path = json_path, .absent = absent};
}
/// A number in a column declared as string.
constexpr Column Number(std::string_view name, std::string_view description, std::string_view json_path) {
  return {.name = name, .description = description, .json_path = json_path, .printer = "integer", .absent = "0"};
}
/// The output of a printer for the object, or for the value at a path.
constexpr Column By(std::string_view printer, std::string_view name, std::string_view description,
                    std::string_view json_path = {}) {
  return {.name = name, .description = description, .json_path = json_path, .printer = printer};
}
constexpr Column WideOnly(Column column) {
  column.priority = 1;
  return column;
}
constexpr Column NameBy(std::string_view printer) {
  return {.name = "Name", .format = "name", .description = "Name of the object", .printer = printer};
}

// Columns shared by many kinds.
constexpr Column kName = NameBy("name");
constexpr Column kAge = By("age", "Age", "Time since the object was created");

constexpr Column NamesIn(std::string_view containers) {
  return By("names", "Containers", "Names of the containers in the template", containers);
}
constexpr Column ImagesIn(std::string_view containers) {
  return By("images", "Images", "Images of the containers in the template", containers);
}
constexpr Column kContainers = WideOnly(NamesIn(".spec.template.spec.containers"));
constexpr Column kImages = WideOnly(ImagesIn(".spec.template.spec.containers"));

constexpr Column SelectorBy(std::string_view printer, std::string_view json_path) {
  return WideOnly(By(printer, "Selector", "Labels of the pods that belong to it", json_path));
}
constexpr Column kSelector = SelectorBy("selector", ".spec.selector");

// The core group.

constexpr Column kPodColumns[] = {
    kName,
    By("podReady", "Ready", "Containers that are ready, of all"),
    By("podStatus", "Status", "What the pod does, or why it does not"),
    By("podRestarts", "Restarts", "How often its containers were restarted, and when last"),
    kAge,
    WideOnly(By("podIP", "IP", "Address of the pod")),
    WideOnly(TextOr("Node", "Node that it runs on", ".spec.nodeName", kNone)),
    WideOnly(TextOr("Nominated Node", "Node on which room is made for it", ".status.nominatedNodeName", kNone)),
    WideOnly(By("podReadinessGates", "Readiness Gates", "Further conditions of being ready that are true, of all")),
};
constexpr Column kPodTemplateColumns[] = {
    kName,
    NamesIn(".template.spec.containers"),
    ImagesIn(".template.spec.containers"),
    By("labels", "Pod Labels", "Labels of the template", ".template.metadata.labels"),
};
constexpr Column kNodeColumns[] = {
    kName,
    By("nodeStatus", "Status", "Whether the node is ready"),
    By("nodeRoles", "Roles", "Roles, from its labels"),
    kAge,
    Text("Version", "Version of its kubelet", ".status.nodeInfo.kubeletVersion"),
    WideOnly(Text("Internal-IP", "Address within the cluster", R"(.status.addresses[?(@.type=="InternalIP")].address)",
                  kNone)),
    WideOnly(Text("External-IP", "Address for others", R"(.status.addresses[?(@.type=="ExternalIP")].address)", kNone)),
    WideOnly(TextOr("OS-Image", "Operating system", ".status.nodeInfo.osImage", kUnknown)),
    WideOnly(By("nodeKernel", "Kernel-Version", "Kernel and architecture")),
    WideOnly(
        TextOr("Container-Runtime", "What runs its containers", ".status.nodeInfo.containerRuntimeVersion", kUnknown)),
};
constexpr Column kNamespaceColumns[] = {kName, Text("Status", "Its phase", ".status.phase"), kAge};
constexpr Column kConfigMapColumns[] = {kName, By("configMapSize", "Data", "Number of entries"), kAge};
constexpr Column kSecretColumns[] = {
    kName,
    Text("Type", "What the secret is for", ".type"),
    By("size", "Data", "Number of entries", ".data"),
    kAge,
};
constexpr Column kServiceAccountColumns[] = {kName, kAge};

// The two event groups name the same fields differently.
constexpr Column kLastSeen = By("eventLastSeen", "Last Seen", "Time since it happened last");
constexpr Column kEventType = Text("Type", "Normal or Warning", ".type");
constexpr Column kEventReason = Text("Reason", "Why, in a word", ".reason");
constexpr Column kEventObject = By("eventObject", "Object", "What it happened to");
constexpr Column kEventSource = WideOnly(By("eventSource", "Source", "Who reports it"));
constexpr Column kFirstSeen = WideOnly(By("eventFirstSeen", "First Seen", "Time since it happened first"));
constexpr Column kEventCount = WideOnly(By("eventCount", "Count", "How often it happened"));
constexpr Column kEventName{
    .name = "Name", .format = "name", .description = "Name of the event", .priority = 1, .printer = "name"};
constexpr Column kCoreEventColumns[] = {
    kLastSeen,
    kEventType,
    kEventReason,
    kEventObject,
    WideOnly(Text("Subobject", "Part of the object", ".involvedObject.fieldPath")),
    kEventSource,
    By("trimmed", "Message", "What happened", ".message"),
    kFirstSeen,
    kEventCount,
    kEventName,
};
constexpr Column kEventColumns[] = {
    kLastSeen,
    kEventType,
    kEventReason,
    kEventObject,
    WideOnly(Text("Subobject", "Part of the object", ".regarding.fieldPath")),
    kEventSource,
    By("trimmed", "Message", "What happened", ".note"),
    kFirstSeen,
    kEventCount,
    kEventName,
};

constexpr Column kPhase = By("phase", "Status", "Its phase");
constexpr Column kStorageClassOf = By("storageClassOf", "StorageClass", "Class of storage that it is of");
constexpr Column kAttributesClass =
    Text("VolumeAttributesClass", "Class of its attributes", ".spec.volumeAttributesClassName", kUnset);
constexpr Column kVolumeMode = WideOnly(Text("VolumeMode", "Filesystem or Block", ".spec.volumeMode", kUnset));
constexpr Column kClaimColumns[] = {
    kName,
    kPhase,
    Text("Volume", "Volume that it is bound to", ".spec.volumeName"),
    By("claimCapacity", "Capacity", "Size of the volume"),
    By("claimAccessModes", "Access Modes", "How it may be mounted"),
    kStorageClassOf,
    kAttributesClass,
    kAge,
    kVolumeMode,
};
constexpr Column kVolumeColumns[] = {
    kName,
    TextOr("Capacity", "Size of the volume", ".spec.capacity.storage", R"("0")"),
    By("accessModes", "Access Modes", "How it may be mounted", ".spec.accessModes"),
    Text("Reclaim Policy", "What becomes of it when its claim is gone", ".spec.persistentVolumeReclaimPolicy"),
    kPhase,
    By("claimOf", "Claim", "Claim that it is bound to", ".spec.claimRef"),
    kStorageClassOf,
    kAttributesClass,
    Text("Reason", "Why it is in that phase", ".status.reason"),
    kAge,
    kVolumeMode,
};
constexpr Column kQuotaColumns[] = {
    kName,
    By("quotaRequests", "Request", "Requests: used, of what may be"),
    By("quotaLimits", "Limit", "Limits: used, of what may be"),
    kAge,
};

// Workloads.

constexpr std::string_view kDesiredText = "Pods that there shall be";
constexpr Column kReadyOf = By("readyReplicas", "Ready", "Pods that are ready, of those that there shall be");

constexpr Column kDeploymentColumns[] = {
    kName,
    kReadyOf,
    Number("Up-to-date", "Pods of the present template", ".status.updatedReplicas"),
    Number("Available", "Pods that have been ready for long enough", ".status.availableReplicas"),
    kAge,
    kContainers,
    kImages,
    SelectorBy("deploymentSelector", ".spec.selector"),
};
constexpr Column kReplicasDesired = Count("Desired", kDesiredText, ".spec.replicas", "1");
constexpr Column kReplicasCurrent = Count("Current", "Pods that there are", ".status.replicas");
constexpr Column kReplicasReady = Count("Ready", "Pods that are ready", ".status.readyReplicas");
constexpr Column kReplicaSetColumns[] = {
    kName, kReplicasDesired, kReplicasCurrent, kReplicasReady, kAge, kContainers, kImages, kSelector,
};
constexpr Column kReplicationControllerColumns[] = {
    kName, kReplicasDesired, kReplicasCurrent, kReplicasReady,
    kAge,  kContainers,      kImages,          SelectorBy("labels", ".spec.selector"),
};
constexpr Column kStatefulSetColumns[] = {kName, kReadyOf, kAge, kContainers, kImages};
constexpr Column kDaemonSetColumns[] = {
    kName,
    Count("Desired", "Nodes that shall run the pod", ".status.desiredNumberScheduled"),
    Count("Current", "Nodes that shall run it and do", ".status.currentNumberScheduled"),
    Count("Ready", "Nodes on which it is ready", ".status.numberReady"),
    Count("Up-to-date", "Nodes that run the present template", ".status.updatedNumberScheduled"),
    Count("Available", "Nodes on which it has been ready for long enough", ".status.numberAvailable"),
    By("labels", "Node Selector", "Labels of the nodes that it is meant for", ".spec.template.spec.nodeSelector"),
    kAge,
    kContainers,
    kImages,
    kSelector,
};
constexpr Column kJobColumns[] = {
    kName,
    By("jobStatus", "Status", "How far the job is"),
    By("jobCompletions", "Completions", "Pods that have succeeded, of those that must"),
    By("jobDuration", "Duration", "Time from its start to its end, or until now"),
    kAge,
    kContainers,
    kImages,
    kSelector,
};
constexpr std::string_view kJobContainers = ".spec.jobTemplate.spec.template.spec.containers";
constexpr Column kCronJobColumns[] = {
    kName,
    Text("Schedule", "When it runs, as in a crontab", ".spec.schedule"),
    Text("Timezone", "In which time zone that is meant", ".spec.timeZone", kNone),
    {.name = "Suspend",
     .type = "boolean",
     .description = "Whether no further runs are started",
     .json_path = ".spec.suspend",
     .printer = "trueOrFalse",
     .absent = kUnset},
    {.name = "Active",
     .type = "integer",
     .description = "Jobs of it that run",
     .json_path = ".status.active",
     .printer = "size"},
    {.name = "Last Schedule",
     .description = "Time since it was last started",
     .json_path = ".status.lastScheduleTime",
     .printer = "since",
     .absent = kNone},
    kAge,
    WideOnly(NamesIn(kJobContainers)),
    WideOnly(ImagesIn(kJobContainers)),
    SelectorBy("selector", ".spec.jobTemplate.spec.selector"),
};
constexpr Column kControllerRevisionColumns[] = {
    kName,
    By("controller", "Controller", "Object that the revision is of"),
    Number("Revision", "Its number", ".revision"),
    kAge,
};
constexpr Column kAutoscalerColumns[] = {
    kName,
    By("reference", "Reference", "Object that is scaled", ".spec.scaleTargetRef"),
    By("autoscalerTargets", "Targets", "Metrics as they are, and as they shall be"),
    Text("MinPods", "Fewest pods", ".spec.minReplicas", R"("1")"),
    Number("MaxPods", "Most pods", ".spec.maxReplicas"),
    Number("Replicas", "Pods that there are", ".status.currentReplicas"),
    kAge,
};
constexpr Column kScaleColumns[] = {
    By("name", "Name", "Name of the object"),
    Count("Desired", kDesiredText, ".spec.replicas"),
    Count("Available", "Pods that there are", ".status.replicas"),
    kAge,
};

// Networks.

constexpr Column kServiceColumns[] = {
    kName,
    Text("Type", "How the service is reached", ".spec.type", R"("ClusterIP")"),
    By("serviceClusterIP", "Cluster-IP", "Address within the cluster"),
    By("serviceExternalIP", "External-IP", "Addresses for others"),
    By("servicePorts", "Port(s)", "Its ports", ".spec.ports"),
    kAge,
    WideOnly(By("labels", "Selector", "Labels of the pods behind it", ".spec.selector")),
};
constexpr Column kEndpointsColumns[] = {
    kName, By("endpointSubsets", "Endpoints", "Addresses and ports behind the service", ".subsets"), kAge};
constexpr Column kEndpointSliceColumns[] = {
    kName,
    Text("AddressType", "IPv4, IPv6 or FQDN", ".addressType"),
    By("slicePorts", "Ports", "Ports that all of them have", ".ports"),
    By("sliceAddresses", "Endpoints", "Addresses", ".endpoints"),
    kAge,
};
constexpr Column kIngressColumns[] = {
    kName,
    Text("Class", "Class of controllers that serve it", ".spec.ingressClassName", kNone),
    By("ingressHosts", "Hosts", "Hosts that its rules are for", ".spec.rules"),
    By("balancerAddresses", "Address", "Where it is reached", ".status.loadBalancer.ingress"),
    By("ingressPorts", "Ports", "Ports that are open", ".spec.tls"),
    kAge,
};
constexpr Column kIngressClassColumns[] = {
    NameBy("ingressClassName"),
    Text("Controller", "Controller of the class", ".spec.controller"),
    {.name = "Parameters",
     .description = "Object with more of its settings",
     .json_path = ".spec.parameters",
     .printer = "ingressClassParameters",
     .absent = kNone},
    kAge,
};
constexpr Column kNetworkPolicyColumns[] = {
    kName, By("selector", "Pod-Selector", "Labels of the pods that it is for", ".spec.podSelector"), kAge};

// Policies, roles, classes.

constexpr Column kBudgetColumns[] = {
    kName,
    TextOr("Min Available", "Fewest pods that must be left", ".spec.minAvailable", kNotApplicable),
    TextOr("Max Unavailable", "Most pods that may be missing", ".spec.maxUnavailable", kNotApplicable),
    Count("Allowed Disruptions", "Pods that may be evicted now", ".status.disruptionsAllowed"),
    kAge,
};
constexpr Column kBindingColumns[] = {
    kName,
    By("reference", "Role", "Role that is given", ".roleRef"),
    kAge,
    WideOnly(By("userSubjects", "Users", "Users that have it", ".subjects")),
    WideOnly(By("groupSubjects", "Groups", "Groups that have it", ".subjects")),
    WideOnly(By("serviceAccountSubjects", "ServiceAccounts", "Service accounts that have it", ".subjects")),
};
constexpr Column kLeaseColumns[] = {kName, Text("Holder", "Who holds the lease", ".spec.holderIdentity"), kAge};
constexpr Column kStorageClassColumns[] = {
    NameBy("storageClassName"),
    Text("Provisioner", "Who makes the volumes", ".provisioner"),
    Text("ReclaimPolicy", "What becomes of volumes whose claim is gone", ".reclaimPolicy", R"("Delete")"),
    Text("VolumeBindingMode", "When volumes are made and bound", ".volumeBindingMode", R"("Immediate")"),
    {.name = "AllowVolumeExpansion",
     .description = "Whether volumes may grow",
     .json_path = ".allowVolumeExpansion",
     .printer = "boolean",
     .absent = "false"},
    kAge,
};
constexpr Column kPriorityClassColumns[] = {
    kName,
    Count("Value", "The priority", ".value"),
    {.name = "Global-Default",
     .type = "boolean",
     .description = "Whether pods without a class are of this one",
     .json_path = ".globalDefault",
     .absent = "false"},
    kAge,
    Text("PreemptionPolicy", "Whether pods of lower priority make room", ".preemptionPolicy"),
};
constexpr Column kRuntimeClassColumns[] = {kName, Text("Handler", "What runs the containers", ".handler"), kAge};

/// For kinds without columns of their own in a real server: the creation time itself, not the age.
constexpr Column kOtherColumns[] = {
    kName,
    {.name = "Created At",
     .type = "date",
     .description = "Time at which the object was created",
     .json_path = ".metadata.creationTimestamp",
     .printer = "text",
     .absent = R"("0001-01-01T00:00:00Z")"},
};

constexpr KindColumns kKindColumns[] = {
    {"", "v1", "Binding", kOtherColumns},
    {"", "v1", "ConfigMap", kConfigMapColumns},
    {"", "v1", "Endpoints", kEndpointsColumns},
    {"", "v1", "Event", kCoreEventColumns},
    {"", "v1", "LimitRange", kOtherColumns},
    {"", "v1", "Namespace", kNamespaceColumns},
    {"", "v1", "Node", kNodeColumns},
    {"", "v1", "PersistentVolume", kVolumeColumns},
    {"", "v1", "PersistentVolumeClaim", kClaimColumns},
    {"", "v1", "Pod", kPodColumns},
    {"", "v1", "PodTemplate", kPodTemplateColumns},
    {"", "v1", "ReplicationController", kReplicationControllerColumns},
    {"", "v1", "ResourceQuota", kQuotaColumns},
    {"", "v1", "Secret", kSecretColumns},
    {"", "v1", "Service", kServiceColumns},
    {"", "v1", "ServiceAccount", kServiceAccountColumns},
    {"apiextensions.k8s.io", "v1", "CustomResourceDefinition", kOtherColumns},
    {"apps", "v1", "ControllerRevision", kControllerRevisionColumns},
    {"apps", "v1", "DaemonSet", kDaemonSetColumns},
    {"apps", "v1", "Deployment", kDeploymentColumns},
    {"apps", "v1", "ReplicaSet", kReplicaSetColumns},
    {"apps", "v1", "StatefulSet", kStatefulSetColumns},
    {"authentication.k8s.io", "v1", "SelfSubjectReview", kOtherColumns},
    {"authentication.k8s.io", "v1", "TokenRequest", kOtherColumns},
    {"authentication.k8s.io", "v1", "TokenReview", kOtherColumns},
    {"authorization.k8s.io", "v1", "LocalSubjectAccessReview", kOtherColumns},
    {"authorization.k8s.io", "v1", "SelfSubjectAccessReview", kOtherColumns},
    {"authorization.k8s.io", "v1", "SelfSubjectRulesReview", kOtherColumns},
    {"authorization.k8s.io", "v1", "SubjectAccessReview", kOtherColumns},
    {"autoscaling", "v1", "HorizontalPodAutoscaler", kAutoscalerColumns},
    {"autoscaling", "v1", "Scale", kScaleColumns},
    {"autoscaling", "v2", "HorizontalPodAutoscaler", kAutoscalerColumns},
    {"batch", "v1", "CronJob", kCronJobColumns},
    {"batch", "v1", "Job", kJobColumns},
    {"coordination.k8s.io", "v1", "Lease", kLeaseColumns},
    {"discovery.k8s.io", "v1", "EndpointSlice", kEndpointSliceColumns},
    {"events.k8s.io", "v1", "Event", kEventColumns},
    {"networking.k8s.io", "v1", "Ingress", kIngressColumns},
    {"networking.k8s.io", "v1", "IngressClass", kIngressClassColumns},
    {"networking.k8s.io", "v1", "NetworkPolicy", kNetworkPolicyColumns},
    {"node.k8s.io", "v1", "RuntimeClass", kRuntimeClassColumns},
    {"policy", "v1", "Eviction", kOtherColumns},
    {"policy", "v1", "PodDisruptionBudget", kBudgetColumns},
    {"rbac.authorization.k8s.io", "v1", "ClusterRole", kOtherColumns},
    {"rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", kBindingColumns},
    {"rbac.authorization.k8s.io", "v1", "Role", kOtherColumns},
    {"rbac.authorization.k8s.io", "v1", "RoleBinding", kBindingColumns},
    {"scheduling.k8s.io", "v1", "PriorityClass", kPriorityClassColumns},
    {"storage.k8s.io", "v1", "StorageClass", kStorageClassColumns},
};

PrinterColumn Read(const Column& column) {
  return {.name = std::string(column.name),
          .type = std::string(column.type),
          .format = std::string(column.format),
          .description = std::string(column.description),
          .priority = column.priority,
          .json_path = std::string(column.json_path),
          .printer = std::string(column.printer),
          .absent = std::string(column.absent),
          .empty_is_absent = column.empty_is_absent};
}

}  // namespace

std::vector<PrinterColumn> BuiltInColumns(const GroupVersionKind& kind) {
  std::vector<PrinterColumn> columns;
  for (const KindColumns& one : kKindColumns) {
    if (one.group != kind.group || one.version != kind.version || one.kind != kind.kind) continue;
    for (const Column& column : one.columns) columns.push_back(Read(column));
  }
  return columns;
}

std::vector<GroupVersionKind> KindsWithBuiltInColumns() {
  std::vector<GroupVersionKind> kinds;
  for (const KindColumns& one : kKindColumns) {
    kinds.push_back({std::string(one.group), std::string(one.version), std::string(one.kind)});
  }
  return kinds;
}

}  // namespace kinformer::apiserver
