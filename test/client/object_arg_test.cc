// The argument types that write verbs accept as the object.

#include <kinformer/client/object_arg.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/client/client.h>
#include <kinformer/views/core_v1.h>

#include "test/support/scripted_server.h"

namespace kinformer {
namespace {

using core::v1::ConfigMap;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing_support::ReceivedRequest;
using testing_support::Reply;
using testing_support::ScriptedServer;

const json kConfigMap{{"apiVersion", "v1"},
                      {"kind", "ConfigMap"},
                      {"metadata", {{"name", "a"}, {"namespace", "default"}}},
                      {"data", {{"k", "v"}}}};

class ObjectArgTest : public ::testing::Test {
 protected:
  ObjectArgTest() {
    server_.Handle([](const ReceivedRequest&) { return Reply::Json(kConfigMap.dump()); });
  }

  /// The message of the error, which must be reported before any request is sent.
  std::string Refusal(const ObjectArg& object, const WriteOptions& options = {}) {
    const auto refused = config_maps_.Create(object, options);
    EXPECT_FALSE(refused.ok());
    if (refused.ok()) return "";
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(server_.Requests().empty());
    return refused.error().message;
  }
  json Sent() const { return json::parse(server_.Requests().back().body); }

  ScriptedServer server_{{.tls = true}};
  const Client client_ = Client::Create({.server = server_.url(), .ca_data = server_.ca_pem()}).value();
  const TypedClient<ConfigMap> config_maps_ = client_.For<ConfigMap>();
};

TEST_F(ObjectArgTest, AnObjectItsPointerAViewAndItsJsonAreTheSame) {
  const ObjectPtr object = Object::FromJson(kConfigMap).value();
  const ConfigMap view(object);
  for (const ObjectArg& argument : {ObjectArg(*object), ObjectArg(object), ObjectArg(view), ObjectArg(kConfigMap)}) {
    ASSERT_TRUE(config_maps_.Create(argument).ok());
    EXPECT_EQ(Sent(), kConfigMap);
  }
}

TEST_F(ObjectArgTest, EveryVerbThatWritesTakesIt) {
  const ConfigMap view(Object::FromJson(kConfigMap).value());
  EXPECT_TRUE(config_maps_.Create(view).ok());
  EXPECT_TRUE(config_maps_.Update(view).ok());
  EXPECT_TRUE(config_maps_.UpdateStatus(view).ok());
  EXPECT_TRUE(config_maps_.Apply(view, {.field_manager = "me"}).ok());
  EXPECT_TRUE(config_maps_.Untyped().Create(kConfigMap).ok());
  EXPECT_TRUE(config_maps_.Untyped().Update(kConfigMap).ok());
  EXPECT_TRUE(config_maps_.Untyped().UpdateStatus(kConfigMap).ok());
  EXPECT_TRUE(config_maps_.Untyped().Apply(kConfigMap, {.field_manager = "me"}).ok());
}

TEST_F(ObjectArgTest, AbsentApiVersionAndKindAreThoseOfTheResource) {
  ASSERT_TRUE(config_maps_.Create(json{{"metadata", {{"name", "a"}}}}).ok());
  EXPECT_EQ(Sent(), (json{{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "a"}}}}));
  ASSERT_TRUE(config_maps_.UpdateStatus(json{{"metadata", {{"name", "a"}}}}).ok());
  EXPECT_EQ(Sent().at("kind"), "ConfigMap");
}

TEST_F(ObjectArgTest, ANullPointerIsRefused) {
  EXPECT_EQ(Refusal(ObjectPtr()), "configmaps: the object to write is null");
}

TEST_F(ObjectArgTest, JsonThatIsNoObjectIsRefusedAndWhatIsMissingIsNamed) {
  EXPECT_EQ(Refusal(json()), "configmaps: the JSON to write is not an object but null");
  EXPECT_EQ(Refusal(json::array({kConfigMap})), "configmaps: the JSON to write is not an object but array");
  EXPECT_EQ(Refusal(json::object()), "configmaps: the JSON to write is not a Kubernetes object: it has no metadata");
  EXPECT_THAT(Refusal(json{{"metadata", "a"}, {"kind", 1}}),
              AllOf(HasSubstr("its kind is number, not string"), HasSubstr("its metadata is string, not object")));
  EXPECT_THAT(Refusal(json{{"metadata", {{"name", 7}}}}), HasSubstr("the JSON to write is not a Kubernetes object: "));
}

TEST_F(ObjectArgTest, TheKindOfASubresourceIsNotGuessed) {
  EXPECT_EQ(Refusal(json{{"metadata", {{"name", "a"}}}}, {.subresource = "eviction"}),
            "configmaps: the JSON to write is not a Kubernetes object: it has no apiVersion, it has no kind");
}

TEST_F(ObjectArgTest, JsonOfAnotherKindIsRefused) {
  json pod = kConfigMap;
  pod["kind"] = "Pod";
  EXPECT_THAT(Refusal(pod), HasSubstr("the object is a v1 Pod"));
}

TEST(ObjectArgTypeTest, WhatIsNotAnObjectDoesNotConvert) {
  static_assert(std::is_convertible_v<const json&, ObjectArg> && std::is_convertible_v<json, ObjectArg>);
  static_assert(std::is_convertible_v<const ConfigMap&, ObjectArg>);
  static_assert(!std::is_convertible_v<const char*, ObjectArg> && !std::is_convertible_v<std::string, ObjectArg>);
  static_assert(!std::is_convertible_v<std::nullptr_t, ObjectArg> && !std::is_convertible_v<bool, ObjectArg>);
  static_assert(!std::is_convertible_v<Result<ObjectPtr>, ObjectArg>);
}

}  // namespace
}  // namespace kinformer
