#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_ROUTER_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_ROUTER_H_

// In:     a resource request
// Out:    the resource that serves it; or the 404 or 405
// Thread: any
// Next:   ObjectVerbs

#include <optional>

#include "src/apiserver/endpoints/api_call.h"
#include "src/apiserver/endpoints/reply.h"
#include "src/apiserver/endpoints/resource_table.h"

namespace kinformer::apiserver {

/// Sets `store` or `create_only`, and `routed` if the resource supports the verb in this place. Otherwise returns the
/// reply. Precondition: a resource request.
std::optional<Reply> Route(const ResourceTable& resources, ApiCall& call);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_ROUTER_H_
