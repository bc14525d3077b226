#ifndef KINFORMER_TEST_APISERVER_ACCESS_RBAC_OBJECTS_H_
#define KINFORMER_TEST_APISERVER_ACCESS_RBAC_OBJECTS_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <kinformer/codec/object.h>

#include "src/apiserver/access/rbac_policy.h"

namespace kinformer::apiserver {

inline ObjectPtr RbacObject(const std::string& kind, const std::string& namespace_name, const std::string& name,
                            nlohmann::json rest) {
  rest["apiVersion"] = "rbac.authorization.k8s.io/v1";
  rest["kind"] = kind;
  rest["metadata"]["name"] = name;
  if (!namespace_name.empty()) rest["metadata"]["namespace"] = namespace_name;
  return Object::FromJson(rest).value();
}

inline ObjectPtr Role(const std::string& namespace_name, const std::string& name, const nlohmann::json& rules) {
  return RbacObject("Role", namespace_name, name, {{"rules", rules}});
}
inline ObjectPtr ClusterRole(const std::string& name, const nlohmann::json& rules,
                             const nlohmann::json& labels = nlohmann::json::object()) {
  return RbacObject("ClusterRole", "", name, {{"metadata", {{"labels", labels}}}, {"rules", rules}});
}
inline nlohmann::json User(const std::string& name) { return {{"kind", "User"}, {"name", name}}; }
inline nlohmann::json Group(const std::string& name) { return {{"kind", "Group"}, {"name", name}}; }
inline nlohmann::json Account(const std::string& namespace_name, const std::string& name) {
  return {{"kind", "ServiceAccount"}, {"namespace", namespace_name}, {"name", name}};
}
/// `role`: "ClusterRole/view" or "Role/reader". `subjects`: one subject, or an array of them.
inline ObjectPtr Binding(const std::string& namespace_name, const std::string& name, const std::string& role,
                         const nlohmann::json& subjects) {
  const std::size_t slash = role.find('/');
  return RbacObject(namespace_name.empty() ? "ClusterRoleBinding" : "RoleBinding", namespace_name, name,
                    {{"roleRef", {{"kind", role.substr(0, slash)}, {"name", role.substr(slash + 1)}}},
                     {"subjects", subjects.is_array() ? subjects : nlohmann::json::array({subjects})}});
}

/// Parses a request line such as "GET /api/v1/pods?watch=1".
inline RequestInfo Asked(const std::string& line) {
  const std::size_t blank = line.find(' ');
  const std::string target = line.substr(blank + 1);
  const std::size_t mark = target.find('?');
  return ParseRequestInfo(line.substr(0, blank), target.substr(0, mark),
                          mark == std::string::npos ? "" : target.substr(mark + 1))
      .value();
}

}  // namespace kinformer::apiserver

#endif  // KINFORMER_TEST_APISERVER_ACCESS_RBAC_OBJECTS_H_
