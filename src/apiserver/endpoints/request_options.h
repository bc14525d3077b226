#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_OPTIONS_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_OPTIONS_H_

// In:     a request's query parameters and DeleteOptions
// Out:    what storage and registry take; or 400, 422
// Thread: any; pure
// Next:   ApiHandler

#include <optional>
#include <string_view>

#include <kinformer/base/clock.h>
#include <kinformer/base/result.h>

#include "src/apiserver/access/request_info.h"
#include "src/apiserver/registry/resource_store.h"
#include "src/apiserver/registry/served_kind.h"

namespace kinformer::apiserver {

/// The namespace that the request's objects are in: of namespaces themselves, none.
std::string ScopeOf(const RequestInfo& request);

/// Selectors, version, limit, continue. A name in the path is one more field selector, which must not contradict the
/// others (400); a selector by name of one namespace is that one key.
Result<ListQuery> ReadListQuery(const RequestInfo& request, const ServedKind& kind);

/// `jitter` in [0, 1): of the time after which a watch ends that names none, half an hour to an hour.
Result<WatchQuery> ReadWatchQuery(const RequestInfo& request, const ServedKind& kind, TimePoint now, double jitter);

/// `options_kind`: "CreateOptions", for messages.
Result<WriteParameters> ReadWriteParameters(const RequestInfo& request, std::string_view options_kind);
/// Of a patch: who applies says who he is, and only he may force.
Result<WriteParameters> ReadPatchParameters(const RequestInfo& request, PatchKind kind);

struct DeleteRequest {
  DeleteParameters parameters{};
  /// orphanDependents=false: an answer that is not final is 202.
  bool accepted_is_202 = false;
};
/// From the body, a DeleteOptions, if there is one, else from the query.
Result<DeleteRequest> ReadDeleteRequest(const RequestInfo& request, std::string_view body);
/// From the body, an Eviction of the pod that the path names.
Result<DeleteParameters> ReadEviction(const RequestInfo& request, std::string_view body);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_OPTIONS_H_
