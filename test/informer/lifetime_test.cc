// Every call made, and every object destroyed, inside every kind of callback; racing starts and stops.

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>
#include <kinformer/informer/shared_informer_factory.h>

#include "test/informer/await.h"
#include "test/informer/handler_log.h"
#include "test/support/leak_check.h"
#include "test/support/model_server.h"
#include "test/support/patience.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using testing_support::kPatience;

/// The places where an informer runs user code.
enum class Callback { kOnError, kTransform, kSource, kIndexFunction, kHandler };

std::string NameOf(const ::testing::TestParamInfo<Callback>& one) {
  switch (one.param) {
    case Callback::kOnError:
      return "OnError";
    case Callback::kTransform:
      return "Transform";
    case Callback::kSource:
      return "Source";
    case Callback::kIndexFunction:
      return "IndexFunction";
    case Callback::kHandler:
      return "Handler";
  }
  return "";
}

/// A ListerWatcher that runs a function in each call, where a request tweak would run.
class HookedSource final : public ListerWatcher {
 public:
  HookedSource(std::shared_ptr<ListerWatcher> source, std::function<void()> hook)
      : source_(std::move(source)), hook_(std::move(hook)) {}
  std::unique_ptr<ListStream> List(const ListRequest& request) override {
    hook_();
    return source_->List(request);
  }
  std::unique_ptr<WatchEventStream> Watch(const WatchRequest& request) override {
    hook_();
    return source_->Watch(request);
  }

 private:
  const std::shared_ptr<ListerWatcher> source_;
  const std::function<void()> hook_;
};

Client NoClient() { return Client::Create({.server = "http://127.0.0.1:1"}).value(); }

/// Retries immediately.
BackoffOptions Impatient() { return {.initial = 1ms, .factor = 1.0, .cap = 1ms, .jitter = 0}; }

/// An informer over an in-memory server. One of its callbacks runs a function, once.
class CallbackTest : public ::testing::TestWithParam<Callback> {
 protected:
  CallbackTest() { server_->Put("a", "1"); }

  /// Runs the test's action, once, in the callback under test.
  void Act() {
    if (acted_.exchange(true)) return;
    action_();
    done_.set_value();
  }

  void Make() {
    SourceOptions options{.name = "configmaps", .backoff = Impatient()};
    std::shared_ptr<ListerWatcher> source = server_;
    switch (GetParam()) {
      case Callback::kOnError:
        server_->Refuse(ServerError(403, "Forbidden"));
        options.on_error = [this](const Error&) { Act(); };
        break;
      case Callback::kTransform:
        options.transform.function = [this](ObjectPtr object) -> Result<ObjectPtr> {
          Act();
          return object;
        };
        break;
      case Callback::kSource:
        source = std::make_shared<HookedSource>(server_, [this] { Act(); });
        break;
      case Callback::kIndexFunction:
      case Callback::kHandler:
        break;
    }
    informer_.emplace(factory_->ForSource(std::move(source), options));
    if (GetParam() == Callback::kIndexFunction) {
      ASSERT_TRUE(informer_->AddIndexer("hook", [this](const ObjectPtr&) -> Keys {
        Act();
        return {};
      }));
    }
    if (GetParam() == Callback::kHandler) {
      registration_.emplace(*informer_->AddEventHandler({.on_add = [this](const ObjectPtr&, bool) { Act(); }}));
    }
  }

  void RunAction(std::function<void()> action) {
    action_ = std::move(action);
    Make();
    factory_->Start();
    ASSERT_EQ(done_.get_future().wait_for(kPatience), std::future_status::ready);
  }

  const std::shared_ptr<ModelServer> server_ = std::make_shared<ModelServer>();
  std::unique_ptr<SharedInformerFactory> factory_ =
      std::make_unique<SharedInformerFactory>(NoClient(), FactoryOptions{.logger = Logger::None()});
  std::optional<SharedInformer> informer_;
  std::optional<InformerRegistration> registration_;
  std::function<void()> action_;
  std::atomic<bool> acted_ = false;
  std::promise<void> done_;
};

INSTANTIATE_TEST_SUITE_P(In, CallbackTest,
                         ::testing::Values(Callback::kOnError, Callback::kTransform, Callback::kSource,
                                           Callback::kIndexFunction, Callback::kHandler),
                         NameOf);

TEST_P(CallbackTest, TheLastHandleMayBeDropped) {
  RunAction([this] {
    registration_.reset();
    informer_.reset();
    EXPECT_EQ(factory_->Size(), 0U);
  });
  EXPECT_TRUE(Await([&] { return server_->OpenWatches() == 0; }));
  EXPECT_TRUE(factory_->Shutdown().ok());
}

TEST_P(CallbackTest, ShutdownIsRefusedAndEndsNothing) {
  Result<void> ended;
  RunAction([&] { ended = factory_->Shutdown(); });
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().code, ErrorCode::kFailedPrecondition);
  server_->Refuse({});
  EXPECT_TRUE(informer_->WaitForCacheSync(kPatience).ok());
  EXPECT_TRUE(factory_->Shutdown().ok());
}

TEST_P(CallbackTest, TheFactoryMayBeDestroyed) {
  std::atomic<bool> destroyed = false;
  RunAction([&] {
    factory_.reset();
    destroyed = true;
  });
  EXPECT_TRUE(destroyed);
  EXPECT_TRUE(Await([&] { return server_->OpenWatches() == 0; }));
  // The callback may still be running, and what it was called for may still complete the sync.
  const bool synced_before = informer_->HasSynced();
  const Result<void> synced = informer_->WaitForCacheSync(0s);
  EXPECT_TRUE(!synced_before || synced.ok());
  EXPECT_TRUE(!synced.ok() || informer_->HasSynced());
  if (!synced) {
    EXPECT_EQ(synced.error().code, ErrorCode::kFailedPrecondition);
  }
  EXPECT_EQ(informer_->AddEventHandler({}).error().code, ErrorCode::kFailedPrecondition);
}

TEST_P(CallbackTest, TheFactoryAndTheHandlesMayBeDestroyed) {
  RunAction([&] {
    factory_.reset();
    registration_.reset();
    informer_.reset();
  });
  EXPECT_TRUE(Await([&] { return server_->OpenWatches() == 0; }));
}

TEST_P(CallbackTest, StopAndStartBeginANewRunAfterThisOne) {
  RunAction([&] {
    informer_->Stop();
    informer_->Start();
    informer_->Stop();
    informer_->Start();
  });
  server_->Refuse({});
  ASSERT_TRUE(informer_->WaitForCacheSync(kPatience).ok());
  const std::uint64_t version = server_->Put("b", "2");
  EXPECT_TRUE(informer_->WaitForResourceVersion(std::to_string(version), kPatience).ok());
  EXPECT_EQ(informer_->Lister().Size(), 2U);
  EXPECT_EQ(informer_->Status().state, InformerState::kWatching);
}

TEST_P(CallbackTest, EveryOtherCallReturns) {
  RunAction([&] {
    EXPECT_EQ(factory_->Informers().size(), 1U);
    (void)informer_->Status();
    (void)informer_->Lister().List();
    (void)informer_->LastSyncResourceVersion();
    EXPECT_TRUE(informer_->AddIndexer("inside", [](const ObjectPtr&) { return Keys{"x"}; }).ok());
    {
      auto added = informer_->AddEventHandler({.on_add = [](const ObjectPtr&, bool) {}});
    }
    informer_->SetWatchErrorHandler({});
    EXPECT_FALSE(informer_->SetTransform({}).ok());
    EXPECT_FALSE(informer_->SetNamespaces({"a"}).ok());
    (void)factory_->ForSource(server_);
    factory_->Start();
    if (GetParam() != Callback::kHandler) {
      EXPECT_EQ(informer_->WaitForCacheSync(Duration::max()).error().code, ErrorCode::kFailedPrecondition);
      EXPECT_EQ(informer_->WaitForResourceVersion("999", Duration::max()).error().code, ErrorCode::kFailedPrecondition);
      EXPECT_EQ(factory_->WaitForCacheSync(Duration::max()).error().code, ErrorCode::kFailedPrecondition);
    }
  });
  server_->Refuse({});
  EXPECT_TRUE(informer_->WaitForCacheSync(kPatience).ok());
}

class LifetimeTest : public ::testing::Test {
 protected:
  SharedInformer Over(const std::shared_ptr<ModelServer>& server, SourceOptions options = {}) {
    options.backoff = Impatient();
    return factory_.ForSource(server, options);
  }

  const std::shared_ptr<ModelServer> server_ = std::make_shared<ModelServer>();
  SharedInformerFactory factory_{NoClient(), {.logger = Logger::None()}};
};

TEST_F(LifetimeTest, CountingInformersInOnErrorIsNoHandle) {
  server_->Refuse(ServerError(403, "Forbidden"));
  for (int round = 0; round < 100; ++round) {
    std::promise<void> called;
    std::atomic<bool> first = true;
    std::optional<SharedInformer> informer(Over(server_, {.on_error = [&](const Error&) {
                                                  if (first.exchange(false)) called.set_value();
                                                  (void)factory_.Size();
                                                  (void)factory_.Informers();
                                                }}));
    informer->Start();
    called.get_future().get();
    informer.reset();
  }
}

TEST_F(LifetimeTest, DroppingTheLastHandleWaitsForARunningTransform) {
  server_->Put("a", "1");
  std::promise<void> entered;
  std::atomic<bool> returned = false;
  std::optional<SharedInformer> informer(
      Over(server_, {.transform = {.function = [&](ObjectPtr object) -> Result<ObjectPtr> {
                       entered.set_value();
                       std::this_thread::sleep_for(20ms);
                       returned = true;
                       return object;
                     }}}));
  informer->Start();
  entered.get_future().get();
  informer.reset();
  EXPECT_TRUE(returned);
}

TEST_F(LifetimeTest, EveryStopWaitsForARunningTransform) {
  server_->Put("a", "1");
  std::promise<void> entered;
  std::atomic<bool> leave = false;
  std::atomic<bool> returned = false;
  const SharedInformer informer = Over(server_, {.transform = {.function = [&](ObjectPtr object) -> Result<ObjectPtr> {
                                                   entered.set_value();
                                                   while (!leave) std::this_thread::yield();
                                                   returned = true;
                                                   return object;
                                                 }}});
  informer.Start();
  entered.get_future().get();
  std::vector<std::thread> stoppers;
  std::atomic<int> begun = 0;
  for (int i = 0; i < 3; ++i) {
    stoppers.emplace_back([&] {
      ++begun;
      informer.Stop();
      EXPECT_TRUE(returned);
    });
  }
  while (begun < 3) std::this_thread::yield();
  leave = true;
  for (std::thread& stopper : stoppers) stopper.join();
  EXPECT_EQ(informer.Status().state, InformerState::kStopped);
}

TEST_F(LifetimeTest, StartsAndStopsThatRaceNeverRunTwiceAndTheLastOneCounts) {
  std::atomic<int> inside = 0;
  std::atomic<bool> overlap = false;
  const SharedInformer informer = Over(server_, {.transform = {.function = [&](ObjectPtr object) -> Result<ObjectPtr> {
                                                   if (++inside > 1) overlap = true;
                                                   --inside;
                                                   return object;
                                                 }}});
  for (int i = 0; i < 20; ++i) server_->Put("o" + std::to_string(i), "1");
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        informer.Start();
        informer.Stop();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(informer.Status().state, InformerState::kStopped);
  informer.Start();
  ASSERT_TRUE(informer.WaitForCacheSync(kPatience).ok());
  const std::uint64_t version = server_->Put("last", "1");
  EXPECT_TRUE(informer.WaitForResourceVersion(std::to_string(version), kPatience).ok());
  EXPECT_FALSE(overlap);
}

TEST_F(LifetimeTest, HandlersThatDropTheirInformerAndWaitForAnotherDoNotUseUpThePool) {
  const auto other_server = std::make_shared<ModelServer>();
  const SharedInformer other = Over(other_server);
  server_->Put("a", "1");
  std::atomic<int> inside = 0;
  std::vector<std::optional<SharedInformer>> dropped(4);
  std::vector<std::optional<InformerRegistration>> registrations(4);
  std::vector<std::future<Result<void>>> synced;
  for (std::size_t i = 0; i < dropped.size(); ++i) {
    auto promise = std::make_shared<std::promise<Result<void>>>();
    synced.push_back(promise->get_future());
    dropped[i].emplace(Over(server_));
    registrations[i].emplace(*dropped[i]->AddEventHandler({.on_add = [&, i, promise](const ObjectPtr&, bool) {
      ++inside;
      while (inside < 4) std::this_thread::yield();
      registrations[i].reset();
      dropped[i].reset();
      other.Start();
      promise->set_value(other.WaitForCacheSync(kPatience));
    }}));
  }
  for (const auto& informer : dropped) informer->Start();
  for (auto& result : synced) EXPECT_TRUE(result.get().ok());
}

TEST_F(LifetimeTest, AnOnErrorThatThrowsStallsNothing) {
  const SharedInformer informer =
      Over(server_, {.on_error = [](const Error&) { throw std::runtime_error("on_error"); }});
  ASSERT_TRUE(informer.AddIndexer("bad", [](const ObjectPtr&) -> Keys { throw std::runtime_error("index"); }));
  informer.Start();
  ASSERT_TRUE(informer.WaitForCacheSync(kPatience).ok());
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t version = server_->Put("a", std::to_string(i));
    ASSERT_TRUE(informer.WaitForResourceVersion(std::to_string(version), kPatience).ok());
  }
  EXPECT_EQ(informer.Lister().Size(), 1U);
}

TEST_F(LifetimeTest, ShutdownNamesTheHandlerThatDoesNotReturn) {
  server_->Put("a", "1");
  std::promise<void> entered;
  std::promise<void> leave;
  auto informer = Over(server_, {.name = "configmaps"});
  auto registration = informer.AddEventHandler({.on_add =
                                                    [&](const ObjectPtr&, bool) {
                                                      entered.set_value();
                                                      leave.get_future().get();
                                                    }},
                                               {.name = "slow"});
  ASSERT_TRUE(registration.ok());
  informer.Start();
  entered.get_future().get();
  const Result<void> ended = factory_.Shutdown(10ms);
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_THAT(ended.error().message,
              AllOf(HasSubstr("configmaps"), HasSubstr("handler \"slow\""), HasSubstr("default/a")));
  leave.set_value();
  EXPECT_TRUE(factory_.Shutdown().ok());
}

TEST_F(LifetimeTest, ShutdownWaitsForAHandlerThatDroppedItsOwnInformer) {
  server_->Put("a", "1");
  std::promise<void> started;
  std::promise<void> dropped;
  std::atomic<bool> leave = false;
  std::atomic<bool> returned = false;
  std::optional<SharedInformer> informer(Over(server_));
  std::optional<InformerRegistration> registration(*informer->AddEventHandler({.on_add = [&](const ObjectPtr&, bool) {
    // Start keeps the informer alive: until it returns, this handle is not the last.
    started.get_future().wait();
    registration.reset();
    informer.reset();
    dropped.set_value();
    while (!leave) std::this_thread::yield();
    returned = true;
  }}));
  informer->Start();
  started.set_value();
  dropped.get_future().get();
  const Result<void> early = factory_.Shutdown(10ms);
  ASSERT_FALSE(early.ok());
  EXPECT_THAT(early.error().message, HasSubstr("handler \"1\""));
  leave = true;
  EXPECT_TRUE(factory_.Shutdown().ok());
  EXPECT_TRUE(returned);
}

TEST_F(LifetimeTest, AThreadLocalListerOfAHandlerMayBeTheLastHandle) {
  server_->Put("a", "1");
  static std::optional<SharedInformer> informer;
  static std::optional<InformerRegistration> registration;
  std::promise<void> registered;
  std::shared_future<void> ready = registered.get_future().share();
  std::promise<void> handled;
  informer.emplace(Over(server_));
  registration.emplace(*informer->AddEventHandler({.on_add = [ready, &handled](const ObjectPtr&, bool) {
    ready.wait();
    thread_local const Lister cached = informer->Lister();
    EXPECT_EQ(cached.Size(), 1U);
    informer.reset();
    registration.reset();  // Removes itself: the thread ends and destroys the lister.
    handled.set_value();
  }}));
  informer->Start();
  registered.set_value();
  handled.get_future().get();
  EXPECT_TRUE(Await([&] { return server_->OpenWatches() == 0; }));
  EXPECT_TRUE(factory_.Shutdown().ok());
}

TEST_F(LifetimeTest, AnIndexFunctionThatIsBeingAddedMayDropTheLastHandle) {
  server_->Put("a", "1");
  std::optional<SharedInformer> informer(Over(server_));
  informer->Start();
  ASSERT_TRUE(informer->WaitForCacheSync(kPatience).ok());
  EXPECT_TRUE(informer->AddIndexer("drop", [&](const ObjectPtr&) -> Keys {
    informer.reset();
    return {"x"};
  }));
  EXPECT_FALSE(informer.has_value());
  EXPECT_EQ(factory_.Size(), 0U);
}

TEST_F(LifetimeTest, WhatAReplacedTransformOwnsMayCallTheInformer) {
  const SharedInformer informer = Over(server_);
  std::atomic<bool> called = false;
  auto owned = std::shared_ptr<int>(new int(0), [&](int* number) {
    called = !informer.HasSynced();
    delete number;
  });
  ASSERT_TRUE(
      informer
          .SetTransform({.name = "owns", .function = [owned](ObjectPtr object) -> Result<ObjectPtr> { return object; }})
          .ok());
  owned.reset();
  ASSERT_TRUE(informer.SetTransform({}).ok());
  EXPECT_TRUE(called);
}

TEST_F(LifetimeTest, AHandlerThatDroppedItsInformerIsStillInsideTheFactory) {
  server_->Put("a", "1");
  const SharedInformer other = Over(std::make_shared<ModelServer>());
  std::optional<SharedInformer> informer(Over(server_));
  std::optional<InformerRegistration> registration;
  std::promise<void> registered;
  std::shared_future<void> ready = registered.get_future().share();
  std::promise<Result<void>> refused;
  registration.emplace(*informer->AddEventHandler({.on_add = [&, ready](const ObjectPtr&, bool) {
    ready.wait();
    registration.reset();
    informer.reset();
    refused.set_value(factory_.Shutdown());
  }}));
  factory_.Start();
  registered.set_value();
  const Result<void> shut_down = refused.get_future().get();
  ASSERT_FALSE(shut_down.ok());
  EXPECT_EQ(shut_down.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_TRUE(other.WaitForCacheSync(kPatience).ok()) << "nothing was ended";
}

TEST_F(LifetimeTest, WaitingForAHandlersSyncIsRefusedOnThePool) {
  const SharedInformer synced = Over(std::make_shared<ModelServer>());
  synced.Start();
  ASSERT_TRUE(synced.WaitForCacheSync(kPatience).ok());
  server_->Refuse(ServerError(403, "Forbidden"));
  std::promise<ErrorCode> refused;
  std::atomic<bool> first = true;
  const SharedInformer informer = Over(server_, {.on_error = [&](const Error&) {
                                         if (!first.exchange(false)) return;
                                         const auto added = synced.AddEventHandler({});
                                         refused.set_value(added->WaitForSync(Duration::max()).error().code);
                                       }});
  informer.Start();
  EXPECT_EQ(refused.get_future().get(), ErrorCode::kFailedPrecondition);
}

TEST_F(LifetimeTest, ARegistrationMayBeRemovedByManyThreads) {
  const SharedInformer informer = Over(server_);
  for (int round = 0; round < 20; ++round) {
    InformerRegistration registration = *informer.AddEventHandler({});
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) threads.emplace_back([&] { registration.Remove(); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(registration.WaitForSync(0s).error().code, ErrorCode::kFailedPrecondition);
  }
}

TEST_F(LifetimeTest, WaitsWithoutALimitWaitAndEndWithTheShutdown) {
  server_->Refuse(ServerError(403, "Forbidden"));
  const SharedInformer informer = Over(server_, {.name = "configmaps"});
  factory_.Start();
  std::promise<Result<void>> of_informer;
  std::promise<Result<void>> of_factory;
  std::promise<Result<void>> of_version;
  std::thread one([&] { of_informer.set_value(informer.WaitForCacheSync(Duration::max())); });
  std::thread two([&] { of_factory.set_value(factory_.WaitForCacheSync(Duration::max())); });
  std::thread three([&] { of_version.set_value(informer.WaitForResourceVersion("7", Duration::max())); });
  auto factory_waits = of_factory.get_future();
  EXPECT_EQ(factory_waits.wait_for(20ms), std::future_status::timeout);
  EXPECT_TRUE(factory_.Shutdown().ok());
  for (const Result<void>& ended :
       {of_informer.get_future().get(), factory_waits.get(), of_version.get_future().get()}) {
    ASSERT_FALSE(ended.ok());
    EXPECT_EQ(ended.error().code, ErrorCode::kFailedPrecondition);
    EXPECT_EQ(ended.error().message, "configmaps has been shut down");
  }
  one.join();
  two.join();
  three.join();
}

TEST_F(LifetimeTest, AWaitWithoutALimitSucceeds) {
  const SharedInformer informer = Over(server_);
  factory_.Start();
  EXPECT_TRUE(factory_.WaitForCacheSync(Duration::max()).ok());
  EXPECT_TRUE(informer.WaitForCacheSync(Duration::max()).ok());
}

TEST_F(LifetimeTest, AnInformerMadeAfterTheShutdownSaysSo) {
  EXPECT_TRUE(factory_.Shutdown().ok());
  const SharedInformer informer = Over(server_, {.name = "configmaps"});
  informer.Start();
  EXPECT_EQ(informer.WaitForCacheSync(Duration::max()).error().message, "configmaps has been shut down");
  EXPECT_THAT(informer.AddEventHandler({}).error().message, HasSubstr("has been shut down"));
}

TEST(ResyncTest, IsSkippedAndBusiesNothingWhileTheInformerDoesNotWatch) {
  const auto clock = std::make_shared<FakeClock>();
  const auto server = std::make_shared<ModelServer>();
  server->Put("a", "1");
  SharedInformerFactory factory(NoClient(), {.resync = 10s, .logger = Logger::None(), .clock = clock});
  const SharedInformer informer = factory.ForSource(server);
  HandlerLog log;
  const auto registration = informer.AddEventHandler(log.Handler());
  factory.Start();
  ASSERT_TRUE(registration->WaitForSync(kPatience).ok());
  const auto next_is_in_the_future = [&] {
    const std::optional<TimePoint> next = clock->NextDeadline();
    return next && *next > clock->Now();
  };
  clock->Advance(10s);
  EXPECT_THAT(log.Await(2), ElementsAre("initial a=1", "update a=1 to a=1"));
  ASSERT_TRUE(Await(next_is_in_the_future));
  informer.Stop();
  for (int i = 0; i < 3; ++i) {
    clock->Advance(11s);
    EXPECT_TRUE(Await(next_is_in_the_future)) << "the timer is not armed for the past";
  }
  EXPECT_EQ(log.Size(), 2U);
  informer.Start();
  ASSERT_TRUE(Await([&] { return informer.Status().state == InformerState::kWatching; }));
  clock->Advance(11s);
  EXPECT_EQ(log.Await(3).size(), 3U);
}

TEST(ResyncTest, AHandlerOptsOutOfTheFactorysResync) {
  const auto clock = std::make_shared<FakeClock>();
  const auto server = std::make_shared<ModelServer>();
  server->Put("a", "1");
  SharedInformerFactory factory(NoClient(), {.resync = 10s, .logger = Logger::None(), .clock = clock});
  const SharedInformer informer = factory.ForSource(server);
  HandlerLog resynced;
  HandlerLog never;
  const auto one = informer.AddEventHandler(resynced.Handler());
  const auto two = informer.AddEventHandler(never.Handler(), {.resync = 0s});
  factory.Start();
  ASSERT_TRUE(one->WaitForSync(kPatience).ok());
  ASSERT_TRUE(two->WaitForSync(kPatience).ok());
  clock->Advance(11s);
  EXPECT_EQ(resynced.Await(2).size(), 2U);
  const std::uint64_t version = server->Put("b", "1");
  ASSERT_TRUE(informer.WaitForResourceVersion(std::to_string(version), kPatience).ok());
  EXPECT_THAT(never.Await(2), ElementsAre("initial a=1", "add b=1"));
}

// The cache's content when user code fails.

TEST_F(LifetimeTest, ATransformThatDropsAnObjectRemovesItFromTheCache) {
  server_->Put("a", "1");
  server_->Put("b", "1");
  std::atomic<bool> drop = false;
  const SharedInformer informer = Over(server_, {.transform = {.function = [&](ObjectPtr object) -> Result<ObjectPtr> {
                                                   if (drop) return ObjectPtr();
                                                   return object;
                                                 }}});
  HandlerLog log;
  const auto registration = informer.AddEventHandler(log.Handler());
  informer.Start();
  ASSERT_TRUE(registration->WaitForSync(kPatience).ok());
  drop = true;
  server_->Put("a", "2");
  const std::uint64_t version = server_->Remove("b");
  ASSERT_TRUE(informer.WaitForResourceVersion(std::to_string(version), kPatience).ok());
  EXPECT_THAT(informer.Lister().List(), IsEmpty());
  const std::vector<std::string> lines = log.Await(4);
  EXPECT_THAT(lines, Contains("delete unseen a=1"));
  EXPECT_THAT(lines, Contains("delete unseen b=1"));
}

TEST_F(LifetimeTest, ATransformThatFailsOnADeletionDoesNotKeepTheObject) {
  server_->Put("a", "1");
  std::atomic<bool> fail = false;
  std::atomic<int> errors = 0;
  const SharedInformer informer = Over(server_, {.transform = {.function = [&](ObjectPtr object) -> Result<ObjectPtr> {
                                                   if (fail) throw std::runtime_error("no");
                                                   return object;
                                                 }},
                                                 .on_error = [&](const Error&) { ++errors; }});
  informer.Start();
  ASSERT_TRUE(informer.WaitForCacheSync(kPatience).ok());
  fail = true;
  const std::uint64_t version = server_->Remove("a");
  ASSERT_TRUE(informer.WaitForResourceVersion(std::to_string(version), kPatience).ok());
  EXPECT_THAT(informer.Lister().List(), IsEmpty());
  EXPECT_EQ(errors, 1);
}

TEST(CacheErrorTest, AnIndexFunctionThatFailsOnAnUpdateIsReportedEverywhereAndTheCacheMovesOn) {
  const auto server = std::make_shared<ModelServer>();
  server->Put("a", "good");
  HandlerLog log;
  SharedInformerFactory factory(
      NoClient(), {.logger = Logger([&](const LogRecord& record) { log.Add(std::string(record.message)); })});
  HandlerLog errors;
  const SharedInformer informer =
      factory.ForSource(server, {.on_error = [&](const Error& error) { errors.Add(error.message); }});
  ASSERT_TRUE(informer.AddIndexer("value", [](const ObjectPtr& object) -> Keys {
    const std::string value = object->At("/data/value").StringOr("");
    if (value == "bad") throw std::runtime_error("cannot file");
    return {value};
  }));
  factory.Start();
  ASSERT_TRUE(factory.WaitForCacheSync(kPatience).ok());
  const std::uint64_t version = server->Put("a", "bad");
  ASSERT_TRUE(informer.WaitForResourceVersion(std::to_string(version), kPatience).ok());
  EXPECT_EQ(informer.Lister().List()[0]->At("/data/value").StringOr(""), "bad");
  EXPECT_THAT(*informer.Lister().ByIndex("value", "good"), IsEmpty());
  EXPECT_THAT(errors.Await(1), ElementsAre(HasSubstr("cannot file")));
  EXPECT_THAT(log.Await(1), Contains(HasSubstr("cannot file")));
  ASSERT_TRUE(informer.Status().last_error.has_value());
  EXPECT_THAT(informer.Status().last_error->message, HasSubstr("cannot file"));
}

TEST(CacheErrorTest, AnIndexFunctionThatFailsOnTheFirstListIsInTheStatusAfterTheSync) {
  const auto server = std::make_shared<ModelServer>();
  server->Put("a", "1");
  SharedInformerFactory factory(NoClient(), {.logger = Logger::None()});
  const SharedInformer informer = factory.ForSource(server);
  ASSERT_TRUE(informer.AddIndexer("bad", [](const ObjectPtr&) -> Keys { throw std::runtime_error("cannot file"); }));
  factory.Start();
  ASSERT_TRUE(factory.WaitForCacheSync(kPatience).ok());
  EXPECT_EQ(informer.Lister().Size(), 1U);
  ASSERT_TRUE(informer.Status().last_error.has_value());
}

// Log output.

TEST(InformerLogTest, WarnsOncePerCauseAndSaysWhenItWorksAgain) {
  const auto server = std::make_shared<ModelServer>();
  server->Refuse(ServerError(403, "Forbidden"));
  HandlerLog lines;
  std::atomic<int> errors = 0;
  SharedInformerFactory factory(NoClient(), {.backoff = Impatient(), .logger = Logger([&](const LogRecord& record) {
                                                                       lines.Add(std::string(ToString(record.level)) +
                                                                                 " " + std::string(record.message));
                                                                     })});
  const SharedInformer informer = factory.ForSource(server, {.on_error = [&](const Error&) { ++errors; }});
  factory.Start();
  ASSERT_TRUE(Await([&] { return errors >= 6; }));
  server->Refuse(ServerError(401, "Unauthorized"));
  const int before = errors;
  ASSERT_TRUE(Await([&] { return errors >= before + 6; }));
  server->Refuse({});
  ASSERT_TRUE(factory.WaitForCacheSync(kPatience).ok());
  ASSERT_TRUE(Await([&] { return informer.Status().state == InformerState::kWatching; }));
  std::vector<std::string> warnings = lines.Await(0);
  std::erase_if(warnings, [](const std::string& line) { return !line.starts_with("warning"); });
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("Forbidden"), HasSubstr("Unauthorized")));
  EXPECT_THAT(lines.Await(0), Contains(HasSubstr("watching again after")));
}

TEST(InformerLogTest, ARequestThatIsWrongIsNotAServerWithoutStreamingLists) {
  const auto server = std::make_shared<ModelServer>();
  server->Refuse(ServerError(400, "BadRequest", "unable to parse requirement"));
  HandlerLog lines;
  HandlerLog errors;
  SharedInformerFactory factory(NoClient(), {.backoff = Impatient(), .logger = Logger([&](const LogRecord& record) {
                                                                       lines.Add(std::string(record.message));
                                                                     })});
  const SharedInformer informer =
      factory.ForSource(server, {.on_error = [&](const Error& error) { errors.Add(error.message); }});
  factory.Start();
  EXPECT_THAT(errors.Await(2), ::testing::Each(HasSubstr("unable to parse requirement")));
  EXPECT_THAT(lines.Await(1), Contains(HasSubstr("unable to parse requirement")));
  EXPECT_THAT(lines.Await(1), Not(Contains(HasSubstr("streaming list"))));
}

}  // namespace
}  // namespace kinformer
