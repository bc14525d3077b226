#include "src/apiserver/registry/registry_errors.h"

#include <utility>

namespace kinformer::apiserver {
namespace {

std::string Qualified(const GroupVersionResource& resource) {
  return resource.group.empty() ? resource.resource : resource.resource + "." + resource.group;
}

}  // namespace

ErrorCause Required(std::string field, std::string_view why) {
  return {.reason = "FieldValueRequired", .message = "Required value: " + std::string(why), .field = std::move(field)};
}

ErrorCause Invalid(std::string field, std::string_view value, std::string_view why) {
  return {.reason = "FieldValueInvalid",
          .message = "Invalid value: \"" + std::string(value) + "\": " + std::string(why),
          .field = std::move(field)};
}

ErrorCause Forbidden(std::string field, std::string_view why) {
  return {.reason = "FieldValueForbidden", .message = "Forbidden: " + std::string(why), .field = std::move(field)};
}

Error ForbiddenError(const GroupVersionResource& resource, std::string_view name, std::string_view why,
                     std::vector<ErrorCause> causes) {
  return Error{
      .code = ErrorCode::kServer,
      .message = Qualified(resource) + " \"" + std::string(name) + "\" is forbidden: " + std::string(why),
      .http_status = 403,
      .reason = "Forbidden",
      .details = {
          .name = std::string(name), .group = resource.group, .kind = resource.resource, .causes = std::move(causes)}};
}

}  // namespace kinformer::apiserver
