#include <kinformer/views/core_v1.h>

#include <algorithm>

#include "src/views/read.h"

namespace kinformer::core::v1 {

using internal::Lenses;
using internal::Names;
using internal::Text;
using internal::TextOrNumber;
using internal::Texts;
using internal::TextsByKey;
using internal::Time;

namespace {

// The tag of "registry:5000/name:tag@digest", or "latest" if the image has neither tag nor digest.
std::string_view TagOf(std::string_view image) {
  const std::size_t digest = image.find('@');
  const std::string_view name = image.substr(0, digest);
  const std::size_t colon = name.rfind(':');
  const std::size_t slash = name.rfind('/');
  if (colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash)) {
    return name.substr(colon + 1);
  }
  return digest == std::string_view::npos ? "latest" : "";
}

}  // namespace

std::string ContainerPort::Name() const { return Text(At("/name")); }
std::int64_t ContainerPort::ContainerPortNumber() const { return At("/containerPort").IntOr(0); }
std::optional<std::int64_t> ContainerPort::HostPort() const { return At("/hostPort").AsInt(); }
std::string ContainerPort::Protocol() const { return At("/protocol").StringOr("TCP"); }

std::string EnvVar::Name() const { return Text(At("/name")); }
std::optional<std::string> EnvVar::Literal() const {
  if (const Value source = At("/valueFrom"); source.Exists() && !source.IsNull()) return std::nullopt;
  return Text(At("/value"));
}

std::string Container::Name() const { return Text(At("/name")); }
std::string Container::Image() const { return Text(At("/image")); }
std::string Container::ImagePullPolicy() const {
  if (auto policy = At("/imagePullPolicy").AsString()) return *policy;
  return TagOf(Image()) == "latest" ? "Always" : "IfNotPresent";
}
std::vector<std::string> Container::Command() const { return Texts(At("/command")); }
std::vector<std::string> Container::Args() const { return Texts(At("/args")); }
std::string Container::WorkingDir() const { return Text(At("/workingDir")); }
std::vector<ContainerPort> Container::Ports() const { return Lenses<ContainerPort>(owner(), At("/ports")); }
std::vector<EnvVar> Container::Env() const { return Lenses<EnvVar>(owner(), At("/env")); }
std::map<std::string, std::string> Container::Requests() const { return TextsByKey(At("/resources/requests")); }
std::map<std::string, std::string> Container::Limits() const { return TextsByKey(At("/resources/limits")); }

std::string ContainerStatus::Name() const { return Text(At("/name")); }
std::string ContainerStatus::Image() const { return Text(At("/image")); }
std::string ContainerStatus::ImageID() const { return Text(At("/imageID")); }
std::string ContainerStatus::ContainerID() const { return Text(At("/containerID")); }
bool ContainerStatus::Ready() const { return At("/ready").BoolOr(false); }
bool ContainerStatus::Started() const { return At("/started").BoolOr(false); }
std::int64_t ContainerStatus::RestartCount() const { return At("/restartCount").IntOr(0); }
ContainerState ContainerStatus::State() const {
  const auto is = [&](std::string_view pointer) {
    const Value state = At(pointer);
    return state.Exists() && !state.IsNull();
  };
  if (is("/state/running")) return ContainerState::kRunning;
  if (is("/state/terminated")) return ContainerState::kTerminated;
  return ContainerState::kWaiting;
}
std::string ContainerStatus::StateReason() const {
  switch (State()) {
    case ContainerState::kWaiting:
      return Text(At("/state/waiting/reason"));
    case ContainerState::kTerminated:
      return Text(At("/state/terminated/reason"));
    case ContainerState::kRunning:
      break;
  }
  return "";
}
std::string ContainerStatus::StateMessage() const {
  switch (State()) {
    case ContainerState::kWaiting:
      return Text(At("/state/waiting/message"));
    case ContainerState::kTerminated:
      return Text(At("/state/terminated/message"));
    case ContainerState::kRunning:
      break;
  }
  return "";
}
std::optional<std::int64_t> ContainerStatus::ExitCode() const { return At("/state/terminated/exitCode").AsInt(); }
std::optional<Timestamp> ContainerStatus::StartedAt() const {
  return Time(At(State() == ContainerState::kRunning ? "/state/running/startedAt" : "/state/terminated/startedAt"));
}
std::optional<Timestamp> ContainerStatus::FinishedAt() const { return Time(At("/state/terminated/finishedAt")); }
std::string ContainerStatus::LastTerminationReason() const { return Text(At("/lastState/terminated/reason")); }
std::optional<std::int64_t> ContainerStatus::LastExitCode() const {
  return At("/lastState/terminated/exitCode").AsInt();
}

std::string Toleration::Key() const { return Text(At("/key")); }
std::string Toleration::Operator() const { return At("/operator").StringOr("Equal"); }
std::string Toleration::TolerationValue() const { return Text(At("/value")); }
std::string Toleration::Effect() const { return Text(At("/effect")); }
std::optional<std::int64_t> Toleration::TolerationSeconds() const { return At("/tolerationSeconds").AsInt(); }

std::vector<Container> PodSpec::Containers() const { return Lenses<Container>(owner(), At("/containers")); }
std::vector<Container> PodSpec::InitContainers() const { return Lenses<Container>(owner(), At("/initContainers")); }
std::string PodSpec::NodeName() const { return Text(At("/nodeName")); }
std::map<std::string, std::string> PodSpec::NodeSelector() const { return TextsByKey(At("/nodeSelector")); }
std::string PodSpec::ServiceAccountName() const {
  // `serviceAccount` is the old name of the same field.
  if (auto name = At("/serviceAccountName").AsString(); name && !name->empty()) return *name;
  return Text(At("/serviceAccount"));
}
std::string PodSpec::RestartPolicy() const { return At("/restartPolicy").StringOr("Always"); }
std::int64_t PodSpec::TerminationGracePeriodSeconds() const { return At("/terminationGracePeriodSeconds").IntOr(30); }
std::string PodSpec::PriorityClassName() const { return Text(At("/priorityClassName")); }
std::string PodSpec::SchedulerName() const { return At("/schedulerName").StringOr("default-scheduler"); }
bool PodSpec::HostNetwork() const { return At("/hostNetwork").BoolOr(false); }
std::vector<Toleration> PodSpec::Tolerations() const { return Lenses<Toleration>(owner(), At("/tolerations")); }
std::vector<std::string> PodSpec::ImagePullSecrets() const { return Names(At("/imagePullSecrets")); }

std::map<std::string, std::string> PodTemplate::Labels() const { return TextsByKey(At("/metadata/labels")); }
std::map<std::string, std::string> PodTemplate::Annotations() const { return TextsByKey(At("/metadata/annotations")); }
PodSpec PodTemplate::Spec() const { return {owner(), At("/spec")}; }

PodSpec Pod::Spec() const { return {object(), At("/spec")}; }
std::vector<Container> Pod::Containers() const { return Lenses<Container>(object(), At("/spec/containers")); }
std::vector<Container> Pod::InitContainers() const { return Lenses<Container>(object(), At("/spec/initContainers")); }
std::string Pod::NodeName() const { return Text(At("/spec/nodeName")); }
std::string Pod::ServiceAccountName() const { return Spec().ServiceAccountName(); }
std::string Pod::RestartPolicy() const { return Spec().RestartPolicy(); }
std::string Pod::Phase() const { return Text(At("/status/phase")); }
std::string Pod::Reason() const { return Text(At("/status/reason")); }
std::string Pod::Message() const { return Text(At("/status/message")); }
std::string Pod::PodIP() const { return Text(At("/status/podIP")); }
std::vector<std::string> Pod::PodIPs() const {
  std::vector<std::string> ips;
  for (const Value& entry : At("/status/podIPs").Elements()) {
    if (auto ip = entry.At("/ip").AsString()) ips.push_back(*std::move(ip));
  }
  return ips;
}
std::string Pod::HostIP() const { return Text(At("/status/hostIP")); }
std::string Pod::NominatedNodeName() const { return Text(At("/status/nominatedNodeName")); }
std::string Pod::QosClass() const { return Text(At("/status/qosClass")); }
std::optional<Timestamp> Pod::StartTime() const { return Time(At("/status/startTime")); }
std::vector<ContainerStatus> Pod::ContainerStatuses() const {
  return Lenses<ContainerStatus>(object(), At("/status/containerStatuses"));
}
std::vector<ContainerStatus> Pod::InitContainerStatuses() const {
  return Lenses<ContainerStatus>(object(), At("/status/initContainerStatuses"));
}
std::int64_t Pod::RestartCount() const {
  std::int64_t count = 0;
  for (const Value& status : At("/status/containerStatuses").Elements()) count += status.At("/restartCount").IntOr(0);
  return count;
}
bool Pod::IsReady() const { return HasTrueCondition("Ready"); }
bool Pod::IsFinished() const {
  const std::string phase = Phase();
  return phase == "Succeeded" || phase == "Failed";
}

std::string Taint::Key() const { return Text(At("/key")); }
std::string Taint::TaintValue() const { return Text(At("/value")); }
std::string Taint::Effect() const { return Text(At("/effect")); }
std::optional<Timestamp> Taint::TimeAdded() const { return Time(At("/timeAdded")); }

std::string NodeAddress::Type() const { return Text(At("/type")); }
std::string NodeAddress::Address() const { return Text(At("/address")); }

bool Node::Unschedulable() const { return At("/spec/unschedulable").BoolOr(false); }
std::vector<Taint> Node::Taints() const { return Lenses<Taint>(object(), At("/spec/taints")); }
std::string Node::ProviderID() const { return Text(At("/spec/providerID")); }
std::string Node::PodCIDR() const { return Text(At("/spec/podCIDR")); }
std::vector<std::string> Node::PodCIDRs() const { return Texts(At("/spec/podCIDRs")); }
std::map<std::string, std::string> Node::Capacity() const { return TextsByKey(At("/status/capacity")); }
std::map<std::string, std::string> Node::Allocatable() const { return TextsByKey(At("/status/allocatable")); }
std::vector<NodeAddress> Node::Addresses() const { return Lenses<NodeAddress>(object(), At("/status/addresses")); }
std::string Node::InternalIP() const {
  const auto addresses = Addresses();
  const auto it = std::find_if(addresses.begin(), addresses.end(),
                               [](const NodeAddress& address) { return address.Type() == "InternalIP"; });
  return it == addresses.end() ? "" : it->Address();
}
std::string Node::KubeletVersion() const { return Text(At("/status/nodeInfo/kubeletVersion")); }
std::string Node::OsImage() const { return Text(At("/status/nodeInfo/osImage")); }
std::string Node::Architecture() const { return Text(At("/status/nodeInfo/architecture")); }
bool Node::IsReady() const { return HasTrueCondition("Ready"); }

std::string ServicePort::Name() const { return Text(At("/name")); }
std::int64_t ServicePort::Port() const { return At("/port").IntOr(0); }
std::string ServicePort::TargetPort() const { return TextOrNumber(At("/targetPort"), std::to_string(Port())); }
std::optional<std::int64_t> ServicePort::NodePort() const { return At("/nodePort").AsInt(); }
std::string ServicePort::Protocol() const { return At("/protocol").StringOr("TCP"); }
std::string ServicePort::AppProtocol() const { return Text(At("/appProtocol")); }

std::string LoadBalancerIngress::IP() const { return Text(At("/ip")); }
std::string LoadBalancerIngress::Hostname() const { return Text(At("/hostname")); }

std::string Service::Type() const { return At("/spec/type").StringOr("ClusterIP"); }
std::string Service::ClusterIP() const { return Text(At("/spec/clusterIP")); }
std::vector<std::string> Service::ClusterIPs() const { return Texts(At("/spec/clusterIPs")); }
std::vector<std::string> Service::ExternalIPs() const { return Texts(At("/spec/externalIPs")); }
std::string Service::ExternalName() const { return Text(At("/spec/externalName")); }
std::vector<ServicePort> Service::Ports() const { return Lenses<ServicePort>(object(), At("/spec/ports")); }
std::map<std::string, std::string> Service::Selector() const { return TextsByKey(At("/spec/selector")); }
std::string Service::SessionAffinity() const { return At("/spec/sessionAffinity").StringOr("None"); }
std::vector<LoadBalancerIngress> Service::Ingress() const {
  return Lenses<LoadBalancerIngress>(object(), At("/status/loadBalancer/ingress"));
}

std::map<std::string, std::string> ConfigMap::Data() const { return TextsByKey(At("/data")); }
std::optional<std::string> ConfigMap::Data(std::string_view key) const {
  return internal::Member(At("/data"), key).AsString();
}
std::map<std::string, std::string> ConfigMap::BinaryData() const { return internal::BytesByKey(At("/binaryData")); }
std::optional<std::string> ConfigMap::BinaryData(std::string_view key) const {
  return internal::Bytes(internal::Member(At("/binaryData"), key));
}
bool ConfigMap::Immutable() const { return At("/immutable").BoolOr(false); }

std::string Secret::Type() const { return At("/type").StringOr("Opaque"); }
std::vector<std::string> Secret::Keys() const {
  std::vector<std::string> keys;
  for (auto& [key, value] : At("/data").Members()) keys.push_back(key);
  return keys;
}
std::map<std::string, std::string> Secret::Data() const { return internal::BytesByKey(At("/data")); }
std::optional<std::string> Secret::Data(std::string_view key) const {
  return internal::Bytes(internal::Member(At("/data"), key));
}
bool Secret::Immutable() const { return At("/immutable").BoolOr(false); }

std::string Namespace::Phase() const { return Text(At("/status/phase")); }

std::vector<std::string> ServiceAccount::Secrets() const { return Names(At("/secrets")); }
std::vector<std::string> ServiceAccount::ImagePullSecrets() const { return Names(At("/imagePullSecrets")); }
std::optional<bool> ServiceAccount::AutomountServiceAccountToken() const {
  return At("/automountServiceAccountToken").AsBool();
}

ObjectReference Event::InvolvedObject() const { return {object(), At("/involvedObject")}; }
std::string Event::Reason() const { return Text(At("/reason")); }
std::string Event::Message() const { return Text(At("/message")); }
std::string Event::Type() const { return Text(At("/type")); }
std::string Event::Action() const { return Text(At("/action")); }
std::string Event::Component() const {
  if (auto component = At("/reportingComponent").AsString(); component && !component->empty()) return *component;
  return Text(At("/source/component"));
}
std::string Event::Host() const { return Text(At("/source/host")); }
std::int64_t Event::Count() const {
  if (const auto in_series = At("/series/count").AsInt()) return *in_series;
  return std::max<std::int64_t>(At("/count").IntOr(1), 1);
}
std::optional<Timestamp> Event::FirstTimestamp() const { return Time(At("/firstTimestamp")); }
std::optional<Timestamp> Event::LastTimestamp() const { return Time(At("/lastTimestamp")); }
std::optional<Timestamp> Event::EventTime() const { return Time(At("/eventTime")); }
std::optional<Timestamp> Event::LastSeen() const {
  if (const auto in_series = Time(At("/series/lastObservedTime"))) return in_series;
  if (const auto last = LastTimestamp()) return last;
  return EventTime();
}

std::optional<std::string> PersistentVolumeClaim::StorageClassName() const {
  return At("/spec/storageClassName").AsString();
}
std::string PersistentVolumeClaim::VolumeName() const { return Text(At("/spec/volumeName")); }
std::string PersistentVolumeClaim::VolumeMode() const { return At("/spec/volumeMode").StringOr("Filesystem"); }
std::vector<std::string> PersistentVolumeClaim::AccessModes() const { return Texts(At("/spec/accessModes")); }
std::optional<std::string> PersistentVolumeClaim::RequestedStorage() const {
  return At("/spec/resources/requests/storage").AsString();
}
std::string PersistentVolumeClaim::Phase() const { return Text(At("/status/phase")); }
std::map<std::string, std::string> PersistentVolumeClaim::Capacity() const {
  return TextsByKey(At("/status/capacity"));
}

}  // namespace kinformer::core::v1
