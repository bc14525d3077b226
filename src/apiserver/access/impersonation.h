#ifndef KINFORMER_SRC_APISERVER_ACCESS_IMPERSONATION_H_
#define KINFORMER_SRC_APISERVER_ACCESS_IMPERSONATION_H_

// In:     Impersonate-* headers, and who sends them
// Out:    as whom the request runs
// Thread: any; pure but for the authorizer that it asks
// Next:   the endpoints

#include <optional>

#include <kinformer/base/result.h>

#include "src/apiserver/access/authorizer.h"
#include "src/apiserver/access/user_info.h"
#include "src/apiserver/http/http_request.h"

namespace kinformer::apiserver {

/// nullopt: nobody else is named. 403 where the sender may not `impersonate` one of the things that he names: a user,
/// a service account, each group, the uid, each value of each extra. 500, as a real server has it, for groups, uid or
/// extra without a user.
Result<std::optional<UserInfo>> Impersonate(const UserInfo& sender, const HttpRequest& request,
                                            const Authorizer& authorizer);

/// "system:serviceaccount:NAMESPACE:NAME" in its parts; nullopt for another name.
struct ServiceAccountName {
  std::string namespace_name{};
  std::string name{};
};
std::optional<ServiceAccountName> SplitServiceAccount(std::string_view user);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ACCESS_IMPERSONATION_H_
