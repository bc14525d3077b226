#include "test/api/example_types.h"

#include <cstddef>

namespace example::v1 {
namespace {

using api::internal::Equal;
using api::internal::Member;
using api::internal::Named;
using api::internal::StructType;
using api::internal::Type;

constexpr Member kOwnerReferenceMembers[] = {
    Named<decltype(OwnerReference::apiVersion)>("apiVersion", offsetof(OwnerReference, apiVersion)),
    Named<decltype(OwnerReference::blockOwnerDeletion)>("blockOwnerDeletion",
                                                        offsetof(OwnerReference, blockOwnerDeletion)),
    Named<decltype(OwnerReference::controller)>("controller", offsetof(OwnerReference, controller)),
    Named<decltype(OwnerReference::kind)>("kind", offsetof(OwnerReference, kind)),
    Named<decltype(OwnerReference::name)>("name", offsetof(OwnerReference, name)),
    Named<decltype(OwnerReference::uid)>("uid", offsetof(OwnerReference, uid)),
};
constexpr Member kManagedFieldsEntryMembers[] = {
    Named<decltype(ManagedFieldsEntry::apiVersion)>("apiVersion", offsetof(ManagedFieldsEntry, apiVersion)),
    Named<decltype(ManagedFieldsEntry::fieldsType)>("fieldsType", offsetof(ManagedFieldsEntry, fieldsType)),
    Named<decltype(ManagedFieldsEntry::fieldsV1)>("fieldsV1", offsetof(ManagedFieldsEntry, fieldsV1)),
    Named<decltype(ManagedFieldsEntry::manager)>("manager", offsetof(ManagedFieldsEntry, manager)),
    Named<decltype(ManagedFieldsEntry::operation)>("operation", offsetof(ManagedFieldsEntry, operation)),
    Named<decltype(ManagedFieldsEntry::subresource)>("subresource", offsetof(ManagedFieldsEntry, subresource)),
    Named<decltype(ManagedFieldsEntry::time)>("time", offsetof(ManagedFieldsEntry, time)),
};
constexpr Member kObjectMetaMembers[] = {
    Named<decltype(ObjectMeta::annotations)>("annotations", offsetof(ObjectMeta, annotations)),
    Named<decltype(ObjectMeta::creationTimestamp)>("creationTimestamp", offsetof(ObjectMeta, creationTimestamp)),
    Named<decltype(ObjectMeta::deletionGracePeriodSeconds)>("deletionGracePeriodSeconds",
                                                            offsetof(ObjectMeta, deletionGracePeriodSeconds)),
    Named<decltype(ObjectMeta::deletionTimestamp)>("deletionTimestamp", offsetof(ObjectMeta, deletionTimestamp)),
    Named<decltype(ObjectMeta::finalizers)>("finalizers", offsetof(ObjectMeta, finalizers)),
    Named<decltype(ObjectMeta::generateName)>("generateName", offsetof(ObjectMeta, generateName)),
    Named<decltype(ObjectMeta::generation)>("generation", offsetof(ObjectMeta, generation)),
    Named<decltype(ObjectMeta::labels)>("labels", offsetof(ObjectMeta, labels)),
    Named<decltype(ObjectMeta::managedFields)>("managedFields", offsetof(ObjectMeta, managedFields)),
    Named<decltype(ObjectMeta::name)>("name", offsetof(ObjectMeta, name)),
    Named<decltype(ObjectMeta::namespace_)>("namespace", offsetof(ObjectMeta, namespace_)),
    Named<decltype(ObjectMeta::ownerReferences)>("ownerReferences", offsetof(ObjectMeta, ownerReferences)),
    Named<decltype(ObjectMeta::resourceVersion)>("resourceVersion", offsetof(ObjectMeta, resourceVersion)),
    Named<decltype(ObjectMeta::selfLink)>("selfLink", offsetof(ObjectMeta, selfLink)),
    Named<decltype(ObjectMeta::uid)>("uid", offsetof(ObjectMeta, uid)),
};
constexpr Member kKeySelectorMembers[] = {
    Named<decltype(KeySelector::key)>("key", offsetof(KeySelector, key)),
    Named<decltype(KeySelector::name)>("name", offsetof(KeySelector, name)),
    Named<decltype(KeySelector::optional)>("optional", offsetof(KeySelector, optional)),
};
constexpr Member kObjectFieldSelectorMembers[] = {
    Named<decltype(ObjectFieldSelector::apiVersion)>("apiVersion", offsetof(ObjectFieldSelector, apiVersion)),
    Named<decltype(ObjectFieldSelector::fieldPath)>("fieldPath", offsetof(ObjectFieldSelector, fieldPath)),
};
constexpr Member kEnvVarSourceMembers[] = {
    Named<decltype(EnvVarSource::configMapKeyRef)>("configMapKeyRef", offsetof(EnvVarSource, configMapKeyRef)),
    Named<decltype(EnvVarSource::fieldRef)>("fieldRef", offsetof(EnvVarSource, fieldRef)),
    Named<decltype(EnvVarSource::secretKeyRef)>("secretKeyRef", offsetof(EnvVarSource, secretKeyRef)),
};
constexpr Member kEnvVarMembers[] = {
    Named<decltype(EnvVar::name)>("name", offsetof(EnvVar, name)),
    Named<decltype(EnvVar::value)>("value", offsetof(EnvVar, value)),
    Named<decltype(EnvVar::valueFrom)>("valueFrom", offsetof(EnvVar, valueFrom)),
};
constexpr Member kContainerPortMembers[] = {
    Named<decltype(ContainerPort::containerPort)>("containerPort", offsetof(ContainerPort, containerPort)),
    Named<decltype(ContainerPort::hostIP)>("hostIP", offsetof(ContainerPort, hostIP)),
    Named<decltype(ContainerPort::hostPort)>("hostPort", offsetof(ContainerPort, hostPort)),
    Named<decltype(ContainerPort::name)>("name", offsetof(ContainerPort, name)),
    Named<decltype(ContainerPort::protocol)>("protocol", offsetof(ContainerPort, protocol)),
};
constexpr Member kResourceRequirementsMembers[] = {
    Named<decltype(ResourceRequirements::limits)>("limits", offsetof(ResourceRequirements, limits)),
    Named<decltype(ResourceRequirements::requests)>("requests", offsetof(ResourceRequirements, requests)),
};
constexpr Member kVolumeMountMembers[] = {
    Named<decltype(VolumeMount::mountPath)>("mountPath", offsetof(VolumeMount, mountPath)),
    Named<decltype(VolumeMount::mountPropagation)>("mountPropagation", offsetof(VolumeMount, mountPropagation)),
    Named<decltype(VolumeMount::name)>("name", offsetof(VolumeMount, name)),
    Named<decltype(VolumeMount::readOnly)>("readOnly", offsetof(VolumeMount, readOnly)),
    Named<decltype(VolumeMount::recursiveReadOnly)>("recursiveReadOnly", offsetof(VolumeMount, recursiveReadOnly)),
    Named<decltype(VolumeMount::subPath)>("subPath", offsetof(VolumeMount, subPath)),
    Named<decltype(VolumeMount::subPathExpr)>("subPathExpr", offsetof(VolumeMount, subPathExpr)),
};
constexpr Member kHttpHeaderMembers[] = {
    Named<decltype(HttpHeader::name)>("name", offsetof(HttpHeader, name)),
    Named<decltype(HttpHeader::value)>("value", offsetof(HttpHeader, value)),
};
constexpr Member kHttpGetActionMembers[] = {
    Named<decltype(HttpGetAction::host)>("host", offsetof(HttpGetAction, host)),
    Named<decltype(HttpGetAction::httpHeaders)>("httpHeaders", offsetof(HttpGetAction, httpHeaders)),
    Named<decltype(HttpGetAction::path)>("path", offsetof(HttpGetAction, path)),
    Named<decltype(HttpGetAction::port)>("port", offsetof(HttpGetAction, port)),
    Named<decltype(HttpGetAction::scheme)>("scheme", offsetof(HttpGetAction, scheme)),
};
constexpr Member kExecActionMembers[] = {
    Named<decltype(ExecAction::command)>("command", offsetof(ExecAction, command)),
};
constexpr Member kProbeMembers[] = {
    Named<decltype(Probe::exec)>("exec", offsetof(Probe, exec)),
    Named<decltype(Probe::failureThreshold)>("failureThreshold", offsetof(Probe, failureThreshold)),
    Named<decltype(Probe::httpGet)>("httpGet", offsetof(Probe, httpGet)),
    Named<decltype(Probe::initialDelaySeconds)>("initialDelaySeconds", offsetof(Probe, initialDelaySeconds)),
    Named<decltype(Probe::periodSeconds)>("periodSeconds", offsetof(Probe, periodSeconds)),
    Named<decltype(Probe::successThreshold)>("successThreshold", offsetof(Probe, successThreshold)),
    Named<decltype(Probe::terminationGracePeriodSeconds)>("terminationGracePeriodSeconds",
                                                          offsetof(Probe, terminationGracePeriodSeconds)),
    Named<decltype(Probe::timeoutSeconds)>("timeoutSeconds", offsetof(Probe, timeoutSeconds)),
};
constexpr Member kCapabilitiesMembers[] = {
    Named<decltype(Capabilities::add)>("add", offsetof(Capabilities, add)),
    Named<decltype(Capabilities::drop)>("drop", offsetof(Capabilities, drop)),
};
constexpr Member kSecurityContextMembers[] = {
    Named<decltype(SecurityContext::allowPrivilegeEscalation)>("allowPrivilegeEscalation",
                                                               offsetof(SecurityContext, allowPrivilegeEscalation)),
    Named<decltype(SecurityContext::capabilities)>("capabilities", offsetof(SecurityContext, capabilities)),
    Named<decltype(SecurityContext::privileged)>("privileged", offsetof(SecurityContext, privileged)),
    Named<decltype(SecurityContext::procMount)>("procMount", offsetof(SecurityContext, procMount)),
    Named<decltype(SecurityContext::readOnlyRootFilesystem)>("readOnlyRootFilesystem",
                                                             offsetof(SecurityContext, readOnlyRootFilesystem)),
    Named<decltype(SecurityContext::runAsGroup)>("runAsGroup", offsetof(SecurityContext, runAsGroup)),
    Named<decltype(SecurityContext::runAsNonRoot)>("runAsNonRoot", offsetof(SecurityContext, runAsNonRoot)),
    Named<decltype(SecurityContext::runAsUser)>("runAsUser", offsetof(SecurityContext, runAsUser)),
};
constexpr Member kContainerMembers[] = {
    Named<decltype(Container::args)>("args", offsetof(Container, args)),
    Named<decltype(Container::command)>("command", offsetof(Container, command)),
    Named<decltype(Container::env)>("env", offsetof(Container, env)),
    Named<decltype(Container::image)>("image", offsetof(Container, image)),
    Named<decltype(Container::imagePullPolicy)>("imagePullPolicy", offsetof(Container, imagePullPolicy)),
    Named<decltype(Container::livenessProbe)>("livenessProbe", offsetof(Container, livenessProbe)),
    Named<decltype(Container::name)>("name", offsetof(Container, name)),
    Named<decltype(Container::ports)>("ports", offsetof(Container, ports)),
    Named<decltype(Container::readinessProbe)>("readinessProbe", offsetof(Container, readinessProbe)),
    Named<decltype(Container::resources)>("resources", offsetof(Container, resources)),
    Named<decltype(Container::restartPolicy)>("restartPolicy", offsetof(Container, restartPolicy)),
    Named<decltype(Container::securityContext)>("securityContext", offsetof(Container, securityContext)),
    Named<decltype(Container::startupProbe)>("startupProbe", offsetof(Container, startupProbe)),
    Named<decltype(Container::stdin_)>("stdin", offsetof(Container, stdin_)),
    Named<decltype(Container::stdinOnce)>("stdinOnce", offsetof(Container, stdinOnce)),
    Named<decltype(Container::terminationMessagePath)>("terminationMessagePath",
                                                       offsetof(Container, terminationMessagePath)),
    Named<decltype(Container::terminationMessagePolicy)>("terminationMessagePolicy",
                                                         offsetof(Container, terminationMessagePolicy)),
    Named<decltype(Container::tty)>("tty", offsetof(Container, tty)),
    Named<decltype(Container::volumeMounts)>("volumeMounts", offsetof(Container, volumeMounts)),
    Named<decltype(Container::workingDir)>("workingDir", offsetof(Container, workingDir)),
};
constexpr Member kKeyToPathMembers[] = {
    Named<decltype(KeyToPath::key)>("key", offsetof(KeyToPath, key)),
    Named<decltype(KeyToPath::mode)>("mode", offsetof(KeyToPath, mode)),
    Named<decltype(KeyToPath::path)>("path", offsetof(KeyToPath, path)),
};
constexpr Member kConfigMapVolumeSourceMembers[] = {
    Named<decltype(ConfigMapVolumeSource::defaultMode)>("defaultMode", offsetof(ConfigMapVolumeSource, defaultMode)),
    Named<decltype(ConfigMapVolumeSource::items)>("items", offsetof(ConfigMapVolumeSource, items)),
    Named<decltype(ConfigMapVolumeSource::name)>("name", offsetof(ConfigMapVolumeSource, name)),
    Named<decltype(ConfigMapVolumeSource::optional)>("optional", offsetof(ConfigMapVolumeSource, optional)),
};
constexpr Member kEmptyDirVolumeSourceMembers[] = {
    Named<decltype(EmptyDirVolumeSource::medium)>("medium", offsetof(EmptyDirVolumeSource, medium)),
    Named<decltype(EmptyDirVolumeSource::sizeLimit)>("sizeLimit", offsetof(EmptyDirVolumeSource, sizeLimit)),
};
constexpr Member kDownwardApiVolumeFileMembers[] = {
    Named<decltype(DownwardApiVolumeFile::fieldRef)>("fieldRef", offsetof(DownwardApiVolumeFile, fieldRef)),
    Named<decltype(DownwardApiVolumeFile::mode)>("mode", offsetof(DownwardApiVolumeFile, mode)),
    Named<decltype(DownwardApiVolumeFile::path)>("path", offsetof(DownwardApiVolumeFile, path)),
};
constexpr Member kDownwardApiProjectionMembers[] = {
    Named<decltype(DownwardApiProjection::items)>("items", offsetof(DownwardApiProjection, items)),
};
constexpr Member kServiceAccountTokenProjectionMembers[] = {
    Named<decltype(ServiceAccountTokenProjection::audience)>("audience",
                                                             offsetof(ServiceAccountTokenProjection, audience)),
    Named<decltype(ServiceAccountTokenProjection::expirationSeconds)>(
        "expirationSeconds", offsetof(ServiceAccountTokenProjection, expirationSeconds)),
    Named<decltype(ServiceAccountTokenProjection::path)>("path", offsetof(ServiceAccountTokenProjection, path)),
};
constexpr Member kVolumeProjectionMembers[] = {
    Named<decltype(VolumeProjection::configMap)>("configMap", offsetof(VolumeProjection, configMap)),
    Named<decltype(VolumeProjection::downwardAPI)>("downwardAPI", offsetof(VolumeProjection, downwardAPI)),
    Named<decltype(VolumeProjection::serviceAccountToken)>("serviceAccountToken",
                                                           offsetof(VolumeProjection, serviceAccountToken)),
};
constexpr Member kProjectedVolumeSourceMembers[] = {
    Named<decltype(ProjectedVolumeSource::defaultMode)>("defaultMode", offsetof(ProjectedVolumeSource, defaultMode)),
    Named<decltype(ProjectedVolumeSource::sources)>("sources", offsetof(ProjectedVolumeSource, sources)),
};
constexpr Member kVolumeMembers[] = {
    Named<decltype(Volume::configMap)>("configMap", offsetof(Volume, configMap)),
    Named<decltype(Volume::emptyDir)>("emptyDir", offsetof(Volume, emptyDir)),
    Named<decltype(Volume::name)>("name", offsetof(Volume, name)),
    Named<decltype(Volume::projected)>("projected", offsetof(Volume, projected)),
};
constexpr Member kLabelSelectorRequirementMembers[] = {
    Named<decltype(LabelSelectorRequirement::key)>("key", offsetof(LabelSelectorRequirement, key)),
    Named<decltype(LabelSelectorRequirement::operator_)>("operator", offsetof(LabelSelectorRequirement, operator_)),
    Named<decltype(LabelSelectorRequirement::values)>("values", offsetof(LabelSelectorRequirement, values)),
};
constexpr Member kLabelSelectorMembers[] = {
    Named<decltype(LabelSelector::matchExpressions)>("matchExpressions", offsetof(LabelSelector, matchExpressions)),
    Named<decltype(LabelSelector::matchLabels)>("matchLabels", offsetof(LabelSelector, matchLabels)),
};
constexpr Member kPodAffinityTermMembers[] = {
    Named<decltype(PodAffinityTerm::labelSelector)>("labelSelector", offsetof(PodAffinityTerm, labelSelector)),
    Named<decltype(PodAffinityTerm::namespaces)>("namespaces", offsetof(PodAffinityTerm, namespaces)),
    Named<decltype(PodAffinityTerm::topologyKey)>("topologyKey", offsetof(PodAffinityTerm, topologyKey)),
};
constexpr Member kWeightedPodAffinityTermMembers[] = {
    Named<decltype(WeightedPodAffinityTerm::podAffinityTerm)>("podAffinityTerm",
                                                              offsetof(WeightedPodAffinityTerm, podAffinityTerm)),
    Named<decltype(WeightedPodAffinityTerm::weight)>("weight", offsetof(WeightedPodAffinityTerm, weight)),
};
constexpr Member kPodAntiAffinityMembers[] = {
    Named<decltype(PodAntiAffinity::preferredDuringSchedulingIgnoredDuringExecution)>(
        "preferredDuringSchedulingIgnoredDuringExecution",
        offsetof(PodAntiAffinity, preferredDuringSchedulingIgnoredDuringExecution)),
    Named<decltype(PodAntiAffinity::requiredDuringSchedulingIgnoredDuringExecution)>(
        "requiredDuringSchedulingIgnoredDuringExecution",
        offsetof(PodAntiAffinity, requiredDuringSchedulingIgnoredDuringExecution)),
};
constexpr Member kAffinityMembers[] = {
    Named<decltype(Affinity::podAffinity)>("podAffinity", offsetof(Affinity, podAffinity)),
    Named<decltype(Affinity::podAntiAffinity)>("podAntiAffinity", offsetof(Affinity, podAntiAffinity)),
};
constexpr Member kTolerationMembers[] = {
    Named<decltype(Toleration::effect)>("effect", offsetof(Toleration, effect)),
    Named<decltype(Toleration::key)>("key", offsetof(Toleration, key)),
    Named<decltype(Toleration::operator_)>("operator", offsetof(Toleration, operator_)),
    Named<decltype(Toleration::tolerationSeconds)>("tolerationSeconds", offsetof(Toleration, tolerationSeconds)),
    Named<decltype(Toleration::value)>("value", offsetof(Toleration, value)),
};
constexpr Member kPodSecurityContextMembers[] = {
    Named<decltype(PodSecurityContext::fsGroup)>("fsGroup", offsetof(PodSecurityContext, fsGroup)),
    Named<decltype(PodSecurityContext::fsGroupChangePolicy)>("fsGroupChangePolicy",
                                                             offsetof(PodSecurityContext, fsGroupChangePolicy)),
    Named<decltype(PodSecurityContext::runAsGroup)>("runAsGroup", offsetof(PodSecurityContext, runAsGroup)),
    Named<decltype(PodSecurityContext::runAsNonRoot)>("runAsNonRoot", offsetof(PodSecurityContext, runAsNonRoot)),
    Named<decltype(PodSecurityContext::runAsUser)>("runAsUser", offsetof(PodSecurityContext, runAsUser)),
    Named<decltype(PodSecurityContext::supplementalGroups)>("supplementalGroups",
                                                            offsetof(PodSecurityContext, supplementalGroups)),
};
constexpr Member kLocalObjectReferenceMembers[] = {
    Named<decltype(LocalObjectReference::name)>("name", offsetof(LocalObjectReference, name)),
};
constexpr Member kPodSpecMembers[] = {
    Named<decltype(PodSpec::activeDeadlineSeconds)>("activeDeadlineSeconds", offsetof(PodSpec, activeDeadlineSeconds)),
    Named<decltype(PodSpec::affinity)>("affinity", offsetof(PodSpec, affinity)),
    Named<decltype(PodSpec::automountServiceAccountToken)>("automountServiceAccountToken",
                                                           offsetof(PodSpec, automountServiceAccountToken)),
    Named<decltype(PodSpec::containers)>("containers", offsetof(PodSpec, containers)),
    Named<decltype(PodSpec::dnsPolicy)>("dnsPolicy", offsetof(PodSpec, dnsPolicy)),
    Named<decltype(PodSpec::enableServiceLinks)>("enableServiceLinks", offsetof(PodSpec, enableServiceLinks)),
    Named<decltype(PodSpec::hostIPC)>("hostIPC", offsetof(PodSpec, hostIPC)),
    Named<decltype(PodSpec::hostNetwork)>("hostNetwork", offsetof(PodSpec, hostNetwork)),
    Named<decltype(PodSpec::hostPID)>("hostPID", offsetof(PodSpec, hostPID)),
    Named<decltype(PodSpec::hostname)>("hostname", offsetof(PodSpec, hostname)),
    Named<decltype(PodSpec::imagePullSecrets)>("imagePullSecrets", offsetof(PodSpec, imagePullSecrets)),
    Named<decltype(PodSpec::initContainers)>("initContainers", offsetof(PodSpec, initContainers)),
    Named<decltype(PodSpec::nodeName)>("nodeName", offsetof(PodSpec, nodeName)),
    Named<decltype(PodSpec::nodeSelector)>("nodeSelector", offsetof(PodSpec, nodeSelector)),
    Named<decltype(PodSpec::overhead)>("overhead", offsetof(PodSpec, overhead)),
    Named<decltype(PodSpec::preemptionPolicy)>("preemptionPolicy", offsetof(PodSpec, preemptionPolicy)),
    Named<decltype(PodSpec::priority)>("priority", offsetof(PodSpec, priority)),
    Named<decltype(PodSpec::priorityClassName)>("priorityClassName", offsetof(PodSpec, priorityClassName)),
    Named<decltype(PodSpec::restartPolicy)>("restartPolicy", offsetof(PodSpec, restartPolicy)),
    Named<decltype(PodSpec::runtimeClassName)>("runtimeClassName", offsetof(PodSpec, runtimeClassName)),
    Named<decltype(PodSpec::schedulerName)>("schedulerName", offsetof(PodSpec, schedulerName)),
    Named<decltype(PodSpec::securityContext)>("securityContext", offsetof(PodSpec, securityContext)),
    Named<decltype(PodSpec::serviceAccount)>("serviceAccount", offsetof(PodSpec, serviceAccount)),
    Named<decltype(PodSpec::serviceAccountName)>("serviceAccountName", offsetof(PodSpec, serviceAccountName)),
    Named<decltype(PodSpec::shareProcessNamespace)>("shareProcessNamespace", offsetof(PodSpec, shareProcessNamespace)),
    Named<decltype(PodSpec::subdomain)>("subdomain", offsetof(PodSpec, subdomain)),
    Named<decltype(PodSpec::terminationGracePeriodSeconds)>("terminationGracePeriodSeconds",
                                                            offsetof(PodSpec, terminationGracePeriodSeconds)),
    Named<decltype(PodSpec::tolerations)>("tolerations", offsetof(PodSpec, tolerations)),
    Named<decltype(PodSpec::volumes)>("volumes", offsetof(PodSpec, volumes)),
};
constexpr Member kPodConditionMembers[] = {
    Named<decltype(PodCondition::lastProbeTime)>("lastProbeTime", offsetof(PodCondition, lastProbeTime)),
    Named<decltype(PodCondition::lastTransitionTime)>("lastTransitionTime", offsetof(PodCondition, lastTransitionTime)),
    Named<decltype(PodCondition::message)>("message", offsetof(PodCondition, message)),
    Named<decltype(PodCondition::observedGeneration)>("observedGeneration", offsetof(PodCondition, observedGeneration)),
    Named<decltype(PodCondition::reason)>("reason", offsetof(PodCondition, reason)),
    Named<decltype(PodCondition::status)>("status", offsetof(PodCondition, status)),
    Named<decltype(PodCondition::type)>("type", offsetof(PodCondition, type)),
};
constexpr Member kContainerStateRunningMembers[] = {
    Named<decltype(ContainerStateRunning::startedAt)>("startedAt", offsetof(ContainerStateRunning, startedAt)),
};
constexpr Member kContainerStateTerminatedMembers[] = {
    Named<decltype(ContainerStateTerminated::containerID)>("containerID",
                                                           offsetof(ContainerStateTerminated, containerID)),
    Named<decltype(ContainerStateTerminated::exitCode)>("exitCode", offsetof(ContainerStateTerminated, exitCode)),
    Named<decltype(ContainerStateTerminated::finishedAt)>("finishedAt", offsetof(ContainerStateTerminated, finishedAt)),
    Named<decltype(ContainerStateTerminated::message)>("message", offsetof(ContainerStateTerminated, message)),
    Named<decltype(ContainerStateTerminated::reason)>("reason", offsetof(ContainerStateTerminated, reason)),
    Named<decltype(ContainerStateTerminated::signal)>("signal", offsetof(ContainerStateTerminated, signal)),
    Named<decltype(ContainerStateTerminated::startedAt)>("startedAt", offsetof(ContainerStateTerminated, startedAt)),
};
constexpr Member kContainerStateWaitingMembers[] = {
    Named<decltype(ContainerStateWaiting::message)>("message", offsetof(ContainerStateWaiting, message)),
    Named<decltype(ContainerStateWaiting::reason)>("reason", offsetof(ContainerStateWaiting, reason)),
};
constexpr Member kContainerStateMembers[] = {
    Named<decltype(ContainerState::running)>("running", offsetof(ContainerState, running)),
    Named<decltype(ContainerState::terminated)>("terminated", offsetof(ContainerState, terminated)),
    Named<decltype(ContainerState::waiting)>("waiting", offsetof(ContainerState, waiting)),
};
constexpr Member kContainerStatusMembers[] = {
    Named<decltype(ContainerStatus::containerID)>("containerID", offsetof(ContainerStatus, containerID)),
    Named<decltype(ContainerStatus::image)>("image", offsetof(ContainerStatus, image)),
    Named<decltype(ContainerStatus::imageID)>("imageID", offsetof(ContainerStatus, imageID)),
    Named<decltype(ContainerStatus::lastState)>("lastState", offsetof(ContainerStatus, lastState)),
    Named<decltype(ContainerStatus::name)>("name", offsetof(ContainerStatus, name)),
    Named<decltype(ContainerStatus::ready)>("ready", offsetof(ContainerStatus, ready)),
    Named<decltype(ContainerStatus::restartCount)>("restartCount", offsetof(ContainerStatus, restartCount)),
    Named<decltype(ContainerStatus::started)>("started", offsetof(ContainerStatus, started)),
    Named<decltype(ContainerStatus::state)>("state", offsetof(ContainerStatus, state)),
};
constexpr Member kPodIPMembers[] = {
    Named<decltype(PodIP::ip)>("ip", offsetof(PodIP, ip)),
};
constexpr Member kPodStatusMembers[] = {
    Named<decltype(PodStatus::conditions)>("conditions", offsetof(PodStatus, conditions)),
    Named<decltype(PodStatus::containerStatuses)>("containerStatuses", offsetof(PodStatus, containerStatuses)),
    Named<decltype(PodStatus::hostIP)>("hostIP", offsetof(PodStatus, hostIP)),
    Named<decltype(PodStatus::initContainerStatuses)>("initContainerStatuses",
                                                      offsetof(PodStatus, initContainerStatuses)),
    Named<decltype(PodStatus::message)>("message", offsetof(PodStatus, message)),
    Named<decltype(PodStatus::nominatedNodeName)>("nominatedNodeName", offsetof(PodStatus, nominatedNodeName)),
    Named<decltype(PodStatus::phase)>("phase", offsetof(PodStatus, phase)),
    Named<decltype(PodStatus::podIP)>("podIP", offsetof(PodStatus, podIP)),
    Named<decltype(PodStatus::podIPs)>("podIPs", offsetof(PodStatus, podIPs)),
    Named<decltype(PodStatus::qosClass)>("qosClass", offsetof(PodStatus, qosClass)),
    Named<decltype(PodStatus::reason)>("reason", offsetof(PodStatus, reason)),
    Named<decltype(PodStatus::startTime)>("startTime", offsetof(PodStatus, startTime)),
};
constexpr Member kPodMembers[] = {
    Named<decltype(Pod::metadata)>("metadata", offsetof(Pod, metadata)),
    Named<decltype(Pod::spec)>("spec", offsetof(Pod, spec)),
    Named<decltype(Pod::status)>("status", offsetof(Pod, status)),
};
constexpr Member kPodTemplateSpecMembers[] = {
    Named<decltype(PodTemplateSpec::metadata)>("metadata", offsetof(PodTemplateSpec, metadata)),
    Named<decltype(PodTemplateSpec::spec)>("spec", offsetof(PodTemplateSpec, spec)),
};
constexpr Member kRollingUpdateMembers[] = {
    Named<decltype(RollingUpdate::maxSurge)>("maxSurge", offsetof(RollingUpdate, maxSurge)),
    Named<decltype(RollingUpdate::maxUnavailable)>("maxUnavailable", offsetof(RollingUpdate, maxUnavailable)),
};
constexpr Member kDeploymentStrategyMembers[] = {
    Named<decltype(DeploymentStrategy::rollingUpdate)>("rollingUpdate", offsetof(DeploymentStrategy, rollingUpdate)),
    Named<decltype(DeploymentStrategy::type)>("type", offsetof(DeploymentStrategy, type)),
};
constexpr Member kDeploymentSpecMembers[] = {
    Named<decltype(DeploymentSpec::minReadySeconds)>("minReadySeconds", offsetof(DeploymentSpec, minReadySeconds)),
    Named<decltype(DeploymentSpec::paused)>("paused", offsetof(DeploymentSpec, paused)),
    Named<decltype(DeploymentSpec::replicas)>("replicas", offsetof(DeploymentSpec, replicas)),
    Named<decltype(DeploymentSpec::selector)>("selector", offsetof(DeploymentSpec, selector)),
    Named<decltype(DeploymentSpec::strategy)>("strategy", offsetof(DeploymentSpec, strategy)),
    Named<decltype(DeploymentSpec::template_)>("template", offsetof(DeploymentSpec, template_)),
};
constexpr Member kDeploymentMembers[] = {
    Named<decltype(Deployment::metadata)>("metadata", offsetof(Deployment, metadata)),
    Named<decltype(Deployment::spec)>("spec", offsetof(Deployment, spec)),
};
constexpr Member kSchemaPropsMembers[] = {
    Named<decltype(SchemaProps::allOf)>("allOf", offsetof(SchemaProps, allOf)),
    Named<decltype(SchemaProps::default_)>("default", offsetof(SchemaProps, default_)),
    Named<decltype(SchemaProps::enum_)>("enum", offsetof(SchemaProps, enum_)),
    Named<decltype(SchemaProps::maximum)>("maximum", offsetof(SchemaProps, maximum)),
    Named<decltype(SchemaProps::not_)>("not", offsetof(SchemaProps, not_)),
    Named<decltype(SchemaProps::properties)>("properties", offsetof(SchemaProps, properties)),
    Named<decltype(SchemaProps::type)>("type", offsetof(SchemaProps, type)),
};
constexpr Member kWidgetSpecMembers[] = {
    Named<decltype(WidgetSpec::caBundle)>("caBundle", offsetof(WidgetSpec, caBundle)),
    Named<decltype(WidgetSpec::data)>("data", offsetof(WidgetSpec, data)),
    Named<decltype(WidgetSpec::deadlines)>("deadlines", offsetof(WidgetSpec, deadlines)),
    Named<decltype(WidgetSpec::enabled)>("enabled", offsetof(WidgetSpec, enabled)),
    Named<decltype(WidgetSpec::extra)>("extra", offsetof(WidgetSpec, extra)),
    Named<decltype(WidgetSpec::grid)>("grid", offsetof(WidgetSpec, grid)),
    Named<decltype(WidgetSpec::linux_)>("linux", offsetof(WidgetSpec, linux_)),
    Named<decltype(WidgetSpec::matrix)>("matrix", offsetof(WidgetSpec, matrix)),
    Named<decltype(WidgetSpec::pods)>("pods", offsetof(WidgetSpec, pods)),
    Named<decltype(WidgetSpec::ports)>("ports", offsetof(WidgetSpec, ports)),
    Named<decltype(WidgetSpec::ratio)>("ratio", offsetof(WidgetSpec, ratio)),
    Named<decltype(WidgetSpec::ratios)>("ratios", offsetof(WidgetSpec, ratios)),
    Named<decltype(WidgetSpec::renewTime)>("renewTime", offsetof(WidgetSpec, renewTime)),
    Named<decltype(WidgetSpec::schema)>("schema", offsetof(WidgetSpec, schema)),
    Named<decltype(WidgetSpec::timeout)>("timeout", offsetof(WidgetSpec, timeout)),
};
constexpr Member kWidgetMembers[] = {
    Named<decltype(Widget::metadata)>("metadata", offsetof(Widget, metadata)),
    Named<decltype(Widget::spec)>("spec", offsetof(Widget, spec)),
};

}  // namespace

constinit const Type OwnerReference::kType =
    StructType<OwnerReference>(kOwnerReferenceMembers, offsetof(OwnerReference, rest_));
constinit const Type ManagedFieldsEntry::kType =
    StructType<ManagedFieldsEntry>(kManagedFieldsEntryMembers, offsetof(ManagedFieldsEntry, rest_));
constinit const Type ObjectMeta::kType = StructType<ObjectMeta>(kObjectMetaMembers, offsetof(ObjectMeta, rest_));
constinit const Type KeySelector::kType = StructType<KeySelector>(kKeySelectorMembers, offsetof(KeySelector, rest_));
constinit const Type ObjectFieldSelector::kType =
    StructType<ObjectFieldSelector>(kObjectFieldSelectorMembers, offsetof(ObjectFieldSelector, rest_));
constinit const Type EnvVarSource::kType =
    StructType<EnvVarSource>(kEnvVarSourceMembers, offsetof(EnvVarSource, rest_));
constinit const Type EnvVar::kType = StructType<EnvVar>(kEnvVarMembers, offsetof(EnvVar, rest_));
constinit const Type ContainerPort::kType =
    StructType<ContainerPort>(kContainerPortMembers, offsetof(ContainerPort, rest_));
constinit const Type ResourceRequirements::kType =
    StructType<ResourceRequirements>(kResourceRequirementsMembers, offsetof(ResourceRequirements, rest_));
constinit const Type VolumeMount::kType = StructType<VolumeMount>(kVolumeMountMembers, offsetof(VolumeMount, rest_));
constinit const Type HttpHeader::kType = StructType<HttpHeader>(kHttpHeaderMembers, offsetof(HttpHeader, rest_));
constinit const Type HttpGetAction::kType =
    StructType<HttpGetAction>(kHttpGetActionMembers, offsetof(HttpGetAction, rest_));
constinit const Type ExecAction::kType = StructType<ExecAction>(kExecActionMembers, offsetof(ExecAction, rest_));
constinit const Type Probe::kType = StructType<Probe>(kProbeMembers, offsetof(Probe, rest_));
constinit const Type Capabilities::kType =
    StructType<Capabilities>(kCapabilitiesMembers, offsetof(Capabilities, rest_));
constinit const Type SecurityContext::kType =
    StructType<SecurityContext>(kSecurityContextMembers, offsetof(SecurityContext, rest_));
constinit const Type Container::kType = StructType<Container>(kContainerMembers, offsetof(Container, rest_));
constinit const Type KeyToPath::kType = StructType<KeyToPath>(kKeyToPathMembers, offsetof(KeyToPath, rest_));
constinit const Type ConfigMapVolumeSource::kType =
    StructType<ConfigMapVolumeSource>(kConfigMapVolumeSourceMembers, offsetof(ConfigMapVolumeSource, rest_));
constinit const Type EmptyDirVolumeSource::kType =
    StructType<EmptyDirVolumeSource>(kEmptyDirVolumeSourceMembers, offsetof(EmptyDirVolumeSource, rest_));
constinit const Type DownwardApiVolumeFile::kType =
    StructType<DownwardApiVolumeFile>(kDownwardApiVolumeFileMembers, offsetof(DownwardApiVolumeFile, rest_));
constinit const Type DownwardApiProjection::kType =
    StructType<DownwardApiProjection>(kDownwardApiProjectionMembers, offsetof(DownwardApiProjection, rest_));
constinit const Type ServiceAccountTokenProjection::kType = StructType<ServiceAccountTokenProjection>(
    kServiceAccountTokenProjectionMembers, offsetof(ServiceAccountTokenProjection, rest_));
constinit const Type VolumeProjection::kType =
    StructType<VolumeProjection>(kVolumeProjectionMembers, offsetof(VolumeProjection, rest_));
constinit const Type ProjectedVolumeSource::kType =
    StructType<ProjectedVolumeSource>(kProjectedVolumeSourceMembers, offsetof(ProjectedVolumeSource, rest_));
constinit const Type Volume::kType = StructType<Volume>(kVolumeMembers, offsetof(Volume, rest_));
constinit const Type LabelSelectorRequirement::kType =
    StructType<LabelSelectorRequirement>(kLabelSelectorRequirementMembers, offsetof(LabelSelectorRequirement, rest_));
constinit const Type LabelSelector::kType =
    StructType<LabelSelector>(kLabelSelectorMembers, offsetof(LabelSelector, rest_));
constinit const Type PodAffinityTerm::kType =
    StructType<PodAffinityTerm>(kPodAffinityTermMembers, offsetof(PodAffinityTerm, rest_));
constinit const Type WeightedPodAffinityTerm::kType =
    StructType<WeightedPodAffinityTerm>(kWeightedPodAffinityTermMembers, offsetof(WeightedPodAffinityTerm, rest_));
constinit const Type PodAntiAffinity::kType =
    StructType<PodAntiAffinity>(kPodAntiAffinityMembers, offsetof(PodAntiAffinity, rest_));
constinit const Type Affinity::kType = StructType<Affinity>(kAffinityMembers, offsetof(Affinity, rest_));
constinit const Type Toleration::kType = StructType<Toleration>(kTolerationMembers, offsetof(Toleration, rest_));
constinit const Type PodSecurityContext::kType =
    StructType<PodSecurityContext>(kPodSecurityContextMembers, offsetof(PodSecurityContext, rest_));
constinit const Type LocalObjectReference::kType =
    StructType<LocalObjectReference>(kLocalObjectReferenceMembers, offsetof(LocalObjectReference, rest_));
constinit const Type PodSpec::kType = StructType<PodSpec>(kPodSpecMembers, offsetof(PodSpec, rest_));
constinit const Type PodCondition::kType =
    StructType<PodCondition>(kPodConditionMembers, offsetof(PodCondition, rest_));
constinit const Type ContainerStateRunning::kType =
    StructType<ContainerStateRunning>(kContainerStateRunningMembers, offsetof(ContainerStateRunning, rest_));
constinit const Type ContainerStateTerminated::kType =
    StructType<ContainerStateTerminated>(kContainerStateTerminatedMembers, offsetof(ContainerStateTerminated, rest_));
constinit const Type ContainerStateWaiting::kType =
    StructType<ContainerStateWaiting>(kContainerStateWaitingMembers, offsetof(ContainerStateWaiting, rest_));
constinit const Type ContainerState::kType =
    StructType<ContainerState>(kContainerStateMembers, offsetof(ContainerState, rest_));
constinit const Type ContainerStatus::kType =
    StructType<ContainerStatus>(kContainerStatusMembers, offsetof(ContainerStatus, rest_));
constinit const Type PodIP::kType = StructType<PodIP>(kPodIPMembers, offsetof(PodIP, rest_));
constinit const Type PodStatus::kType = StructType<PodStatus>(kPodStatusMembers, offsetof(PodStatus, rest_));
constinit const Type Pod::kType = StructType<Pod>(kPodMembers, offsetof(Pod, rest_), {"v1", "Pod"});
constinit const Type PodTemplateSpec::kType =
    StructType<PodTemplateSpec>(kPodTemplateSpecMembers, offsetof(PodTemplateSpec, rest_));
constinit const Type RollingUpdate::kType =
    StructType<RollingUpdate>(kRollingUpdateMembers, offsetof(RollingUpdate, rest_));
constinit const Type DeploymentStrategy::kType =
    StructType<DeploymentStrategy>(kDeploymentStrategyMembers, offsetof(DeploymentStrategy, rest_));
constinit const Type DeploymentSpec::kType =
    StructType<DeploymentSpec>(kDeploymentSpecMembers, offsetof(DeploymentSpec, rest_));
constinit const Type Deployment::kType =
    StructType<Deployment>(kDeploymentMembers, offsetof(Deployment, rest_), {"apps/v1", "Deployment"});
constinit const Type SchemaProps::kType = StructType<SchemaProps>(kSchemaPropsMembers, offsetof(SchemaProps, rest_));
constinit const Type WidgetSpec::kType = StructType<WidgetSpec>(kWidgetSpecMembers, offsetof(WidgetSpec, rest_));
constinit const Type Widget::kType =
    StructType<Widget>(kWidgetMembers, offsetof(Widget, rest_), {"example.com/v1", "Widget"});

bool OwnerReference::operator==(const OwnerReference& other) const { return Equal(kType, this, &other); }
bool ManagedFieldsEntry::operator==(const ManagedFieldsEntry& other) const { return Equal(kType, this, &other); }
bool ObjectMeta::operator==(const ObjectMeta& other) const { return Equal(kType, this, &other); }
bool KeySelector::operator==(const KeySelector& other) const { return Equal(kType, this, &other); }
bool ObjectFieldSelector::operator==(const ObjectFieldSelector& other) const { return Equal(kType, this, &other); }
bool EnvVarSource::operator==(const EnvVarSource& other) const { return Equal(kType, this, &other); }
bool EnvVar::operator==(const EnvVar& other) const { return Equal(kType, this, &other); }
bool ContainerPort::operator==(const ContainerPort& other) const { return Equal(kType, this, &other); }
bool ResourceRequirements::operator==(const ResourceRequirements& other) const { return Equal(kType, this, &other); }
bool VolumeMount::operator==(const VolumeMount& other) const { return Equal(kType, this, &other); }
bool HttpHeader::operator==(const HttpHeader& other) const { return Equal(kType, this, &other); }
bool HttpGetAction::operator==(const HttpGetAction& other) const { return Equal(kType, this, &other); }
bool ExecAction::operator==(const ExecAction& other) const { return Equal(kType, this, &other); }
bool Probe::operator==(const Probe& other) const { return Equal(kType, this, &other); }
bool Capabilities::operator==(const Capabilities& other) const { return Equal(kType, this, &other); }
bool SecurityContext::operator==(const SecurityContext& other) const { return Equal(kType, this, &other); }
bool Container::operator==(const Container& other) const { return Equal(kType, this, &other); }
bool KeyToPath::operator==(const KeyToPath& other) const { return Equal(kType, this, &other); }
bool ConfigMapVolumeSource::operator==(const ConfigMapVolumeSource& other) const { return Equal(kType, this, &other); }
bool EmptyDirVolumeSource::operator==(const EmptyDirVolumeSource& other) const { return Equal(kType, this, &other); }
bool DownwardApiVolumeFile::operator==(const DownwardApiVolumeFile& other) const { return Equal(kType, this, &other); }
bool DownwardApiProjection::operator==(const DownwardApiProjection& other) const { return Equal(kType, this, &other); }
bool ServiceAccountTokenProjection::operator==(const ServiceAccountTokenProjection& other) const {
  return Equal(kType, this, &other);
}
bool VolumeProjection::operator==(const VolumeProjection& other) const { return Equal(kType, this, &other); }
bool ProjectedVolumeSource::operator==(const ProjectedVolumeSource& other) const { return Equal(kType, this, &other); }
bool Volume::operator==(const Volume& other) const { return Equal(kType, this, &other); }
bool LabelSelectorRequirement::operator==(const LabelSelectorRequirement& other) const {
  return Equal(kType, this, &other);
}
bool LabelSelector::operator==(const LabelSelector& other) const { return Equal(kType, this, &other); }
bool PodAffinityTerm::operator==(const PodAffinityTerm& other) const { return Equal(kType, this, &other); }
bool WeightedPodAffinityTerm::operator==(const WeightedPodAffinityTerm& other) const {
  return Equal(kType, this, &other);
}
bool PodAntiAffinity::operator==(const PodAntiAffinity& other) const { return Equal(kType, this, &other); }
bool Affinity::operator==(const Affinity& other) const { return Equal(kType, this, &other); }
bool Toleration::operator==(const Toleration& other) const { return Equal(kType, this, &other); }
bool PodSecurityContext::operator==(const PodSecurityContext& other) const { return Equal(kType, this, &other); }
bool LocalObjectReference::operator==(const LocalObjectReference& other) const { return Equal(kType, this, &other); }
bool PodSpec::operator==(const PodSpec& other) const { return Equal(kType, this, &other); }
bool PodCondition::operator==(const PodCondition& other) const { return Equal(kType, this, &other); }
bool ContainerStateRunning::operator==(const ContainerStateRunning& other) const { return Equal(kType, this, &other); }
bool ContainerStateTerminated::operator==(const ContainerStateTerminated& other) const {
  return Equal(kType, this, &other);
}
bool ContainerStateWaiting::operator==(const ContainerStateWaiting& other) const { return Equal(kType, this, &other); }
bool ContainerState::operator==(const ContainerState& other) const { return Equal(kType, this, &other); }
bool ContainerStatus::operator==(const ContainerStatus& other) const { return Equal(kType, this, &other); }
bool PodIP::operator==(const PodIP& other) const { return Equal(kType, this, &other); }
bool PodStatus::operator==(const PodStatus& other) const { return Equal(kType, this, &other); }
bool Pod::operator==(const Pod& other) const { return Equal(kType, this, &other); }
bool PodTemplateSpec::operator==(const PodTemplateSpec& other) const { return Equal(kType, this, &other); }
bool RollingUpdate::operator==(const RollingUpdate& other) const { return Equal(kType, this, &other); }
bool DeploymentStrategy::operator==(const DeploymentStrategy& other) const { return Equal(kType, this, &other); }
bool DeploymentSpec::operator==(const DeploymentSpec& other) const { return Equal(kType, this, &other); }
bool Deployment::operator==(const Deployment& other) const { return Equal(kType, this, &other); }
bool SchemaProps::operator==(const SchemaProps& other) const { return Equal(kType, this, &other); }
bool WidgetSpec::operator==(const WidgetSpec& other) const { return Equal(kType, this, &other); }
bool Widget::operator==(const Widget& other) const { return Equal(kType, this, &other); }

}  // namespace example::v1
