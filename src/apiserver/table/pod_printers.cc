#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "src/apiserver/table/cell_printers.h"
#include "src/apiserver/table/cell_text.h"
#include "src/apiserver/table/human_duration.h"

namespace kinformer::apiserver {
namespace {

/// Computes STATUS, READY and RESTARTS from the containers.
class PodSummary {
 public:
  explicit PodSummary(const Object& pod)
      : spec_(pod.At("/spec")), status_(pod.At("/status")), phase_(status_.At("/phase").StringOr("")) {
    const std::string own_reason = status_.At("/reason").StringOr("");
    reason_ = own_reason.empty() ? phase_ : own_reason;
    for (const Value& condition : status_.At("/conditions").Elements()) {
      if (condition.At("/type").AsString() == "PodScheduled" &&
          condition.At("/reason").AsString() == "SchedulingGated") {
        reason_ = "SchedulingGated";
      }
    }
    total_ = spec_.At("/containers").Size();
    const bool initializing = ReadInitContainers();
    if (!initializing || IsTrue(ConditionOf(status_.At("/conditions"), "Initialized"))) ReadContainers();
    if (!pod.DeletionTimestamp()) return;
    if (own_reason == "NodeLost") {
      reason_ = "Unknown";
    } else if (phase_ != "Succeeded" && phase_ != "Failed") {
      reason_ = "Terminating";
    }
  }

  std::string Ready() const { return std::to_string(ready_) + "/" + std::to_string(total_); }
  const std::string& Reason() const { return reason_; }
  const std::string& Phase() const { return phase_; }
  std::string Restarts(Timestamp now) const {
    std::string text = std::to_string(restarts_);
    if (restarts_ != 0 && last_restart_) text += " (" + HumanDuration(now - *last_restart_) + " ago)";
    return text;
  }

 private:
  static std::optional<Timestamp> LastEnd(const Value& status) {
    const std::optional<std::string> text = status.At("/lastState/terminated/finishedAt").AsString();
    return text ? ParseTimestamp(*text) : std::nullopt;
  }

  static void Later(const std::optional<Timestamp>& other, std::optional<Timestamp>& time) {
    if (other && (!time || *time < *other)) time = other;
  }

  /// "Error", "Signal:9", "ExitCode:1".
  static std::string EndOf(const Value& terminated) {
    std::string reason = terminated.At("/reason").StringOr("");
    if (!reason.empty()) return reason;
    if (const auto signal = terminated.At("/signal").IntOr(0); signal != 0) return "Signal:" + std::to_string(signal);
    return "ExitCode:" + std::to_string(terminated.At("/exitCode").IntOr(0));
  }

  /// True: not all have finished. Sidecars (restartPolicy Always) count as containers.
  bool ReadInitContainers() {
    const std::vector<Value> containers = spec_.At("/initContainers").Elements();
    const auto goes_on = [&](const std::string& name) {
      return std::any_of(containers.begin(), containers.end(), [&](const Value& container) {
        return container.At("/name").AsString() == name && container.At("/restartPolicy").AsString() == "Always";
      });
    };
    for (const Value& container : containers) {
      if (container.At("/restartPolicy").AsString() == "Always") ++total_;
    }
    const std::vector<Value> statuses = status_.At("/initContainerStatuses").Elements();
    for (std::size_t i = 0; i < statuses.size(); ++i) {
      const Value& status = statuses[i];
      const bool sidecar = goes_on(status.At("/name").StringOr(""));
      restarts_ += status.At("/restartCount").IntOr(0);
      Later(LastEnd(status), last_restart_);
      if (sidecar) {
        sidecar_restarts_ += status.At("/restartCount").IntOr(0);
        Later(LastEnd(status), last_sidecar_restart_);
      }
      const Value terminated = status.At("/state/terminated");
      if (terminated.Exists() && terminated.At("/exitCode").IntOr(0) == 0) continue;
      if (sidecar && status.At("/started").BoolOr(false)) {
        if (status.At("/ready").BoolOr(false)) ++ready_;
        continue;
      }
      const std::string waits_for = status.At("/state/waiting/reason").StringOr("");
      if (terminated.Exists()) {
        reason_ = "Init:" + EndOf(terminated);
      } else if (!waits_for.empty() && waits_for != "PodInitializing") {
        reason_ = "Init:" + waits_for;
      } else {
        reason_ = "Init:" + std::to_string(i) + "/" + std::to_string(containers.size());
      }
      return true;
    }
    return false;
  }

  void ReadContainers() {
    restarts_ = sidecar_restarts_;
    last_restart_ = last_sidecar_restart_;
    bool runs = false;
    std::string failure;
    const std::vector<Value> statuses = status_.At("/containerStatuses").Elements();
    for (auto status = statuses.rbegin(); status != statuses.rend(); ++status) {
      restarts_ += status->At("/restartCount").IntOr(0);
      Later(LastEnd(*status), last_restart_);
      const std::string waits_for = status->At("/state/waiting/reason").StringOr("");
      const Value terminated = status->At("/state/terminated");
      if (!waits_for.empty()) {
        reason_ = waits_for;
      } else if (terminated.Exists()) {
        reason_ = EndOf(terminated);
        if (terminated.At("/exitCode").IntOr(0) != 0) failure = reason_;
      } else if (status->At("/ready").BoolOr(false) && status->At("/state/running").Exists()) {
        runs = true;
        ++ready_;
      }
    }
    // A completed container does not make the pod Completed while others run.
    if (reason_ != "Completed") return;
    if (runs && IsTrue(ConditionOf(status_.At("/conditions"), "Ready"))) {
      reason_ = "Running";
    } else if (!failure.empty()) {
      reason_ = failure;
    } else if (runs) {
      reason_ = "NotReady";
    }
  }

  const Value spec_;
  const Value status_;
  const std::string phase_;
  std::string reason_;
  std::size_t total_ = 0;
  std::size_t ready_ = 0;
  std::int64_t restarts_ = 0;
  std::int64_t sidecar_restarts_ = 0;
  std::optional<Timestamp> last_restart_{};
  std::optional<Timestamp> last_sidecar_restart_{};
};

/// Marks finished pods, so that clients can filter them.
std::string_view ConditionsOf(const std::string& phase) {
  if (phase == "Succeeded") {
    return R"([{"type":"Completed","status":"True","reason":"Succeeded",)"
           R"("message":"The pod has completed successfully."}])";
  }
  if (phase == "Failed") {
    return R"([{"type":"Completed","status":"True","reason":"Failed","message":"The pod failed."}])";
  }
  return {};
}

void PrintReady(Row& row, const Value& /*value*/, Cells& cells) { cells.Text(row.Summary<PodSummary>().Ready()); }

void PrintStatus(Row& row, const Value& /*value*/, Cells& cells) {
  const auto& summary = row.Summary<PodSummary>();
  cells.Text(summary.Reason());
  row.SetConditions(ConditionsOf(summary.Phase()));
}

void PrintRestarts(Row& row, const Value& /*value*/, Cells& cells) {
  cells.Text(row.Summary<PodSummary>().Restarts(row.now()));
}

void PrintIp(Row& row, const Value& /*value*/, Cells& cells) {
  std::string ip = row.object().At("/status/podIPs/0/ip").StringOr("");
  if (ip.empty()) ip = row.object().At("/status/podIP").StringOr("");
  cells.TextOr(ip, "<none>");
}

void PrintReadinessGates(Row& row, const Value& /*value*/, Cells& cells) {
  const Object& pod = row.object();
  const std::vector<Value> gates = pod.At("/spec/readinessGates").Elements();
  if (gates.empty()) return cells.Text("<none>");
  const Value conditions = pod.At("/status/conditions");
  const auto open = std::count_if(gates.begin(), gates.end(), [&](const Value& gate) {
    return IsTrue(ConditionOf(conditions, gate.At("/conditionType").StringOr("")));
  });
  cells.Text(std::to_string(open) + "/" + std::to_string(gates.size()));
}

constexpr CellPrinter kPodCellPrinters[] = {
    {"podReady", PrintReady},
    {"podStatus", PrintStatus},
    {"podRestarts", PrintRestarts},
    {"podIP", PrintIp},
    {"podReadinessGates", PrintReadinessGates},
};

}  // namespace

std::span<const CellPrinter> PodPrinters() { return kPodCellPrinters; }

}  // namespace kinformer::apiserver
