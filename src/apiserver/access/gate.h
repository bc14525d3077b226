#ifndef KINFORMER_SRC_APISERVER_ACCESS_GATE_H_
#define KINFORMER_SRC_APISERVER_ACCESS_GATE_H_

// In:     a request
// Out:    the requester, the impersonated user, and the decision; or the error
// Thread: any
// Next:   the endpoints

#include <optional>
#include <string>
#include <utility>

#include "src/apiserver/access/authenticator.h"
#include "src/apiserver/access/authorizer.h"
#include "src/apiserver/access/request_info.h"

namespace kinformer::apiserver {

struct Admission {
  /// Empty if unknown.
  UserInfo sender{};
  std::optional<UserInfo> impersonated{};
  /// The authorizer's; unset if it was not called.
  std::optional<AccessDecision> decision{};
  /// If set, the request is rejected.
  std::optional<Error> refusal{};
  /// The request has no credentials: if denied, it gets 401 instead of 403.
  bool anonymous = false;

  /// The user the request runs as.
  const UserInfo& user() const { return impersonated ? *impersonated : sender; }
  UserInfo TakeUser() && { return std::move(impersonated ? *impersonated : sender); }
};

/// Identifies the requester. Invalid credentials are rejected with 401; a request without credentials is anonymous.
/// Fast: does not call the authorizer.
Admission Authenticate(const Authenticator& authenticator, const HttpRequest& request);
/// Impersonation, then authorization. Precondition: authenticated and not rejected. May take as long as the authorizer.
void Authorize(const Authorizer& authorizer, const HttpRequest& request, const RequestInfo& info, Admission& admission);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ACCESS_GATE_H_
