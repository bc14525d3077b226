#include "src/listwatch/storage/storage_errors.h"

#include <utility>

namespace kinformer::apiserver {
namespace {

Error Refusal(int http_status, std::string_view reason, std::string message) {
  return {.code = ErrorCode::kServer,
          .message = std::move(message),
          .http_status = http_status,
          .reason = std::string(reason)};
}

Error About(const GroupVersionResource& resource, std::string_view name, Error error) {
  error.details.name = name;
  error.details.group = resource.group;
  error.details.kind = resource.resource;
  return error;
}

std::string InQuotes(const GroupVersionResource& resource, std::string_view name) {
  return ToString(resource) + " \"" + std::string(name) + "\"";
}

}  // namespace

Error CancelledError() { return {.code = ErrorCode::kCancelled, .message = "the request was cancelled"}; }

Error BadRequestError(std::string message) { return Refusal(400, "BadRequest", std::move(message)); }

Error NotFoundError(const GroupVersionResource& resource, std::string_view name) {
  return About(resource, name, Refusal(404, "NotFound", InQuotes(resource, name) + " not found"));
}

Error AlreadyExistsError(const GroupVersionResource& resource, std::string_view name) {
  return About(resource, name, Refusal(409, "AlreadyExists", InQuotes(resource, name) + " already exists"));
}

Error ConflictError(const GroupVersionResource& resource, std::string_view name, std::string_view why) {
  return About(resource, name,
               Refusal(409, "Conflict",
                       "Operation cannot be fulfilled on " + InQuotes(resource, name) + ": " + std::string(why)));
}

Error ExpiredError(std::string message) { return Refusal(410, "Expired", std::move(message)); }

Error RequestEntityTooLargeError(std::string message) {
  return Refusal(413, "RequestEntityTooLarge", std::move(message));
}

Error InvalidError(const GroupVersionKind& kind, std::string_view name, std::vector<ErrorCause> causes) {
  std::string all;
  for (const ErrorCause& cause : causes) all += (all.empty() ? "" : ", ") + cause.field + ": " + cause.message;
  if (causes.size() > 1) all = "[" + all + "]";
  const std::string qualified = kind.group.empty() ? kind.kind : kind.kind + "." + kind.group;
  return Error{
      .code = ErrorCode::kServer,
      .message = qualified + " \"" + std::string(name) + "\" is invalid: " + all,
      .http_status = 422,
      .reason = "Invalid",
      .details = {.name = std::string(name), .group = kind.group, .kind = kind.kind, .causes = std::move(causes)}};
}

Error ForbiddenOptionError(std::string field, std::string_view why) {
  return InvalidError(
      {"meta.k8s.io", "", "ListOptions"}, "",
      {{.reason = "FieldValueForbidden", .message = "Forbidden: " + std::string(why), .field = std::move(field)}});
}

Error InternalServerError(std::string message) { return Refusal(500, "", std::move(message)); }

Error TooLargeResourceVersionError(Revision wanted, Revision current) {
  Error error = Refusal(
      504, "Timeout",
      "Timeout: Too large resource version: " + std::to_string(wanted) + ", current: " + std::to_string(current));
  error.details.causes.push_back(
      {.reason = "ResourceVersionTooLarge", .message = "Too large resource version", .field = {}});
  error.retry_after = std::chrono::seconds(1);
  return error;
}

}  // namespace kinformer::apiserver
