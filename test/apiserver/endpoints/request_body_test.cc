#include "src/apiserver/endpoints/request_body.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

ServedKind ConfigMaps() { return {.resource = {"", "v1", "configmaps"}, .kind = "ConfigMap"}; }

HttpRequest Protobuf(std::string body) {
  HttpRequest request;
  request.headers.push_back({"Content-Type", "application/vnd.kubernetes.protobuf"});
  request.body = std::move(body);
  return request;
}

RequestInfo Verb(const char* verb) {
  RequestInfo info;
  info.verb = verb;
  return info;
}

TEST(RequestBodyTest, AProtobufBodyIsJsonAfterwards) {
  // ConfigMap{metadata{name: "a"}}, with its type meta.
  HttpRequest request =
      Protobuf(std::string("k8s\0\x0A\x0F\x0A\x02v1\x12\x09"
                           "ConfigMap\x12\x05\x0A\x03\x0A\x01"
                           "a",
                           28));
  ASSERT_TRUE(MakeJsonBody(request, Verb("create"), ConfigMaps()));
  EXPECT_EQ(json::parse(request.body),
            json::parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})"));
  EXPECT_EQ(*request.FindHeader("Content-Type"), "application/json");
}

TEST(RequestBodyTest, TheOptionsOfADeletionNeedNotSayWhatTheyAre) {
  // Unknown{raw: DeleteOptions{gracePeriodSeconds: 5}}.
  HttpRequest request = Protobuf(std::string("k8s\0\x12\x02\x08\x05", 8));
  ASSERT_TRUE(MakeJsonBody(request, Verb("delete"), ConfigMaps()));
  EXPECT_EQ(json::parse(request.body),
            json::parse(R"({"apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":5})"));
}

TEST(RequestBodyTest, ABrokenBodyIsABadRequestThatNamesTheKind) {
  HttpRequest request = Protobuf(std::string("k8s\0\x12\x7F", 6));
  const Result<void> made = MakeJsonBody(request, Verb("create"), ConfigMaps());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().http_status, 400);
  EXPECT_EQ(made.error().message,
            "the object provided is unrecognized (must be of type ConfigMap): unexpected EOF (6b387300127f)");
}

TEST(RequestBodyTest, CustomResourcesAreNotReadFromProtobuf) {
  HttpRequest request = Protobuf(std::string("k8s\0\x12\x02\x08\x05", 8));
  const ServedKind webs{.resource = {"example.com", "v1", "webs"}, .kind = "Web"};
  const Result<void> made = MakeJsonBody(request, Verb("create"), webs);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().http_status, 415);
}

TEST(RequestBodyTest, JsonStaysAsItIs) {
  HttpRequest request;
  request.body = "{ }";
  ASSERT_TRUE(MakeJsonBody(request, Verb("create"), ConfigMaps()));
  EXPECT_EQ(request.body, "{ }");
}

}  // namespace
}  // namespace kinformer::apiserver
