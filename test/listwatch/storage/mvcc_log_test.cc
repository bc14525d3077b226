// The parts of the memory backend that need no lock, thread or clock.

#include "src/listwatch/storage/mvcc_log.h"

#include <chrono>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/listwatch/storage/backend_faults.h"
#include "src/listwatch/storage/compaction_schedule.h"
#include "src/listwatch/storage/expiry_queue.h"
#include "src/listwatch/storage/memory_watchers.h"
#include "src/listwatch/storage/range_counts.h"
#include "test/listwatch/storage/storage_testing.h"

namespace kinformer::apiserver {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Revision WriteTo(MvccLog& log, const std::string& key, const std::string& value) {
  log.Append(log.Insert(key), Text(value));
  return log.revision();
}
Revision DeleteFrom(MvccLog& log, const std::string& key) {
  log.Append(log.Find(key), nullptr);
  return log.revision();
}

std::vector<std::string> KeysAt(const MvccLog& log, Revision revision) {
  const RangeQuery query{.prefix = "/"};
  MvccLog::RangeRead read{.query = query, .from = query.prefix};
  read.result.revision = revision;
  while (log.ReadSome(read)) {
  }
  std::vector<std::string> keys;
  for (const KeyValue& item : read.result.items) keys.push_back(item.key + "=" + std::string(*item.value));
  return keys;
}

std::vector<std::string> ChangesFrom(const MvccLog& log, std::string_view prefix, Revision from) {
  std::vector<BackendEvent> events;
  while (from <= log.revision()) from = log.ReadChanges(prefix, from, events);
  std::vector<std::string> lines;
  for (const BackendEvent& event : events) lines.push_back(Describe(event));
  return lines;
}

TEST(MvccLogTest, ReadsTheStateOfEveryRevision) {
  MvccLog log;
  EXPECT_EQ(log.revision(), 1);
  EXPECT_EQ(WriteTo(log, "/a", "1"), 2);
  EXPECT_EQ(WriteTo(log, "/b", "1"), 3);
  EXPECT_EQ(WriteTo(log, "/a", "2"), 4);
  EXPECT_EQ(DeleteFrom(log, "/b"), 5);
  EXPECT_THAT(KeysAt(log, 1), IsEmpty());
  EXPECT_THAT(KeysAt(log, 2), ElementsAre("/a=1"));
  EXPECT_THAT(KeysAt(log, 3), ElementsAre("/a=1", "/b=1"));
  EXPECT_THAT(KeysAt(log, 4), ElementsAre("/a=2", "/b=1"));
  EXPECT_THAT(KeysAt(log, 5), ElementsAre("/a=2"));
  EXPECT_EQ(log.keys(), 1U);
  EXPECT_EQ(log.Current(log.Find("/b")), nullptr);
  EXPECT_EQ(log.Current(log.Find("/a"))->create_revision, 2);
}

TEST(MvccLogTest, ReadsTheChangesBelowAPrefixInOrder) {
  MvccLog log;
  WriteTo(log, "/a/1", "x");
  WriteTo(log, "/b/1", "x");
  WriteTo(log, "/a/1", "y");
  DeleteFrom(log, "/a/1");
  EXPECT_THAT(ChangesFrom(log, "/a/", 2), ElementsAre("put /a/1=x", "put /a/1=y (was x)", "delete /a/1 (was y)"));
  EXPECT_THAT(ChangesFrom(log, "/a/", 4), ElementsAre("put /a/1=y (was x)", "delete /a/1 (was y)"));
  EXPECT_THAT(ChangesFrom(log, "/b/1", 2), ElementsAre("put /b/1=x"));
}

TEST(MvccLogTest, DropsWhatIsCompactedUnlessARangeReadsIt) {
  MvccLog log;
  WriteTo(log, "/a", "1");
  WriteTo(log, "/a", "2");
  WriteTo(log, "/a", "3");
  EXPECT_FALSE(log.DropOldest());
  log.Pin(2);
  EXPECT_TRUE(log.Compact(4));
  EXPECT_FALSE(log.Compact(4));
  while (log.DropOldest()) {
  }
  EXPECT_THAT(KeysAt(log, 2), ElementsAre("/a=1"));
  log.Unpin(2);
  while (log.DropOldest()) {
  }
  EXPECT_EQ(log.changes(), 0U);
  EXPECT_EQ(log.history_bytes(), 0U);
  EXPECT_THAT(KeysAt(log, 4), ElementsAre("/a=3"));
}

TEST(MvccLogTest, ADeletedKeyGoesWithItsLastChange) {
  MvccLog log;
  WriteTo(log, "/a", "1");
  log.Compact(DeleteFrom(log, "/a"));
  EXPECT_FALSE(log.IsEnd(log.Find("/a")));
  while (log.DropOldest()) {
  }
  EXPECT_TRUE(log.IsEnd(log.Find("/a")));
}

TEST(MvccLogTest, TrimmingCompactsTheOldestChanges) {
  MvccLog log;
  for (int i = 0; i < 100; ++i) WriteTo(log, "/a", std::string(1000, 'x'));
  log.TrimTo(10'000);
  EXPECT_LE(log.history_bytes(), 10'000U);
  EXPECT_GT(log.compacted(), 80);
  EXPECT_LT(log.compacted(), log.revision());
}

TEST(ExpiryQueueTest, TheNextIsTheEarliestThatWasNotCancelled) {
  MvccLog log;
  ExpiryQueue queue;
  const TimePoint begin{};
  EXPECT_EQ(queue.Next(), ExpiryQueue::kNever);
  WriteTo(log, "/late", "1");
  EXPECT_TRUE(queue.Set(log.Find("/late"), begin + 10s));
  WriteTo(log, "/early", "1");
  EXPECT_TRUE(queue.Set(log.Find("/early"), begin + 5s));
  WriteTo(log, "/later", "1");
  EXPECT_FALSE(queue.Set(log.Find("/later"), begin + 20s));
  EXPECT_EQ(queue.Next(), begin + 5s);
  EXPECT_EQ(queue.Front()->first, "/early");
  queue.Cancel(log.Find("/early"));
  queue.Cancel(log.Find("/early"));
  EXPECT_EQ(queue.Front()->first, "/late");
}

TEST(CompactionScheduleTest, CompactsToTheRevisionOfOneIntervalAgo) {
  const TimePoint begin{};
  CompactionSchedule schedule(5min, begin);
  EXPECT_FALSE(schedule.Due(begin + 4min));
  EXPECT_TRUE(schedule.Due(begin + 5min));
  EXPECT_EQ(schedule.Take(begin + 5min, 100), 0);
  EXPECT_EQ(schedule.Next(), begin + 10min);
  EXPECT_EQ(schedule.Take(begin + 10min, 200), 100);
  EXPECT_EQ(schedule.Take(begin + 15min, 3), 3) << "the storage was wiped";
  EXPECT_EQ(CompactionSchedule(0ms, begin).Next(), TimePoint::max());
}

TEST(RangeCountsTest, KnowsTheRestOfAListForItsNextPageOnly) {
  RangeCounts counts;
  const RangeQuery first{.prefix = "/", .limit = 1};
  counts.Remember(first, {.items = {{.key = "/a"}}, .revision = 7, .count = 3});
  const std::string next = std::string("/a") + '\0';
  EXPECT_EQ(counts.Find({.prefix = "/", .start = next, .limit = 1, .revision = 7}), 2);
  EXPECT_EQ(counts.Find({.prefix = "/", .start = next, .limit = 1, .revision = 8}), 0);
  EXPECT_EQ(counts.Find({.prefix = "/", .start = "/b", .limit = 1, .revision = 7}), 0);
  EXPECT_EQ(counts.Find(first), 0);
}

TEST(MemoryWatchersTest, AKeyWakesTheWatchesOfItsPrefixesOnce) {
  MvccLog log;
  MemoryWatchers watchers;
  int woken = 0;
  std::vector<MemoryWatcherPtr> all;
  for (const char* prefix : {"", "/a/", "/a/b/", "/a/b/c", "/a", "/x/"}) {
    all.push_back(std::make_shared<MemoryWatcher>());
    all.back()->prefix = prefix;
    all.back()->ready.Set([&woken] { ++woken; });
    watchers.Add(all.back());
  }
  {
    WokenWatchers wake;
    watchers.Wake("/a/b/c", WriteTo(log, "/a/b/c", "1"), wake);
    EXPECT_EQ(woken, 0) << "only at the end of the scope";
    watchers.Wake("/a/b/c", WriteTo(log, "/a/b/c", "2"), wake);
  }
  EXPECT_EQ(woken, 4);
  EXPECT_FALSE(all[4]->HasSomething());
  BackendEvents part;
  all[1]->Read(log, part);
  EXPECT_EQ(part.events.size(), 2U);
  EXPECT_EQ(part.revision, 3);
  EXPECT_FALSE(all[1]->HasSomething());
  for (const MemoryWatcherPtr& watcher : all) watchers.Remove(watcher);
  EXPECT_EQ(watchers.size(), 0U);
}

TEST(MemoryWatchersTest, ACallbackThatThrowsDoesNotKeepOthersFromBeingCalled) {
  MemoryWatchers watchers;
  int woken = 0;
  for (int i = 0; i < 3; ++i) {
    auto watcher = std::make_shared<MemoryWatcher>();
    watcher->ready.Set([&woken] {
      ++woken;
      throw std::bad_alloc();
    });
    watchers.Add(watcher);
  }
  {
    WokenWatchers wake;
    watchers.RequestProgress(wake);
  }
  EXPECT_EQ(woken, 3);
}

TEST(BackendFaultsTest, AFaultBeforeACallReplacesItAndOneAfterReplacesItsResult) {
  BackendFaults faults;
  int calls = 0;
  const auto call = [&] { return faults.Around(BackendCall::Kind::kGet, "/a", [&] { return Result<int>(++calls); }); };
  EXPECT_EQ(call().value(), 1);
  auto phase = BackendCall::Phase::kBefore;
  faults.Set([&](const BackendCall& seen) -> std::optional<Error> {
    EXPECT_EQ(seen.key, "/a");
    if (seen.phase != phase) return std::nullopt;
    return Error{.code = ErrorCode::kDisconnected, .message = "lost"};
  });
  EXPECT_EQ(call().error().message, "lost");
  EXPECT_EQ(calls, 1);
  phase = BackendCall::Phase::kAfter;
  EXPECT_EQ(call().error().message, "lost");
  EXPECT_EQ(calls, 2);
  faults.Set(nullptr);
  EXPECT_EQ(call().value(), 3);
}

}  // namespace
}  // namespace kinformer::apiserver
