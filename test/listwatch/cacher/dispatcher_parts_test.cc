// The parts of the Dispatcher that need no thread.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/listwatch/cacher/bookmark_cache.h"
#include "src/listwatch/cacher/incoming_queue.h"
#include "src/listwatch/cacher/matcher_pool.h"
#include "src/listwatch/cacher/slow_watchers.h"
#include "src/listwatch/cacher/watcher_index.h"
#include "src/listwatch/cacher/watcher_times.h"
#include "test/listwatch/cacher/fake_store.h"
#include "test/listwatch/cacher/predicates.h"

namespace kinformer::apiserver {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const TimePoint kBegin = TimePoint() + 1h;

std::shared_ptr<const StorageOptions> PodOptions() { return std::make_shared<const StorageOptions>(PodStorage()); }

ObjectPtr PodOn(const std::string& namespace_name, const std::string& name, const std::string& node) {
  return PodAt({.namespace_name = namespace_name, .name = name, .node = node}, 5);
}

SelectionPredicate OnNode(const std::string& node) { return Fields("spec.nodeName=" + node); }

TEST(IncomingQueueTest, TheFirstEventSchedulesABatchAndAFullQueueIsReported) {
  IncomingQueue queue(3);
  EXPECT_TRUE(queue.Push({nullptr, 1}).schedule);
  EXPECT_FALSE(queue.Push({nullptr, 2}).schedule);
  const IncomingQueue::Pushed third = queue.Push({nullptr, 3});
  EXPECT_TRUE(third.full);
  EXPECT_FALSE(third.schedule);
  std::vector<IncomingEvent> batch;
  EXPECT_FALSE(queue.TakeBatch(batch));
  EXPECT_EQ(batch.size(), 3U);
  EXPECT_EQ(batch.front().revision, 1);
  EXPECT_FALSE(queue.EndBatch(kBegin, false));
  const IncomingQueue::Pushed next = queue.Push({nullptr, 4});
  EXPECT_TRUE(next.schedule);
  EXPECT_EQ(next.not_before, kBegin);
  EXPECT_EQ(queue.high_water_mark(), 3U);
}

TEST(IncomingQueueTest, EventsThatArriveDuringABatchScheduleTheNext) {
  IncomingQueue queue(1000);
  for (std::size_t i = 0; i <= IncomingQueue::kBatch; ++i) queue.Push({nullptr, static_cast<Revision>(i)});
  std::vector<IncomingEvent> batch;
  EXPECT_TRUE(queue.TakeBatch(batch));
  EXPECT_EQ(batch.size(), IncomingQueue::kBatch);
  EXPECT_TRUE(queue.EndBatch({}, true));
  EXPECT_FALSE(queue.TakeBatch(batch));
  EXPECT_FALSE(queue.Push({nullptr, 500}).schedule);
  EXPECT_TRUE(queue.EndBatch({}, false));
}

TEST(IncomingQueueTest, PausesOnlyAfterBatchesToManyWatchers) {
  EXPECT_EQ(PauseAfterBatch(20us, 49), Duration::zero());
  EXPECT_EQ(PauseAfterBatch(20us, 1000), 20ms);
  EXPECT_EQ(PauseAfterBatch(20us, 100'000), 50ms);
}

class WatcherIndexTest : public testing::Test {
 protected:
  /// Adds a watcher. Its value names it in Candidates.
  void Add(const std::string& label, const std::string& namespace_name, const std::string& name,
           const SelectionPredicate& predicate = {}) {
    const WatcherFilter filter{namespace_name, name, std::make_shared<Matcher>(predicate, storage_)};
    watchers_.push_back(std::make_unique<RegisteredWatcher>());
    watchers_.back()->key = index_.KeyOf(filter);
    labels_.emplace_back(watchers_.back().get(), label);
    index_.Add(*watchers_.back());
  }
  std::vector<std::string> Candidates(const ObjectPtr& object, const ObjectPtr& previous = nullptr) const {
    const CacheEvent event(false, object, previous, 5, kBegin);
    std::vector<std::string> found;
    index_.ForCandidates(event, [&](const WatcherIndex::Bucket& bucket) {
      for (const RegisteredWatcher* watcher : bucket) {
        for (const auto& [known, label] : labels_) {
          if (known == watcher) found.push_back(label);
        }
      }
    });
    return found;
  }

  const std::shared_ptr<const StorageOptions> storage_ = PodOptions();
  WatcherIndex index_{storage_};
  std::vector<std::unique_ptr<RegisteredWatcher>> watchers_;
  std::vector<std::pair<const RegisteredWatcher*, std::string>> labels_;
};

TEST_F(WatcherIndexTest, FindsWatchersByNamespaceAndName) {
  Add("all", "", "");
  Add("in a", "a", "");
  Add("in b", "b", "");
  Add("a/x", "a", "x");
  Add("*/x", "", "x");
  EXPECT_THAT(Candidates(PodOn("a", "x", "")), UnorderedElementsAre("all", "in a", "a/x", "*/x"));
  EXPECT_THAT(Candidates(PodOn("b", "y", "")), UnorderedElementsAre("all", "in b"));
}

TEST_F(WatcherIndexTest, FindsWatchersByTheTriggerAsItIsAndAsItWas) {
  Add("n1", "", "", OnNode("n1"));
  Add("n2", "", "", OnNode("n2"));
  EXPECT_THAT(Candidates(PodOn("a", "x", "n1")), ElementsAre("n1"));
  EXPECT_THAT(Candidates(PodOn("a", "x", "n2"), PodOn("a", "x", "n1")), UnorderedElementsAre("n1", "n2"));
  EXPECT_THAT(Candidates(PodOn("a", "x", "n2"), PodOn("a", "x", "n2")), ElementsAre("n2"));
  EXPECT_THAT(Candidates(PodOn("a", "x", "n3")), IsEmpty());
}

TEST_F(WatcherIndexTest, RemovedWatchersAreNoCandidates) {
  Add("all", "", "");
  Add("in a", "a", "");
  Add("n1", "", "", OnNode("n1"));
  for (const auto& watcher : watchers_) index_.Remove(*watcher);
  EXPECT_THAT(Candidates(PodOn("a", "x", "n1")), IsEmpty());
}

TEST(WatcherBufferSizeTest, IsThatOfKubeApiserver) {
  EXPECT_EQ(WatcherBufferSize(std::nullopt, 100), 20U);
  EXPECT_EQ(WatcherBufferSize(std::nullopt, 100'000), 200U);
  EXPECT_EQ(WatcherBufferSize(true, 100'000), 20U);
  EXPECT_EQ(WatcherBufferSize(false, 100'000), 2000U);
}

TEST(WatcherTimesTest, TheEarliestIsDueFirst) {
  RegisteredWatcher a;
  RegisteredWatcher b;
  DeadlineTimes times;
  times.Set(a, kBegin + 2s);
  times.Set(b, kBegin + 1s);
  EXPECT_EQ(times.Next(), kBegin + 1s);
  EXPECT_EQ(times.Due(kBegin), nullptr);
  EXPECT_EQ(times.Due(kBegin + 1s), &b);
  times.Set(b, kBegin + 3s);
  EXPECT_EQ(times.Due(kBegin + 3s), &a);
  times.Remove(a);
  times.Remove(a);
  EXPECT_EQ(times.Due(kBegin + 3s), &b);
  times.Remove(b);
  EXPECT_TRUE(times.empty());
}

TEST(WatcherTimesTest, TheLastBookmarkIsShortlyBeforeTheDeadline) {
  EXPECT_EQ(NextBookmark(kBegin, std::nullopt, 60s, 2s), kBegin + 60s);
  EXPECT_EQ(NextBookmark(kBegin, kBegin + 300s, 60s, 2s), kBegin + 60s);
  EXPECT_EQ(NextBookmark(kBegin, kBegin + 30s, 60s, 2s), kBegin + 28s);
  EXPECT_EQ(NextBookmark(kBegin, kBegin + 1s, 60s, 2s), kBegin + 60s);
}

class SlowWatchersTest : public testing::Test {
 protected:
  /// A watcher whose buffer overflows since kBegin.
  std::unique_ptr<RegisteredWatcher> Blocked() {
    auto registered = std::make_unique<RegisteredWatcher>();
    registered->watcher = std::make_shared<CacheWatcher>(nullptr, CacheWatcherOptions{.capacity = 1});
    std::vector<WatchItem> items(3, WatchItem{.revision = 5});
    ReadyCalls ready;
    EXPECT_TRUE(registered->watcher->Deliver(items, kBegin, ready));
    slow_.Add(*registered);
    slow_.Add(*registered);
    return registered;
  }

  SlowWatchers slow_{500ms, {.refresh = 50ms, .max = 100ms}, kBegin - 10s};
};

TEST_F(SlowWatchersTest, AreTerminatedWhenGraceAndBudgetAreUsedUp) {
  const auto a = Blocked();
  const auto b = Blocked();
  EXPECT_EQ(slow_.Check(kBegin).next_check, kBegin + 500ms);
  const SlowWatchers::Verdict late = slow_.Check(kBegin + 500ms);
  EXPECT_THAT(late.terminate, IsEmpty());
  EXPECT_EQ(late.next_check, kBegin + 600ms);
  EXPECT_THAT(slow_.Check(kBegin + 599ms).terminate, IsEmpty());
  EXPECT_THAT(slow_.Check(kBegin + 600ms).terminate, UnorderedElementsAre(a.get(), b.get()));
}

TEST_F(SlowWatchersTest, ARemovedWatcherIsNotChecked) {
  const auto a = Blocked();
  slow_.Remove(*a);
  const SlowWatchers::Verdict verdict = slow_.Check(kBegin + 10s);
  EXPECT_THAT(verdict.terminate, IsEmpty());
  EXPECT_FALSE(verdict.next_check);
}

TEST(MatcherPoolTest, EqualPredicatesShareAMatcher) {
  MatcherPool pool(PodOptions());
  const auto one = pool.Get(OnNode("n1"));
  EXPECT_EQ(pool.Get(OnNode("n1")), one);
  EXPECT_NE(pool.Get(OnNode("n2")), one);
  for (int i = 0; i < 1000; ++i) pool.Get(OnNode("m" + std::to_string(i)));
  EXPECT_LE(pool.size(), 64U) << "unused ones are dropped";
}

TEST(BookmarkCacheTest, RepeatedCallsReturnTheSameObject) {
  BookmarkCache cache(PodOptions());
  const ObjectPtr bookmark = cache.Get(7, false);
  EXPECT_EQ(cache.Get(7, false), bookmark);
  EXPECT_NE(cache.Get(7, true), bookmark);
  EXPECT_EQ(cache.Get(7, false), bookmark);
  EXPECT_NE(cache.Get(8, false), bookmark);
}

}  // namespace
}  // namespace kinformer::apiserver
