#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_BODY_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_BODY_H_

// In:     a request with a body that is not a patch
// Out:    the same with a body that is JSON
// Thread: any; pure
// Next:   ApiHandler

#include <kinformer/base/result.h>

#include "src/apiserver/access/request_info.h"
#include "src/apiserver/http/http_request.h"
#include "src/apiserver/registry/served_kind.h"

namespace kinformer::apiserver {

/// A protobuf body, which typed clients send for Kubernetes' own kinds, becomes JSON here, and all that follows sees
/// nothing else. 415 for any other type; no Content-Type, or no body, counts as JSON.
Result<void> MakeJsonBody(HttpRequest& request, const RequestInfo& info, const ServedKind& kind);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_BODY_H_
