#include "src/processor/shared_processor.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>
#include <kinformer/processor/registration.h>

#include "src/processor/processor_listener.h"
#include "test/processor/processor_testing.h"
#include "test/support/await.h"
#include "test/support/leak_check.h"

namespace kinformer::internal {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SharedProcessorTest : public ::testing::Test {
 protected:
  HandlerRegistration Add(EventHandler handler, const HandlerOptions& options = {},
                          const std::vector<ObjectPtr>& existing = {}) {
    auto listener = processor_->Add(std::move(handler), options, existing);
    EXPECT_TRUE(listener.ok());
    return HandlerRegistration(*listener);
  }
  HandlerRegistration Add(Recorder& recorder, const HandlerOptions& options = {},
                          const std::vector<ObjectPtr>& existing = {}) {
    return Add(recorder.Handler(), options, existing);
  }
  void Distribute(const std::vector<Notification>& notifications) { processor_->Distribute(notifications); }
  bool BeginResync(TimePoint now) { return processor_->TakeDueResyncs(now, false) && processor_->BeginResync(); }
  /// False if AwaitEnd reports handlers that it could not wait for.
  static bool Stop(SharedProcessor& processor) {
    processor.RequestStop();
    return processor.AwaitEnd().empty();
  }
  // Waits until the handler has handled `handled` notifications, and no more.
  static void AwaitIdle(const HandlerRegistration& registration, std::uint64_t handled) {
    testing_support::Await([&] { return registration.Status().handled >= handled; });
    EXPECT_EQ(registration.Status().handled, handled);
  }

  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  std::unique_ptr<SharedProcessor> processor_ =
      std::make_unique<SharedProcessor>(SharedProcessorOptions{.clock = clock_});
};

TEST_F(SharedProcessorTest, EveryHandlerSeesEverythingInOrder) {
  Recorder one;
  Recorder two;
  const auto first = Add(one);
  const auto second = Add(two);
  Distribute({Added(Pod("a", 1)), Added(Pod("b", 2))});
  Distribute({Updated(Pod("a", 1), Pod("a", 3)), Gone(Pod("b", 4)), Gone(Pod("a", 3), true)});
  EXPECT_THAT(one.Await(5), ElementsAre("+a1", "+b2", "~a1>a3", "-b4", "-a3?"));
  EXPECT_THAT(two.Await(5), ElementsAre("+a1", "+b2", "~a1>a3", "-b4", "-a3?"));
}

TEST_F(SharedProcessorTest, ASlowHandlerDelaysNobody) {
  Gate gate;
  std::atomic<int> slow_calls = 0;
  const auto slow = Add({.on_add = [&](const ObjectPtr&, bool) {
    EXPECT_TRUE(gate.Await());
    ++slow_calls;
  }});
  Recorder recorder;
  const auto quick = Add(recorder);
  Distribute({Added(Pod("a")), Added(Pod("b")), Added(Pod("c"))});
  EXPECT_EQ(recorder.Await(3).size(), 3u);
  EXPECT_EQ(slow_calls, 0);
  EXPECT_GE(slow.Status().pending, 2u);
  EXPECT_GE(processor_->Pending(), 2u);
  gate.Open();
  AwaitIdle(slow, 3);
  EXPECT_EQ(processor_->Pending(), 0u);
}

TEST_F(SharedProcessorTest, EachHandlerHasOneThreadWithANameAndNothingElseHasOne) {
  const std::size_t before = testing_support::ThreadCount();
  SharedProcessor other;
  EXPECT_LE(testing_support::ThreadCount(), before) << "the constructor starts nothing";
  Recorder threads;
  const auto note = [&](const ObjectPtr&, bool) {
    char name[16] = "";
    pthread_getname_np(pthread_self(), name, sizeof(name));
    threads.Record(name);
  };
  const auto one = Add({.on_add = note});
  const auto two = Add({.on_add = note});
  EXPECT_LE(testing_support::ThreadCount(), before + 2);
  Distribute({Added(Pod("a"))});
  EXPECT_THAT(threads.Await(2), ElementsAre("kinformer-hdlr", "kinformer-hdlr"));
}

TEST_F(SharedProcessorTest, ALateHandlerSeesWhatIsThereOnceAsTheInitialListThenWhatComes) {
  processor_->MarkSynced();
  Recorder recorder;
  const auto late = Add(recorder, {}, {Pod("a", 1), Pod("b", 2)});
  Distribute({Added(Pod("c", 3)), Updated(Pod("a", 1), Pod("a", 4))});
  EXPECT_THAT(recorder.Await(4), ElementsAre("+a1!", "+b2!", "+c3", "~a1>a4"));
}

TEST_F(SharedProcessorTest, WhetherAnAddIsOfTheInitialListComesFromTheNotification) {
  Recorder recorder;
  const auto early = Add(recorder);
  Distribute({Added(Pod("a"), true), Added(Pod("b"), false)});
  EXPECT_THAT(recorder.Await(2), ElementsAre("+a1!", "+b1"));
}

TEST_F(SharedProcessorTest, FunctionsLeftOutAreNotCalledAndTheRestAre) {
  Recorder recorder;
  const auto registration = Add({.on_delete = recorder.Handler().on_delete});
  const auto nothing = Add(EventHandler{});
  Distribute({Added(Pod("a")), Updated(Pod("a"), Pod("a", 2)), Gone(Pod("a", 2))});
  EXPECT_THAT(recorder.Await(1), ElementsAre("-a2"));
  AwaitIdle(nothing, 3);
}

TEST_F(SharedProcessorTest, WhatAHandlerThrowsIsCaughtCountedAndReported) {
  Recorder log;
  processor_ = std::make_unique<SharedProcessor>(SharedProcessorOptions{
      .clock = clock_, .logger = Logger([&log](const LogRecord& record) {
                         std::string line = std::string(record.component) + ": " + std::string(record.message);
                         for (const LogField& field : record.fields) {
                           line += " " + std::string(field.key) + "=" + field.value;
                         }
                         log.Record(line);
                       })});
  Recorder recorder;
  EventHandler handler = recorder.Handler();
  handler.on_add = [](const ObjectPtr&, bool) { throw std::runtime_error("cannot do that"); };
  handler.on_update = [](const ObjectPtr&, const ObjectPtr&) { throw 42; };
  const auto registration = Add(handler);
  Distribute({Added(Pod("a"), true), Updated(Pod("a"), Pod("a", 2)), Gone(Pod("a", 2))});
  processor_->MarkSynced();
  EXPECT_THAT(recorder.Await(1), ElementsAre("-a2")) << "the handler goes on";
  AwaitIdle(registration, 3);
  EXPECT_EQ(registration.Status().failed, 2u);
  EXPECT_TRUE(registration.HasSynced()) << "an add that threw is handled all the same";
  EXPECT_THAT(log.Await(2), ElementsAre("processor: a handler threw object=default/a what=cannot do that",
                                        HasSubstr("object=default/a what=an exception that is not a std::exception")));
}

TEST_F(SharedProcessorTest, StatusesAreThoseOfHandlersThatAreThere) {
  EXPECT_THAT(processor_->Statuses(), IsEmpty());
  processor_->MarkSynced();
  Recorder recorder;
  auto one = Add(recorder);
  const auto two = Add(recorder, {}, {Pod("a")});
  AwaitIdle(two, 1);
  const auto statuses = processor_->Statuses();
  ASSERT_EQ(statuses.size(), 2u);
  EXPECT_EQ(statuses[0].handled, 0u);
  EXPECT_EQ(statuses[1].handled, 1u);
  EXPECT_TRUE(statuses[1].synced);
  one.Remove();
  EXPECT_EQ(processor_->Statuses().size(), 1u);
}

// Sync.

TEST_F(SharedProcessorTest, AHandlerIsSyncedOnlyWhenItsInitialCallsHaveReturned) {
  Gate entered;
  Gate gate;
  const auto registration = Add({.on_add = [&](const ObjectPtr& pod, bool) {
    if (pod->Name() != "b") return;
    entered.Open();
    EXPECT_TRUE(gate.Await());
  }});
  Distribute({Added(Pod("a"), true), Added(Pod("b"), true)});
  processor_->MarkSynced();
  ASSERT_TRUE(entered.Await());
  EXPECT_EQ(registration.Status().pending, 0u);
  EXPECT_FALSE(registration.HasSynced()) << "the last call is still running";
  gate.Open();
  EXPECT_TRUE(registration.WaitForSync(kPatience).ok());
  EXPECT_TRUE(registration.HasSynced());
}

TEST_F(SharedProcessorTest, AHandlerIsNotSyncedBeforeTheFirstListIs) {
  Recorder recorder;
  const auto registration = Add(recorder);
  Distribute({Added(Pod("a"), true)});
  AwaitIdle(registration, 1);
  EXPECT_FALSE(registration.HasSynced());
  processor_->MarkSynced();
  EXPECT_TRUE(registration.HasSynced());
}

TEST_F(SharedProcessorTest, AnEmptyListSyncsHandlersEarlyAndLate) {
  Recorder recorder;
  const auto early = Add(recorder);
  processor_->MarkSynced();
  EXPECT_TRUE(early.HasSynced());
  const auto late = Add(recorder);
  EXPECT_TRUE(late.HasSynced());
}

TEST_F(SharedProcessorTest, EventsThatAreNotOfTheInitialListDoNotHoldUpTheSync) {
  Gate gate;
  const auto registration = Add({.on_add = [&](const ObjectPtr&, bool) { EXPECT_TRUE(gate.Await()); }});
  Distribute({Added(Pod("a"), false)});
  processor_->MarkSynced();
  EXPECT_TRUE(registration.HasSynced());
  gate.Open();
}

TEST_F(SharedProcessorTest, ASyncedHandlerStaysSynced) {
  Gate gate;
  const auto registration = Add({.on_add = [&](const ObjectPtr&, bool) { EXPECT_TRUE(gate.Await()); }});
  processor_->MarkSynced();
  Distribute({Added(Pod("a"), true)});
  EXPECT_TRUE(registration.HasSynced());
  gate.Open();
}

TEST_F(SharedProcessorTest, WaitForSyncEndsWithTheSyncAndNoTimePasses) {
  Recorder recorder;
  const auto registration = Add(recorder);
  std::optional<Result<void>> result;
  std::thread waiter([&] { result = registration.WaitForSync(seconds(5)); });
  clock_->AwaitWaiters(1);
  processor_->MarkSynced();
  waiter.join();
  EXPECT_TRUE(result->ok());
}

TEST_F(SharedProcessorTest, WaitForSyncForEverIsPossible) {
  Recorder recorder;
  const auto registration = Add(recorder);
  std::optional<Result<void>> result;
  std::thread waiter([&] { result = registration.WaitForSync(Duration::max()); });
  processor_->MarkSynced();
  waiter.join();
  EXPECT_TRUE(result->ok());
}

TEST_F(SharedProcessorTest, WaitForSyncEndsAtItsDeadlineAndSaysWhatIsMissing) {
  Gate gate;
  const auto registration = Add({.on_add = [&](const ObjectPtr&, bool) { EXPECT_TRUE(gate.Await()); }});
  const auto wait = [&] {
    std::optional<Result<void>> result;
    std::thread waiter([&] { result = registration.WaitForSync(seconds(5)); });
    clock_->AwaitWaiters(1);
    clock_->Advance(seconds(5));
    waiter.join();
    EXPECT_EQ(result->error().code, ErrorCode::kDeadlineExceeded);
    return result->error().message;
  };
  EXPECT_THAT(wait(), HasSubstr("the first list"));
  Distribute({Added(Pod("a"), true), Added(Pod("b"), true)});
  processor_->MarkSynced();
  EXPECT_THAT(wait(), HasSubstr("2 objects"));
  gate.Open();
}

TEST_F(SharedProcessorTest, WaitForSyncEndsWithItsStopToken) {
  Recorder recorder;
  const auto registration = Add(recorder);
  std::stop_source stop;
  std::optional<Result<void>> result;
  std::thread waiter([&] { result = registration.WaitForSync(seconds(5), stop.get_token()); });
  clock_->AwaitWaiters(1);
  stop.request_stop();
  waiter.join();
  EXPECT_EQ(result->error().code, ErrorCode::kCancelled);
}

TEST_F(SharedProcessorTest, WaitForSyncInsideItsOwnHandlerIsAnError) {
  std::promise<HandlerRegistration*> registered;
  std::promise<ErrorCode> code;
  auto registration = Add({.on_add = [&](const ObjectPtr&, bool) {
    code.set_value(registered.get_future().get()->WaitForSync(seconds(5)).error().code);
  }});
  Distribute({Added(Pod("a"), true)});
  registered.set_value(&registration);
  EXPECT_EQ(code.get_future().get(), ErrorCode::kFailedPrecondition);
}

TEST_F(SharedProcessorTest, WaitForSyncOfARemovedHandlerIsAnErrorAlsoWhenItIsRemovedMeanwhile) {
  Recorder recorder;
  auto registration = Add(recorder);
  std::optional<Result<void>> result;
  std::thread waiter([&] { result = registration.WaitForSync(seconds(5)); });
  clock_->AwaitWaiters(1);
  registration.Remove();
  waiter.join();
  EXPECT_EQ(result->error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(registration.WaitForSync(seconds(5)).error().code, ErrorCode::kFailedPrecondition);
  processor_->MarkSynced();
  EXPECT_FALSE(registration.HasSynced());
}

// Resync.

TEST_F(SharedProcessorTest, AResyncGoesToTheHandlersForWhichItIsDue) {
  Recorder often;
  Recorder seldom;
  Recorder never;
  const auto a = Add(often, {.resync = seconds(10)});
  const auto b = Add(seldom, {.resync = seconds(25)});
  const auto c = Add(never);
  const TimePoint start = clock_->Now();
  EXPECT_EQ(processor_->NextResync(), start + seconds(10));
  EXPECT_FALSE(BeginResync(start + seconds(9)));

  EXPECT_TRUE(BeginResync(start + seconds(10)));
  Distribute({Synced(Pod("a", 1)), Added(Pod("b", 2))});
  processor_->EndResync();
  EXPECT_EQ(processor_->NextResync(), start + seconds(20));
  EXPECT_TRUE(BeginResync(start + seconds(20)));
  Distribute({Synced(Pod("a", 2))});
  processor_->EndResync();
  EXPECT_EQ(processor_->NextResync(), start + seconds(25));
  EXPECT_TRUE(BeginResync(start + seconds(25)));
  Distribute({Synced(Pod("a", 3)), Gone(Pod("b", 2))});
  processor_->EndResync();

  EXPECT_THAT(often.Await(4), ElementsAre("~a1>a1", "+b2", "~a2>a2", "-b2"));
  EXPECT_THAT(seldom.Await(3), ElementsAre("+b2", "~a3>a3", "-b2"));
  EXPECT_THAT(never.Await(2), ElementsAre("+b2", "-b2"));
}

TEST_F(SharedProcessorTest, ARelistOfUnchangedObjectsSkipsHandlersThatAreNotDue) {
  Recorder recorder;
  const auto registration = Add(recorder, {.resync = seconds(10)});
  Distribute({Synced(Pod("a", 1))});
  EXPECT_TRUE(BeginResync(clock_->Now() + seconds(10)));
  Distribute({Synced(Pod("a", 2))});
  processor_->EndResync();
  Distribute({Synced(Pod("a", 3)), Gone(Pod("a", 3))});
  EXPECT_THAT(recorder.Await(2), ElementsAre("~a2>a2", "-a3"));
}

TEST_F(SharedProcessorTest, AResyncThatHasNotEndedIsNotForgottenByTheNext) {
  Recorder one;
  Recorder two;
  const auto a = Add(one, {.resync = seconds(10)});
  const auto b = Add(two, {.resync = seconds(11)});
  const TimePoint start = clock_->Now();
  EXPECT_TRUE(BeginResync(start + seconds(10)));
  EXPECT_TRUE(BeginResync(start + seconds(11)));
  Distribute({Synced(Pod("a"))});
  EXPECT_THAT(one.Await(1), ElementsAre("~a1>a1"));
  EXPECT_THAT(two.Await(1), ElementsAre("~a1>a1"));
}

TEST_F(SharedProcessorTest, AResyncPeriodIsASecondAtTheLeast) {
  Recorder recorder;
  const auto registration = Add(recorder, {.resync = milliseconds(1)});
  EXPECT_EQ(processor_->NextResync(), clock_->Now() + seconds(1));
}

TEST_F(SharedProcessorTest, NoPeriodOrANegativeOneMeansNoResync) {
  Recorder recorder;
  const auto none = Add(recorder);
  const auto negative = Add(recorder, {.resync = milliseconds(-5)});
  EXPECT_EQ(processor_->NextResync(), std::nullopt);
  EXPECT_FALSE(BeginResync(clock_->Now() + std::chrono::hours(1)));
}

TEST_F(SharedProcessorTest, ARemovedHandlerWantsNoResync) {
  Recorder recorder;
  auto registration = Add(recorder, {.resync = seconds(10)});
  registration.Remove();
  EXPECT_EQ(processor_->NextResync(), std::nullopt);
  EXPECT_FALSE(BeginResync(clock_->Now() + seconds(10)));
}

// Overflow.

TEST_F(SharedProcessorTest, ACoalescingHandlerThatIsSlowSeesTheLatestAndEveryDelete) {
  Gate entered;
  Gate gate;
  Recorder recorder;
  EventHandler handler = recorder.Handler();
  handler.on_add = [&, record = handler.on_add](const ObjectPtr& pod, bool initial) {
    if (pod->Name() == "first") {
      entered.Open();
      EXPECT_TRUE(gate.Await());
    }
    record(pod, initial);
  };
  const auto registration = Add(handler, {.overflow = Overflow::kCoalesce, .max_pending = 2});
  Distribute({Added(Pod("first"))});
  ASSERT_TRUE(entered.Await());
  Distribute({Updated(Pod("a", 1), Pod("a", 2)), Updated(Pod("b", 1), Pod("b", 2))});
  for (int i = 2; i < 1000; ++i) Distribute({Updated(Pod("a", i), Pod("a", i + 1))});
  Distribute({Gone(Pod("b", 3)), Added(Pod("c", 1)), Gone(Pod("c", 2))});
  EXPECT_EQ(registration.Status().pending, 2u);
  EXPECT_EQ(registration.Status().coalesced, 998u + 1 + 2);
  gate.Open();
  EXPECT_THAT(recorder.Await(3), ElementsAre("+first1", "~a1>a1000", "-b3"));
  AwaitIdle(registration, 3);
}

TEST_F(SharedProcessorTest, AHandlerWhoseInitialObjectsWereFoldedAwayIsSyncedToo) {
  Gate entered;
  Gate gate;
  const auto registration = Add({.on_add =
                                     [&](const ObjectPtr&, bool) {
                                       entered.Open();
                                       EXPECT_TRUE(gate.Await());
                                     }},
                                {.overflow = Overflow::kCoalesce, .max_pending = 0});
  Distribute({Added(Pod("blocks"))});
  ASSERT_TRUE(entered.Await());
  Distribute({Added(Pod("a"), true)});
  processor_->MarkSynced();
  EXPECT_FALSE(registration.HasSynced());
  Distribute({Gone(Pod("a"))});
  EXPECT_TRUE(registration.HasSynced());
  gate.Open();
}

TEST_F(SharedProcessorTest, AnUnboundedHandlerMissesNothing) {
  Gate gate;
  std::atomic<int> last = 0;
  std::atomic<int> out_of_order = 0;
  const auto registration = Add({.on_update = [&](const ObjectPtr& before, const ObjectPtr& after) {
    EXPECT_TRUE(gate.Await());
    if (std::stoi(std::string(before->ResourceVersion())) != last) ++out_of_order;
    last = std::stoi(std::string(after->ResourceVersion()));
  }});
  for (int i = 0; i < 5000; ++i) Distribute({Updated(Pod("a", i), Pod("a", i + 1))});
  gate.Open();
  AwaitIdle(registration, 5000);
  EXPECT_EQ(last, 5000);
  EXPECT_EQ(out_of_order, 0);
  EXPECT_EQ(registration.Status().coalesced, 0u);
}

// Removal.

TEST_F(SharedProcessorTest, ARemovedHandlerIsNotCalledAgainAndTheOthersAre) {
  Recorder one;
  Recorder two;
  auto first = Add(one);
  const auto second = Add(two);
  Distribute({Added(Pod("a"))});
  EXPECT_THAT(one.Await(1), ElementsAre("+a1"));
  first.Remove();
  Distribute({Added(Pod("b"))});
  EXPECT_THAT(two.Await(2), ElementsAre("+a1", "+b1"));
  EXPECT_THAT(one.Calls(), ElementsAre("+a1"));
  first.Remove();
  EXPECT_THAT(one.Calls(), ElementsAre("+a1")) << "twice is harmless";
}

TEST_F(SharedProcessorTest, RemoveWaitsForTheRunningCallAndDropsTheRest) {
  Gate entered;
  Gate gate;
  std::atomic<int> finished = 0;
  auto registration = Add({.on_add = [&](const ObjectPtr&, bool) {
    entered.Open();
    EXPECT_TRUE(gate.Await());
    ++finished;
  }});
  const ObjectPtr waiting = Pod("b");
  Distribute({Added(Pod("a")), Added(waiting)});
  ASSERT_TRUE(entered.Await());
  std::atomic<bool> removed = false;
  std::thread remover([&] {
    registration.Remove();
    removed = true;
    EXPECT_EQ(finished, 1) << "it was waited for";
  });
  while (waiting.use_count() > 1) std::this_thread::yield();  // dropped once the removal has begun
  EXPECT_FALSE(removed);
  gate.Open();
  remover.join();
  EXPECT_EQ(finished, 1);
  EXPECT_EQ(registration.Status().pending, 0u);
}

TEST_F(SharedProcessorTest, OnceRemovedWhatTheHandlerOwnsIsDestroyed) {
  auto owned = std::make_shared<int>(1);
  auto registration = Add({.on_add = [owned](const ObjectPtr&, bool) {}});
  const std::weak_ptr<int> watched = std::exchange(owned, nullptr);
  EXPECT_FALSE(watched.expired());
  registration.Remove();
  EXPECT_TRUE(watched.expired());
}

TEST_F(SharedProcessorTest, TheDestructorOfARegistrationRemoves) {
  Recorder recorder;
  { const auto registration = Add(recorder); }
  EXPECT_THAT(processor_->Statuses(), IsEmpty());
  Distribute({Added(Pod("a"))});
  EXPECT_THAT(recorder.Calls(), IsEmpty());
}

TEST_F(SharedProcessorTest, ARegistrationMoves) {
  Recorder one;
  Recorder two;
  auto first = Add(one);
  HandlerRegistration moved(std::move(first));
  Distribute({Added(Pod("a"))});
  EXPECT_THAT(one.Await(1), ElementsAre("+a1")) << "moving removes nothing";
  moved = Add(two);
  EXPECT_EQ(processor_->Statuses().size(), 1u) << "what was held before is removed";
  Distribute({Added(Pod("b"))});
  EXPECT_THAT(two.Await(1), ElementsAre("+b1"));
  EXPECT_THAT(one.Calls(), ElementsAre("+a1"));
  HandlerRegistration& same = moved;
  moved = std::move(same);
  EXPECT_EQ(processor_->Statuses().size(), 1u);
}

TEST_F(SharedProcessorTest, AnEmptyRegistrationIsHarmless) {
  HandlerRegistration empty;
  empty.Remove();
  EXPECT_FALSE(empty.HasSynced());
  EXPECT_EQ(empty.Status().handled, 0u);
  EXPECT_EQ(empty.WaitForSync(seconds(1)).error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(SharedProcessorTest, AHandlerRemovesItselfAndTheNextDistributeJoinsItsThread) {
  std::optional<HandlerRegistration> registration;
  std::weak_ptr<ProcessorListener> watched;
  Gate registered;
  Recorder recorder;
  {
    auto listener = processor_->Add({.on_add =
                                         [&](const ObjectPtr& pod, bool) {
                                           EXPECT_TRUE(registered.Await());
                                           registration.reset();
                                           recorder.Record(AddText(pod, false));
                                         }},
                                    {}, {});
    ASSERT_TRUE(listener.ok());
    watched = *listener;
    registration.emplace(*listener);
  }
  Distribute({Added(Pod("a")), Added(Pod("b"))});
  registered.Open();
  EXPECT_THAT(recorder.Await(1), ElementsAre("+a1"));
  const TimePoint give_up = Clock::System()->Now() + kPatience;
  while (!watched.expired() && Clock::System()->Now() < give_up) Distribute({Added(Pod("c"))});
  EXPECT_TRUE(watched.expired()) << "joined and let go while the processor lives";
  EXPECT_THAT(recorder.Calls(), ElementsAre("+a1"));
}

TEST_F(SharedProcessorTest, AHandlerThatOwnsItsRegistrationMayRemoveItself) {
  struct State {
    std::optional<HandlerRegistration> registration;
    Gate registered;
    Gate called;
  };
  auto state = std::make_shared<State>();
  state->registration.emplace(Add({.on_add = [state](const ObjectPtr&, bool) {
    EXPECT_TRUE(state->registered.Await());
    state->registration->Remove();
    state->called.Open();
  }}));
  Distribute({Added(Pod("a"))});
  const std::weak_ptr<State> watched = state;
  state->registered.Open();
  EXPECT_TRUE(state->called.Await());
  state.reset();
  EXPECT_TRUE(Stop(*processor_));
  EXPECT_TRUE(watched.expired());
}

TEST_F(SharedProcessorTest, AHandlerRemovesAnotherAndWaitsForItsCall) {
  Gate entered;
  Gate gate;
  std::atomic<bool> finished = false;
  auto victim = Add({.on_add = [&](const ObjectPtr&, bool) {
    entered.Open();
    EXPECT_TRUE(gate.Await());
    finished = true;
  }});
  std::promise<bool> seen;
  const auto remover = Add({.on_delete = [&](const Deleted<ObjectPtr>&) {
    victim.Remove();
    seen.set_value(finished);
  }});
  Distribute({Added(Pod("a"))});
  ASSERT_TRUE(entered.Await());
  Distribute({Gone(Pod("a"))});
  gate.Open();
  EXPECT_TRUE(seen.get_future().get());
}

TEST_F(SharedProcessorTest, HandlersThatRemoveOneAnotherInACircleAllReturn) {
  for (const std::size_t count : {2u, 3u, 5u}) {
    SharedProcessor other;  // half of the handlers belong to another informer
    std::vector<HandlerRegistration> registrations(count);
    std::atomic<std::size_t> inside = 0;
    std::atomic<std::size_t> returned = 0;
    for (std::size_t i = 0; i < count; ++i) {
      SharedProcessor& processor = i % 2 == 0 ? *processor_ : other;
      auto listener = processor.Add({.on_add =
                                         [&, i](const ObjectPtr&, bool) {
                                           ++inside;
                                           while (inside < count) std::this_thread::yield();
                                           registrations[(i + 1) % count].Remove();
                                           ++returned;
                                         }},
                                    {}, {});
      ASSERT_TRUE(listener.ok());
      registrations[i] = HandlerRegistration(*listener);
    }
    const std::vector<Notification> events{Added(Pod("a")), Added(Pod("b"))};
    processor_->Distribute(events);
    other.Distribute(events);
    while (inside < count) std::this_thread::yield();
    for (HandlerRegistration& registration : registrations) registration.Remove();
    EXPECT_EQ(returned, count) << "each was called once, and no more";
  }
}

TEST_F(SharedProcessorTest, AHandlerThatWaitsForAnothersSyncIsNotWaitedForByIt) {
  std::vector<HandlerRegistration> registrations(2);
  Gate waits;
  std::atomic<bool> refused = false;
  std::atomic<bool> returned = false;
  registrations[0] = Add({.on_add = [&](const ObjectPtr&, bool) {
    waits.Open();
    refused = registrations[1].WaitForSync(Duration::max()).error().code == ErrorCode::kFailedPrecondition;
  }});
  registrations[1] = Add({.on_add = [&](const ObjectPtr&, bool) {
    EXPECT_TRUE(waits.Await());
    registrations[0].Remove();
    returned = true;
  }});
  Distribute({Added(Pod("a"), true)});
  AwaitIdle(registrations[1], 1);
  EXPECT_TRUE(returned);
  registrations[1].Remove();
  registrations[0].Remove();
  EXPECT_TRUE(refused) << "its target was removed";
}

TEST_F(SharedProcessorTest, AHandlerAddsHandlers) {
  Recorder recorder;
  HandlerRegistration added;
  const auto adder = Add({.on_add = [&](const ObjectPtr& pod, bool) {
    if (pod->Name() == "a") added = Add(recorder, {}, {pod});
  }});
  Distribute({Added(Pod("a"))});
  EXPECT_THAT(recorder.Await(1), ElementsAre("+a1!"));
  AwaitIdle(adder, 1);
  Distribute({Added(Pod("b"))});
  EXPECT_THAT(recorder.Await(2), ElementsAre("+a1!", "+b1"));
}

// The end.

TEST_F(SharedProcessorTest, AwaitingTheEndInsideAHandlerDoesNotWaitForThatHandlerAndNamesIt) {
  std::promise<std::vector<std::string>> running;
  std::atomic<bool> here = false;
  EXPECT_FALSE(processor_->RunningHere());
  SharedProcessor other;
  const auto registration = Add({.on_add =
                                     [&](const ObjectPtr&, bool) {
                                       here = processor_->RunningHere() && !other.RunningHere();
                                       processor_->RequestStop();
                                       running.set_value(processor_->AwaitEnd());
                                     }},
                                {.name = "mine"});
  Distribute({Added(Pod("a"))});
  EXPECT_THAT(running.get_future().get(),
              ElementsAre("handler \"mine\" has been running for 0 s on " + ToString(Pod("a")->Key())));
  EXPECT_TRUE(here);
  EXPECT_THAT(processor_->AwaitEnd(), IsEmpty());
}

TEST_F(SharedProcessorTest, AHandlerThatDoesNotReturnIsNamedAfterTheDeadline) {
  Gate entered;
  Gate finish;
  const auto registration = Add({.on_add = [&](const ObjectPtr&, bool) {
    entered.Open();
    EXPECT_TRUE(finish.Await());
  }});
  Distribute({Added(Pod("a"))});
  ASSERT_TRUE(entered.Await());
  clock_->Advance(seconds(31));
  processor_->RequestStop();
  EXPECT_THAT(processor_->AwaitEnd(Clock::System()->Now()),
              ElementsAre("handler \"1\" has been running for 31 s on " + ToString(Pod("a")->Key())));
  EXPECT_EQ(registration.Status().running_for, seconds(31));
  finish.Open();
  EXPECT_THAT(processor_->AwaitEnd(), IsEmpty());
  EXPECT_EQ(registration.Status().running_for, std::nullopt);
}

TEST_F(SharedProcessorTest, StopLetsTheRunningCallFinishDropsTheRestAndRefusesNewHandlers) {
  Gate entered;
  std::atomic<int> calls = 0;
  std::atomic<bool> finish = false;
  const auto registration = Add({.on_add = [&](const ObjectPtr&, bool) {
    entered.Open();
    while (!finish) std::this_thread::yield();
    ++calls;
  }});
  const ObjectPtr waiting = Pod("b");
  Distribute({Added(Pod("a")), Added(waiting)});
  ASSERT_TRUE(entered.Await());
  std::thread stopper([&] {
    EXPECT_TRUE(Stop(*processor_));
    EXPECT_EQ(calls, 1);
  });
  while (waiting.use_count() > 1) std::this_thread::yield();
  EXPECT_EQ(processor_->Add({}, {}, {}).error().code, ErrorCode::kFailedPrecondition);
  finish = true;
  EXPECT_TRUE(Stop(*processor_)) << "two may stop at the same time";
  EXPECT_EQ(calls, 1);
  stopper.join();
  EXPECT_TRUE(Stop(*processor_));
  Distribute({Added(Pod("c"))});
  EXPECT_EQ(processor_->Pending(), 0u);
  EXPECT_EQ(registration.WaitForSync(seconds(1)).error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(SharedProcessorTest, ProcessorsWhoseHandlersStopEachOtherBothReturn) {
  SharedProcessor other;
  std::atomic<int> inside = 0;
  std::atomic<int> ok = 0;
  std::atomic<int> refused = 0;
  const auto stops = [&](SharedProcessor& target) {
    return EventHandler{.on_add = [&, &target = target](const ObjectPtr&, bool) {
      ++inside;
      while (inside < 2) std::this_thread::yield();
      ++(Stop(target) ? ok : refused);
    }};
  };
  const auto one = Add(stops(other));
  auto two = other.Add(stops(*processor_), {}, {});
  ASSERT_TRUE(two.ok());
  const std::vector<Notification> events{Added(Pod("a"))};
  processor_->Distribute(events);
  other.Distribute(events);
  while (inside < 2) std::this_thread::yield();
  (*two)->Remove();
  EXPECT_TRUE(Stop(*processor_));
  EXPECT_EQ(ok, 1);
  EXPECT_EQ(refused, 1);
}

TEST_F(SharedProcessorTest, ARegistrationOutlivesTheProcessor) {
  Recorder recorder;
  auto registration = Add(recorder);
  Distribute({Added(Pod("a"))});
  recorder.Await(1);
  const std::size_t threads = testing_support::ThreadCount();
  processor_.reset();
  EXPECT_TRUE(testing_support::AwaitThreadCount(threads - 1)) << "the destructor joins";
  EXPECT_EQ(registration.Status().handled, 1u);
  registration.Remove();
  EXPECT_EQ(registration.WaitForSync(seconds(1)).error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(SharedProcessorTest, AProcessorMayBeDestroyedInsideItsOwnHandler) {
  Gate distributed;
  Gate destroyed;
  Recorder other;
  const auto bystander = Add(other);
  const auto registration = Add({.on_add = [&](const ObjectPtr&, bool) {
    EXPECT_TRUE(distributed.Await());
    processor_.reset();
    destroyed.Open();
  }});
  Distribute({Added(Pod("a")), Added(Pod("b"))});
  distributed.Open();
  ASSERT_TRUE(destroyed.Await());
  EXPECT_EQ(bystander.WaitForSync(seconds(1)).error().code, ErrorCode::kFailedPrecondition);
  AwaitIdle(registration, 1);
}

TEST_F(SharedProcessorTest, HandlersComeAndGoDuringTrafficAndShutdown) {
  std::atomic<bool> done = false;
  std::atomic<int> calls_after_removal = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      while (!done) {
        std::atomic<bool> gone = false;
        const auto check = [&] {
          if (gone) ++calls_after_removal;
        };
        auto listener = processor_->Add(
            {.on_add = [&](const ObjectPtr&, bool) { check(); },
             .on_update = [&](const ObjectPtr&, const ObjectPtr&) { check(); }},
            {.resync = seconds(1), .overflow = t == 0 ? Overflow::kCoalesce : Overflow::kUnbounded}, {Pod("a")});
        if (!listener) return;  // stopped
        HandlerRegistration registration(*listener);
        if (t == 1) (void)registration.WaitForSync(Duration::max());
        registration.Remove();
        gone = true;
      }
    });
  }
  processor_->MarkSynced();
  for (int i = 0; i < 300; ++i) {
    Distribute({Updated(Pod("a", i), Pod("a", i + 1))});
    BeginResync(clock_->Now() + seconds(i));
    (void)processor_->Pending();
    (void)processor_->NextResync();
  }
  EXPECT_TRUE(Stop(*processor_));
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(calls_after_removal, 0);
  EXPECT_THAT(processor_->Statuses(), IsEmpty());
}

}  // namespace
}  // namespace kinformer::internal
