#ifndef KINFORMER_SRC_CODEC_STATUS_READER_H_
#define KINFORMER_SRC_CODEC_STATUS_READER_H_

#include <optional>
#include <string_view>

#include <kinformer/base/error.h>

namespace kinformer::internal {

/// The Error of a non-2xx response: from the body if it is a Kubernetes Status, else from the status line and the start
/// of the body (a proxy's HTML or plain text), bounded and printable. Never fails. `retry_after` comes from
/// details.retryAfterSeconds. If the body gives no reason, it is derived from the HTTP status, as in client-go.
Error ErrorFromResponse(int http_status, std::string_view body);

/// The Error in a Status object's JSON; nullopt if it is not a Status, or if it reports success.
std::optional<Error> ErrorFromStatus(std::string_view json);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CODEC_STATUS_READER_H_
