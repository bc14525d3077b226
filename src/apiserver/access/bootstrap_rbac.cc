#include "src/apiserver/access/bootstrap_rbac.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "src/apiserver/access/user_info.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using Texts = std::vector<std::string>;

const Texts kRead = {"get", "list", "watch"};
const Texts kWrite = {"create", "delete", "deletecollection", "patch", "update"};
const Texts kReadWrite = {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};

json Metadata(const std::string& name, const std::map<std::string, std::string>& labels = {}) {
  json metadata = {{"name", name},
                   {"labels", {{"kubernetes.io/bootstrapping", "rbac-defaults"}}},
                   {"annotations", {{"rbac.authorization.kubernetes.io/autoupdate", "true"}}}};
  for (const auto& [key, value] : labels) metadata["labels"][key] = value;
  return metadata;
}

json Rule(const Texts& verbs, const std::string& group, const Texts& resources) {
  return {{"apiGroups", {group}}, {"resources", resources}, {"verbs", verbs}};
}

json Role(const std::string& name, json rules, const std::map<std::string, std::string>& labels = {}) {
  return {{"apiVersion", "rbac.authorization.k8s.io/v1"},
          {"kind", "ClusterRole"},
          {"metadata", Metadata(name, labels)},
          {"rules", std::move(rules)}};
}

std::string AggregateTo(const std::string& role) { return "rbac.authorization.k8s.io/aggregate-to-" + role; }

/// A role with the rules of all roles that have the matching aggregate-to label.
json AggregatedRole(const std::string& name, const std::map<std::string, std::string>& labels = {}) {
  json role = Role(name, json::array(), labels);
  role["aggregationRule"] = {{"clusterRoleSelectors", {{{"matchLabels", {{AggregateTo(name), "true"}}}}}}};
  return role;
}

json Binding(const std::string& name, const std::vector<std::string_view>& groups) {
  json subjects = json::array();
  for (const std::string_view group : groups) {
    subjects.push_back({{"kind", "Group"}, {"apiGroup", "rbac.authorization.k8s.io"}, {"name", std::string(group)}});
  }
  return {{"apiVersion", "rbac.authorization.k8s.io/v1"},
          {"kind", "ClusterRoleBinding"},
          {"metadata", Metadata(name)},
          {"roleRef", {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", name}}},
          {"subjects", std::move(subjects)}};
}

json ViewRules() {
  return json::array({Rule(kRead, "",
                           {"configmaps", "endpoints", "persistentvolumeclaims", "persistentvolumeclaims/status",
                            "pods", "replicationcontrollers", "replicationcontrollers/scale", "serviceaccounts",
                            "services", "services/status"}),
                      Rule(kRead, "",
                           {"bindings", "events", "limitranges", "namespaces/status", "pods/log", "pods/status",
                            "replicationcontrollers/status", "resourcequotas", "resourcequotas/status"}),
                      Rule(kRead, "", {"namespaces"}), Rule(kRead, "discovery.k8s.io", {"endpointslices"}),
                      Rule(kRead, "apps",
                           {"controllerrevisions", "daemonsets", "daemonsets/status", "deployments",
                            "deployments/scale", "deployments/status", "replicasets", "replicasets/scale",
                            "replicasets/status", "statefulsets", "statefulsets/scale", "statefulsets/status"}),
                      Rule(kRead, "autoscaling", {"horizontalpodautoscalers", "horizontalpodautoscalers/status"}),
                      Rule(kRead, "batch", {"cronjobs", "cronjobs/status", "jobs", "jobs/status"}),
                      Rule(kRead, "networking.k8s.io", {"ingresses", "ingresses/status", "networkpolicies"}),
                      Rule(kRead, "policy", {"poddisruptionbudgets", "poddisruptionbudgets/status"})});
}

json EditRules() {
  return json::array(
      {Rule(kRead, "", {"pods/attach", "pods/exec", "pods/portforward", "pods/proxy", "secrets", "services/proxy"}),
       Rule({"impersonate"}, "", {"serviceaccounts"}),
       Rule(kWrite, "", {"pods", "pods/attach", "pods/exec", "pods/portforward", "pods/proxy"}),
       Rule({"create"}, "", {"pods/eviction"}),
       Rule(kWrite, "",
            {"configmaps", "events", "persistentvolumeclaims", "replicationcontrollers", "replicationcontrollers/scale",
             "secrets", "serviceaccounts", "services", "services/proxy"}),
       Rule({"create"}, "", {"serviceaccounts/token"}),
       Rule(kWrite, "apps",
            {"daemonsets", "deployments", "deployments/rollback", "deployments/scale", "replicasets",
             "replicasets/scale", "statefulsets", "statefulsets/scale"}),
       Rule(kWrite, "autoscaling", {"horizontalpodautoscalers"}), Rule(kWrite, "batch", {"cronjobs", "jobs"}),
       Rule(kWrite, "networking.k8s.io", {"ingresses", "networkpolicies"}),
       Rule(kWrite, "policy", {"poddisruptionbudgets"}), Rule(kReadWrite, "coordination.k8s.io", {"leases"})});
}

json AdminRules() {
  return json::array({Rule({"create"}, "authorization.k8s.io", {"localsubjectaccessreviews"}),
                      Rule(kReadWrite, "rbac.authorization.k8s.io", {"rolebindings", "roles"})});
}

json Urls(const Texts& urls) { return json::array({{{"nonResourceURLs", urls}, {"verbs", {"get"}}}}); }

}  // namespace

std::vector<json> BootstrapRbacObjects() {
  return {
      Role("cluster-admin", json::array({Rule({"*"}, "*", {"*"}), {{"nonResourceURLs", {"*"}}, {"verbs", {"*"}}}})),
      AggregatedRole("admin"),
      AggregatedRole("edit", {{AggregateTo("admin"), "true"}}),
      AggregatedRole("view", {{AggregateTo("edit"), "true"}}),
      Role("system:aggregate-to-admin", AdminRules(), {{AggregateTo("admin"), "true"}}),
      Role("system:aggregate-to-edit", EditRules(), {{AggregateTo("edit"), "true"}}),
      Role("system:aggregate-to-view", ViewRules(), {{AggregateTo("view"), "true"}}),
      Role("system:discovery", Urls({"/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi",
                                     "/openapi/*", "/readyz", "/version", "/version/"})),
      Role("system:basic-user", json::array({Rule({"create"}, "authorization.k8s.io",
                                                  {"selfsubjectaccessreviews", "selfsubjectrulesreviews"}),
                                             Rule({"create"}, "authentication.k8s.io", {"selfsubjectreviews"})})),
      Role("system:public-info-viewer", Urls({"/healthz", "/livez", "/readyz", "/version", "/version/"})),
      Binding("cluster-admin", {kMastersGroup}),
      Binding("system:discovery", {kAuthenticatedGroup}),
      Binding("system:basic-user", {kAuthenticatedGroup}),
      Binding("system:public-info-viewer", {kAuthenticatedGroup, kUnauthenticatedGroup}),
  };
}

}  // namespace kinformer::apiserver
