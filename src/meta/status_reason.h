#ifndef KINFORMER_SRC_META_STATUS_REASON_H_
#define KINFORMER_SRC_META_STATUS_REASON_H_

#include <string_view>

namespace kinformer::internal {

/// The Kubernetes reason that goes with an HTTP status where nobody gave one; "" if there is none. Of 410 the general
/// "Gone": a server that means a version says "Expired" itself.
std::string_view ReasonForHttpStatus(int http_status);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_META_STATUS_REASON_H_
