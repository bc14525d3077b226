// The effects of schemas as clients see them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "test/apiserver/server/server_fixture.h"

namespace kinformer {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SchemaTest : public ServerTest {
 protected:
  Result<RawResponse> Post(const std::string& query, const std::string& body) const {
    return Raw("/api/v1/namespaces/default/configmaps" + query, "POST", body, {{"Content-Type", "application/json"}});
  }
};

TEST_F(SchemaTest, AnUnknownFieldIsAWarningOrARefusalAsTheClientWants) {
  StartServer();
  const auto warned = Post("", R"({"metadata":{"name":"a"},"foo":1})");
  ASSERT_TRUE(warned.ok()) << ToString(warned.error());
  EXPECT_THAT(HeaderValues(*warned, "Warning"), ElementsAre(R"(299 - "unknown field \"foo\"")"));
  const auto ignored = Post("?fieldValidation=Ignore", R"({"metadata":{"name":"b"},"foo":1})");
  ASSERT_TRUE(ignored.ok()) << ToString(ignored.error());
  EXPECT_THAT(HeaderValues(*ignored, "Warning"), IsEmpty());
  const auto strict = Post("?fieldValidation=Strict", R"({"metadata":{"name":"c"},"foo":1,"foo":2})");
  ASSERT_FALSE(strict.ok());
  EXPECT_EQ(strict.error().http_status, 400);
  EXPECT_EQ(strict.error().message,
            "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: duplicate field "
            "\"foo\", unknown field \"foo\"");
}

TEST_F(SchemaTest, EveryAnswerAboutADeprecatedKindWarnsOfIt) {
  StartServer();
  const std::string endpoints = "/api/v1/namespaces/default/endpoints";
  const auto deprecated =
      ElementsAre(R"(299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice")");
  const auto created =
      Raw(endpoints, "POST", R"({"metadata":{"name":"a"},"foo":1})", {{"Content-Type", "application/json"}});
  ASSERT_TRUE(created.ok()) << ToString(created.error());
  EXPECT_THAT(HeaderValues(*created, "Warning"),
              ElementsAre(HasSubstr("v1 Endpoints is deprecated"), R"(299 - "unknown field \"foo\"")"));
  for (const std::string& target : {endpoints, endpoints + "/a", endpoints + "?watch=1&timeoutSeconds=1"}) {
    const auto answer = Raw(target);
    ASSERT_TRUE(answer.ok()) << ToString(answer.error());
    EXPECT_THAT(HeaderValues(*answer, "Warning"), deprecated) << target;
  }
  const auto others = Raw("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices");
  ASSERT_TRUE(others.ok()) << ToString(others.error());
  EXPECT_THAT(HeaderValues(*others, "Warning"), IsEmpty());
}

TEST_F(SchemaTest, OpenApiNamesItsDocumentsAndWhoHasOneIsNotSentItAgain) {
  StartServer();
  const json index = RawJson("/openapi/v3");
  const std::string url = index["paths"]["apis/apps/v1"]["serverRelativeURL"];
  EXPECT_THAT(url, HasSubstr("/openapi/v3/apis/apps/v1?hash="));
  const auto document = Raw(url);
  ASSERT_TRUE(document.ok()) << ToString(document.error());
  EXPECT_TRUE(json::parse(document->body)["components"]["schemas"].contains("io.k8s.api.apps.v1.Deployment"));
  const std::vector<std::string> tags = HeaderValues(*document, "Etag");
  ASSERT_EQ(tags.size(), 1U);
  const auto again = Raw("/openapi/v3/apis/apps/v1", "GET", "", {{"If-None-Match", tags.front()}});
  EXPECT_EQ(again.ok() ? again->head.status : again.error().http_status, 304);
  const auto moved = Raw("/openapi/v3/apis/apps/v1?hash=OLD");
  // The client may or may not follow the redirect; the stale hash is never served directly.
  EXPECT_EQ(moved.ok() ? moved->body : document->body, document->body);
  EXPECT_EQ(moved.ok() ? 301 : moved.error().http_status, 301);
  EXPECT_FALSE(Raw("/openapi/v3/apis/example.com/v1").ok());
}

TEST_F(SchemaTest, AnEventIsTheSameInBothOfItsGroups) {
  StartServer();
  const std::string path = "/apis/events.k8s.io/v1/namespaces/default/events";
  const auto created = Raw(path, "POST", R"({"metadata":{"name":"e"},"eventTime":"2024-01-01T00:00:00.000000Z",
      "reportingController":"c","reportingInstance":"i","action":"Did","reason":"Why","type":"Normal","note":"hello",
      "regarding":{"kind":"Pod","name":"p","namespace":"default"}})",
                           {{"Content-Type", "application/json"}});
  ASSERT_TRUE(created.ok()) << ToString(created.error());
  EXPECT_EQ(json::parse(created->body)["note"], "hello");
  const json core = RawJson("/api/v1/namespaces/default/events/e");
  EXPECT_EQ(core["apiVersion"], "v1");
  EXPECT_EQ(core["message"], "hello");
  EXPECT_EQ(core["involvedObject"]["name"], "p");
  EXPECT_EQ(core["reportingComponent"], "c");
  EXPECT_FALSE(core.contains("note"));
  const json list = RawJson(path + "?fieldSelector=regarding.name%3Dp");
  ASSERT_EQ(list["items"].size(), 1U);
  EXPECT_EQ(list["items"][0]["regarding"]["name"], "p");
  EXPECT_EQ(RawJson(path + "?fieldSelector=regarding.name%3Dq")["items"].size(), 0U);
  const auto patched =
      Raw(path + "/e", "PATCH", R"({"note":"again"})", {{"Content-Type", "application/merge-patch+json"}});
  ASSERT_TRUE(patched.ok()) << ToString(patched.error());
  EXPECT_EQ(RawJson("/api/v1/namespaces/default/events/e")["message"], "again");
  const Result<ResourceClient> events = client_->DynamicFor({"events.k8s.io", "v1", "Event"});
  ASSERT_TRUE(events.ok()) << ToString(events.error());
  Result<WatchStream> watch = events->Watch({.namespace_name = "default"});
  ASSERT_TRUE(watch.ok()) << ToString(watch.error());
  const Result<std::optional<WatchEvent>> added = watch->Next();
  ASSERT_TRUE(added.ok() && *added);
  EXPECT_EQ((*added)->object->ApiVersion(), "events.k8s.io/v1");
  EXPECT_EQ((*added)->object->At("/note").StringOr(""), "again");
}

TEST_F(SchemaTest, EveryBuiltInKindCanBeListed) {
  StartServer();
  std::size_t resources = 0;
  std::vector<std::string> roots = {"/api/v1"};
  const json groups = RawJson("/apis");
  for (const json& group : groups["groups"]) {
    for (const json& version : group["versions"])
      roots.push_back("/apis/" + version["groupVersion"].get<std::string>());
  }
  for (const std::string& root : roots) {
    const json list = RawJson(root);
    for (const json& resource : list["resources"]) {
      const std::string name = resource["name"];
      if (name.find('/') != std::string::npos) continue;
      std::string path = root;
      if (resource["verbs"] == json({"create"})) {
        path.append(resource["namespaced"].get<bool>() ? "/namespaces/default/" : "/").append(name);
        EXPECT_EQ(Raw(path).error().http_status, 405) << name;
        continue;
      }
      path.append("/").append(name);
      EXPECT_EQ(RawJson(path)["kind"], resource["kind"].get<std::string>() + "List") << name;
      ++resources;
    }
  }
  EXPECT_GE(resources, 35U);
}

}  // namespace
}  // namespace kinformer
