// What is specific to the memory backend: its clock, its limits and its faults.

#include "src/listwatch/storage/memory_backend.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>
#include <kinformer/meta/status_error.h>

#include "test/listwatch/storage/storage_testing.h"

namespace kinformer::apiserver {
namespace {

using namespace testing_support;
using ::testing::IsEmpty;

Revision Write(Backend& backend, const std::string& key, const std::string& value = "v") {
  const auto before = backend.Get(key, {});
  const Revision replaces = before && before->first ? before->first->mod_revision : 0;
  const auto outcome = backend.Put(key, Text(value), replaces, 0s, {});
  EXPECT_TRUE(outcome && outcome->Written());
  return outcome->revision;
}

TEST(MemoryBackendTest, CompactsToWhereItWasOneIntervalAgo) {
  const auto clock = std::make_shared<FakeClock>();
  MemoryBackend backend({.clock = clock});
  backend.Start();
  const auto watch = backend.Watch("/", backend.CurrentRevision({}).value());
  const auto await_tick = [&](Revision told) {
    clock->AwaitWaiters(1);
    clock->Advance(5min);
    // The tick makes every watch report its progress.
    for (;;) {
      const auto part = TakeNext(*watch);
      ASSERT_TRUE(part && *part);
      if ((*part)->events.empty() && (*part)->revision >= told) return;
    }
  };
  const Revision a1 = Write(backend, "/a", "1");
  const Revision a2 = Write(backend, "/a", "2");
  await_tick(a2);
  EXPECT_TRUE(backend.Range({.prefix = "/", .revision = a1}, {}));
  const Revision a3 = Write(backend, "/a", "3");
  await_tick(a3);
  const auto old = backend.Range({.prefix = "/", .revision = a1}, {});
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().http_status, 410);
  EXPECT_TRUE(backend.Range({.prefix = "/", .revision = a2}, {}));
}

TEST(MemoryBackendTest, WhatIsCompactedIsForgotten) {
  MemoryBackend backend;
  for (int i = 0; i < 100; ++i) Write(backend, "/hot", std::string(1000, 'x'));
  for (int i = 0; i < 100; ++i) {
    const std::string key = "/gone" + std::to_string(i);
    const Revision revision = Write(backend, key);
    ASSERT_TRUE(backend.Delete(key, revision, {}));
  }
  EXPECT_GT(backend.Stats().history_bytes, 99'000U);
  ASSERT_TRUE(backend.Compact(backend.CurrentRevision({}).value(), {}));
  EXPECT_EQ(backend.Stats().history_bytes, 0U);
  EXPECT_EQ(backend.Stats().log_entries, 0U);
  EXPECT_EQ(backend.Stats().keys, 1U);
  const auto now = backend.Range({.prefix = "/"}, {});
  ASSERT_TRUE(now);
  EXPECT_EQ(now->count, 1);
}

TEST(MemoryBackendTest, HistoryIsBoundedAndThoseWhoWereBehindAreTold410) {
  MemoryBackend backend({.max_history_bytes = 10'000});
  const auto behind = backend.Watch("/", backend.CurrentRevision({}).value());
  for (int i = 0; i < 1000; ++i) Write(backend, "/hot", std::string(100, 'x'));
  EXPECT_LE(backend.Stats().history_bytes, 10'000U);
  const auto part = TakeNext(*behind);
  ASSERT_TRUE(part && !*part);
  EXPECT_TRUE(IsResourceExpired(part->error()));
}

TEST(MemoryBackendTest, WithoutItsThreadKeysExpireWhenSomebodyLooks) {
  const auto clock = std::make_shared<FakeClock>();
  MemoryBackend backend({.clock = clock});
  ASSERT_TRUE(backend.Put("/a", Text("1"), 0, 5s, {}));
  clock->Advance(4s);
  EXPECT_TRUE(backend.Get("/a", {})->first);
  clock->Advance(1s);
  EXPECT_FALSE(backend.Get("/a", {})->first);
}

TEST(MemoryBackendTest, ARangeThatFailsStillWakesTheWatchesOfKeysThatItExpired) {
  const auto clock = std::make_shared<FakeClock>();
  MemoryBackend backend({.clock = clock});
  ASSERT_TRUE(backend.Put("/a", Text("1"), 0, 5s, {}));
  const auto watch = backend.Watch("/", backend.CurrentRevision({}).value());
  ASSERT_TRUE(HasNothing(*watch));
  bool woken = false;
  watch->NotifyWhenReady([&] { woken = true; });
  clock->Advance(5s);
  const auto future = backend.Range({.prefix = "/", .revision = 1000}, {});
  ASSERT_FALSE(future);
  EXPECT_EQ(future.error().http_status, 504);
  EXPECT_TRUE(woken);
  EXPECT_FALSE(HasNothing(*watch));
}

TEST(MemoryBackendTest, AnEarlierExpiryThanTheOneWaitedForIsInTime) {
  const auto clock = std::make_shared<FakeClock>();
  MemoryBackend backend({.clock = clock, .compaction_interval = 0ms});
  backend.Start();
  const auto watch = backend.Watch("/", 0);
  ASSERT_TRUE(backend.Put("/late", Text("1"), 0, 100s, {}));
  ASSERT_TRUE(backend.Put("/early", Text("1"), 0, 10s, {}));
  clock->Advance(10s);
  std::vector<std::string> lines;
  while (lines.size() < 3) {
    const auto part = TakeNext(*watch);
    ASSERT_TRUE(part && *part);
    for (const BackendEvent& event : (*part)->events) lines.push_back(Describe(event));
  }
  EXPECT_EQ(lines.back(), "delete /early (was 1)");
}

TEST(MemoryBackendTest, ReadersAreNotDisturbedByCompaction) {
  constexpr int kKeys = 5000;
  MemoryBackend backend;
  for (int i = 0; i < kKeys; ++i) Write(backend, "/k" + std::to_string(i));
  std::jthread writer([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      for (int i = 0; i < kKeys; i += 97) Write(backend, "/k" + std::to_string(i), "w");
      (void)backend.Compact(backend.CurrentRevision({}).value(), {});
    }
  });
  for (int round = 0; round < 50; ++round) {
    const auto range = backend.Range({.prefix = "/"}, {});
    ASSERT_TRUE(range);
    ASSERT_EQ(range->count, kKeys);
    ASSERT_EQ(range->items.size(), static_cast<std::size_t>(kKeys));
  }
}

TEST(MemoryBackendTest, PagesOfOneListAgreeOnHowManyAreLeftWhateverHappensMeanwhile) {
  MemoryBackend backend;
  for (int i = 0; i < 10; ++i) Write(backend, "/k" + std::to_string(i));
  RangeQuery query{.prefix = "/", .limit = 3};
  for (const std::int64_t expected : {10, 7, 4, 1}) {
    const auto page = backend.Range(query, {});
    ASSERT_TRUE(page);
    EXPECT_EQ(page->count, expected);
    EXPECT_EQ(page->items.size(), std::min<std::size_t>(3, static_cast<std::size_t>(expected)));
    query.start = page->items.back().key + '\0';
    query.revision = page->revision;
    Write(backend, "/k5" + std::to_string(expected));
    const auto gone = backend.Get("/k9", {});
    if (gone->first) {
      ASSERT_TRUE(backend.Delete("/k9", gone->first->mod_revision, {}));
    }
  }
}

TEST(MemoryBackendTest, AWipeForgetsHowManyObjectsThereWere) {
  MemoryBackend backend;
  for (int i = 0; i < 10; ++i) Write(backend, "/a/" + std::to_string(i));
  const auto before = backend.Range({.prefix = "/a/", .limit = 3}, {});
  ASSERT_TRUE(before);
  EXPECT_EQ(before->count, 10);
  EXPECT_EQ(backend.Stats().keys, 10U);
  backend.Wipe();
  EXPECT_EQ(backend.Stats().keys, 0U);

  for (int i = 0; i < 4; ++i) Write(backend, "/a/" + std::to_string(i));
  // The same revision, and a page that starts at the same key.
  while (backend.CurrentRevision({}).value() < before->revision) Write(backend, "/a/0");
  ASSERT_EQ(backend.CurrentRevision({}).value(), before->revision);
  const std::string next = before->items.back().key + '\0';
  const auto after = backend.Range({.prefix = "/a/", .start = next, .limit = 3, .revision = before->revision}, {});
  ASSERT_TRUE(after);
  EXPECT_EQ(after->count, 1);
  EXPECT_EQ(after->items.size(), 1U);
  EXPECT_EQ(backend.Stats().keys, 4U);
}

TEST(MemoryBackendTest, ARangeThatAWipeInterruptsIsExpired) {
  constexpr int kKeys = 20'000;
  MemoryBackend backend;
  for (int i = 0; i < kKeys; ++i) Write(backend, "/a/" + std::to_string(i));
  std::atomic<bool> stop = false;
  std::jthread wiper([&] {
    while (!stop) {
      backend.Wipe();
      for (int i = 0; i < 100; ++i) (void)backend.Put("/b/" + std::to_string(i), Text("v"), 0, 0s, {});
    }
  });
  for (int i = 0; i < 200; ++i) {
    const auto range = backend.Range({.prefix = "/"}, {});
    if (!range) {
      EXPECT_EQ(range.error().http_status, 410);
      continue;
    }
    EXPECT_EQ(range->count, static_cast<std::int64_t>(range->items.size()));
    EXPECT_TRUE(range->items.size() <= 100U || range->items.size() == kKeys) << range->items.size();
  }
  stop = true;
}

TEST(MemoryBackendTest, AFaultBeforeAWriteTakesItsPlaceAndOneAfterHidesThatItWasMade) {
  MemoryBackend backend;
  const Error lost{.code = ErrorCode::kDisconnected, .message = "lost"};
  auto phase = BackendCall::Phase::kBefore;
  backend.InjectFaults([&](const BackendCall& call) -> std::optional<Error> {
    if (call.kind == BackendCall::Kind::kPut && call.phase == phase) return lost;
    return std::nullopt;
  });
  EXPECT_EQ(backend.Put("/a", Text("1"), 0, 0s, {}).error().message, "lost");
  EXPECT_FALSE(backend.Get("/a", {})->first);
  phase = BackendCall::Phase::kAfter;
  EXPECT_EQ(backend.Put("/a", Text("1"), 0, 0s, {}).error().message, "lost");
  EXPECT_TRUE(backend.Get("/a", {})->first);
  backend.InjectFaults(nullptr);
  EXPECT_TRUE(backend.Put("/b", Text("1"), 0, 0s, {}));
}

TEST(MemoryBackendTest, AWatchBegunWhileInterruptedFails) {
  MemoryBackend backend;
  backend.Interrupt();
  const auto watch = backend.Watch("/", 0);
  const auto part = TakeNext(*watch);
  ASSERT_TRUE(part && !*part);
  EXPECT_EQ(part->error().code, ErrorCode::kUnreachable);
}

TEST(MemoryBackendTest, AWatchThatOutlivesItsBackendEnds) {
  std::unique_ptr<BackendWatch> watch;
  {
    MemoryBackend backend;
    watch = backend.Watch("/", 0);
    EXPECT_TRUE(HasNothing(*watch));
  }
  const auto part = TakeNext(*watch);
  ASSERT_TRUE(part && !*part);
  EXPECT_EQ(part->error().code, ErrorCode::kDisconnected);
}

TEST(MemoryBackendTest, ClosedWatchesLeaveNothingBehind) {
  MemoryBackend backend;
  {
    const auto watch = backend.Watch("/", 0);
    EXPECT_EQ(backend.Stats().open_watches, 1U);
  }
  EXPECT_EQ(backend.Stats().open_watches, 0U);
}

}  // namespace
}  // namespace kinformer::apiserver
