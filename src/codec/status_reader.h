#ifndef KINFORMER_SRC_CODEC_STATUS_READER_H_
#define KINFORMER_SRC_CODEC_STATUS_READER_H_

#include <optional>
#include <string_view>

#include <kinformer/base/error.h>

namespace kinformer::internal {

/// The Error of a non-2xx answer: from the body where it is a Kubernetes Status, else from the status line and the
/// beginning of the body (a proxy's HTML or plain text). Never fails. `retry_after` from details.retryAfterSeconds.
Error ErrorFromResponse(int http_status, std::string_view body);

/// The Error in a Status object's JSON, or nullopt if it is not one.
std::optional<Error> ErrorFromStatus(std::string_view json);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CODEC_STATUS_READER_H_
