#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_OPTIONS_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_OPTIONS_H_

// In:     a request's query parameters and DeleteOptions
// Out:    the queries and parameters of storage and registry, or 400 or 422
// Thread: any; pure
// Next:   ApiHandler

#include <optional>
#include <string_view>

#include <kinformer/base/result.h>

#include "src/apiserver/access/request_info.h"
#include "src/apiserver/registry/resource_store.h"
#include "src/apiserver/registry/served_kind.h"
#include "src/listwatch/endpoint/list_resource.h"

namespace kinformer::apiserver {

/// The namespace of the request's objects; empty for namespaces themselves.
std::string ScopeOf(const RequestInfo& request);

/// Decodes the query of a list or watch (400); ListResource validates it.
Result<CollectionRequest> ReadCollectionRequest(const RequestInfo& request);
/// The fields that selectors of that kind may name. `kind` must outlive it.
FieldCheck SelectableFieldCheck(const ServedKind& kind);

/// `options_kind`: "CreateOptions", for messages.
Result<WriteParameters> ReadWriteParameters(const RequestInfo& request, std::string_view options_kind);
/// An apply must name its field manager; only an apply may force.
Result<WriteParameters> ReadPatchParameters(const RequestInfo& request, PatchKind kind);

struct DeleteRequest {
  DeleteParameters parameters{};
  /// orphanDependents=false: a deletion that is not yet final is answered with 202.
  bool accepted_is_202 = false;
};
/// Reads the body, a DeleteOptions, if there is one; otherwise the query.
Result<DeleteRequest> ReadDeleteRequest(const RequestInfo& request, std::string_view body);
/// Reads the body, an Eviction of the pod in the path.
Result<DeleteParameters> ReadEviction(const RequestInfo& request, std::string_view body);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_OPTIONS_H_
