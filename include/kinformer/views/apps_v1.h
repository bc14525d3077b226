#ifndef KINFORMER_VIEWS_APPS_V1_H_
#define KINFORMER_VIEWS_APPS_V1_H_

#include <cstdint>
#include <string>

#include <kinformer/base/result.h>
#include <kinformer/meta/kind_info.h>
#include <kinformer/meta/selector.h>
#include <kinformer/views/core_v1.h>
#include <kinformer/views/view.h>

/// Absent strings read as "" and absent numbers as 0; where a default is noted, it is the API's documented default.
/// `Selector()` is an error if the selector is invalid, and matches nothing if there is none.
namespace kinformer::apps::v1 {

class Deployment : public View<Deployment> {
 public:
  using View::View;
  static constexpr KindInfo kInfo{"apps", "v1", "Deployment", "deployments"};

  std::int64_t Replicas() const;  ///< Desired. Default: 1.
  Result<LabelSelector> Selector() const;
  core::v1::PodTemplate Template() const;
  std::string StrategyType() const;    ///< Default: "RollingUpdate".
  std::string MaxSurge() const;        ///< A number or a percentage. Default: "25%".
  std::string MaxUnavailable() const;  ///< A number or a percentage. Default: "25%".
  std::int64_t MinReadySeconds() const;
  std::int64_t RevisionHistoryLimit() const;     ///< Default: 10.
  std::int64_t ProgressDeadlineSeconds() const;  ///< Default: 600.
  bool Paused() const;

  std::int64_t StatusReplicas() const;  ///< Actual.
  std::int64_t ReadyReplicas() const;
  std::int64_t UpdatedReplicas() const;
  std::int64_t AvailableReplicas() const;
  std::int64_t UnavailableReplicas() const;
  std::int64_t ObservedGeneration() const;
};

class ReplicaSet : public View<ReplicaSet> {
 public:
  using View::View;
  static constexpr KindInfo kInfo{"apps", "v1", "ReplicaSet", "replicasets"};

  std::int64_t Replicas() const;  ///< Desired. Default: 1.
  Result<LabelSelector> Selector() const;
  core::v1::PodTemplate Template() const;
  std::int64_t MinReadySeconds() const;

  std::int64_t StatusReplicas() const;  ///< Actual.
  std::int64_t FullyLabeledReplicas() const;
  std::int64_t ReadyReplicas() const;
  std::int64_t AvailableReplicas() const;
  std::int64_t ObservedGeneration() const;
};

class StatefulSet : public View<StatefulSet> {
 public:
  using View::View;
  static constexpr KindInfo kInfo{"apps", "v1", "StatefulSet", "statefulsets"};

  std::int64_t Replicas() const;  ///< Desired. Default: 1.
  Result<LabelSelector> Selector() const;
  core::v1::PodTemplate Template() const;
  std::string ServiceName() const;
  std::string PodManagementPolicy() const;  ///< Default: "OrderedReady".
  std::string UpdateStrategyType() const;   ///< Default: "RollingUpdate".
  std::int64_t Partition() const;
  std::int64_t MinReadySeconds() const;
  std::int64_t RevisionHistoryLimit() const;  ///< Default: 10.

  std::int64_t StatusReplicas() const;  ///< Actual.
  std::int64_t ReadyReplicas() const;
  std::int64_t CurrentReplicas() const;
  std::int64_t UpdatedReplicas() const;
  std::int64_t AvailableReplicas() const;
  std::string CurrentRevision() const;
  std::string UpdateRevision() const;
  std::int64_t ObservedGeneration() const;
};

class DaemonSet : public View<DaemonSet> {
 public:
  using View::View;
  static constexpr KindInfo kInfo{"apps", "v1", "DaemonSet", "daemonsets"};

  Result<LabelSelector> Selector() const;
  core::v1::PodTemplate Template() const;
  std::string UpdateStrategyType() const;  ///< Default: "RollingUpdate".
  std::int64_t MinReadySeconds() const;
  std::int64_t RevisionHistoryLimit() const;  ///< Default: 10.

  std::int64_t DesiredNumberScheduled() const;
  std::int64_t CurrentNumberScheduled() const;
  std::int64_t UpdatedNumberScheduled() const;
  std::int64_t NumberMisscheduled() const;
  std::int64_t NumberReady() const;
  std::int64_t NumberAvailable() const;
  std::int64_t NumberUnavailable() const;
  std::int64_t ObservedGeneration() const;
};

}  // namespace kinformer::apps::v1

#endif  // KINFORMER_VIEWS_APPS_V1_H_
