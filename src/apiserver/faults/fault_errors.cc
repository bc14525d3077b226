#include "src/apiserver/faults/fault_errors.h"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "src/apiserver/faults/fault_table.h"
#include "src/listwatch/storage/continue_token.h"
#include "src/listwatch/storage/storage_errors.h"
#include "src/meta/status_reason.h"

namespace kinformer::apiserver {
namespace {

std::string_view ReasonOf(std::int64_t code) {
  return code == 410 ? "Expired" : internal::ReasonForHttpStatus(static_cast<int>(code));
}

Error Refusal(std::int64_t code, std::string message) {
  return {.code = ErrorCode::kServer,
          .message = std::move(message),
          .http_status = static_cast<int>(code),
          .reason = std::string(ReasonOf(code))};
}

std::optional<std::chrono::seconds> RetryAfter(const Fault& fault) {
  const std::chrono::milliseconds wait = DurationOf(fault);
  if (!fault.duration && wait == std::chrono::milliseconds(0)) return std::nullopt;
  return std::chrono::ceil<std::chrono::seconds>(wait);
}

std::string Parameter(const RequestInfo& request, std::string_view name) {
  const std::string* const value = request.query.Find(name);
  return value == nullptr ? std::string() : *value;
}

}  // namespace

Error ErrorOf(const Fault& fault, const RequestInfo& request) {
  const GroupVersionResource resource{request.group, request.version, request.resource};
  const std::string version = Parameter(request, "resourceVersion");
  switch (fault.kind) {
    case FaultKind::kError:
    case FaultKind::kErrorEvent: {
      Error error = Refusal(NumberOf(fault), "an injected fault: " + std::to_string(NumberOf(fault)));
      error.retry_after = RetryAfter(fault);
      return error;
    }
    case FaultKind::kThrottle:
    case FaultKind::kThrottleEvent: {
      Error error = Refusal(429, "Too many requests, please try again later.");
      error.retry_after = RetryAfter(fault);
      return error;
    }
    case FaultKind::kExpiredPage: {
      const Result<ContinueToken> token = DecodeContinue(Parameter(request, "continue"), "");
      // An invalid token is rejected anyway.
      return token ? ContinueExpiredError(token->start, "") : token.error();
    }
    case FaultKind::kExpiredPageNoToken:
      return ExpiredError("The provided continue parameter is too old to display a consistent list result.");
    case FaultKind::kTooLarge:
    case FaultKind::kTooLargeEvent:
      return TooLargeResourceVersionError(1'000'000'000, 1);
    case FaultKind::kRejectInitialEvents:
      return ForbiddenOptionError(
          "sendInitialEvents", "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled");
    case FaultKind::kConflictStorm:
      return ConflictError(
          resource, request.name,
          "the object has been modified; please apply your changes to the latest version and try again");
    case FaultKind::kUnauthorized:
      return Refusal(401, "Unauthorized");
    case FaultKind::kStaleDiscovery:
      return Refusal(503, "the server is currently unable to handle the request");
    default:
      return ExpiredError("too old resource version: " + (version.empty() ? std::string("0") : version) +
                          " (1000000000)");
  }
}

Error NoSuchResourceError() { return Refusal(404, "the server could not find the requested resource"); }

}  // namespace kinformer::apiserver
