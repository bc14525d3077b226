#include "src/apiserver/access/rbac_policy.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <set>

#include <kinformer/meta/selector.h>

#include "src/views/read.h"

namespace kinformer::apiserver {
namespace {

std::string MissingRole(const RoleRef& role) {
  const std::string_view kind = role.kind == "ClusterRole" ? "clusterrole" : "role";
  return std::string(kind) + "." + std::string(kRbacGroup) + " \"" + role.name + "\" not found";
}

/// As Go prints an aggregate error: one as it is, several in brackets without duplicates.
std::string Joined(const std::vector<std::string>& errors) {
  std::vector<std::string_view> each;
  for (const std::string& error : errors) {
    if (std::find(each.begin(), each.end(), error) == each.end()) each.push_back(error);
  }
  if (each.empty()) return {};
  if (each.size() == 1) return std::string(each.front());
  std::string text = "[";
  for (const std::string_view error : each) text += (text.size() > 1 ? ", " : "") + std::string(error);
  return text + "]";
}

std::vector<PolicyRule> ReadRules(const Object& role) {
  std::vector<PolicyRule> rules;
  for (const Value& rule : role.At("/rules").Elements()) rules.push_back(ReadPolicyRule(rule));
  return rules;
}

/// The ClusterRoles, and which ones the aggregated roles select.
class Aggregation {
 public:
  explicit Aggregation(const std::vector<ObjectPtr>& roles) : roles_(roles), selected_(roles.size()) {
    for (std::size_t i = 0; i < roles.size(); ++i) {
      const Value rule = roles[i]->At("/aggregationRule");
      if (!rule.Exists() || rule.IsNull()) continue;
      selected_[i].emplace();
      for (const Value& text : rule.At("/clusterRoleSelectors").Elements()) {
        const Result<LabelSelector> selector = internal::Selector(text);
        if (!selector) continue;
        for (std::size_t other = 0; other < roles.size(); ++other) {
          if (other != i && selector->Matches(roles[other]->Labels())) selected_[i]->insert(other);
        }
      }
    }
  }

  /// For an aggregated role the rules of all roles it reaches. Cycles are handled.
  std::vector<PolicyRule> RulesOf(std::size_t role) const {
    if (!selected_[role]) return ReadRules(*roles_[role]);
    std::set<std::size_t> seen = {role};
    std::deque<std::size_t> waiting = {role};
    std::set<PolicyRule> each;
    std::vector<PolicyRule> rules;
    while (!waiting.empty()) {
      const std::size_t next = waiting.front();
      waiting.pop_front();
      if (!selected_[next]) {
        for (PolicyRule& rule : ReadRules(*roles_[next])) {
          if (each.insert(rule).second) rules.push_back(std::move(rule));
        }
        continue;
      }
      for (const std::size_t other : *selected_[next]) {
        if (seen.insert(other).second) waiting.push_back(other);
      }
    }
    return rules;
  }

 private:
  const std::vector<ObjectPtr>& roles_;
  std::vector<std::optional<std::set<std::size_t>>> selected_;  ///< Unset: not aggregated, has its own rules.
};

}  // namespace

RbacPolicy::RbacPolicy(const RbacObjects& objects) {
  AddClusterRoles(objects.cluster_roles);
  for (const ObjectPtr& role : objects.roles) {
    roles_[{std::string(role->Namespace()), std::string(role->Name())}] = ReadRules(*role);
  }
  for (const ObjectPtr& binding : objects.cluster_role_bindings) AddBinding(*binding, cluster_bindings_);
  for (const ObjectPtr& binding : objects.role_bindings) {
    AddBinding(*binding, bindings_[std::string(binding->Namespace())]);
  }
}

void RbacPolicy::AddClusterRoles(const std::vector<ObjectPtr>& objects) {
  const Aggregation aggregation(objects);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    cluster_roles_[std::string(objects[i]->Name())] = aggregation.RulesOf(i);
  }
}

std::string RbacPolicy::KeyOf(const Subject& subject, const std::string& binding_namespace) {
  if (subject.kind == "User") return "U:" + subject.name;
  if (subject.kind == "Group") return "G:" + subject.name;
  if (subject.kind != "ServiceAccount") return {};
  const std::string& where = subject.namespace_name.empty() ? binding_namespace : subject.namespace_name;
  if (where.empty()) return {};
  return "U:" + std::string(kServiceAccountPrefix) + where + ":" + subject.name;
}

void RbacPolicy::AddBinding(const Object& object, Bindings& bindings) {
  Binding binding{.namespace_name = std::string(object.Namespace()),
                  .name = std::string(object.Name()),
                  .role = {object.At("/roleRef/kind").StringOr(""), object.At("/roleRef/name").StringOr("")}};
  const std::size_t place = bindings.list.size();
  for (const Value& subject : object.At("/subjects").Elements()) {
    const Subject& read =
        binding.subjects.emplace_back(Subject{.kind = subject.At("/kind").StringOr(""),
                                              .name = subject.At("/name").StringOr(""),
                                              .namespace_name = subject.At("/namespace").StringOr("")});
    const std::string key = KeyOf(read, binding.namespace_name);
    if (key.empty()) continue;
    std::vector<std::size_t>& places = bindings.by_subject[key];
    if (places.empty() || places.back() != place) places.push_back(place);
  }
  bindings.list.push_back(std::move(binding));
}

const RbacPolicy::Rules* RbacPolicy::Find(const RoleRef& role, const std::string& namespace_name) const {
  if (role.kind == "ClusterRole") {
    const auto found = cluster_roles_.find(role.name);
    return found == cluster_roles_.end() ? nullptr : &found->second;
  }
  const auto found = roles_.find({namespace_name, role.name});
  return role.kind != "Role" || found == roles_.end() ? nullptr : &found->second;
}

std::string RbacPolicy::Describe(const Binding& binding, const UserInfo& user) {
  std::string text = binding.namespace_name.empty()
                         ? "ClusterRoleBinding \"" + binding.name + "\""
                         : "RoleBinding \"" + binding.name + "/" + binding.namespace_name + "\"";
  text += " of " + binding.role.kind + " \"" + binding.role.name + "\" to ";
  for (const Subject& subject : binding.subjects) {
    const std::string key = KeyOf(subject, binding.namespace_name);
    const bool matches = key == "U:" + user.name || (subject.kind == "Group" && user.InGroup(subject.name));
    if (!matches) continue;
    text += subject.kind + " \"" + subject.name;
    if (subject.kind == "ServiceAccount") {
      text += "/" + (subject.namespace_name.empty() ? binding.namespace_name : subject.namespace_name);
    }
    return text + "\"";
  }
  return text;
}

template <typename Visit>
void RbacPolicy::VisitRules(const UserInfo& user, const std::string& namespace_name, Visit visit) const {
  std::vector<std::string> keys = {"U:" + user.name};
  for (const std::string& group : user.groups) keys.push_back("G:" + group);
  const auto visit_all = [&](const Bindings& bindings) {
    std::vector<std::size_t> matches;
    for (const std::string& key : keys) {
      const auto found = bindings.by_subject.find(key);
      if (found != bindings.by_subject.end()) matches.insert(matches.end(), found->second.begin(), found->second.end());
    }
    std::sort(matches.begin(), matches.end());
    matches.erase(std::unique(matches.begin(), matches.end()), matches.end());
    return std::all_of(matches.begin(), matches.end(), [&](std::size_t place) {
      const Binding& binding = bindings.list[place];
      return visit(binding, Find(binding.role, binding.namespace_name));
    });
  };
  if (!visit_all(cluster_bindings_) || namespace_name.empty()) return;
  if (const auto found = bindings_.find(namespace_name); found != bindings_.end()) visit_all(found->second);
}

AccessDecision RbacPolicy::Check(const UserInfo& user, const RequestInfo& request) const {
  if (user.InGroup(kMastersGroup)) return {.allowed = true};
  AccessDecision decision;
  std::vector<std::string> missing;
  const std::string name = request.NameForAccess();
  VisitRules(user, request.namespace_name, [&](const Binding& binding, const Rules* rules) {
    if (rules == nullptr) {
      missing.push_back(MissingRole(binding.role));
      return true;
    }
    decision.allowed =
        std::any_of(rules->begin(), rules->end(), [&](const PolicyRule& rule) { return Allows(rule, request, name); });
    if (decision.allowed) decision.reason = "RBAC: allowed by " + Describe(binding, user);
    return !decision.allowed;
  });
  if (!decision.allowed && !missing.empty()) decision.reason = "RBAC: " + Joined(missing);
  return decision;
}

UserRules RbacPolicy::RulesFor(const UserInfo& user, const std::string& namespace_name) const {
  UserRules result;
  std::vector<std::string> missing;
  VisitRules(user, namespace_name, [&](const Binding& binding, const Rules* rules) {
    if (rules == nullptr) {
      missing.push_back(MissingRole(binding.role));
    } else {
      result.rules.insert(result.rules.end(), rules->begin(), rules->end());
    }
    return true;
  });
  result.error = Joined(missing);
  return result;
}

Result<std::vector<PolicyRule>> RbacPolicy::RulesOf(const RoleRef& role, const std::string& namespace_name) const {
  const Rules* rules = Find(role, namespace_name);
  if (rules != nullptr) return *rules;
  Error error{.code = ErrorCode::kServer,
              .message = MissingRole(role),
              .http_status = 404,
              .reason = "NotFound",
              .details = {}};
  error.details.name = role.name;
  error.details.group = std::string(kRbacGroup);
  error.details.kind = role.kind == "ClusterRole" ? "clusterrole" : "role";
  return error;
}

}  // namespace kinformer::apiserver
