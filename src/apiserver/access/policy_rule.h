#ifndef KINFORMER_SRC_APISERVER_ACCESS_POLICY_RULE_H_
#define KINFORMER_SRC_APISERVER_ACCESS_POLICY_RULE_H_

// In:     the rules of roles
// Out:    whether a rule allows a request; the rights in some rules that others lack
// Thread: any; pure
// Next:   RbacPolicy

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>

#include "src/apiserver/access/request_info.h"

namespace kinformer::apiserver {

/// One of the `rules` in a Role or ClusterRole.
struct PolicyRule {
  std::vector<std::string> verbs{};
  std::vector<std::string> api_groups{};
  /// "pods", "pods/status", "*/scale", "*".
  std::vector<std::string> resources{};
  /// Empty: every object.
  std::vector<std::string> resource_names{};
  /// "/healthz", "/apis/*", "*".
  std::vector<std::string> non_resource_urls{};

  auto operator<=>(const PolicyRule&) const = default;
};

/// Members of the wrong type count as absent, and so grant nothing.
PolicyRule ReadPolicyRule(const Value& rule);

/// `name`: the request's NameForAccess.
bool Allows(const PolicyRule& rule, const RequestInfo& request, std::string_view name);

/// Maximum number of single rights (one verb on one resource) to compare at once.
inline constexpr std::size_t kMaxComparedRights = 20'000;
/// The rights in `wanted` that no rule in `held` grants, grouped by resource. kTooLarge: too many to compare.
Result<std::vector<PolicyRule>> MissingRights(const std::vector<PolicyRule>& held,
                                              const std::vector<PolicyRule>& wanted);

/// {APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}
std::string CompactText(const PolicyRule& rule);
/// ["a" "b"]
std::string QuotedList(const std::vector<std::string>& texts);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ACCESS_POLICY_RULE_H_
