#ifndef KINFORMER_VIEWS_CORE_V1_H_
#define KINFORMER_VIEWS_CORE_V1_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/meta/kind_info.h>
#include <kinformer/meta/time.h>
#include <kinformer/views/lens.h>
#include <kinformer/views/view.h>

/// Absent strings read as "" and absent numbers as 0; where a default is noted, it is the API's documented default.
/// Quantities ("250m", "2Gi") are strings, as in the API.
namespace kinformer::core::v1 {

class ContainerPort : public Lens {
 public:
  using Lens::Lens;

  std::string Name() const;
  std::int64_t ContainerPortNumber() const;
  std::optional<std::int64_t> HostPort() const;
  std::string Protocol() const;  ///< Default: "TCP".
};

class EnvVar : public Lens {
 public:
  using Lens::Lens;

  std::string Name() const;
  /// The inline value; nullopt if it comes from `valueFrom`.
  std::optional<std::string> Literal() const;
};

class Container : public Lens {
 public:
  using Lens::Lens;

  std::string Name() const;
  std::string Image() const;
  std::string ImagePullPolicy() const;  ///< Default: "Always" for the tag "latest" or none, else "IfNotPresent".
  std::vector<std::string> Command() const;
  std::vector<std::string> Args() const;
  std::string WorkingDir() const;
  std::vector<ContainerPort> Ports() const;
  std::vector<EnvVar> Env() const;
  std::map<std::string, std::string> Requests() const;  ///< By resource, for example "cpu" and "250m".
  std::map<std::string, std::string> Limits() const;
};

enum class ContainerState { kWaiting, kRunning, kTerminated };

class ContainerStatus : public Lens {
 public:
  using Lens::Lens;

  std::string Name() const;
  std::string Image() const;
  std::string ImageID() const;
  std::string ContainerID() const;
  bool Ready() const;
  bool Started() const;
  std::int64_t RestartCount() const;
  ContainerState State() const;  ///< Default: kWaiting.
  /// Why it is waiting or has terminated: "CrashLoopBackOff", "Completed"; "" while it runs.
  std::string StateReason() const;
  std::string StateMessage() const;
  std::optional<std::int64_t> ExitCode() const;  ///< Set if it has terminated.
  std::optional<Timestamp> StartedAt() const;    ///< Set if it is running or has terminated.
  std::optional<Timestamp> FinishedAt() const;   ///< Set if it has terminated.
  /// Of the previous run: "OOMKilled", "Error"; "" if there was none.
  std::string LastTerminationReason() const;
  std::optional<std::int64_t> LastExitCode() const;
};

class Toleration : public Lens {
 public:
  using Lens::Lens;

  std::string Key() const;
  std::string Operator() const;  ///< Default: "Equal".
  std::string TolerationValue() const;
  std::string Effect() const;
  std::optional<std::int64_t> TolerationSeconds() const;
};

/// The `spec` of a pod or a pod template.
class PodSpec : public Lens {
 public:
  using Lens::Lens;

  std::vector<Container> Containers() const;
  std::vector<Container> InitContainers() const;
  std::string NodeName() const;
  std::map<std::string, std::string> NodeSelector() const;
  std::string ServiceAccountName() const;
  std::string RestartPolicy() const;                   ///< Default: "Always".
  std::int64_t TerminationGracePeriodSeconds() const;  ///< Default: 30.
  std::string PriorityClassName() const;
  std::string SchedulerName() const;  ///< Default: "default-scheduler".
  bool HostNetwork() const;
  std::vector<Toleration> Tolerations() const;
  std::vector<std::string> ImagePullSecrets() const;  ///< Their names.
};

/// The pod template of a Deployment or a similar kind.
class PodTemplate : public Lens {
 public:
  using Lens::Lens;

  std::map<std::string, std::string> Labels() const;
  std::map<std::string, std::string> Annotations() const;
  PodSpec Spec() const;
};

class Pod : public View<Pod> {
 public:
  using View::View;
  static constexpr KindInfo kInfo{"", "v1", "Pod", "pods"};

  PodSpec Spec() const;
  std::vector<Container> Containers() const;
  std::vector<Container> InitContainers() const;
  std::string NodeName() const;  ///< "" until it is scheduled.
  std::string ServiceAccountName() const;
  std::string RestartPolicy() const;  ///< Default: "Always".

  std::string Phase() const;  ///< "Pending", "Running", "Succeeded", "Failed" or "Unknown".
  std::string Reason() const;
  std::string Message() const;
  std::string PodIP() const;
  std::vector<std::string> PodIPs() const;
  std::string HostIP() const;
  std::string NominatedNodeName() const;
  std::string QosClass() const;  ///< "Guaranteed", "Burstable" or "BestEffort".
  std::optional<Timestamp> StartTime() const;
  std::vector<ContainerStatus> ContainerStatuses() const;
  std::vector<ContainerStatus> InitContainerStatuses() const;
  /// The sum over all containers, without init containers.
  std::int64_t RestartCount() const;

  bool IsReady() const;     ///< Its condition "Ready" is "True".
  bool IsFinished() const;  ///< The phase is "Succeeded" or "Failed": it will never run again.
};

class Taint : public Lens {
 public:
  using Lens::Lens;

  std::string Key() const;
  std::string TaintValue() const;
  std::string Effect() const;  ///< "NoSchedule", "PreferNoSchedule" or "NoExecute".
  std::optional<Timestamp> TimeAdded() const;
};

class NodeAddress : public Lens {
 public:
  using Lens::Lens;

  std::string Type() const;  ///< "InternalIP", "ExternalIP", "Hostname", ...
  std::string Address() const;
};

class Node : public View<Node> {
 public:
  using View::View;
  static constexpr KindInfo kInfo{"", "v1", "Node", "nodes", Scope::kCluster};

  bool Unschedulable() const;
  std::vector<Taint> Taints() const;
  std::string ProviderID() const;
  std::string PodCIDR() const;
  std::vector<std::string> PodCIDRs() const;

  std::map<std::string, std::string> Capacity() const;
  std::map<std::string, std::string> Allocatable() const;
  std::vector<NodeAddress> Addresses() const;
  std::string InternalIP() const;  ///< The first address of that type.
  std::string KubeletVersion() const;
  std::string OsImage() const;
  std::string Architecture() const;

  bool IsReady() const;  ///< Its condition "Ready" is "True".
};

class ServicePort : public Lens {
 public:
  using Lens::Lens;

  std::string Name() const;
  std::int64_t Port() const;
  std::string TargetPort() const;  ///< A number or a name. Default: Port().
  std::optional<std::int64_t> NodePort() const;
  std::string Protocol() const;  ///< Default: "TCP".
  std::string AppProtocol() const;
};

class LoadBalancerIngress : public Lens {
 public:
  using Lens::Lens;

  std::string IP() const;
  std::string Hostname() const;
};

class Service : public View<Service> {
 public:
  using View::View;
  static constexpr KindInfo kInfo{"", "v1", "Service", "services"};

  std::string Type() const;  ///< Default: "ClusterIP".
  std::string ClusterIP() const;
  std::vector<std::string> ClusterIPs() const;
  std::vector<std::string> ExternalIPs() const;
  std::string ExternalName() const;
  std::vector<ServicePort> Ports() const;
  std::map<std::string, std::string> Selector() const;
  std::string SessionAffinity() const;  ///< Default: "None".
  std::vector<LoadBalancerIngress> Ingress() const;

  bool IsHeadless() const { return ClusterIP() == "None"; }
};

class ConfigMap : public View<ConfigMap> {
 public:
  using View::View;
  static constexpr KindInfo kInfo{"", "v1", "ConfigMap", "configmaps"};

  std::map<std::string, std::string> Data() const;
  std::optional<std::string> Data(std::string_view key) const;
  std::map<std::string, std::string> BinaryData() const;  ///< Decoded.
  std::optional<std::string> BinaryData(std::string_view key) const;
  bool Immutable() const;
};

/// Data returns secrets: keep them out of logs. This library does not log them.
class Secret : public View<Secret> {
 public:
  using View::View;
  static constexpr KindInfo kInfo{"", "v1", "Secret", "secrets"};

  std::string Type() const;  ///< Default: "Opaque".
  std::vector<std::string> Keys() const;
  /// Decoded from base64; entries that are not valid base64 are left out.
  std::map<std::string, std::string> Data() const;
  std::optional<std::string> Data(std::string_view key) const;
  bool Immutable() const;
};

/// Cluster-scoped. It has no Namespace() accessor, because that is the name of the class: generic code uses `object()`.
class Namespace : public View<Namespace> {
 public:
  using View::View;
  static constexpr KindInfo kInfo{"", "v1", "Namespace", "namespaces", Scope::kCluster};

  std::string Phase() const;  ///< "Active" or "Terminating".
};

class ServiceAccount : public View<ServiceAccount> {
 public:
  using View::View;
  static constexpr KindInfo kInfo{"", "v1", "ServiceAccount", "serviceaccounts"};

  std::vector<std::string> Secrets() const;           ///< Their names.
  std::vector<std::string> ImagePullSecrets() const;  ///< Their names.
  std::optional<bool> AutomountServiceAccountToken() const;
};

class Event : public View<Event> {
 public:
  using View::View;
  static constexpr KindInfo kInfo{"", "v1", "Event", "events"};

  ObjectReference InvolvedObject() const;
  std::string Reason() const;
  std::string Message() const;
  std::string Type() const;  ///< "Normal" or "Warning".
  std::string Action() const;
  std::string Component() const;  ///< The component that reported it.
  std::string Host() const;
  /// The number of occurrences: of its series if it has one, else its count, at least 1.
  std::int64_t Count() const;
  std::optional<Timestamp> FirstTimestamp() const;
  std::optional<Timestamp> LastTimestamp() const;
  std::optional<Timestamp> EventTime() const;
  /// The time of the last occurrence: of its series, else its lastTimestamp, else its eventTime.
  std::optional<Timestamp> LastSeen() const;
};

class PersistentVolumeClaim : public View<PersistentVolumeClaim> {
 public:
  using View::View;
  static constexpr KindInfo kInfo{"", "v1", "PersistentVolumeClaim", "persistentvolumeclaims"};

  /// nullopt: the cluster's default class. "": no class, so no dynamic provisioning.
  std::optional<std::string> StorageClassName() const;
  std::string VolumeName() const;
  std::string VolumeMode() const;  ///< Default: "Filesystem".
  std::vector<std::string> AccessModes() const;
  std::optional<std::string> RequestedStorage() const;

  std::string Phase() const;  ///< "Pending", "Bound" or "Lost".
  std::map<std::string, std::string> Capacity() const;
};

}  // namespace kinformer::core::v1

#endif  // KINFORMER_VIEWS_CORE_V1_H_
