#ifndef KINFORMER_SRC_APISERVER_ACCESS_AUTHORIZER_H_
#define KINFORMER_SRC_APISERVER_ACCESS_AUTHORIZER_H_

// In:     a user and what he asks for
// Out:    whether he may
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
  /// Told to who is refused, and to who asks in a review; may be empty.
  std::string reason{};
};

/// Called on any thread; must be quick.
using Authorizer = std::function<AccessDecision(const UserInfo& user, const RequestInfo& request)>;

/// Whoever is known may do everything; who is anonymous, what everybody may.
Authorizer AllowAuthenticated();
/// Reads health or version, which a server tells everybody.
bool IsPublic(const RequestInfo& request);

/// 403, in the words of a real server.
Error ForbiddenError(const UserInfo& user, const RequestInfo& request, const std::string& reason);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ACCESS_AUTHORIZER_H_
