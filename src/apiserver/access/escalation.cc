#include "src/apiserver/access/escalation.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kinformer::apiserver {
namespace {

Error Refused(const RequestInfo& request, const Object& object, const std::string& why) {
  const std::string name(object.Name());
  Error error{.code = ErrorCode::kServer,
              .message = request.resource + "." + request.group + " \"" + name + "\" is forbidden: " + why,
              .http_status = 403,
              .reason = "Forbidden"};
  error.details.name = name;
  error.details.group = request.group;
  error.details.kind = request.resource;
  return error;
}

bool May(const RbacPolicy& policy, const UserInfo& user, std::string verb, std::string resource, std::string name,
         std::string namespace_name) {
  RequestInfo info;
  info.is_resource_request = true;
  info.verb = std::move(verb);
  info.group = std::string(kRbacGroup);
  info.version = "v1";
  info.resource = std::move(resource);
  info.name = std::move(name);
  info.namespace_name = std::move(namespace_name);
  return policy.Check(user, info).allowed;
}

/// Describes the rights that the user does not hold; empty if the user holds all of them.
std::string NotHeld(const RbacPolicy& policy, const UserInfo& user, const std::string& namespace_name,
                    const std::vector<PolicyRule>& rules) {
  const UserRules held = policy.RulesFor(user, namespace_name);
  const Result<std::vector<PolicyRule>> missing = MissingRights(held.rules, rules);
  if (!missing) return missing.error().message;
  if (missing->empty()) return {};
  std::set<std::string> lines;
  for (const PolicyRule& rule : *missing) lines.insert(CompactText(rule));
  std::string text = "user \"" + user.name + "\" (groups=" + QuotedList(user.groups) +
                     ") is attempting to grant RBAC permissions not currently held:";
  for (const std::string& line : lines) text += "\n" + line;
  if (!held.error.empty()) text += "; resolution errors: [" + held.error + "]";
  return text;
}

std::vector<PolicyRule> RulesIn(const Object& role) {
  std::vector<PolicyRule> rules;
  for (const Value& rule : role.At("/rules").Elements()) rules.push_back(ReadPolicyRule(rule));
  return rules;
}

bool IsAggregated(const Object* role) {
  if (role == nullptr) return false;
  const Value rule = role->At("/aggregationRule");
  return rule.Exists() && !rule.IsNull();
}

Result<void> CheckRole(const RbacPolicy& policy, const UserInfo& user, const RequestInfo& request, const Object* before,
                       const Object& after) {
  const std::string& where = request.namespace_name;
  if (May(policy, user, "escalate", request.resource, std::string(after.Name()), where)) return {};
  if (std::string why = NotHeld(policy, user, where, RulesIn(after)); !why.empty()) return Refused(request, after, why);
  if (request.resource == "roles" || (!IsAggregated(before) && !IsAggregated(&after))) return {};
  // It includes the rules of future roles, so it may grant everything.
  const std::vector<PolicyRule> everything = {{.verbs = {"*"}, .api_groups = {"*"}, .resources = {"*"}},
                                              {.verbs = {"*"}, .non_resource_urls = {"*"}}};
  if (NotHeld(policy, user, where, everything).empty()) return {};
  return Refused(request, after, "must have cluster-admin privileges to use an aggregationRule");
}

Result<void> CheckBinding(const RbacPolicy& policy, const UserInfo& user, const RequestInfo& request,
                          const Object& after) {
  const RoleRef role{after.At("/roleRef/kind").StringOr(""), after.At("/roleRef/name").StringOr("")};
  const std::string resource = role.kind == "ClusterRole" ? "clusterroles" : "roles";
  if (May(policy, user, "bind", resource, role.name, request.namespace_name)) return {};
  const Result<std::vector<PolicyRule>> rules = policy.RulesOf(role, request.namespace_name);
  if (!rules) return rules.error();
  if (std::string why = NotHeld(policy, user, request.namespace_name, *rules); !why.empty()) {
    return Refused(request, after, why);
  }
  return {};
}

/// Whether only fields without effect on rights have changed, such as finalizers and ownerReferences.
bool GrantsTheSame(const Object& before, const Object& after) {
  return before.At("/rules").Raw() == after.At("/rules").Raw() &&
         before.At("/aggregationRule").Raw() == after.At("/aggregationRule").Raw() &&
         before.At("/subjects").Raw() == after.At("/subjects").Raw() &&
         before.At("/roleRef").Raw() == after.At("/roleRef").Raw() &&
         std::equal(before.Labels().begin(), before.Labels().end(), after.Labels().begin(), after.Labels().end()) &&
         std::equal(before.Annotations().begin(), before.Annotations().end(), after.Annotations().begin(),
                    after.Annotations().end());
}

}  // namespace

bool GrantsRights(const RequestInfo& request) { return request.is_resource_request && request.group == kRbacGroup; }

Result<void> CheckEscalation(const RbacPolicy& policy, const UserInfo& user, const RequestInfo& request,
                             const Object* before, const Object& after) {
  if (user.InGroup(kMastersGroup)) return {};
  if (before != nullptr && GrantsTheSame(*before, after)) return {};
  const bool role = request.resource == "roles" || request.resource == "clusterroles";
  return role ? CheckRole(policy, user, request, before, after) : CheckBinding(policy, user, request, after);
}

}  // namespace kinformer::apiserver
