#ifndef KINFORMER_SRC_APISERVER_REVIEWS_REVIEWS_H_
#define KINFORMER_SRC_APISERVER_REVIEWS_REVIEWS_H_

// In:     who may, and who is it: what the server itself goes by
// Out:    the resources by which clients ask for that
// Thread: any
// Next:   ResourceTable

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/apiserver/access/authorizer.h"
#include "src/apiserver/access/rbac_policy.h"
#include "src/apiserver/reviews/create_only_resource.h"

namespace kinformer::apiserver {

struct ReviewOptions {
  Authorizer authorizer = AllowAuthenticated();
  /// All that a user may do in a namespace. Unset: nobody can tell, and the answer says so.
  std::function<UserRules(const UserInfo& user, const std::string& namespace_name)> rules{};
  /// Whom a token stands for.
  std::function<std::optional<UserInfo>(std::string_view token)> authenticate{};
};

/// authorization.k8s.io/v1: selfsubjectaccessreviews, subjectaccessreviews, localsubjectaccessreviews,
/// selfsubjectrulesreviews; authentication.k8s.io/v1: tokenreviews, selfsubjectreviews.
std::vector<std::shared_ptr<const CreateOnlyResource>> MakeReviews(const ReviewOptions& options);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REVIEWS_REVIEWS_H_
