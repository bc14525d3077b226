#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_METRICS_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_METRICS_H_

// In:     requests that have been answered
// Out:    their numbers, as Prometheus reads them
// Thread: any
// Next:   /metrics

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include <kinformer/base/mutex.h>

#include "src/apiserver/access/request_info.h"

namespace kinformer::apiserver {

/// One sample: `name{label="value",...} number`, with its TYPE before it where `type` is given.
void AppendMetric(std::string& out, std::string_view name, std::string_view type, std::string_view labels,
                  std::uint64_t value);
/// `key="value"`, escaped.
std::string MetricLabel(std::string_view key, std::string_view value);

/// @par Thread Safety
/// All functions may be called from any thread.
class RequestMetrics {
 public:
  /// `known`: whether the resource is one that is served; others are counted together.
  void Count(const RequestInfo& request, bool known, int code);
  void AppendTo(std::string& out) const;

 private:
  mutable Mutex mutex_;
  std::map<std::tuple<std::string, std::string, int>, std::uint64_t> counts_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_METRICS_H_
