#ifndef KINFORMER_SRC_APISERVER_ACCESS_IMPERSONATION_H_
#define KINFORMER_SRC_APISERVER_ACCESS_IMPERSONATION_H_

// In:     Impersonate-* headers, and the requester
// Out:    the user the request runs as
// Thread: any; pure except for the authorizer that it calls
// Next:   the endpoints

#include <optional>

#include <kinformer/base/result.h>

#include "src/apiserver/access/authorizer.h"
#include "src/apiserver/access/user_info.h"
#include "src/http/http_request.h"

namespace kinformer::apiserver {

/// nullopt: no impersonation. 403 if the requester may not `impersonate` each of: the user or service account, every
/// group, the uid, every value of every extra. 400 for groups, uid or extra without a user.
Result<std::optional<UserInfo>> Impersonate(const UserInfo& sender, const HttpRequest& request,
                                            const Authorizer& authorizer);

/// The parts of "system:serviceaccount:NAMESPACE:NAME"; nullopt for other names.
struct ServiceAccountName {
  std::string namespace_name{};
  std::string name{};
};
std::optional<ServiceAccountName> SplitServiceAccount(std::string_view user);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ACCESS_IMPERSONATION_H_
