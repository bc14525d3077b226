// The contract of every Backend, whatever its implementation.

#include "src/listwatch/storage/backend.h"

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/meta/status_error.h>

#include "test/listwatch/storage/storage_testing.h"

namespace kinformer::apiserver {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class BackendTest : public ::testing::TestWithParam<BackendKind> {
 protected:
  Backend& backend() { return under_test_->backend(); }
  std::string Key(std::string_view name) const { return prefix_ + std::string(name); }

  Revision Put(std::string_view name, std::string_view value, Revision replaces = 0, std::chrono::seconds ttl = 0s) {
    const Result<WriteOutcome> outcome = backend().Put(Key(name), Text(value), replaces, ttl, {});
    EXPECT_TRUE(outcome && outcome->Written()) << name;
    return outcome ? outcome->revision : 0;
  }
  Revision Delete(std::string_view name, Revision replaces) {
    const Result<WriteOutcome> outcome = backend().Delete(Key(name), replaces, {});
    EXPECT_TRUE(outcome && outcome->Written()) << name;
    return outcome ? outcome->revision : 0;
  }
  Revision Now() { return backend().CurrentRevision({}).value(); }
  std::string Value(std::string_view name) {
    const auto found = backend().Get(Key(name), {});
    if (!found) return "error: " + found.error().message;
    return std::string(found->first ? *found->first->value : "nothing");
  }

  /// The items as "a=1", without the key prefix.
  std::vector<std::string> Items(const Result<RangeResult>& range) const {
    if (!range) return {"error: " + range.error().message};
    std::vector<std::string> items;
    for (const KeyValue& item : range->items) {
      items.push_back(item.key.substr(prefix_.size()).append("=").append(*item.value));
    }
    return items;
  }
  std::vector<std::string> Range(Revision revision = 0) {
    return Items(backend().Range({.prefix = prefix_, .revision = revision}, {}));
  }

  /// The next `count` events, without the key prefix.
  std::vector<std::string> Events(BackendWatch& watch, std::size_t count) {
    std::vector<std::string> lines;
    while (lines.size() < count) {
      std::optional<Result<BackendEvents>> part = TakeNext(watch);
      if (!part) {
        lines.emplace_back("nothing");
        break;
      }
      if (!*part) {
        lines.push_back("error: " + part->error().reason + " " + part->error().message);
        break;
      }
      for (const BackendEvent& event : (*part)->events) {
        std::string line = Describe(event);
        if (const std::size_t at = line.find(prefix_); at != std::string::npos) line.erase(at, prefix_.size());
        lines.push_back(std::move(line));
        EXPECT_GT(event.now.mod_revision, last_revision_);
        last_revision_ = event.now.mod_revision;
      }
    }
    return lines;
  }

  const std::unique_ptr<BackendUnderTest> under_test_ = GetParam().make();
  const std::string prefix_ = FreshPrefix();
  Revision last_revision_ = 0;
};

TEST_P(BackendTest, AWriteIsReadBackWithItsRevisions) {
  const Revision created = Put("a", "one");
  const Revision changed = Put("a", "two", created);
  EXPECT_GT(changed, created);

  const auto found = backend().Get(Key("a"), {});
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_TRUE(found->first);
  EXPECT_EQ(found->first->key, Key("a"));
  EXPECT_EQ(*found->first->value, "two");
  EXPECT_EQ(found->first->create_revision, created);
  EXPECT_EQ(found->first->mod_revision, changed);
  EXPECT_GE(found->second, changed);
}

TEST_P(BackendTest, AnyBytesCanBeAValue) {
  const std::string bytes("\0\xff\n\"\\ \xc3\xa4", 8);
  ASSERT_TRUE(backend().Put(Key("a"), MakeBytes(bytes), 0, 0s, {}));
  EXPECT_EQ(Value("a"), bytes);
}

TEST_P(BackendTest, AnEmptyStoreHasARevisionThatIsNotZero) { EXPECT_GT(Now(), 0); }

TEST_P(BackendTest, WhatIsNotThereIsNoError) {
  const auto found = backend().Get(Key("a"), {});
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->first);
  EXPECT_GT(found->second, 0);
}

TEST_P(BackendTest, CreatingWhatIsThereAlreadyTellsWhatIsThere) {
  const Revision created = Put("a", "one");
  const Result<WriteOutcome> again = backend().Put(Key("a"), Text("two"), 0, 0s, {});
  ASSERT_TRUE(again);
  ASSERT_FALSE(again->Written());
  EXPECT_EQ(*again->current->value, "one");
  EXPECT_EQ(again->current->mod_revision, created);
  EXPECT_EQ(Value("a"), "one");
}

TEST_P(BackendTest, AWriteOverAnotherRevisionThanNamedIsNotMade) {
  const Revision created = Put("a", "one");
  const Revision changed = Put("a", "two", created);
  const Result<WriteOutcome> stale = backend().Put(Key("a"), Text("three"), created, 0s, {});
  ASSERT_TRUE(stale && !stale->Written());
  EXPECT_EQ(*stale->current->value, "two");
  EXPECT_EQ(stale->current->mod_revision, changed);
  EXPECT_EQ(stale->current->create_revision, created);

  const Result<WriteOutcome> stale_delete = backend().Delete(Key("a"), created, {});
  ASSERT_TRUE(stale_delete && !stale_delete->Written());
  EXPECT_EQ(*stale_delete->current->value, "two");
  EXPECT_EQ(Value("a"), "two");
}

TEST_P(BackendTest, AWriteOverWhatIsGoneTellsThatNothingIsThere) {
  const Revision created = Put("a", "one");
  Delete("a", created);
  const Result<WriteOutcome> late = backend().Put(Key("a"), Text("two"), created, 0s, {});
  ASSERT_TRUE(late && !late->Written());
  EXPECT_EQ(late->current->value, nullptr);
  EXPECT_EQ(Value("a"), "nothing");
}

TEST_P(BackendTest, WhatIsCreatedAgainHasANewCreateRevision) {
  const Revision first = Put("a", "one");
  Delete("a", first);
  const Revision second = Put("a", "two");
  const auto found = backend().Get(Key("a"), {});
  ASSERT_TRUE(found && found->first);
  EXPECT_EQ(found->first->create_revision, second);
}

TEST_P(BackendTest, EachWriteTakesARevisionOfItsOwn) {
  const Revision a = Put("a", "1");
  const Revision b = Put("b", "1");
  const Revision gone = Delete("a", a);
  EXPECT_LT(a, b);
  EXPECT_LT(b, gone);
  EXPECT_EQ(Now(), gone);
}

TEST_P(BackendTest, ARangeIsInTheOrderOfKeysAndKeepsToItsPrefix) {
  Put("ns/b", "2");
  Put("ns/a", "1");
  Put("ns-other/a", "3");
  Put("ns/a/deeper", "4");
  EXPECT_THAT(Items(backend().Range({.prefix = Key("ns/")}, {})), ElementsAre("ns/a=1", "ns/a/deeper=4", "ns/b=2"));
  EXPECT_THAT(Items(backend().Range({.prefix = Key("ns/a")}, {})), ElementsAre("ns/a=1"));
  EXPECT_THAT(Items(backend().Range({.prefix = Key("none/")}, {})), IsEmpty());
}

TEST_P(BackendTest, ARangeCanBeReadInPagesThatCountTheRest) {
  for (const char* name : {"a", "b", "c", "d", "e"}) Put(name, "1");
  const Result<RangeResult> first = backend().Range({.prefix = prefix_, .limit = 2}, {});
  EXPECT_THAT(Items(first), ElementsAre("a=1", "b=1"));
  EXPECT_EQ(first->count, 5);
  Put("bb", "late");
  const Result<RangeResult> second =
      backend().Range({.prefix = prefix_, .start = Key("b") + '\0', .limit = 2, .revision = first->revision}, {});
  EXPECT_THAT(Items(second), ElementsAre("c=1", "d=1"));
  EXPECT_EQ(second->count, 3);
  EXPECT_EQ(second->revision, first->revision);
}

TEST_P(BackendTest, ARangeAsOfARevisionShowsWhatWasThereThen) {
  const Revision a1 = Put("a", "1");
  const Revision a2 = Put("a", "2", a1);
  const Revision b1 = Put("b", "1");
  const Revision gone = Delete("a", a2);
  EXPECT_THAT(Range(a1), ElementsAre("a=1"));
  EXPECT_THAT(Range(a2), ElementsAre("a=2"));
  EXPECT_THAT(Range(b1), ElementsAre("a=2", "b=1"));
  EXPECT_THAT(Range(gone), ElementsAre("b=1"));
  EXPECT_THAT(Range(), ElementsAre("b=1"));
  EXPECT_THAT(Range(a1 - 1), IsEmpty());
}

TEST_P(BackendTest, ARevisionThatIsNotThereYetIs504) {
  const Result<RangeResult> range = backend().Range({.prefix = prefix_, .revision = Now() + 1000}, {});
  ASSERT_FALSE(range);
  EXPECT_EQ(range.error().code, ErrorCode::kServer);
  EXPECT_EQ(range.error().http_status, 504);
  EXPECT_TRUE(IsTooLargeResourceVersion(range.error())) << range.error().message;
}

TEST_P(BackendTest, ARevisionThatHasBeenCompactedIs410AndTheCompactedOneItselfIsNot) {
  const Revision a1 = Put("a", "1");
  const Revision a2 = Put("a", "2", a1);
  const Revision a3 = Put("a", "3", a2);
  ASSERT_TRUE(backend().Compact(a2, {}));
  const Result<RangeResult> range = backend().Range({.prefix = prefix_, .revision = a1}, {});
  ASSERT_FALSE(range);
  EXPECT_EQ(range.error().http_status, 410);
  EXPECT_TRUE(IsResourceExpired(range.error()));
  EXPECT_THAT(Range(a2), ElementsAre("a=2"));
  EXPECT_THAT(Range(a3), ElementsAre("a=3"));
}

TEST_P(BackendTest, CompactionForgetsTwiceOrAheadOnlyWithAnError) {
  const Revision a1 = Put("a", "1");
  ASSERT_TRUE(backend().Compact(a1, {}));
  const Result<void> again = backend().Compact(a1, {});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().http_status, 410);
  const Result<void> ahead = backend().Compact(Now() + 1000, {});
  ASSERT_FALSE(ahead);
  EXPECT_EQ(ahead.error().http_status, 504);
}

TEST_P(BackendTest, AWatchTellsEveryChangeWithWhatWasThereBefore) {
  const auto watch = backend().Watch(prefix_, Now());
  const Revision a1 = Put("a", "1");
  const Revision a2 = Put("a", "2", a1);
  Delete("a", a2);
  Put("a", "again");
  EXPECT_THAT(Events(*watch, 4), ElementsAre("put a=1", "put a=2 (was 1)", "delete a (was 2)", "put a=again"));
}

TEST_P(BackendTest, AWatchBeginsAfterAnyRevisionOfThePast) {
  const Revision a1 = Put("a", "1");
  const Revision a2 = Put("a", "2", a1);
  Put("b", "1");
  const auto watch = backend().Watch(prefix_, a1);
  EXPECT_THAT(Events(*watch, 2), ElementsAre("put a=2 (was 1)", "put b=1"));
  Delete("a", a2);
  EXPECT_THAT(Events(*watch, 1), ElementsAre("delete a (was 2)"));
}

TEST_P(BackendTest, ADeletesEventHasTheDeletesRevision) {
  const Revision a1 = Put("a", "1");
  const auto watch = backend().Watch(prefix_, a1);
  const Revision gone = Delete("a", a1);
  std::optional<Result<BackendEvents>> part;
  do {
    part = TakeNext(*watch);
    ASSERT_TRUE(part && *part);
  } while ((*part)->events.empty());
  const BackendEvent& event = (*part)->events.at(0);
  EXPECT_EQ(event.kind, BackendEvent::Kind::kDelete);
  EXPECT_EQ(event.now.key, Key("a"));
  EXPECT_EQ(event.now.value, nullptr);
  EXPECT_EQ(event.now.mod_revision, gone);
  ASSERT_TRUE(event.before);
  EXPECT_EQ(event.before->mod_revision, a1);
  EXPECT_EQ((*part)->revision, gone);
}

TEST_P(BackendTest, AWatchOfOneKeyTellsOfThatKeyAlone) {
  const auto watch = backend().Watch(Key("ns/a"), Now());
  Put("ns/ab", "no");
  Put("ns/a", "yes");
  Put("ns/a/b", "no");
  Put("ns/b", "no");
  const Revision other = Put("ns/c", "no");
  Put("ns/a", "again", backend().Get(Key("ns/a"), {})->first->mod_revision);
  EXPECT_THAT(Events(*watch, 2), ElementsAre("put ns/a=yes", "put ns/a=again (was yes)"));
  EXPECT_GT(last_revision_, other);
}

TEST_P(BackendTest, AWatchFromAheadTellsNothingOfWhatIsBefore) {
  const auto watch = backend().Watch(prefix_, Now() + 2);
  Put("a", "1");
  Put("b", "1");
  Put("c", "1");
  EXPECT_THAT(Events(*watch, 1), ElementsAre("put c=1"));
}

TEST_P(BackendTest, AWatchFromBeforeACompactionEndsWith410) {
  const Revision a1 = Put("a", "1");
  const Revision a2 = Put("a", "2", a1);
  const Revision a3 = Put("a", "3", a2);
  ASSERT_TRUE(backend().Compact(a3, {}));
  const auto watch = backend().Watch(prefix_, a1);
  const std::optional<Result<BackendEvents>> part = TakeNext(*watch);
  ASSERT_TRUE(part && !*part);
  EXPECT_EQ(part->error().http_status, 410);
  EXPECT_TRUE(IsResourceExpired(part->error()));
}

TEST_P(BackendTest, AWatchFromTheCompactedRevisionItselfMissesNothing) {
  const Revision a1 = Put("a", "1");
  const Revision a2 = Put("a", "2", a1);
  Put("a", "3", a2);
  ASSERT_TRUE(backend().Compact(a2, {}));
  const auto watch = backend().Watch(prefix_, a2);
  EXPECT_THAT(Events(*watch, 1), ElementsAre("put a=3 (was 2)"));
}

TEST_P(BackendTest, AWatchThatHasSeenEverythingOutlivesACompaction) {
  const Revision a1 = Put("a", "1");
  const auto watch = backend().Watch(prefix_, a1 - 1);
  EXPECT_THAT(Events(*watch, 1), ElementsAre("put a=1"));
  const std::string other = FreshPrefix();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(backend().Put(other + std::to_string(i), Text("x"), 0, 0s, {}));
  }
  ASSERT_TRUE(backend().Compact(Now(), {}));
  Put("a", "2", a1);
  EXPECT_THAT(Events(*watch, 1), ElementsAre("put a=2 (was 1)"));
}

TEST_P(BackendTest, WhatHasATimeToLiveIsDeletedWithAnEvent) {
  const Revision created = Put("short", "lived", 0, 2s);
  const Revision kept = Put("long", "lived");
  const auto watch = backend().Watch(prefix_, kept);
  under_test_->Elapse(10s);
  EXPECT_THAT(Events(*watch, 1), ElementsAre("delete short (was lived)"));
  EXPECT_GT(last_revision_, created);
  EXPECT_EQ(Value("short"), "nothing");
  EXPECT_EQ(Value("long"), "lived");
}

TEST_P(BackendTest, AnUpdateWithoutATimeToLiveStays) {
  const Revision created = Put("a", "1", 0, 2s);
  const Revision other = Put("b", "1", 0, 2s);
  Put("a", "2", created);
  const auto watch = backend().Watch(prefix_, other);
  under_test_->Elapse(10s);
  EXPECT_THAT(Events(*watch, 2), ElementsAre("put a=2 (was 1)", "delete b (was 1)"));
  EXPECT_EQ(Value("a"), "2");
}

TEST_P(BackendTest, ManyEventsComeOnceEachAndInOrder) {
  constexpr int kWrites = 3000;
  const auto watch = backend().Watch(prefix_, Now());
  std::vector<std::string> expected;
  std::jthread writer([&] {
    for (int i = 0; i < kWrites; ++i) Put("k" + std::to_string(i), "v");
  });
  for (int i = 0; i < kWrites; ++i) expected.push_back("put k" + std::to_string(i) + "=v");
  EXPECT_EQ(Events(*watch, kWrites), expected);
}

TEST_P(BackendTest, OfWritersWhoReplaceTheSameRevisionOneWins) {
  constexpr int kWriters = 4;
  constexpr int kRounds = 20;
  Revision at = Put("counter", "0");
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<int> won = 0;
    std::atomic<Revision> revision = 0;
    {
      std::vector<std::jthread> writers;
      for (int i = 0; i < kWriters; ++i) {
        writers.emplace_back([&] {
          const auto outcome = backend().Put(Key("counter"), Text("x"), at, 0s, {});
          if (outcome && outcome->Written()) {
            ++won;
            revision = outcome->revision;
          }
        });
      }
    }
    ASSERT_EQ(won, 1);
    at = revision;
  }
}

TEST_P(BackendTest, AStoppedCallSaysSo) {
  std::stop_source stop;
  stop.request_stop();
  const auto range = backend().Range({.prefix = prefix_}, stop.get_token());
  ASSERT_FALSE(range);
  EXPECT_EQ(range.error().code, ErrorCode::kCancelled);
}

TEST_P(BackendTest, AfterABreakNothingIsLostAndWatchesGoOnWhereTheyWere) {
  const Revision a1 = Put("a", "1");
  auto watch = backend().Watch(prefix_, a1 - 1);
  EXPECT_THAT(Events(*watch, 1), ElementsAre("put a=1"));
  under_test_->Break();
  const std::optional<Result<BackendEvents>> end = TakeNext(*watch);
  ASSERT_TRUE(end && !*end);
  EXPECT_THAT(end->error().code, ::testing::AnyOf(ErrorCode::kDisconnected, ErrorCode::kUnreachable))
      << end->error().message;
  const auto unreachable = backend().Get(Key("a"), {});
  ASSERT_FALSE(unreachable);
  EXPECT_THAT(unreachable.error().code, ::testing::AnyOf(ErrorCode::kDisconnected, ErrorCode::kUnreachable));

  under_test_->Mend();
  EXPECT_EQ(Value("a"), "1");
  Put("a", "2", a1);
  watch = backend().Watch(prefix_, a1);
  EXPECT_THAT(Events(*watch, 1), ElementsAre("put a=2 (was 1)"));
}

TEST_P(BackendTest, ProgressThatIsTrustedReachesAWatchWithoutEvents) {
  if (!backend().ProgressIsReliable()) GTEST_SKIP() << "this backend does not promise it";
  const auto watch = backend().Watch(prefix_, Now());
  const std::string other = FreshPrefix();
  const auto elsewhere = backend().Put(other + "a", Text("x"), 0, 0s, {});
  ASSERT_TRUE(elsewhere);
  backend().RequestProgress();
  const std::optional<Result<BackendEvents>> part = TakeNext(*watch);
  ASSERT_TRUE(part && *part);
  EXPECT_THAT((*part)->events, IsEmpty());
  EXPECT_GE((*part)->revision, elsewhere->revision);
}

INSTANTIATE_TEST_SUITE_P(Backends, BackendTest, ::testing::ValuesIn(BackendKinds()),
                         [](const auto& kind) { return kind.param.name; });

INSTANTIATE_TEST_SUITE_P(Cluster, BackendTest, ::testing::Values(ThreeEtcds()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace kinformer::apiserver
