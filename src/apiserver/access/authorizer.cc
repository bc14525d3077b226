#include "src/apiserver/access/authorizer.h"

#include <kinformer/meta/names.h>

namespace kinformer::apiserver {

Authorizer AllowAuthenticated() {
  return [](const UserInfo& user, const RequestInfo& request) -> AccessDecision {
    const bool named = !user.name.empty() || !user.groups.empty();
    const bool known = named && user.name != kAnonymousUser && !user.InGroup(kUnauthenticatedGroup);
    return {.allowed = known || IsPublic(request), .reason = {}};
  };
}

bool IsPublic(const RequestInfo& request) {
  const std::string& path = request.path;
  return !request.is_resource_request && request.verb == "get" &&
         (path == "/healthz" || path == "/livez" || path == "/readyz" || path == "/version");
}

Error ForbiddenError(const UserInfo& user, const RequestInfo& request, const std::string& reason) {
  Error error{.code = ErrorCode::kServer, .message = {}, .http_status = 403, .reason = "Forbidden"};
  const std::string who = "User \"" + user.name + "\" cannot " + request.verb;
  if (request.is_resource_request) {
    const std::string resource =
        request.subresource.empty() ? request.resource : request.resource + "/" + request.subresource;
    const std::string name = request.NameForAccess();
    error.details.name = name;
    error.details.group = request.group;
    error.details.kind = request.resource;
    error.message = ToString(GroupVersionResource{request.group, request.version, request.resource});
    if (!name.empty()) error.message += " \"" + name + "\"";
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
