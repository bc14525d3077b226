#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_MEDIA_TYPES_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_MEDIA_TYPES_H_

// In:     Accept and Content-Type
// Out:    the form of the answer, the kind of the body
// Thread: any; pure
// Next:   ApiHandler

#include <kinformer/base/result.h>

#include "src/apiserver/http/http_request.h"
#include "src/apiserver/registry/resource_store.h"

namespace kinformer::apiserver {

enum class AcceptedForm { kWhole, kMetadata, kMetadataList, kTable };

/// Of what the client accepts, the best that we have: JSON, whole, as PartialObjectMetadata or as a Table. 406 if none.
Result<AcceptedForm> NegotiateForm(const HttpRequest& request);

/// Whether the client would rather have the aggregated form of discovery than the plain one.
bool PrefersAggregatedDiscovery(const HttpRequest& request);

enum class BodyType { kJson, kYaml, kProtobuf };

/// Of a body that is not a patch. 415 for one that we have not; no Content-Type, or no body, counts as JSON.
Result<BodyType> ReadBodyType(const HttpRequest& request);
/// 415 for one that the kind does not take: of those that users define, nobody knows how their lists are merged.
Result<PatchKind> ReadPatchKind(const HttpRequest& request, const ServedKind& kind);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_MEDIA_TYPES_H_
