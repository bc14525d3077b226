#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/apiserver/table/cell_printers.h"
#include "src/apiserver/table/cell_text.h"
#include "src/base/text.h"

namespace kinformer::apiserver {
namespace {

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
  return roles.empty() ? "<none>" : internal::Joined({roles.begin(), roles.end()}, ",");
}

void PrintNodeStatus(Row& row, const Value& /*value*/, Cells& cells) { cells.Text(NodeStatus(row.object())); }

void PrintNodeRoles(Row& row, const Value& /*value*/, Cells& cells) { cells.Text(NodeRoles(row.object())); }

void PrintNodeKernel(Row& row, const Value& /*value*/, Cells& cells) {
  const Value info = row.object().At("/status/nodeInfo");
  std::string kernel = info.At("/kernelVersion").StringOr("");
  if (kernel.empty()) kernel = "<unknown>";
  if (const std::string machine = info.At("/architecture").StringOr(""); !machine.empty()) {
    kernel += " (" + machine + ")";
  }
  cells.Text(kernel);
}

void PrintConfigMapSize(Row& row, const Value& /*value*/, Cells& cells) {
  cells.Int(static_cast<std::int64_t>(row.object().At("/data").Size() + row.object().At("/binaryData").Size()));
}

/// An event of either group; the groups name the same fields differently.
class EventReader {
 public:
  explicit EventReader(const Object& event) : event_(event), old_(event.ApiVersion() == "v1") {}

  Value At(const char* core, const char* other) const { return event_.At(old_ ? core : other); }
  std::string Text(const char* core, const char* other) const { return At(core, other).StringOr(""); }

  std::string FirstSeen(Timestamp now) const {
    const Value first = At("/firstTimestamp", "/deprecatedFirstTimestamp");
    return AgeOf(first.AsString() ? first : event_.At("/eventTime"), now);
  }
  std::string LastSeen(Timestamp now) const {
    if (const Value series = Series(); series.Exists()) return AgeOf(series.At("/lastObservedTime"), now);
    const Value last = At("/lastTimestamp", "/deprecatedLastTimestamp");
    return last.AsString() ? AgeOf(last, now) : FirstSeen(now);
  }
  std::int64_t Count() const {
    if (const Value series = Series(); series.Exists()) return series.At("/count").IntOr(0);
    const std::int64_t count = At("/count", "/deprecatedCount").IntOr(0);
    return count == 0 ? 1 : count;
  }

 private:
  Value Series() const {
    const Value series = event_.At("/series");
    return series.IsNull() ? Value() : series;
  }

  const Object& event_;
  const bool old_;
};

void PrintEventLastSeen(Row& row, const Value& /*value*/, Cells& cells) {
  cells.Text(EventReader(row.object()).LastSeen(row.now()));
}

void PrintEventFirstSeen(Row& row, const Value& /*value*/, Cells& cells) {
  cells.Text(EventReader(row.object()).FirstSeen(row.now()));
}

void PrintEventCount(Row& row, const Value& /*value*/, Cells& cells) { cells.Int(EventReader(row.object()).Count()); }

void PrintEventObject(Row& row, const Value& /*value*/, Cells& cells) {
  const Value object = EventReader(row.object()).At("/involvedObject", "/regarding");
  const std::string name = object.At("/name").StringOr("");
  const std::string kind = internal::Lower(object.At("/kind").StringOr(""));
  cells.Text(name.empty() ? kind : kind + "/" + name);
}

void PrintEventSource(Row& row, const Value& /*value*/, Cells& cells) {
  const EventReader event(row.object());
  std::string source = event.Text("/source/component", "/deprecatedSource/component");
  if (source.empty()) source = event.Text("/reportingComponent", "/reportingController");
  std::string host = event.Text("/source/host", "/deprecatedSource/host");
  if (host.empty()) host = row.object().At("/reportingInstance").StringOr("");
  cells.Text(host.empty() ? source : source + ", " + host);
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
  return internal::Joined(parts, ",");
}

bool IsBound(const Object& claim) { return !claim.At("/spec/volumeName").StringOr("").empty(); }

void PrintPhase(Row& row, const Value& /*value*/, Cells& cells) {
  cells.Text(row.object().DeletionTimestamp() ? "Terminating" : row.object().At("/status/phase").StringOr(""));
}

void PrintStorageClassOf(Row& row, const Value& /*value*/, Cells& cells) {
  const auto old = row.object().Annotations().Find("volume.beta.kubernetes.io/storage-class");
  cells.Text(old ? std::string(*old) : row.object().At("/spec/storageClassName").StringOr(""));
}

void PrintClaimCapacity(Row& row, const Value& /*value*/, Cells& cells) {
  cells.Text(IsBound(row.object()) ? QuantityOf(row.object().At("/status/capacity/storage")) : "");
}

void PrintClaimAccessModes(Row& row, const Value& /*value*/, Cells& cells) {
  cells.Text(IsBound(row.object()) ? AccessModesText(row.object().At("/status/accessModes")) : "");
}

void PrintAccessModes(Row& /*row*/, const Value& value, Cells& cells) { cells.Text(AccessModesText(value)); }

void PrintClaimOf(Row& /*row*/, const Value& value, Cells& cells) {
  const bool claimed = value.Exists() && !value.IsNull();
  cells.Text(claimed ? value.At("/namespace").StringOr("") + "/" + value.At("/name").StringOr("") : "");
}

enum class QuotaPart { kRequests, kLimits };

std::string QuotaText(const Object& quota, QuotaPart part) {
  // By member, not by pointer: resource names may contain a slash.
  std::map<std::string, std::string> used;
  for (const auto& [name, value] : quota.At("/status/used").Members()) used[name] = QuantityOf(value);
  std::map<std::string, std::string> hard;
  for (const auto& [name, value] : quota.At("/status/hard").Members()) hard[name] = QuantityOf(value);
  std::vector<std::string> parts;
  for (const auto& [name, most] : hard) {
    if (name.starts_with("limits.") != (part == QuotaPart::kLimits)) continue;
    const auto found = used.find(name);
    parts.push_back(name + ": " + (found == used.end() ? "0" : found->second) + "/" + most);
  }
  return internal::Joined(parts, ", ");
}

void PrintQuotaRequests(Row& row, const Value& /*value*/, Cells& cells) {
  cells.Text(QuotaText(row.object(), QuotaPart::kRequests));
}

void PrintQuotaLimits(Row& row, const Value& /*value*/, Cells& cells) {
  cells.Text(QuotaText(row.object(), QuotaPart::kLimits));
}

constexpr CellPrinter kCoreCellPrinters[] = {
    {"nodeStatus", PrintNodeStatus},
    {"nodeRoles", PrintNodeRoles},
    {"nodeKernel", PrintNodeKernel},
    {"configMapSize", PrintConfigMapSize},
    {"eventLastSeen", PrintEventLastSeen},
    {"eventFirstSeen", PrintEventFirstSeen},
    {"eventCount", PrintEventCount},
    {"eventObject", PrintEventObject},
    {"eventSource", PrintEventSource},
    {"phase", PrintPhase},
    {"storageClassOf", PrintStorageClassOf},
    {"claimCapacity", PrintClaimCapacity},
    {"claimAccessModes", PrintClaimAccessModes},
    {"accessModes", PrintAccessModes},
    {"claimOf", PrintClaimOf},
    {"quotaRequests", PrintQuotaRequests},
    {"quotaLimits", PrintQuotaLimits},
};

}  // namespace

std::span<const CellPrinter> CorePrinters() { return kCoreCellPrinters; }

}  // namespace kinformer::apiserver
