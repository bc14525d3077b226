#include <kinformer/watch/retry_watcher.h>

#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>
#include <kinformer/meta/status_error.h>
#include <kinformer/watch/until.h>

#include "test/reflector/scripted_lister_watcher.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using namespace testing_support;
using ::testing::HasSubstr;

class RetryWatcherTest : public ::testing::Test {
 protected:
  RetryWatcher Make(const std::string& version = "5") {
    return RetryWatcher::Create(source_, version, {.clock = clock_}).value();
  }
  /// Waits until the reader sleeps before the next watch, then advances the clock past the delay.
  void PassTheDelay(Duration delay = 1s) {
    clock_->AwaitWaiters(1);
    EXPECT_EQ(clock_->NextDeadline().value() - clock_->Now(), delay);
    clock_->Advance(delay);
  }
  static std::future<Result<WatchEvent>> NextOf(RetryWatcher& watcher, const std::stop_token& stop = {}) {
    return std::async(std::launch::async, [&watcher, stop] { return watcher.Next(stop); });
  }

  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  const std::shared_ptr<ScriptedListerWatcher> source_ = std::make_shared<ScriptedListerWatcher>();
};

TEST_F(RetryWatcherTest, RefusesVersionsThatAreNoPlaceToBegin) {
  for (const std::string version : {"", "0"}) {
    const auto watcher = RetryWatcher::Create(source_, version);
    ASSERT_FALSE(watcher.ok());
    EXPECT_EQ(watcher.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST_F(RetryWatcherTest, ShowsEveryEventOnceAcrossWatchesThatEnd) {
  RetryWatcher watcher = Make();
  auto first = NextOf(watcher);
  const auto one = source_->AwaitWatch(0);
  EXPECT_EQ(one->request().resource_version, "5");
  EXPECT_TRUE(one->request().allow_bookmarks);
  one->Open();
  one->Send({AddedEvent(MakePod("a", "6")), ModifiedEvent(MakePod("a", "7")), BookmarkEvent("20")});
  one->End();
  EXPECT_EQ(first.get().value().object->ResourceVersion(), "6");
  EXPECT_EQ(watcher.ResourceVersion(), "6");
  EXPECT_EQ(watcher.Next().value().object->ResourceVersion(), "7");

  auto third = NextOf(watcher);
  PassTheDelay();
  const auto two = source_->AwaitWatch(1);
  EXPECT_EQ(two->request().resource_version, "20");
  two->Send(DeletedEvent(MakePod("a", "21")));
  EXPECT_EQ(third.get().value().type, WatchEventType::kDeleted);
  EXPECT_EQ(one->cancellations(), 1);
}

TEST_F(RetryWatcherTest, GoesOnAfterBrokenConnectionsAndBusyServers) {
  RetryWatcher watcher = Make();
  auto next = NextOf(watcher);
  source_->AwaitWatch(0)->Fail({.code = ErrorCode::kUnreachable, .message = "refused"});
  PassTheDelay();
  source_->AwaitWatch(1)->Fail(ServerError(503, "ServiceUnavailable"));
  PassTheDelay();
  Error busy = ServerError(429, "TooManyRequests");
  busy.retry_after = 4s;
  source_->AwaitWatch(2)->Send(ErrorEvent(busy));
  PassTheDelay(4s);
  const auto last = source_->AwaitWatch(3);
  EXPECT_EQ(last->request().resource_version, "5");
  last->Send(AddedEvent(MakePod("a", "6")));
  EXPECT_TRUE(next.get().ok());
  EXPECT_EQ(watcher.LastError(), std::nullopt);
}

TEST_F(RetryWatcherTest, A410AtTheOpeningIsTheEndAndStaysIt) {
  RetryWatcher watcher = Make();
  auto next = NextOf(watcher);
  source_->AwaitWatch(0)->Fail(Expired());
  const auto ended = next.get();
  ASSERT_FALSE(ended.ok());
  EXPECT_TRUE(IsResourceExpired(ended.error()));
  EXPECT_EQ(watcher.Next().error(), ended.error());
  EXPECT_EQ(source_->watches(), 1U);
}

TEST_F(RetryWatcherTest, WhatCameBeforeA410InTheStreamIsShown) {
  RetryWatcher watcher = Make();
  auto next = NextOf(watcher);
  const auto watch = source_->AwaitWatch(0);
  watch->Send({AddedEvent(MakePod("a", "6")), ErrorEvent(Expired()), AddedEvent(MakePod("b", "7"))});
  EXPECT_TRUE(next.get().ok());
  EXPECT_TRUE(IsResourceExpired(watcher.Next().error()));
  EXPECT_EQ(watcher.ResourceVersion(), "6");
  EXPECT_EQ(watch->cancellations(), 1);
}

TEST_F(RetryWatcherTest, AStopEndsTheCallAndNotTheWatch) {
  RetryWatcher watcher = Make();
  std::stop_source stop;
  auto next = NextOf(watcher, stop.get_token());
  const auto watch = source_->AwaitWatch(0);
  stop.request_stop();
  EXPECT_EQ(next.get().error().code, ErrorCode::kCancelled);
  watch->Send(AddedEvent(MakePod("a", "6")));
  EXPECT_TRUE(watcher.Next().ok());
  EXPECT_EQ(source_->watches(), 1U);
}

TEST_F(RetryWatcherTest, AStopEndsTheDelayBeforeTheNextWatch) {
  RetryWatcher watcher = Make();
  std::stop_source stop;
  auto next = NextOf(watcher, stop.get_token());
  source_->AwaitWatch(0)->End();
  clock_->AwaitWaiters(1);
  stop.request_stop();
  EXPECT_EQ(next.get().error().code, ErrorCode::kCancelled);
}

TEST_F(RetryWatcherTest, ADeadlineEndsTheCallAndNotTheWatch) {
  RetryWatcher watcher = Make();
  auto next = std::async(std::launch::async, [&] { return watcher.NextBefore(clock_->Now() + 3s); });
  const auto watch = source_->AwaitWatch(0);
  clock_->AwaitWaiters(1);
  clock_->Advance(3s);
  EXPECT_EQ(next.get().error().code, ErrorCode::kDeadlineExceeded);
  watch->Send(AddedEvent(MakePod("a", "6")));
  EXPECT_TRUE(watcher.NextBefore(clock_->Now()).ok()) << "what has arrived counts before the deadline";
}

TEST_F(RetryWatcherTest, ASourceThatThrowsIsAnError) {
  source_->on_watch = [](const WatchRequest&) { throw std::runtime_error("no such thing"); };
  RetryWatcher watcher = Make();
  const auto next = watcher.Next();
  ASSERT_FALSE(next.ok());
  EXPECT_EQ(next.error().code, ErrorCode::kInternal);
  EXPECT_THAT(next.error().message, HasSubstr("no such thing"));
}

TEST_F(RetryWatcherTest, UntilReturnsTheEventAndLeavesTheRest) {
  RetryWatcher watcher = Make();
  auto until = std::async(std::launch::async, [&] {
    return Until(
        watcher, [](const WatchEvent& event) { return event.object->Name() == "b"; }, WaitLimit::Forever(clock_));
  });
  source_->AwaitWatch(0)->Send({AddedEvent(MakePod("a", "6")), AddedEvent(MakePod("b", "7")),
                                DeletedEvent(MakePod("b", "8")), AddedEvent(MakePod("c", "9"))});
  EXPECT_EQ(until.get().value().object->ResourceVersion(), "7");
  const auto gone = Until(watcher, IsDeleted(), WaitLimit(10s, clock_));
  EXPECT_EQ(gone.value().object->ResourceVersion(), "8");
  EXPECT_EQ(watcher.Next().value().object->Name(), "c");
}

TEST_F(RetryWatcherTest, UntilSaysWhatItSawLastAndWhyTheWatchIsDown) {
  RetryWatcher watcher = Make();
  auto until = std::async(std::launch::async, [&] {
    return Until(watcher, EventCondition("doomsday", [](const WatchEvent&) { return false; }), WaitLimit(30s, clock_));
  });
  const auto watch = source_->AwaitWatch(0);
  watch->Send(AddedEvent(MakePod("a", "6")));
  watch->Fail({.code = ErrorCode::kDisconnected, .message = "connection reset"});
  ASSERT_TRUE(watch->AwaitCancelled());  // from here on it waits for the restart delay, not for the stream
  PassTheDelay();
  source_->AwaitWatch(1);
  clock_->AwaitWaiters(1);
  clock_->Advance(29s);
  const auto result = until.get();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(result.error().message,
            "the watch: waited 30s for doomsday; last seen: ADDED default/a at version 6; the watch is down: "
            "connection reset (disconnected)");
}

TEST_F(RetryWatcherTest, AStopOfUntilSaysWhatWasWaitedForAndSeenLast) {
  RetryWatcher watcher = Make();
  std::stop_source stop;
  const EventCondition stops("doomsday", [&](const WatchEvent&) {
    stop.request_stop();
    return false;
  });
  auto until = std::async(std::launch::async,
                          [&] { return Until(watcher, stops, WaitLimit::Forever(clock_), stop.get_token()); });
  source_->AwaitWatch(0)->Send(AddedEvent(MakePod("a", "6")));
  const Error error = until.get().error();
  EXPECT_EQ(error.code, ErrorCode::kCancelled);
  EXPECT_EQ(error.message, "the watch: stopped while waiting for doomsday; last seen: ADDED default/a at version 6");
}

TEST_F(RetryWatcherTest, OneThatWasMovedFromIsAnErrorAndNoCrash) {
  RetryWatcher watcher = Make();
  const RetryWatcher taken = std::move(watcher);
  // NOLINTBEGIN(bugprone-use-after-move)
  EXPECT_EQ(watcher.Next().error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(watcher.NextBefore(clock_->Now()).error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(Until(watcher, Exists(), 1s).error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(watcher.ResourceVersion(), "");
  EXPECT_EQ(watcher.LastError(), std::nullopt);
  EXPECT_NE(watcher.clock(), nullptr);
  // NOLINTEND(bugprone-use-after-move)
}

TEST_F(RetryWatcherTest, UntilEndsWithTheWatchersErrorOrTheConditions) {
  RetryWatcher watcher = Make();
  const Error no{.code = ErrorCode::kUnknown, .message = "I do not like it"};
  const EventCondition fails("x", [&](const WatchEvent&) -> Result<bool> { return no; });
  auto until = std::async(std::launch::async, [&] { return Until(watcher, fails, WaitLimit(30s, clock_)); });
  const auto watch = source_->AwaitWatch(0);
  watch->Send(AddedEvent(MakePod("a", "6")));
  EXPECT_EQ(until.get().error(), no);

  watch->Send(AddedEvent(MakePod("a", "7")));
  const EventCondition throws("x", [](const WatchEvent&) -> Result<bool> { throw std::runtime_error("ouch"); });
  EXPECT_THAT(Until(watcher, throws, WaitLimit(30s, clock_)).error().message, HasSubstr("threw: ouch"));

  watch->Fail(ServerError(403, "Forbidden"));
  EXPECT_TRUE(IsForbidden(Until(watcher, throws, WaitLimit(30s, clock_)).error()));
}

}  // namespace
}  // namespace kinformer
