#ifndef KINFORMER_SRC_APISERVER_ACCESS_GATE_H_
#define KINFORMER_SRC_APISERVER_ACCESS_GATE_H_

// In:     a request
// Out:    who sends it, as whom it runs, and whether it may; or the refusal
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
  /// Empty where nobody knows.
  UserInfo sender{};
  std::optional<UserInfo> impersonated{};
  /// As told by the authorizer; unset: it was not asked.
  std::optional<AccessDecision> decision{};
  /// Set: the request goes no further.
  std::optional<Error> refusal{};

  /// As whom the request runs.
  const UserInfo& user() const { return impersonated ? *impersonated : sender; }
  UserInfo TakeUser() && { return std::move(impersonated ? *impersonated : sender); }
};

/// Authentication, impersonation and authorization, one after the other. Who sends no credentials is anonymous, and is
/// told 401 rather than 403 of what he may not.
Admission Admit(const Authenticator& authenticator, const Authorizer& authorizer, const HttpRequest& request,
                const RequestInfo& info);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ACCESS_GATE_H_
