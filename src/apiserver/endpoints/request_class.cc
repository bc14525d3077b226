#include "src/apiserver/endpoints/request_class.h"

#include <string>
#include <string_view>

namespace kinformer::apiserver {
namespace {

/// Health checks, metrics and the version: must respond even if the server is stuck.
bool IsHealth(const RequestInfo& info) {
  if (info.is_resource_request) return false;
  const std::string_view path = info.path;
  if (path == "/metrics" || path == "/version") return true;
  for (const std::string_view check : {"/healthz", "/livez", "/readyz"}) {
    if (path.starts_with(check) && (path.size() == check.size() || path[check.size()] == '/')) return true;
  }
  return false;
}

bool IsAnsweredFromMemory(const RequestInfo& info) {
  if (!info.is_resource_request) return true;
  const std::string* version = info.query.Find("resourceVersion");
  if (version == nullptr || version->empty()) return false;
  if (info.verb == "get" || info.verb == "watch") return true;
  const auto has = [&](std::string_view name) {
    const std::string* value = info.query.Find(name);
    return value != nullptr && !value->empty();
  };
  const std::string* match = info.query.Find("resourceVersionMatch");
  const bool exact = match != nullptr && *match == "Exact";
  return info.verb == "list" && !exact && !has("continue") && (*version == "0" || !has("limit"));
}

}  // namespace

RequestKind KindOf(const RequestInfo& info) {
  if (IsHealth(info)) return RequestKind::kHealth;
  if (info.is_resource_request && info.verb == "watch") return RequestKind::kLongRunning;
  return info.IsReadOnly() ? RequestKind::kReadOnly : RequestKind::kMutating;
}

RequestLane LaneOf(const RequestInfo& info) {
  return IsAnsweredFromMemory(info) ? RequestLane::kMemory : RequestLane::kStorage;
}

}  // namespace kinformer::apiserver
