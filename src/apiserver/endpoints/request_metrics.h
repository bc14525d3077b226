#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_METRICS_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_METRICS_H_

// In:     completed requests
// Out:    their counts, in Prometheus text format
// Thread: any
// Next:   /metrics

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "src/apiserver/access/request_info.h"
#include "src/base/mutex.h"

namespace kinformer::apiserver {

/// One sample: `name{label="value",...} number`, preceded by a TYPE line if `type` is not empty.
void AppendMetric(std::string& out, std::string_view name, std::string_view type, std::string_view labels,
                  std::uint64_t value);
/// `key="value"`, escaped.
std::string MetricLabel(std::string_view key, std::string_view value);

/// @par Thread Safety
/// All functions may be called from any thread.
class RequestMetrics {
 public:
  /// `known`: the resource is served. Others share one counter per status code.
  void Count(const RequestInfo& request, bool known, int code);
  void AppendTo(std::string& out) const;

 private:
  mutable Mutex mutex_;
  std::map<std::tuple<std::string, std::string, int>, std::uint64_t> counts_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_METRICS_H_
