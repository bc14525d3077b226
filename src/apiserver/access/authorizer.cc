#include "src/apiserver/access/authorizer.h"

#include <kinformer/meta/names.h>

namespace kinformer::apiserver {

Authorizer AllowAuthenticated() {
  return [](const UserInfo& user, const RequestInfo& /*request*/) -> AccessDecision {
    return {.allowed = user.InGroup("system:masters") || user.InGroup("system:authenticated"), .reason = {}};
  };
}

Error ForbiddenError(const UserInfo& user, const RequestInfo& request, const std::string& reason) {
  Error error{.code = ErrorCode::kServer, .message = {}, .http_status = 403, .reason = "Forbidden"};
  const std::string who = "User \"" + user.name + "\" cannot " + request.verb;
  if (request.is_resource_request) {
    const std::string resource =
        request.subresource.empty() ? request.resource : request.resource + "/" + request.subresource;
    error.details.name = request.name;
    error.details.group = request.group;
    error.details.kind = request.resource;
    error.message = ToString(GroupVersionResource{request.group, request.version, request.resource});
    if (!request.name.empty()) error.message += " \"" + request.name + "\"";
    error.message += " is forbidden: " + who + " resource \"" + resource + "\" in API group \"" + request.group + "\"";
    error.message += request.namespace_name.empty() ? " at the cluster scope"
                                                    : " in the namespace \"" + request.namespace_name + "\"";
  } else {
    error.message = "forbidden: " + who + " path \"" + request.path + "\"";
  }
  if (!reason.empty()) error.message += ": " + reason;
  return error;
}

}  // namespace kinformer::apiserver
