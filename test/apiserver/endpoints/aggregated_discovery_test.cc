#include "src/apiserver/endpoints/aggregated_discovery.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "src/apiserver/endpoints/media_types.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

HttpRequest WithHeader(const std::string& header, const std::string& value) {
  HttpRequest request;
  request.headers.push_back({header, value});
  return request;
}

ServedKind BuiltIn(GroupVersionResource resource) {
  ServedKind kind{.resource = std::move(resource)};
  kind.TakeBuiltInFacts();
  return kind;
}

std::vector<ServedKind> Kinds() {
  return {BuiltIn({"", "v1", "services"}),
          BuiltIn({"apps", "v1", "deployments"}),
          BuiltIn({"apps", "v1", "controllerrevisions"}),
          {.resource = {"example.com", "v2", "webs"}, .kind = "Web", .singular = "web", .scope = Scope::kCluster},
          {.resource = {"example.com", "v1", "webs"}, .kind = "Web", .singular = "web", .scope = Scope::kCluster}};
}

TEST(AggregatedDiscoveryTest, TheCoreGroupHasNoName) {
  const json list = json::parse(AggregatedDiscoveryOf(Kinds(), true).text);
  EXPECT_EQ(list, json::parse(R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},
      "items":[{"metadata":{},"versions":[{"version":"v1","freshness":"Current","resources":[
        {"resource":"services","responseKind":{"group":"","version":"v1","kind":"Service"},"scope":"Namespaced",
         "singularResource":"service","shortNames":["svc"],"categories":["all"],
         "verbs":["create","delete","deletecollection","get","list","patch","update","watch"],
         "subresources":[{"subresource":"status","responseKind":{"group":"","version":"v1","kind":"Service"},
                          "verbs":["get","patch","update"]}]}]}]}]})"));
}

TEST(AggregatedDiscoveryTest, GroupsAndVersionsComeInTheirOrderWithTheirResourcesByName) {
  const json items = json::parse(AggregatedDiscoveryOf(Kinds(), false).text)["items"];
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0]["metadata"]["name"], "apps");
  const json& resources = items[0]["versions"][0]["resources"];
  EXPECT_EQ(resources[0]["resource"], "controllerrevisions");
  EXPECT_FALSE(resources[0].contains("subresources"));
  EXPECT_EQ(resources[1]["subresources"][0],
            json::parse(R"({"subresource":"scale","responseKind":{"group":"autoscaling","version":"v1","kind":"Scale"},
                            "verbs":["get","patch","update"]})"));
  EXPECT_EQ(items[1]["versions"][0]["version"], "v2");
  EXPECT_EQ(items[1]["versions"][1]["version"], "v1");
  EXPECT_EQ(items[1]["versions"][1]["resources"][0]["scope"], "Cluster");
}

TEST(AggregatedDiscoveryTest, WhatIsOnlyAskedHasOneVerb) {
  const ServedKind review = BuiltIn({"authorization.k8s.io", "v1", "subjectaccessreviews"});
  EXPECT_TRUE(review.create_only);
  const json items = json::parse(AggregatedDiscoveryOf({review}, false).text)["items"];
  EXPECT_EQ(items[0]["versions"][0]["resources"][0]["verbs"], json::parse(R"(["create"])"));
}

TEST(AggregatedDiscoveryTest, TheTagChangesWithWhatIsServed) {
  std::vector<ServedKind> kinds = Kinds();
  const std::string before = AggregatedDiscoveryOf(kinds, false).etag;
  EXPECT_EQ(AggregatedDiscoveryOf(kinds, false).etag, before);
  kinds.pop_back();
  EXPECT_NE(AggregatedDiscoveryOf(kinds, false).etag, before);
  EXPECT_TRUE(HasAlready(WithHeader("If-None-Match", before), before));
  EXPECT_FALSE(HasAlready(WithHeader("If-None-Match", AggregatedDiscoveryOf(kinds, false).etag), before));
  EXPECT_FALSE(HasAlready({}, before));
}

TEST(AggregatedDiscoveryTest, TheBestFormThatTheClientNamesIsChosen) {
  const std::string second = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const std::string draft = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
  EXPECT_TRUE(PrefersAggregatedDiscovery(WithHeader("Accept", second)));
  EXPECT_TRUE(PrefersAggregatedDiscovery(WithHeader("Accept", second + "," + draft + ",application/json")));
  EXPECT_TRUE(PrefersAggregatedDiscovery(WithHeader("Accept", draft + "," + second + ",application/json")));
  EXPECT_FALSE(PrefersAggregatedDiscovery(WithHeader("Accept", draft + ",application/json")));
  EXPECT_FALSE(PrefersAggregatedDiscovery(WithHeader("Accept", "application/json," + second)));
  EXPECT_FALSE(PrefersAggregatedDiscovery(WithHeader("Accept", second + ";q=0.1,application/json")));
  EXPECT_FALSE(PrefersAggregatedDiscovery({}));
}

}  // namespace
}  // namespace kinformer::apiserver
