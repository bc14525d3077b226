// How far a cache has followed its sources, and the waits for it.

#include "src/informer/cache_progress.h"

#include <chrono>
#include <string>
#include <vector>

#include <kinformer/base/fake_clock.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinformer::internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

Delta ReplaceOf(int scope, const std::string& version) {
  return {.kind = Delta::Kind::kReplaceAll, .scope = scope, .resource_version = version};
}

Delta BookmarkOf(int scope, const std::string& version) {
  return {.kind = Delta::Kind::kBookmark, .scope = scope, .resource_version = version};
}

Delta ForgetOf(int scope) { return {.kind = Delta::Kind::kForget, .scope = scope}; }

Error Forbidden() { return {.code = ErrorCode::kInternal, .message = "forbidden"}; }

class CacheProgressTest : public ::testing::Test {
 protected:
  Error SyncError() { return progress_.WaitForSync(clock_->Now(), {}).error(); }
  Result<void> Wait(const std::string& version, const std::string& namespace_name = "") {
    return progress_.WaitForResourceVersion(version, namespace_name, clock_->Now(), {});
  }

  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  CacheProgress progress_{{.name = "pods", .clock = clock_}};
};

TEST_F(CacheProgressTest, ItIsSyncedWhenTheFirstListOfEveryNamespaceIsApplied) {
  progress_.SetNamespaces({"a", "b"}, {}, {});
  EXPECT_FALSE(progress_.HasSynced());
  progress_.Started({{1, "a"}, {2, "b"}});
  EXPECT_FALSE(progress_.OnApplied({BookmarkOf(1, "3")}).first_sync) << "a bookmark is no list";
  EXPECT_TRUE(progress_.PlanReplace(1).initial);
  EXPECT_FALSE(progress_.OnApplied({ReplaceOf(1, "5")}).first_sync);
  EXPECT_FALSE(progress_.PlanReplace(1).initial);
  EXPECT_EQ(progress_.ResourceVersion(), "");
  EXPECT_TRUE(progress_.OnApplied({ReplaceOf(2, "12")}).first_sync);
  EXPECT_TRUE(progress_.HasSynced());
  EXPECT_FALSE(progress_.OnApplied({ReplaceOf(2, "13")}).first_sync) << "told once";
  EXPECT_EQ(progress_.ResourceVersion(), "5") << "the oldest, as a number";
}

TEST_F(CacheProgressTest, AnEventThatCameFirstSyncsAndAResyncDoesNot) {
  progress_.Started({{1, ""}});
  EXPECT_FALSE(progress_.OnApplied({{.kind = Delta::Kind::kResync}}).first_sync);
  EXPECT_TRUE(progress_.OnApplied({{.kind = Delta::Kind::kAdd, .scope = 1}}).first_sync);
}

TEST_F(CacheProgressTest, WithoutNamespacesItIsSyncedOnceStarted) {
  EXPECT_FALSE(progress_.OnApplied({}).first_sync);
  progress_.Started({});
  EXPECT_TRUE(progress_.OnApplied({}).first_sync);
}

TEST_F(CacheProgressTest, AVersionIsReachedInOneNamespaceOrInAll) {
  progress_.SetNamespaces({"a", "b"}, {}, {});
  progress_.Started({{1, "a"}, {2, "b"}});
  progress_.OnApplied({ReplaceOf(1, "10"), ReplaceOf(2, "7")});
  EXPECT_TRUE(Wait("7").ok());
  EXPECT_TRUE(Wait("10", "a").ok());
  EXPECT_THAT(Wait("10").error().message, HasSubstr("did not reach version 10 in time; it is at 7"));
  EXPECT_EQ(Wait("1", "c").error().code, ErrorCode::kInvalidArgument);
  progress_.OnApplied({BookmarkOf(2, "11")});
  EXPECT_TRUE(Wait("10").ok());
}

TEST_F(CacheProgressTest, ANewNamespaceIsWaitedForAndARetiredOneIsNot) {
  progress_.SetNamespaces({"a"}, {}, {});
  progress_.Started({{1, "a"}});
  progress_.OnApplied({ReplaceOf(1, "5")});
  progress_.SetNamespaces({"b"}, {{2, "b"}}, {1});
  EXPECT_FALSE(progress_.HasSynced());
  EXPECT_FALSE(Wait("5", "b").ok());
  std::vector<Delta> batch{BookmarkOf(1, "6"), ForgetOf(1), ReplaceOf(2, "7")};
  progress_.DropRetired(batch);
  ASSERT_EQ(batch.size(), 2u) << "what a retired source still queued is dropped";
  EXPECT_THAT(progress_.OnApplied(batch).forgotten, ElementsAre(1));
  EXPECT_EQ(progress_.ResourceVersion(), "7");
  EXPECT_TRUE(progress_.HasSynced());
}

TEST_F(CacheProgressTest, ANamespaceThatWasAddedAgainIsNotForgotten) {
  progress_.SetNamespaces({"a"}, {}, {});
  progress_.Started({{1, "a"}});
  progress_.OnApplied({ReplaceOf(1, "5")});
  progress_.SetNamespaces({}, {}, {1});
  progress_.SetNamespaces({"a"}, {{2, "a"}}, {});
  EXPECT_FALSE(progress_.PlanReplace(1).taken_over) << "the objects are still those of the first";
  progress_.OnApplied({ReplaceOf(2, "6")});
  EXPECT_TRUE(progress_.PlanReplace(1).taken_over);
}

TEST_F(CacheProgressTest, AWaitSaysWhyItIsNotSynced) {
  EXPECT_EQ(SyncError().message, "pods not synced in time: it has not been started");
  progress_.SetNamespaces({"a", "b"}, {}, {});
  progress_.Started({{1, "a"}, {2, "b"}});
  EXPECT_EQ(SyncError().message, "pods not synced in time");
  progress_.Stopped();
  EXPECT_EQ(SyncError().message, "pods not synced in time: it has been stopped");
  progress_.OnSourceError(1, Forbidden());
  progress_.OnApplied({ReplaceOf(2, "3")});
  EXPECT_EQ(SyncError().message, "pods not synced: forbidden");
  progress_.OnApplied({ReplaceOf(1, "3")});
  InformerStatus status;
  progress_.Describe(status);
  EXPECT_TRUE(status.synced);
  EXPECT_FALSE(status.last_error) << "the list that came clears it";
}

TEST_F(CacheProgressTest, AListDoesNotClearTheErrorOfAnIndex) {
  progress_.Started({{1, ""}});
  progress_.OnCacheError(Forbidden());
  progress_.OnApplied({ReplaceOf(1, "3")});
  InformerStatus status;
  progress_.Describe(status);
  EXPECT_TRUE(status.last_error.has_value());
}

TEST_F(CacheProgressTest, ShutDownEndsWaits) {
  progress_.Started({{1, ""}});
  progress_.ShutDown();
  EXPECT_EQ(progress_.WaitForSync({}, {}).error().message, "pods has been shut down");
  EXPECT_EQ(progress_.WaitForResourceVersion("1", "", {}, {}).error().code, ErrorCode::kFailedPrecondition);
}

TEST(CacheProgressVersions, AreComparedAsNumbers) {
  EXPECT_TRUE(IsAtLeast("10", "9"));
  EXPECT_FALSE(IsAtLeast("9", "10"));
  EXPECT_TRUE(IsAtLeast("", ""));
  EXPECT_FALSE(IsAtLeast("", "1"));
  EXPECT_TRUE(IsAtLeast("x", "x"));
  EXPECT_FALSE(IsAtLeast("x2", "x1"));
}

TEST(CacheProgressVersions, ASingleSourceHasThoseOfTheCache) {
  std::string version = "4";
  CacheProgress progress({.name = "pods", .cache_version = [&] { return version; }, .only_namespace = "a"});
  EXPECT_EQ(progress.ResourceVersion(), "4");
  EXPECT_TRUE(progress.WaitForResourceVersion("4", "a", {}, {}).ok());
  EXPECT_EQ(progress.WaitForResourceVersion("4", "b", {}, {}).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace kinformer::internal
