#include <kinformer/views/apps_v1.h>

#include "src/views/read.h"

namespace kinformer::apps::v1 {

using internal::Text;
using internal::TextOrNumber;

std::int64_t Deployment::Replicas() const { return At("/spec/replicas").IntOr(1); }
std::int64_t Deployment::MinReadySeconds() const { return At("/spec/minReadySeconds").IntOr(0); }
std::int64_t Deployment::RevisionHistoryLimit() const { return At("/spec/revisionHistoryLimit").IntOr(10); }
std::int64_t Deployment::ProgressDeadlineSeconds() const { return At("/spec/progressDeadlineSeconds").IntOr(600); }
std::int64_t Deployment::StatusReplicas() const { return At("/status/replicas").IntOr(0); }
std::int64_t Deployment::ReadyReplicas() const { return At("/status/readyReplicas").IntOr(0); }
std::int64_t Deployment::UpdatedReplicas() const { return At("/status/updatedReplicas").IntOr(0); }
std::int64_t Deployment::AvailableReplicas() const { return At("/status/availableReplicas").IntOr(0); }
std::int64_t Deployment::UnavailableReplicas() const { return At("/status/unavailableReplicas").IntOr(0); }
std::int64_t Deployment::ObservedGeneration() const { return At("/status/observedGeneration").IntOr(0); }
Result<LabelSelector> Deployment::Selector() const { return internal::Selector(At("/spec/selector")); }
core::v1::PodTemplate Deployment::Template() const { return {object(), At("/spec/template")}; }
std::string Deployment::StrategyType() const { return At("/spec/strategy/type").StringOr("RollingUpdate"); }
std::string Deployment::MaxSurge() const { return TextOrNumber(At("/spec/strategy/rollingUpdate/maxSurge"), "25%"); }
std::string Deployment::MaxUnavailable() const {
  return TextOrNumber(At("/spec/strategy/rollingUpdate/maxUnavailable"), "25%");
}
bool Deployment::Paused() const { return At("/spec/paused").BoolOr(false); }

std::int64_t ReplicaSet::Replicas() const { return At("/spec/replicas").IntOr(1); }
std::int64_t ReplicaSet::MinReadySeconds() const { return At("/spec/minReadySeconds").IntOr(0); }
std::int64_t ReplicaSet::StatusReplicas() const { return At("/status/replicas").IntOr(0); }
std::int64_t ReplicaSet::FullyLabeledReplicas() const { return At("/status/fullyLabeledReplicas").IntOr(0); }
std::int64_t ReplicaSet::ReadyReplicas() const { return At("/status/readyReplicas").IntOr(0); }
std::int64_t ReplicaSet::AvailableReplicas() const { return At("/status/availableReplicas").IntOr(0); }
std::int64_t ReplicaSet::ObservedGeneration() const { return At("/status/observedGeneration").IntOr(0); }
Result<LabelSelector> ReplicaSet::Selector() const { return internal::Selector(At("/spec/selector")); }
core::v1::PodTemplate ReplicaSet::Template() const { return {object(), At("/spec/template")}; }

std::int64_t StatefulSet::Replicas() const { return At("/spec/replicas").IntOr(1); }
std::int64_t StatefulSet::Partition() const { return At("/spec/updateStrategy/rollingUpdate/partition").IntOr(0); }
std::int64_t StatefulSet::MinReadySeconds() const { return At("/spec/minReadySeconds").IntOr(0); }
std::int64_t StatefulSet::RevisionHistoryLimit() const { return At("/spec/revisionHistoryLimit").IntOr(10); }
std::int64_t StatefulSet::StatusReplicas() const { return At("/status/replicas").IntOr(0); }
std::int64_t StatefulSet::ReadyReplicas() const { return At("/status/readyReplicas").IntOr(0); }
std::int64_t StatefulSet::CurrentReplicas() const { return At("/status/currentReplicas").IntOr(0); }
std::int64_t StatefulSet::UpdatedReplicas() const { return At("/status/updatedReplicas").IntOr(0); }
std::int64_t StatefulSet::AvailableReplicas() const { return At("/status/availableReplicas").IntOr(0); }
std::int64_t StatefulSet::ObservedGeneration() const { return At("/status/observedGeneration").IntOr(0); }
Result<LabelSelector> StatefulSet::Selector() const { return internal::Selector(At("/spec/selector")); }
core::v1::PodTemplate StatefulSet::Template() const { return {object(), At("/spec/template")}; }
std::string StatefulSet::ServiceName() const { return Text(At("/spec/serviceName")); }
std::string StatefulSet::PodManagementPolicy() const {
  return At("/spec/podManagementPolicy").StringOr("OrderedReady");
}
std::string StatefulSet::UpdateStrategyType() const {
  return At("/spec/updateStrategy/type").StringOr("RollingUpdate");
}
std::string StatefulSet::CurrentRevision() const { return Text(At("/status/currentRevision")); }
std::string StatefulSet::UpdateRevision() const { return Text(At("/status/updateRevision")); }

std::int64_t DaemonSet::MinReadySeconds() const { return At("/spec/minReadySeconds").IntOr(0); }
std::int64_t DaemonSet::RevisionHistoryLimit() const { return At("/spec/revisionHistoryLimit").IntOr(10); }
std::int64_t DaemonSet::DesiredNumberScheduled() const { return At("/status/desiredNumberScheduled").IntOr(0); }
std::int64_t DaemonSet::CurrentNumberScheduled() const { return At("/status/currentNumberScheduled").IntOr(0); }
std::int64_t DaemonSet::UpdatedNumberScheduled() const { return At("/status/updatedNumberScheduled").IntOr(0); }
std::int64_t DaemonSet::NumberMisscheduled() const { return At("/status/numberMisscheduled").IntOr(0); }
std::int64_t DaemonSet::NumberReady() const { return At("/status/numberReady").IntOr(0); }
std::int64_t DaemonSet::NumberAvailable() const { return At("/status/numberAvailable").IntOr(0); }
std::int64_t DaemonSet::NumberUnavailable() const { return At("/status/numberUnavailable").IntOr(0); }
std::int64_t DaemonSet::ObservedGeneration() const { return At("/status/observedGeneration").IntOr(0); }
Result<LabelSelector> DaemonSet::Selector() const { return internal::Selector(At("/spec/selector")); }
core::v1::PodTemplate DaemonSet::Template() const { return {object(), At("/spec/template")}; }
std::string DaemonSet::UpdateStrategyType() const { return At("/spec/updateStrategy/type").StringOr("RollingUpdate"); }

}  // namespace kinformer::apps::v1
