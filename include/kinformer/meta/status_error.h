#ifndef KINFORMER_META_STATUS_ERROR_H_
#define KINFORMER_META_STATUS_ERROR_H_

#include <string_view>

#include <kinformer/base/error.h>

namespace kinformer {

/// Classifies an error from a server. The Kubernetes reason decides; if the server, or a proxy in front of it, gave no
/// reason that Kubernetes defines, the HTTP status does.
///
///     auto pod = client.For<Pod>().Get({"default", "web-9"});
///     if (!pod && ki::IsNotFound(pod.error())) return {};

bool IsBadRequest(const Error& error);            ///< 400
bool IsUnauthorized(const Error& error);          ///< 401
bool IsForbidden(const Error& error);             ///< 403
bool IsNotFound(const Error& error);              ///< 404
bool IsMethodNotSupported(const Error& error);    ///< 405
bool IsNotAcceptable(const Error& error);         ///< 406
bool IsConflict(const Error& error);              ///< 409: the object has changed since it was read.
bool IsGone(const Error& error);                  ///< 410, unless the reason is Expired: see IsResourceExpired.
bool IsUnsupportedMediaType(const Error& error);  ///< 415
bool IsInvalid(const Error& error);               ///< 422
bool IsInternalError(const Error& error);         ///< 500
bool IsServiceUnavailable(const Error& error);    ///< 503
bool IsTimeout(const Error& error);               ///< 504

/// By reason only, because 409 also means a conflict.
bool IsAlreadyExists(const Error& error);
/// By reason only. The resourceVersion or continue token is too old: list again. A server may report this as IsGone
/// instead.
bool IsResourceExpired(const Error& error);
/// By reason only: the server asks the client to retry.
bool IsServerTimeout(const Error& error);

/// By reason, or by HTTP status (429 and 413) whatever the reason is.
bool IsTooManyRequests(const Error& error);
bool IsRequestEntityTooLarge(const Error& error);

/// The first cause with this reason, owned by `error`; null if there is none.
const ErrorCause* FindStatusCause(const Error& error, std::string_view reason);
const ErrorCause* FindStatusCause(const Error&& error, std::string_view reason) = delete;
bool HasStatusCause(const Error& error, std::string_view reason);

/// The server has not reached the requested resourceVersion yet. Servers before 1.19 are recognized by their message.
bool IsTooLargeResourceVersion(const Error& error);
/// The namespace is being deleted: no object can be created in it.
bool IsNamespaceTerminating(const Error& error);

}  // namespace kinformer

#endif  // KINFORMER_META_STATUS_ERROR_H_
