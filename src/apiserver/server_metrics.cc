#include "src/apiserver/server_metrics.h"

#include <cstdint>
#include <string_view>
#include <utility>

#include "src/apiserver/endpoints/request_metrics.h"

namespace kinformer::apiserver {

void AppendStorageMetrics(const MemoryBackend* memory, std::string& out) {
  if (memory == nullptr) return;
  const MemoryBackendStats stats = memory->Stats();
  AppendMetric(out, "apiserver_storage_keys", "gauge", {}, stats.keys);
  AppendMetric(out, "apiserver_storage_history_bytes", "gauge", {}, stats.history_bytes);
  AppendMetric(out, "apiserver_storage_writes_total", "counter", {}, stats.writes);
  AppendMetric(out, "apiserver_storage_ranges_total", "counter", {}, stats.ranges);
}

void AppendHttpMetrics(const HttpServer& http, std::string& out) {
  AppendMetric(out, "apiserver_http_connections", "gauge", {}, http.ConnectionCount());
}

void AppendAuditMetrics(const AuditLog* audit, std::string& out) {
  if (audit == nullptr) return;
  const AuditLogStats stats = audit->Stats();
  AppendMetric(out, "apiserver_audit_event_total", "counter", {}, stats.events);
  AppendMetric(out, "apiserver_audit_error_total", "counter", {}, stats.errors);
}

void AppendCacheMetrics(const std::vector<std::shared_ptr<Cacher>>& cachers, std::string& out) {
  std::vector<std::pair<std::string, CacherStatus>> caches;
  for (const auto& cacher : cachers) {
    caches.emplace_back(MetricLabel("resource", ToString(cacher->options().resource)), cacher->Status());
  }
  const auto all = [&](std::string_view name, std::string_view type, auto value) {
    for (const auto& [label, status] : caches) {
      AppendMetric(out, name, std::exchange(type, std::string_view()), label,
                   static_cast<std::uint64_t>(value(status)));
    }
  };
  all("apiserver_watch_cache_objects", "gauge", [](const CacherStatus& s) { return s.cache.objects; });
  all("apiserver_watch_cache_capacity", "gauge", [](const CacherStatus& s) { return s.cache.capacity; });
  all("apiserver_watch_cache_watchers", "gauge", [](const CacherStatus& s) { return s.dispatcher.watchers; });
  all("apiserver_watch_cache_incoming_high_water_mark", "gauge",
      [](const CacherStatus& s) { return s.dispatcher.incoming_high_water_mark; });
  all("apiserver_watch_cache_events_dispatched_total", "counter",
      [](const CacherStatus& s) { return s.dispatcher.events; });
  all("apiserver_watch_cache_deliveries_total", "counter",
      [](const CacherStatus& s) { return s.dispatcher.deliveries; });
  all("apiserver_terminated_watchers_total", "counter", [](const CacherStatus& s) { return s.dispatcher.terminated; });
  all("apiserver_watch_cache_initializations_total", "counter", [](const CacherStatus& s) { return s.fills; });
  all("apiserver_watch_cache_reads_total", "counter", [](const CacherStatus& s) { return s.reads_from_cache; });
  all("apiserver_storage_reads_total", "counter", [](const CacherStatus& s) { return s.reads_from_storage; });
}

}  // namespace kinformer::apiserver
