#ifndef KINFORMER_SRC_APISERVER_ACCESS_AUTHORIZER_H_
#define KINFORMER_SRC_APISERVER_ACCESS_AUTHORIZER_H_

// In:     a user and a request
// Out:    whether it is allowed
// Thread: any
// Next:   the endpoints

#include <functional>
#include <string>

#include <kinformer/base/error.h>

#include "src/apiserver/access/authenticator.h"
#include "src/apiserver/access/request_info.h"

namespace kinformer::apiserver {

struct AccessDecision {
  bool allowed = false;
  /// Reported to denied requests and in access reviews; may be empty.
  std::string reason{};
};

/// Called on any thread, possibly concurrently; must be fast.
using Authorizer = std::function<AccessDecision(const UserInfo& user, const RequestInfo& request)>;

/// Allows authenticated users everything, and anonymous ones public requests.
Authorizer AllowAuthenticated();
/// Whether the request reads health or version, which are public.
bool IsPublic(const RequestInfo& request);

/// 403, with kube-apiserver's message.
Error ForbiddenError(const UserInfo& user, const RequestInfo& request, const std::string& reason);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ACCESS_AUTHORIZER_H_
