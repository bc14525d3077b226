// The event ring, the store, and waiting for a revision.

#include "src/listwatch/cacher/watch_cache.h"

#include <future>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>
#include <kinformer/meta/status_error.h>

#include "src/listwatch/cacher/time_budget.h"
#include "test/listwatch/cacher/fake_store.h"

namespace kinformer::apiserver {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

class WatchCacheTest : public ::testing::Test {
 protected:
  WatchCache Make(WatchCacheOptions options = {}) {
    options.clock = clock_;
    return WatchCache(std::move(options));
  }
  static void Fill(WatchCache& cache, Revision from, Revision to) {
    for (Revision i = from; i <= to; ++i) cache.Update(PodAt({.name = "a", .note = std::to_string(i)}, i));
  }
  static std::vector<Revision> Since(const WatchCache& cache, Revision revision) {
    std::vector<CacheEventPtr> events;
    std::vector<Revision> revisions;
    if (cache.EventsSince(revision, 1'000'000, events).too_old) return {-1};
    for (const CacheEventPtr& event : events) revisions.push_back(event->revision);
    return revisions;
  }
  static std::vector<std::string> Names(const CacheSnapshot& snapshot) {
    std::vector<std::string> names;
    for (const ObjectPtr& object : *snapshot.objects) names.push_back(KeyOf(*object));
    return names;
  }

  std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
};

TEST_F(WatchCacheTest, ARingThatOverflowsByOneForgetsTheOldestVersionAndReplaysAllAfterIt) {
  WatchCache cache = Make({.ring = {.max_capacity = 100}});
  cache.Replace({}, "1000");
  Fill(cache, 1001, 1100);
  EXPECT_EQ(Since(cache, 1000).size(), 100U);
  EXPECT_TRUE(cache.CheckSince(1000));

  Fill(cache, 1101, 1101);
  const Result<void> evicted = cache.CheckSince(1000);
  ASSERT_FALSE(evicted);
  EXPECT_EQ(evicted.error().http_status, 410);
  EXPECT_EQ(evicted.error().reason, "Expired");
  EXPECT_EQ(evicted.error().message, "too old resource version: 1000 (1001)");
  EXPECT_TRUE(cache.CheckSince(1001));
  const std::vector<Revision> all = Since(cache, 1001);
  ASSERT_EQ(all.size(), 100U);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<Revision>(1002 + i));
  EXPECT_THAT(Since(cache, 1000), ElementsAre(-1));
}

TEST_F(WatchCacheTest, BeforeAnythingIsPushedOutTheOldestVersionIsTheLists) {
  WatchCache cache = Make();
  cache.Replace({}, "1000");
  Fill(cache, 1500, 1501);
  EXPECT_TRUE(cache.CheckSince(1000));
  ASSERT_FALSE(cache.CheckSince(999));
  EXPECT_EQ(cache.CheckSince(999).error().message, "too old resource version: 999 (1000)");
  cache.Replace({}, "1600");
  EXPECT_FALSE(cache.CheckSince(1599));
}

TEST_F(WatchCacheTest, TheRingDoublesWhileItIsFullWithinTheWindowAndHalvesWhenItsNewestQuarterIsOlder) {
  WatchCache cache = Make();
  cache.Replace({}, "1000");
  Fill(cache, 1001, 1100);
  EXPECT_EQ(cache.capacity(), 100U);
  Fill(cache, 1101, 1101);
  EXPECT_EQ(cache.capacity(), 200U);
  EXPECT_TRUE(cache.CheckSince(1000)) << "growing pushes nothing out";
  Fill(cache, 1102, 1200);
  // Full, but its events are old: does not grow. Its newest quarter is young: does not shrink.
  clock_->Advance(74s);
  Fill(cache, 1201, 1201);
  EXPECT_EQ(cache.capacity(), 400U);
  Fill(cache, 1202, 1400);
  clock_->Advance(76s);
  Fill(cache, 1401, 1401);
  EXPECT_EQ(cache.capacity(), 200U);
  EXPECT_EQ(Since(cache, 1201).size(), 200U) << "the newest stay";
  EXPECT_FALSE(cache.CheckSince(1200));
}

TEST_F(WatchCacheTest, TheRingKeepsBetweenItsBounds) {
  WatchCache cache = Make({.ring = {.min_capacity = 4, .max_capacity = 8}});
  cache.Replace({}, "1000");
  Fill(cache, 1001, 1100);
  EXPECT_EQ(cache.capacity(), 8U);
  for (Revision i = 1101; i < 1200; ++i) {
    clock_->Advance(100s);
    Fill(cache, i, i);
  }
  EXPECT_EQ(cache.capacity(), 4U);
  // A longer window needs a larger ring.
  EventRing ring({.min_capacity = 4, .max_capacity = 8, .window = 5min});
  for (Revision i = 1; i < 1000; ++i) {
    ring.Append(std::make_shared<CacheEvent>(false, PodAt({.name = "a"}, i), nullptr, i, clock_->Now()));
  }
  EXPECT_EQ(ring.capacity(), 32U);
}

TEST_F(WatchCacheTest, AnEventCarriesWhatWasThereBefore) {
  std::vector<CacheEventPtr> events;
  WatchCache cache = Make({.on_event = [&](const CacheEventPtr& event) { events.push_back(event); }});
  const ObjectPtr listed = PodAt({.name = "a", .note = "listed"}, 900);
  cache.Replace({listed}, "1000");
  const ObjectPtr changed = PodAt({.name = "a", .note = "changed"}, 1001);
  cache.Update(changed);
  cache.Delete(PodAt({.name = "a", .note = "changed"}, 1002));
  cache.Add(PodAt({.name = "b"}, 1003));
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0]->previous, listed);
  EXPECT_EQ(events[0]->object, changed);
  EXPECT_EQ(events[0]->Gone()->At("/spec/note").StringOr(""), "listed");
  EXPECT_EQ(events[0]->Gone()->ResourceVersion(), "1001");
  EXPECT_EQ(events[0]->Gone(), events[0]->Gone()) << "made once";
  EXPECT_EQ(events[1]->previous, changed);
  EXPECT_TRUE(events[1]->deleted);
  EXPECT_EQ(events[1]->Gone()->ResourceVersion(), "1002");
  EXPECT_EQ(events[2]->previous, nullptr);
}

TEST_F(WatchCacheTest, WhatWasThereBeforeKeepsEveryFieldButTheVersion) {
  const ObjectPtr before =
      Object::Parse(
          R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","managedFields":[{"manager":"m"}],"resourceVersion":"7",)"
          R"("labels":{"resourceVersion":"7"}},"status":{"x":[1, 2]}})",
          {.keep_managed_fields = true})
          .value();
  EXPECT_EQ(
      WithRevision(before, 123456)->Json(),
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","managedFields":[{"manager":"m"}],"resourceVersion":"123456",)"
      R"("labels":{"resourceVersion":"7"}},"status":{"x":[1, 2]}})");
}

TEST_F(WatchCacheTest, ObjectsComeInTheStoragesOrderAndByNamespace) {
  WatchCache cache = Make();
  cache.Replace({PodAt({.namespace_name = "a", .name = "z"}, 1), PodAt({.namespace_name = "a-b", .name = "a"}, 2),
                 PodAt({.namespace_name = "ab", .name = "m"}, 3), PodAt({.namespace_name = "a", .name = "b"}, 4)},
                "1000");
  EXPECT_THAT(Names(cache.Snapshot()), ElementsAre("a-b/a", "a/b", "a/z", "ab/m"));
  EXPECT_THAT(Names(cache.Snapshot("a")), ElementsAre("a/b", "a/z"));
  EXPECT_THAT(Names(cache.Snapshot("a", "z")), ElementsAre("a/z"));
  EXPECT_THAT(Names(cache.Snapshot("", "m")), ElementsAre("ab/m"));
  EXPECT_THAT(Names(cache.Snapshot("b")), ElementsAre());
  EXPECT_EQ(cache.Snapshot().objects, cache.Snapshot().objects) << "made once, shared until the next change";
  cache.Delete(PodAt({.namespace_name = "a", .name = "b"}, 1001));
  EXPECT_THAT(Names(cache.Snapshot()), ElementsAre("a-b/a", "a/z", "ab/m"));
  EXPECT_EQ(cache.Snapshot().revision, 1001);
}

TEST_F(WatchCacheTest, EventsThatAreNotNewerArePassedOver) {
  int events = 0;
  WatchCache cache = Make({.on_event = [&](const CacheEventPtr&) { ++events; }});
  cache.Replace({}, "1000");
  Fill(cache, 1001, 1001);
  Fill(cache, 1001, 1001);
  cache.Bookmark("1005");
  Fill(cache, 1005, 1005);
  cache.Update(Object::Parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}})").value());
  EXPECT_EQ(events, 1);
  EXPECT_EQ(cache.Status().ignored, 3U);
}

TEST_F(WatchCacheTest, WhoWaitsForAVersionGoesOnWhenItComesWithAnEventOrAsProgress) {
  WatchCache cache = Make();
  cache.Replace({}, "1000");
  auto event = std::async([&] { return cache.WaitUntilFresh(1001, {}); });
  auto progress = std::async([&] { return cache.WaitUntilFresh(1007, {}); });
  clock_->AwaitWaiters(2);
  Fill(cache, 1001, 1001);
  EXPECT_TRUE(event.get());
  cache.Bookmark("1007");
  EXPECT_TRUE(progress.get());
}

TEST_F(WatchCacheTest, AVersionThatDoesNotComeInThreeSecondsIsTooLarge) {
  std::atomic<int> requests = 0;
  WatchCache cache = Make({.request_progress = [&] { ++requests; }});
  cache.Replace({}, "1000");
  auto waiting = std::async([&] { return cache.WaitUntilFresh(1001, {}); });
  for (int i = 0; i < 30; ++i) {
    clock_->AwaitWaiters(1);
    EXPECT_EQ(requests, i + 1) << "at once, and each 100 ms";
    clock_->Advance(100ms);
  }
  const Result<void> result = waiting.get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().http_status, 504);
  EXPECT_EQ(result.error().reason, "Timeout");
  EXPECT_EQ(result.error().message, "Timeout: Too large resource version: 1001, current: 1000");
  EXPECT_EQ(result.error().retry_after, 1s);
  EXPECT_TRUE(HasStatusCause(result.error(), "ResourceVersionTooLarge"));
  EXPECT_TRUE(IsTooLargeResourceVersion(result.error()));
}

TEST_F(WatchCacheTest, AWaitCanBeStopped) {
  WatchCache cache = Make();
  cache.Replace({}, "1000");
  std::stop_source stop;
  auto waiting = std::async([&] { return cache.WaitUntilFresh(1001, stop.get_token()); });
  clock_->AwaitWaiters(1);
  stop.request_stop();
  const Result<void> result = waiting.get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
}

TEST(TimeBudgetTest, StartsEmptyFillsEachSecondAndIsGivenBack) {
  const TimePoint start{};
  TimeBudget budget({}, start);
  EXPECT_EQ(budget.TakeAll(start + 900ms), 0ms);
  EXPECT_EQ(budget.TakeAll(start + 1100ms), 50ms);
  EXPECT_EQ(budget.TakeAll(start + 1900ms), 0ms);
  EXPECT_EQ(budget.TakeAll(start + 2s), 50ms);
  EXPECT_EQ(budget.TakeAll(start + 100s), 100ms);
  budget.GiveBack(30ms, start + 100s);
  EXPECT_EQ(budget.TakeAll(start + 100s), 30ms);
  EXPECT_EQ(budget.TakeAll(start + std::chrono::hours(24 * 365 * 50)), 100ms);
}

}  // namespace
}  // namespace kinformer::apiserver
