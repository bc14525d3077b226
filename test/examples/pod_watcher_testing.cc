#include "test/examples/pod_watcher_testing.h"

#include <utility>

#include "src/base/base64.h"

namespace kinformer::testing_support {

using nlohmann::json;

json PodJson(const std::string& name, const std::string& version, const std::string& phase) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", name}, {"namespace", "default"}, {"uid", "u-" + name}, {"resourceVersion", version}}},
          {"spec", {{"nodeName", "n1"}, {"containers", json::array({{{"name", "c"}, {"image", "nginx:1"}}})}}},
          {"status", {{"phase", phase}}}};
}

json PodListJson(const std::vector<json>& pods, json metadata) {
  return {{"apiVersion", "v1"}, {"kind", "PodList"}, {"metadata", std::move(metadata)}, {"items", pods}};
}

std::string EventLine(const std::string& type, const json& object) {
  return json{{"type", type}, {"object", object}}.dump() + "\n";
}

std::string WriteKubeconfig(const TempDir& dir, const ScriptedServer& server) {
  return dir.Write("config",
                   "apiVersion: v1\nkind: Config\ncurrent-context: test\n"
                   "clusters: [{name: c, cluster: {server: '" +
                       server.url() + "', certificate-authority-data: " + internal::EncodeBase64(server.ca_pem()) +
                       "}}]\n"
                       "users: [{name: u, user: {token: sesame}}]\n"
                       "contexts: [{name: test, context: {cluster: c, user: u}}]\n");
}

}  // namespace kinformer::testing_support
