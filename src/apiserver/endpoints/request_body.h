#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_BODY_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_BODY_H_

// In:     a request with a body that is not a patch
// Out:    the same request with a JSON body
// Thread: any; pure
// Next:   ApiHandler

#include <kinformer/base/result.h>

#include "src/apiserver/access/request_info.h"
#include "src/apiserver/registry/served_kind.h"
#include "src/http/http_request.h"

namespace kinformer::apiserver {

/// Converts a protobuf body, which typed clients send for built-in kinds, or a YAML body to JSON, so that all later
/// steps see only JSON. 415 for any other type; no Content-Type, or no body, counts as JSON.
Result<void> MakeJsonBody(HttpRequest& request, const RequestInfo& info, const ServedKind& kind);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_BODY_H_
