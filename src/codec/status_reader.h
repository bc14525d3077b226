#ifndef KINFORMER_SRC_CODEC_STATUS_READER_H_
#define KINFORMER_SRC_CODEC_STATUS_READER_H_

#include <optional>
#include <string_view>

#include <kinformer/base/error.h>

namespace kinformer::internal {

/// The Error of a non-2xx answer: from the body where it is a Kubernetes Status, else from the status line and the
/// beginning of the body (a proxy's HTML or plain text), bounded and printable. Never fails. `retry_after` from
/// details.retryAfterSeconds. A reason that the body does not give follows from the HTTP status, where client-go knows
/// one.
Error ErrorFromResponse(int http_status, std::string_view body);

/// The Error in a Status object's JSON; nullopt if it is not a Status, or one that reports success.
std::optional<Error> ErrorFromStatus(std::string_view json);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CODEC_STATUS_READER_H_
