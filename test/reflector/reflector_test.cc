// The reflector's loop: streams, timers, errors in user code, stopping.

#include "src/reflector/reflector.h"

#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>
#include <kinformer/reflector/function_lister_watcher.h>

#include "test/reflector/recording_target.h"
#include "test/reflector/scripted_lister_watcher.h"
#include "test/support/await.h"
#include "test/support/leak_check.h"

namespace kinformer::internal {
namespace {

using namespace std::chrono_literals;
using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Records the reported errors.
class Errors {
 public:
  std::function<void(const Error&)> Handler() {
    return [this](const Error& error) {
      const std::lock_guard lock(mutex_);
      errors_.push_back(error);
      changed_.notify_all();
    };
  }
  Error Await(std::size_t index) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, 10s, [&] { return errors_.size() > index; })) return {.message = "none came"};
    return errors_[index];
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Error> errors_;
};

class ReflectorTest : public ::testing::Test {
 protected:
  ReflectorTest() : clock_(std::make_shared<FakeClock>()), pool_({.threads = 2, .clock = clock_}) { pool_.Start(); }

  std::unique_ptr<Reflector> Make(ReflectorOptions options = {}) {
    if (options.expected.kind.empty()) options.expected = {"", "v1", "Pod"};
    options.seed = 1;
    return std::make_unique<Reflector>(pool_, source_, target_, std::move(options), errors_.Handler());
  }
  /// Waits until the reflector backs off, then advances the clock past the delay.
  void PassBackoff(const Reflector& reflector) {
    AwaitPhase(reflector, ReflectorPhase::kBackingOff);
    clock_->Advance(1min + 1s);
  }
  void AwaitPhase(const Reflector& reflector, ReflectorPhase phase) {
    AwaitStatus(reflector, [&](const ReflectorStatus& status) { return status.phase == phase; });
  }
  /// Polls: the status is updated after the calls that it reflects.
  template <typename Predicate>
  void AwaitStatus(const Reflector& reflector, Predicate predicate) {
    ASSERT_TRUE(testing_support::Await([&] { return predicate(reflector.Status()); }));
  }

  std::shared_ptr<FakeClock> clock_;
  TaskPool pool_;
  std::shared_ptr<ScriptedListerWatcher> source_ = std::make_shared<ScriptedListerWatcher>();
  RecordingTarget target_;
  Errors errors_;
};

TEST_F(ReflectorTest, ARunThatIsStoppedBeforeItBeginsLeavesTheReflectorStopped) {
  const auto reflector = Make();
  reflector->Start();
  source_->AwaitList(0)->End("5");
  const auto watch = source_->AwaitWatch(0);
  watch->Send(AddedEvent(MakePod("a", "6")));
  AwaitStatus(*reflector, [](const ReflectorStatus& status) { return status.resource_version == "6"; });
  std::promise<void> entered;
  std::promise<void> leave;
  target_.on_call = [&](const std::string&) {
    entered.set_value();
    leave.get_future().wait();
  };
  watch->Send(AddedEvent(MakePod("b", "7")));
  entered.get_future().wait();
  // The next run cannot begin while a call of this one is running.
  reflector->RequestStop();
  reflector->Start();
  reflector->RequestStop();
  leave.set_value();
  EXPECT_TRUE(reflector->AwaitStopped());
  EXPECT_EQ(reflector->Status().phase, ReflectorPhase::kStopped);
}

TEST_F(ReflectorTest, ListsWatchesAndResumes) {
  const auto reflector = Make();
  reflector->Start();
  const auto list = source_->AwaitList(0);
  list->Items({MakePod("a", "1")});
  list->Items({MakePod("b", "2")});
  list->End("5");
  const auto watch = source_->AwaitWatch(0);
  EXPECT_EQ(watch->request().resource_version, "5");
  watch->Send(AddedEvent(MakePod("c", "6")));
  watch->Send({ModifiedEvent(MakePod("a", "7")), DeletedEvent(MakePod("b", "8")), BookmarkEvent("9")});
  watch->End();
  EXPECT_EQ(source_->AwaitWatch(1)->request().resource_version, "9");
  EXPECT_THAT(target_.AwaitCalls(5),
              ElementsAre("replace a@1 b@2 at 5", "add c@6", "update a@7", "delete b@8", "bookmark 9"));
  AwaitStatus(*reflector, [](const ReflectorStatus& s) { return s.watches == 2; });
  const ReflectorStatus status = reflector->Status();
  EXPECT_EQ(status.phase, ReflectorPhase::kWatching);
  EXPECT_EQ(status.resource_version, "9");
  EXPECT_EQ(status.lists, 1U);
  EXPECT_EQ(status.watches, 2U);
  EXPECT_EQ(status.last_activity, clock_->Now());
  EXPECT_FALSE(status.last_error);
}

TEST_F(ReflectorTest, WhoIsToldOfAListFindsTheStatusPastIt) {
  for (const bool streaming : {false, true}) {
    source_ = std::make_shared<ScriptedListerWatcher>(streaming);
    std::promise<ReflectorStatus> seen;
    const auto reflector = Make();
    target_.on_call = [&](const std::string&) { seen.set_value(reflector->Status()); };
    reflector->Start();
    if (streaming) {
      const auto watch = source_->AwaitWatch(0);
      watch->Open();
      watch->Send(InitialEventsEnd("5"));
    } else {
      source_->AwaitList(0)->End("5");
    }
    const ReflectorStatus status = seen.get_future().get();
    EXPECT_EQ(status.phase, ReflectorPhase::kWatching) << (streaming ? "streaming" : "paged");
    EXPECT_EQ(status.lists, 1U);
    EXPECT_EQ(status.resource_version, "5");
  }
}

TEST_F(ReflectorTest, StreamingListBecomesTheWatchOnOneStream) {
  source_ = std::make_shared<ScriptedListerWatcher>(true);
  const auto reflector = Make();
  reflector->Start();
  const auto watch = source_->AwaitWatch(0);
  EXPECT_EQ(watch->request().send_initial_events, true);
  watch->Open();
  watch->Send(AddedEvent(MakePod("a", "1")));
  watch->Send(InitialEventsEnd("5"));
  watch->Send(AddedEvent(MakePod("b", "6")));
  EXPECT_THAT(target_.AwaitCalls(2), ElementsAre("replace a@1 at 5", "add b@6"));
  EXPECT_EQ(source_->watches(), 1U);
  EXPECT_EQ(watch->cancellations(), 0);
}

TEST_F(ReflectorTest, StreamingListWithoutItsBookmarkBecomesAPagedListAtTheDeadline) {
  source_ = std::make_shared<ScriptedListerWatcher>(true);
  const auto reflector = Make({.streaming_list_deadline = 30s});
  reflector->Start();
  const auto watch = source_->AwaitWatch(0);
  watch->Open();
  watch->Send(AddedEvent(MakePod("a", "1")));
  AwaitStatus(*reflector, [](const ReflectorStatus& status) { return status.listed_objects == 1; });
  clock_->Advance(30s);
  const auto list = source_->AwaitList(0);
  ASSERT_NE(list, nullptr);
  EXPECT_TRUE(watch->AwaitCancelled());
  list->Items({MakePod("a", "1")});
  list->End("5");
  EXPECT_THAT(target_.AwaitCalls(1), ElementsAre("replace a@1 at 5"));
  EXPECT_EQ(reflector->Status().streaming_fallbacks, 1U);
}

TEST_F(ReflectorTest, WatchdogEndsASilentWatchAndWatchesOn) {
  const auto reflector = Make();
  reflector->Start();
  source_->AwaitList(0)->End("5");
  const auto watch = source_->AwaitWatch(0);
  AwaitPhase(*reflector, ReflectorPhase::kWatching);
  clock_->Advance(watch->request().timeout + 11s);
  ASSERT_NE(source_->AwaitWatch(1), nullptr);
  EXPECT_EQ(watch->cancellations(), 1);
  EXPECT_EQ(source_->lists(), 1U);
}

TEST_F(ReflectorTest, BackoffIsWaitedForOnTheClock) {
  const auto reflector = Make();
  reflector->Start();
  source_->AwaitList(0)->Fail({.code = ErrorCode::kUnreachable, .message = "refused"});
  AwaitPhase(*reflector, ReflectorPhase::kBackingOff);
  clock_->Advance(799ms);
  EXPECT_EQ(source_->lists(), 1U);
  clock_->Advance(801ms);
  EXPECT_NE(source_->AwaitList(1), nullptr);
}

TEST_F(ReflectorTest, ErrorsInTheStreamReachTheErrorHandler) {
  const auto reflector = Make();
  reflector->Start();
  source_->AwaitList(0)->End("5");
  const auto watch = source_->AwaitWatch(0);
  watch->Send(ErrorEvent(Expired()));
  EXPECT_EQ(errors_.Await(0).reason, "Expired");
  EXPECT_TRUE(watch->AwaitCancelled());
  PassBackoff(*reflector);
  EXPECT_EQ(source_->AwaitList(1)->request().resource_version, "5");
  EXPECT_EQ(reflector->Status().last_error->reason, "Expired");
}

TEST_F(ReflectorTest, ExceptionInAListBecomesAnErrorAndIsRetried) {
  source_->on_list = [thrown = std::make_shared<bool>(false)](const ListRequest&) {
    if (!std::exchange(*thrown, true)) throw std::runtime_error("no database");
  };
  const auto reflector = Make();
  reflector->Start();
  EXPECT_THAT(errors_.Await(0).message, HasSubstr("no database"));
  PassBackoff(*reflector);
  source_->AwaitList(0)->End("5");
  EXPECT_THAT(target_.AwaitCalls(1), ElementsAre("replace at 5"));
}

TEST_F(ReflectorTest, ExceptionInAWatchBecomesAnErrorAndIsRetried) {
  source_->on_watch = [thrown = std::make_shared<bool>(false)](const WatchRequest&) {
    if (!std::exchange(*thrown, true)) throw 42;
  };
  const auto reflector = Make();
  reflector->Start();
  source_->AwaitList(0)->End("5");
  EXPECT_EQ(errors_.Await(0).code, ErrorCode::kInternal);
  PassBackoff(*reflector);
  source_->AwaitList(1)->End("6");
  EXPECT_NE(source_->AwaitWatch(0), nullptr);
}

TEST_F(ReflectorTest, ThrowingErrorHandlersAndTargetsAreSurvived) {
  target_.on_call = [](const std::string& line) {
    if (line.starts_with("add bad")) throw std::runtime_error("target");
  };
  std::promise<void> told;
  Reflector reflector(pool_, source_, target_, {.seed = 1}, [&](const Error& error) {
    EXPECT_THAT(error.message, HasSubstr("target"));
    told.set_value();
    throw std::runtime_error("handler");
  });
  reflector.Start();
  source_->AwaitList(0)->End("5");
  source_->AwaitWatch(0)->Send({AddedEvent(MakePod("bad", "6")), AddedEvent(MakePod("good", "7"))});
  told.get_future().wait();
  EXPECT_THAT(target_.AwaitCalls(3), ElementsAre("replace at 5", "add bad@6", "add good@7"));
}

TEST_F(ReflectorTest, StopEndsAListAtOnceAndOnce) {
  const auto reflector = Make();
  reflector->Start();
  const auto list = source_->AwaitList(0);
  list->Items({MakePod("a", "1")});
  reflector->Stop();
  EXPECT_EQ(list->cancellations(), 1);
  list->End("5");
  EXPECT_EQ(target_.calls(), 0U);
  EXPECT_EQ(reflector->Status().phase, ReflectorPhase::kStopped);
  reflector->Stop();
  EXPECT_EQ(list->cancellations(), 1);
}

TEST_F(ReflectorTest, StopEndsAWatchAtOnceAndOnce) {
  const auto reflector = Make();
  reflector->Start();
  source_->AwaitList(0)->End("5");
  const auto watch = source_->AwaitWatch(0);
  reflector->Stop();
  EXPECT_EQ(watch->cancellations(), 1);
  const std::size_t calls = target_.calls();
  watch->Send(AddedEvent(MakePod("a", "6")));
  EXPECT_EQ(target_.calls(), calls);
}

TEST_F(ReflectorTest, StopEndsABackoffAtOnce) {
  const auto reflector = Make();
  reflector->Start();
  source_->AwaitList(0)->Fail(ServerError(403, "Forbidden"));
  AwaitPhase(*reflector, ReflectorPhase::kBackingOff);
  reflector->Stop();
  clock_->Advance(5min);
  EXPECT_EQ(source_->lists(), 1U);
}

TEST_F(ReflectorTest, NoTargetCallAfterStopFromWithinACall) {
  std::unique_ptr<Reflector> reflector;
  std::promise<void> stopped;
  target_.on_call = [&](const std::string& line) {
    if (line != "add a@6") return;
    reflector->Stop();
    stopped.set_value();
  };
  reflector = Make();
  reflector->Start();
  source_->AwaitList(0)->End("5");
  const auto watch = source_->AwaitWatch(0);
  watch->Send({AddedEvent(MakePod("a", "6")), AddedEvent(MakePod("b", "7"))});
  stopped.get_future().wait();
  EXPECT_TRUE(watch->AwaitCancelled());
  EXPECT_THAT(target_.AwaitCalls(2), ElementsAre("replace at 5", "add a@6"));
}

TEST_F(ReflectorTest, StopRacesWithTrafficAndNothingComesAfterIt) {
  std::atomic<bool> stopped = false;
  std::atomic<int> late = 0;
  target_.on_call = [&](const std::string&) { late += stopped ? 1 : 0; };
  for (int round = 0; round < 20; ++round) {
    stopped = false;
    const std::size_t before = target_.calls();
    source_ = std::make_shared<ScriptedListerWatcher>();
    const auto reflector = Make();
    reflector->Start();
    source_->AwaitList(0)->End("5");
    const auto watch = source_->AwaitWatch(0);
    std::thread feeder([&] {
      for (int i = 0; i < 50; ++i) watch->Send(AddedEvent(MakePod("a", std::to_string(6 + i))));
    });
    target_.AwaitCalls(before + 2);  // the Replace and an Add
    reflector->Stop();
    stopped = true;
    feeder.join();
    EXPECT_EQ(watch->cancellations(), 1);
  }
  EXPECT_EQ(late, 0);
}

TEST_F(ReflectorTest, RestartListsAtTheLastVersion) {
  const auto reflector = Make();
  reflector->Start();
  source_->AwaitList(0)->End("5");
  ASSERT_NE(source_->AwaitWatch(0), nullptr);
  AwaitPhase(*reflector, ReflectorPhase::kWatching);
  reflector->Stop();
  reflector->Start();
  EXPECT_EQ(source_->AwaitList(1)->request().resource_version, "5");
  EXPECT_EQ(reflector->Status().lists, 1U);
}

TEST_F(ReflectorTest, BusyReflectorLetsOthersHaveTheirTurn) {
  TaskPool one({.threads = 1, .clock = clock_});
  one.Start();
  RecordingTarget busy_target;
  RecordingTarget other_target;
  const auto other_source = std::make_shared<ScriptedListerWatcher>();
  Reflector busy(one, source_, busy_target, {.seed = 1});
  Reflector other(one, other_source, other_target, {.seed = 1});
  std::promise<void> go;
  std::shared_future<void> going = go.get_future().share();
  std::atomic<std::size_t> seen_before_other = 0;
  other_target.on_call = [&](const std::string&) { seen_before_other = busy_target.calls(); };
  busy_target.on_call = [&](const std::string& line) {
    if (line == "replace at 5") going.wait();
  };
  busy.Start();
  source_->AwaitList(0)->End("5");
  busy_target.AwaitCalls(1);
  // Both get work while the pool's only thread is blocked.
  other.Start();
  go.set_value();
  const auto watch = source_->AwaitWatch(0);
  const auto list = other_source->AwaitList(0);
  constexpr std::size_t kEvents = 5000;
  std::promise<void> full;
  std::shared_future<void> filled = full.get_future().share();
  one.Post([filled] { filled.wait(); });
  for (std::size_t i = 0; i < kEvents; ++i) watch->Send(AddedEvent(MakePod("a", std::to_string(6 + i))));
  list->End("9");
  full.set_value();
  other_target.AwaitCalls(1);
  busy_target.AwaitCalls(kEvents + 1);
  EXPECT_LT(seen_before_other, kEvents);
}

TEST_F(ReflectorTest, AddsNoThread) {
  const std::size_t before = ThreadCount();
  std::vector<std::shared_ptr<ScriptedListerWatcher>> sources;
  std::vector<std::unique_ptr<Reflector>> reflectors;
  for (int i = 0; i < 100; ++i) {
    sources.push_back(std::make_shared<ScriptedListerWatcher>());
    reflectors.push_back(std::make_unique<Reflector>(pool_, sources.back(), target_, ReflectorOptions{.seed = 1}));
    reflectors.back()->Start();
  }
  for (const auto& source : sources) source->AwaitList(0)->End("5");
  for (const auto& source : sources) EXPECT_NE(source->AwaitWatch(0), nullptr);
  EXPECT_EQ(ThreadCount(), before);
}

TEST_F(ReflectorTest, PairOfFunctionsIsASource) {
  const auto watch = std::make_shared<ScriptedWatch>(WatchRequest{});
  std::atomic<int> lists = 0;
  const auto source = std::make_shared<FunctionListerWatcher>(
      [&](const ListRequest& request) -> Result<ObjectList> {
        if (++lists == 1) return ServerError(503, "ServiceUnavailable");
        if (request.continue_token.empty()) {
          return ObjectList{.items = {MakePod("a", "1")},
                            .metadata = {.resource_version = "5", .continue_token = "more"}};
        }
        return ObjectList{.items = {MakePod("b", "2")}, .metadata = {.resource_version = "5"}};
      },
      [&](const WatchRequest&) -> Result<std::unique_ptr<WatchEventStream>> {
        return std::make_unique<ScriptedStream<WatchPart>>(watch);
      });
  Reflector reflector(pool_, source, target_, {.seed = 1}, errors_.Handler());
  reflector.Start();
  EXPECT_EQ(errors_.Await(0).http_status, 503);
  PassBackoff(reflector);
  watch->Send(AddedEvent(MakePod("c", "6")));
  EXPECT_THAT(target_.AwaitCalls(2), ElementsAre("replace a@1 b@2 at 5", "add c@6"));
}

}  // namespace
}  // namespace kinformer::internal
