#ifndef KINFORMER_SRC_APISERVER_REVIEWS_REVIEWS_H_
#define KINFORMER_SRC_APISERVER_REVIEWS_REVIEWS_H_

// In:     the server's own authentication and authorization
// Out:    the review resources by which clients query them
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
  /// All rules that apply to a user in a namespace. Unset: the response is marked as incomplete.
  std::function<UserRules(const UserInfo& user, const std::string& namespace_name)> rules{};
  /// The user of a token; nullopt: invalid. Unset: every token is invalid.
  std::function<std::optional<UserInfo>(std::string_view token)> authenticate{};
};

/// authorization.k8s.io/v1: selfsubjectaccessreviews, subjectaccessreviews, localsubjectaccessreviews,
/// selfsubjectrulesreviews; authentication.k8s.io/v1: tokenreviews, selfsubjectreviews.
std::vector<std::shared_ptr<const CreateOnlyResource>> MakeReviews(const ReviewOptions& options);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REVIEWS_REVIEWS_H_
