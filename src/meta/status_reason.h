#ifndef KINFORMER_SRC_META_STATUS_REASON_H_
#define KINFORMER_SRC_META_STATUS_REASON_H_

#include <string_view>

namespace kinformer::internal {

/// The Kubernetes reason that corresponds to an HTTP status, for responses without a reason; "" if there is none. For
/// 410 it is the general "Gone": a server that means an expired version says "Expired" itself.
std::string_view ReasonForHttpStatus(int http_status);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_META_STATUS_REASON_H_
