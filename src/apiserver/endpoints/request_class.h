#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_CLASS_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_CLASS_H_

// In:     a parsed request
// Out:    the limit that it counts against, and the threads that may run it
// Thread: any; pure
// Next:   RequestTracker, RequestPool

#include "src/apiserver/access/request_info.h"
#include "src/apiserver/endpoints/request_pool.h"
#include "src/apiserver/endpoints/request_tracker.h"

namespace kinformer::apiserver {

RequestKind KindOf(const RequestInfo& info);

/// kMemory if the request can be answered without the storage, provided that the resource has a cache.
RequestLane LaneOf(const RequestInfo& info);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_CLASS_H_
