#include "src/apiserver/lifecycle/owner_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace kinformer::apiserver {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

OwnedObject Object(std::string uid, const std::vector<std::string>& owners = {}) {
  OwnedObject object{.resource = kConfigMaps, .key = {"default", "name-of-" + uid}, .uid = uid};
  for (const std::string& owner : owners) object.owners.push_back({.uid = owner});
  return object;
}

TEST(OwnerGraphTest, ClaimsAreKnownBeforeTheirOwner) {
  OwnerGraph graph;
  graph.Set(Object("child", {"owner"}));
  EXPECT_EQ(graph.Find("owner"), nullptr);
  EXPECT_THAT(graph.DependentsOf("owner"), UnorderedElementsAre("child"));
  graph.Set(Object("owner"));
  EXPECT_NE(graph.Find("owner"), nullptr);
  EXPECT_THAT(graph.DependentsOf("owner"), UnorderedElementsAre("child"));
}

TEST(OwnerGraphTest, ClaimsGoWithWhoMakesThemAndStayWhenTheOwnerGoes) {
  OwnerGraph graph;
  graph.Set(Object("owner"));
  graph.Set(Object("a", {"owner"}));
  graph.Set(Object("b", {"owner", "other"}));
  graph.Remove("owner");
  EXPECT_THAT(graph.DependentsOf("owner"), UnorderedElementsAre("a", "b"));
  graph.Remove("a");
  graph.Remove("a");
  EXPECT_THAT(graph.DependentsOf("owner"), UnorderedElementsAre("b"));
  graph.Set(Object("b", {"other"}));
  EXPECT_THAT(graph.DependentsOf("owner"), IsEmpty());
  EXPECT_THAT(graph.DependentsOf("other"), UnorderedElementsAre("b"));
  EXPECT_EQ(graph.Size(), 1U);
}

TEST(OwnedObjectTest, FinalizersCountOnceItIsDeleted) {
  nlohmann::json object = {
      {"kind", "ConfigMap"},
      {"apiVersion", "v1"},
      {"metadata",
       {{"name", "n"},
        {"namespace", "default"},
        {"uid", "u"},
        {"finalizers", {"foregroundDeletion", "orphan"}},
        {"ownerReferences",
         {{{"apiVersion", "v1"}, {"kind", "Node"}, {"name", "o"}, {"uid", "ou"}, {"blockOwnerDeletion", true}}}}}}};
  const OwnedObject there = OwnedObject::Of(kConfigMaps, *kinformer::Object::FromJson(object).value());
  EXPECT_FALSE(there.deleting || there.waits_for_dependents || there.orphans_dependents);
  ASSERT_EQ(there.owners.size(), 1U);
  EXPECT_EQ(there.owners[0].uid, "ou");
  EXPECT_EQ(there.owners[0].kind, "Node");
  EXPECT_TRUE(there.owners[0].blocks);
  object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  const OwnedObject going = OwnedObject::Of(kConfigMaps, *kinformer::Object::FromJson(object).value());
  EXPECT_TRUE(going.deleting && going.waits_for_dependents && going.orphans_dependents);
}

}  // namespace
}  // namespace kinformer::apiserver
