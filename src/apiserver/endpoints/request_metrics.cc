#include "src/apiserver/endpoints/request_metrics.h"

namespace kinformer::apiserver {

std::string MetricLabel(std::string_view key, std::string_view value) {
  std::string label(key);
  label += "=\"";
  for (const char c : value) {
    if (c == '\\' || c == '"') label += '\\';
    if (c == '\n') {
      label += "\\n";
    } else {
      label += c;
    }
  }
  label += '"';
  return label;
}

void AppendMetric(std::string& out, std::string_view name, std::string_view type, std::string_view labels,
                  std::uint64_t value) {
  if (!type.empty()) out.append("# TYPE ").append(name).append(" ").append(type).append("\n");
  out.append(name);
  if (!labels.empty()) out.append("{").append(labels).append("}");
  out.append(" ").append(std::to_string(value)).append("\n");
}

void RequestMetrics::Count(const RequestInfo& request, bool known, int code) {
  // Names invented by clients must not grow the map.
  const bool listed = request.is_resource_request && known;
  std::tuple<std::string, std::string, int> key{listed ? request.verb : "other", listed ? request.resource : "", code};
  const MutexLock lock(mutex_);
  ++counts_[std::move(key)];
}

void RequestMetrics::AppendTo(std::string& out) const {
  const MutexLock lock(mutex_);
  std::string_view type = "counter";
  for (const auto& [key, count] : counts_) {
    const auto& [verb, resource, code] = key;
    AppendMetric(out, "apiserver_request_total", type,
                 MetricLabel("verb", verb) + "," + MetricLabel("resource", resource) + "," +
                     MetricLabel("code", std::to_string(code)),
                 count);
    type = {};
  }
}

}  // namespace kinformer::apiserver
