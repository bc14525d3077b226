#ifndef KINFORMER_META_STATUS_ERROR_H_
#define KINFORMER_META_STATUS_ERROR_H_

#include <string_view>

#include <kinformer/base/error.h>

namespace kinformer {

/// What a server meant by an error. The Kubernetes reason decides; where a server (or a proxy before it) gave none that
/// Kubernetes knows, the HTTP status does.
///
///     if (auto pod = client.Get<Pod>("default", "web-0"); !pod && IsNotFound(pod.error())) ...

bool IsBadRequest(const Error& error);            ///< 400
bool IsUnauthorized(const Error& error);          ///< 401
bool IsForbidden(const Error& error);             ///< 403
bool IsNotFound(const Error& error);              ///< 404
bool IsMethodNotSupported(const Error& error);    ///< 405
bool IsNotAcceptable(const Error& error);         ///< 406
bool IsConflict(const Error& error);              ///< 409: the object changed since it was read.
bool IsGone(const Error& error);                  ///< 410, unless the reason is Expired: see IsResourceExpired.
bool IsUnsupportedMediaType(const Error& error);  ///< 415
bool IsInvalid(const Error& error);               ///< 422
bool IsInternalError(const Error& error);         ///< 500
bool IsServiceUnavailable(const Error& error);    ///< 503
bool IsTimeout(const Error& error);               ///< 504

/// By the reason alone: 409 also means a conflict.
bool IsAlreadyExists(const Error& error);
/// By the reason alone. After it, list again: the resourceVersion or continue token is too old. A watch or list that
/// fails so may also say IsGone.
bool IsResourceExpired(const Error& error);
/// By the reason alone: the server asks to try again.
bool IsServerTimeout(const Error& error);

/// 429 or 413, whatever the reason is.
bool IsTooManyRequests(const Error& error);
bool IsRequestEntityTooLarge(const Error& error);

/// The first cause with that reason; null if there is none.
const ErrorCause* FindStatusCause(const Error& error, std::string_view reason);
bool HasStatusCause(const Error& error, std::string_view reason);

/// The server has not yet seen the resourceVersion that was asked for. Also in the words of servers before 1.19, which
/// name no such cause.
bool IsTooLargeResourceVersion(const Error& error);
/// Nothing can be created there any more.
bool IsNamespaceTerminating(const Error& error);

}  // namespace kinformer

#endif  // KINFORMER_META_STATUS_ERROR_H_
