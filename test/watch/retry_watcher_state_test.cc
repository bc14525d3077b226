#include "src/watch/retry_watcher_state.h"

#include <chrono>
#include <string>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>

#include "test/reflector/scripted_lister_watcher.h"

namespace kinformer::internal {
namespace {

using namespace std::chrono_literals;
using namespace testing_support;
using ::testing::HasSubstr;

using Show = RetryWatcherState::Show;
using ReadOn = RetryWatcherState::ReadOn;
using BeginAgain = RetryWatcherState::BeginAgain;
using GiveUp = RetryWatcherState::GiveUp;

class RetryWatcherStateTest : public ::testing::Test {
 protected:
  RetryWatcherStateTest() { state_.Began(clock_.Now()); }

  /// How long from now until the watch is restarted; negative if the step is not a restart.
  Duration DelayOf(const RetryWatcherState::Step& step) const {
    const auto* again = std::get_if<BeginAgain>(&step);
    return again != nullptr ? again->at - clock_.Now() : Duration(-1s);
  }

  FakeClock clock_;
  RetryWatcherState state_{"5", 1s};
};

TEST_F(RetryWatcherStateTest, ShowsEventsAndMovesItsVersionByThem) {
  const auto step = state_.OnEvent(AddedEvent(MakePod("a", "7")), clock_.Now());
  ASSERT_TRUE(std::holds_alternative<Show>(step));
  EXPECT_EQ(std::get<Show>(step).event.object->Name(), "a");
  EXPECT_EQ(state_.resource_version(), "7");
}

TEST_F(RetryWatcherStateTest, SwallowsABookmarkButGoesOnFromIt) {
  EXPECT_TRUE(std::holds_alternative<ReadOn>(state_.OnEvent(BookmarkEvent("90"), clock_.Now())));
  EXPECT_EQ(state_.resource_version(), "90");
}

TEST_F(RetryWatcherStateTest, ASecondLiesBetweenTheBeginningsOfTwoWatches) {
  clock_.Advance(300ms);
  EXPECT_EQ(DelayOf(state_.OnClosed(clock_.Now())), 700ms);
  clock_.Advance(10min);
  EXPECT_EQ(DelayOf(state_.OnClosed(clock_.Now())), 0s);
}

TEST_F(RetryWatcherStateTest, WaitsAsLongAsTheServerAsks) {
  Error busy = ServerError(429, "TooManyRequests");
  busy.retry_after = 7s;
  clock_.Advance(300ms);
  EXPECT_EQ(DelayOf(state_.OnFailed(busy, clock_.Now())), 7s);
  EXPECT_EQ(DelayOf(state_.OnEvent(ErrorEvent(busy), clock_.Now())), 7s);
  busy.retry_after = 0s;
  EXPECT_EQ(DelayOf(state_.OnFailed(busy, clock_.Now())), 700ms);
}

TEST_F(RetryWatcherStateTest, DoesNotWaitForEverBecauseAServerSaysSo) {
  Error busy = ServerError(503, "ServiceUnavailable");
  busy.retry_after = std::chrono::seconds::max();
  EXPECT_EQ(DelayOf(state_.OnFailed(busy, clock_.Now())), 24h);
  busy.retry_after = -5s;
  EXPECT_EQ(DelayOf(state_.OnFailed(busy, clock_.Now())), 1s);
}

TEST_F(RetryWatcherStateTest, SurvivesWhatPasses) {
  for (const Error& error :
       {ServerError(429, "TooManyRequests"), ServerError(500, "InternalError"), ServerError(502, ""),
        ServerError(503, "ServiceUnavailable"), ServerError(504, "Timeout"), ServerError(404, "NotFound"),
        Error{.code = ErrorCode::kDisconnected}, Error{.code = ErrorCode::kUnreachable}, Error{.code = ErrorCode::kTls},
        Error{.code = ErrorCode::kDeadlineExceeded}, Error{.code = ErrorCode::kInternal},
        Error{.code = ErrorCode::kServer, .message = "no Status"}}) {
    EXPECT_TRUE(std::holds_alternative<BeginAgain>(state_.OnFailed(error, clock_.Now()))) << ToString(error);
    EXPECT_TRUE(std::holds_alternative<BeginAgain>(state_.OnEvent(ErrorEvent(error), clock_.Now()))) << ToString(error);
    EXPECT_EQ(state_.resource_version(), "5");
  }
}

TEST_F(RetryWatcherStateTest, GivesUpWhereItCannotGoOnWhetherRefusedOrToldInTheStream) {
  for (const Error& error :
       {ServerError(410, "Expired"), ServerError(410, "Gone"), ServerError(410, ""), ServerError(401, "Unauthorized"),
        ServerError(403, "Forbidden"), ServerError(400, "BadRequest"), ServerError(422, "Invalid"),
        Error{.code = ErrorCode::kMalformed}, Error{.code = ErrorCode::kTooLarge},
        Error{.code = ErrorCode::kInvalidArgument}}) {
    for (const auto& step : {state_.OnFailed(error, clock_.Now()), state_.OnEvent(ErrorEvent(error), clock_.Now())}) {
      ASSERT_TRUE(std::holds_alternative<GiveUp>(step)) << ToString(error);
      EXPECT_EQ(std::get<GiveUp>(step).error, error);
    }
  }
}

TEST_F(RetryWatcherStateTest, GivesUpOnAnEventThatLeavesNoPlaceToGoOnFrom) {
  const auto no_version = state_.OnEvent(ModifiedEvent(MakePod("a", "")), clock_.Now());
  ASSERT_TRUE(std::holds_alternative<GiveUp>(no_version));
  EXPECT_THAT(std::get<GiveUp>(no_version).error.message, HasSubstr("MODIFIED has no resourceVersion"));
  EXPECT_TRUE(std::holds_alternative<GiveUp>(state_.OnEvent(BookmarkEvent(""), clock_.Now())));
  EXPECT_TRUE(std::holds_alternative<GiveUp>(state_.OnEvent({.type = WatchEventType::kAdded}, clock_.Now())));
  EXPECT_EQ(state_.resource_version(), "5");
}

TEST_F(RetryWatcherStateTest, GivesUpOnAnEventOfAnUnknownType) {
  const auto step =
      state_.OnEvent({.type = static_cast<WatchEventType>(77), .object = MakePod("a", "6")}, clock_.Now());
  ASSERT_TRUE(std::holds_alternative<GiveUp>(step));
  EXPECT_EQ(std::get<GiveUp>(step).error.code, ErrorCode::kMalformed);
}

TEST_F(RetryWatcherStateTest, RemembersWhyItIsDownUntilAWatchIsAccepted) {
  (void)state_.OnFailed(Error{.code = ErrorCode::kUnreachable, .message = "refused"}, clock_.Now());
  ASSERT_TRUE(state_.last_error().has_value());
  state_.Began(clock_.Now());
  EXPECT_TRUE(state_.last_error().has_value());
  state_.Opened();
  EXPECT_FALSE(state_.last_error().has_value());
}

}  // namespace
}  // namespace kinformer::internal
