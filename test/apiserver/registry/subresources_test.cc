// What can be changed through status, scale and binding, and what cannot.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/meta/status_error.h>

#include "test/apiserver/registry/resource_store_testing.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

using SubresourcesTest = ResourceStoreTest;

TEST_F(SubresourcesTest, GenerationCountsChangesOfTheSpecAlone) {
  json object = Created(Deployment("web", 1));
  object["metadata"]["labels"] = {{"a", "b"}};
  object = Updated(object);
  EXPECT_EQ(object.at("metadata").at("generation"), 1);
  object["status"] = {{"replicas", 1}};
  object = Updated(object, Subresource::kStatus);
  EXPECT_EQ(object.at("metadata").at("generation"), 1);
  object["spec"]["replicas"] = 2;
  object = Updated(object);
  EXPECT_EQ(object.at("metadata").at("generation"), 2);
  object["metadata"]["generation"] = 50;
  EXPECT_EQ(Updated(object).at("metadata").at("generation"), 2);
}

TEST_F(SubresourcesTest, TheStatusSubresourceChangesNoSpecAndTheMainOneNoStatus) {
  json object = Created(Deployment("web", 1));
  object["status"] = {{"replicas", 5}};
  object["spec"]["replicas"] = 9;
  const json after_status = Updated(object, Subresource::kStatus);
  EXPECT_EQ(after_status.at("status").at("replicas"), 5);
  EXPECT_EQ(after_status.at("spec").at("replicas"), 1);
  object = after_status;
  object["status"] = {{"replicas", 7}};
  object["spec"]["replicas"] = 3;
  const json after_main = Updated(object);
  EXPECT_EQ(after_main.at("status").at("replicas"), 5);
  EXPECT_EQ(after_main.at("spec").at("replicas"), 3);
}

TEST_F(SubresourcesTest, MetadataOfABuiltInKindIsChangedThroughItsStatusToo) {
  json web = Created(Deployment("web", 1));
  web["metadata"]["labels"] = {{"a", "b"}};
  web["metadata"]["annotations"] = {{"a", "b"}};
  web = Updated(web, Subresource::kStatus);
  EXPECT_EQ(web.at("metadata").value("annotations", json()), json({{"a", "b"}}));
  EXPECT_FALSE(web.at("metadata").contains("labels")) << "but for labels of this kind";
  json fields;
  for (const json& entry : web.at("metadata").at("managedFields")) {
    if (entry.value("subresource", "") == "status") fields = entry.at("fieldsV1");
  }
  EXPECT_EQ(fields, json::parse(R"({"f:metadata":{"f:annotations":{".":{},"f:a":{}}}})"));
  web["metadata"]["labels"] = {{"not a label!", "b"}};
  EXPECT_TRUE(Put(web, Subresource::kStatus).ok()) << "what is not taken is not looked at";

  json pod = Created(Pod("p"));
  pod["metadata"]["labels"] = {{"a", "b"}};
  pod["metadata"]["ownerReferences"] = {{{"apiVersion", "v1"}, {"kind", "Node"}, {"name", "n"}, {"uid", "u"}}};
  pod = Updated(pod, Subresource::kStatus);
  EXPECT_EQ(pod.at("metadata").value("labels", json()), json({{"a", "b"}}));
  EXPECT_FALSE(pod.at("metadata").contains("ownerReferences"));
  pod["metadata"]["labels"] = {{"not a label!", "b"}};
  EXPECT_EQ(Put(pod, Subresource::kStatus).error().http_status, 422);
}

TEST_F(SubresourcesTest, ScaleIsTheNumberOfReplicas) {
  Created(Deployment("web", 1));
  const auto scaled = Of("Deployment")
                          .Update("default", "web", Subresource::kScale,
                                  R"({"metadata":{"name":"web"},"spec":{"replicas":4}})", {}, {});
  ASSERT_TRUE(scaled.ok()) << ToString(scaled.error());
  EXPECT_EQ(scaled->object->Kind(), "Scale");
  EXPECT_EQ(scaled->object->At("/spec/replicas").IntOr(0), 4);
  EXPECT_EQ(scaled->object->At("/status/selector").StringOr(""), "app=web");
  EXPECT_EQ((*Of("Deployment").Get("default", "web", "", {}))->At("/spec/replicas").IntOr(0), 4);
  ASSERT_TRUE(Patch("Deployment", "web", PatchKind::kMerge, R"({"spec":{"replicas":6}})", Subresource::kScale).ok());
  EXPECT_EQ((*Of("Deployment").Get("default", "web", "", {}))->At("/spec/replicas").IntOr(0), 6);
  EXPECT_EQ(Of("Deployment")
                .Update("default", "web", Subresource::kScale, R"({"metadata":{"name":"web"},"spec":{"replicas":-1}})",
                        {}, {})
                .error()
                .http_status,
            422);
}

TEST_F(SubresourcesTest, ABindingGivesAPodItsNodeOnce) {
  Created(Pod("web"));
  const auto bind = [&](const json& binding) { return Of("Pod").Bind("default", "web", binding.dump(), {}, {}); };
  const auto nowhere = bind({{"target", {{"kind", "Service"}}}});
  ASSERT_FALSE(nowhere.ok());
  EXPECT_TRUE(IsInvalid(nowhere.error()));
  EXPECT_EQ(nowhere.error().details.causes.size(), 2U);
  const auto other = bind({{"metadata", {{"name", "other"}}}, {"target", {{"name", "node-1"}}}});
  ASSERT_FALSE(other.ok());
  EXPECT_TRUE(IsBadRequest(other.error()));

  const json binding = {{"metadata", {{"name", "web"}, {"annotations", {{"why", "room"}}}}},
                        {"target", {{"kind", "Node"}, {"name", "node-1"}}}};
  const auto bound = bind(binding);
  ASSERT_TRUE(bound.ok()) << ToString(bound.error());
  EXPECT_EQ((*bound)->At("/spec/nodeName").StringOr(""), "node-1");
  EXPECT_EQ((*bound)->At("/metadata/annotations/why").StringOr(""), "room");
  EXPECT_EQ((*bound)->At("/status/conditions/0/type").StringOr(""), "PodScheduled");
  EXPECT_EQ((*bound)->At("/status/conditions/0/status").StringOr(""), "True");
  const auto again = bind(binding);
  ASSERT_FALSE(again.ok());
  EXPECT_TRUE(IsConflict(again.error()));
  EXPECT_THAT(again.error().message, HasSubstr("is already assigned to node \"node-1\""));
}

TEST_F(SubresourcesTest, ABindingOfADryRunOrOfAPodThatIsBeingDeletedChangesNothing) {
  Created(Pod("web"));
  const std::string binding = R"({"target":{"name":"node-1"}})";
  EXPECT_TRUE(Of("Pod").Bind("default", "web", binding, {.dry_run = true}, {}).ok());
  EXPECT_FALSE(Of("Pod").Get("default", "web", "", {}).value()->At("/spec/nodeName").Exists());
  json held = Pod("held");
  held["metadata"]["finalizers"] = {"example.com/hold"};
  Created(held);
  ASSERT_TRUE(Of("Pod").Delete("default", "held", {}, {}).ok());
  const auto refused = Of("Pod").Bind("default", "held", binding, {}, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("is being deleted"));
}

}  // namespace
}  // namespace kinformer::apiserver
