#include <gmock/gmock.h>

#include <sys/stat.h>

#include <kinformer/base/fake_clock.h>
#include <kinformer/informer/shared_informer_factory.h>
#include <kinformer/meta/status_error.h>

#include "test/apiserver/server/server_fixture.h"
#include "test/support/leak_check.h"
#include "test/support/temp_dir.h"
#include "test/support/test_ca.h"

namespace kinformer {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

std::vector<std::string> Names(const ObjectList& list) {
  std::vector<std::string> names;
  for (const ObjectPtr& item : list.items) names.push_back(ToString(item->Key()));
  return names;
}

TEST_F(ServerTest, AnObjectIsCreatedReadChangedAndDeleted) {
  StartServer();
  const Result<ObjectPtr> created = ConfigMaps().Create(*ConfigMap("a"));
  ASSERT_TRUE(created) << ToString(created.error());
  EXPECT_FALSE((*created)->Uid().empty());
  EXPECT_FALSE((*created)->ResourceVersion().empty());
  EXPECT_TRUE((*created)->CreationTimestamp());

  const Result<ObjectPtr> read = ConfigMaps().Get({"default", "a"});
  ASSERT_TRUE(read) << ToString(read.error());
  EXPECT_EQ((*read)->Json(), (*created)->Json());

  json changed = (*read)->ToJson();
  changed["data"]["value"] = "2";
  const Result<ObjectPtr> updated = ConfigMaps().Update(*Parsed(changed));
  ASSERT_TRUE(updated) << ToString(updated.error());
  EXPECT_NE((*updated)->ResourceVersion(), (*created)->ResourceVersion());

  const Result<ObjectPtr> stale = ConfigMaps().Update(*Parsed(changed));
  ASSERT_FALSE(stale);
  EXPECT_TRUE(IsConflict(stale.error())) << ToString(stale.error());
  EXPECT_EQ(stale.error().details.kind, "configmaps");

  const Result<ObjectPtr> patched = ConfigMaps().Patch({"default", "a"}, PatchType::kMerge, R"({"data":{"more":"x"}})");
  ASSERT_TRUE(patched) << ToString(patched.error());
  EXPECT_EQ((*patched)->At("/data/more").AsString(), "x");

  const Result<DeleteResult> deleted = ConfigMaps().Delete({"default", "a"});
  ASSERT_TRUE(deleted) << ToString(deleted.error());
  EXPECT_EQ(deleted->pending, nullptr);
  const Result<ObjectPtr> gone = ConfigMaps().Get({"default", "a"});
  ASSERT_FALSE(gone);
  EXPECT_TRUE(IsNotFound(gone.error()));
  EXPECT_EQ(gone.error().message, "configmaps \"a\" not found");
}

TEST_F(ServerTest, TheNamespacesOfANewClusterAreThereAndOthersAreMissed) {
  StartServer();
  EXPECT_THAT(Names(Namespaces().List().value()),
              ElementsAre("default", "kube-node-lease", "kube-public", "kube-system"));
  const Result<ObjectPtr> nowhere = ConfigMaps().Create(*ConfigMap("a", "1", "nowhere"));
  ASSERT_FALSE(nowhere);
  EXPECT_TRUE(IsNotFound(nowhere.error())) << ToString(nowhere.error());
  // Listing in a namespace that does not exist is not an error.
  EXPECT_TRUE(ConfigMaps().List({.namespace_name = "nowhere"}).value().items.empty());
}

TEST_F(ServerTest, ListsSelectByLabelFieldAndNamespace) {
  StartServer();
  ASSERT_TRUE(
      Namespaces().Create(*Parsed({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "other"}}}})));
  for (const char* name : {"b", "a", "c"}) ASSERT_TRUE(ConfigMaps().Create(*ConfigMap(name, name)));
  ASSERT_TRUE(ConfigMaps().Create(*ConfigMap("a", "a", "other")));
  EXPECT_THAT(Names(ConfigMaps().List({.namespace_name = "default"}).value()),
              ElementsAre("default/a", "default/b", "default/c"));
  EXPECT_THAT(Names(ConfigMaps().List({.label_selector = "value in (a,b)"}).value()),
              ElementsAre("default/a", "default/b", "other/a"));
  EXPECT_THAT(Names(ConfigMaps().List({.field_selector = "metadata.name=a"}).value()),
              ElementsAre("default/a", "other/a"));
  EXPECT_THAT(Names(ConfigMaps().List({.namespace_name = "other", .field_selector = "metadata.name=a"}).value()),
              ElementsAre("other/a"));
  const Result<ObjectList> unknown = ConfigMaps().List({.field_selector = "spec.nodeName=x"});
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(IsBadRequest(unknown.error())) << ToString(unknown.error());
}

TEST_F(ServerTest, ItemsOfATypedListHaveNoKindAndAnEmptyListIsNotNull) {
  StartServer();
  EXPECT_EQ(RawJson("/api/v1/configmaps")["items"], json::array());
  ASSERT_TRUE(ConfigMaps().Create(*ConfigMap("a")));
  ASSERT_TRUE(ConfigMaps().Create(*ConfigMap("b")));
  const json list = RawJson("/api/v1/namespaces/default/configmaps");
  EXPECT_EQ(list["kind"], "ConfigMapList");
  EXPECT_EQ(list["apiVersion"], "v1");
  ASSERT_EQ(list["items"].size(), 2U);
  EXPECT_FALSE(list["items"][0].contains("kind"));
  EXPECT_FALSE(list["items"][0].contains("apiVersion"));
  EXPECT_EQ(list["items"][1]["metadata"]["name"], "b");
}

TEST_F(ServerTest, PagesOfAListAreOfOneVersion) {
  StartServer();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(ConfigMaps().Create(*ConfigMap("c" + std::to_string(i))));
  const Result<ObjectList> first = ConfigMaps().ListPage({}, {.limit = 2});
  ASSERT_TRUE(first) << ToString(first.error());
  EXPECT_EQ(first->items.size(), 2U);
  EXPECT_EQ(first->metadata.remaining_item_count, 3);
  ASSERT_TRUE(ConfigMaps().Delete({"default", "c4"}));
  std::vector<std::string> all = Names(*first);
  ListOptions next{.limit = 2, .continue_token = first->metadata.continue_token};
  while (!next.continue_token.empty()) {
    const Result<ObjectList> page = ConfigMaps().ListPage({}, next);
    ASSERT_TRUE(page) << ToString(page.error());
    EXPECT_EQ(page->metadata.resource_version, first->metadata.resource_version);
    for (const std::string& name : Names(*page)) all.push_back(name);
    next.continue_token = page->metadata.continue_token;
  }
  EXPECT_THAT(all, ElementsAre("default/c0", "default/c1", "default/c2", "default/c3", "default/c4"));
}

TEST_F(ServerTest, AListOfTheFutureTimesOutWithACause) {
  StartServer();
  const Result<ObjectList> future = ConfigMaps().List({}, {.resource_version = "100000", .limit = 0});
  ASSERT_FALSE(future);
  EXPECT_EQ(future.error().http_status, 504);
  EXPECT_TRUE(IsTooLargeResourceVersion(future.error()));
  EXPECT_EQ(future.error().retry_after, std::chrono::seconds(1));
}

TEST_F(ServerTest, AWatchTellsWhatIsThereAndThenWhatHappens) {
  StartServer();
  ASSERT_TRUE(ConfigMaps().Create(*ConfigMap("a")));
  Result<WatchStream> watch = ConfigMaps().Watch({.namespace_name = "default"});
  ASSERT_TRUE(watch) << ToString(watch.error());
  EXPECT_EQ(NextLine(*watch), "ADDED default/a");
  EXPECT_EQ(NextLine(*watch), "BOOKMARK initial-events-end");
  ASSERT_TRUE(ConfigMaps().Create(*ConfigMap("b")));
  ASSERT_TRUE(ConfigMaps().Update(*ConfigMap("b", "2")));
  ASSERT_TRUE(ConfigMaps().Delete({"default", "b"}));
  EXPECT_EQ(NextLine(*watch), "ADDED default/b");
  EXPECT_EQ(NextLine(*watch), "MODIFIED default/b");
  EXPECT_EQ(NextLine(*watch), "DELETED default/b");
}

TEST_F(ServerTest, BindingAPodIsADeletionToOneWatcherAndAnAdditionToAnother) {
  StartServer();
  ASSERT_TRUE(Pods().Create(*Pod("p")));
  Result<WatchStream> scheduler = Pods().Watch({.field_selector = "spec.nodeName="}, {.allow_bookmarks = false});
  Result<WatchStream> kubelet = Pods().Watch({.field_selector = "spec.nodeName=n1"}, {.allow_bookmarks = false});
  ASSERT_TRUE(scheduler && kubelet);
  EXPECT_EQ(NextLine(*scheduler), "ADDED default/p");
  ASSERT_TRUE(Pods().Patch({"default", "p"}, PatchType::kMerge, R"({"spec":{"nodeName":"n1"}})"));
  EXPECT_EQ(NextLine(*scheduler), "DELETED default/p");
  EXPECT_EQ(NextLine(*kubelet), "ADDED default/p");
}

TEST_F(ServerTest, TooOldAVersionIsAnErrorEventAndThenTheEnd) {
  ApiServerOptions options;
  StartServer(options);
  // A cache's ring starts with a capacity of a hundred events.
  ASSERT_TRUE(ConfigMaps().Create(*ConfigMap("a")));
  const std::string first(ConfigMaps().Get({"default", "a"}).value()->ResourceVersion());
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(ConfigMaps().Update(*ConfigMap("a", std::to_string(i))));
  Result<WatchStream> watch = ConfigMaps().Watch({}, {.resource_version = "1"});
  ASSERT_TRUE(watch) << ToString(watch.error());
  EXPECT_EQ(NextLine(*watch), "ERROR 410");
  EXPECT_EQ(NextLine(*watch), "END");
  Result<WatchStream> good = ConfigMaps().Watch({}, {.resource_version = first});
  ASSERT_TRUE(good);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(NextLine(*good), "MODIFIED default/a");
}

TEST_F(ServerTest, AWatchEndsWhenItsTimeIsUp) {
  StartServer();
  const auto begin = std::chrono::steady_clock::now();
  Result<WatchStream> watch = ConfigMaps().Watch({}, {.allow_bookmarks = false, .timeout = std::chrono::seconds(2)});
  ASSERT_TRUE(watch);
  EXPECT_EQ(NextLine(*watch), "END");
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(took, std::chrono::milliseconds(1900));
  EXPECT_LT(took, std::chrono::seconds(6));
}

TEST_F(ServerTest, TimeIsThatOfTheClockThatWasGiven) {
  const auto clock = std::make_shared<FakeClock>();
  StartServer({.clock = clock});
  const Result<ObjectPtr> created = ConfigMaps().Create(*ConfigMap("a"));
  ASSERT_TRUE(created) << ToString(created.error());
  EXPECT_EQ((*created)->CreationTimestamp(), "2026-01-01T00:00:00Z");
  Result<WatchStream> watch = ConfigMaps().Watch({}, {.allow_bookmarks = false, .timeout = std::chrono::minutes(10)});
  ASSERT_TRUE(watch);
  EXPECT_EQ(NextLine(*watch), "ADDED default/a");
  ASSERT_TRUE(ConfigMaps().Create(*ConfigMap("b")));
  EXPECT_EQ(NextLine(*watch), "ADDED default/b");
  clock->Advance(std::chrono::minutes(10));
  EXPECT_EQ(NextLine(*watch), "END");
}

TEST_F(ServerTest, AWatcherIsGoneSoonAfterItsClient) {
  StartServer({.garbage_collection = false});  // the collector has its own watchers
  {
    Result<WatchStream> watch = ConfigMaps().Watch({});
    ASSERT_TRUE(watch);
    EXPECT_EQ(NextLine(*watch), "BOOKMARK initial-events-end");
    EXPECT_EQ(server_->WatchCount(), 1U);
  }
  EXPECT_TRUE(Await([&] { return server_->WatchCount() == 0; }));
  // The cache's watcher is gone, too.
  const std::string metrics = Raw("/metrics").value().body;
  EXPECT_THAT(metrics, HasSubstr("apiserver_watch_cache_watchers{resource=\"configmaps\"} 0\n"));
}

TEST_F(ServerTest, LegacyWatchPathsStreamAllOrOneOfAName) {
  StartServer();
  ASSERT_TRUE(ConfigMaps().Create(*ConfigMap("a")));
  ASSERT_TRUE(ConfigMaps().Create(*ConfigMap("b")));
  for (const auto& [path, lines] : std::vector<std::pair<std::string, int>>{
           {"/api/v1/watch/configmaps", 2},
           {"/api/v1/watch/namespaces/default/configmaps", 2},
           {"/api/v1/watch/namespaces/default/configmaps/a", 1},
           {"/api/v1/watch/namespaces/default/configmaps/a?fieldSelector=metadata.name%3Da", 1}}) {
    const char separator = path.find('?') == std::string::npos ? '?' : '&';
    const Result<RawResponse> response = Raw(path + separator + "timeoutSeconds=1");
    ASSERT_TRUE(response) << path << ": " << ToString(response.error());
    EXPECT_EQ(std::count(response->body.begin(), response->body.end(), '\n'), lines) << path;
    EXPECT_THAT(response->body,
                HasSubstr("{\"type\":\"ADDED\",\"object\":{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\""));
  }
  const Result<RawResponse> conflicting =
      Raw("/api/v1/watch/namespaces/default/configmaps/a?fieldSelector=metadata.name%3Db");
  ASSERT_FALSE(conflicting);
  EXPECT_TRUE(IsBadRequest(conflicting.error())) << ToString(conflicting.error());
}

TEST_F(ServerTest, AnInformerSyncsAndFollows) {
  StartServer();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(Pods().Create(*Pod("p" + std::to_string(i))));
  SharedInformerFactory factory(*client_);
  const auto pods = factory.For<core::v1::Pod>();
  factory.Start();
  const Result<void> synced = factory.WaitForCacheSync(std::chrono::seconds(20));
  ASSERT_TRUE(synced) << ToString(synced.error());
  EXPECT_EQ(pods.Lister().List().size(), 20U);
  ASSERT_TRUE(Pods().Create(*Pod("later")));
  ASSERT_TRUE(Pods().Delete({"default", "p0"}));
  EXPECT_TRUE(Await([&] {
    return pods.Lister().Find({"default", "later"}) && !pods.Lister().Find({"default", "p0"});
  }));
}

TEST_F(ServerTest, MetadataAloneIsGivenToWhoAsksForIt) {
  StartServer();
  ASSERT_TRUE(ConfigMaps().Create(*ConfigMap("a")));
  const ResourceClient metadata = ConfigMaps().MetadataOnly();
  const Result<ObjectPtr> one = metadata.Get({"default", "a"});
  ASSERT_TRUE(one) << ToString(one.error());
  EXPECT_EQ((*one)->Kind(), "PartialObjectMetadata");
  EXPECT_EQ((*one)->Name(), "a");
  EXPECT_FALSE((*one)->At("/data").Exists());
  const Result<ObjectList> list = metadata.List();
  ASSERT_TRUE(list) << ToString(list.error());
  ASSERT_EQ(list->items.size(), 1U);
  EXPECT_FALSE(list->items[0]->At("/data").Exists());
  Result<WatchStream> watch = metadata.Watch({});
  ASSERT_TRUE(watch);
  EXPECT_EQ(NextLine(*watch), "ADDED default/a");
  EXPECT_EQ(NextLine(*watch), "BOOKMARK initial-events-end");
}

TEST_F(ServerTest, StatusAndScaleAreOnTheirOwn) {
  StartServer();
  const json deployment = {{"apiVersion", "apps/v1"},
                           {"kind", "Deployment"},
                           {"metadata", {{"name", "web"}, {"namespace", "default"}}},
                           {"spec",
                            {{"replicas", 2},
                             {"selector", {{"matchLabels", {{"app", "web"}}}}},
                             {"template",
                              {{"metadata", {{"labels", {{"app", "web"}}}}},
                               {"spec", {{"containers", {{{"name", "main"}, {"image", "nginx"}}}}}}}}}}};
  const Result<ObjectPtr> created = Deployments().Create(*Parsed(deployment));
  ASSERT_TRUE(created) << ToString(created.error());
  const Result<ObjectPtr> scaled = Deployments().ScaleTo({"default", "web"}, 5);
  ASSERT_TRUE(scaled) << ToString(scaled.error());
  EXPECT_EQ((*scaled)->Kind(), "Scale");
  EXPECT_EQ(Deployments().Get({"default", "web"}).value()->At("/spec/replicas").AsInt(), 5);
  const Result<ObjectPtr> scale = Deployments().Get({"default", "web"}, {.subresource = "scale"});
  ASSERT_TRUE(scale) << ToString(scale.error());
  EXPECT_EQ((*scale)->At("/spec/replicas").AsInt(), 5);
  json with_status = deployment;
  with_status["status"] = {{"replicas", 3}};
  with_status["spec"]["replicas"] = 9;
  ASSERT_TRUE(Deployments().UpdateStatus(*Parsed(with_status)));
  const ObjectPtr now = Deployments().Get({"default", "web"}).value();
  EXPECT_EQ(now->At("/status/replicas").AsInt(), 3);
  EXPECT_EQ(now->At("/spec/replicas").AsInt(), 5);
}

TEST_F(ServerTest, ADryRunChangesNothing) {
  StartServer();
  const std::string before = ConfigMaps().List().value().metadata.resource_version;
  const Result<ObjectPtr> tried = ConfigMaps().Create(*ConfigMap("a"), {.dry_run = true});
  ASSERT_TRUE(tried) << ToString(tried.error());
  EXPECT_FALSE(ConfigMaps().Get({"default", "a"}));
  EXPECT_EQ(ConfigMaps().List().value().metadata.resource_version, before);
}

TEST_F(ServerTest, DeleteCollectionDeletesWhatIsSelected) {
  StartServer();
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(ConfigMaps().Create(*ConfigMap(name, name)));
  const Result<void> deleted =
      ConfigMaps().DeleteCollection({.namespace_name = "default", .label_selector = "value!=b"});
  ASSERT_TRUE(deleted) << ToString(deleted.error());
  EXPECT_THAT(Names(ConfigMaps().List().value()), ElementsAre("default/b"));
}

TEST_F(ServerTest, DiscoveryNamesWhatIsServed) {
  StartServer();
  const Result<ApiCatalog> catalog = client_->GetDiscovery().Discover();
  ASSERT_TRUE(catalog) << ToString(catalog.error());
  EXPECT_TRUE(catalog->failures.empty());
  std::vector<std::string> groups;
  for (const ApiGroup& group : catalog->groups) groups.push_back(group.name);
  EXPECT_THAT(groups, IsSupersetOf({"", "apps", "batch", "coordination.k8s.io", "rbac.authorization.k8s.io"}));
  const Result<ResourceClient> deployments = client_->DynamicFor({"apps", "v1", "Deployment"});
  ASSERT_TRUE(deployments) << ToString(deployments.error());
  EXPECT_EQ(deployments->resource().gvr.resource, "deployments");
  EXPECT_EQ(RawJson("/version")["major"], "1");
  EXPECT_EQ(RawJson("/apis/apps")["preferredVersion"]["version"], "v1");
}

TEST_F(ServerTest, WhatIsNotThereIsSaidAsARealServerSaysIt) {
  StartServer();
  const Result<RawResponse> resource = Raw("/api/v1/namespaces/default/gadgets");
  ASSERT_FALSE(resource);
  EXPECT_EQ(resource.error().http_status, 404);
  EXPECT_EQ(resource.error().message, "the server could not find the requested resource");
  const Result<RawResponse> group = Raw("/apis/example.com/v1/gadgets");
  ASSERT_FALSE(group);
  EXPECT_EQ(group.error().http_status, 404);
  EXPECT_THAT(group.error().message, HasSubstr("does not have the resource gadgets in example.com/v1"))
      << "the client's words for a plain \"404 page not found\"";
  const Result<RawResponse> method = Raw("/api/v1/configmaps", "DELETE");
  ASSERT_FALSE(method);
  EXPECT_EQ(method.error().http_status, 405);
  const Result<RawResponse> protobuf = Raw("/api/v1/namespaces/default/configmaps", "POST", "k8s",
                                           {{"Content-Type", "application/vnd.kubernetes.protobuf"}});
  ASSERT_FALSE(protobuf);
  EXPECT_EQ(protobuf.error().http_status, 400);
  const Result<RawResponse> yaml = Raw("/api/v1/namespaces/default/configmaps", "POST", "metadata: {name: from-yaml}",
                                       {{"Content-Type", "application/yaml"}});
  EXPECT_TRUE(yaml.ok());
  const Result<RawResponse> cbor =
      Raw("/api/v1/namespaces/default/configmaps", "POST", "a", {{"Content-Type", "application/cbor"}});
  ASSERT_FALSE(cbor);
  EXPECT_EQ(cbor.error().http_status, 415);
  const Result<RawResponse> table = Raw("/api/v1/configmaps", "GET", "", {{"Accept", "text/html"}});
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().http_status, 406);
}

TEST_F(ServerTest, HealthAndMetricsAreServed) {
  StartServer();
  for (const char* path : {"/healthz", "/livez", "/readyz"}) EXPECT_EQ(Raw(path).value().body, "ok") << path;
  ASSERT_TRUE(ConfigMaps().List());
  const std::string metrics = Raw("/metrics").value().body;
  EXPECT_THAT(metrics, HasSubstr("apiserver_request_total{verb=\"list\",resource=\"configmaps\",code=\"200\"} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("apiserver_watch_cache_capacity{resource=\"pods\"} 100\n"));
}

TEST_F(ServerTest, OneSuiteRunsWithoutTheWatchCacheToo) {
  StartServer({.watch_cache = false});
  ASSERT_TRUE(ConfigMaps().Create(*ConfigMap("a")));
  Result<WatchStream> watch = ConfigMaps().Watch({});
  ASSERT_TRUE(watch);
  EXPECT_EQ(NextLine(*watch), "ADDED default/a");
  EXPECT_EQ(NextLine(*watch), "BOOKMARK initial-events-end");
  ASSERT_TRUE(ConfigMaps().Update(*ConfigMap("a", "2")));
  EXPECT_EQ(NextLine(*watch), "MODIFIED default/a");
}

TEST_F(ServerTest, WhoIsUnknownIsRefused) {
  StartServer();
  Config config = server_->ClientConfig();
  for (const char* token : {"", "wrong"}) {
    config.token = Secret(token);
    const Result<Client> stranger = Client::Create(config, {.max_retries = 0});
    const auto refused = stranger->For<core::v1::ConfigMap>().List();
    ASSERT_FALSE(refused);
    EXPECT_TRUE(IsUnauthorized(refused.error())) << ToString(refused.error());
  }
}

TEST_F(ServerTest, WhoMayNotIsToldSo) {
  ApiServerOptions options;
  options.tokens = {{Secret("reader-token"), "reader", {"readers"}}};
  options.authorize = [](const AccessRequest& request) -> AccessAnswer {
    return {.allowed = request.user != "reader" || request.namespace_name == "default", .reason = {}};
  };
  StartServer(options);
  Config config = server_->ClientConfig();
  config.token = Secret("reader-token");
  const Client reader = Client::Create(config, {.max_retries = 0}).value();
  EXPECT_TRUE(reader.For<core::v1::Pod>().List({.namespace_name = "default"}));
  const auto refused = reader.For<core::v1::Pod>().List({.namespace_name = "kube-system"});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(IsForbidden(refused.error()));
  EXPECT_EQ(refused.error().message,
            "pods is forbidden: User \"reader\" cannot list resource \"pods\" in API group \"\" in the namespace "
            "\"kube-system\"");
}

TEST_F(ServerTest, AClientCertificateSaysWhoItIs) {
  const testing_support::TestCa ca;
  ApiServerOptions options;
  options.client_ca_pem = ca.CertPem();
  std::vector<std::string> seen;
  std::mutex mutex;
  options.authorize = [&](const AccessRequest& request) -> AccessAnswer {
    const std::lock_guard lock(mutex);
    seen = request.groups;
    seen.insert(seen.begin(), request.user);
    return {};
  };
  StartServer(options);
  Config config = server_->ClientConfig();
  const auto certificate = ca.IssueClient({.common_name = "jane", .organizations = {"devs"}});
  config.token = Secret();
  config.client_certificate_data = certificate.cert_pem;
  config.client_key_data = Secret(certificate.key_pem);
  const Client jane = Client::Create(config, {.max_retries = 0}).value();
  const auto list = jane.For<core::v1::ConfigMap>().List();
  ASSERT_TRUE(list) << ToString(list.error());
  const std::lock_guard lock(mutex);
  EXPECT_THAT(seen, ElementsAre("jane", "devs", "system:authenticated"));
}

TEST_F(ServerTest, TheKubeconfigIsForItsOwnerAndWorks) {
  StartServer();
  const testing_support::TempDir directory;
  const std::string path = (directory.path() / "kubeconfig").string();
  ASSERT_TRUE(server_->WriteKubeconfig(path));
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  const Result<Config> config = Config::Load({.kubeconfig = path});
  ASSERT_TRUE(config) << ToString(config.error());
  const auto client = Client::Create(*config);
  ASSERT_TRUE(client) << ToString(client.error());
  EXPECT_TRUE(client->For<core::v1::ConfigMap>().List());
}

TEST_F(ServerTest, ATlsDirectoryKeepsItsCertificates) {
  const testing_support::TempDir directory;
  StartServer({.tls_directory = (directory.path() / "tls").string()});
  const std::string ca = server_->CaPem();
  StartServer({.tls_directory = (directory.path() / "tls").string()});
  EXPECT_EQ(server_->CaPem(), ca);
  EXPECT_TRUE(ConfigMaps().List());
  struct stat status {};
  ASSERT_EQ(::stat((directory.path() / "tls/server.key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(ServerTest, StopEndsWatchesAndRequestsAndLeavesNothing) {
  const std::size_t threads = testing_support::ThreadCount();
  StartServer();
  Result<WatchStream> watch = ConfigMaps().Watch({});
  ASSERT_TRUE(watch);
  EXPECT_EQ(NextLine(*watch), "BOOKMARK initial-events-end");
  server_->Stop();
  const Result<std::optional<WatchEvent>> last = watch->Next();
  EXPECT_TRUE(!last || !*last);
  EXPECT_EQ(server_->WatchCount(), 0U);
  // Only the client's I/O thread remains.
  EXPECT_TRUE(testing_support::AwaitThreadCount(threads + 1));
}

}  // namespace
}  // namespace kinformer
