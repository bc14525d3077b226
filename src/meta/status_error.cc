#include <kinformer/meta/status_error.h>

#include <algorithm>
#include <array>
#include <string>

namespace kinformer {
namespace {

constexpr std::array<std::string_view, 19> kKnownReasons = {
    "AlreadyExists",
    "BadRequest",
    "Conflict",
    "Expired",
    "Forbidden",
    "Gone",
    "InternalError",
    "Invalid",
    "MethodNotAllowed",
    "NotAcceptable",
    "NotFound",
    "RequestEntityTooLarge",
    "ServerTimeout",
    "ServiceUnavailable",
    "StorageReadError",
    "Timeout",
    "TooManyRequests",
    "Unauthorized",
    "UnsupportedMediaType",
};

bool IsKnown(std::string_view reason) {
  return std::find(kKnownReasons.begin(), kKnownReasons.end(), reason) != kKnownReasons.end();
}

bool HasReasonOrStatus(const Error& error, std::string_view reason, int http_status) {
  return error.reason == reason || (error.http_status == http_status && !IsKnown(error.reason));
}

}  // namespace

bool IsBadRequest(const Error& error) { return HasReasonOrStatus(error, "BadRequest", 400); }
bool IsUnauthorized(const Error& error) { return HasReasonOrStatus(error, "Unauthorized", 401); }
bool IsForbidden(const Error& error) { return HasReasonOrStatus(error, "Forbidden", 403); }
bool IsNotFound(const Error& error) { return HasReasonOrStatus(error, "NotFound", 404); }
bool IsMethodNotSupported(const Error& error) { return HasReasonOrStatus(error, "MethodNotAllowed", 405); }
bool IsNotAcceptable(const Error& error) { return HasReasonOrStatus(error, "NotAcceptable", 406); }
bool IsConflict(const Error& error) { return HasReasonOrStatus(error, "Conflict", 409); }
bool IsGone(const Error& error) { return HasReasonOrStatus(error, "Gone", 410); }
bool IsUnsupportedMediaType(const Error& error) { return HasReasonOrStatus(error, "UnsupportedMediaType", 415); }
bool IsInvalid(const Error& error) { return HasReasonOrStatus(error, "Invalid", 422); }
bool IsInternalError(const Error& error) { return HasReasonOrStatus(error, "InternalError", 500); }
bool IsServiceUnavailable(const Error& error) { return HasReasonOrStatus(error, "ServiceUnavailable", 503); }
bool IsTimeout(const Error& error) { return HasReasonOrStatus(error, "Timeout", 504); }

bool IsAlreadyExists(const Error& error) { return error.reason == "AlreadyExists"; }
bool IsResourceExpired(const Error& error) { return error.reason == "Expired"; }
bool IsServerTimeout(const Error& error) { return error.reason == "ServerTimeout"; }

bool IsTooManyRequests(const Error& error) { return error.reason == "TooManyRequests" || error.http_status == 429; }
bool IsRequestEntityTooLarge(const Error& error) {
  return error.reason == "RequestEntityTooLarge" || error.http_status == 413;
}

const ErrorCause* FindStatusCause(const Error& error, std::string_view reason) {
  const auto& causes = error.details.causes;
  const auto it =
      std::find_if(causes.begin(), causes.end(), [&](const ErrorCause& cause) { return cause.reason == reason; });
  return it == causes.end() ? nullptr : &*it;
}

bool HasStatusCause(const Error& error, std::string_view reason) { return FindStatusCause(error, reason) != nullptr; }

bool IsTooLargeResourceVersion(const Error& error) {
  constexpr std::string_view kLegacyMessage = "Too large resource version";
  if (HasStatusCause(error, "ResourceVersionTooLarge")) return true;
  const auto& causes = error.details.causes;
  return std::any_of(causes.begin(), causes.end(),
                     [&](const ErrorCause& cause) { return cause.message == kLegacyMessage; }) ||
         error.message.find(kLegacyMessage) != std::string::npos;
}

bool IsNamespaceTerminating(const Error& error) { return HasStatusCause(error, "NamespaceTerminating"); }

}  // namespace kinformer
