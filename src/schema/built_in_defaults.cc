#include "src/schema/built_in_defaults.h"

#include <limits>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "src/base/base64.h"
#include "src/codec/json_fields.h"

namespace kinformer::apiserver {
namespace {

using internal::TextOf;
using nlohmann::json;

/// Whether "", 0 and false count as absent.
enum class Empty { kIsValue, kIsNothing };

struct Constant {
  std::string_view definition;  // without "io.k8s.api."
  std::string_view field;
  const char* value;
  Empty empty = Empty::kIsValue;
};

constexpr Constant kConstants[] = {
    {"core.v1.PodSpec", "dnsPolicy", R"("ClusterFirst")", Empty::kIsNothing},
    {"core.v1.PodSpec", "restartPolicy", R"("Always")", Empty::kIsNothing},
    {"core.v1.PodSpec", "schedulerName", R"("default-scheduler")", Empty::kIsNothing},
    {"core.v1.PodSpec", "securityContext", "{}"},
    {"core.v1.PodSpec", "terminationGracePeriodSeconds", "30"},
    {"core.v1.Container", "resources", "{}"},
    {"core.v1.Container", "terminationMessagePath", R"("/dev/termination-log")", Empty::kIsNothing},
    {"core.v1.Container", "terminationMessagePolicy", R"("File")", Empty::kIsNothing},
    {"core.v1.EphemeralContainer", "resources", "{}"},
    {"core.v1.EphemeralContainer", "terminationMessagePath", R"("/dev/termination-log")", Empty::kIsNothing},
    {"core.v1.EphemeralContainer", "terminationMessagePolicy", R"("File")", Empty::kIsNothing},
    {"core.v1.ContainerPort", "protocol", R"("TCP")", Empty::kIsNothing},
    {"core.v1.Probe", "failureThreshold", "3", Empty::kIsNothing},
    {"core.v1.Probe", "periodSeconds", "10", Empty::kIsNothing},
    {"core.v1.Probe", "successThreshold", "1", Empty::kIsNothing},
    {"core.v1.Probe", "timeoutSeconds", "1", Empty::kIsNothing},
    {"core.v1.HTTPGetAction", "path", R"("/")", Empty::kIsNothing},
    {"core.v1.HTTPGetAction", "scheme", R"("HTTP")", Empty::kIsNothing},
    {"core.v1.GRPCAction", "service", R"("")"},
    {"core.v1.ObjectFieldSelector", "apiVersion", R"("v1")", Empty::kIsNothing},
    {"core.v1.ConfigMapVolumeSource", "defaultMode", "420"},
    {"core.v1.DownwardAPIVolumeSource", "defaultMode", "420"},
    {"core.v1.ProjectedVolumeSource", "defaultMode", "420"},
    {"core.v1.SecretVolumeSource", "defaultMode", "420"},
    {"core.v1.ServiceAccountTokenProjection", "expirationSeconds", "3600"},
    {"core.v1.HostPathVolumeSource", "type", R"("")"},
    {"core.v1.AzureDiskVolumeSource", "readOnly", "false"},
    {"core.v1.PersistentVolumeSpec", "persistentVolumeReclaimPolicy", R"("Retain")", Empty::kIsNothing},
    {"core.v1.PersistentVolumeSpec", "volumeMode", R"("Filesystem")"},
    {"core.v1.PersistentVolumeClaimSpec", "resources", "{}"},
    {"core.v1.PersistentVolumeClaimSpec", "volumeMode", R"("Filesystem")"},
    {"core.v1.Secret", "type", R"("Opaque")", Empty::kIsNothing},
    {"core.v1.ServiceSpec", "sessionAffinity", R"("None")", Empty::kIsNothing},
    {"core.v1.ServiceSpec", "type", R"("ClusterIP")", Empty::kIsNothing},
    {"core.v1.ServicePort", "protocol", R"("TCP")", Empty::kIsNothing},
    {"core.v1.EndpointPort", "protocol", R"("TCP")", Empty::kIsNothing},
    {"apps.v1.DeploymentSpec", "progressDeadlineSeconds", "600"},
    {"apps.v1.DeploymentSpec", "replicas", "1"},
    {"apps.v1.DeploymentSpec", "revisionHistoryLimit", "10"},
    {"apps.v1.DeploymentSpec", "strategy", "{}"},
    {"apps.v1.DeploymentStrategy", "type", R"("RollingUpdate")", Empty::kIsNothing},
    {"apps.v1.DaemonSetSpec", "revisionHistoryLimit", "10"},
    {"apps.v1.DaemonSetSpec", "updateStrategy", "{}"},
    {"apps.v1.DaemonSetUpdateStrategy", "type", R"("RollingUpdate")", Empty::kIsNothing},
    {"apps.v1.ReplicaSetSpec", "replicas", "1"},
    {"apps.v1.StatefulSetSpec", "persistentVolumeClaimRetentionPolicy", "{}"},
    {"apps.v1.StatefulSetSpec", "podManagementPolicy", R"("OrderedReady")", Empty::kIsNothing},
    {"apps.v1.StatefulSetSpec", "replicas", "1"},
    {"apps.v1.StatefulSetSpec", "revisionHistoryLimit", "10"},
    {"apps.v1.StatefulSetSpec", "updateStrategy", "{}"},
    {"apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy", "whenDeleted", R"("Retain")", Empty::kIsNothing},
    {"apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy", "whenScaled", R"("Retain")", Empty::kIsNothing},
    {"apps.v1.RollingUpdateStatefulSetStrategy", "partition", "0"},
    {"batch.v1.CronJobSpec", "concurrencyPolicy", R"("Allow")", Empty::kIsNothing},
    {"batch.v1.CronJobSpec", "failedJobsHistoryLimit", "1"},
    {"batch.v1.CronJobSpec", "successfulJobsHistoryLimit", "3"},
    {"batch.v1.CronJobSpec", "suspend", "false"},
    {"batch.v1.PodFailurePolicyOnPodConditionsPattern", "status", R"("True")", Empty::kIsNothing},
    {"networking.v1.NetworkPolicyPort", "protocol", R"("TCP")"},
    {"networking.v1.IngressClassParametersReference", "scope", R"("Cluster")"},
    {"autoscaling.v1.HorizontalPodAutoscalerSpec", "minReplicas", "1"},
    {"autoscaling.v2.HorizontalPodAutoscalerSpec", "minReplicas", "1"},
    {"rbac.v1.ClusterRoleBinding", "roleRef", "{}"},
    {"rbac.v1.RoleBinding", "roleRef", "{}"},
    {"rbac.v1.RoleRef", "apiGroup", R"("rbac.authorization.k8s.io")", Empty::kIsNothing},
    {"storage.v1.StorageClass", "reclaimPolicy", R"("Delete")"},
    {"storage.v1.StorageClass", "volumeBindingMode", R"("Immediate")"},
    {"scheduling.v1.PriorityClass", "preemptionPolicy", R"("PreemptLowerPriority")"},
    {"discovery.v1.EndpointPort", "name", R"("")"},
    {"discovery.v1.EndpointPort", "protocol", R"("TCP")"},
};

bool Has(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && !found->is_null();
}

/// Null: absent, or not an object.
json* ObjectIn(json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_object() ? &*found : nullptr;
}

void SetIfAbsent(json& object, const char* name, json value) {
  if (!Has(object, name)) object[name] = std::move(value);
}

template <typename Function>
void ForEachObject(json& object, const char* name, Function function) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) return;
  for (json& item : *found) {
    if (item.is_object()) function(item);
  }
}

/// Images with a mutable tag are always pulled.
const char* PullPolicyFor(const std::string& image) {
  if (image.find('@') != std::string::npos) return "IfNotPresent";
  const std::size_t slash = image.rfind('/');
  const std::size_t colon = image.find(':', slash == std::string::npos ? 0 : slash);
  const bool latest = colon == std::string::npos || image.substr(colon + 1) == "latest";
  return latest ? "Always" : "IfNotPresent";
}

void SetContainer(json& container) {
  if (TextOf(container, "imagePullPolicy").empty())
    container["imagePullPolicy"] = PullPolicyFor(TextOf(container, "image"));
}

void SetVolume(json& volume) {
  const bool has_source = volume.size() > (volume.contains("name") ? 1U : 0U);
  if (!has_source) volume["emptyDir"] = json::object();
  if (json* image = ObjectIn(volume, "image"); image != nullptr && TextOf(*image, "pullPolicy").empty()) {
    (*image)["pullPolicy"] = PullPolicyFor(TextOf(*image, "reference"));
  }
}

/// stringData is write-only: its values are encoded and moved to data.
void SetSecret(json& secret) {
  const auto texts = secret.find("stringData");
  if (texts == secret.end()) return;
  const json copy = *texts;
  secret.erase("stringData");
  if (!copy.is_object() || copy.empty()) return;
  json& data = secret["data"];
  if (!data.is_object()) data = json::object();
  for (const auto& [key, value] : copy.items()) {
    if (value.is_string()) data[key] = internal::EncodeBase64(value.get_ref<const std::string&>());
  }
}

/// serviceAccount is an alias of serviceAccountName.
void SetPodSpec(json& spec) {
  const std::string name = TextOf(spec, "serviceAccountName");
  const std::string old_name = TextOf(spec, "serviceAccount");
  if (!name.empty()) {
    spec["serviceAccount"] = name;
  } else if (!old_name.empty()) {
    spec["serviceAccountName"] = old_name;
  }
}

/// Defaults of pods that do not apply to pod templates.
void SetPod(json& pod) {
  json* spec = ObjectIn(pod, "spec");
  if (spec == nullptr) return;
  SetIfAbsent(*spec, "enableServiceLinks", true);
  const bool host_network = spec->contains("hostNetwork") && (*spec)["hostNetwork"] == true;
  for (const char* list : {"containers", "initContainers"}) {
    ForEachObject(*spec, list, [&](json& container) {
      if (json* resources = ObjectIn(container, "resources"); resources != nullptr) {
        if (const json* limits = ObjectIn(*resources, "limits"); limits != nullptr && !limits->empty()) {
          const json copy = *limits;
          json& requests = (*resources)["requests"];
          if (!requests.is_object()) requests = json::object();
          for (const auto& [name, value] : copy.items()) SetIfAbsent(requests, name.c_str(), value);
        }
      }
      if (!host_network) return;
      ForEachObject(container, "ports", [](json& port) {
        if (!port.contains("hostPort") || port["hostPort"] == 0)
          port["hostPort"] = port.value("containerPort", json(0));
      });
    });
  }
}

void SetService(json& spec) {
  const std::string type = TextOf(spec, "type");
  const std::string affinity = TextOf(spec, "sessionAffinity");
  if (affinity == "None") spec.erase("sessionAffinityConfig");
  const json::json_pointer timeout("/sessionAffinityConfig/clientIP/timeoutSeconds");
  if (affinity == "ClientIP" && !spec.contains(timeout)) {
    spec["sessionAffinityConfig"] = {{"clientIP", {{"timeoutSeconds", 10800}}}};
  }
  const bool balanced = type == "LoadBalancer";
  const bool has_external_ips = type == "ClusterIP" && spec.contains("externalIPs") && spec["externalIPs"].is_array() &&
                                !spec["externalIPs"].empty();
  const bool external = balanced || type == "NodePort" || has_external_ips;
  if (external && TextOf(spec, "externalTrafficPolicy").empty()) spec["externalTrafficPolicy"] = "Cluster";
  if (balanced || type == "NodePort" || type == "ClusterIP") SetIfAbsent(spec, "internalTrafficPolicy", "Cluster");
  if (balanced) SetIfAbsent(spec, "allocateLoadBalancerNodePorts", true);
}

void SetServicePort(json& port) {
  const auto target = port.find("targetPort");
  const bool none =
      target == port.end() || *target == 0 || (target->is_string() && target->get_ref<const std::string&>().empty());
  if (none && port.contains("port")) port["targetPort"] = port["port"];
}

void SetReplicationController(json& controller) {
  json* spec = ObjectIn(controller, "spec");
  json* labels = spec == nullptr ? nullptr : ObjectIn(*spec, "template");
  if (labels != nullptr) labels = ObjectIn(*labels, "metadata");
  if (labels != nullptr) labels = ObjectIn(*labels, "labels");
  if (labels == nullptr || labels->empty()) return;
  const json copy = *labels;
  if (const json* selector = ObjectIn(*spec, "selector"); selector == nullptr || selector->empty()) {
    (*spec)["selector"] = copy;
  }
  json* metadata = ObjectIn(controller, "metadata");
  if (metadata == nullptr) return;
  if (const json* own = ObjectIn(*metadata, "labels"); own == nullptr || own->empty()) (*metadata)["labels"] = copy;
}

void SetLimitRangeItem(json& item) {
  if (TextOf(item, "type") != "Container") return;
  const auto fill = [&](const char* target, const char* source) {
    const json* from = ObjectIn(item, source);
    if (from == nullptr || from->empty()) return;
    const json copy = *from;
    json& to = item[target];
    if (!to.is_object()) to = json::object();
    for (const auto& [name, value] : copy.items()) SetIfAbsent(to, name.c_str(), value);
  };
  fill("default", "max");
  fill("defaultRequest", "default");
  fill("defaultRequest", "min");
}

/// Keeps a legacy single-value field in sync with the first element of its list; if they differ, the single value wins.
template <typename Wrap, typename Unwrap>
void PairFirst(json& object, const char* first, const char* all, Wrap wrap, Unwrap unwrap) {
  const std::string one = TextOf(object, first);
  const auto many = object.find(all);
  const bool has_many = many != object.end() && many->is_array() && !many->empty();
  if (one.empty() && has_many) {
    if (const std::string from = unwrap(many->front()); !from.empty()) object[first] = from;
  } else if (!one.empty() && (!has_many || unwrap(many->front()) != one)) {
    object[all] = json::array({wrap(one)});
  }
}

void SetPodStatus(json& status) {
  PairFirst(
      status, "podIP", "podIPs",
      [](const std::string& ip) {
        return json{{"ip", ip}};
      },
      [](const json& entry) { return entry.is_object() ? TextOf(entry, "ip") : std::string(); });
}

void SetNodeSpec(json& spec) {
  PairFirst(
      spec, "podCIDR", "podCIDRs", [](const std::string& range) { return json(range); },
      [](const json& entry) { return entry.is_string() ? entry.get<std::string>() : std::string(); });
}

void SetNodeStatus(json& status) {
  if (!Has(status, "allocatable") && Has(status, "capacity")) status["allocatable"] = status["capacity"];
}

void SetRolling(json& strategy, const char* type, const json& defaults) {
  if (TextOf(strategy, "type") != type) return;
  json& rolling = strategy["rollingUpdate"];
  if (!rolling.is_object()) rolling = json::object();
  for (const auto& [name, value] : defaults.items()) SetIfAbsent(rolling, name.c_str(), value);
}

void SetDeploymentStrategy(json& strategy) {
  SetRolling(strategy, "RollingUpdate", {{"maxUnavailable", "25%"}, {"maxSurge", "25%"}});
}

void SetDaemonSetStrategy(json& strategy) {
  SetRolling(strategy, "RollingUpdate", {{"maxUnavailable", 1}, {"maxSurge", 0}});
}

void SetStatefulSetStrategy(json& strategy) {
  if (!TextOf(strategy, "type").empty()) return;
  strategy["type"] = "RollingUpdate";
  SetIfAbsent(strategy, "rollingUpdate", json::object());
}

/// Defaults of jobs that do not apply to a cron job's template.
void SetJob(json& job) {
  json* spec = ObjectIn(job, "spec");
  if (spec == nullptr) return;
  if (!Has(*spec, "completions") && !Has(*spec, "parallelism")) (*spec)["completions"] = 1;
  SetIfAbsent(*spec, "parallelism", 1);
  SetIfAbsent(*spec, "backoffLimit", Has(*spec, "backoffLimitPerIndex") ? std::numeric_limits<std::int32_t>::max() : 6);
  SetIfAbsent(*spec, "completionMode", "NonIndexed");
  SetIfAbsent(*spec, "suspend", false);
  SetIfAbsent(*spec, "podReplacementPolicy", Has(*spec, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
  SetIfAbsent(*spec, "manualSelector", false);
  const json::json_pointer labels("/template/metadata/labels");
  json* metadata = ObjectIn(job, "metadata");
  if (metadata == nullptr || !spec->contains(labels)) return;
  if (const json* own = ObjectIn(*metadata, "labels"); own == nullptr || own->empty()) {
    (*metadata)["labels"] = spec->at(labels);
  }
}

void SetNetworkPolicy(json& spec) {
  if (spec.contains("policyTypes") && !spec["policyTypes"].empty()) return;
  spec["policyTypes"] = json::array({"Ingress"});
  if (spec.contains("egress") && !spec["egress"].empty()) spec["policyTypes"].push_back("Egress");
}

void SetAutoscaler(json& spec) {
  if (!spec.contains("metrics") || spec["metrics"].empty()) {
    spec["metrics"] = json::array(
        {{{"type", "Resource"},
          {"resource", {{"name", "cpu"}, {"target", {{"type", "Utilization"}, {"averageUtilization", 80}}}}}}});
  }
  json* behavior = ObjectIn(spec, "behavior");
  if (behavior == nullptr) return;
  const json by_percent = {{"type", "Percent"}, {"value", 100}, {"periodSeconds", 15}};
  const json by_pods = {{"type", "Pods"}, {"value", 4}, {"periodSeconds", 15}};
  const auto rules = [&](const char* name) -> json& {
    json& one = (*behavior)[name];
    if (!one.is_object()) one = json::object();
    return one;
  };
  json& up = rules("scaleUp");
  SetIfAbsent(up, "stabilizationWindowSeconds", 0);
  SetIfAbsent(up, "selectPolicy", "Max");
  SetIfAbsent(up, "policies", json::array({by_pods, by_percent}));
  json& down = rules("scaleDown");
  SetIfAbsent(down, "selectPolicy", "Max");
  SetIfAbsent(down, "policies", json::array({by_percent}));
}

void SetSubject(json& subject) {
  const std::string kind = TextOf(subject, "kind");
  if ((kind == "User" || kind == "Group") && TextOf(subject, "apiGroup").empty()) {
    subject["apiGroup"] = "rbac.authorization.k8s.io";
  }
}

struct Dependent {
  std::string_view definition;
  void (*set)(json& object);
};

constexpr Dependent kDependents[] = {
    {"core.v1.Container", SetContainer},
    {"core.v1.EphemeralContainer", SetContainer},
    {"core.v1.Volume", SetVolume},
    {"core.v1.Secret", SetSecret},
    {"core.v1.PodSpec", SetPodSpec},
    {"core.v1.Pod", SetPod},
    {"core.v1.ServiceSpec", SetService},
    {"core.v1.ServicePort", SetServicePort},
    {"core.v1.ReplicationController", SetReplicationController},
    {"core.v1.LimitRangeItem", SetLimitRangeItem},
    {"core.v1.NodeSpec", SetNodeSpec},
    {"core.v1.NodeStatus", SetNodeStatus},
    {"core.v1.PodStatus", SetPodStatus},
    {"apps.v1.DeploymentStrategy", SetDeploymentStrategy},
    {"apps.v1.DaemonSetUpdateStrategy", SetDaemonSetStrategy},
    {"apps.v1.StatefulSetUpdateStrategy", SetStatefulSetStrategy},
    {"batch.v1.Job", SetJob},
    {"networking.v1.NetworkPolicySpec", SetNetworkPolicy},
    {"autoscaling.v2.HorizontalPodAutoscalerSpec", SetAutoscaler},
    {"rbac.v1.Subject", SetSubject},
};

constexpr std::string_view kApi = "io.k8s.api.";

}  // namespace

void AddBuiltInDefaults(Schema& definition) {
  std::string_view name = definition.name;
  if (!name.starts_with(kApi)) return;
  name.remove_prefix(kApi.size());
  for (const Constant& constant : kConstants) {
    if (constant.definition != name) continue;
    for (SchemaField& field : definition.fields) {
      if (field.name != constant.field) continue;
      field.default_value = std::make_shared<json>(json::parse(constant.value, nullptr, /*allow_exceptions=*/false));
      field.default_replaces_empty = constant.empty == Empty::kIsNothing;
    }
  }
  for (const Dependent& dependent : kDependents) {
    if (dependent.definition == name) definition.set_defaults = dependent.set;
  }
}

}  // namespace kinformer::apiserver
