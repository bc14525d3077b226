#include <kinformer/store/lister.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/meta/status_error.h>
#include <kinformer/views/core_v1.h>

#include "test/store/store_test_objects.h"

namespace kinformer {
namespace {

using testing::ByNode;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MakePod;
using testing::Shown;

class ListerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(indexer_->AddIndexer("node", ByNode));
    ASSERT_TRUE(indexer_->Replace({MakePod({.namespace_name = "one", .name = "a", .node = "n1", .app = "web"}),
                                   MakePod({.namespace_name = "one", .name = "b", .node = "n2", .app = "db"}),
                                   MakePod({.namespace_name = "two", .name = "c", .node = "n1", .app = "web"})},
                                  "5"));
  }

  const std::shared_ptr<Indexer> indexer_ = std::make_shared<Indexer>();
  const Lister lister_{indexer_};
};

TEST_F(ListerTest, GetGivesTheObjectThatTheCacheHolds) {
  EXPECT_EQ(lister_.Get({"one", "a"}).value(), indexer_->Get("one", "a"));
  EXPECT_EQ(lister_.Size(), 3U);
}

TEST_F(ListerTest, AMovedFromListerReadsTheSameCache) {
  Lister lister = lister_;
  Lister taken = std::move(lister);
  taken = std::move(lister);     // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(lister.Size(), 3U);  // NOLINT(bugprone-use-after-move)
  TypedLister<core::v1::Pod> typed(taken);
  const TypedLister<core::v1::Pod> typed_taken = std::move(typed);
  EXPECT_EQ(typed.Find({"one", "a"})->Name(), "a");  // NOLINT(bugprone-use-after-move)
}

TEST_F(ListerTest, WhatIsNotThereIsAServersNotFound) {
  const auto missing = lister_.Get({"one", "c"});
  ASSERT_FALSE(missing);
  EXPECT_TRUE(IsNotFound(missing.error()));
  EXPECT_EQ(missing.error().code, ErrorCode::kServer);
  EXPECT_EQ(missing.error().http_status, 404);
  EXPECT_EQ(missing.error().reason, "NotFound");
  EXPECT_EQ(missing.error().details.name, "c");
  EXPECT_EQ(missing.error().message, "object \"one/c\" not found in the cache");
  EXPECT_EQ(lister_.Get({"", "c"}).error().message, "object \"c\" not found in the cache");
}

TEST_F(ListerTest, ListsByNamespaceAndLabels) {
  const LabelSelector web = LabelSelector::Parse("app=web").value();
  EXPECT_THAT(Shown(lister_.List()), ElementsAre("one/a@1", "one/b@1", "two/c@1"));
  EXPECT_THAT(Shown(lister_.List(web)), ElementsAre("one/a@1", "two/c@1"));
  EXPECT_THAT(Shown(lister_.List("one")), ElementsAre("one/a@1", "one/b@1"));
  EXPECT_THAT(Shown(lister_.List("one", web)), ElementsAre("one/a@1"));
  EXPECT_THAT(lister_.List("three"), IsEmpty());
  EXPECT_THAT(lister_.List(LabelSelector::Nothing()), IsEmpty());
}

TEST_F(ListerTest, NoNamespaceMeansAllOfThem) {
  EXPECT_EQ(lister_.List("").size(), 3U);
  EXPECT_THAT(Shown(lister_.List("", LabelSelector::Parse("app=db").value())), ElementsAre("one/b@1"));
}

TEST_F(ListerTest, ListsByOneIndexOrSeveral) {
  EXPECT_THAT(Shown(lister_.ByIndex("node", "n1").value()), ElementsAre("one/a@1", "two/c@1"));
  EXPECT_THAT(lister_.ByIndex("node", "n3").value(), IsEmpty());
  EXPECT_THAT(Shown(lister_.ByIndexes({{"node", "n1"}, {kNamespaceIndex, "two"}}).value()), ElementsAre("two/c@1"));
}

TEST_F(ListerTest, AnUnknownIndexIsAnErrorThatNamesTheIndicesThatExist) {
  const std::string message = "there is no index \"zone\"; existing indices: \"namespace\", \"node\"";
  const auto by_one = lister_.ByIndex("zone", "z");
  ASSERT_FALSE(by_one);
  EXPECT_EQ(by_one.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(by_one.error().message, message);
  EXPECT_EQ(lister_.ByIndexes({{"node", "n1"}, {"zone", "z"}}).error(), by_one.error());
  const TypedLister<core::v1::Pod> pods(lister_);
  EXPECT_EQ(pods.ByIndex("zone", "z").error(), by_one.error());
  EXPECT_EQ(pods.ByIndexes({{"zone", "z"}}).error(), by_one.error());
}

TEST_F(ListerTest, FindGivesTheObjectOrNothing) {
  EXPECT_EQ(lister_.Find({"one", "a"}), indexer_->Get("one", "a"));
  EXPECT_EQ(lister_.Find({"one", "c"}), nullptr);
  const TypedLister<core::v1::Pod> pods(lister_);
  const std::optional<core::v1::Pod> found = pods.Find({"one", "a"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->object(), indexer_->Get("one", "a"));
  EXPECT_EQ(pods.Find({"one", "c"}), std::nullopt);
}

TEST_F(ListerTest, ATypedListerGivesViews) {
  const TypedLister<core::v1::Pod> pods(lister_);
  EXPECT_EQ(pods.Get({"one", "b"}).value().object(), indexer_->Get("one", "b"));
  EXPECT_EQ(pods.Size(), 3U);
  EXPECT_EQ(pods.List().size(), 3U);
  EXPECT_EQ(pods.List("two").size(), 1U);
  EXPECT_EQ(pods.List(LabelSelector::Parse("app=db").value()).front().Name(), "b");
  EXPECT_EQ(pods.ByIndex("node", "n1").value().size(), 2U);
  EXPECT_EQ(pods.ByIndexes({{"node", "n2"}, {kNamespaceIndex, "one"}}).value().front().Name(), "b");
  EXPECT_EQ(pods.Untyped().Size(), 3U);
}

TEST_F(ListerTest, ATypedListersNotFoundNamesTheResource) {
  const TypedLister<core::v1::Pod> pods(lister_);
  const auto missing = pods.Get({"one", "x"});
  ASSERT_FALSE(missing);
  EXPECT_TRUE(IsNotFound(missing.error()));
  EXPECT_EQ(missing.error().message, "pods \"one/x\" not found in the cache");
  EXPECT_EQ(missing.error().details.kind, "pods");
}

TEST_F(ListerTest, HoldsTheCache) {
  auto own = std::make_shared<Indexer>();
  ASSERT_TRUE(own->Replace({MakePod({.name = "a"})}, "1"));
  const Lister lister(std::move(own));
  EXPECT_EQ(lister.Size(), 1U);
}

}  // namespace
}  // namespace kinformer
