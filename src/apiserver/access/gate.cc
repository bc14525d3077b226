#include "src/apiserver/access/gate.h"

#include <utility>

#include "src/apiserver/access/impersonation.h"

namespace kinformer::apiserver {

Admission Admit(const Authenticator& authenticator, const Authorizer& authorizer, const HttpRequest& request,
                const RequestInfo& info) {
  Admission admission;
  Result<UserInfo> sender = authenticator.Authenticate(request);
  const bool anonymous = !sender && !Authenticator::HasCredentials(request);
  if (!sender && !anonymous) {
    admission.refusal = std::move(sender).error();
    return admission;
  }
  admission.sender = anonymous ? Anonymous() : *std::move(sender);
  Result<std::optional<UserInfo>> impersonated = Impersonate(admission.sender, request, authorizer);
  if (!impersonated) {
    admission.refusal = anonymous ? sender.error() : impersonated.error();
    return admission;
  }
  admission.impersonated = *std::move(impersonated);
  admission.decision = authorizer(admission.user(), info);
  if (!admission.decision->allowed) {
    admission.refusal = anonymous ? sender.error() : ForbiddenError(admission.user(), info, admission.decision->reason);
  }
  return admission;
}

}  // namespace kinformer::apiserver
