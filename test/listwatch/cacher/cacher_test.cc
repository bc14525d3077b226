// A Cacher over a storage with injectable failures, on a fake clock.

#include "src/listwatch/cacher/cacher.h"

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>
#include <kinformer/meta/status_error.h>

#include "test/listwatch/cacher/fake_store.h"
#include "test/listwatch/cacher/predicates.h"
#include "test/listwatch/cacher/watch_reader.h"
#include "test/reflector/scripted_lister_watcher.h"

namespace kinformer::apiserver {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

Error Refused() { return {.code = ErrorCode::kUnreachable, .message = "connection refused"}; }
Error Compacted() {
  return {.code = ErrorCode::kServer, .message = "compacted", .http_status = 410, .reason = "Expired"};
}

class CacherTest : public ::testing::Test {
 protected:
  CacherTest() { pool_->Start(); }
  void TearDown() override {
    cacher_.reset();
    pool_->Stop();
  }

  void Make(CacherOptions options = {}) {
    cacher_ = std::make_unique<Cacher>(pool_, store_, store_, store_->Progress(), std::move(options));
  }
  /// Starts a cacher and waits until it is filled.
  void Begin(CacherOptions options = {}) {
    Make(std::move(options));
    cacher_->Start();
    ASSERT_TRUE(Await([&] { return cacher_->Ready().ok(); }));
  }
  std::unique_ptr<WatchEventStream> Stream(const WatchQuery& query) {
    Result<std::unique_ptr<WatchEventStream>> stream = cacher_->Watch(query, {});
    EXPECT_TRUE(stream) << ToString(stream.error());
    return stream ? *std::move(stream) : nullptr;
  }
  WatchReader Watch(const WatchQuery& query) { return WatchReader(Stream(query)); }
  /// A watch of changes from now on.
  WatchQuery FromNow(SelectionPredicate predicate = {}) {
    return {.predicate = std::move(predicate), .resource_version = std::to_string(store_->revision())};
  }
  /// Waits until everything written has been dispatched to the watchers.
  bool AwaitDispatched() {
    store_->SendProgress();
    return Await([&] { return cacher_->Status().dispatcher.revision >= store_->revision(); });
  }
  std::vector<std::string> Names(const Result<ObjectList>& list) {
    if (!list) return {ToString(list.error())};
    std::vector<std::string> names;
    for (const ObjectPtr& object : list->items) names.push_back(KeyOf(*object));
    return names;
  }
  void AdvanceInSteps(Duration by, Duration step) {
    for (Duration gone{}; gone < by; gone += step) {
      clock_->AwaitWaiters(1);
      clock_->Advance(step);
      std::this_thread::yield();
    }
  }

  std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  std::shared_ptr<TaskPool> pool_ = std::make_shared<TaskPool>(TaskPoolOptions{.threads = 2, .clock = clock_});
  std::shared_ptr<FakeStore> store_ = std::make_shared<FakeStore>();
  std::unique_ptr<Cacher> cacher_;
};

// --- The decorator ---

TEST_F(CacherTest, AHundredListsAtZeroCostTheStorageNothing) {
  store_->Put({.name = "a"});
  store_->Put({.name = "b"});
  Begin();
  for (int i = 0; i < 100; ++i) {
    EXPECT_THAT(Names(cacher_->List({.resource_version = "0"}, {})), ElementsAre("default/a", "default/b"));
  }
  EXPECT_EQ(store_->lists, 0);
  EXPECT_EQ(store_->seeds, 1);
  EXPECT_EQ(cacher_->Status().reads_from_cache, 100U);
}

TEST_F(CacherTest, WritesGoToTheStorageAndComeBackThroughTheCache) {
  Begin();
  const auto created = cacher_->Create(*PodAt({.name = "a"}, 1), 0s, {});
  ASSERT_TRUE(created);
  EXPECT_THAT(Names(cacher_->List({}, {})), ElementsAre("default/a"));
  const auto deleted = cacher_->GuaranteedUpdate("default", "a", false, {},
                                                 [](const ObjectPtr&) -> Result<ObjectPtr> { return ObjectPtr(); }, {});
  ASSERT_TRUE(deleted);
  EXPECT_THAT(Names(cacher_->List({}, {})), IsEmpty());
}

TEST_F(CacherTest, TheCacheIsFilledInPagesOfTenThousand) {
  const auto source = std::make_shared<testing_support::ScriptedListerWatcher>();
  cacher_ = std::make_unique<Cacher>(pool_, source, store_, store_->Progress());
  cacher_->Start();
  const std::vector<std::string> tokens = {"", "two", "three"};
  for (std::size_t page = 0; page < 3; ++page) {
    const auto list = source->AwaitList(page);
    ASSERT_NE(list, nullptr);
    EXPECT_EQ(list->request().limit, 10'000);
    EXPECT_EQ(list->request().continue_token, tokens[page]);
    EXPECT_FALSE(cacher_->Ready());
    list->Items({PodAt({.name = "p" + std::to_string(page)}, 10)});
    list->End("20", page < 2 ? tokens[page + 1] : "");
  }
  ASSERT_TRUE(Await([&] { return cacher_->Ready().ok(); }));
  EXPECT_EQ(cacher_->Status().cache.objects, 3U);
  EXPECT_EQ(source->AwaitWatch(0)->request().resource_version, "20");
}

TEST_F(CacherTest, AwaitReadyIsWokenByTheFill) {
  const auto source = std::make_shared<testing_support::ScriptedListerWatcher>();
  cacher_ = std::make_unique<Cacher>(pool_, source, store_, store_->Progress());
  cacher_->Start();
  // Its time stands still: only a notification can end the wait.
  const auto still = std::make_shared<FakeClock>();
  bool ready = false;
  std::jthread waiter([&] { ready = cacher_->AwaitReady(*still, still->Now() + 1s, {}); });
  still->AwaitWaiters(1);
  source->AwaitList(0)->End("5");
  waiter.join();
  EXPECT_TRUE(ready);
}

TEST_F(CacherTest, AwaitReadyEndsAtItsDeadlineOrWithAStop) {
  Make();
  const auto clock = std::make_shared<FakeClock>();
  bool ready = true;
  std::jthread late([&] { ready = cacher_->AwaitReady(*clock, clock->Now() + 1s, {}); });
  clock->AwaitWaiters(1);
  clock->Advance(1s);
  late.join();
  EXPECT_FALSE(ready);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(cacher_->AwaitReady(*clock, clock->Now() + 1s, stop.get_token()));
}

TEST_F(CacherTest, AwaitDispatchedIsWokenByTheDispatch) {
  Begin({.dispatcher = {.cost_per_watcher = 1ms}});
  std::vector<std::unique_ptr<WatchEventStream>> watches;
  for (int i = 0; i < 10; ++i) {
    watches.push_back(Stream(FromNow()));
    ASSERT_TRUE(watches.back()->TryNext().value());
  }
  // After the first event the dispatcher pauses for ten milliseconds of a clock that stands still.
  store_->Put({.name = "a"});
  ASSERT_TRUE(AwaitDispatched());
  store_->Put({.name = "b"});
  const auto still = std::make_shared<FakeClock>();
  bool dispatched = false;
  std::jthread waiter([&] { dispatched = cacher_->AwaitDispatched(*still, still->Now() + 1s, {}); });
  still->AwaitWaiters(1);
  EXPECT_LT(cacher_->Status().dispatcher.revision, store_->revision());
  clock_->Advance(10ms);
  waiter.join();
  EXPECT_TRUE(dispatched);
  EXPECT_EQ(cacher_->Status().dispatcher.revision, store_->revision());
}

TEST_F(CacherTest, AwaitDispatchedEndsAtItsDeadlineWithAStopAndWithTheCacher) {
  Begin({.dispatcher = {.cost_per_watcher = 1ms}});
  std::vector<std::unique_ptr<WatchEventStream>> watches;
  for (int i = 0; i < 10; ++i) {
    watches.push_back(Stream(FromNow()));
    ASSERT_TRUE(watches.back()->TryNext().value());
  }
  store_->Put({.name = "a"});
  ASSERT_TRUE(AwaitDispatched());
  store_->Put({.name = "b"});
  const auto clock = std::make_shared<FakeClock>();
  bool dispatched = true;
  std::stop_source stop;
  const auto wait = [&] { dispatched = cacher_->AwaitDispatched(*clock, clock->Now() + 1s, stop.get_token()); };
  std::jthread late(wait);
  clock->AwaitWaiters(1);
  clock->Advance(1s);
  late.join();
  EXPECT_FALSE(dispatched);

  dispatched = true;
  std::jthread abandoned(wait);
  clock->AwaitWaiters(1);
  cacher_->Stop();
  abandoned.join();
  EXPECT_FALSE(dispatched);
  stop.request_stop();
  EXPECT_FALSE(cacher_->AwaitDispatched(*clock, clock->Now() + 1s, stop.get_token()));
}

// --- Interruptions ---

TEST_F(CacherTest, AStorageThatRefusesConnectionsForTwoSecondsCostsNoListAndNoEvent) {
  Begin();
  WatchReader watch = Watch(FromNow());
  store_->Put({.name = "a"});
  EXPECT_THAT(watch.Take(1), ElementsAre("ADDED default/a 1001"));
  store_->Break(Refused(), Refused());
  store_->Put({.name = "b"});
  AdvanceInSteps(2s, 500ms);
  EXPECT_TRUE(cacher_->Ready());
  store_->Mend();
  ASSERT_TRUE(Await([&] {
    clock_->Advance(100ms);
    return cacher_->Status().cache.revision >= 1002;
  }));
  EXPECT_THAT(watch.Take(1), ElementsAre("ADDED default/b 1002"));
  EXPECT_EQ(store_->seeds, 1);
  EXPECT_EQ(cacher_->Status().dispatcher.watchers, 1U);
}

TEST_F(CacherTest, AStreamThatCannotBeResumedEndsAllWatchersAndTheCacheRecovers) {
  store_->Put({.name = "a"});
  Begin();
  WatchReader watch = Watch(FromNow());
  WatchReader other = Watch({.resource_version = "0"});
  EXPECT_THAT(other.Take(1), ElementsAre("ADDED default/a 1001"));
  store_->Break(Compacted(), Refused());
  EXPECT_THAT(watch.Take(1), ElementsAre("END"));
  EXPECT_THAT(other.Take(1), ElementsAre("END"));
  const Result<void> ready = cacher_->Ready();
  ASSERT_FALSE(ready);
  EXPECT_THAT(ready.error().message, HasSubstr("compacted"));
  EXPECT_EQ(cacher_->Watch(FromNow(), {}).error().http_status, 429);

  store_->Put({.name = "b"});
  store_->Mend();
  ASSERT_TRUE(Await([&] {
    clock_->Advance(100ms);
    return cacher_->Ready().ok();
  }));
  EXPECT_EQ(cacher_->Status().fills, 2U);
  EXPECT_EQ(store_->seeds, 2);
  EXPECT_EQ(cacher_->Status().dispatcher.reset, 2U);
  WatchReader again = Watch({.resource_version = "0"});
  EXPECT_THAT(again.Take(2), ElementsAre("ADDED default/a 1001", "ADDED default/b 1002"));
  store_->Put({.name = "c"});
  EXPECT_THAT(again.Take(1), ElementsAre("ADDED default/c 1003"));
}

TEST_F(CacherTest, ARestartIsTriedAgainAfterASecond) {
  const auto source = std::make_shared<testing_support::ScriptedListerWatcher>();
  cacher_ = std::make_unique<Cacher>(pool_, source, store_, store_->Progress());
  cacher_->Start();
  source->AwaitList(0)->Fail(Refused());
  ASSERT_TRUE(Await([&] { return cacher_->Status().reflector.phase == internal::ReflectorPhase::kBackingOff; }));
  clock_->AwaitWaiters(1);
  clock_->Advance(999ms);
  EXPECT_EQ(source->lists(), 1U);
  clock_->Advance(1ms);
  ASSERT_NE(source->AwaitList(1), nullptr);
  source->AwaitList(1)->End("5");
  EXPECT_TRUE(Await([&] { return cacher_->Ready().ok(); }));
}

TEST_F(CacherTest, ACacheThatIsNotReadySaysHowLongToWait) {
  Make();
  const auto waits = [&](const Error& error) {
    EXPECT_EQ(error.http_status, 429);
    EXPECT_EQ(error.reason, "TooManyRequests");
    EXPECT_THAT(error.message, StartsWith("storage is (re)initializing"));
    return error.retry_after.value_or(-1s);
  };
  EXPECT_EQ(waits(cacher_->List({.resource_version = "0"}, {}).error()), 1s);
  EXPECT_EQ(waits(cacher_->Get("default", "a", "5", {}).error()), 1s);
  clock_->Advance(30s);
  EXPECT_EQ(waits(cacher_->List({}, {}).error()), 6s);
  EXPECT_EQ(waits(cacher_->Watch({.resource_version = "0"}, {}).error()), 6s);
  clock_->Advance(1h);
  EXPECT_EQ(waits(cacher_->List({.predicate = Labels("a=b"), .resource_version = "0", .limit = 5}, {}).error()), 30s);
  EXPECT_EQ(store_->lists, 0);
  // The first page of an unfiltered list is cheap for the storage.
  EXPECT_TRUE(cacher_->List({.resource_version = "0", .limit = 5}, {}));
  EXPECT_EQ(store_->lists, 1);
  EXPECT_FALSE(cacher_->Get("default", "a", "0", {}));
  EXPECT_EQ(store_->gets, 1);
}

TEST_F(CacherTest, ACacheThatCannotFollowItsStorageSaysWhyAndRecoversWithoutAnEvent) {
  Begin();
  EXPECT_TRUE(cacher_->Following());
  store_->Break(Refused(), Refused());
  ASSERT_TRUE(Await([&] { return cacher_->Status().reflector.errors > 0; }));
  EXPECT_TRUE(cacher_->Following()) << "a short interruption is tolerated";
  AdvanceInSteps(6s, 500ms);
  const Result<void> following = cacher_->Following();
  ASSERT_FALSE(following);
  EXPECT_THAT(following.error().message, HasSubstr("stale for"));
  EXPECT_THAT(following.error().message, HasSubstr("connection refused"));
  EXPECT_TRUE(cacher_->Ready()) << "what is there may be read";

  store_->Mend();
  ASSERT_TRUE(Await([&] {
    clock_->Advance(100ms);
    return cacher_->Following().ok();
  }));
  EXPECT_EQ(store_->seeds, 1);
}

TEST_F(CacherTest, ACacheThatCannotBeFilledSaysWhyAtOnce) {
  const auto source = std::make_shared<testing_support::ScriptedListerWatcher>();
  cacher_ = std::make_unique<Cacher>(pool_, source, store_, store_->Progress());
  cacher_->Start();
  ASSERT_FALSE(cacher_->Following());
  EXPECT_THAT(cacher_->Following().error().message, HasSubstr("it has not been filled yet"));
  source->AwaitList(0)->Fail(Refused());
  ASSERT_TRUE(Await([&] { return cacher_->Status().reflector.errors > 0; }));
  ASSERT_TRUE(Await([&] { return ToString(cacher_->Following().error()).find("refused") != std::string::npos; }));
  EXPECT_THAT(cacher_->Following().error().message, StartsWith("not filled after 0s: connection refused"));
  clock_->AwaitWaiters(1);
  clock_->Advance(1s);
  source->AwaitList(1)->End("5");
  EXPECT_TRUE(Await([&] { return cacher_->Following().ok(); }));
}

// --- Lists and gets ---

TEST_F(CacherTest, AListAtTheNextVersionWaitsForTheWrite) {
  Begin();
  auto list = std::async([&] { return cacher_->List({.resource_version = "1001"}, {}); });
  store_->answers_progress = false;
  ASSERT_TRUE(Await([&] { return store_->progress_requests > 0; }));
  store_->Put({.name = "a"});
  const auto result = list.get();
  EXPECT_THAT(Names(result), ElementsAre("default/a"));
  EXPECT_EQ(result->metadata.resource_version, "1001");
}

TEST_F(CacherTest, AListAtAVersionThatDoesNotComeFailsAfterThreeSeconds) {
  Begin();
  auto list = std::async([&] { return cacher_->List({.resource_version = "1001"}, {}); });
  while (list.wait_for(0s) != std::future_status::ready) {
    clock_->Advance(100ms);
    std::this_thread::yield();
  }
  const auto result = list.get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().http_status, 504);
  EXPECT_TRUE(IsTooLargeResourceVersion(result.error()));
}

TEST_F(CacherTest, AConsistentListComesFromTheCacheOnceItIsAsNewAsTheBackend) {
  store_->Put({.name = "a"});
  Begin();
  store_->PutElsewhere();
  const auto list = cacher_->List({}, {});
  EXPECT_THAT(Names(list), ElementsAre("default/a"));
  EXPECT_EQ(list->metadata.resource_version, "1002");
  EXPECT_EQ(store_->lists, 0);
  EXPECT_GE(store_->progress_requests, 1);
}

TEST_F(CacherTest, AConsistentListComesFromTheStorageIfTheCacheDoesNotGetThere) {
  Begin();
  store_->answers_progress = false;
  store_->PutElsewhere();
  auto list = std::async([&] { return cacher_->List({}, {}); });
  while (list.wait_for(0s) != std::future_status::ready) {
    clock_->Advance(100ms);
    std::this_thread::yield();
  }
  EXPECT_TRUE(list.get());
  EXPECT_EQ(store_->lists, 1);
  EXPECT_EQ(cacher_->Status().consistent_fallbacks, 1U);
  store_->reliable = false;
  EXPECT_TRUE(cacher_->List({}, {}));
  EXPECT_EQ(store_->lists, 2) << "asked at once where progress cannot be trusted";
}

// --- Suspended reads ---

/// A read that may be suspended; retried when it is resumed.
class SuspendedRead {
 public:
  explicit SuspendedRead(std::function<Error(Suspension&)> read) : read_(std::move(read)) { Try(); }

  bool Waits() const { return resumed_ != nullptr; }
  /// False on timeout.
  bool AwaitResumed() {
    return Await([&] { return resumed_->load() > 0; });
  }
  int Resumed() const { return resumed_->load(); }
  /// Retries the read. Call it after it was resumed.
  void Again() { Try(); }
  /// The error of the last attempt; an empty message means success.
  const Error& error() const { return error_; }

 private:
  void Try() {
    resumed_.reset();
    error_ = read_(suspension_);
    if (!suspension_.wait) return;
    resumed_ = std::make_shared<std::atomic<int>>(0);
    std::exchange(suspension_.wait, nullptr)([resumed = resumed_] { ++*resumed; });
  }

  const std::function<Error(Suspension&)> read_;
  Suspension suspension_;
  std::shared_ptr<std::atomic<int>> resumed_;
  Error error_{};
};

TEST_F(CacherTest, AListThatWouldWaitIsResumedByTheWrite) {
  Begin();
  Result<ObjectList> list = Error{};
  SuspendedRead read([&](Suspension& suspension) {
    list = cacher_->List({.resource_version = std::to_string(store_->revision() + 1), .suspension = &suspension}, {});
    return list ? Error{} : list.error();
  });
  ASSERT_TRUE(read.Waits());
  EXPECT_EQ(read.Resumed(), 0);
  store_->Put({.name = "a"});
  ASSERT_TRUE(read.AwaitResumed());
  SuspendedRead other([&](Suspension& suspension) {
    list = cacher_->List({.resource_version = std::to_string(store_->revision()), .suspension = &suspension}, {});
    return list ? Error{} : list.error();
  });
  EXPECT_FALSE(other.Waits()) << "what need not wait is not suspended";
  EXPECT_THAT(Names(list), ElementsAre("default/a"));
}

TEST_F(CacherTest, AResumedListThatStillWaitsKeepsItsTime) {
  Begin();
  SuspendedRead read([&](Suspension& suspension) {
    const auto list = cacher_->List({.resource_version = "2000", .suspension = &suspension}, {});
    return list ? Error{} : list.error();
  });
  ASSERT_TRUE(read.Waits());
  AdvanceInSteps(2900ms, 100ms);
  EXPECT_EQ(read.Resumed(), 0);
  AdvanceInSteps(100ms, 100ms);
  ASSERT_TRUE(read.AwaitResumed());
  read.Again();
  EXPECT_FALSE(read.Waits());
  EXPECT_TRUE(IsTooLargeResourceVersion(read.error())) << ToString(read.error());
  EXPECT_EQ(read.error().http_status, 504);
}

TEST_F(CacherTest, WhileAListIsSuspendedTheStorageIsAskedForItsProgress) {
  Begin();
  const int before = store_->progress_requests;
  store_->PutElsewhere();
  SuspendedRead read([&](Suspension& suspension) {
    const auto list =
        cacher_->List({.resource_version = std::to_string(store_->revision()), .suspension = &suspension}, {});
    return list ? Error{} : list.error();
  });
  ASSERT_TRUE(read.Waits());
  EXPECT_TRUE(read.AwaitResumed()) << "by the answer";
  EXPECT_GT(store_->progress_requests, before);
}

TEST_F(CacherTest, ASuspendedConsistentListComesFromTheStorageIfTheCacheDoesNotGetThere) {
  Begin();
  store_->answers_progress = false;
  store_->PutElsewhere();
  Result<ObjectList> list = Error{};
  SuspendedRead read([&](Suspension& suspension) {
    list = cacher_->List({.suspension = &suspension}, {});
    return list ? Error{} : list.error();
  });
  ASSERT_TRUE(read.Waits());
  // Writes made meanwhile are not waited for.
  store_->PutElsewhere();
  AdvanceInSteps(3s, 100ms);
  ASSERT_TRUE(read.AwaitResumed());
  read.Again();
  EXPECT_FALSE(read.Waits());
  EXPECT_TRUE(list) << ToString(list.error());
  EXPECT_EQ(store_->lists, 1);
  EXPECT_EQ(cacher_->Status().consistent_fallbacks, 1U);
}

TEST_F(CacherTest, AGetAndAWatchThatWouldWaitAreSuspendedToo) {
  Begin();
  const std::string next = std::to_string(store_->revision() + 1);
  SuspendedRead get([&](Suspension& suspension) {
    const auto there = cacher_->AwaitVersion(next, suspension, {});
    return there ? Error{} : there.error();
  });
  Result<std::unique_ptr<WatchEventStream>> stream = Error{};
  SuspendedRead watch([&](Suspension& suspension) {
    stream = cacher_->Watch({.resource_version = next,
                             .match = VersionMatch::kNotOlderThan,
                             .send_initial_events = true,
                             .suspension = &suspension},
                            {});
    return stream ? Error{} : stream.error();
  });
  ASSERT_TRUE(get.Waits());
  ASSERT_TRUE(watch.Waits());
  store_->Put({.name = "a"});
  ASSERT_TRUE(get.AwaitResumed());
  ASSERT_TRUE(watch.AwaitResumed());
  get.Again();
  watch.Again();
  EXPECT_FALSE(get.Waits());
  EXPECT_EQ(get.error().message, "");
  ASSERT_TRUE(stream) << ToString(stream.error());
  EXPECT_THAT(WatchReader(*std::move(stream)).Take(1), ElementsAre("ADDED default/a 1001"));
}

TEST_F(CacherTest, ItAnswersFromMemoryWhileItIsReady) {
  Make();
  EXPECT_FALSE(cacher_->AnswersFromMemory());
  cacher_->Start();
  ASSERT_TRUE(Await([&] { return cacher_->Ready().ok(); }));
  EXPECT_TRUE(cacher_->AnswersFromMemory());
  cacher_->Stop();
  EXPECT_FALSE(cacher_->AnswersFromMemory());
}

TEST_F(CacherTest, ACacheThatStopsResumesWhatItSuspended) {
  Begin();
  const auto list = [&](Suspension& suspension) {
    const auto result = cacher_->List({.resource_version = "2000", .suspension = &suspension}, {});
    return result ? Error{} : result.error();
  };
  SuspendedRead read(list);
  ASSERT_TRUE(read.Waits());
  cacher_->Stop();
  EXPECT_EQ(read.Resumed(), 1);
  read.Again();
  EXPECT_FALSE(read.Waits());
  EXPECT_EQ(read.error().http_status, 429);
}

TEST_F(CacherTest, EachSuspendedReadIsResumedOnceHoweverManyThereAre) {
  Begin();
  constexpr int kReads = 200;
  std::vector<SuspendedRead> reads;
  reads.reserve(kReads);
  std::jthread writer;
  for (int i = 0; i < kReads; ++i) {
    const std::string version = std::to_string(1001 + i / 4);
    reads.emplace_back([&, version](Suspension& suspension) {
      const auto list = cacher_->List({.resource_version = version, .suspension = &suspension}, {});
      return list ? Error{} : list.error();
    });
    if (i == kReads / 4) {
      writer = std::jthread([&] {
        for (int n = 0; n < kReads / 4; ++n) store_->Put({.name = "p" + std::to_string(n)});
      });
    }
  }
  writer.join();
  for (SuspendedRead& read : reads) {
    if (!read.Waits()) continue;
    EXPECT_TRUE(read.AwaitResumed());
    EXPECT_EQ(read.Resumed(), 1);
  }
}

TEST_F(CacherTest, TheStorageAnswersWhatTheCacheDoesNotKeep) {
  store_->Put({.name = "a"});
  Begin();
  int storage_lists = 0;
  const auto goes_to_storage = [&](const ListQuery& query) {
    EXPECT_TRUE(cacher_->List(query, {}));
    const bool went = store_->lists > storage_lists;
    storage_lists = store_->lists;
    return went;
  };
  EXPECT_FALSE(goes_to_storage({}));
  EXPECT_FALSE(goes_to_storage({.resource_version = "0"}));
  EXPECT_FALSE(goes_to_storage({.resource_version = "0", .limit = 1}));
  EXPECT_FALSE(goes_to_storage({.resource_version = "0", .match = VersionMatch::kNotOlderThan, .limit = 1}));
  EXPECT_FALSE(goes_to_storage({.resource_version = "1000"}));
  EXPECT_FALSE(goes_to_storage({.resource_version = "1000", .match = VersionMatch::kNotOlderThan}));
  EXPECT_TRUE(goes_to_storage({.resource_version = "1000", .match = VersionMatch::kExact}));
  EXPECT_TRUE(goes_to_storage({.resource_version = "1000", .limit = 1}));
  EXPECT_TRUE(goes_to_storage({.limit = 1}));
  EXPECT_TRUE(goes_to_storage({.continue_token = "x"}));
  EXPECT_EQ(cacher_->List({.resource_version = "x"}, {}).error().http_status, 400);
}

TEST_F(CacherTest, AtZeroTheLimitDoesNotCount) {
  for (const char* name : {"a", "b", "c"}) store_->Put({.name = name});
  Begin();
  const auto list = cacher_->List({.resource_version = "0", .limit = 1}, {});
  EXPECT_EQ(list->items.size(), 3U);
  EXPECT_EQ(list->metadata.continue_token, "");
}

TEST_F(CacherTest, ListsAreFilteredByNamespaceNameAndSelectors) {
  store_->Put({.namespace_name = "x", .name = "a", .labels = {{"app", "web"}}});
  store_->Put({.namespace_name = "x", .name = "b", .node = "n1"});
  store_->Put({.namespace_name = "y", .name = "a", .node = "n1", .labels = {{"app", "web"}}});
  Begin();
  const auto names = [&](ListQuery query) {
    query.resource_version = "0";
    return Names(cacher_->List(query, {}));
  };
  EXPECT_THAT(names({.namespace_name = "x"}), ElementsAre("x/a", "x/b"));
  EXPECT_THAT(names({.namespace_name = "x", .name = "b"}), ElementsAre("x/b"));
  EXPECT_THAT(names({.predicate = Fields("metadata.name=a")}), ElementsAre("x/a", "y/a"));
  EXPECT_THAT(names({.predicate = Labels("app=web")}), ElementsAre("x/a", "y/a"));
  EXPECT_THAT(names({.namespace_name = "x", .predicate = Labels("app=web")}), ElementsAre("x/a"));
  EXPECT_THAT(names({.predicate = Fields("spec.nodeName=n1,metadata.namespace=y")}), ElementsAre("y/a"));
}

TEST_F(CacherTest, AGetComesFromTheCacheIfAVersionIsNamed) {
  store_->Put({.name = "a"});
  Begin();
  EXPECT_TRUE(cacher_->Get("default", "a", "0", {}));
  EXPECT_TRUE(cacher_->Get("default", "a", "1001", {}));
  EXPECT_EQ(store_->gets, 0);
  EXPECT_TRUE(cacher_->Get("default", "a", "", {}));
  EXPECT_EQ(store_->gets, 1);
  const auto missing = cacher_->Get("default", "b", "0", {});
  ASSERT_FALSE(missing);
  EXPECT_TRUE(IsNotFound(missing.error()));
  EXPECT_EQ(missing.error().message, "pods \"b\" not found");
  EXPECT_EQ(missing.error().details.kind, "pods");
  auto later = std::async([&] { return cacher_->Get("default", "b", "1002", {}); });
  store_->Put({.name = "b"});
  EXPECT_TRUE(later.get());
}

// --- Watches ---

TEST_F(CacherTest, EachKindOfWatchBeginsWhereItShould) {
  store_->Put({.name = "a"});
  store_->Put({.name = "b"});
  Begin();
  store_->Put({.name = "c"});
  store_->Put({.name = "a"});
  ASSERT_TRUE(AwaitDispatched());
  const auto first = [&](const WatchQuery& query) {
    WatchReader watch = Watch(query);
    return watch.TakeAll();
  };
  const std::vector<std::string> state = {"ADDED default/a 1004", "ADDED default/b 1002", "ADDED default/c 1003"};
  std::vector<std::string> state_and_end = state;
  state_and_end.emplace_back("BOOKMARK 1004 initial-events-end");
  // Without sendInitialEvents, as old clients ask.
  EXPECT_EQ(first({}), state);
  EXPECT_EQ(first({.resource_version = "0"}), state);
  EXPECT_EQ(first({.resource_version = "0", .allow_bookmarks = true}), state_and_end);
  // Streaming lists.
  EXPECT_EQ(first({.match = VersionMatch::kNotOlderThan, .send_initial_events = true, .allow_bookmarks = true}),
            state_and_end);
  EXPECT_EQ(first({.resource_version = "1001",
                   .match = VersionMatch::kNotOlderThan,
                   .send_initial_events = true,
                   .allow_bookmarks = true}),
            state_and_end);
  // From now on, and from a given version.
  EXPECT_THAT(first({.match = VersionMatch::kNotOlderThan, .send_initial_events = false}), IsEmpty());
  EXPECT_THAT(first({.resource_version = "1003"}), ElementsAre("MODIFIED default/a 1004"));
  EXPECT_THAT(first({.resource_version = "1002", .allow_bookmarks = true}),
              ElementsAre("ADDED default/c 1003", "MODIFIED default/a 1004"));
}

TEST_F(CacherTest, AWatchOfTheNewestStateWaitsForTheBackendsVersion) {
  const auto source = std::make_shared<testing_support::ScriptedListerWatcher>();
  cacher_ = std::make_unique<Cacher>(pool_, source, store_, store_->Progress());
  cacher_->Start();
  source->AwaitList(0)->End("1000");
  ASSERT_TRUE(Await([&] { return cacher_->Ready().ok(); }));
  store_->Put({.name = "a"});
  auto watch = std::async([&] { return cacher_->Watch({}, {}); });
  ASSERT_TRUE(Await([&] { return store_->progress_requests > 0; }));
  EXPECT_EQ(watch.wait_for(0s), std::future_status::timeout);
  source->AwaitWatch(0)->Send(testing_support::AddedEvent(PodAt({.name = "a"}, 1001)));
  WatchReader reader(watch.get().value());
  EXPECT_THAT(reader.Take(1), ElementsAre("ADDED default/a 1001"));
  store_->reliable = false;
  EXPECT_FALSE(cacher_->Watch({}, {}));
  EXPECT_EQ(store_->watches, 1) << "where the cache cannot know, the storage is watched";
}

TEST_F(CacherTest, AVersionThatIsTooOldIsOneErrorEventAndTheEnd) {
  store_->Put({.name = "a"});
  Begin();
  WatchReader watch = Watch({.resource_version = "900"});
  EXPECT_THAT(watch.Take(2), ElementsAre("ERROR 410 too old resource version: 900 (1001)", "END"));
  EXPECT_EQ(cacher_->Watch({.resource_version = "x"}, {}).error().http_status, 500);
}

TEST_F(CacherTest, InitialEventsAtAVersionThatDoesNotComeAreAnErrorEventAfterThreeSeconds) {
  Begin();
  auto watch = std::async([&] {
    return cacher_->Watch(
        {.resource_version = "5000", .match = VersionMatch::kNotOlderThan, .send_initial_events = true}, {});
  });
  while (watch.wait_for(0s) != std::future_status::ready) {
    clock_->Advance(100ms);
    std::this_thread::yield();
  }
  WatchReader reader(watch.get().value());
  EXPECT_THAT(reader.Take(2), ElementsAre("ERROR 504 Timeout: Too large resource version: 5000, current: 1000", "END"));
}

TEST_F(CacherTest, AWatchFromAFutureVersionIsSilentUntilThen) {
  Begin();
  WatchReader watch = Watch({.resource_version = "1002"});
  for (const char* name : {"a", "b", "c"}) store_->Put({.name = name});
  EXPECT_THAT(watch.Take(1), ElementsAre("ADDED default/c 1003"));
}

TEST_F(CacherTest, AnObjectThatBeginsOrCeasesToMatchIsAddedOrDeleted) {
  Begin();
  WatchReader watch = Watch(FromNow(Labels("app=web")));
  store_->Put({.name = "a"});                                                         // 1001: no match before or after
  store_->Put({.name = "a", .labels = {{"app", "web"}}});                             // 1002: begins to match
  store_->Put({.name = "a", .labels = {{"app", "web"}}, .note = "last that match"});  // 1003: matches before and after
  store_->Put({.name = "a", .labels = {{"app", "db"}}, .note = "other"});             // 1004: ceases to match
  store_->Put({.name = "a", .labels = {{"app", "web"}}});                             // 1005
  store_->Remove("default", "a");                                                     // 1006
  store_->Put({.name = "b"});
  store_->Remove("default", "b");
  EXPECT_THAT(watch.Take(2), ElementsAre("ADDED default/a 1002", "MODIFIED default/a 1003"));
  const auto deleted = watch.Next();
  ASSERT_NE(deleted, nullptr);
  EXPECT_EQ(Line(*deleted), "DELETED default/a 1004");
  EXPECT_EQ(deleted->object->At("/spec/note").StringOr(""), "last that match") << "what the watcher knows, not the new";
  EXPECT_EQ(deleted->object->Labels().Find("app"), "web");
  EXPECT_THAT(watch.Take(2), ElementsAre("ADDED default/a 1005", "DELETED default/a 1006"));
  ASSERT_TRUE(AwaitDispatched());
  EXPECT_THAT(watch.TakeAll(), IsEmpty());
  // A replay from the ring gives the same events as the live watch.
  WatchReader again = Watch({.predicate = Labels("app=web"), .resource_version = "1000"});
  EXPECT_THAT(again.TakeAll(), ElementsAre("ADDED default/a 1002", "MODIFIED default/a 1003", "DELETED default/a 1004",
                                           "ADDED default/a 1005", "DELETED default/a 1006"));
}

TEST_F(CacherTest, BindingAPodTakesItFromTheSchedulerAndGivesItToTheKubelet) {
  Begin();
  WatchReader scheduler = Watch(FromNow(Fields("spec.nodeName=")));
  WatchReader kubelet = Watch(FromNow(Fields("spec.nodeName=n1")));
  WatchReader other = Watch(FromNow(Fields("spec.nodeName=n2")));
  store_->Put({.name = "a"});
  store_->Put({.name = "a", .node = "n1"});
  EXPECT_THAT(scheduler.Take(2), ElementsAre("ADDED default/a 1001", "DELETED default/a 1002"));
  EXPECT_THAT(kubelet.Take(1), ElementsAre("ADDED default/a 1002"));
  ASSERT_TRUE(AwaitDispatched());
  EXPECT_THAT(other.TakeAll(), IsEmpty());
}

TEST_F(CacherTest, AnEventIsComparedOnlyWithTheWatchersOfItsTriggerAndThoseWithoutOne) {
  Begin();
  std::vector<WatchReader> watches;
  for (int i = 0; i < 20; ++i) watches.push_back(Watch(FromNow(Fields("spec.nodeName=n" + std::to_string(i)))));
  watches.push_back(Watch(FromNow()));
  watches.push_back(Watch(FromNow(Labels("app=web"))));
  for (WatchReader& watch : watches) EXPECT_THAT(watch.TakeAll(), IsEmpty());
  const auto evaluations = [&](const std::function<void()>& write) {
    const auto before = cacher_->Status().dispatcher.evaluations;
    write();
    EXPECT_TRUE(AwaitDispatched());
    return cacher_->Status().dispatcher.evaluations - before;
  };
  EXPECT_EQ(evaluations([&] { store_->Put({.name = "a", .node = "n3"}); }), 3U);
  EXPECT_EQ(evaluations([&] { store_->Put({.name = "a", .node = "n3", .note = "x"}); }), 3U);
  EXPECT_EQ(evaluations([&] { store_->Put({.name = "a", .node = "n4"}); }), 4U) << "a move is for both";
  EXPECT_EQ(evaluations([&] { store_->Put({.name = "b", .node = "elsewhere"}); }), 2U);
  EXPECT_THAT(watches[3].TakeAll(),
              ElementsAre("ADDED default/a 1001", "MODIFIED default/a 1002", "DELETED default/a 1003"));
  EXPECT_THAT(watches[4].TakeAll(), ElementsAre("ADDED default/a 1003"));
}

TEST_F(CacherTest, AWatchOfANamespaceOrANameIsAskedAboutNothingElse) {
  Begin();
  std::vector<WatchReader> watches;
  const std::string now = std::to_string(store_->revision());
  watches.push_back(Watch({.namespace_name = "x", .resource_version = now}));
  watches.push_back(Watch({.namespace_name = "x", .name = "a", .resource_version = now}));
  watches.push_back(Watch({.predicate = Fields("metadata.name=a"), .resource_version = now}));
  watches.push_back(Watch({.namespace_name = "y", .resource_version = now}));
  watches.push_back(Watch({.namespace_name = "x", .predicate = Fields("spec.nodeName=n1"), .resource_version = now}));
  for (WatchReader& watch : watches) EXPECT_THAT(watch.TakeAll(), IsEmpty());
  store_->Put({.namespace_name = "x", .name = "a"});
  store_->Put({.namespace_name = "x", .name = "b", .node = "n1"});
  store_->Put({.namespace_name = "y", .name = "a", .node = "n1"});
  ASSERT_TRUE(AwaitDispatched());
  EXPECT_EQ(cacher_->Status().dispatcher.evaluations, 3U + 2U + 3U);
  EXPECT_THAT(watches[0].TakeAll(), ElementsAre("ADDED x/a 1001", "ADDED x/b 1002"));
  EXPECT_THAT(watches[1].TakeAll(), ElementsAre("ADDED x/a 1001"));
  EXPECT_THAT(watches[2].TakeAll(), ElementsAre("ADDED x/a 1001", "ADDED y/a 1003"));
  EXPECT_THAT(watches[3].TakeAll(), ElementsAre("ADDED y/a 1003"));
  EXPECT_THAT(watches[4].TakeAll(), ElementsAre("ADDED x/b 1002"));
}

TEST_F(CacherTest, AllWatchersGetTheSameObjects) {
  store_->Put({.name = "z", .node = "n1"});
  Begin();
  std::vector<WatchReader> watches;
  for (int i = 0; i < 3; ++i) {
    watches.push_back(
        Watch({.predicate = Fields("spec.nodeName=n1"), .resource_version = "0", .allow_bookmarks = true}));
  }
  store_->Put({.name = "z", .node = "n2"});
  std::vector<std::vector<ObjectPtr>> seen(3);
  for (std::size_t i = 0; i < 3; ++i) {
    for (int n = 0; n < 3; ++n) {
      const auto event = watches[i].Next();
      ASSERT_NE(event, nullptr);
      seen[i].push_back(event->object);
    }
    EXPECT_EQ(seen[i][2]->At("/spec/nodeName").StringOr(""), "n1");
    EXPECT_EQ(seen[i][2]->ResourceVersion(), "1002");
  }
  EXPECT_EQ(seen[0], seen[1]) << "the state, the bookmark, and what was there before the change";
  EXPECT_EQ(seen[0], seen[2]);
}

TEST_F(CacherTest, AfterManyHaveBeenToldTheNextEventsComeToThemTogether) {
  Begin({.dispatcher = {.cost_per_watcher = 1ms}});
  std::vector<std::unique_ptr<WatchEventStream>> watches;
  for (int i = 0; i < 10; ++i) {
    watches.push_back(Stream(FromNow()));
    // The watch is open and has caught up: further events come from the dispatcher.
    ASSERT_TRUE(watches.back()->TryNext().value());
    ASSERT_FALSE(watches.back()->TryNext().value());
  }
  const auto revision = [&] { return cacher_->Status().dispatcher.revision; };
  store_->Put({.name = "a"});
  ASSERT_TRUE(Await([&] { return revision() == 1001; })) << "the first waits for nothing";
  for (const auto& watch : watches) ASSERT_TRUE(watch->TryNext().value());

  store_->Put({.name = "b"});
  store_->Put({.name = "c"});
  ASSERT_TRUE(Await([&] { return cacher_->Status().dispatcher.incoming == 2; }));
  clock_->Advance(9ms);
  EXPECT_EQ(revision(), 1001);
  EXPECT_FALSE(watches.front()->TryNext().value());
  clock_->Advance(1ms);
  ASSERT_TRUE(Await([&] { return revision() == 1003; }));
  for (const auto& watch : watches) {
    const auto part = watch->TryNext();
    ASSERT_TRUE(part && *part);
    EXPECT_EQ(std::get<std::vector<WatchEvent>>(**part).size(), 2U);
  }

  // Elapsed time counts towards the delay.
  clock_->Advance(10ms);
  store_->Put({.name = "d"});
  EXPECT_TRUE(Await([&] { return revision() == 1004; }));
}

TEST_F(CacherTest, FewWatchersAreToldOfEachEventAsItComes) {
  Begin({.dispatcher = {.cost_per_watcher = 99us}});
  std::vector<std::unique_ptr<WatchEventStream>> watches;
  for (int i = 0; i < 10; ++i) watches.push_back(Stream(FromNow()));
  for (const Revision revision : {1001, 1002, 1003}) {
    store_->Put({.name = "a", .note = std::to_string(revision)});
    EXPECT_TRUE(Await([&] { return cacher_->Status().dispatcher.revision == revision; }));
  }
}

TEST_F(CacherTest, AThousandWatchersSeeTheSameOrder) {
  Begin({.dispatcher = {.cost_per_watcher = {}}});
  std::vector<std::unique_ptr<WatchReader>> watches;
  for (int i = 0; i < 1000; ++i) watches.push_back(std::make_unique<WatchReader>(Stream(FromNow())));
  std::vector<std::string> expected;
  for (int i = 0; i < 100; ++i) {
    const std::string name = "p" + std::to_string(i % 7);
    const Revision revision = store_->Put({.name = name});
    expected.push_back((i < 7 ? "ADDED default/" : "MODIFIED default/") + name + " " + std::to_string(revision));
  }
  for (auto& watch : watches) ASSERT_EQ(watch->Take(expected.size()), expected);
  EXPECT_EQ(cacher_->Status().dispatcher.terminated, 0U);
  EXPECT_GE(cacher_->Status().dispatcher.incoming_high_water_mark, 1U);
}

TEST_F(CacherTest, TheIncomingQueueKeepsToItsBound) {
  Begin();
  std::vector<std::unique_ptr<WatchReader>> watches;
  for (int i = 0; i < 50; ++i) watches.push_back(std::make_unique<WatchReader>(Stream(FromNow(Labels("none")))));
  for (int i = 0; i < 3000; ++i) store_->Put({.name = "a", .note = std::to_string(i)});
  ASSERT_TRUE(AwaitDispatched());
  const DispatcherStatus status = cacher_->Status().dispatcher;
  EXPECT_EQ(status.events, 3000U);
  EXPECT_GE(status.incoming_high_water_mark, 1U);
  EXPECT_LE(status.incoming_high_water_mark, 100U);
  EXPECT_EQ(status.incoming, 0U);
}

TEST_F(CacherTest, WritesThatRaceWithTheBeginOfAWatchAreNeitherLostNorDoubledNorOutOfOrder) {
  for (int i = 0; i < 50; ++i) store_->Put({.name = "p" + std::to_string(i)});
  Begin();
  constexpr int kWrites = 3000;
  const Revision last = store_->revision() + kWrites;
  std::jthread writer([&] {
    for (int i = 0; i < kWrites; ++i) store_->Put({.name = "p" + std::to_string(i % 50), .note = std::to_string(i)});
  });
  int watches = 0;
  do {
    WatchReader watch = Watch({.resource_version = "0", .allow_bookmarks = true});
    ++watches;
    Revision at = 0;
    int initial = 0;
    while (at == 0) {
      const auto event = watch.Next();
      ASSERT_NE(event, nullptr);
      if (event->type == WatchEventType::kBookmark) {
        at = *ParseRevision(event->object->ResourceVersion());
      } else {
        ASSERT_EQ(event->type, WatchEventType::kAdded);
        ++initial;
      }
    }
    ASSERT_EQ(initial, 50);
    // Each write is one event, so the versions have no gaps.
    for (int i = 0; i < 30 && at < last; ++i) {
      const auto event = watch.Next();
      ASSERT_NE(event, nullptr);
      ASSERT_EQ(event->type, WatchEventType::kModified);
      ASSERT_EQ(event->object->ResourceVersion(), std::to_string(at + 1));
      ++at;
    }
  } while (cacher_->Status().cache.revision < last);
  EXPECT_GT(watches, 0);
}

TEST_F(CacherTest, AWatcherLivesAsLongAsItsStream) {
  Begin();
  auto one = Stream(FromNow());
  auto two = Stream({.resource_version = "0", .allow_bookmarks = true, .deadline = clock_->Now() + 1h});
  EXPECT_EQ(cacher_->Status().dispatcher.watchers, 2U);
  one.reset();
  two.reset();
  EXPECT_EQ(cacher_->Status().dispatcher.watchers, 0U);
  auto three = Stream(FromNow());
  cacher_.reset();
  WatchReader reader(std::move(three));
  EXPECT_THAT(reader.Take(1), ElementsAre("END"));
}

// --- Slow watchers ---

TEST_F(CacherTest, AStalledReaderIsEndedTheOthersGoOnAndItsResumeLosesNothing) {
  Begin();
  clock_->Advance(10s);  // fills the time budget: 100 ms
  WatchReader stalled = Watch(FromNow());
  WatchReader other = Watch(FromNow());
  std::vector<std::string> expected;
  const auto put = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const Revision revision = store_->Put({.name = "p" + std::to_string(expected.size())});
      expected.push_back("ADDED default/p" + std::to_string(expected.size()) + " " + std::to_string(revision));
    }
  };
  EXPECT_THAT(stalled.TakeAll(), IsEmpty());
  put(30);
  EXPECT_EQ(other.Take(30), expected);
  ASSERT_TRUE(AwaitDispatched());
  // Its buffer of 20 has overflowed; the dispatcher does not wait for it.
  EXPECT_EQ(cacher_->Status().dispatcher.watchers, 2U);
  clock_->Advance(599ms);
  put(1);
  EXPECT_THAT(other.Take(1), ElementsAre(expected.back()));
  EXPECT_EQ(cacher_->Status().dispatcher.terminated, 0U);
  // The grace period of half a second has passed, and now the budget as well.
  ASSERT_TRUE(Await([&] {
    clock_->Advance(1ms);
    return cacher_->Status().dispatcher.terminated == 1;
  }));
  EXPECT_EQ(cacher_->Status().dispatcher.watchers, 1U);
  put(1);
  EXPECT_THAT(other.Take(1), ElementsAre(expected.back()));

  std::vector<std::string> got = stalled.Take(1000);
  ASSERT_FALSE(got.empty());
  EXPECT_EQ(got.back(), "END") << "in good order, without an error";
  got.pop_back();
  EXPECT_EQ(got.size(), 20U);
  WatchReader resumed = Watch({.resource_version = got.back().substr(got.back().rfind(' ') + 1)});
  for (const std::string& line : resumed.TakeAll()) got.push_back(line);
  EXPECT_EQ(got, expected);
}

TEST_F(CacherTest, AReaderThatPullsInTimeIsNotEndedAndMissesNothing) {
  Begin();
  WatchReader late = Watch(FromNow());
  EXPECT_THAT(late.TakeAll(), IsEmpty());
  std::vector<std::string> expected;
  std::vector<std::string> got;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 70; ++i) {
      const std::string name = "p" + std::to_string(expected.size());
      expected.push_back("ADDED default/" + name + " " + std::to_string(store_->Put({.name = name})));
    }
    ASSERT_TRUE(AwaitDispatched());
    clock_->Advance(400ms);
    for (const std::string& line : late.TakeAll()) got.push_back(line);
  }
  EXPECT_EQ(got, expected);
  EXPECT_EQ(cacher_->Status().dispatcher.terminated, 0U);
}

TEST_F(CacherTest, AReaderThatTheRingHasOvertakenIsEnded) {
  Begin({.ring = {.min_capacity = 10, .max_capacity = 10}});
  WatchReader watch = Watch(FromNow());
  for (int i = 0; i < 50; ++i) store_->Put({.name = "a", .note = std::to_string(i)});
  ASSERT_TRUE(AwaitDispatched());
  EXPECT_THAT(watch.Take(2), ElementsAre("END"));
}

// --- Bookmarks ---

TEST_F(CacherTest, AnIdleWatchThatAskedForBookmarksGetsOneAMinuteAndOneBeforeItsEnd) {
  pool_->Stop();
  pool_ = std::make_shared<TaskPool>(TaskPoolOptions{.threads = 1, .clock = clock_});
  pool_->Start();
  Begin();
  const TimePoint began = clock_->Now();
  WatchReader with = Watch({.resource_version = "1000", .allow_bookmarks = true, .deadline = began + 150s});
  WatchReader without = Watch({.resource_version = "1000", .deadline = began + 150s});
  EXPECT_THAT(with.TakeAll(), IsEmpty());
  EXPECT_THAT(without.TakeAll(), IsEmpty());
  store_->PutElsewhere();
  ASSERT_TRUE(AwaitDispatched());
  std::vector<std::pair<std::string, Duration>> seen;
  while (!with.ended() && clock_->Now() < began + 200s) {
    clock_->Advance(250ms);
    // The only thread is waiting again, so all due work is done.
    clock_->AwaitWaiters(1);
    for (const std::string& line : with.TakeAll()) seen.emplace_back(line, clock_->Now() - began);
  }
  ASSERT_GE(seen.size(), 4U);
  EXPECT_EQ(seen.size(), 4U);
  EXPECT_EQ(seen[0].first, "BOOKMARK 1001");
  EXPECT_GE(seen[0].second, 60s);
  EXPECT_LE(seen[0].second, 62s);
  EXPECT_EQ(seen[1].first, "BOOKMARK 1001");
  EXPECT_GE(seen[1].second, 120s);
  EXPECT_LE(seen[1].second, 124s);
  EXPECT_EQ(seen[2].first, "BOOKMARK 1001");
  EXPECT_GE(seen[2].second, 148s);
  EXPECT_LT(seen[2].second, 150s);
  EXPECT_EQ(seen[3].first, "END");
  EXPECT_GE(seen[3].second, 150s);
  EXPECT_LE(seen[3].second, 151s);
  EXPECT_THAT(without.Take(1), ElementsAre("END"));
  EXPECT_EQ(cacher_->Status().dispatcher.bookmarks, 3U);
}

TEST_F(CacherTest, ABookmarkNeverNamesAVersionThatTheWatchBeganAt) {
  Begin();
  WatchReader watch = Watch({.resource_version = "1000", .allow_bookmarks = true, .deadline = clock_->Now() + 90s});
  EXPECT_THAT(watch.TakeAll(), IsEmpty());
  clock_->AwaitWaiters(1);
  clock_->Advance(89s);
  clock_->Advance(2s);
  EXPECT_THAT(watch.Take(1), ElementsAre("END"));
}

TEST_F(CacherTest, ABookmarkComesAfterTheEventsThatItCovers) {
  Begin();
  WatchReader watch = Watch({.resource_version = "1000", .allow_bookmarks = true});
  EXPECT_THAT(watch.TakeAll(), IsEmpty());
  store_->Put({.name = "a"});
  store_->Put({.name = "b"});
  ASSERT_TRUE(AwaitDispatched());
  clock_->AwaitWaiters(1);
  clock_->Advance(61s);
  EXPECT_THAT(watch.Take(3), ElementsAre("ADDED default/a 1001", "ADDED default/b 1002", "BOOKMARK 1002"));
  const ObjectPtr bookmark = MakeBookmark({"apps", "v1", "Deployment"}, 7, true);
  EXPECT_EQ(
      bookmark->Json(),
      R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"resourceVersion":"7","annotations":{"k8s.io/initial-events-end":"true"}}})");
}

}  // namespace
}  // namespace kinformer::apiserver
