#include "src/apiserver/access/gate.h"

#include <utility>

#include "src/apiserver/access/impersonation.h"

namespace kinformer::apiserver {

Admission Authenticate(const Authenticator& authenticator, const HttpRequest& request) {
  Admission admission;
  Result<UserInfo> sender = authenticator.Authenticate(request);
  admission.anonymous = !sender && !Authenticator::HasCredentials(request);
  if (sender) {
    admission.sender = *std::move(sender);
  } else if (admission.anonymous) {
    admission.sender = Anonymous();
  } else {
    admission.refusal = std::move(sender).error();
  }
  return admission;
}

void Authorize(const Authorizer& authorizer, const HttpRequest& request, const RequestInfo& info,
               Admission& admission) {
  const auto refuse = [&](Error error) {
    admission.refusal = admission.anonymous ? UnauthorizedError() : std::move(error);
  };
  Result<std::optional<UserInfo>> impersonated = Impersonate(admission.sender, request, authorizer);
  if (!impersonated) return refuse(std::move(impersonated).error());
  admission.impersonated = *std::move(impersonated);
  admission.decision = authorizer(admission.user(), info);
  if (!admission.decision->allowed) refuse(ForbiddenError(admission.user(), info, admission.decision->reason));
}

}  // namespace kinformer::apiserver
