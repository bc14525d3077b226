#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_AGGREGATED_DISCOVERY_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_AGGREGATED_DISCOVERY_H_

// In:     the kinds that are served
// Out:    all of discovery in two answers, of /api and of /apis
// Thread: any; pure
// Next:   ApiHandler

#include <string>
#include <string_view>
#include <vector>

#include "src/apiserver/http/http_request.h"
#include "src/apiserver/registry/served_kind.h"

namespace kinformer::apiserver {

struct AggregatedDiscovery {
  std::string text{};
  /// With its quotes; another one whenever the text is another one.
  std::string etag{};
};

inline constexpr std::string_view kAggregatedDiscoveryType =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// `core`: of the group without a name, for /api; else all others, for /apis.
AggregatedDiscovery AggregatedDiscoveryOf(const std::vector<ServedKind>& kinds, bool core);

/// The client has it already: If-None-Match names it, or anything.
bool HasAlready(const HttpRequest& request, std::string_view etag);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_AGGREGATED_DISCOVERY_H_
