#include "pod_row.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "text.h"

namespace ki = kinformer;
using ki::core::v1::Container;
using ki::core::v1::ContainerState;
using ki::core::v1::ContainerStatus;
using ki::core::v1::Pod;

namespace {

bool IsSidecar(const Container& container) { return container.At("/restartPolicy").AsString() == "Always"; }

/// Why a container has ended: "Error", "Signal:9", "ExitCode:1".
std::string EndOf(const ContainerStatus& status) {
  std::string reason = status.StateReason();
  if (!reason.empty()) return reason;
  const std::int64_t signal = status.At("/state/terminated/signal").IntOr(0);
  if (signal != 0) return "Signal:" + std::to_string(signal);
  return "ExitCode:" + std::to_string(status.ExitCode().value_or(0));
}

/// Follows printPod in kubernetes/pkg/printers/internalversion/printers.go.
class Printer {
 public:
  explicit Printer(const Pod& pod) : pod_(pod) {
    row_.containers = pod_.Containers().size();
    const std::string reason = pod_.Reason();
    row_.status = reason.empty() ? pod_.Phase() : reason;
    const auto conditions = pod_.Conditions();
    if (const auto scheduled = ki::FindCondition(conditions, "PodScheduled");
        scheduled && scheduled->Reason() == "SchedulingGated") {
      row_.status = "SchedulingGated";
    }
    const auto is_true = [&](std::string_view type) {
      const auto condition = ki::FindCondition(conditions, type);
      return condition && condition->IsTrue();
    };
    row_.ready = is_true("Ready");
    if (const bool initializing = ReadInitContainers(); !initializing || is_true("Initialized")) ReadContainers();
    if (!pod_.IsBeingDeleted()) return;
    if (reason == "NodeLost") {
      row_.status = "Unknown";
    } else if (!pod_.IsFinished()) {
      row_.status = "Terminating";
    }
  }

  PodRow& row() { return row_; }

 private:
  void AddRestarts(const ContainerStatus& status) {
    row_.restarts += status.RestartCount();
    const auto text = status.At("/lastState/terminated/finishedAt").AsString();
    const auto end = text ? ki::ParseTimestamp(*text) : std::nullopt;
    if (end && (!row_.last_restart || *row_.last_restart < *end)) row_.last_restart = end;
  }

  /// True while an init container has work to do. Once all are done, only the restarts of sidecars count.
  bool ReadInitContainers() {
    const std::vector<Container> containers = pod_.InitContainers();
    if (containers.empty()) return false;
    std::vector<std::string> sidecars;
    for (const Container& container : containers) {
      if (IsSidecar(container)) sidecars.push_back(container.Name());
    }
    row_.containers += sidecars.size();
    const std::vector<ContainerStatus> statuses = pod_.InitContainerStatuses();
    for (std::size_t i = 0; i < statuses.size(); ++i) {
      const ContainerStatus& status = statuses[i];
      const bool sidecar = std::find(sidecars.begin(), sidecars.end(), status.Name()) != sidecars.end();
      AddRestarts(status);
      if (sidecar) sidecar_statuses_.push_back(status);
      if (status.ExitCode() == 0) continue;
      if (sidecar && status.Started()) {
        row_.ready_containers += status.Ready() ? 1 : 0;
        continue;
      }
      const std::string waits_for = status.StateReason();
      if (status.State() == ContainerState::kTerminated) {
        row_.status = "Init:" + EndOf(status);
      } else if (!waits_for.empty() && waits_for != "PodInitializing") {
        row_.status = "Init:" + waits_for;
      } else {
        row_.status = "Init:" + std::to_string(i) + "/" + std::to_string(containers.size());
      }
      return true;
    }
    return false;
  }

  void ReadContainers() {
    row_.restarts = 0;
    row_.last_restart.reset();
    for (const ContainerStatus& status : sidecar_statuses_) AddRestarts(status);
    bool runs = false;
    std::string failure;
    const std::vector<ContainerStatus> statuses = pod_.ContainerStatuses();
    for (auto status = statuses.rbegin(); status != statuses.rend(); ++status) {
      AddRestarts(*status);
      const ContainerState state = status->State();
      if (state == ContainerState::kTerminated) {
        row_.status = EndOf(*status);
        if (status->ExitCode().value_or(0) != 0) failure = row_.status;
      } else if (std::string waits_for = status->StateReason(); !waits_for.empty()) {
        row_.status = std::move(waits_for);
      } else if (state == ContainerState::kRunning && status->Ready()) {
        runs = true;
        ++row_.ready_containers;
      }
    }
    // One container that has done its work does not make the pod complete while others run.
    if (row_.status != "Completed") return;
    if (runs && row_.ready) {
      row_.status = "Running";
    } else if (!failure.empty()) {
      row_.status = failure;
    } else if (runs) {
      row_.status = "NotReady";
    }
  }

  const Pod& pod_;
  PodRow row_;
  std::vector<ContainerStatus> sidecar_statuses_;
};

Phase PhaseOf(std::string_view phase) {
  if (phase == "Running") return Phase::kRunning;
  if (phase == "Pending") return Phase::kPending;
  if (phase == "Succeeded") return Phase::kSucceeded;
  if (phase == "Failed") return Phase::kFailed;
  return Phase::kUnknown;
}

Health HealthOf(const PodRow& row) {
  static constexpr std::string_view kFailures[] = {"Err",       "BackOff",   "Fail",     "Invalid",
                                                   "OOMKilled", "Evicted",   "Unknown",  "NodeLost",
                                                   "Signal:",   "ExitCode:", "CannotRun"};
  if (row.status == "Completed" || row.phase == Phase::kSucceeded) return Health::kDone;
  const bool fails = std::any_of(std::begin(kFailures), std::end(kFailures), [&](std::string_view failure) {
    return row.status.find(failure) != std::string::npos;
  });
  if (fails || row.phase == Phase::kFailed) return Health::kFailing;
  return row.status == "Running" && row.ready ? Health::kGood : Health::kChanging;
}

}  // namespace

PodRow RowOf(const Pod& pod) {
  Printer printer(pod);
  PodRow& row = printer.row();
  row.namespace_name = Printable(pod.Namespace());
  row.name = Printable(pod.Name());
  row.phase = PhaseOf(pod.Phase());
  row.status = Printable(row.status);
  row.health = HealthOf(row);
  row.created = pod.CreationTimestamp();
  row.node = Printable(pod.NodeName());
  row.ip = Printable(pod.PodIP());
  for (const Container& container : pod.Containers()) row.images += (row.images.empty() ? "" : ",") + container.Image();
  row.images = Printable(row.images);
  const std::string_view version = pod.ResourceVersion();
  std::from_chars(version.data(), version.data() + version.size(), row.version);
  return std::move(row);
}
