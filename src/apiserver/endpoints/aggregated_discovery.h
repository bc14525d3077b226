#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_AGGREGATED_DISCOVERY_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_AGGREGATED_DISCOVERY_H_

// In:     the served kinds
// Out:    all of discovery in two responses, for /api and /apis
// Thread: any; pure
// Next:   ApiHandler

#include <string>
#include <string_view>
#include <vector>

#include "src/apiserver/registry/served_kind.h"
#include "src/http/http_request.h"

namespace kinformer::apiserver {

struct AggregatedDiscovery {
  std::string text{};
  /// Quoted. Changes whenever the text changes.
  std::string etag{};
};

inline constexpr std::string_view kAggregatedDiscoveryType =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// `core`: only the core group, for /api; otherwise all other groups, for /apis.
AggregatedDiscovery AggregatedDiscoveryOf(const std::vector<ServedKind>& kinds, bool core);

/// The request's If-None-Match is `etag` or "*".
bool HasAlready(const HttpRequest& request, std::string_view etag);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_AGGREGATED_DISCOVERY_H_
