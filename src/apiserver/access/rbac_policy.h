#ifndef KINFORMER_SRC_APISERVER_ACCESS_RBAC_POLICY_H_
#define KINFORMER_SRC_APISERVER_ACCESS_RBAC_POLICY_H_

// In:     Roles, ClusterRoles and their bindings
// Out:    whether a user's request is allowed, and all rights of a user
// Thread: any; immutable
// Next:   RbacAuthorizer, which keeps one up to date

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>

#include "src/apiserver/access/authorizer.h"
#include "src/apiserver/access/policy_rule.h"
#include "src/apiserver/access/request_info.h"
#include "src/apiserver/access/user_info.h"

namespace kinformer::apiserver {

inline constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";

/// The objects of the group rbac.authorization.k8s.io.
struct RbacObjects {
  std::vector<ObjectPtr> roles{};
  std::vector<ObjectPtr> cluster_roles{};
  std::vector<ObjectPtr> role_bindings{};
  std::vector<ObjectPtr> cluster_role_bindings{};
};

/// The rights of a user.
struct UserRules {
  std::vector<PolicyRule> rules{};
  /// Bindings of the user whose role does not exist: a message, or "[a, b]" for several; empty: none.
  std::string error{};
};

/// The `roleRef` of a binding.
struct RoleRef {
  std::string kind{};
  std::string name{};
};

/// The compiled rules of a cluster at one point in time. The cost of a check depends only on the user's own bindings.
///
/// @par Thread Safety
/// Immutable; any thread.
class RbacPolicy {
 public:
  RbacPolicy() = default;
  /// ClusterRoles with an aggregationRule get the rules of all roles it selects, transitively.
  explicit RbacPolicy(const RbacObjects& objects);

  /// The reason is kube-apiserver's: the binding that allowed it, or the missing roles.
  AccessDecision Check(const UserInfo& user, const RequestInfo& request) const;
  /// The user's rights in one namespace, including cluster-wide ones. Empty namespace: only the latter.
  UserRules RulesFor(const UserInfo& user, const std::string& namespace_name) const;
  /// The rules of a role referenced by a binding in that namespace (empty: by a ClusterRoleBinding). 404 if it does not
  /// exist.
  Result<std::vector<PolicyRule>> RulesOf(const RoleRef& role, const std::string& namespace_name) const;

 private:
  struct Subject {
    std::string kind{};
    std::string name{};
    std::string namespace_name{};
  };
  struct Binding {
    std::string namespace_name{};
    std::string name{};
    RoleRef role{};
    std::vector<Subject> subjects{};
  };
  /// `by_subject` maps a subject ("U:jane", "G:devs") to indexes into `list`, in order.
  struct Bindings {
    std::vector<Binding> list{};
    std::unordered_map<std::string, std::vector<std::size_t>> by_subject{};
  };
  using Rules = std::vector<PolicyRule>;

  static void AddBinding(const Object& object, Bindings& bindings);
  void AddClusterRoles(const std::vector<ObjectPtr>& objects);
  /// The role's rules; null if it does not exist.
  const Rules* Find(const RoleRef& role, const std::string& namespace_name) const;
  static std::string KeyOf(const Subject& subject, const std::string& binding_namespace);
  static std::string Describe(const Binding& binding, const UserInfo& user);

  /// Calls visit(binding, rules) until it returns false. `rules` is null if the role does not exist.
  template <typename Visit>
  void VisitRules(const UserInfo& user, const std::string& namespace_name, Visit visit) const;

  std::unordered_map<std::string, Rules> cluster_roles_;
  std::map<std::pair<std::string, std::string>, Rules> roles_;
  Bindings cluster_bindings_;
  std::unordered_map<std::string, Bindings> bindings_;  ///< By namespace.
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ACCESS_RBAC_POLICY_H_
