#ifndef KINFORMER_TEST_API_EXAMPLE_TYPES_H_
#define KINFORMER_TEST_API_EXAMPLE_TYPES_H_

// Typed structs as a generator writes them (<kinformer/api/type.h> has the format): a Pod and a Deployment with their
// most common fields, and a Widget with every type of field.

#include <cstdint>
#include <string>

#include <kinformer/api/generated.h>

namespace example::v1 {

namespace api = ::kinformer::api;

struct OwnerReference;
struct ManagedFieldsEntry;
struct ObjectMeta;
struct KeySelector;
struct ObjectFieldSelector;
struct EnvVarSource;
struct EnvVar;
struct ContainerPort;
struct ResourceRequirements;
struct VolumeMount;
struct HttpHeader;
struct HttpGetAction;
struct ExecAction;
struct Probe;
struct Capabilities;
struct SecurityContext;
struct Container;
struct KeyToPath;
struct ConfigMapVolumeSource;
struct EmptyDirVolumeSource;
struct DownwardApiVolumeFile;
struct DownwardApiProjection;
struct ServiceAccountTokenProjection;
struct VolumeProjection;
struct ProjectedVolumeSource;
struct Volume;
struct LabelSelectorRequirement;
struct LabelSelector;
struct PodAffinityTerm;
struct WeightedPodAffinityTerm;
struct PodAntiAffinity;
struct Affinity;
struct Toleration;
struct PodSecurityContext;
struct LocalObjectReference;
struct PodSpec;
struct PodCondition;
struct ContainerStateRunning;
struct ContainerStateTerminated;
struct ContainerStateWaiting;
struct ContainerState;
struct ContainerStatus;
struct PodIP;
struct PodStatus;
struct Pod;
struct PodTemplateSpec;
struct RollingUpdate;
struct DeploymentStrategy;
struct DeploymentSpec;
struct Deployment;
struct SchemaProps;
struct WidgetSpec;
struct Widget;

struct OwnerReference {
  api::Field<std::string> name{};
  api::Field<std::string> apiVersion{};
  api::Field<bool> blockOwnerDeletion{};
  api::Field<bool> controller{};
  api::Field<std::string> kind{};
  api::Field<std::string> uid{};
  api::Rest rest_{};

  bool operator==(const OwnerReference& other) const;
  static const api::internal::Type kType;
};

struct ManagedFieldsEntry {
  api::Field<std::string> apiVersion{};
  api::Field<std::string> fieldsType{};
  api::Field<api::RawJson> fieldsV1{};
  api::Field<std::string> manager{};
  api::Field<std::string> operation{};
  api::Field<std::string> subresource{};
  api::Field<api::Time> time{};
  api::Rest rest_{};

  bool operator==(const ManagedFieldsEntry& other) const;
  static const api::internal::Type kType;
};

struct ObjectMeta {
  api::Field<std::string> name{};
  api::Map<std::string> annotations{};
  api::Field<api::Time> creationTimestamp{};
  api::Field<std::int64_t> deletionGracePeriodSeconds{};
  api::Field<api::Time> deletionTimestamp{};
  api::List<std::string> finalizers{};
  api::Field<std::string> generateName{};
  api::Field<std::int64_t> generation{};
  api::Map<std::string> labels{};
  api::List<ManagedFieldsEntry> managedFields{};
  api::Field<std::string> namespace_{};
  api::List<OwnerReference> ownerReferences{};
  api::Field<std::string> resourceVersion{};
  api::Field<std::string> selfLink{};
  api::Field<std::string> uid{};
  api::Rest rest_{};

  bool operator==(const ObjectMeta& other) const;
  static const api::internal::Type kType;
};

struct KeySelector {
  api::Field<std::string> name{};
  api::Field<std::string> key{};
  api::Field<bool> optional{};
  api::Rest rest_{};

  bool operator==(const KeySelector& other) const;
  static const api::internal::Type kType;
};

struct ObjectFieldSelector {
  api::Field<std::string> apiVersion{};
  api::Field<std::string> fieldPath{};
  api::Rest rest_{};

  bool operator==(const ObjectFieldSelector& other) const;
  static const api::internal::Type kType;
};

struct EnvVarSource {
  api::Part<KeySelector> configMapKeyRef{};
  api::Part<ObjectFieldSelector> fieldRef{};
  api::Part<KeySelector> secretKeyRef{};
  api::Rest rest_{};

  bool operator==(const EnvVarSource& other) const;
  static const api::internal::Type kType;
};

struct EnvVar {
  api::Field<std::string> name{};
  api::Field<std::string> value{};
  api::Part<EnvVarSource> valueFrom{};
  api::Rest rest_{};

  bool operator==(const EnvVar& other) const;
  static const api::internal::Type kType;
};

struct ContainerPort {
  api::Field<std::string> name{};
  api::Field<std::int64_t> containerPort{};
  api::Field<std::string> hostIP{};
  api::Field<std::int64_t> hostPort{};
  api::Field<std::string> protocol{};
  api::Rest rest_{};

  bool operator==(const ContainerPort& other) const;
  static const api::internal::Type kType;
};

struct ResourceRequirements {
  api::Map<api::Quantity> limits{};
  api::Map<api::Quantity> requests{};
  api::Rest rest_{};

  bool operator==(const ResourceRequirements& other) const;
  static const api::internal::Type kType;
};

struct VolumeMount {
  api::Field<std::string> name{};
  api::Field<std::string> mountPath{};
  api::Field<std::string> mountPropagation{};
  api::Field<bool> readOnly{};
  api::Field<std::string> recursiveReadOnly{};
  api::Field<std::string> subPath{};
  api::Field<std::string> subPathExpr{};
  api::Rest rest_{};

  bool operator==(const VolumeMount& other) const;
  static const api::internal::Type kType;
};

struct HttpHeader {
  api::Field<std::string> name{};
  api::Field<std::string> value{};
  api::Rest rest_{};

  bool operator==(const HttpHeader& other) const;
  static const api::internal::Type kType;
};

struct HttpGetAction {
  api::Field<std::string> host{};
  api::List<HttpHeader> httpHeaders{};
  api::Field<std::string> path{};
  api::Field<api::IntOrString> port{};
  api::Field<std::string> scheme{};
  api::Rest rest_{};

  bool operator==(const HttpGetAction& other) const;
  static const api::internal::Type kType;
};

struct ExecAction {
  api::List<std::string> command{};
  api::Rest rest_{};

  bool operator==(const ExecAction& other) const;
  static const api::internal::Type kType;
};

struct Probe {
  api::Part<ExecAction> exec{};
  api::Field<std::int64_t> failureThreshold{};
  api::Part<HttpGetAction> httpGet{};
  api::Field<std::int64_t> initialDelaySeconds{};
  api::Field<std::int64_t> periodSeconds{};
  api::Field<std::int64_t> successThreshold{};
  api::Field<std::int64_t> terminationGracePeriodSeconds{};
  api::Field<std::int64_t> timeoutSeconds{};
  api::Rest rest_{};

  bool operator==(const Probe& other) const;
  static const api::internal::Type kType;
};

struct Capabilities {
  api::List<std::string> add{};
  api::List<std::string> drop{};
  api::Rest rest_{};

  bool operator==(const Capabilities& other) const;
  static const api::internal::Type kType;
};

struct SecurityContext {
  api::Field<bool> allowPrivilegeEscalation{};
  api::Part<Capabilities> capabilities{};
  api::Field<bool> privileged{};
  api::Field<std::string> procMount{};
  api::Field<bool> readOnlyRootFilesystem{};
  api::Field<std::int64_t> runAsGroup{};
  api::Field<bool> runAsNonRoot{};
  api::Field<std::int64_t> runAsUser{};
  api::Rest rest_{};

  bool operator==(const SecurityContext& other) const;
  static const api::internal::Type kType;
};

struct Container {
  api::Field<std::string> name{};
  api::List<std::string> args{};
  api::List<std::string> command{};
  api::List<EnvVar> env{};
  api::Field<std::string> image{};
  api::Field<std::string> imagePullPolicy{};
  api::Part<Probe> livenessProbe{};
  api::List<ContainerPort> ports{};
  api::Part<Probe> readinessProbe{};
  api::Part<ResourceRequirements> resources{};
  api::Field<std::string> restartPolicy{};
  api::Part<SecurityContext> securityContext{};
  api::Part<Probe> startupProbe{};
  api::Field<bool> stdin_{};
  api::Field<bool> stdinOnce{};
  api::Field<std::string> terminationMessagePath{};
  api::Field<std::string> terminationMessagePolicy{};
  api::Field<bool> tty{};
  api::List<VolumeMount> volumeMounts{};
  api::Field<std::string> workingDir{};
  api::Rest rest_{};

  bool operator==(const Container& other) const;
  static const api::internal::Type kType;
};

struct KeyToPath {
  api::Field<std::string> key{};
  api::Field<std::int64_t> mode{};
  api::Field<std::string> path{};
  api::Rest rest_{};

  bool operator==(const KeyToPath& other) const;
  static const api::internal::Type kType;
};

struct ConfigMapVolumeSource {
  api::Field<std::string> name{};
  api::Field<std::int64_t> defaultMode{};
  api::List<KeyToPath> items{};
  api::Field<bool> optional{};
  api::Rest rest_{};

  bool operator==(const ConfigMapVolumeSource& other) const;
  static const api::internal::Type kType;
};

struct EmptyDirVolumeSource {
  api::Field<std::string> medium{};
  api::Field<api::Quantity> sizeLimit{};
  api::Rest rest_{};

  bool operator==(const EmptyDirVolumeSource& other) const;
  static const api::internal::Type kType;
};

struct DownwardApiVolumeFile {
  api::Part<ObjectFieldSelector> fieldRef{};
  api::Field<std::int64_t> mode{};
  api::Field<std::string> path{};
  api::Rest rest_{};

  bool operator==(const DownwardApiVolumeFile& other) const;
  static const api::internal::Type kType;
};

struct DownwardApiProjection {
  api::List<DownwardApiVolumeFile> items{};
  api::Rest rest_{};

  bool operator==(const DownwardApiProjection& other) const;
  static const api::internal::Type kType;
};

struct ServiceAccountTokenProjection {
  api::Field<std::string> audience{};
  api::Field<std::int64_t> expirationSeconds{};
  api::Field<std::string> path{};
  api::Rest rest_{};

  bool operator==(const ServiceAccountTokenProjection& other) const;
  static const api::internal::Type kType;
};

struct VolumeProjection {
  api::Part<ConfigMapVolumeSource> configMap{};
  api::Part<DownwardApiProjection> downwardAPI{};
  api::Part<ServiceAccountTokenProjection> serviceAccountToken{};
  api::Rest rest_{};

  bool operator==(const VolumeProjection& other) const;
  static const api::internal::Type kType;
};

struct ProjectedVolumeSource {
  api::Field<std::int64_t> defaultMode{};
  api::List<VolumeProjection> sources{};
  api::Rest rest_{};

  bool operator==(const ProjectedVolumeSource& other) const;
  static const api::internal::Type kType;
};

struct Volume {
  api::Field<std::string> name{};
  api::Part<ConfigMapVolumeSource> configMap{};
  api::Part<EmptyDirVolumeSource> emptyDir{};
  api::Part<ProjectedVolumeSource> projected{};
  api::Rest rest_{};

  bool operator==(const Volume& other) const;
  static const api::internal::Type kType;
};

struct LabelSelectorRequirement {
  api::Field<std::string> key{};
  api::Field<std::string> operator_{};
  api::List<std::string> values{};
  api::Rest rest_{};

  bool operator==(const LabelSelectorRequirement& other) const;
  static const api::internal::Type kType;
};

struct LabelSelector {
  api::List<LabelSelectorRequirement> matchExpressions{};
  api::Map<std::string> matchLabels{};
  api::Rest rest_{};

  bool operator==(const LabelSelector& other) const;
  static const api::internal::Type kType;
};

struct PodAffinityTerm {
  api::Part<LabelSelector> labelSelector{};
  api::List<std::string> namespaces{};
  api::Field<std::string> topologyKey{};
  api::Rest rest_{};

  bool operator==(const PodAffinityTerm& other) const;
  static const api::internal::Type kType;
};

struct WeightedPodAffinityTerm {
  api::Part<PodAffinityTerm> podAffinityTerm{};
  api::Field<std::int64_t> weight{};
  api::Rest rest_{};

  bool operator==(const WeightedPodAffinityTerm& other) const;
  static const api::internal::Type kType;
};

struct PodAntiAffinity {
  api::List<WeightedPodAffinityTerm> preferredDuringSchedulingIgnoredDuringExecution{};
  api::List<PodAffinityTerm> requiredDuringSchedulingIgnoredDuringExecution{};
  api::Rest rest_{};

  bool operator==(const PodAntiAffinity& other) const;
  static const api::internal::Type kType;
};

struct Affinity {
  api::Part<PodAntiAffinity> podAffinity{};
  api::Part<PodAntiAffinity> podAntiAffinity{};
  api::Rest rest_{};

  bool operator==(const Affinity& other) const;
  static const api::internal::Type kType;
};

struct Toleration {
  api::Field<std::string> effect{};
  api::Field<std::string> key{};
  api::Field<std::string> operator_{};
  api::Field<std::int64_t> tolerationSeconds{};
  api::Field<std::string> value{};
  api::Rest rest_{};

  bool operator==(const Toleration& other) const;
  static const api::internal::Type kType;
};

struct PodSecurityContext {
  api::Field<std::int64_t> fsGroup{};
  api::Field<std::string> fsGroupChangePolicy{};
  api::Field<std::int64_t> runAsGroup{};
  api::Field<bool> runAsNonRoot{};
  api::Field<std::int64_t> runAsUser{};
  api::List<std::int64_t> supplementalGroups{};
  api::Rest rest_{};

  bool operator==(const PodSecurityContext& other) const;
  static const api::internal::Type kType;
};

struct LocalObjectReference {
  api::Field<std::string> name{};
  api::Rest rest_{};

  bool operator==(const LocalObjectReference& other) const;
  static const api::internal::Type kType;
};

struct PodSpec {
  api::Field<std::int64_t> activeDeadlineSeconds{};
  api::Part<Affinity> affinity{};
  api::Field<bool> automountServiceAccountToken{};
  api::List<Container> containers{};
  api::Field<std::string> dnsPolicy{};
  api::Field<bool> enableServiceLinks{};
  api::Field<bool> hostIPC{};
  api::Field<bool> hostNetwork{};
  api::Field<bool> hostPID{};
  api::Field<std::string> hostname{};
  api::List<LocalObjectReference> imagePullSecrets{};
  api::List<Container> initContainers{};
  api::Field<std::string> nodeName{};
  api::Map<std::string> nodeSelector{};
  api::Map<api::Quantity> overhead{};
  api::Field<std::string> preemptionPolicy{};
  api::Field<std::int64_t> priority{};
  api::Field<std::string> priorityClassName{};
  api::Field<std::string> restartPolicy{};
  api::Field<std::string> runtimeClassName{};
  api::Field<std::string> schedulerName{};
  api::Part<PodSecurityContext> securityContext{};
  api::Field<std::string> serviceAccount{};
  api::Field<std::string> serviceAccountName{};
  api::Field<bool> shareProcessNamespace{};
  api::Field<std::string> subdomain{};
  api::Field<std::int64_t> terminationGracePeriodSeconds{};
  api::List<Toleration> tolerations{};
  api::List<Volume> volumes{};
  api::Rest rest_{};

  bool operator==(const PodSpec& other) const;
  static const api::internal::Type kType;
};

struct PodCondition {
  api::Field<api::Time> lastProbeTime{};
  api::Field<api::Time> lastTransitionTime{};
  api::Field<std::string> message{};
  api::Field<std::int64_t> observedGeneration{};
  api::Field<std::string> reason{};
  api::Field<std::string> status{};
  api::Field<std::string> type{};
  api::Rest rest_{};

  bool operator==(const PodCondition& other) const;
  static const api::internal::Type kType;
};

struct ContainerStateRunning {
  api::Field<api::Time> startedAt{};
  api::Rest rest_{};

  bool operator==(const ContainerStateRunning& other) const;
  static const api::internal::Type kType;
};

struct ContainerStateTerminated {
  api::Field<std::string> containerID{};
  api::Field<std::int64_t> exitCode{};
  api::Field<api::Time> finishedAt{};
  api::Field<std::string> message{};
  api::Field<std::string> reason{};
  api::Field<std::int64_t> signal{};
  api::Field<api::Time> startedAt{};
  api::Rest rest_{};

  bool operator==(const ContainerStateTerminated& other) const;
  static const api::internal::Type kType;
};

struct ContainerStateWaiting {
  api::Field<std::string> message{};
  api::Field<std::string> reason{};
  api::Rest rest_{};

  bool operator==(const ContainerStateWaiting& other) const;
  static const api::internal::Type kType;
};

struct ContainerState {
  api::Part<ContainerStateRunning> running{};
  api::Part<ContainerStateTerminated> terminated{};
  api::Part<ContainerStateWaiting> waiting{};
  api::Rest rest_{};

  bool operator==(const ContainerState& other) const;
  static const api::internal::Type kType;
};

struct ContainerStatus {
  api::Field<std::string> name{};
  api::Field<std::string> containerID{};
  api::Field<std::string> image{};
  api::Field<std::string> imageID{};
  api::Part<ContainerState> lastState{};
  api::Field<bool> ready{};
  api::Field<std::int64_t> restartCount{};
  api::Field<bool> started{};
  api::Part<ContainerState> state{};
  api::Rest rest_{};

  bool operator==(const ContainerStatus& other) const;
  static const api::internal::Type kType;
};

struct PodIP {
  api::Field<std::string> ip{};
  api::Rest rest_{};

  bool operator==(const PodIP& other) const;
  static const api::internal::Type kType;
};

struct PodStatus {
  api::List<PodCondition> conditions{};
  api::List<ContainerStatus> containerStatuses{};
  api::Field<std::string> hostIP{};
  api::List<ContainerStatus> initContainerStatuses{};
  api::Field<std::string> message{};
  api::Field<std::string> nominatedNodeName{};
  api::Field<std::string> phase{};
  api::Field<std::string> podIP{};
  api::List<PodIP> podIPs{};
  api::Field<std::string> qosClass{};
  api::Field<std::string> reason{};
  api::Field<api::Time> startTime{};
  api::Rest rest_{};

  bool operator==(const PodStatus& other) const;
  static const api::internal::Type kType;
};

struct Pod {
  ObjectMeta metadata{};
  api::Part<PodSpec> spec{};
  api::Part<PodStatus> status{};
  api::Rest rest_{};

  bool operator==(const Pod& other) const;
  static const api::internal::Type kType;
};

struct PodTemplateSpec {
  api::Part<ObjectMeta> metadata{};
  api::Part<PodSpec> spec{};
  api::Rest rest_{};

  bool operator==(const PodTemplateSpec& other) const;
  static const api::internal::Type kType;
};

struct RollingUpdate {
  api::Field<api::IntOrString> maxSurge{};
  api::Field<api::IntOrString> maxUnavailable{};
  api::Rest rest_{};

  bool operator==(const RollingUpdate& other) const;
  static const api::internal::Type kType;
};

struct DeploymentStrategy {
  api::Part<RollingUpdate> rollingUpdate{};
  api::Field<std::string> type{};
  api::Rest rest_{};

  bool operator==(const DeploymentStrategy& other) const;
  static const api::internal::Type kType;
};

struct DeploymentSpec {
  api::Field<std::int64_t> minReadySeconds{};
  api::Field<bool> paused{};
  api::Field<std::int64_t> replicas{};
  api::Part<LabelSelector> selector{};
  api::Part<DeploymentStrategy> strategy{};
  api::Part<PodTemplateSpec> template_{};
  api::Rest rest_{};

  bool operator==(const DeploymentSpec& other) const;
  static const api::internal::Type kType;
};

struct Deployment {
  ObjectMeta metadata{};
  api::Part<DeploymentSpec> spec{};
  api::Rest rest_{};

  bool operator==(const Deployment& other) const;
  static const api::internal::Type kType;
};

struct SchemaProps {
  api::List<SchemaProps> allOf{};
  api::Field<api::RawJson> default_{};
  api::List<api::RawJson> enum_{};
  api::Field<double> maximum{};
  api::Part<SchemaProps> not_{};
  api::Map<SchemaProps> properties{};
  api::Field<std::string> type{};
  api::Rest rest_{};

  bool operator==(const SchemaProps& other) const;
  static const api::internal::Type kType;
};

struct WidgetSpec {
  api::Field<api::Bytes> caBundle{};
  api::Map<api::Bytes> data{};
  api::List<api::Time> deadlines{};
  api::Map<bool> enabled{};
  api::Map<api::List<std::string>> extra{};
  api::List<api::List<std::int64_t>> grid{};
  api::Field<std::string> linux_{};
  api::Map<api::Map<OwnerReference>> matrix{};
  api::List<Pod> pods{};
  api::List<api::IntOrString> ports{};
  api::Field<double> ratio{};
  api::List<double> ratios{};
  api::Field<api::MicroTime> renewTime{};
  api::Part<SchemaProps> schema{};
  api::Field<api::Duration> timeout{};
  api::Rest rest_{};

  bool operator==(const WidgetSpec& other) const;
  static const api::internal::Type kType;
};

struct Widget {
  ObjectMeta metadata{};
  api::Part<WidgetSpec> spec{};
  api::Rest rest_{};

  bool operator==(const Widget& other) const;
  static const api::internal::Type kType;
};

}  // namespace example::v1

#endif  // KINFORMER_TEST_API_EXAMPLE_TYPES_H_
