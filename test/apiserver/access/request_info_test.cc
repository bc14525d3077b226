#include "src/apiserver/access/request_info.h"

#include <gtest/gtest.h>

#include <string>

namespace kinformer::apiserver {
namespace {

struct Row {
  const char* method;
  const char* path;
  const char* query;
  const char* verb;
  const char* group;
  const char* version;
  const char* namespace_name;
  const char* resource;
  const char* subresource;
  const char* name;
};

TEST(RequestInfoTest, PathsAndMethodsSayWhatARequestIsAbout) {
  for (const Row& row : {
           Row{"GET", "/api/v1/namespaces", "", "list", "", "v1", "", "namespaces", "", ""},
           Row{"GET", "/api/v1/namespaces/other", "", "get", "", "v1", "other", "namespaces", "", "other"},
           Row{"PUT", "/api/v1/namespaces/other/status", "", "update", "", "v1", "other", "namespaces", "status",
               "other"},
           Row{"PUT", "/api/v1/namespaces/other/finalize", "", "update", "", "v1", "other", "namespaces", "finalize",
               "other"},
           Row{"GET", "/api/v1/namespaces/other/pods", "", "list", "", "v1", "other", "pods", "", ""},
           Row{"GET", "/api/v1/namespaces/other/pods/", "", "list", "", "v1", "other", "pods", "", ""},
           Row{"GET", "/api/v1/namespaces/other/pods", "watch=true", "watch", "", "v1", "other", "pods", "", ""},
           Row{"GET", "/api/v1/namespaces/other/pods", "watch=1", "watch", "", "v1", "other", "pods", "", ""},
           Row{"GET", "/api/v1/namespaces/other/pods", "watch=false", "list", "", "v1", "other", "pods", "", ""},
           Row{"GET", "/api/v1/namespaces/other/pods", "watch=0", "list", "", "v1", "other", "pods", "", ""},
           Row{"GET", "/api/v1/namespaces/other/pods/foo", "", "get", "", "v1", "other", "pods", "", "foo"},
           Row{"HEAD", "/api/v1/namespaces/other/pods/foo", "", "get", "", "v1", "other", "pods", "", "foo"},
           Row{"GET", "/api/v1/pods", "", "list", "", "v1", "", "pods", "", ""},
           Row{"POST", "/api/v1/namespaces/other/pods", "", "create", "", "v1", "other", "pods", "", ""},
           Row{"PUT", "/api/v1/namespaces/other/pods/foo", "", "update", "", "v1", "other", "pods", "", "foo"},
           Row{"PATCH", "/api/v1/namespaces/other/pods/foo", "", "patch", "", "v1", "other", "pods", "", "foo"},
           Row{"DELETE", "/api/v1/namespaces/other/pods/foo", "", "delete", "", "v1", "other", "pods", "", "foo"},
           Row{"DELETE", "/api/v1/namespaces/other/pods", "", "deletecollection", "", "v1", "other", "pods", "", ""},
           Row{"GET", "/api/v1/namespaces/other/pods/foo/status", "", "get", "", "v1", "other", "pods", "status",
               "foo"},
           Row{"GET", "/api/v1/nodes/n1", "", "get", "", "v1", "", "nodes", "", "n1"},
           Row{"GET", "/api/v1/watch/pods", "", "watch", "", "v1", "", "pods", "", ""},
           Row{"GET", "/api/v1/watch/namespaces/other/pods", "", "watch", "", "v1", "other", "pods", "", ""},
           Row{"GET", "/api/v1/watch/namespaces/other/pods/foo", "", "watch", "", "v1", "other", "pods", "", "foo"},
           Row{"GET", "/api/v1/watch/namespaces", "", "watch", "", "v1", "", "namespaces", "", ""},
           Row{"GET", "/apis/apps/v1/namespaces/other/deployments/web", "", "get", "apps", "v1", "other", "deployments",
               "", "web"},
           Row{"GET", "/apis/apps/v1/watch/deployments", "", "watch", "apps", "v1", "", "deployments", "", ""},
           Row{"GET", "/api/v1/namespaces/other/pods/a%20b", "", "get", "", "v1", "other", "pods", "", "a b"},
       }) {
    const Result<RequestInfo> info = ParseRequestInfo(row.method, row.path, row.query);
    ASSERT_TRUE(info) << row.path;
    const std::string context = std::string(row.method) + " " + row.path + "?" + row.query;
    EXPECT_TRUE(info->is_resource_request) << context;
    EXPECT_EQ(info->verb, row.verb) << context;
    EXPECT_EQ(info->group, row.group) << context;
    EXPECT_EQ(info->version, row.version) << context;
    EXPECT_EQ(info->namespace_name, row.namespace_name) << context;
    EXPECT_EQ(info->resource, row.resource) << context;
    EXPECT_EQ(info->subresource, row.subresource) << context;
    EXPECT_EQ(info->name, row.name) << context;
  }
}

TEST(RequestInfoTest, DiscoveryAndOtherPathsAreNoResources) {
  for (const char* path : {"/", "/version", "/api", "/api/v1", "/api/v1/", "/apis", "/apis/apps", "/apis/apps/v1",
                           "/healthz", "/openapi/v3/api/v1"}) {
    const Result<RequestInfo> info = ParseRequestInfo("GET", path, "");
    ASSERT_TRUE(info) << path;
    EXPECT_FALSE(info->is_resource_request) << path;
    EXPECT_EQ(info->verb, "get") << path;
  }
}

TEST(RequestInfoTest, TricksWithPathsAreRefused) {
  for (const char* path : {"/api/v1/namespaces/../secrets", "/api/v1/namespaces/%2e%2e/pods", "/api/v1//pods",
                           "/api/v1/namespaces/a%2Fb/pods", "/api/v1/namespaces/a%252Fb/pods", "/api/v1/pods/%",
                           "/api/v1/pods/%zz", "/api/v1/pods/a%00b", "/api/v1/./pods"}) {
    const Result<RequestInfo> info = ParseRequestInfo("GET", path, "");
    ASSERT_FALSE(info) << path;
    EXPECT_EQ(info.error().http_status, 400) << path;
  }
  EXPECT_FALSE(ParseRequestInfo("GET", "/api/v1/pods", "labelSelector=%4"));
}

TEST(UrlQueryTest, ValuesAreDecodedAndTheFirstCounts) {
  const Result<UrlQuery> query = UrlQuery::Parse("a=1+2&a=3&b&c=x%3Dy&&d=");
  ASSERT_TRUE(query);
  EXPECT_EQ(*query->Find("a"), "1 2");
  EXPECT_EQ(query->All("a"), (std::vector<std::string>{"1 2", "3"}));
  EXPECT_EQ(*query->Find("b"), "");
  EXPECT_EQ(*query->Find("c"), "x=y");
  EXPECT_EQ(query->Find("e"), nullptr);
}

}  // namespace
}  // namespace kinformer::apiserver
