// How deltas change the cache, and which notifications handlers get.

#include "src/informer/delta_applier.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinformer::internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

ObjectPtr Pod(const std::string& namespace_name, const std::string& name, const std::string& version,
              const std::string& uid = "u") {
  return *Object::Parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":")" + namespace_name +
                        R"(","name":")" + name + R"(","uid":")" + uid + R"(","resourceVersion":")" + version + "\"}}");
}

std::string Brief(const ObjectPtr& object) {
  return std::string(object->Namespace()) + "/" + std::string(object->Name()) + "@" +
         std::string(object->ResourceVersion());
}

/// The notifications as text, like "update a/x@1 to a/x@2".
std::vector<std::string> Lines(const std::vector<Notification>& notifications) {
  std::vector<std::string> lines;
  for (const Notification& n : notifications) {
    switch (n.kind) {
      case Notification::Kind::kAdd:
        lines.push_back((n.in_initial_list ? "initial " : "add ") + Brief(n.after));
        break;
      case Notification::Kind::kUpdate:
        lines.push_back("update " + Brief(n.before) + " to " + Brief(n.after));
        break;
      case Notification::Kind::kDelete:
        lines.push_back((n.final_state_unknown ? "gone " : "delete ") + Brief(n.before));
        break;
      case Notification::Kind::kSync:
        lines.push_back("sync " + Brief(n.after));
        break;
    }
  }
  return lines;
}

class DeltaApplierTest : public ::testing::Test {
 protected:
  std::vector<std::string> Replace(const std::string& namespace_name, std::vector<ObjectPtr> objects,
                                   bool initial = false) {
    return Lines(applier_.Replace(namespace_name, std::move(objects), "100", initial));
  }
  std::vector<std::string> Cached() const {
    std::vector<std::string> all;
    for (const ObjectPtr& object : indexer_.List()) all.push_back(Brief(object));
    return all;
  }
  void RefuseToFile(const std::string& name) {
    ASSERT_TRUE(indexer_.AddIndexer("picky", [name](const ObjectPtr& object) -> Keys {
      if (object->Name() == name) throw std::runtime_error("not " + name);
      return {};
    }));
  }

  std::vector<Error> errors_;
  Indexer indexer_{[this](const Error& error) { errors_.push_back(error); }};
  DeltaApplier applier_{indexer_};
};

TEST_F(DeltaApplierTest, AFirstListIsInitialAndALaterOneTellsWhatItChanged) {
  EXPECT_THAT(Replace("", {Pod("a", "x", "1"), Pod("b", "y", "2"), Pod("b", "z", "3")}, true),
              ElementsAre("initial a/x@1", "initial b/y@2", "initial b/z@3"));
  EXPECT_THAT(Replace("", {Pod("b", "y", "2"), Pod("b", "z", "5"), Pod("c", "w", "6")}),
              ElementsAre("gone a/x@1", "sync b/y@2", "update b/z@3 to b/z@5", "add c/w@6"));
  EXPECT_EQ(indexer_.ResourceVersion(), "100");
}

TEST_F(DeltaApplierTest, AListOfOneNamespaceLeavesTheOthersAlone) {
  (void)Replace("a", {Pod("a", "x", "1"), Pod("a", "y", "2")}, true);
  (void)Replace("b", {Pod("b", "x", "3")}, true);
  EXPECT_THAT(Replace("a", {Pod("a", "y", "4"), Pod("a", "z", "5")}),
              ElementsAre("gone a/x@1", "update a/y@2 to a/y@4", "add a/z@5"));
  EXPECT_THAT(Cached(), UnorderedElementsAre("a/y@4", "a/z@5", "b/x@3"));
  EXPECT_THAT(Replace("b", {}), ElementsAre("gone b/x@3"));
}

TEST_F(DeltaApplierTest, AnotherUidOfTheSameNameIsADeletionAndAnAddition) {
  for (const std::string scope : {"", "a"}) {
    (void)Replace(scope, {Pod("a", "x", "1", "old")}, true);
    EXPECT_THAT(Replace(scope, {Pod("a", "x", "2", "new")}), ElementsAre("gone a/x@1", "add a/x@2")) << scope;
  }
  const std::vector<Delta> events{{.kind = Delta::Kind::kUpdate, .object = Pod("a", "x", "3", "newest")}};
  EXPECT_THAT(Lines(applier_.Apply(events)), ElementsAre("gone a/x@2", "add a/x@3"));
}

TEST_F(DeltaApplierTest, ADeletionTellsTheFinalStateAndOneOfNothingTellsNothing) {
  (void)Replace("", {Pod("a", "x", "1")}, true);
  const std::vector<Delta> events{{.kind = Delta::Kind::kDelete, .object = Pod("a", "x", "7")},
                                  {.kind = Delta::Kind::kDelete, .object = Pod("a", "unknown", "8")}};
  EXPECT_THAT(Lines(applier_.Apply(events)), ElementsAre("delete a/x@7"));
  EXPECT_THAT(Cached(), IsEmpty());
}

TEST_F(DeltaApplierTest, ABookmarkMovesTheVersionAlone) {
  (void)Replace("", {Pod("a", "x", "1")}, true);
  EXPECT_THAT(applier_.Apply(std::vector<Delta>{{.kind = Delta::Kind::kBookmark, .resource_version = "200"}}),
              IsEmpty());
  EXPECT_EQ(indexer_.ResourceVersion(), "200");
}

TEST_F(DeltaApplierTest, AnIndexFunctionThatFailsCostsTheIndexEntryAndNotTheObject) {
  RefuseToFile("bad");
  EXPECT_THAT(Replace("", {Pod("a", "bad", "1"), Pod("a", "x", "2")}, true),
              ElementsAre("initial a/bad@1", "initial a/x@2"));
  ASSERT_THAT(errors_, SizeIs(1));
  EXPECT_THAT(errors_[0].message, HasSubstr("not bad"));
  const std::vector<Delta> events{{.kind = Delta::Kind::kAdd, .object = Pod("a", "y", "3")},
                                  {.kind = Delta::Kind::kUpdate, .object = Pod("a", "bad", "4")},
                                  {.kind = Delta::Kind::kUpdate, .object = Pod("a", "x", "5")},
                                  {.kind = Delta::Kind::kBookmark, .resource_version = "9"}};
  EXPECT_THAT(Lines(applier_.Apply(events)),
              ElementsAre("add a/y@3", "update a/bad@1 to a/bad@4", "update a/x@2 to a/x@5"));
  EXPECT_THAT(errors_, SizeIs(2));
  EXPECT_EQ(indexer_.ResourceVersion(), "9");
}

TEST_F(DeltaApplierTest, ADroppedObjectLeavesTheCacheWithItsLastKnownState) {
  (void)Replace("", {Pod("a", "x", "1")}, true);
  const std::vector<Delta> events{{.kind = Delta::Kind::kDrop, .object = Pod("a", "x", "7")},
                                  {.kind = Delta::Kind::kDrop, .object = Pod("a", "unknown", "8")}};
  EXPECT_THAT(Lines(applier_.Apply(events)), ElementsAre("gone a/x@1"));
  EXPECT_THAT(Cached(), IsEmpty());
  EXPECT_EQ(indexer_.ResourceVersion(), "8");
}

TEST_F(DeltaApplierTest, AResyncShowsEveryObjectAsItIs) {
  (void)Replace("", {Pod("a", "x", "1"), Pod("b", "y", "2")}, true);
  EXPECT_THAT(Lines(applier_.Resync()), UnorderedElementsAre("sync a/x@1", "sync b/y@2"));
}

}  // namespace
}  // namespace kinformer::internal
