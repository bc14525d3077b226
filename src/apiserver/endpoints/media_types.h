#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_MEDIA_TYPES_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_MEDIA_TYPES_H_

// In:     the Accept and Content-Type headers
// Out:    the form of the response, the type of the body
// Thread: any; pure
// Next:   ApiHandler

#include <kinformer/base/result.h>

#include "src/apiserver/registry/resource_store.h"
#include "src/http/http_request.h"

namespace kinformer::apiserver {

enum class AcceptedForm { kWhole, kMetadata, kMetadataList, kTable };

/// The most preferred form in Accept that is supported: JSON as a whole, as PartialObjectMetadata or as a Table. 406 if
/// there is none.
Result<AcceptedForm> NegotiateForm(const HttpRequest& request);

/// Whether the client prefers aggregated over plain discovery.
bool PrefersAggregatedDiscovery(const HttpRequest& request);

enum class BodyType { kJson, kYaml, kProtobuf };

/// The type of a body that is not a patch. 415 if unsupported; no Content-Type, or no body, counts as JSON.
Result<BodyType> ReadBodyType(const HttpRequest& request);
/// 415 if the kind does not support the patch type: custom kinds have no strategic merge.
Result<PatchKind> ReadPatchKind(const HttpRequest& request, const ServedKind& kind);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_MEDIA_TYPES_H_
