#include <kinformer/client/discovery.h>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>
#include <kinformer/client/client.h>
#include <kinformer/meta/status_error.h>

#include "test/support/scripted_server.h"

namespace kinformer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::ReceivedRequest;
using testing_support::Reply;
using testing_support::ScriptedServer;

constexpr const char* kAggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
constexpr const char* kAggregatedCore =
    R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[{"metadata":{},"versions":[)"
    R"({"version":"v1","freshness":"Current","resources":[{"resource":"pods","responseKind":{"group":"","version":"",)"
    R"("kind":"Pod"},"scope":"Namespaced","singularResource":"pod","verbs":["get","list","watch"],"shortNames":["po"],)"
    R"("categories":["all"],"subresources":[{"subresource":"log"},{"subresource":"status"}]}]}]}]})";
constexpr const char* kAggregatedGroups =
    R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[{"metadata":{"name":"apps"},)"
    R"("versions":[{"version":"v1","freshness":"Current","resources":[{"resource":"deployments","responseKind":{)"
    R"("kind":"Deployment"},"scope":"Namespaced","singularResource":"deployment","verbs":["get"],"shortNames":["deploy"]}]},)"
    R"({"version":"v1beta1","freshness":"Current","resources":[{"resource":"deployments","responseKind":{"kind":)"
    R"("Deployment"},"scope":"Namespaced","singularResource":"deployment"}]}]},{"metadata":{"name":"metrics.k8s.io"},)"
    R"("versions":[{"version":"v1beta1","freshness":"Stale"}]}]})";

class DiscoveryTest : public ::testing::Test {
 protected:
  DiscoveryTest() : server_({.tls = true}), client_(Connect()) {}

  Client Connect() { return Client::Create({.server = server_.url(), .ca_data = server_.ca_pem()}).value(); }

  void ServeAggregated() {
    server_.Handle([](const ReceivedRequest& r) -> Reply {
      if (r.path == "/api") return {.body = kAggregatedCore, .content_type = kAggregatedType};
      if (r.path == "/apis") return {.body = kAggregatedGroups, .content_type = kAggregatedType};
      return Reply::Status(404, "NotFound");
    });
  }

  void ServePlain() {
    server_.Handle([this](const ReceivedRequest& r) -> Reply {
      static const std::map<std::string, std::string> kDocuments = {
          {"/api", R"({"kind":"APIVersions","versions":["v1"]})"},
          {"/apis",
           R"({"kind":"APIGroupList","groups":[{"name":"apps","versions":[{"version":"v1"}],)"
           R"("preferredVersion":{"version":"v1"}},{"name":"metrics.k8s.io","versions":[{"version":"v1beta1"}]}]})"},
          {"/api/v1", R"({"kind":"APIResourceList","resources":[{"name":"pods","singularName":"pod","namespaced":true,)"
                      R"("kind":"Pod","verbs":["get","list"],"shortNames":["po"]},{"name":"pods/log","kind":"Pod"},)"
                      R"({"name":"nodes","namespaced":false,"kind":"Node"}]})"},
          {"/apis/apps/v1",
           R"({"kind":"APIResourceList","resources":[{"name":"deployments","singularName":"deployment",)"
           R"("namespaced":true,"kind":"Deployment","shortNames":["deploy"]}]})"}};
      if (webs_ && r.path == "/apis/apps/v1") {
        return Reply::Json(
            R"({"kind":"APIResourceList","resources":[{"name":"webs","namespaced":true,"kind":"Web"}]})");
      }
      const auto it = kDocuments.find(r.path);
      return it == kDocuments.end() ? Reply::Status(503, "ServiceUnavailable", "no backend") : Reply::Json(it->second);
    });
  }

  std::size_t Asked(const std::string& path) const {
    std::size_t count = 0;
    for (const ReceivedRequest& request : server_.Requests()) count += request.path == path ? 1 : 0;
    return count;
  }

  std::atomic<bool> webs_ = false;
  ScriptedServer server_;
  Client client_;
};

TEST_F(DiscoveryTest, ReadsAggregatedDiscoveryInTwoRequests) {
  ServeAggregated();
  const auto catalog = client_.GetDiscovery().Discover();
  ASSERT_TRUE(catalog.ok()) << ToString(catalog.error());
  EXPECT_EQ(server_.Requests().size(), 2U);
  ASSERT_EQ(catalog->resources.size(), 3U);
  const ApiResource& pods = catalog->resources[0];
  EXPECT_EQ(pods.resource, (Resource{.gvr = {"", "v1", "pods"}, .kind = "Pod"}));
  EXPECT_THAT(pods.short_names, ElementsAre("po"));
  EXPECT_THAT(pods.subresources, ElementsAre("log", "status"));
  EXPECT_TRUE(pods.Can("watch"));
  EXPECT_FALSE(pods.Can("delete"));
  EXPECT_EQ(catalog->failures.count("metrics.k8s.io/v1beta1"), 1U) << "a stale one is reported";
}

TEST_F(DiscoveryTest, AStaleCoreVersionIsNamedLikeAnyOther) {
  server_.Handle([](const ReceivedRequest& r) -> Reply {
    const std::string body = R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[)";
    if (r.path != "/api") return {.body = body + "]}", .content_type = kAggregatedType};
    return {.body = body + R"({"metadata":{},"versions":[{"version":"v1","freshness":"Stale"}]}]})",
            .content_type = kAggregatedType};
  });
  const auto catalog = client_.GetDiscovery().Discover();
  ASSERT_TRUE(catalog.ok()) << ToString(catalog.error());
  ASSERT_EQ(catalog->failures.size(), 1U);
  EXPECT_EQ(catalog->failures.begin()->first, "v1");
}

TEST_F(DiscoveryTest, ReadsPlainDiscoveryOneByOneAndToleratesAnApiThatIsDown) {
  ServePlain();
  const auto catalog = client_.GetDiscovery().Discover();
  ASSERT_TRUE(catalog.ok()) << ToString(catalog.error());
  ASSERT_EQ(catalog->resources.size(), 3U);
  EXPECT_THAT(catalog->resources[0].subresources, ElementsAre("log"));
  EXPECT_EQ(catalog->resources[1].resource.scope, Scope::kCluster);
  ASSERT_EQ(catalog->failures.count("metrics.k8s.io/v1beta1"), 1U);
  EXPECT_EQ(catalog->failures.at("metrics.k8s.io/v1beta1").http_status, 503);
  EXPECT_EQ(Asked("/apis/metrics.k8s.io/v1beta1"), 2U) << "tried twice";
}

TEST_F(DiscoveryTest, AServerThatCannotBeAskedIsAnError) {
  server_.Handle([](const ReceivedRequest&) { return Reply::Status(403, "Forbidden"); });
  const auto catalog = client_.GetDiscovery().Discover();
  ASSERT_FALSE(catalog.ok());
  EXPECT_TRUE(IsForbidden(catalog.error()));
}

TEST_F(DiscoveryTest, WhatIsNoDiscoveryDocumentIsAnErrorOrEmptyButNeverACrash) {
  for (const char* body : {"", "[]", "null", "nonsense", "{\"groups\":7}", "{\"items\":{\"a\":1}}"}) {
    server_.Handle([body](const ReceivedRequest&) { return Reply::Json(body); });
    const auto catalog = client_.GetDiscovery().Discover();
    if (catalog) {
      EXPECT_TRUE(catalog->resources.empty()) << body;
    } else {
      EXPECT_EQ(catalog.error().code, ErrorCode::kMalformed) << body;
    }
  }
}

TEST_F(DiscoveryTest, AServerThatIsSlowToDescribeItsGroupsHasFiveMinutes) {
  const auto clock = std::make_shared<FakeClock>();
  const Client client =
      Client::Create({.server = server_.url(), .ca_data = server_.ca_pem()}, {.clock = clock, .max_retries = 0})
          .value();
  server_.Handle([clock](const ReceivedRequest& r) -> Reply {
    if (r.path == "/api") return Reply::Json(R"({"versions":["v1"]})");
    if (r.path == "/apis") {
      return Reply::Json(
          R"({"groups":[{"name":"a","versions":[{"version":"v1"},{"version":"v2"},{"version":"v3"}]}]})");
    }
    clock->Advance(std::chrono::seconds(150));
    return Reply::Json(R"({"resources":[{"name":"things","kind":"Thing"}]})");
  });
  const auto catalog = client.GetDiscovery().Discover();
  ASSERT_TRUE(catalog.ok()) << ToString(catalog.error());
  EXPECT_EQ(catalog->resources.size(), 2U) << "of v1 and a/v1";
  ASSERT_EQ(catalog->failures.count("a/v2"), 1U);
  EXPECT_EQ(catalog->failures.at("a/v2").code, ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(catalog->failures.count("a/v3"), 1U);
  EXPECT_EQ(Asked("/apis/a/v2"), 0U);
}

TEST_F(DiscoveryTest, TellsTheServersVersion) {
  server_.Enqueue(Reply::Json(R"({"major":"1","minor":"36","gitVersion":"v1.36.4","platform":"linux/amd64"})"));
  EXPECT_EQ(client_.GetDiscovery().Version()->git_version, "v1.36.4");
}

TEST_F(DiscoveryTest, MapsKindsAndResourcesBothWaysAndAsksOnce) {
  ServeAggregated();
  const KindMapper& mapper = client_.Mapper();
  EXPECT_EQ(mapper.ForKind({"apps", "v1", "Deployment"})->resource.gvr.resource, "deployments");
  EXPECT_EQ(mapper.ForKind({"apps", "", "Deployment"})->resource.gvr.version, "v1") << "the preferred one";
  EXPECT_EQ(mapper.ForKind({"apps", "v1beta1", "Deployment"})->resource.gvr.version, "v1beta1");
  EXPECT_EQ(mapper.ForResource({"", "v1", "pods"})->resource.kind, "Pod");
  EXPECT_EQ(Asked("/apis"), 1U);
}

TEST_F(DiscoveryTest, FindsResourcesByTheNamesThatPeopleType) {
  ServeAggregated();
  for (const char* name : {"deployments", "deployment", "deploy", "deployments.apps", "deployments.v1.apps"}) {
    const auto found = client_.Mapper().ForName(name);
    ASSERT_TRUE(found.ok()) << name;
    EXPECT_EQ(found->resource.gvr, (GroupVersionResource{"apps", "v1", "deployments"})) << name;
  }
  EXPECT_EQ(client_.Mapper().ForName("deployments.v1beta1.apps")->resource.gvr.version, "v1beta1");
}

TEST_F(DiscoveryTest, AMissMakesItDiscoverOnceMore) {
  ServePlain();
  ASSERT_TRUE(client_.Mapper().ForKind({"apps", "v1", "Deployment"}).ok());
  webs_ = true;  // a CustomResourceDefinition has been created meanwhile
  const auto web = client_.DynamicFor({"apps", "v1", "Web"});
  ASSERT_TRUE(web.ok()) << ToString(web.error());
  EXPECT_EQ(web->resource().gvr.resource, "webs");
  EXPECT_EQ(Asked("/apis"), 2U);
  const auto missing = client_.Mapper().ForKind({"apps", "v1", "Nothing"});
  ASSERT_FALSE(missing.ok());
  EXPECT_TRUE(IsNotFound(missing.error()));
  EXPECT_THAT(missing.error().message, HasSubstr("Nothing"));
  EXPECT_EQ(Asked("/apis"), 3U) << "once, not for ever";
}

TEST_F(DiscoveryTest, AMapperMayBeResetWhileOthersLookUp) {
  ServeAggregated();
  const KindMapper& mapper = client_.Mapper();
  std::atomic<bool> done = false;
  std::jthread resetter([&] {
    while (!done) mapper.Reset();
  });
  {
    std::vector<std::jthread> readers;
    for (int i = 0; i < 8; ++i) {
      readers.emplace_back([&] {
        for (int n = 0; n < 100; ++n) {
          const auto found = mapper.ForKind({"apps", "v1", "Deployment"});
          ASSERT_TRUE(found.ok()) << ToString(found.error());
          EXPECT_EQ(found->resource.gvr.resource, "deployments");
        }
      });
    }
  }
  done = true;
}

TEST_F(DiscoveryTest, WhatWasAskedForBeforeAResetIsNotKnownAfterIt) {
  ServePlain();
  const testing_support::Gate gate;
  server_.Enqueue(Reply::Json(R"({"kind":"APIVersions","versions":["v1"]})").Behind(gate));
  std::jthread early([&] { EXPECT_TRUE(client_.Mapper().ForKind({"apps", "v1", "Deployment"}).ok()); });
  ASSERT_TRUE(gate.AwaitWaiting(1));
  client_.Mapper().Reset();
  gate.Open();
  early.join();
  ASSERT_TRUE(client_.Mapper().ForKind({"apps", "v1", "Deployment"}).ok());
  EXPECT_EQ(Asked("/apis"), 2U);
}

}  // namespace
}  // namespace kinformer
