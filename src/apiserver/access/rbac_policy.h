#ifndef KINFORMER_SRC_APISERVER_ACCESS_RBAC_POLICY_H_
#define KINFORMER_SRC_APISERVER_ACCESS_RBAC_POLICY_H_

// In:     Roles, ClusterRoles and their bindings
// Out:    whether a user may do what a request asks for, and all that he may do
// Thread: any; constant
// Next:   RbacAuthorizer, which keeps one current

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

/// What a user may do.
struct UserRules {
  std::vector<PolicyRule> rules{};
  /// Bindings of his whose role is not there: "[a, b]"; empty: none.
  std::string error{};
};

/// The `roleRef` of a binding.
struct RoleRef {
  std::string kind{};
  std::string name{};
};

/// The rules of a cluster at one time, compiled: a question costs what the asking user's own bindings cost.
///
/// @par Thread Safety
/// Constant; any thread.
class RbacPolicy {
 public:
  RbacPolicy() = default;
  /// ClusterRoles with an aggregationRule have the rules of those that it selects, also of such that are aggregated
  /// themselves.
  explicit RbacPolicy(const RbacObjects& objects);

  /// With the reason of a real server: which binding allowed it, or which roles are missing.
  AccessDecision Check(const UserInfo& user, const RequestInfo& request) const;
  /// In one namespace, with what he may do everywhere; empty: only the latter.
  UserRules RulesFor(const UserInfo& user, const std::string& namespace_name) const;
  /// Those of the role that a binding in that namespace (empty: a ClusterRoleBinding) names. 404: there is none.
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
  /// By subject ("U:jane", "G:devs"), places in `list` in their order.
  struct Bindings {
    std::vector<Binding> list{};
    std::unordered_map<std::string, std::vector<std::size_t>> by_subject{};
  };
  using Rules = std::vector<PolicyRule>;

  static void AddBinding(const Object& object, Bindings& bindings);
  void AddClusterRoles(const std::vector<ObjectPtr>& objects);
  /// The role's rules, or why there are none.
  const Rules* Find(const RoleRef& role, const std::string& namespace_name) const;
  static std::string KeyOf(const Subject& subject, const std::string& binding_namespace);
  static std::string Describe(const Binding& binding, const UserInfo& user);

  /// visit(binding, rules), rules null where the role is missing, until it returns false.
  template <typename Visit>
  void VisitRules(const UserInfo& user, const std::string& namespace_name, Visit visit) const;

  std::unordered_map<std::string, Rules> cluster_roles_;
  std::map<std::pair<std::string, std::string>, Rules> roles_;
  Bindings cluster_bindings_;
  std::unordered_map<std::string, Bindings> bindings_;  ///< By namespace.
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ACCESS_RBAC_POLICY_H_
