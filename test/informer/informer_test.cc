#include <kinformer/informer/shared_informer.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>
#include <kinformer/meta/status_error.h>

#include "src/base/task_pool.h"
#include "src/informer/informer_core.h"
#include "test/informer/await.h"
#include "test/informer/handler_log.h"
#include "test/informer/informer_test_server.h"
#include "test/support/leak_check.h"
#include "test/support/patience.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using Log = HandlerLog;

using testing_support::kPatience;

class InformerTest : public ::testing::TestWithParam<Between> {
 protected:
  InformerTest() { pool_->Start(); }

  SharedInformer Make(internal::InformerCoreOptions options = {}, const std::shared_ptr<TaskPool>& pool = {}) {
    options.reflector.name = "configmaps";
    return SharedInformer(
        internal::InformerCore::Create(pool == nullptr ? pool_ : pool, server_->Source(), std::move(options)));
  }
  SharedInformer Synced(internal::InformerCoreOptions options = {}) {
    SharedInformer informer = Make(std::move(options));
    informer.Start();
    const auto synced = informer.WaitForCacheSync(kPatience);
    EXPECT_TRUE(synced.ok()) << ToString(synced.error());
    return informer;
  }

  const std::unique_ptr<InformerTestServer> server_ = MakeInformerTestServer(GetParam());
  const std::shared_ptr<TaskPool> pool_ = std::make_shared<TaskPool>(TaskPoolOptions{.threads = 2});
};

INSTANTIATE_TEST_SUITE_P(Server, InformerTest, BothServers(), ServerName);

TEST_P(InformerTest, SyncsAndThenFollowsTheServer) {
  server_->Put("a", "1");
  Log log;
  const SharedInformer informer = Make();
  const auto registration = informer.AddEventHandler(log.Handler()).value();
  EXPECT_FALSE(informer.HasSynced());
  informer.Start();
  ASSERT_TRUE(informer.WaitForCacheSync(kPatience).ok());
  ASSERT_TRUE(registration.WaitForSync(kPatience).ok());
  EXPECT_TRUE(registration.HasSynced());
  server_->Put("b", "1");
  server_->Put("a", "2");
  server_->Remove("b");
  EXPECT_THAT(log.Await(4), ElementsAre("initial a=1", "add b=1", "update a=1 to a=2", "delete b=1"));
  EXPECT_EQ(informer.Lister().Size(), 1U);
}

TEST_P(InformerTest, AnEmptyListSyncs) {
  const SharedInformer informer = Synced();
  EXPECT_EQ(informer.Lister().Size(), 0U);
}

TEST_P(InformerTest, ALateHandlerGetsEveryObjectOnceThenLiveEvents) {
  server_->Put("a", "1");
  server_->Put("b", "1");
  const SharedInformer informer = Synced();
  Log log;
  const auto registration = informer.AddEventHandler(log.Handler()).value();
  ASSERT_TRUE(registration.WaitForSync(kPatience).ok());
  server_->Put("c", "1");
  auto lines = log.Await(3);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[2], "add c=1");
  std::sort(lines.begin(), lines.end());
  EXPECT_THAT(lines, ElementsAre("add c=1", "initial a=1", "initial b=1"));
}

TEST_P(InformerTest, TheCacheHasAnEventBeforeItsHandlerIsTold) {
  const SharedInformer informer = Synced();
  std::promise<std::size_t> seen;
  const auto registration =
      informer.AddEventHandler({.on_add = [&](const ObjectPtr&, bool) { seen.set_value(informer.Lister().Size()); }})
          .value();
  server_->Put("a", "1");
  EXPECT_EQ(seen.get_future().get(), 1U);
}

TEST_P(InformerTest, ADeletionThatWasMissedArrivesWithTheLastKnownState) {
  server_->Put("a", "1");
  server_->Put("b", "1");
  const SharedInformer informer = Synced();
  Log log;
  const auto registration = informer.AddEventHandler(log.Handler()).value();
  ASSERT_TRUE(registration.WaitForSync(kPatience).ok());
  informer.Stop();
  server_->Remove("a");
  server_->Put("b", "2");
  server_->Compact();
  informer.Start();
  auto lines = log.Await(4);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[2], "delete unseen a=1") << "deletions first";
  EXPECT_EQ(lines[3], "update b=1 to b=2");
}

TEST_P(InformerTest, AnObjectMadeAnewDuringAGapIsSeenAsDeleteAndAdd) {
  server_->Put("a", "1");
  const SharedInformer informer = Synced();
  Log log;
  const auto registration = informer.AddEventHandler(log.Handler()).value();
  ASSERT_TRUE(registration.WaitForSync(kPatience).ok());
  informer.Stop();
  server_->Remove("a");
  server_->Put("a", "2");
  server_->Compact();
  informer.Start();
  EXPECT_THAT(log.Await(3), ElementsAre("initial a=1", "delete unseen a=1", "add a=2"));
}

TEST_P(InformerTest, WaitingForTheSyncTellsWhyItDoesNotCome) {
  server_->Forbid();
  std::promise<Error> reported;
  std::atomic<bool> first = true;
  internal::InformerCoreOptions options;
  options.on_error = [&](const Error& error) {
    if (first.exchange(false)) reported.set_value(error);
  };
  const SharedInformer informer = Make(std::move(options));
  informer.Start();
  EXPECT_TRUE(IsForbidden(reported.get_future().get()));
  const auto synced = informer.WaitForCacheSync(1ms);
  ASSERT_FALSE(synced.ok());
  EXPECT_TRUE(IsForbidden(synced.error()));
  EXPECT_THAT(synced.error().message, HasSubstr("alice"));
  EXPECT_THAT(synced.error().message, HasSubstr("configmaps not synced"));
  EXPECT_TRUE(IsForbidden(*informer.Status().last_error));
}

TEST_P(InformerTest, OneThatIsNotStartedSaysSo) {
  const auto synced = Make().WaitForCacheSync(1ms);
  ASSERT_FALSE(synced.ok());
  EXPECT_EQ(synced.error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_THAT(synced.error().message, HasSubstr("it has not been started"));
}

TEST_P(InformerTest, AWriteCanBeWaitedFor) {
  const SharedInformer informer = Synced();
  const std::string version = server_->Put("a", "1");
  ASSERT_TRUE(informer.WaitForResourceVersion(version, kPatience).ok());
  EXPECT_TRUE(informer.Lister().Get({"default", "a"}).ok());
  const auto never = informer.WaitForResourceVersion("999999999999", 1ms);
  ASSERT_FALSE(never.ok());
  EXPECT_EQ(never.error().code, ErrorCode::kDeadlineExceeded);
}

TEST_P(InformerTest, ABookmarkMovesTheVersionAndTellsNobody) {
  server_->Put("a", "1");
  const SharedInformer informer = Synced();
  const std::string version = server_->Tick();
  server_->SendBookmark();
  EXPECT_TRUE(informer.WaitForResourceVersion(version, kPatience).ok());
}

TEST_P(InformerTest, IndicesAddedWhileRunningAreFilledInAndFollow) {
  server_->Put("a", "red");
  server_->Put("b", "blue");
  const SharedInformer informer = Synced();
  ASSERT_TRUE(
      informer.AddIndexer("colour", [](const ObjectPtr& o) { return Keys{o->At("/data/value").StringOr("")}; }).ok());
  EXPECT_EQ(informer.Lister().ByIndex("colour", "red").value().size(), 1U);
  ASSERT_TRUE(informer.WaitForResourceVersion(server_->Put("b", "red"), kPatience).ok());
  EXPECT_EQ(informer.Lister().ByIndex("colour", "red").value().size(), 2U);
  EXPECT_TRUE(informer.Lister().ByIndex("colour", "blue").value().empty());
}

TEST_P(InformerTest, AnIndexFunctionThatThrowsIsTheInformersError) {
  const SharedInformer informer = Synced();
  ASSERT_TRUE(informer
                  .AddIndexer("bad",
                              [](const ObjectPtr& o) -> Keys {
                                if (o->Name() == "bad") throw std::runtime_error("cannot index");
                                return {};
                              })
                  .ok());
  server_->Put("bad", "1");
  ASSERT_TRUE(informer.WaitForResourceVersion(server_->Put("good", "1"), kPatience).ok());
  EXPECT_TRUE(informer.Lister().Get({"default", "good"}).ok());
  ASSERT_TRUE(informer.Status().last_error);
  EXPECT_THAT(informer.Status().last_error->message, HasSubstr("cannot index"));
}

TEST_P(InformerTest, AHandlerThatThrowsIsCountedAndGoesOn) {
  const SharedInformer informer = Synced();
  std::promise<void> second;
  const auto registration = informer
                                .AddEventHandler({.on_add =
                                                      [&](const ObjectPtr& o, bool) {
                                                        if (o->Name() == "a") throw std::runtime_error("boom");
                                                        second.set_value();
                                                      }})
                                .value();
  server_->Put("a", "1");
  server_->Put("b", "1");
  second.get_future().get();
  EXPECT_EQ(registration.Status().failed, 1U);
}

TEST_P(InformerTest, InsideAHandlerAllThatMakesSenseWorksAndTheRestIsAnError) {
  server_->Put("a", "1");
  const SharedInformer informer = Synced();
  Log inner;
  std::promise<void> done;
  InformerRegistration added;
  std::promise<InformerRegistration*> self;
  std::shared_future<InformerRegistration*> self_future = self.get_future().share();
  InformerRegistration registration =
      informer
          .AddEventHandler({.on_add =
                                [&](const ObjectPtr& o, bool) {
                                  EXPECT_TRUE(informer.Lister().Get({"default", std::string(o->Name())}).ok());
                                  EXPECT_TRUE(
                                      informer.AddIndexer("late", [](const ObjectPtr&) { return Keys{"x"}; }).ok());
                                  added = informer.AddEventHandler(inner.Handler()).value();
                                  InformerRegistration* own = self_future.get();
                                  EXPECT_EQ(own->WaitForSync(kPatience).error().code, ErrorCode::kFailedPrecondition);
                                  own->Remove();
                                  done.set_value();
                                }})
          .value();
  self.set_value(&registration);
  done.get_future().get();
  EXPECT_THAT(inner.Await(1), ElementsAre("initial a=1"));
  server_->Put("b", "1");
  EXPECT_THAT(inner.Await(2), ElementsAre("initial a=1", "add b=1"));
}

TEST_P(InformerTest, AfterARegistrationIsGoneItsHandlerIsNotCalled) {
  const SharedInformer informer = Synced();
  std::atomic<int> calls = 0;
  {
    const auto registration = informer.AddEventHandler({.on_add = [&](const ObjectPtr&, bool) { ++calls; }}).value();
    ASSERT_TRUE(registration.WaitForSync(kPatience).ok());
  }
  Log log;
  const auto other = informer.AddEventHandler(log.Handler()).value();
  server_->Put("a", "1");
  log.Await(1);
  EXPECT_EQ(calls, 0);
}

TEST_P(InformerTest, ASlowHandlerDelaysNobody) {
  const SharedInformer informer = Synced();
  std::promise<void> release;
  const auto blocked = release.get_future().share();
  const auto slow = informer.AddEventHandler({.on_add = [&](const ObjectPtr&, bool) { blocked.wait(); }}).value();
  Log log;
  const auto quick = informer.AddEventHandler(log.Handler()).value();
  for (int i = 0; i < 100; ++i) server_->Put("o" + std::to_string(i), "1");
  EXPECT_EQ(log.Await(100).size(), 100U);
  EXPECT_GE(slow.Status().pending, 99U);
  release.set_value();
}

TEST_P(InformerTest, AHundredInformersAddNoThreads) {
  std::vector<SharedInformer> informers;
  const std::size_t before = testing_support::ThreadCount();
  for (int i = 0; i < 100; ++i) informers.push_back(Make());
  for (const SharedInformer& informer : informers) informer.Start();
  for (const SharedInformer& informer : informers) ASSERT_TRUE(informer.WaitForCacheSync(kPatience).ok());
  EXPECT_EQ(testing_support::ThreadCount(), before);
  EXPECT_TRUE(server_->AwaitOpenWatches(100));
}

TEST_P(InformerTest, TheStatusTellsWhatItDoes) {
  const std::string version = server_->Put("a", "1");
  const SharedInformer informer = Synced();
  ASSERT_TRUE(Await([&] { return informer.Status().state == InformerState::kWatching; }));
  const InformerStatus status = informer.Status();
  EXPECT_TRUE(status.synced);
  EXPECT_EQ(status.objects, 1U);
  EXPECT_EQ(status.resource_version, version);
  EXPECT_TRUE(status.last_activity);
  EXPECT_FALSE(status.last_error);
  informer.Stop();
  EXPECT_EQ(informer.Status().state, InformerState::kStopped);
  EXPECT_EQ(informer.Lister().Size(), 1U) << "the cache stays";
}

TEST_P(InformerTest, TheWholeNewListIsInTheCacheWhenTheFirstCallbackOfARelistRuns) {
  server_->Put("a", "1");
  server_->Put("b", "1");
  const SharedInformer informer = Synced();
  std::promise<std::vector<std::string>> seen;
  const auto registration = informer
                                .AddEventHandler({.on_delete =
                                                      [&](const Deleted<ObjectPtr>&) {
                                                        std::vector<std::string> cache;
                                                        for (const ObjectPtr& object : informer.Lister().List())
                                                          cache.push_back(Log::Text(object));
                                                        std::sort(cache.begin(), cache.end());
                                                        seen.set_value(std::move(cache));
                                                      }})
                                .value();
  ASSERT_TRUE(registration.WaitForSync(kPatience).ok());
  informer.Stop();
  server_->Remove("a");
  server_->Put("b", "2");
  server_->Put("c", "1");
  server_->Compact();
  informer.Start();
  EXPECT_THAT(seen.get_future().get(), ElementsAre("b=2", "c=1"));
}

TEST_P(InformerTest, ARelistDeletesWhatOnlyTheQueueHadAndWhatOnlyTheCacheHad) {
  server_->Put("cached", "1");
  internal::InformerCoreOptions options;
  options.reflector.backoff.initial = 1ms;
  const SharedInformer informer = Synced(std::move(options));
  Log log;
  const auto registration = informer.AddEventHandler(log.Handler()).value();
  ASSERT_TRUE(registration.WaitForSync(kPatience).ok());
  // Blocks the cache's task at the first event, so that later events stay queued.
  std::promise<void> held;
  std::promise<void> release;
  std::atomic<bool> first = true;
  ASSERT_TRUE(informer
                  .AddIndexer("hold",
                              [&](const ObjectPtr& object) -> Keys {
                                if (object->Name() == "hold" && first.exchange(false)) {
                                  held.set_value();
                                  release.get_future().wait();
                                }
                                return {};
                              })
                  .ok());
  server_->Put("hold", "1");
  held.get_future().wait();
  server_->Put("queued", "1");
  ASSERT_TRUE(Await([&] { return informer.Status().queued > 0; }));
  // No list may succeed before both objects are deleted.
  const std::uint64_t lists = informer.Status().lists;
  server_->Forbid();
  server_->EndWatch(WatchEnding::kExpired);
  server_->Remove("cached");
  server_->Remove("queued");
  server_->Compact();
  server_->Permit();
  ASSERT_TRUE(Await([&] { return informer.Status().lists > lists; }));
  release.set_value();
  auto lines = log.Await(5);
  std::sort(lines.begin() + 3, lines.end());
  EXPECT_THAT(lines, ElementsAre("initial cached=1", "add hold=1", "add queued=1", "delete unseen cached=1",
                                 "delete unseen queued=1"));
}

TEST_P(InformerTest, AfterAVersionThatTheServerForgotARelistBringsWhatWasMissed) {
  // A single thread: while the index function blocks, nothing reads from the server.
  const auto pool = std::make_shared<TaskPool>(TaskPoolOptions{.threads = 1});
  pool->Start();
  server_->Put("gone", "1");
  internal::InformerCoreOptions options;
  options.reflector.backoff.initial = 1ms;
  std::promise<void> held;
  std::promise<void> release;
  const SharedInformer informer = Make(std::move(options), pool);
  ASSERT_TRUE(informer
                  .AddIndexer("hold",
                              [&](const ObjectPtr& object) -> Keys {
                                if (object->Name() != "hold") return {};
                                held.set_value();
                                release.get_future().wait();
                                return {};
                              })
                  .ok());
  Log log;
  const auto registration = informer.AddEventHandler(log.Handler()).value();
  informer.Start();
  ASSERT_TRUE(registration.WaitForSync(kPatience).ok());
  server_->Put("hold", "1");
  held.get_future().wait();
  server_->EndWatch(WatchEnding::kCleanly);
  server_->Remove("gone");
  server_->Remove("hold");
  server_->Put("new", "1");
  server_->Compact();
  release.set_value();
  EXPECT_THAT(log.Await(5), UnorderedElementsAre("initial gone=1", "add hold=1", "delete unseen gone=1",
                                                 "delete unseen hold=1", "add new=1"));
  EXPECT_TRUE(Await([&] { return informer.Status().lists == 2; }));
  ASSERT_TRUE(informer.Status().last_error);
  EXPECT_TRUE(IsResourceExpired(*informer.Status().last_error)) << ToString(*informer.Status().last_error);
}

TEST_P(InformerTest, OnlyTheHandlersThatAreDueSeeEveryObjectAgain) {
  const auto clock = std::make_shared<FakeClock>();
  const auto pool = std::make_shared<TaskPool>(TaskPoolOptions{.threads = 1, .clock = clock});
  pool->Start();
  server_->Put("a", "1");
  const SharedInformer informer = Make({}, pool);
  Log often;
  Log never;
  const auto first = informer.AddEventHandler(often.Handler(), {.resync = 10s}).value();
  const auto second = informer.AddEventHandler(never.Handler()).value();
  informer.Start();
  EXPECT_THAT(often.Await(1), ElementsAre("initial a=1"));
  EXPECT_THAT(never.Await(1), ElementsAre("initial a=1"));
  ASSERT_TRUE(AwaitAndAdvance(*clock));
  EXPECT_THAT(often.Await(2), ElementsAre("initial a=1", "update a=1 to a=1"));
  server_->Put("b", "1");
  EXPECT_THAT(never.Await(2), ElementsAre("initial a=1", "add b=1")) << "nothing in between";
}

TEST_P(InformerTest, ATransformMayBeSetUntilTheFirstStart) {
  server_->Put("a", "1");
  const SharedInformer informer = Make();
  std::atomic<int> runs = 0;
  ASSERT_TRUE(informer
                  .SetTransform({.name = "counting",
                                 .function = [&](ObjectPtr object) -> Result<ObjectPtr> {
                                   ++runs;
                                   return object;
                                 }})
                  .ok());
  informer.Start();
  ASSERT_TRUE(informer.WaitForCacheSync(kPatience).ok());
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(informer.SetTransform({}).error().code, ErrorCode::kFailedPrecondition);
  informer.Stop();
  EXPECT_EQ(informer.SetTransform({}).error().code, ErrorCode::kFailedPrecondition);
}

TEST_P(InformerTest, TheWatchErrorHandlerMayBeSetWhileRunningAndHearsErrorsInTheStream) {
  std::promise<Error> told;
  const SharedInformer informer = Synced();
  informer.SetWatchErrorHandler([&](const Error& error) { told.set_value(error); });
  server_->EndWatch(WatchEnding::kInternalError);
  EXPECT_EQ(told.get_future().get().http_status, 500);
  informer.SetWatchErrorHandler({});
}

TEST_P(InformerTest, AListOfWhichOneObjectCannotBeFiledIsStoredAndThatObjectIsNotInTheIndex) {
  server_->Put("good", "1");
  server_->Put("bad", "1");
  std::promise<Error> told;
  const SharedInformer informer = Make();
  ASSERT_TRUE(informer
                  .AddIndexer("name",
                              [](const ObjectPtr& object) -> Keys {
                                if (object->Name() == "bad") throw std::runtime_error("I do not like it");
                                return {std::string(object->Name())};
                              })
                  .ok());
  informer.SetWatchErrorHandler([&](const Error& error) { told.set_value(error); });
  informer.Start();
  ASSERT_TRUE(informer.WaitForCacheSync(kPatience).ok());
  EXPECT_EQ(informer.Lister().Size(), 2U);
  EXPECT_EQ(informer.Lister().ByIndex("name", "good").value().size(), 1U);
  EXPECT_EQ(informer.Lister().ByIndex("name", "bad").value().size(), 0U);
  EXPECT_THAT(told.get_future().get().message, HasSubstr("I do not like it"));
}

TEST_P(InformerTest, OfAMissingKindWaitsForItToComeAndIsParkedWhenItGoes) {
  const auto clock = std::make_shared<FakeClock>();
  const auto pool = std::make_shared<TaskPool>(TaskPoolOptions{.threads = 1, .clock = clock});
  pool->Start();
  server_->Put("a", "1");
  server_->RemoveKind();
  std::atomic<int> told = 0;
  internal::InformerCoreOptions options;
  options.on_error = [&](const Error& error) {
    EXPECT_TRUE(IsNotFound(error)) << ToString(error);
    ++told;
  };
  const SharedInformer informer = Make(std::move(options), pool);
  HandlerLog log;
  const auto registration = informer.AddEventHandler(log.Handler()).value();
  informer.Start();
  // Advances the clock while the informer waits for it, but not while it waits for the server.
  const auto await = [&](const auto& condition) {
    return Await([&] {
      if (condition()) return true;
      const auto due = SoonDue(*clock);
      const InformerState state = informer.Status().state;
      if (due && (state == InformerState::kRetrying || state == InformerState::kParked)) AdvanceTo(*clock, *due);
      return false;
    });
  };
  const auto await_state = [&](InformerState state) { return await([&] { return informer.Status().state == state; }); };
  ASSERT_TRUE(await_state(InformerState::kParked));
  EXPECT_FALSE(informer.HasSynced());
  const TimePoint later = clock->Now() + 1min;
  ASSERT_TRUE(await([&] { return clock->Now() > later; }));
  EXPECT_EQ(told, 1) << "once, however often it was asked for";
  std::jthread waiter([&] {
    const auto synced = informer.WaitForCacheSync(std::chrono::hours(24) * 365);
    EXPECT_TRUE(synced.ok());
  });
  server_->RestoreKind();
  ASSERT_TRUE(await_state(InformerState::kWatching));
  EXPECT_THAT(log.Await(1), ElementsAre("initial a=1"));
  waiter.join();

  server_->RemoveKind();
  ASSERT_TRUE(await_state(InformerState::kParked));
  EXPECT_EQ(informer.Lister().Size(), 1U) << "the cache stays";
  EXPECT_TRUE(IsNotFound(*informer.Status().last_error));
  server_->RestoreKind();
  server_->Put("b", "1");
  ASSERT_TRUE(await_state(InformerState::kWatching));
  EXPECT_THAT(log.Await(2), ElementsAre("initial a=1", "add b=1"));
}

}  // namespace
}  // namespace kinformer
