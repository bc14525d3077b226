#ifndef KINFORMER_SRC_APISERVER_SERVER_METRICS_H_
#define KINFORMER_SRC_APISERVER_SERVER_METRICS_H_

// In:     the parts of a running server
// Out:    their counters, in Prometheus text format
// Thread: any
// Next:   /metrics

#include <memory>
#include <string>
#include <vector>

#include "src/apiserver/audit/audit_log.h"
#include "src/http/http_server.h"
#include "src/listwatch/cacher/cacher.h"
#include "src/listwatch/storage/memory_backend.h"

namespace kinformer::apiserver {

/// Null: there is no such part.
void AppendStorageMetrics(const MemoryBackend* memory, std::string& out);
void AppendHttpMetrics(const HttpServer& http, std::string& out);
void AppendAuditMetrics(const AuditLog* audit, std::string& out);
/// One sample per cache and metric.
void AppendCacheMetrics(const std::vector<std::shared_ptr<Cacher>>& cachers, std::string& out);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_SERVER_METRICS_H_
