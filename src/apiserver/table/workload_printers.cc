#include <string>

#include "src/apiserver/table/cell_text.h"
#include "src/apiserver/table/human_duration.h"
#include "src/apiserver/table/kind_printers.h"

namespace kinformer::apiserver {
namespace {

constexpr Column kDesired{.name = "Desired", .type = "integer", .description = "Pods that there shall be"};
constexpr Column kCurrent{.name = "Current", .type = "integer", .description = "Pods that there are"};
constexpr Column kReadyCount{.name = "Ready", .type = "integer", .description = "Pods that are ready"};
constexpr Column kReadyOf{.name = "Ready", .description = "Pods that are ready, of those that there shall be"};

constexpr Column kDeploymentColumns[] = {
    kNameColumn,
    kReadyOf,
    {.name = "Up-to-date", .description = "Pods of the present template"},
    {.name = "Available", .description = "Pods that have been ready for long enough"},
    kAgeColumn,
    kContainersColumn,
    kImagesColumn,
    kSelectorColumn,
};
constexpr Column kReplicaSetColumns[] = {
    kNameColumn, kDesired, kCurrent, kReadyCount, kAgeColumn, kContainersColumn, kImagesColumn, kSelectorColumn,
};
constexpr Column kStatefulSetColumns[] = {kNameColumn, kReadyOf, kAgeColumn, kContainersColumn, kImagesColumn};
constexpr Column kDaemonSetColumns[] = {
    kNameColumn,
    {.name = "Desired", .type = "integer", .description = "Nodes that shall run the pod"},
    {.name = "Current", .type = "integer", .description = "Nodes that shall run it and do"},
    {.name = "Ready", .type = "integer", .description = "Nodes on which it is ready"},
    {.name = "Up-to-date", .type = "integer", .description = "Nodes that run the present template"},
    {.name = "Available", .type = "integer", .description = "Nodes on which it has been ready for long enough"},
    {.name = "Node Selector", .description = "Labels of the nodes that it is meant for"},
    kAgeColumn,
    kContainersColumn,
    kImagesColumn,
    kSelectorColumn,
};
constexpr Column kJobColumns[] = {
    kNameColumn,
    {.name = "Status", .description = "How far the job is"},
    {.name = "Completions", .description = "Pods that have succeeded, of those that must"},
    {.name = "Duration", .description = "Time from its start to its end, or until now"},
    kAgeColumn,
    kContainersColumn,
    kImagesColumn,
    kSelectorColumn,
};
constexpr Column kCronJobColumns[] = {
    kNameColumn,
    {.name = "Schedule", .description = "When it runs, as in a crontab"},
    {.name = "Timezone", .description = "In which time zone that is meant"},
    {.name = "Suspend", .type = "boolean", .description = "Whether no further runs are started"},
    {.name = "Active", .type = "integer", .description = "Jobs of it that run"},
    {.name = "Last Schedule", .description = "Time since it was last started"},
    kAgeColumn,
    kContainersColumn,
    kImagesColumn,
    kSelectorColumn,
};
constexpr Column kControllerRevisionColumns[] = {
    kNameColumn,
    {.name = "Controller", .description = "Object that the revision is of"},
    {.name = "Revision", .description = "Its number"},
    kAgeColumn,
};
constexpr Column kAutoscalerColumns[] = {
    kNameColumn,
    {.name = "Reference", .description = "Object that is scaled"},
    {.name = "Targets", .description = "Metrics as they are, and as they shall be"},
    {.name = "MinPods", .description = "Fewest pods"},
    {.name = "MaxPods", .description = "Most pods"},
    {.name = "Replicas", .description = "Pods that there are"},
    kAgeColumn,
};
constexpr Column kScaleColumns[] = {
    {.name = "Name", .description = "Name of the object"},
    kDesired,
    {.name = "Available", .type = "integer", .description = "Pods that there are"},
    kAgeColumn,
};

void PrintTemplate(const Value& pod_template, Cells& cells) {
  const Value containers = pod_template.At("/spec/containers");
  cells.Text(FieldOfEach(containers, "/name"));
  cells.Text(FieldOfEach(containers, "/image"));
}

std::string SelectorOrNone(const Value& selector) {
  std::string text = SelectorText(selector);
  return text.empty() ? "<none>" : text;
}

std::string ReadyOf(const Object& object) {
  return std::to_string(object.At("/status/readyReplicas").IntOr(0)) + "/" +
         std::to_string(object.At("/spec/replicas").IntOr(1));
}

void PrintDeployment(const Object& object, Timestamp now, Cells& cells) {
  cells.Text(object.Name());
  cells.Text(ReadyOf(object));
  cells.Int(object.At("/status/updatedReplicas").IntOr(0));
  cells.Int(object.At("/status/availableReplicas").IntOr(0));
  cells.Text(Age(object, now));
  PrintTemplate(object.At("/spec/template"), cells);
  const std::string selector = SelectorText(object.At("/spec/selector"));
  cells.Text(selector == "<error>" ? "<invalid>" : selector);
}

void PrintReplicas(const Object& object, Timestamp now, Cells& cells) {
  cells.Text(object.Name());
  cells.Int(object.At("/spec/replicas").IntOr(1));
  cells.Int(object.At("/status/replicas").IntOr(0));
  cells.Int(object.At("/status/readyReplicas").IntOr(0));
  cells.Text(Age(object, now));
  PrintTemplate(object.At("/spec/template"), cells);
}

void PrintReplicaSet(const Object& object, Timestamp now, Cells& cells) {
  PrintReplicas(object, now, cells);
  cells.Text(SelectorOrNone(object.At("/spec/selector")));
}

void PrintReplicationController(const Object& object, Timestamp now, Cells& cells) {
  PrintReplicas(object, now, cells);
  cells.Text(LabelsText(object.At("/spec/selector")));
}

void PrintStatefulSet(const Object& object, Timestamp now, Cells& cells) {
  cells.Text(object.Name());
  cells.Text(ReadyOf(object));
  cells.Text(Age(object, now));
  PrintTemplate(object.At("/spec/template"), cells);
}

void PrintDaemonSet(const Object& object, Timestamp now, Cells& cells) {
  const Value status = object.At("/status");
  cells.Text(object.Name());
  for (const char* count : {"/desiredNumberScheduled", "/currentNumberScheduled", "/numberReady",
                            "/updatedNumberScheduled", "/numberAvailable"}) {
    cells.Int(status.At(count).IntOr(0));
  }
  cells.Text(LabelsText(object.At("/spec/template/spec/nodeSelector")));
  cells.Text(Age(object, now));
  PrintTemplate(object.At("/spec/template"), cells);
  cells.Text(SelectorOrNone(object.At("/spec/selector")));
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

void PrintJob(const Object& job, Timestamp now, Cells& cells) {
  cells.Text(job.Name());
  cells.Text(JobStatus(job));
  cells.Text(JobCompletions(job));
  cells.Text(JobDuration(job, now));
  cells.Text(Age(job, now));
  PrintTemplate(job.At("/spec/template"), cells);
  cells.Text(SelectorOrNone(job.At("/spec/selector")));
}

void PrintCronJob(const Object& job, Timestamp now, Cells& cells) {
  cells.Text(job.Name());
  cells.Text(job.At("/spec/schedule").StringOr(""));
  cells.Text(job.At("/spec/timeZone").StringOr("<none>"));
  const std::optional<bool> suspend = job.At("/spec/suspend").AsBool();
  cells.Text(!suspend ? "<unset>" : *suspend ? "True" : "False");
  cells.Int(static_cast<std::int64_t>(job.At("/status/active").Size()));
  const Value last = job.At("/status/lastScheduleTime");
  cells.Text(last.AsString() ? AgeOf(last, now) : "<none>");
  cells.Text(Age(job, now));
  PrintTemplate(job.At("/spec/jobTemplate/spec/template"), cells);
  cells.Text(SelectorOrNone(job.At("/spec/jobTemplate/spec/selector")));
}

void PrintControllerRevision(const Object& revision, Timestamp now, Cells& cells) {
  cells.Text(revision.Name());
  std::string controller = "<none>";
  for (const OwnerReference& owner : revision.OwnerReferences()) {
    if (!owner.controller) continue;
    const std::size_t slash = owner.api_version.find('/');
    const std::string group(slash == std::string_view::npos ? std::string_view() : owner.api_version.substr(0, slash));
    controller = Lower(std::string(owner.kind) + (group.empty() ? "" : "." + group)) + "/" + std::string(owner.name);
    break;
  }
  cells.Text(controller);
  cells.Int(revision.At("/revision").IntOr(0));
  cells.Text(Age(revision, now));
}

/// One metric of a HorizontalPodAutoscaler, as it is and as it shall be. `status` is absent where nothing is known.
std::string MetricText(const Value& metric, const Value& status) {
  const std::string type = metric.At("/type").StringOr("");
  const std::string field = type.empty() ? "" : "/" + Lower(type.substr(0, 1)) + type.substr(1);
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
    // The first version knows one metric alone, in fields of its own.
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
  std::string text = Joined(parts, ", ");
  if (metrics.size() > kMost) text += " + " + std::to_string(metrics.size() - kMost) + " more...";
  return text;
}

void PrintAutoscaler(const Object& autoscaler, Timestamp now, Cells& cells) {
  const Value reference = autoscaler.At("/spec/scaleTargetRef");
  cells.Text(autoscaler.Name());
  cells.Text(reference.At("/kind").StringOr("") + "/" + reference.At("/name").StringOr(""));
  cells.Text(TargetsText(autoscaler));
  cells.Text(std::to_string(autoscaler.At("/spec/minReplicas").IntOr(1)));
  cells.Int(autoscaler.At("/spec/maxReplicas").IntOr(0));
  cells.Int(autoscaler.At("/status/currentReplicas").IntOr(0));
  cells.Text(Age(autoscaler, now));
}

void PrintScale(const Object& scale, Timestamp now, Cells& cells) {
  cells.Text(scale.Name());
  cells.Int(scale.At("/spec/replicas").IntOr(0));
  cells.Int(scale.At("/status/replicas").IntOr(0));
  cells.Text(Age(scale, now));
}

constexpr KindPrinter kPrinters[] = {
    {"apps", "Deployment", kDeploymentColumns, PrintDeployment},
    {"apps", "ReplicaSet", kReplicaSetColumns, PrintReplicaSet},
    {"apps", "StatefulSet", kStatefulSetColumns, PrintStatefulSet},
    {"apps", "DaemonSet", kDaemonSetColumns, PrintDaemonSet},
    {"apps", "ControllerRevision", kControllerRevisionColumns, PrintControllerRevision},
    {"", "ReplicationController", kReplicaSetColumns, PrintReplicationController},
    {"batch", "Job", kJobColumns, PrintJob},
    {"batch", "CronJob", kCronJobColumns, PrintCronJob},
    {"autoscaling", "HorizontalPodAutoscaler", kAutoscalerColumns, PrintAutoscaler},
    {"autoscaling", "Scale", kScaleColumns, PrintScale},
};

}  // namespace

std::span<const KindPrinter> WorkloadPrinters() { return kPrinters; }

}  // namespace kinformer::apiserver
