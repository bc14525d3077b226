#include <set>
#include <string>

#include "src/apiserver/table/cell_text.h"
#include "src/apiserver/table/kind_printers.h"

namespace kinformer::apiserver {
namespace {

constexpr Column kStatus{.name = "Status", .description = "Its phase"};
constexpr Column kVolumeMode{.name = "VolumeMode", .priority = 1, .description = "Filesystem or Block"};
constexpr Column kCapacity{.name = "Capacity", .description = "Size of the volume"};
constexpr Column kAccessModes{.name = "Access Modes", .description = "How it may be mounted"};
constexpr Column kStorageClassName{.name = "StorageClass", .description = "Class of storage that it is of"};
constexpr Column kAttributesClass{.name = "VolumeAttributesClass", .description = "Class of its attributes"};

constexpr Column kNodeColumns[] = {
    kNameColumn,
    {.name = "Status", .description = "Whether the node is ready"},
    {.name = "Roles", .description = "Roles, from its labels"},
    kAgeColumn,
    {.name = "Version", .description = "Version of its kubelet"},
    {.name = "Internal-IP", .priority = 1, .description = "Address within the cluster"},
    {.name = "External-IP", .priority = 1, .description = "Address for others"},
    {.name = "OS-Image", .priority = 1, .description = "Operating system"},
    {.name = "Kernel-Version", .priority = 1, .description = "Kernel and architecture"},
    {.name = "Container-Runtime", .priority = 1, .description = "What runs its containers"},
};
constexpr Column kNamespaceColumns[] = {kNameColumn, kStatus, kAgeColumn};
constexpr Column kConfigMapColumns[] = {kNameColumn, {.name = "Data", .description = "Number of entries"}, kAgeColumn};
constexpr Column kSecretColumns[] = {
    kNameColumn,
    {.name = "Type", .description = "What the secret is for"},
    {.name = "Data", .description = "Number of entries"},
    kAgeColumn,
};
constexpr Column kServiceAccountColumns[] = {kNameColumn, kAgeColumn};
constexpr Column kEventColumns[] = {
    {.name = "Last Seen", .description = "Time since it happened last"},
    {.name = "Type", .description = "Normal or Warning"},
    {.name = "Reason", .description = "Why, in a word"},
    {.name = "Object", .description = "What it happened to"},
    {.name = "Subobject", .priority = 1, .description = "Part of the object"},
    {.name = "Source", .priority = 1, .description = "Who reports it"},
    {.name = "Message", .description = "What happened"},
    {.name = "First Seen", .priority = 1, .description = "Time since it happened first"},
    {.name = "Count", .priority = 1, .description = "How often it happened"},
    {.name = "Name", .format = "name", .priority = 1, .description = "Name of the event"},
};
constexpr Column kClaimColumns[] = {
    kNameColumn,      kStatus,      {.name = "Volume", .description = "Volume that it is bound to"},
    kCapacity,        kAccessModes, kStorageClassName,
    kAttributesClass, kAgeColumn,   kVolumeMode,
};
constexpr Column kVolumeColumns[] = {
    kNameColumn,
    kCapacity,
    kAccessModes,
    {.name = "Reclaim Policy", .description = "What becomes of it when its claim is gone"},
    kStatus,
    {.name = "Claim", .description = "Claim that it is bound to"},
    kStorageClassName,
    kAttributesClass,
    {.name = "Reason", .description = "Why it is in that phase"},
    kAgeColumn,
    kVolumeMode,
};
constexpr Column kQuotaColumns[] = {
    kNameColumn,
    {.name = "Request", .description = "Requests: used, of what may be"},
    {.name = "Limit", .description = "Limits: used, of what may be"},
    kAgeColumn,
};
constexpr Column kPodTemplateColumns[] = {
    kNameColumn,
    {.name = "Containers", .description = "Names of the containers in the template"},
    {.name = "Images", .description = "Images of the containers in the template"},
    {.name = "Pod Labels", .description = "Labels of the template"},
};

std::string NodeStatus(const Object& node) {
  const Value ready = ConditionOf(node.At("/status/conditions"), "Ready");
  std::string status = !ready.Exists() ? "Unknown" : IsTrue(ready) ? "Ready" : "NotReady";
  if (node.At("/spec/unschedulable").BoolOr(false)) status += ",SchedulingDisabled";
  return status;
}

std::string NodeRoles(const Object& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string> roles;
  for (const auto& [key, value] : node.Labels()) {
    if (key.starts_with(kPrefix) && key.size() > kPrefix.size()) roles.emplace(key.substr(kPrefix.size()));
    if (key == "kubernetes.io/role" && !value.empty()) roles.emplace(value);
  }
  return roles.empty() ? "<none>" : Joined({roles.begin(), roles.end()}, ",");
}

std::string NodeAddress(const Object& node, std::string_view type) {
  return ConditionOf(node.At("/status/addresses"), type).At("/address").StringOr("<none>");
}

void PrintNode(const Object& node, Timestamp now, Cells& cells) {
  const Value info = node.At("/status/nodeInfo");
  cells.Text(node.Name());
  cells.Text(NodeStatus(node));
  cells.Text(NodeRoles(node));
  cells.Text(Age(node, now));
  cells.Text(info.At("/kubeletVersion").StringOr(""));
  cells.Text(NodeAddress(node, "InternalIP"));
  cells.Text(NodeAddress(node, "ExternalIP"));
  cells.TextOr(info.At("/osImage").StringOr(""), "<unknown>");
  std::string kernel = info.At("/kernelVersion").StringOr("");
  if (kernel.empty()) kernel = "<unknown>";
  if (const std::string machine = info.At("/architecture").StringOr(""); !machine.empty())
    kernel += " (" + machine + ")";
  cells.Text(kernel);
  cells.TextOr(info.At("/containerRuntimeVersion").StringOr(""), "<unknown>");
}

void PrintNamespace(const Object& object, Timestamp now, Cells& cells) {
  cells.Text(object.Name());
  cells.Text(object.At("/status/phase").StringOr(""));
  cells.Text(Age(object, now));
}

void PrintConfigMap(const Object& object, Timestamp now, Cells& cells) {
  cells.Text(object.Name());
  cells.Int(static_cast<std::int64_t>(object.At("/data").Size() + object.At("/binaryData").Size()));
  cells.Text(Age(object, now));
}

void PrintSecret(const Object& object, Timestamp now, Cells& cells) {
  cells.Text(object.Name());
  cells.Text(object.At("/type").StringOr(""));
  cells.Int(static_cast<std::int64_t>(object.At("/data").Size()));
  cells.Text(Age(object, now));
}

void PrintServiceAccount(const Object& object, Timestamp now, Cells& cells) {
  cells.Text(object.Name());
  cells.Text(Age(object, now));
}

std::string Trimmed(std::string text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// The two groups of events give the same things different names.
void PrintEvent(const Object& event, Timestamp now, Cells& cells) {
  const bool old = event.ApiVersion() == "v1";
  const auto at = [&](const char* core, const char* other) { return event.At(old ? core : other); };
  const auto text = [&](const char* core, const char* other) { return at(core, other).StringOr(""); };
  const auto age = [&](const Value& time) { return AgeOf(time, now); };

  const Value first = at("/firstTimestamp", "/deprecatedFirstTimestamp");
  const std::string first_seen = first.AsString() ? age(first) : age(event.At("/eventTime"));
  const Value last = at("/lastTimestamp", "/deprecatedLastTimestamp");
  std::string last_seen = last.AsString() ? age(last) : first_seen;
  std::int64_t count = at("/count", "/deprecatedCount").IntOr(0);
  if (const Value series = event.At("/series"); series.Exists() && !series.IsNull()) {
    last_seen = age(series.At("/lastObservedTime"));
    count = series.At("/count").IntOr(0);
  } else if (count == 0) {
    count = 1;
  }
  const Value object = at("/involvedObject", "/regarding");
  const std::string name = object.At("/name").StringOr("");
  const std::string kind = Lower(object.At("/kind").StringOr(""));
  std::string source = text("/source/component", "/deprecatedSource/component");
  if (source.empty()) source = text("/reportingComponent", "/reportingController");
  std::string host = text("/source/host", "/deprecatedSource/host");
  if (host.empty()) host = event.At("/reportingInstance").StringOr("");

  cells.Text(last_seen);
  cells.Text(event.At("/type").StringOr(""));
  cells.Text(event.At("/reason").StringOr(""));
  cells.Text(name.empty() ? kind : kind + "/" + name);
  cells.Text(object.At("/fieldPath").StringOr(""));
  cells.Text(host.empty() ? source : source + ", " + host);
  cells.Text(Trimmed(text("/message", "/note")));
  cells.Text(first_seen);
  cells.Int(count);
  cells.Text(event.Name());
}

std::string AccessModesText(const Value& modes) {
  const std::vector<std::string> given = Strings(modes);
  std::vector<std::string> parts;
  for (const auto& [mode, text] : {std::pair("ReadWriteOnce", "RWO"), std::pair("ReadOnlyMany", "ROX"),
                                   std::pair("ReadWriteMany", "RWX"), std::pair("ReadWriteOncePod", "RWOP")}) {
    for (const std::string& one : given) {
      if (one != mode) continue;
      parts.emplace_back(text);
      break;
    }
  }
  return Joined(parts, ",");
}

std::string StorageClassOf(const Object& object) {
  const auto old = object.Annotations().Find("volume.beta.kubernetes.io/storage-class");
  return old ? std::string(*old) : object.At("/spec/storageClassName").StringOr("");
}

std::string PhaseOf(const Object& object) {
  return object.DeletionTimestamp() ? "Terminating" : object.At("/status/phase").StringOr("");
}

void PrintClaim(const Object& claim, Timestamp now, Cells& cells) {
  const std::string volume = claim.At("/spec/volumeName").StringOr("");
  cells.Text(claim.Name());
  cells.Text(PhaseOf(claim));
  cells.Text(volume);
  cells.Text(volume.empty() ? "" : QuantityOf(claim.At("/status/capacity/storage")));
  cells.Text(volume.empty() ? "" : AccessModesText(claim.At("/status/accessModes")));
  cells.Text(StorageClassOf(claim));
  cells.Text(claim.At("/spec/volumeAttributesClassName").StringOr("<unset>"));
  cells.Text(Age(claim, now));
  cells.Text(claim.At("/spec/volumeMode").StringOr("<unset>"));
}

void PrintVolume(const Object& volume, Timestamp now, Cells& cells) {
  const Value claim = volume.At("/spec/claimRef");
  const bool claimed = claim.Exists() && !claim.IsNull();
  cells.Text(volume.Name());
  cells.Text(QuantityOf(volume.At("/spec/capacity/storage")));
  cells.Text(AccessModesText(volume.At("/spec/accessModes")));
  cells.Text(volume.At("/spec/persistentVolumeReclaimPolicy").StringOr(""));
  cells.Text(PhaseOf(volume));
  cells.Text(claimed ? claim.At("/namespace").StringOr("") + "/" + claim.At("/name").StringOr("") : "");
  cells.Text(StorageClassOf(volume));
  cells.Text(volume.At("/spec/volumeAttributesClassName").StringOr("<unset>"));
  cells.Text(volume.At("/status/reason").StringOr(""));
  cells.Text(Age(volume, now));
  cells.Text(volume.At("/spec/volumeMode").StringOr("<unset>"));
}

void PrintQuota(const Object& quota, Timestamp now, Cells& cells) {
  // By member, not by pointer: names of resources may have a slash.
  std::set<std::string> names;
  for (const auto& [name, value] : quota.At("/status/hard").Members()) names.insert(name);
  const auto quantity = [&](const char* map, const std::string& wanted) -> std::string {
    for (const auto& [name, value] : quota.At(map).Members()) {
      if (name == wanted) return QuantityOf(value);
    }
    return "0";
  };
  std::vector<std::string> requests;
  std::vector<std::string> limits;
  for (const std::string& name : names) {
    const std::string part = name + ": " + quantity("/status/used", name) + "/" + quantity("/status/hard", name);
    (name.starts_with("limits.") ? limits : requests).push_back(part);
  }
  cells.Text(quota.Name());
  cells.Text(Joined(requests, ", "));
  cells.Text(Joined(limits, ", "));
  cells.Text(Age(quota, now));
}

void PrintPodTemplate(const Object& object, Timestamp /*now*/, Cells& cells) {
  const Value containers = object.At("/template/spec/containers");
  cells.Text(object.Name());
  cells.Text(FieldOfEach(containers, "/name"));
  cells.Text(FieldOfEach(containers, "/image"));
  cells.Text(LabelsText(object.At("/template/metadata/labels")));
}

constexpr KindPrinter kPrinters[] = {
    {"", "Node", kNodeColumns, PrintNode},
    {"", "Namespace", kNamespaceColumns, PrintNamespace},
    {"", "ConfigMap", kConfigMapColumns, PrintConfigMap},
    {"", "Secret", kSecretColumns, PrintSecret},
    {"", "ServiceAccount", kServiceAccountColumns, PrintServiceAccount},
    {"", "Event", kEventColumns, PrintEvent},
    {"events.k8s.io", "Event", kEventColumns, PrintEvent},
    {"", "PersistentVolumeClaim", kClaimColumns, PrintClaim},
    {"", "PersistentVolume", kVolumeColumns, PrintVolume},
    {"", "ResourceQuota", kQuotaColumns, PrintQuota},
    {"", "PodTemplate", kPodTemplateColumns, PrintPodTemplate},
};

}  // namespace

std::span<const KindPrinter> CorePrinters() { return kPrinters; }

}  // namespace kinformer::apiserver
