#include <kinformer/watch/wait_for.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>
#include <kinformer/meta/status_error.h>
#include <kinformer/views/core_v1.h>
#include <kinformer/watch/until.h>

#include "src/base/task_pool.h"
#include "src/informer/informer_core.h"
#include "test/reflector/scripted_lister_watcher.h"
#include "test/support/await.h"
#include "test/support/patience.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using namespace testing_support;
using core::v1::Pod;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

using testing_support::kPatience;

ObjectPtr PodIn(const std::string& phase, const std::string& version, const std::string& name = "web") {
  return MakePod(name, version, "",
                 R"(,"status":{"phase":")" + phase + R"(","conditions":[{"type":"Ready","status":")" +
                     (phase == "Running" ? R"(True"}]})" : R"(False","reason":"NotYet"}]})"));
}

/// An informer over a scripted source, on the system clock or a fake one.
class WaitForTest : public ::testing::Test {
 protected:
  explicit WaitForTest(std::shared_ptr<const Clock> clock = Clock::System()) : clock_(std::move(clock)) {
    pool_->Start();
  }

  SharedInformer MakeOf(const std::shared_ptr<ScriptedListerWatcher>& source) {
    return SharedInformer(internal::InformerCore::Create(
        pool_, source,
        internal::InformerCoreOptions{
            .reflector = {.name = "pods", .backoff = {.initial = 30s, .jitter = 0}, .streaming_lists = false}}));
  }
  SharedInformer Started() {
    SharedInformer informer = MakeOf(source_);
    informer.Start();
    return informer;
  }
  /// A synced, watching informer that holds `objects`, at version 10.
  SharedInformer Synced(std::vector<ObjectPtr> objects) {
    SharedInformer informer = Started();
    const auto list = source_->AwaitList(0);
    list->Items(std::move(objects));
    list->End("10");
    EXPECT_TRUE(informer.WaitForCacheSync(kPatience).ok());
    source_->AwaitWatch(0)->Open();
    // The status is updated asynchronously.
    EXPECT_TRUE(Await([&] { return informer.Status().state == InformerState::kWatching; }));
    return informer;
  }
  /// Waits until there are `count` handlers and the last one has synced.
  static void AwaitHandlers(const SharedInformer& informer, std::size_t count) {
    ASSERT_TRUE(Await([&] {
      const std::vector<HandlerStatus> handlers = informer.Status().handlers;
      return handlers.size() == count && (count == 0 || handlers.back().synced);
    })) << "not "
        << count << " handlers";
  }
  /// Waits until there are `count` handlers, synced or not.
  static void AwaitRegistered(const SharedInformer& informer, std::size_t count) {
    ASSERT_TRUE(Await([&] { return informer.Status().handlers.size() == count; })) << "not " << count << " handlers";
  }
  /// Waits until the last handler has handled at least `count` notifications.
  static void AwaitHandled(const SharedInformer& informer, std::uint64_t count) {
    ASSERT_TRUE(Await([&] {
      const std::vector<HandlerStatus> handlers = informer.Status().handlers;
      return !handlers.empty() && handlers.back().handled >= count;
    })) << "not "
        << count << " events";
  }
  WaitLimit Within(Duration timeout) const { return WaitLimit(timeout, clock_); }

  const NamespacedName key_{"default", "web"};
  const std::shared_ptr<const Clock> clock_;
  const std::shared_ptr<ScriptedListerWatcher> source_ = std::make_shared<ScriptedListerWatcher>();
  const std::shared_ptr<TaskPool> pool_ = std::make_shared<TaskPool>(TaskPoolOptions{.threads = 2, .clock = clock_});
};

class WaitForOnFakeClockTest : public WaitForTest {
 protected:
  WaitForOnFakeClockTest() : WaitForOnFakeClockTest(std::make_shared<FakeClock>()) {}
  explicit WaitForOnFakeClockTest(const std::shared_ptr<FakeClock>& fake) : WaitForTest(fake), fake_(fake) {}

  const std::shared_ptr<FakeClock> fake_;
};

TEST_F(WaitForTest, WhatTheCacheHasIsAnsweredAtOnceAndWithoutAHandler) {
  const SharedInformer informer = Synced({PodIn("Running", "5")});
  const auto running = WaitFor(informer, key_, FieldEquals("/status/phase", "Running"), 0s);
  ASSERT_TRUE(running.ok()) << ToString(running.error());
  EXPECT_EQ((*running)->ResourceVersion(), "5");
  const auto absent = WaitFor(informer, {"default", "other"}, IsDeleted(), 0s);
  ASSERT_TRUE(absent.ok());
  EXPECT_EQ(*absent, nullptr);
  EXPECT_TRUE(informer.Status().handlers.empty());
  EXPECT_EQ(source_->watches(), 1U);
  EXPECT_EQ(source_->lists(), 1U);
}

TEST_F(WaitForTest, WaitsForTheInformersEventsAndSendsNothingItself) {
  const SharedInformer informer = Synced({PodIn("Pending", "5")});
  auto waiting = std::async(std::launch::async, [&] {
    return WaitFor(SharedIndexInformer<Pod>(informer), key_, HasStatusCondition("Ready") && Exists(), kPatience);
  });
  AwaitHandlers(informer, 1);
  const auto watch = source_->AwaitWatch(0);
  watch->Send({AddedEvent(PodIn("Running", "11", "other")), ModifiedEvent(PodIn("Pending", "12"))});
  watch->Send(ModifiedEvent(PodIn("Running", "13")));
  const Result<std::optional<Pod>> pod = waiting.get();
  ASSERT_TRUE(pod.ok()) << ToString(pod.error());
  ASSERT_TRUE(pod->has_value());
  EXPECT_EQ((*pod)->ResourceVersion(), "13");
  EXPECT_EQ(source_->watches(), 1U);
  EXPECT_EQ(source_->lists(), 1U);
  AwaitHandlers(informer, 0);
}

TEST_F(WaitForTest, AsksAboutEveryStateInOrderAlsoOnesThatPass) {
  const SharedInformer informer = Synced({PodIn("Pending", "5")});
  std::vector<std::string> asked;
  auto waiting = std::async(std::launch::async, [&] {
    return WaitFor(
        SharedIndexInformer<Pod>(informer), key_,
        [&](const Pod* pod) {
          asked.push_back(pod != nullptr ? std::string(pod->Phase()) : "absent");
          return asked.size() == 5;
        },
        kPatience);
  });
  AwaitHandlers(informer, 1);
  source_->AwaitWatch(0)->Send({ModifiedEvent(PodIn("Running", "11")), ModifiedEvent(PodIn("Failed", "12")),
                                DeletedEvent(PodIn("Failed", "13")), AddedEvent(PodIn("Fresh", "14"))});
  ASSERT_TRUE(waiting.get().ok());
  EXPECT_THAT(asked, ElementsAre("Pending", "Running", "Failed", "absent", "Fresh"));
}

TEST_F(WaitForTest, NothingCountsAsAbsentBeforeTheInformerHasSynced) {
  const SharedInformer informer = Started();
  auto waiting = std::async(std::launch::async, [&] { return WaitFor(informer, key_, IsDeleted(), kPatience); });
  const auto list = source_->AwaitList(0);
  list->Items({PodIn("Running", "5")});
  list->End("10");
  source_->AwaitWatch(0)->Send(DeletedEvent(PodIn("Running", "11")));
  const auto gone = waiting.get();
  ASSERT_TRUE(gone.ok()) << ToString(gone.error());
  EXPECT_EQ(*gone, nullptr);
}

TEST_F(WaitForTest, AnEmptyListMeansAbsent) {
  const SharedInformer informer = Started();
  auto waiting = std::async(std::launch::async, [&] { return WaitFor(informer, key_, IsDeleted(), kPatience); });
  source_->AwaitList(0)->End("10");
  EXPECT_TRUE(waiting.get().ok());
}

TEST_F(WaitForTest, AnErrorOfTheConditionEndsTheWaiting) {
  const SharedInformer informer = Synced({PodIn("Pending", "5")});
  const auto broken = When<Pod>(
      "x", [](const Pod&) -> Result<bool> { return Error{.code = ErrorCode::kUnknown, .message = "cannot tell"}; });
  const auto result = WaitFor(SharedIndexInformer<Pod>(informer), key_, broken, kPatience);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "Pod default/web: cannot tell");
}

TEST_F(WaitForTest, AConditionThatIsSlowMissesOldStatesAndNotTheLast) {
  const SharedInformer informer = Synced({PodIn("Pending", "5")});
  constexpr std::size_t kStates = 3000;
  std::size_t asked = 0;
  std::promise<void> came;
  std::future<void> has_come = came.get_future();
  auto waiting = std::async(std::launch::async, [&] {
    return WaitFor(informer, key_,
                   When("the last",
                        [&](const Object& object) {
                          if (++asked == 2) has_come.wait();
                          return object.ResourceVersion() == std::to_string(10 + kStates);
                        }),
                   kPatience);
  });
  AwaitHandlers(informer, 1);
  std::vector<WatchEvent> events;
  for (std::size_t i = 1; i <= kStates; ++i) events.push_back(ModifiedEvent(PodIn("Pending", std::to_string(10 + i))));
  source_->AwaitWatch(0)->Send(std::move(events));
  AwaitHandled(informer, 1 + kStates);
  came.set_value();
  const auto result = waiting.get();
  ASSERT_TRUE(result.ok()) << ToString(result.error());
  EXPECT_LE(asked, 1024U + 2U);
}

TEST_F(WaitForTest, AStopEndsTheWaiting) {
  const SharedInformer informer = Synced({PodIn("Pending", "5")});
  std::stop_source stop;
  auto waiting = std::async(
      std::launch::async, [&] { return WaitFor(informer, key_, IsDeleted(), WaitLimit::Forever(), stop.get_token()); });
  AwaitHandlers(informer, 1);
  stop.request_stop();
  const auto stopped = waiting.get();
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(stopped.error().message,
            "pods: default/web: stopped while waiting for deletion; last seen: exists, phase Pending");
  EXPECT_EQ(WaitFor(informer, key_, Exists(), 0s, stop.get_token()).error().code, ErrorCode::kCancelled);
}

TEST_F(WaitForTest, AStopBeforeTheSyncSaysThatNothingWasSeen) {
  const SharedInformer informer = Started();
  std::stop_source stop;
  auto waiting = std::async(
      std::launch::async, [&] { return WaitFor(informer, key_, IsDeleted(), WaitLimit::Forever(), stop.get_token()); });
  source_->AwaitList(0);
  AwaitRegistered(informer, 1);
  stop.request_stop();
  EXPECT_EQ(ToString(waiting.get().error()),
            "pods: default/web: stopped while waiting for deletion; last seen: nothing, pods not synced; the list is "
            "not complete (cancelled)");
}

TEST_F(WaitForTest, AStopOfUntilWithSyncSaysWhatWasSeenLast) {
  const SharedInformer informer = Synced({PodIn("Pending", "5")});
  std::stop_source stop;
  auto waiting = std::async(std::launch::async, [&] {
    return UntilWithSync(informer, IsDeleted(), WaitLimit::Forever(), {}, stop.get_token());
  });
  AwaitHandlers(informer, 1);
  AwaitHandled(informer, 1);
  stop.request_stop();
  const Error error = waiting.get().error();
  EXPECT_EQ(error.code, ErrorCode::kCancelled);
  EXPECT_EQ(error.message, "pods: stopped while waiting for deletion; last seen: ADDED default/web at version 5");
}

TEST_F(WaitForTest, TheConditionMayDropTheCallersHandle) {
  std::optional<SharedInformer> informer(Synced({PodIn("Pending", "5")}));
  const auto result = WaitFor(*informer, key_,
                              WaitCondition("dropped",
                                            [&](const ObjectPtr&) -> Result<bool> {
                                              informer.reset();
                                              return true;
                                            }),
                              WaitLimit::Forever());
  EXPECT_TRUE(result.ok());
  EXPECT_FALSE(informer.has_value());
}

TEST_F(WaitForTest, AnInformerThatIsShutDownEndsTheWaiting) {
  const auto core = internal::InformerCore::Create(
      pool_, source_, internal::InformerCoreOptions{.reflector = {.name = "pods", .streaming_lists = false}});
  const SharedInformer informer(core);
  informer.Start();
  source_->AwaitList(0)->End("10");
  ASSERT_TRUE(informer.WaitForCacheSync(kPatience).ok());
  auto waiting =
      std::async(std::launch::async, [&] { return WaitFor(informer, key_, Exists(), WaitLimit::Forever()); });
  AwaitHandlers(informer, 1);
  core->RequestShutDown();
  EXPECT_EQ(waiting.get().error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(WaitFor(informer, key_, Exists(), WaitLimit::Forever()).error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(WaitForTest, InsideAHandlerOfThatInformerItRefusesAndOfAnotherItWaits) {
  const SharedInformer informer = Synced({PodIn("Pending", "5")});
  const auto others = std::make_shared<ScriptedListerWatcher>();
  const SharedInformer other = MakeOf(others);
  other.Start();
  const auto list = others->AwaitList(0);
  list->Items({PodIn("Pending", "5")});
  list->End("10");
  ASSERT_TRUE(other.WaitForCacheSync(kPatience).ok());

  std::promise<Error> same;
  std::promise<Error> same_until;
  std::promise<Result<ObjectPtr>> another;
  const auto registration =
      informer
          .AddEventHandler({.on_add =
                                [&](const ObjectPtr&, bool) {
                                  same.set_value(WaitFor(informer, key_, IsDeleted(), WaitLimit::Forever()).error());
                                  same_until.set_value(
                                      UntilWithSync(informer, IsDeleted(), WaitLimit::Forever()).error());
                                  another.set_value(WaitFor(other, key_, IsDeleted(), kPatience));
                                }})
          .value();
  const Error refused = same.get_future().get();
  EXPECT_EQ(refused.code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(refused.message, HasSubstr("inside one of its handlers"));
  EXPECT_EQ(same_until.get_future().get().code, ErrorCode::kFailedPrecondition);
  others->AwaitWatch(0)->Send(DeletedEvent(PodIn("Pending", "11")));
  const auto gone = another.get_future().get();
  EXPECT_TRUE(gone.ok()) << ToString(gone.error());
}

TEST_F(WaitForTest, RefusesAnEmptyName) {
  const SharedInformer informer = MakeOf(source_);
  EXPECT_EQ(WaitFor(informer, {"default", ""}, Exists(), 0s).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(WaitForTest, ManyWaitAtOnceForDifferentThings) {
  const SharedInformer informer = Synced({});
  std::vector<std::future<Result<ObjectPtr>>> waiting;
  constexpr int kWaits = 8;
  for (int i = 0; i < kWaits; ++i) {
    waiting.push_back(std::async(std::launch::async, [&, i] {
      return WaitFor(informer, {"default", "p" + std::to_string(i)}, Exists() && HasStatusCondition("Ready"),
                     kPatience);
    }));
  }
  const auto watch = source_->AwaitWatch(0);
  for (int i = 0; i < kWaits; ++i) {
    watch->Send(AddedEvent(PodIn("Running", std::to_string(20 + i), "p" + std::to_string(i))));
  }
  for (int i = 0; i < kWaits; ++i) {
    const auto pod = waiting[static_cast<std::size_t>(i)].get();
    ASSERT_TRUE(pod.ok()) << ToString(pod.error());
    EXPECT_EQ((*pod)->Name(), "p" + std::to_string(i));
  }
}

TEST_F(WaitForOnFakeClockTest, ATimeoutSaysWhatWasSeenLast) {
  const SharedInformer informer = Synced({PodIn("Pending", "5")});
  auto waiting = std::async(std::launch::async, [&] {
    return WaitFor(SharedIndexInformer<Pod>(informer), key_, HasStatusCondition("Ready"), Within(30s));
  });
  AwaitHandlers(informer, 1);
  source_->AwaitWatch(0)->Send(ModifiedEvent(PodIn("Starting", "11")));
  ASSERT_TRUE(informer.WaitForResourceVersion("11", 1h).ok());
  AwaitHandled(informer, 2);
  fake_->Advance(30s);
  const auto result = waiting.get();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(result.error().message,
            "Pod default/web: waited 30s for status condition Ready=True; last seen: exists, phase Starting, "
            "Ready=False (NotYet)");
}

TEST_F(WaitForOnFakeClockTest, ATimeoutSaysWhyTheWatchIsDown) {
  const SharedInformer informer = Synced({});
  auto waiting = std::async(std::launch::async, [&] { return WaitFor(informer, key_, Exists(), Within(20s)); });
  AwaitHandlers(informer, 1);
  const auto watch = source_->AwaitWatch(0);
  watch->Fail(ServerError(429, "TooManyRequests", "come back later"));
  ASSERT_TRUE(watch->AwaitCancelled());
  EXPECT_TRUE(Await([&] { return informer.Status().state == InformerState::kRetrying; }));
  fake_->Advance(20s);  // shorter than the back-off
  const auto result = waiting.get();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(result.error().message,
            "pods: default/web: waited 20s for existence; last seen: absent; the watch is down: come back later "
            "(HTTP 429 TooManyRequests)");
}

TEST_F(WaitForOnFakeClockTest, WithoutASyncTheErrorIsWhatKeptTheInformerFromIt) {
  const SharedInformer informer = Started();
  auto waiting = std::async(std::launch::async, [&] { return WaitFor(informer, key_, IsDeleted(), Within(500ms)); });
  source_->AwaitList(0)->Fail(ServerError(403, "Forbidden", "pods is forbidden"));
  EXPECT_TRUE(Await([&] { return informer.Status().state == InformerState::kRetrying; }));
  while (waiting.wait_for(0s) != std::future_status::ready) fake_->Advance(10ms);
  const auto result = waiting.get();
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(IsForbidden(result.error()));
  EXPECT_EQ(result.error().message,
            "pods: default/web: waited 500ms for deletion; last seen: nothing, pods not synced; the watch is down: "
            "pods is forbidden");
  EXPECT_THAT(ToString(result.error()), EndsWith("pods is forbidden (HTTP 403 Forbidden)")) << "the status once";
}

TEST_F(WaitForOnFakeClockTest, AnInformerThatNobodyStartedIsNamed) {
  const SharedInformer informer = MakeOf(source_);
  auto waiting = std::async(std::launch::async, [&] { return WaitFor(informer, key_, IsDeleted(), Within(1s)); });
  fake_->AwaitWaiters(1);
  fake_->Advance(1s);
  EXPECT_THAT(waiting.get().error().message, HasSubstr("the informer is not running"));
}

TEST_F(WaitForTest, UntilWithSyncSeesWhatExistsAndThenWhatHappens) {
  const SharedInformer informer = Synced({PodIn("Pending", "5", "a"), PodIn("Pending", "6", "b")});
  std::vector<std::string> seen;
  auto waiting = std::async(std::launch::async, [&] {
    return UntilWithSync(
        informer,
        WhenEvent<Pod>("b deleted",
                       [&](const TypedWatchEvent<Pod>& event) {
                         seen.push_back(std::string(ToString(event.type)) + " " + std::string(event.object->Name()));
                         return event.type == WatchEventType::kDeleted;
                       }),
        kPatience);
  });
  AwaitHandlers(informer, 1);
  source_->AwaitWatch(0)->Send({ModifiedEvent(PodIn("Running", "11", "a")), DeletedEvent(PodIn("Pending", "12", "b"))});
  const auto event = waiting.get();
  ASSERT_TRUE(event.ok()) << ToString(event.error());
  EXPECT_EQ((*event)->object->ResourceVersion(), "12");
  ASSERT_EQ(seen.size(), 4U);
  EXPECT_THAT(std::vector<std::string>(seen.begin() + 2, seen.end()), ElementsAre("MODIFIED a", "DELETED b"));
}

TEST_F(WaitForTest, UntilWithSyncAsksThePreconditionOfTheSyncedStore) {
  const SharedInformer informer = Started();
  std::atomic<std::size_t> size = 0;
  auto waiting = std::async(std::launch::async, [&] {
    return UntilWithSync(informer, IsDeleted(), kPatience, [&](const Lister& store) {
      size = store.Size();
      return true;
    });
  });
  const auto list = source_->AwaitList(0);
  list->Items({PodIn("Pending", "5", "a"), PodIn("Pending", "6", "b")});
  list->End("10");
  const auto event = waiting.get();
  ASSERT_TRUE(event.ok()) << ToString(event.error());
  EXPECT_EQ(*event, std::nullopt);
  EXPECT_EQ(size, 2U);

  const auto failed = UntilWithSync(informer, IsDeleted(), kPatience, [](const Lister&) -> Result<bool> {
    return Error{.code = ErrorCode::kUnknown, .message = "no"};
  });
  EXPECT_EQ(failed.error().message, "no");
}

TEST_F(WaitForOnFakeClockTest, UntilWithSyncSurvivesA410) {
  const SharedInformer informer = Synced({PodIn("Pending", "5")});
  auto waiting = std::async(std::launch::async, [&] { return UntilWithSync(informer, IsDeleted(), Within(1h)); });
  AwaitHandlers(informer, 1);
  source_->AwaitWatch(0)->Send(ErrorEvent(Expired()));
  EXPECT_TRUE(Await([&] { return informer.Status().state == InformerState::kRetrying; }));
  fake_->Advance(1min);
  source_->AwaitList(1)->End("20");
  const auto event = waiting.get();
  ASSERT_TRUE(event.ok()) << ToString(event.error());
  EXPECT_EQ((*event)->type, WatchEventType::kDeleted);
  EXPECT_EQ((*event)->object->Name(), "web");
}

TEST_F(WaitForOnFakeClockTest, UntilWithSyncSaysWhatItSawLast) {
  const SharedInformer informer = Synced({PodIn("Pending", "5")});
  auto waiting = std::async(std::launch::async, [&] { return UntilWithSync(informer, IsDeleted(), Within(30s)); });
  AwaitHandlers(informer, 1);
  AwaitHandled(informer, 1);
  fake_->Advance(30s);
  const auto result = waiting.get();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "pods: waited 30s for deletion; last seen: ADDED default/web at version 5");
}

}  // namespace
}  // namespace kinformer
