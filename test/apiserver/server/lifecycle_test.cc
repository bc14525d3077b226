#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/meta/status_error.h>

#include "test/apiserver/server/server_fixture.h"

namespace kinformer {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The controllers that the server itself runs for API semantics.
class LifecycleTest : public ServerTest {
 protected:
  /// Creates a ConfigMap with owner references.
  ObjectPtr Owned(const std::string& name, const std::vector<ObjectPtr>& owners, bool blocks = false,
                  const std::vector<std::string>& finalizers = {}) const {
    json references = json::array();
    for (const ObjectPtr& owner : owners) {
      references.push_back({{"apiVersion", owner->ApiVersion()},
                            {"kind", owner->Kind()},
                            {"name", owner->Name()},
                            {"uid", owner->Uid()},
                            {"blockOwnerDeletion", blocks}});
    }
    json metadata = {{"name", name}, {"namespace", "default"}, {"ownerReferences", references}};
    if (!finalizers.empty()) metadata["finalizers"] = finalizers;
    return ConfigMaps().Create(*Parsed({{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", metadata}})).value();
  }
  ObjectPtr Owner(const std::string& name) const { return ConfigMaps().Create(*ConfigMap(name)).value(); }

  bool IsThere(const std::string& name) const {
    const auto found = ConfigMaps().Get({"default", name});
    EXPECT_TRUE(found || IsNotFound(found.error())) << ToString(found.error());
    return found.ok();
  }
  bool AwaitGone(const std::string& name) const {
    return Await([&] { return !IsThere(name); });
  }
  void ReleaseFinalizers(const std::string& name) const {
    const auto released =
        ConfigMaps().Patch({"default", name}, PatchType::kMerge, R"({"metadata":{"finalizers":null}})");
    ASSERT_TRUE(released) << ToString(released.error());
  }
};

TEST_F(LifecycleTest, DependentsGoAfterTheirOwner) {
  StartServer();
  const ObjectPtr owner = Owner("owner");
  Owned("child", {owner});
  Owned("grandchild", {ConfigMaps().Get({"default", "child"}).value()});
  ASSERT_TRUE(ConfigMaps().Delete({"default", "owner"}));
  EXPECT_TRUE(AwaitGone("child"));
  EXPECT_TRUE(AwaitGone("grandchild"));
}

TEST_F(LifecycleTest, ADependentWithAnotherOwnerStaysAndForgetsTheOneThatWent) {
  StartServer();
  const ObjectPtr first = Owner("first");
  const ObjectPtr second = Owner("second");
  Owned("child", {first, second});
  ASSERT_TRUE(ConfigMaps().Delete({"default", "first"}));
  EXPECT_TRUE(Await([&] { return ConfigMaps().Get({"default", "child"}).value()->OwnerReferences().size() == 1; }));
  const ObjectPtr child = ConfigMaps().Get({"default", "child"}).value();
  EXPECT_EQ(child->OwnerReferences().front().uid, second->Uid());
}

TEST_F(LifecycleTest, ADependentOfWhatNeverWasIsDeletedAndOneOfAnUnknownKindIsNot) {
  StartServer();
  const json reference = {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", "nobody"}, {"uid", "u-1"}};
  json unknown = reference;
  unknown["apiVersion"] = "example.com/v1";
  unknown["kind"] = "Web";
  for (const auto& [name, owner] : {std::pair<std::string, json>("unknown", unknown), {"lost", reference}}) {
    ASSERT_TRUE(ConfigMaps().Create(
        *Parsed({{"apiVersion", "v1"},
                 {"kind", "ConfigMap"},
                 {"metadata", {{"name", name}, {"namespace", "default"}, {"ownerReferences", {owner}}}}})));
  }
  EXPECT_TRUE(AwaitGone("lost"));
  EXPECT_TRUE(IsThere("unknown"));
}

TEST_F(LifecycleTest, AnOwnerInAnotherNamespaceIsNoOwnerAndAnEventSaysSo) {
  StartServer();
  ASSERT_TRUE(
      Namespaces().Create(*Parsed({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "team"}}}})));
  const ObjectPtr elsewhere = ConfigMaps().Create(*ConfigMap("owner", "1", "team")).value();
  // Makes sure that the collector knows the owner before its dependent.
  Owned("first", {Owner("here")});
  ASSERT_TRUE(ConfigMaps().Delete({"default", "here"}));
  ASSERT_TRUE(AwaitGone("first"));
  Owned("child", {elsewhere});
  EXPECT_TRUE(AwaitGone("child"));
  EXPECT_TRUE(ConfigMaps().Get({"team", "owner"}));
  const json events = RawJson("/api/v1/namespaces/default/events?fieldSelector=reason%3DOwnerRefInvalidNamespace");
  ASSERT_EQ(events["items"].size(), 1U) << events;
  EXPECT_EQ(events["items"][0]["type"], "Warning");
  EXPECT_EQ(events["items"][0]["involvedObject"]["name"], "child");
}

TEST_F(LifecycleTest, InTheForegroundTheOwnerGoesLast) {
  StartServer();
  const ObjectPtr owner = Owner("owner");
  Owned("child", {owner}, /*blocks=*/true, {"example.com/hold"});
  const auto deleted = ConfigMaps().Delete({"default", "owner"}, {.propagation = Propagation::kForeground});
  ASSERT_TRUE(deleted) << ToString(deleted.error());
  EXPECT_TRUE(Await([&] { return ConfigMaps().Get({"default", "child"}).value()->DeletionTimestamp().has_value(); }));
  const ObjectPtr waiting = ConfigMaps().Get({"default", "owner"}).value();
  EXPECT_TRUE(waiting->DeletionTimestamp());
  EXPECT_THAT(waiting->Finalizers(), ElementsAre("foregroundDeletion"));
  ReleaseFinalizers("child");
  EXPECT_TRUE(AwaitGone("owner"));
  EXPECT_FALSE(IsThere("child"));
}

TEST_F(LifecycleTest, InTheForegroundADependentThatBlocksNothingIsNotWaitedFor) {
  StartServer();
  const ObjectPtr owner = Owner("owner");
  Owned("child", {owner}, /*blocks=*/false, {"example.com/hold"});
  ASSERT_TRUE(ConfigMaps().Delete({"default", "owner"}, {.propagation = Propagation::kForeground}));
  EXPECT_TRUE(AwaitGone("owner"));
  EXPECT_TRUE(IsThere("child")) << "its finalizer holds it";
  EXPECT_TRUE(Await([&] { return ConfigMaps().Get({"default", "child"}).value()->DeletionTimestamp().has_value(); }));
}

TEST_F(LifecycleTest, ACircleOfOwnersIsDeletedInTheForegroundToo) {
  StartServer();
  const ObjectPtr a = Owner("a");
  const ObjectPtr b = Owned("b", {a}, /*blocks=*/true);
  const std::string back = json{{"metadata",
                                 {{"ownerReferences",
                                   {{{"apiVersion", "v1"},
                                     {"kind", "ConfigMap"},
                                     {"name", "b"},
                                     {"uid", b->Uid()},
                                     {"blockOwnerDeletion", true}}}}}}}
                               .dump();
  ASSERT_TRUE(ConfigMaps().Patch({"default", "a"}, PatchType::kMerge, back));
  ASSERT_TRUE(ConfigMaps().Delete({"default", "a"}, {.propagation = Propagation::kForeground}));
  EXPECT_TRUE(AwaitGone("a"));
  EXPECT_TRUE(AwaitGone("b"));
}

TEST_F(LifecycleTest, OrphansStayAndForgetTheirOwner) {
  StartServer();
  const ObjectPtr owner = Owner("owner");
  Owned("child", {owner});
  ASSERT_TRUE(ConfigMaps().Delete({"default", "owner"}, {.propagation = Propagation::kOrphan}));
  EXPECT_TRUE(AwaitGone("owner"));
  ASSERT_TRUE(IsThere("child"));
  EXPECT_THAT(ConfigMaps().Get({"default", "child"}).value()->OwnerReferences(), IsEmpty());
}

TEST_F(LifecycleTest, ANamespaceTakesItsContentsAlong) {
  StartServer();
  ASSERT_TRUE(
      Namespaces().Create(*Parsed({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "team"}}}})));
  const json made = Namespaces().Get({"", "team"}).value()->ToJson();
  EXPECT_EQ(made["spec"]["finalizers"], json({"kubernetes"}));
  EXPECT_EQ(made["status"]["phase"], "Active");
  ASSERT_TRUE(ConfigMaps().Create(*ConfigMap("c", "1", "team")));
  ASSERT_TRUE(Pods().Create(*Pod("p", "node-1", "team")));

  const auto deleted = Namespaces().Delete({"", "team"});
  ASSERT_TRUE(deleted) << ToString(deleted.error());
  EXPECT_TRUE(Await([&] { return !Namespaces().Get({"", "team"}); }));
  EXPECT_THAT(ConfigMaps().List({.namespace_name = "team"}).value().items, IsEmpty());
  EXPECT_THAT(Pods().List({.namespace_name = "team"}).value().items, IsEmpty());
}

TEST_F(LifecycleTest, ANamespaceWaitsForWhatHasFinalizers) {
  StartServer();
  ASSERT_TRUE(
      Namespaces().Create(*Parsed({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "team"}}}})));
  json held = ConfigMap("held", "1", "team")->ToJson();
  held["metadata"]["finalizers"] = {"example.com/hold"};
  ASSERT_TRUE(ConfigMaps().Create(*Parsed(held)));
  ASSERT_TRUE(Namespaces().Delete({"", "team"}));
  EXPECT_TRUE(Await([&] { return ConfigMaps().Get({"team", "held"}).value()->DeletionTimestamp().has_value(); }));
  EXPECT_EQ(Namespaces().Get({"", "team"}).value()->At("/status/phase").StringOr(""), "Terminating");
  const auto refused = ConfigMaps().Create(*ConfigMap("late", "1", "team"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().http_status, 403);
  ASSERT_TRUE(ConfigMaps().Patch({"team", "held"}, PatchType::kMerge, R"({"metadata":{"finalizers":null}})"));
  EXPECT_TRUE(Await([&] { return !Namespaces().Get({"", "team"}); }));
}

TEST_F(LifecycleTest, WithoutItNamespacesWaitForWhoFinalizesThem) {
  StartServer({.garbage_collection = false});
  ASSERT_TRUE(
      Namespaces().Create(*Parsed({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "team"}}}})));
  ASSERT_TRUE(ConfigMaps().Create(*ConfigMap("left", "1", "team")));
  ASSERT_TRUE(Namespaces().Delete({"", "team"}));
  json ending = Namespaces().Get({"", "team"}).value()->ToJson();
  EXPECT_EQ(ending["status"]["phase"], "Terminating");
  // An ordinary update cannot change spec.finalizers.
  ending["spec"]["finalizers"] = json::array();
  const auto ordinary = Namespaces().Update(*Parsed(ending));
  ASSERT_TRUE(ordinary) << ToString(ordinary.error());
  EXPECT_EQ((*ordinary)->At("/spec/finalizers/0").StringOr(""), "kubernetes");
  const auto finalized = Raw("/api/v1/namespaces/team/finalize", "PUT", ending.dump());
  ASSERT_TRUE(finalized) << ToString(finalized.error());
  EXPECT_EQ(Namespaces().Get({"", "team"}).error().http_status, 404);
  EXPECT_TRUE(ConfigMaps().Get({"team", "left"})) << "as on a real server, which leaves what is in it";
}

}  // namespace
}  // namespace kinformer
