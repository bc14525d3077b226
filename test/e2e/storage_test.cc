// Runs both servers on one etcd, one after the other: each stores every kind under the same keys and reads what the
// other has written.

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "test/e2e/e2e_testing.h"

namespace kinformer::e2e {
namespace {

using nlohmann::json;

constexpr const char* kNamespace = "stored";

/// An object of some kind, without its name.
struct Sample {
  /// "v1", "apps/v1".
  std::string version{};
  std::string resource{};
  std::string kind{};
  bool namespaced = true;
  /// Everything besides its metadata.
  json content = json::object();

  std::string ResourcePath() const {
    return (version == "v1" ? "/api/v1" : "/apis/" + version) + "/" +
           (namespaced ? "namespaces/" + std::string(kNamespace) + "/" : "") + resource;
  }
  /// Unique per kind, so that its key can be recognized by its suffix.
  std::string Name(const std::string& server) const {
    if (kind == "CustomResourceDefinition") return server + "s.example.com";
    std::string name = server + "-" + resource + "-" + version;
    std::replace(name.begin(), name.end(), '/', '-');
    std::replace(name.begin(), name.end(), '.', '-');
    return name;
  }
  /// The suffix of the object's key.
  std::string KeyEnd(const std::string& server) const {
    return (namespaced ? "/" + std::string(kNamespace) : std::string()) + "/" + Name(server);
  }
  json Object(const std::string& server) const {
    json object = content;
    object["apiVersion"] = version;
    object["kind"] = kind;
    object["metadata"]["name"] = Name(server);
    if (namespaced) object["metadata"]["namespace"] = kNamespace;
    if (kind == "CustomResourceDefinition") {
      object["spec"]["names"] = {{"plural", server + "s"}, {"singular", server}, {"kind", "K" + server}};
    }
    return object;
  }
};

std::vector<Sample> Samples() {
  const json labels = {{"app", "a"}};
  const json pod_spec = {{"containers", {{{"name", "main"}, {"image", "example.invalid/main:1"}}}}};
  const json selector = {{"matchLabels", labels}};
  json pods = {{"metadata", {{"labels", labels}}}, {"spec", pod_spec}};
  json job_pods = pods;
  job_pods["spec"]["restartPolicy"] = "Never";
  const json workload = {{"spec", {{"selector", selector}, {"template", pods}}}};
  json stateful = workload;
  stateful["spec"]["serviceName"] = "a";
  const json storage = {{"storage", "1Gi"}};
  const json roles = {{"rules", {{{"apiGroups", {""}}, {"resources", {"pods"}}, {"verbs", {"get"}}}}}};
  const auto binding = [](const char* kind) {
    return json{{"roleRef", {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", kind}, {"name", "a"}}},
                {"subjects", {{{"kind", "User"}, {"apiGroup", "rbac.authorization.k8s.io"}, {"name", "jane"}}}}};
  };
  const json about = {{"kind", "Pod"}, {"namespace", kNamespace}, {"name", "a"}};
  const json schema = {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
  const json definition = {
      {"spec",
       {{"group", "example.com"},
        {"scope", "Namespaced"},
        {"versions",
         {{{"name", "v1"}, {"served", true}, {"storage", true}, {"schema", {{"openAPIV3Schema", schema}}}}}}}}};
  return {
      {"v1", "configmaps", "ConfigMap", true, {{"data", {{"a", "1"}}}}},
      {"v1", "endpoints", "Endpoints", true, {{"subsets", {{{"addresses", {{{"ip", "10.1.2.3"}}}}}}}}},
      {"v1", "events", "Event", true, {{"involvedObject", about}, {"reason", "Tested"}, {"message", "a"}}},
      {"v1", "namespaces", "Namespace", false, {}},
      {"v1", "nodes", "Node", false, {}},
      {"v1",
       "persistentvolumeclaims",
       "PersistentVolumeClaim",
       true,
       {{"spec", {{"accessModes", {"ReadWriteOnce"}}, {"resources", {{"requests", storage}}}}}}},
      {"v1",
       "persistentvolumes",
       "PersistentVolume",
       false,
       {{"spec", {{"accessModes", {"ReadWriteOnce"}}, {"capacity", storage}, {"hostPath", {{"path", "/nowhere"}}}}}}},
      {"v1", "pods", "Pod", true, {{"spec", pod_spec}}},
      {"v1", "podtemplates", "PodTemplate", true, {{"template", pods}}},
      {"v1",
       "replicationcontrollers",
       "ReplicationController",
       true,
       {{"spec", {{"selector", labels}, {"template", pods}}}}},
      {"v1", "secrets", "Secret", true, {{"stringData", {{"a", "1"}}}}},
      {"v1", "serviceaccounts", "ServiceAccount", true, {}},
      {"v1", "services", "Service", true, {{"spec", {{"clusterIP", "None"}, {"selector", labels}}}}},
      {"apps/v1", "controllerrevisions", "ControllerRevision", true, {{"revision", 1}, {"data", {{"a", 1}}}}},
      {"apps/v1", "daemonsets", "DaemonSet", true, workload},
      {"apps/v1", "deployments", "Deployment", true, workload},
      {"apps/v1", "replicasets", "ReplicaSet", true, workload},
      {"apps/v1", "statefulsets", "StatefulSet", true, stateful},
      {"autoscaling/v2",
       "horizontalpodautoscalers",
       "HorizontalPodAutoscaler",
       true,
       {{"spec",
         {{"maxReplicas", 3},
          {"scaleTargetRef", {{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"name", "a"}}}}}}},
      {"batch/v1",
       "cronjobs",
       "CronJob",
       true,
       {{"spec", {{"schedule", "1 1 1 1 1"}, {"jobTemplate", {{"spec", {{"template", job_pods}}}}}}}}},
      {"batch/v1", "jobs", "Job", true, {{"spec", {{"suspend", true}, {"template", job_pods}}}}},
      {"coordination.k8s.io/v1", "leases", "Lease", true, {{"spec", {{"holderIdentity", "a"}}}}},
      {"discovery.k8s.io/v1",
       "endpointslices",
       "EndpointSlice",
       true,
       {{"addressType", "IPv4"}, {"endpoints", {{{"addresses", {"10.1.2.3"}}}}}}},
      {"events.k8s.io/v1",
       "events",
       "Event",
       true,
       {{"regarding", about},
        {"reason", "Tested"},
        {"note", "a"},
        {"action", "Test"},
        {"type", "Normal"},
        {"eventTime", "2026-01-02T03:04:05.000006Z"},
        {"reportingController", "example.com/a"},
        {"reportingInstance", "a"}}},
      {"networking.k8s.io/v1", "ingressclasses", "IngressClass", false, {{"spec", {{"controller", "example.com/a"}}}}},
      {"networking.k8s.io/v1",
       "ingresses",
       "Ingress",
       true,
       {{"spec", {{"defaultBackend", {{"service", {{"name", "a"}, {"port", {{"number", 80}}}}}}}}}}},
      {"networking.k8s.io/v1", "networkpolicies", "NetworkPolicy", true, {{"spec", {{"podSelector", selector}}}}},
      {"policy/v1",
       "poddisruptionbudgets",
       "PodDisruptionBudget",
       true,
       {{"spec", {{"minAvailable", 1}, {"selector", selector}}}}},
      {"rbac.authorization.k8s.io/v1", "clusterrolebindings", "ClusterRoleBinding", false, binding("ClusterRole")},
      {"rbac.authorization.k8s.io/v1", "clusterroles", "ClusterRole", false, roles},
      {"rbac.authorization.k8s.io/v1", "rolebindings", "RoleBinding", true, binding("Role")},
      {"rbac.authorization.k8s.io/v1", "roles", "Role", true, roles},
      {"scheduling.k8s.io/v1", "priorityclasses", "PriorityClass", false, {{"value", 7}}},
      {"storage.k8s.io/v1", "storageclasses", "StorageClass", false, {{"provisioner", "example.com/a"}}},
      {"apiextensions.k8s.io/v1", "customresourcedefinitions", "CustomResourceDefinition", false, definition},
      // Kinds of CRDs that the test creates first; the second one's group looks like one of Kubernetes' own.
      {"example.com/v1", "webs", "Web", true, {{"spec", {{"a", 1}}}}},
      {"sites.example.k8s.io/v1", "sites", "Site", false, {{"spec", {{"a", 1}}}}},
      // Last, because kube-apiserver enforces them from then on.
      {"v1", "limitranges", "LimitRange", true, {{"spec", {{"limits", {{{"type", "Pod"}, {"max", {{"cpu", "1"}}}}}}}}}},
      {"v1", "resourcequotas", "ResourceQuota", true, {{"spec", {{"hard", {{"pods", "1000"}}}}}}},
  };
}

json Definition(const std::string& group, const std::string& plural, const std::string& kind, bool namespaced) {
  const json schema = {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
  json object = {
      {"apiVersion", "apiextensions.k8s.io/v1"},
      {"kind", "CustomResourceDefinition"},
      {"metadata", {{"name", plural + "." + group}}},
      {"spec",
       {{"group", group},
        {"scope", namespaced ? "Namespaced" : "Cluster"},
        {"names", {{"plural", plural}, {"kind", kind}}},
        {"versions",
         {{{"name", "v1"}, {"served", true}, {"storage", true}, {"schema", {{"openAPIV3Schema", schema}}}}}}}}};
  // Required for groups of that suffix.
  if (group.ends_with(".k8s.io"))
    object["metadata"]["annotations"] = {{"api-approved.kubernetes.io", "unapproved, test"}};
  return object;
}

class StorageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("E2E_KUBECONFIG") != nullptr) {
      GTEST_SKIP() << "needs an etcd of its own; the given cluster's is not ours to stop";
    }
    // JSON: by default kube-apiserver stores built-in kinds as protobuf, and this test is about the keys.
    cluster_ = std::make_unique<Cluster>(ServerKind::kKubeApiserver, Programs::FromEnvironment(),
                                         std::vector<std::string>{"--storage-media-type=application/json"});
    Connect();
  }
  void TearDown() override {
    client_.reset();
    cluster_.reset();
  }

  void Connect() { client_ = std::make_unique<Client>(Client::Create(cluster_->Admin()).value()); }
  void Switch(ServerKind kind) {
    client_.reset();
    cluster_->SwitchServer(kind);
    Connect();
  }

  Result<json> Ask(const std::string& method, const std::string& path, const json& body = nullptr) const {
    Request request{.method = method, .target = path};
    if (!body.is_null()) {
      request.headers = {{"Content-Type", "application/json"}};
      request.body = body.dump();
    }
    const Result<RawResponse> response = client_->Raw(std::move(request));
    if (!response) return response.error();
    return json::parse(response->body, nullptr, false);
  }
  /// Retries on 404, for a kind whose CRD was created only a moment ago.
  Result<json> AskPatiently(const std::string& method, const std::string& path, const json& body = nullptr) const {
    Result<json> answer = Ask(method, path, body);
    (void)Eventually([&] {
      if (answer || answer.error().http_status != 404) return true;
      answer = Ask(method, path, body);
      return answer.ok();
    });
    return answer;
  }

  /// All kinds as "apps/v1 deployments", except those whose objects are never stored.
  std::set<std::string> StoredKinds() const {
    std::set<std::string> versions = {"v1"};
    const Result<json> groups = Ask("GET", "/apis");
    EXPECT_TRUE(Ok(groups));
    if (!groups) return {};
    for (const json& group : (*groups)["groups"]) {
      for (const json& version : group["versions"]) versions.insert(version["groupVersion"].get<std::string>());
    }
    std::set<std::string> kinds;
    for (const std::string& version : versions) {
      const Result<json> resources = Ask("GET", version == "v1" ? "/api/v1" : "/apis/" + version);
      EXPECT_TRUE(Ok(resources));
      if (!resources) continue;
      for (const json& resource : (*resources)["resources"]) {
        const std::string name = resource["name"];
        const json& verbs = resource["verbs"];
        const auto has = [&](const char* verb) { return std::find(verbs.begin(), verbs.end(), verb) != verbs.end(); };
        if (name.find('/') == std::string::npos && has("create") && has("get")) kinds.insert(version + " " + name);
      }
    }
    return kinds;
  }

  /// Creates one object of each kind through this server.
  void CreateAll(const std::string& server) {
    for (const Sample& sample : Samples()) {
      const Result<json> created = AskPatiently("POST", sample.ResourcePath(), sample.Object(server));
      EXPECT_TRUE(Ok(created)) << sample.resource << " by " << server;
    }
  }
  /// The objects as the current server returns them, by resource.
  std::map<std::string, json> ReadAll(const std::string& server) const {
    std::map<std::string, json> objects;
    for (const Sample& sample : Samples()) {
      const Result<json> read = AskPatiently("GET", sample.ResourcePath() + "/" + sample.Name(server));
      EXPECT_TRUE(Ok(read)) << sample.resource << " of " << server;
      if (read) objects[sample.version + " " + sample.resource] = *read;
    }
    return objects;
  }
  /// The keys of the objects that this server created, by resource, without the suffix.
  std::map<std::string, std::vector<std::string>> PlacesOf(const std::string& server) const {
    const std::vector<std::string> keys = cluster_->EtcdKeys();
    std::map<std::string, std::vector<std::string>> places;
    for (const Sample& sample : Samples()) {
      const std::string end = sample.KeyEnd(server);
      auto& found = places[sample.version + " " + sample.resource];
      for (const std::string& key : keys) {
        if (key.ends_with(end)) found.push_back(key.substr(0, key.size() - end.size()));
      }
      EXPECT_EQ(found.size(), 1U) << sample.resource << " of " << server << ": " << ::testing::PrintToString(found);
    }
    return places;
  }

  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<Client> client_;
};

TEST_F(StorageTest, BothServersKeepEveryKindUnderTheSameKeysAndReadWhatTheOtherWrote) {
  ASSERT_TRUE(Ok(Ask("POST", "/api/v1/namespaces",
                     {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", kNamespace}}}})));
  const std::string definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  ASSERT_TRUE(Ok(Ask("POST", definitions, Definition("example.com", "webs", "Web", true))));
  ASSERT_TRUE(Ok(Ask("POST", definitions, Definition("sites.example.k8s.io", "sites", "Site", false))));
  CreateAll("kube");
  const std::map<std::string, json> by_kube = ReadAll("kube");
  const std::set<std::string> of_kube = StoredKinds();

  Switch(ServerKind::kKinformerApiserver);
  const std::map<std::string, json> seen_by_ours = ReadAll("kube");
  for (auto [resource, object] : by_kube) {
    ASSERT_TRUE(seen_by_ours.contains(resource)) << resource;
    // Not stored: kube-apiserver fills it in on every read, ours when the object is created.
    if (resource == "v1 persistentvolumeclaims") object["status"].erase("phase");
    EXPECT_EQ(seen_by_ours.at(resource), object)
        << resource << ": " << json::diff(object, seen_by_ours.at(resource)).dump(1);
  }
  // No kind is missing from the samples.
  std::set<std::string> samples;
  for (const Sample& sample : Samples()) samples.insert(sample.version + " " + sample.resource);
  for (const std::string& kind : StoredKinds()) {
    if (!of_kube.contains(kind) || kind == "example.com/v1 kubes") continue;
    EXPECT_TRUE(samples.contains(kind)) << kind;
  }
  CreateAll("ours");
  EXPECT_EQ(PlacesOf("ours"), PlacesOf("kube"));
  const std::map<std::string, json> by_ours = ReadAll("ours");

  Switch(ServerKind::kKubeApiserver);
  const std::map<std::string, json> seen_by_kube = ReadAll("ours");
  for (const auto& [resource, object] : by_ours) {
    ASSERT_TRUE(seen_by_kube.contains(resource)) << resource;
    // kube-apiserver adds its own defaults on every read; the identifying fields must be as stored.
    for (const char* const field : {"name", "uid", "resourceVersion", "creationTimestamp"}) {
      EXPECT_EQ(seen_by_kube.at(resource)["metadata"].value(field, ""), object["metadata"].value(field, ""))
          << resource << " " << field;
    }
  }
}

}  // namespace
}  // namespace kinformer::e2e
