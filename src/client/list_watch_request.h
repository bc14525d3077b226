#ifndef KINFORMER_SRC_CLIENT_LIST_WATCH_REQUEST_H_
#define KINFORMER_SRC_CLIENT_LIST_WATCH_REQUEST_H_

#include <string_view>

#include <kinformer/base/result.h>
#include <kinformer/client/resource_client.h>
#include <kinformer/client/selection.h>
#include <kinformer/reflector/lister_watcher.h>
#include <kinformer/transport/transport.h>

#include "src/client/request_target.h"

namespace kinformer::internal {

/// Requests a single object's metadata, or the objects of a watch.
inline constexpr std::string_view kMetadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

/// The path of the collection, `watch` and the selectors. kInvalidArgument if the namespace cannot be in a path.
Result<RequestTarget> CollectionTarget(const Resource& resource, const Selection& selection, bool watch = false);

/// The HTTP request for one page of a list, without time limits.
Result<Request> MakeListRequest(const Resource& resource, const Selection& selection, const ListRequest& list,
                                bool metadata_only);
/// The HTTP request for a watch, without time limits.
Result<Request> MakeWatchRequest(const Resource& resource, const Selection& selection, const WatchRequest& watch,
                                 bool metadata_only);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CLIENT_LIST_WATCH_REQUEST_H_
