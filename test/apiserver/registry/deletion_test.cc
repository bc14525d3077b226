// The effects of a deletion, and what delays it.

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/meta/status_error.h>

#include "test/apiserver/registry/resource_store_testing.h"
#include "test/listwatch/storage/hooked_storage.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

using DeletionTest = ResourceStoreTest;

TEST_F(DeletionTest, APropagationPolicyIsAFinalizerThatHoldsTheObject) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> policies = {
      {"Foreground", {"foregroundDeletion"}}, {"Orphan", {"orphan"}}};
  for (const auto& [policy, finalizers] : policies) {
    Created(ConfigMap(policy == "Orphan" ? "o" : "f"));
    const std::string name = policy == "Orphan" ? "o" : "f";
    const auto deleted = Of("ConfigMap").Delete("default", name, {.propagation_policy = policy}, {});
    ASSERT_TRUE(deleted.ok()) << ToString(deleted.error());
    EXPECT_FALSE(deleted->finished);
    EXPECT_EQ(deleted->object->ToJson().at("metadata").at("finalizers"), json(finalizers));
    // A second deletion with another policy removes the finalizer.
    const auto again = Of("ConfigMap").Delete("default", name, {.propagation_policy = "Background"}, {});
    ASSERT_TRUE(again.ok()) << ToString(again.error());
    EXPECT_TRUE(again->finished);
  }
}

TEST_F(DeletionTest, DeleteTellsWhatWasDeletedAndHeedsPreconditions) {
  const json object = Created(ConfigMap("a"));
  EXPECT_TRUE(IsConflict(Of("ConfigMap").Delete("default", "a", {.preconditions = {.uid = "another"}}, {}).error()));
  EXPECT_TRUE(
      IsConflict(Of("ConfigMap").Delete("default", "a", {.preconditions = {.resource_version = "1"}}, {}).error()));
  const auto deleted = Of("ConfigMap").Delete("default", "a", {}, {});
  ASSERT_TRUE(deleted.ok());
  EXPECT_TRUE(deleted->finished);
  EXPECT_EQ(deleted->object->Uid(), object.at("metadata").at("uid").get<std::string>());
  EXPECT_FALSE(IsThere("ConfigMap", "a"));
  EXPECT_TRUE(IsNotFound(Of("ConfigMap").Delete("default", "a", {}, {}).error()));
}

TEST_F(DeletionTest, FinalizersHoldWhatIsDeletedUntilTheLastIsGone) {
  json body = Deployment("web");
  body["metadata"]["finalizers"] = {"example.com/one", "example.com/two"};
  Created(body);
  const auto deleted = Of("Deployment").Delete("default", "web", {}, {});
  ASSERT_TRUE(deleted.ok());
  EXPECT_FALSE(deleted->finished);
  json held = deleted->object->ToJson();
  EXPECT_TRUE(held.at("metadata").contains("deletionTimestamp"));
  EXPECT_EQ(held.at("metadata").at("deletionGracePeriodSeconds"), 0);
  EXPECT_EQ(held.at("metadata").at("generation"), 2);
  const auto again = Of("Deployment").Delete("default", "web", {}, {});
  EXPECT_EQ(again->object->ToJson(), held) << "once more does nothing";

  json more = held;
  more["metadata"]["finalizers"].push_back("example.com/three");
  const auto refused = Put(more);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().http_status, 422);
  EXPECT_THAT(refused.error().message, HasSubstr("no new finalizers can be added if the object is being deleted"));

  held["metadata"]["finalizers"] = {"example.com/two"};
  held = Updated(held);
  EXPECT_TRUE(IsThere("Deployment", "web"));
  const std::string version = held.at("metadata").at("resourceVersion").get<std::string>();
  held["metadata"].erase("finalizers");
  EXPECT_EQ(Updated(held).at("metadata").at("resourceVersion"), version) << "the answer keeps the old version";
  EXPECT_FALSE(IsThere("Deployment", "web"));
}

TEST_F(DeletionTest, APodThatRunsSomewhereIsGivenTimeToEnd) {
  Created(Pod("pending"));
  EXPECT_TRUE(Of("Pod").Delete("default", "pending", {}, {})->finished);
  Created(Pod("bound", "node-1"));
  const auto deleted = Of("Pod").Delete("default", "bound", {}, {});
  ASSERT_TRUE(deleted.ok());
  EXPECT_FALSE(deleted->finished);
  EXPECT_EQ(deleted->object->At("/metadata/deletionGracePeriodSeconds").IntOr(0), 30);
  const auto now = Of("Pod").Delete("default", "bound", {.grace_period_seconds = 0}, {});
  EXPECT_TRUE(now->finished);
  EXPECT_FALSE(IsThere("Pod", "bound"));
}

TEST_F(DeletionTest, APodThatIsDeletedAtOnceIsMarkedBeforeItGoes) {
  const json created = Created(Pod("pending"));
  const auto before = backend_->CurrentRevision({});
  const auto deleted = Of("Pod").Delete(
      "default", "pending",
      {.preconditions = {.resource_version = created.at("metadata").at("resourceVersion").get<std::string>()}}, {});
  ASSERT_TRUE(deleted.ok()) << ToString(deleted.error());
  EXPECT_TRUE(deleted->finished);
  EXPECT_EQ(deleted->object->At("/metadata/deletionGracePeriodSeconds").IntOr(-1), 0);
  EXPECT_EQ(*backend_->CurrentRevision({}), *before + 2) << "watchers hear of both";
  EXPECT_FALSE(IsThere("Pod", "pending"));
}

TEST_F(DeletionTest, TheDeletionOfSomeKindsIsAnsweredByTheObject) {
  Created(ConfigMap("a"));
  EXPECT_FALSE(Of("ConfigMap").Delete("default", "a", {}, {})->shows_object);
  const json pod = Created(Pod("a"));
  const auto deleted = Of("Pod").Delete("default", "a", {}, {});
  ASSERT_TRUE(deleted.ok());
  EXPECT_TRUE(deleted->finished);
  EXPECT_TRUE(deleted->shows_object);
  EXPECT_TRUE(deleted->object->DeletionTimestamp().has_value());
  EXPECT_EQ(deleted->object->At("/metadata/deletionGracePeriodSeconds").IntOr(-1), 0);
  EXPECT_NE(deleted->object->ResourceVersion(), pod.at("metadata").at("resourceVersion").get<std::string>());
}

TEST_F(DeletionTest, APreconditionThatIsNotMetNamesTheKind) {
  const json object = Created(ConfigMap("a"));
  const Error by_uid = Of("ConfigMap").Delete("default", "a", {.preconditions = {.uid = "another"}}, {}).error();
  EXPECT_EQ(by_uid.message,
            "Operation cannot be fulfilled on ConfigMap \"a\": the UID in the precondition (another) "
            "does not match the UID in record (" +
                object.at("metadata").at("uid").get<std::string>() +
                "). The object might have been deleted and then recreated");
  EXPECT_EQ(by_uid.details.kind, "ConfigMap");
  const Error by_version =
      Of("ConfigMap").Delete("default", "a", {.preconditions = {.resource_version = "1"}}, {}).error();
  EXPECT_THAT(by_version.message, HasSubstr("the ResourceVersion in the precondition (1) does not match the "
                                            "ResourceVersion in record"));
}

TEST_F(DeletionTest, WhatIsBeingDeletedIsSaidToBeWhenItIsMadeAnew) {
  json body = ConfigMap("a");
  body["metadata"]["finalizers"] = {"example.com/hold"};
  Created(body);
  ASSERT_TRUE(Of("ConfigMap").Delete("default", "a", {}, {}).ok());
  const auto again = Create(ConfigMap("a"));
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().message, "object is being deleted: configmaps \"a\" already exists");
}

TEST_F(DeletionTest, ADeletionIsNotBegunByAnUpdate) {
  Created(ConfigMap("a"));
  json body = ConfigMap("a", "2");
  body["metadata"]["deletionTimestamp"] = "2024-01-01T00:00:00Z";
  const auto put = Put(body);
  ASSERT_FALSE(put.ok());
  EXPECT_EQ(put.error().http_status, 422);
  EXPECT_THAT(put.error().message, HasSubstr("metadata.deletionTimestamp: Invalid value"));
}

TEST_F(DeletionTest, DeleteCollectionDeletesWhatMatchesAndGivesItAsItWas) {
  for (const std::string name : {"a", "b", "c"}) {
    json body = ConfigMap(name);
    body["metadata"]["labels"] = {{"keep", name == "b" ? "yes" : "no"}};
    Created(body);
  }
  ListQuery query{.namespace_name = "default"};
  query.predicate.labels = *LabelSelector::Parse("keep=no");
  const auto deleted = Of("ConfigMap").DeleteCollection(query, {}, {});
  ASSERT_TRUE(deleted.ok());
  EXPECT_EQ(deleted->items.size(), 2U);
  EXPECT_TRUE(IsThere("ConfigMap", "b"));
  EXPECT_FALSE(IsThere("ConfigMap", "a"));
}

TEST_F(DeletionTest, DeleteCollectionAtAVersionDeletesNothingNewer) {
  const std::string version = Created(ConfigMap("old"))["metadata"]["resourceVersion"];
  Created(ConfigMap("new"));
  const auto deleted =
      Of("ConfigMap").DeleteCollection({.namespace_name = "default", .resource_version = version}, {}, {});
  ASSERT_TRUE(deleted.ok());
  EXPECT_EQ(deleted->items.size(), 1U);
  EXPECT_FALSE(IsThere("ConfigMap", "old"));
  EXPECT_TRUE(IsThere("ConfigMap", "new"));
}

TEST_F(DeletionTest, DeleteCollectionWithALimitDeletesOnePage) {
  for (const std::string name : {"a", "b", "c"}) Created(ConfigMap(name));
  const auto deleted = Of("ConfigMap").DeleteCollection({.namespace_name = "default", .limit = 2}, {}, {});
  ASSERT_TRUE(deleted.ok());
  EXPECT_EQ(deleted->items.size(), 2U);
  EXPECT_FALSE(deleted->metadata.continue_token.empty());
  EXPECT_TRUE(IsThere("ConfigMap", "c"));
}

TEST_F(DeletionTest, DeleteCollectionWithoutALimitReadsAllPages) {
  for (const std::string name : {"a", "b", "c", "d", "e"}) Created(ConfigMap(name));
  const ServedKind& kind = KindOf("ConfigMap");
  const auto storage =
      std::make_shared<HookedStorage>(std::make_shared<UndecoratedStorage>(backend_, kind.ForStorage(), pool_));
  storage->SetLargestPage(2);
  const auto deleted =
      ResourceStore(kind, storage, {.clock = clock_}).DeleteCollection({.namespace_name = "default"}, {}, {});
  ASSERT_TRUE(deleted.ok()) << ToString(deleted.error());
  EXPECT_EQ(deleted->items.size(), 5U);
  EXPECT_TRUE(deleted->metadata.continue_token.empty());
  EXPECT_FALSE(IsThere("ConfigMap", "e"));
}

}  // namespace
}  // namespace kinformer::apiserver
