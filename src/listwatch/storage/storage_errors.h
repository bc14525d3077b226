#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_STORAGE_ERRORS_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_STORAGE_ERRORS_H_

// In:     a rejected request, and the reason
// Out:    the Error with kube-apiserver's HTTP status, reason and details
// Thread: any; pure
// Next:   endpoints, which write it as a Status

#include <string>
#include <string_view>
#include <vector>

#include <kinformer/base/error.h>
#include <kinformer/meta/names.h>

#include "src/listwatch/storage/backend.h"

namespace kinformer::apiserver {

Error CancelledError();
/// 400
Error BadRequestError(std::string message);
/// 404: pods "web-0" not found
Error NotFoundError(const GroupVersionResource& resource, std::string_view name);
/// 409
Error AlreadyExistsError(const GroupVersionResource& resource, std::string_view name);
/// 409: Operation cannot be fulfilled on pods "web-0": why
Error ConflictError(const GroupVersionResource& resource, std::string_view name, std::string_view why);
/// 410
Error ExpiredError(std::string message);
/// 413
Error RequestEntityTooLargeError(std::string message);
/// 422: Pod "web-0" is invalid: metadata.name: Required value: why
Error InvalidError(const GroupVersionKind& kind, std::string_view name, std::vector<ErrorCause> causes);
/// 422: an invalid field of ListOptions.
Error ForbiddenOptionError(std::string field, std::string_view why);
/// 500
Error InternalServerError(std::string message);
/// 504: the backend has not reached that revision yet.
Error TooLargeResourceVersionError(Revision wanted, Revision current);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_STORAGE_ERRORS_H_
