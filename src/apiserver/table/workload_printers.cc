#include <string>

#include "src/apiserver/table/cell_printers.h"
#include "src/apiserver/table/cell_text.h"
#include "src/apiserver/table/human_duration.h"
#include "src/base/text.h"

namespace kinformer::apiserver {
namespace {

void PrintReadyReplicas(Row& row, const Value& /*value*/, Cells& cells) {
  cells.Text(std::to_string(row.object().At("/status/readyReplicas").IntOr(0)) + "/" +
             std::to_string(row.object().At("/spec/replicas").IntOr(1)));
}

/// Unlike other kinds, a deployment shows an empty selector as empty.
void PrintDeploymentSelector(Row& /*row*/, const Value& value, Cells& cells) {
  const std::string selector = SelectorText(value);
  cells.Text(selector == "<error>" ? "<invalid>" : selector);
}

std::string JobStatus(const Object& job) {
  const Value conditions = job.At("/status/conditions");
  for (const char* over : {"Complete", "Failed"}) {
    if (IsTrue(ConditionOf(conditions, over))) return over;
  }
  if (job.DeletionTimestamp()) return "Terminating";
  for (const char* state : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (IsTrue(ConditionOf(conditions, state))) return state;
  }
  return "Running";
}

std::string JobCompletions(const Object& job) {
  const std::string succeeded = std::to_string(job.At("/status/succeeded").IntOr(0));
  if (const auto wanted = job.At("/spec/completions").AsInt()) return succeeded + "/" + std::to_string(*wanted);
  const std::int64_t parallelism = job.At("/spec/parallelism").IntOr(0);
  return parallelism > 1 ? succeeded + "/1 of " + std::to_string(parallelism) : succeeded + "/1";
}

std::string JobDuration(const Object& job, Timestamp now) {
  const auto time = [&](const char* pointer) {
    const std::optional<std::string> text = job.At(pointer).AsString();
    return text ? ParseTimestamp(*text) : std::nullopt;
  };
  const std::optional<Timestamp> start = time("/status/startTime");
  return start ? HumanDuration(time("/status/completionTime").value_or(now) - *start) : "";
}

void PrintJobStatus(Row& row, const Value& /*value*/, Cells& cells) { cells.Text(JobStatus(row.object())); }

void PrintJobCompletions(Row& row, const Value& /*value*/, Cells& cells) { cells.Text(JobCompletions(row.object())); }

void PrintJobDuration(Row& row, const Value& /*value*/, Cells& cells) {
  cells.Text(JobDuration(row.object(), row.now()));
}

void PrintController(Row& row, const Value& /*value*/, Cells& cells) {
  for (const OwnerReference& owner : row.object().OwnerReferences()) {
    if (!owner.controller) continue;
    const std::size_t slash = owner.api_version.find('/');
    const std::string group(slash == std::string_view::npos ? std::string_view() : owner.api_version.substr(0, slash));
    cells.Text(internal::Lower(std::string(owner.kind) + (group.empty() ? "" : "." + group)) + "/" +
               std::string(owner.name));
    return;
  }
  cells.Text("<none>");
}

/// Current and target value of one HorizontalPodAutoscaler metric. `status`: absent if unknown.
std::string MetricText(const Value& metric, const Value& status) {
  const std::string type = metric.At("/type").StringOr("");
  const std::string field = type.empty() ? "" : "/" + internal::Lower(type.substr(0, 1)) + type.substr(1);
  const bool of_resource = type == "Resource" || type == "ContainerResource";
  if (!of_resource && type != "Pods" && type != "Object" && type != "External") return "<unknown type>";
  const Value target = metric.At(field + "/target");
  const Value current = status.At(field + "/current");
  const auto known = [](const std::string& text) { return text.empty() ? "<unknown>" : text; };
  const std::string average = TextOf(target.At("/averageValue"));
  if (of_resource) {
    const std::string name = metric.At(field + "/name").StringOr("") + ": ";
    if (!average.empty()) return name + known(TextOf(current.At("/averageValue"))) + "/" + average;
    const auto percent = [](const Value& value, const char* otherwise) {
      const auto number = value.AsInt();
      return number ? std::to_string(*number) + "%" : std::string(otherwise);
    };
    return name + percent(current.At("/averageUtilization"), "<unknown>") + "/" +
           percent(target.At("/averageUtilization"), "<auto>");
  }
  if (type == "Pods") return known(TextOf(current.At("/averageValue"))) + "/" + QuantityOf(target.At("/averageValue"));
  if (!average.empty()) return known(TextOf(current.At("/averageValue"))) + "/" + average + " (avg)";
  return known(TextOf(current.At("/value"))) + "/" + QuantityOf(target.At("/value"));
}

std::string TargetsText(const Object& autoscaler) {
  constexpr std::size_t kMost = 2;
  const std::vector<Value> metrics = autoscaler.At("/spec/metrics").Elements();
  if (metrics.empty()) {
    // autoscaling/v1 has a single metric, in fields of its own.
    const auto wanted = autoscaler.At("/spec/targetCPUUtilizationPercentage").AsInt();
    if (!wanted) return "<none>";
    const auto current = autoscaler.At("/status/currentCPUUtilizationPercentage").AsInt();
    return "cpu: " + (current ? std::to_string(*current) + "%" : "<unknown>") + "/" + std::to_string(*wanted) + "%";
  }
  const std::vector<Value> statuses = autoscaler.At("/status/currentMetrics").Elements();
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < metrics.size() && i < kMost; ++i) {
    parts.push_back(MetricText(metrics[i], i < statuses.size() ? statuses[i] : Value()));
  }
  std::string text = internal::Joined(parts, ", ");
  if (metrics.size() > kMost) text += " + " + std::to_string(metrics.size() - kMost) + " more...";
  return text;
}

void PrintTargets(Row& row, const Value& /*value*/, Cells& cells) { cells.Text(TargetsText(row.object())); }

constexpr CellPrinter kWorkloadCellPrinters[] = {
    {"readyReplicas", PrintReadyReplicas}, {"deploymentSelector", PrintDeploymentSelector},
    {"jobStatus", PrintJobStatus},         {"jobCompletions", PrintJobCompletions},
    {"jobDuration", PrintJobDuration},     {"controller", PrintController},
    {"autoscalerTargets", PrintTargets},
};

}  // namespace

std::span<const CellPrinter> WorkloadPrinters() { return kWorkloadCellPrinters; }

}  // namespace kinformer::apiserver
