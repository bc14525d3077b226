// The reflector's rules, without clock, threads or streams.

#include "src/reflector/reflector_state.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/reflector/recording_target.h"
#include "test/reflector/scripted_lister_watcher.h"

namespace kinformer::internal {
namespace {

using namespace std::chrono_literals;
using namespace testing_support;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Lt;
using ::testing::Not;

using Lines = std::vector<std::string>;

using testing_support::Brief;

struct Describe {
  std::string operator()(const StartList& a) const {
    const ListRequest& r = a.request;
    return "list rv=" + r.resource_version + " limit=" + std::to_string(r.limit) +
           (r.resource_version_match.empty() ? "" : " " + r.resource_version_match) +
           (r.continue_token.empty() ? "" : " continue=" + r.continue_token);
  }
  std::string operator()(const StartWatch& a) const {
    const WatchRequest& r = a.request;
    if (r.send_initial_events == true) return "streaming list rv=" + r.resource_version;
    return "watch rv=" + r.resource_version;
  }
  std::string operator()(const CancelStream&) const { return "cancel"; }
  std::string operator()(const Delta& delta) const { return Brief(delta); }
  std::string operator()(const ReportError& a) const {
    return "error " + (a.error.reason.empty() ? std::string(ToString(a.error.code)) : a.error.reason);
  }
  std::string operator()(const SetTimer&) const { return ""; }
  std::string operator()(const LogLine&) const { return ""; }
};

/// The state machine under test, its time, and its most recent requests.
class Machine {
 public:
  explicit Machine(ReflectorRules rules = {.streaming_lists = false, .seed = 1}, ReflectorMemory memory = {})
      : state(rules, std::move(memory)) {}

  /// The resulting actions, except timers and log lines.
  Lines Do(ReflectorEvent event) {
    Lines lines;
    for (const ReflectorAction& action : state.Step(std::move(event), now)) {
      if (const auto* set = std::get_if<SetTimer>(&action)) timer = set->when;
      if (const auto* start = std::get_if<StartWatch>(&action)) watch = start->request;
      if (const auto* start = std::get_if<StartList>(&action)) list = start->request;
      if (std::string line = std::visit(Describe{}, action); !line.empty()) lines.push_back(std::move(line));
    }
    return lines;
  }
  Lines Start() { return Do(Started{}); }
  Lines Items(std::vector<ObjectPtr> items) { return Do(ListItems{intake().Items(std::move(items))}); }
  Lines ListEnds(std::string version, std::string token = "") {
    return Do(ListPageEnded{{std::move(version), std::move(token), {}}});
  }
  Lines ListFails(Error error) { return Do(ListFailed{std::move(error)}); }
  Lines Events(std::vector<WatchEvent> events) {
    return Do(WatchEvents{intake().Events(std::move(events), state.Seeding())});
  }
  Lines Event(WatchEvent event) { return Events({std::move(event)}); }
  Lines WatchFails(Error error) { return Do(WatchFailed{std::move(error)}); }
  Lines Closes() { return Do(WatchClosed{}); }
  /// Advances the time to the pending timer and fires it.
  Lines Fire() {
    waited = *timer - now;
    now = *timer;
    return Do(TimerFired{});
  }
  /// Lists nothing, then watches from that version.
  void SyncAt(const std::string& version) {
    Start();
    Do(ListPageEnded{{version, {}, {}}});
    ASSERT_EQ(state.Status().phase, ReflectorPhase::kWatching);
  }
  std::string version() const { return state.memory().resource_version; }

  IntakeOptions intake_options{.expected = {"", "v1", "Pod"}};
  Intake intake() const { return Intake(intake_options); }

  TimePoint now{24h};
  ReflectorState state;
  std::optional<TimePoint> timer;
  WatchRequest watch;
  ListRequest list;
  Duration waited{};
};

ReflectorRules Streaming() { return {.seed = 1}; }
Error Unreachable() { return {.code = ErrorCode::kUnreachable, .message = "connection refused"}; }
Error Disconnected() { return {.code = ErrorCode::kDisconnected, .message = "reset"}; }
Error TooManyRequests() { return ServerError(429, "TooManyRequests"); }
const BackoffOptions kPlain{.jitter = 0};

TEST(ReflectorStateTest, InitialListAsksForVersionZeroAndRelistForTheLastSeen) {
  Machine m;
  EXPECT_THAT(m.Start(), ElementsAre("list rv=0 limit=500"));
  EXPECT_THAT(m.Items({MakePod("a", "1"), MakePod("b", "2")}), IsEmpty());
  EXPECT_THAT(m.ListEnds("5"), ElementsAre("replace a@1 b@2 at 5", "watch rv=5"));
  m.Event(AddedEvent(MakePod("c", "9")));
  m.WatchFails(ServerError(500, "InternalError"));
  EXPECT_THAT(m.Fire(), ElementsAre("list rv=9 limit=0"));
}

TEST(ReflectorStateTest, ExpiredVersionOnRelistIsRetriedAtOnceWithTheNewest) {
  Machine m({.streaming_lists = false, .seed = 1}, {.resource_version = "7"});
  EXPECT_THAT(m.Start(), ElementsAre("list rv=7 limit=0"));
  EXPECT_THAT(m.ListFails(Expired()), ElementsAre("error Expired", "list rv= limit=500"));
  EXPECT_THAT(m.ListEnds("20"), ElementsAre("replace at 20", "watch rv=20"));
  m.Event(ErrorEvent(ServerError(500, "InternalError")));
  EXPECT_THAT(m.Fire(), ElementsAre("list rv=20 limit=0")) << "the newest was asked for only until it was there";
}

TEST(ReflectorStateTest, ExpiredEvenAtTheNewestBacksOffAndAsksForTheNewestAgain) {
  Machine m({.streaming_lists = false, .seed = 1}, {.resource_version = "7"});
  m.Start();
  m.ListFails(Expired());
  EXPECT_THAT(m.ListFails(Expired()), ElementsAre("error Expired"));
  EXPECT_EQ(m.state.Status().phase, ReflectorPhase::kBackingOff);
  EXPECT_THAT(m.Fire(), ElementsAre("list rv= limit=500"));
}

TEST(ReflectorStateTest, TooLargeVersionIsRetriedWithTheNewestInAllThreeWordings) {
  Error by_reason = ServerError(504, "Timeout", "Too large resource version: 100, current: 50");
  by_reason.details.causes = {{.reason = "ResourceVersionTooLarge", .message = "Too large resource version"}};
  Error by_cause_message = ServerError(504, "Timeout", "Timeout");
  by_cause_message.details.causes = {{.message = "Too large resource version"}};
  const Error by_message = ServerError(500, "InternalError", "Timeout: Too large resource version: 100, current: 50");
  for (const Error& error : {by_reason, by_cause_message, by_message}) {
    Machine m({.streaming_lists = false, .seed = 1}, {.resource_version = "100"});
    m.Start();
    EXPECT_THAT(m.ListFails(error), Contains("list rv= limit=500")) << ToString(error);
  }
}

TEST(ReflectorStateTest, PagesNameNoVersionAndBecomeOneReplace) {
  Machine m;
  m.Start();
  m.Items({MakePod("a", "1")});
  EXPECT_THAT(m.ListEnds("5", "token"), ElementsAre("list rv= limit=500 continue=token"));
  EXPECT_EQ(m.state.Status().listed_objects, 1U);
  m.Items({MakePod("b", "2")});
  EXPECT_THAT(m.ListEnds("5"), ElementsAre("replace a@1 b@2 at 5", "watch rv=5"));
}

TEST(ReflectorStateTest, ExpiredContinueTokenYieldsOneFullUnpagedListAtTheFirstVersion) {
  Machine m;
  m.Start();
  m.Items({MakePod("a", "1")});
  m.ListEnds("5", "token");
  m.Items({MakePod("b", "2")});
  EXPECT_THAT(m.ListFails(Expired()), ElementsAre("error Expired", "list rv=0 limit=0"));
  m.Items({MakePod("c", "8")});
  EXPECT_THAT(m.ListEnds("9"), ElementsAre("replace c@8 at 9", "watch rv=9"));
}

TEST(ReflectorStateTest, FullListThatIsExpiredTooAsksForTheNewestOnce) {
  Machine m({.streaming_lists = false, .page_size = 2, .seed = 1}, {.resource_version = "7"});
  EXPECT_THAT(m.Start(), ElementsAre("list rv=7 limit=2 NotOlderThan"));
  EXPECT_THAT(m.ListEnds("7", "token"), ElementsAre("list rv= limit=2 continue=token"));
  EXPECT_THAT(m.ListFails(Expired()), ElementsAre("error Expired", "list rv=7 limit=0 NotOlderThan"));
  EXPECT_THAT(m.ListFails(Expired()), ElementsAre("error Expired", "list rv= limit=2"));
}

TEST(ReflectorStateTest, PageThatNamesItselfAsTheNextIsAnErrorAndNoEndlessLoop) {
  Machine m;
  m.Start();
  m.ListEnds("5", "token");
  EXPECT_THAT(m.ListEnds("5", "token"), ElementsAre("error malformed data"));
  EXPECT_EQ(m.state.Status().phase, ReflectorPhase::kBackingOff);
}

TEST(ReflectorStateTest, ListsAtAVersionAreUnpaged) {
  Machine m({.streaming_lists = false, .seed = 1}, {.resource_version = "7"});
  EXPECT_THAT(m.Start(), ElementsAre("list rv=7 limit=0"));
}

TEST(ReflectorStateTest, PaginatedAnswerToVersionZeroMakesLaterListsPaged) {
  Machine m;
  m.Start();
  m.ListEnds("5", "token");
  m.ListEnds("5");
  m.Event(ErrorEvent(ServerError(500, "InternalError")));
  EXPECT_THAT(m.Fire(), ElementsAre("list rv=5 limit=500 NotOlderThan"));
}

TEST(ReflectorStateTest, AListAfterAWatchThatExpiredMayBeNewerThanTheWatchAlsoInPages) {
  Machine m({.streaming_lists = false, .page_size = 2, .seed = 1}, {.resource_version = "7"});
  m.Start();
  EXPECT_THAT(m.ListEnds("7"), ElementsAre("replace at 7", "watch rv=7"));
  m.Event(ErrorEvent(Expired()));
  EXPECT_THAT(m.Fire(), ElementsAre("list rv=7 limit=2 NotOlderThan")) << "exactly 7 would end in the same watch";
}

TEST(ReflectorStateTest, ExplicitPageSizeIsHonouredAtAnyVersion) {
  Machine first({.streaming_lists = false, .page_size = 10, .seed = 1});
  EXPECT_THAT(first.Start(), ElementsAre("list rv=0 limit=10"));
  Machine later({.streaming_lists = false, .page_size = 10, .seed = 1}, {.resource_version = "7"});
  EXPECT_THAT(later.Start(), ElementsAre("list rv=7 limit=10 NotOlderThan"));
}

TEST(ReflectorStateTest, WatchTimeoutLiesWithinFiveAndTenMinutes) {
  std::set<std::chrono::seconds> seen;
  Machine m;
  m.SyncAt("5");
  for (int i = 0; i < 200; ++i) {
    EXPECT_THAT(m.watch.timeout, AllOf(Ge(5min), Lt(10min)));
    EXPECT_TRUE(m.watch.allow_bookmarks);
    seen.insert(m.watch.timeout);
    m.now += 2s;
    m.Closes();
  }
  EXPECT_GT(seen.size(), 50U) << "watches of many clients must not all end at once";
}

TEST(ReflectorStateTest, SmallMinimumOfTheWatchTimeoutIsIgnoredAndThirtyMinutesHonoured) {
  Machine small({.streaming_lists = false, .min_watch_timeout = 10s, .seed = 1});
  small.SyncAt("5");
  EXPECT_THAT(small.watch.timeout, AllOf(Ge(5min), Lt(10min)));
  Machine large({.streaming_lists = false, .min_watch_timeout = 30min, .seed = 1});
  large.SyncAt("5");
  EXPECT_THAT(large.watch.timeout, AllOf(Ge(30min), Lt(60min)));
}

TEST(ReflectorStateTest, WatchdogEndsAWatchThatTheServerDoesNotEndAndResumesIt) {
  Machine m({.streaming_lists = false, .watchdog_slack = 10s, .seed = 1});
  m.SyncAt("5");
  const auto timeout = m.watch.timeout;
  m.Event(AddedEvent(MakePod("a", "6")));
  EXPECT_THAT(m.Fire(), ElementsAre("cancel", "watch rv=6")) << "no relist, no error";
  EXPECT_EQ(m.waited, timeout + 10s);
}

TEST(ReflectorStateTest, ATimerThatFiresEarlyIsSetAgain) {
  Machine m;
  m.SyncAt("5");
  const TimePoint due = *m.timer;
  m.timer.reset();
  EXPECT_THAT(m.Do(TimerFired{}), IsEmpty());
  EXPECT_EQ(m.timer, due);
}

TEST(ReflectorStateTest, RefusedWatchBacksOffWithoutRelisting) {
  Machine m;
  m.SyncAt("5");
  EXPECT_THAT(m.WatchFails(Unreachable()), ElementsAre("error unreachable"));
  EXPECT_THAT(m.Fire(), ElementsAre("watch rv=5"));
}

TEST(ReflectorStateTest, TooManyRequestsAtTheStartOrInTheStreamBacksOffWithoutRelisting) {
  Machine m;
  m.SyncAt("5");
  EXPECT_THAT(m.WatchFails(TooManyRequests()), ElementsAre("error TooManyRequests"));
  EXPECT_THAT(m.Fire(), ElementsAre("watch rv=5"));
  EXPECT_THAT(m.Event(ErrorEvent(TooManyRequests())), ElementsAre("cancel", "error TooManyRequests"));
  EXPECT_THAT(m.Fire(), ElementsAre("watch rv=5"));
}

TEST(ReflectorStateTest, RetryAfterIsTheLeastThatIsWaited) {
  Machine m({.backoff = kPlain, .streaming_lists = false, .seed = 1});
  m.SyncAt("5");
  Error error = TooManyRequests();
  error.retry_after = 17s;
  m.WatchFails(error);
  EXPECT_THAT(m.Fire(), ElementsAre("watch rv=5"));
  EXPECT_EQ(m.waited, 17s);
}

TEST(ReflectorStateTest, AnAbsurdRetryAfterIsNotWaitedFor) {
  Machine m({.backoff = kPlain, .streaming_lists = false, .seed = 1});
  m.SyncAt("5");
  Error error = TooManyRequests();
  error.retry_after = std::chrono::hours(24 * 365);
  m.WatchFails(error);
  EXPECT_THAT(m.Fire(), ElementsAre("watch rv=5"));
  EXPECT_EQ(m.waited, 10min);
}

TEST(ReflectorStateTest, BackoffDoublesFlattensAndResets) {
  Machine m({.backoff = kPlain, .streaming_lists = false, .seed = 1});
  m.Start();
  std::vector<Duration> waits;
  for (int i = 0; i < 8; ++i) {
    m.ListFails(Unreachable());
    m.Fire();
    waits.push_back(m.waited);
  }
  EXPECT_THAT(waits, ElementsAre(800ms, 1600ms, 3200ms, 6400ms, 12800ms, 25600ms, 30s, 30s));
  m.now += 2min;
  m.ListFails(Unreachable());
  m.Fire();
  EXPECT_EQ(m.waited, 800ms);
}

TEST(ReflectorStateTest, ListsAndWatchesShareOneBackoffWithJitter) {
  Machine m;
  m.Start();
  m.ListFails(Unreachable());
  m.Fire();
  EXPECT_THAT(m.waited, AllOf(Ge(800ms), Le(1600ms)));
  m.ListEnds("5");
  m.WatchFails(Unreachable());
  m.Fire();
  EXPECT_THAT(m.waited, AllOf(Ge(1600ms), Le(3200ms)));
}

TEST(ReflectorStateTest, InternalErrorRetriesStopAtTheConfiguredDuration) {
  Machine m({.backoff = kPlain, .streaming_lists = false, .max_internal_error_retry = 5s, .seed = 1});
  m.SyncAt("5");
  const Error error = ServerError(500, "InternalError");
  m.WatchFails(error);  // 0 s
  EXPECT_THAT(m.Fire(), ElementsAre("watch rv=5"));
  m.WatchFails(error);  // 0.8 s
  EXPECT_THAT(m.Fire(), ElementsAre("watch rv=5"));
  m.WatchFails(error);  // 2.4 s
  EXPECT_THAT(m.Fire(), ElementsAre("watch rv=5"));
  m.WatchFails(error);  // 5.6 s
  EXPECT_THAT(m.Fire(), ElementsAre("list rv=5 limit=0"));
}

TEST(ReflectorStateTest, InternalErrorRelistsUnlessRetriesWereAskedFor) {
  Machine m;
  m.SyncAt("5");
  m.WatchFails(ServerError(500, "InternalError"));
  EXPECT_THAT(m.Fire(), ElementsAre("list rv=5 limit=0"));
}

TEST(ReflectorStateTest, BookmarkMovesTheVersionWithoutNotifying) {
  Machine m;
  m.SyncAt("5");
  EXPECT_THAT(m.Event(BookmarkEvent("12")), ElementsAre("bookmark 12"));
  EXPECT_EQ(m.version(), "12");
  EXPECT_THAT(m.Closes(), ElementsAre("watch rv=12"));
}

TEST(ReflectorStateTest, WatchFromNoVersionIsNotMovedByAddedEventsAlone) {
  for (const char* none : {"", "0"}) {
    Machine m;
    m.SyncAt(none);
    EXPECT_THAT(m.Events({AddedEvent(MakePod("a", "9")), AddedEvent(MakePod("b", "3"))}),
                ElementsAre("add a@9", "add b@3"));
    EXPECT_EQ(m.version(), none);
    m.Event(ModifiedEvent(MakePod("a", "10")));
    EXPECT_EQ(m.version(), "10") << "what is not ADDED ends the synthetic events";
    m.Event(AddedEvent(MakePod("c", "11")));
    EXPECT_EQ(m.version(), "11");
  }
}

TEST(ReflectorStateTest, WrongKindsTablesAndNamelessObjectsAreSkippedAndTheStreamGoesOn) {
  Machine m;
  m.SyncAt("5");
  const auto parse = [](const char* json) { return Object::Parse(json).value(); };
  const ObjectPtr node = parse(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","resourceVersion":"90"}})");
  const ObjectPtr table =
      parse(R"({"apiVersion":"meta.k8s.io/v1","kind":"Table","metadata":{"name":"t","resourceVersion":"91"}})");
  const ObjectPtr nameless = parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"resourceVersion":"92"}})");
  WatchEvent other_bookmark{.type = WatchEventType::kBookmark, .object = node};
  EXPECT_THAT(m.Events({AddedEvent(node), ModifiedEvent(table), DeletedEvent(nameless), other_bookmark}), IsEmpty());
  EXPECT_EQ(m.version(), "5");
  EXPECT_THAT(m.Event(AddedEvent(MakePod("a", "6"))), ElementsAre("add a@6"));
  EXPECT_EQ(m.version(), "6");
}

TEST(ReflectorStateTest, WrongKindsInAListAreSkipped) {
  Machine m;
  m.Start();
  m.Items({Object::Parse(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}})").value(), MakePod("a", "1")});
  EXPECT_THAT(m.ListEnds("5"), Contains("replace a@1 at 5"));
}

TEST(ReflectorStateTest, ListOfWhichNothingIsOursIsAnErrorAndReplacesNothing) {
  const ObjectPtr node = Object::Parse(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}})").value();
  Machine m;
  m.Start();
  m.Items({node});
  for (const std::string& action : m.ListEnds("5")) EXPECT_EQ(action.find("replace"), std::string::npos) << action;
  m.Fire();
  m.Items({MakePod("a", "1")});
  EXPECT_THAT(m.ListEnds("6"), Contains("replace a@1 at 6"));
}

TEST(ReflectorStateTest, AnyKindIsTakenWhereNoneIsExpected) {
  Machine m;
  m.intake_options.expected = {};
  m.SyncAt("5");
  const ObjectPtr node =
      Object::Parse(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","resourceVersion":"6"}})").value();
  EXPECT_THAT(m.Event(AddedEvent(node)), ElementsAre("add n@6"));
}

TEST(ReflectorStateTest, EventsReachTheTargetInTheirOrderAndMoveTheVersion) {
  Machine m;
  m.SyncAt("5");
  EXPECT_THAT(m.Events({AddedEvent(MakePod("a", "6")), ModifiedEvent(MakePod("a", "7")), BookmarkEvent("8"),
                        DeletedEvent(MakePod("a", "9"))}),
              ElementsAre("add a@6", "update a@7", "bookmark 8", "delete a@9"));
  EXPECT_EQ(m.version(), "9");
}

TEST(ReflectorStateTest, CleanCloseResumesAtOnceWithoutListing) {
  Machine m;
  m.SyncAt("5");
  m.Event(AddedEvent(MakePod("a", "6")));
  EXPECT_THAT(m.Closes(), ElementsAre("watch rv=6"));
  m.now += 3min;
  EXPECT_THAT(m.Closes(), ElementsAre("watch rv=6")) << "quiet, but not short";
}

TEST(ReflectorStateTest, VeryShortWatchBacksOffAndListsAgain) {
  Machine m;
  m.SyncAt("5");
  m.now += 999ms;
  EXPECT_THAT(m.Closes(), ElementsAre("error disconnected"));
  EXPECT_THAT(m.Fire(), ElementsAre("list rv=5 limit=0"));
}

TEST(ReflectorStateTest, WatchIsShortFromItsOpeningOn) {
  Machine m;
  m.SyncAt("5");
  m.now += 10s;  // the server was slow to answer
  m.Do(WatchOpened{});
  m.now += 10ms;
  EXPECT_THAT(m.Closes(), ElementsAre("error disconnected"));
}

TEST(ReflectorStateTest, ExpiredVersionInTheStreamRelistsAtTheLastSeenAndIsReported) {
  Machine m;
  m.SyncAt("5");
  m.Event(AddedEvent(MakePod("a", "6")));
  EXPECT_THAT(m.Event(ErrorEvent(Expired())), ElementsAre("cancel", "error Expired"));
  EXPECT_THAT(m.Fire(), ElementsAre("list rv=6 limit=0"));
}

TEST(ReflectorStateTest, NothingAfterAnErrorEventIsTaken) {
  Machine m;
  m.SyncAt("5");
  EXPECT_THAT(m.Events({ErrorEvent(Expired()), AddedEvent(MakePod("a", "6"))}), ElementsAre("cancel", "error Expired"));
  EXPECT_EQ(m.version(), "5");
}

TEST(ReflectorStateTest, CorruptObjectErrorTriggersARelistThatRemovesIt) {
  Machine m;
  m.Start();
  m.Items({MakePod("good", "1"), MakePod("corrupt", "2")});
  m.ListEnds("5");
  EXPECT_THAT(m.Event(ErrorEvent(ServerError(500, "StorageReadError"))),
              ElementsAre("cancel", "error StorageReadError"));
  EXPECT_THAT(m.Fire(), ElementsAre("list rv=5 limit=0"));
  m.Items({MakePod("good", "1")});
  EXPECT_THAT(m.ListEnds("8"), ElementsAre("replace good@1 at 8", "watch rv=8"));
}

TEST(ReflectorStateTest, MalformedEventIsReportedAndListsAgainAfterBackoff) {
  Machine m;
  m.SyncAt("5");
  EXPECT_THAT(m.WatchFails({.code = ErrorCode::kMalformed}), ElementsAre("error malformed data"));
  EXPECT_THAT(m.Fire(), ElementsAre("list rv=5 limit=0"));
}

TEST(ReflectorStateTest, BrokenConnectionResumesWithoutRelisting) {
  Machine m;
  m.SyncAt("5");
  m.Event(AddedEvent(MakePod("a", "6")));
  EXPECT_THAT(m.WatchFails(Disconnected()), ElementsAre("error disconnected", "watch rv=6"));
  m.now += 2s;
  EXPECT_THAT(m.WatchFails({.code = ErrorCode::kDeadlineExceeded}),
              ElementsAre("error deadline exceeded", "watch rv=6"));
  EXPECT_THAT(m.WatchFails(Disconnected()), ElementsAre("error disconnected")) << "broken at once: not hammered";
  EXPECT_THAT(m.Fire(), ElementsAre("watch rv=6"));
}

Error NoSuchKind() { return ServerError(404, "NotFound"); }

TEST(ReflectorStateTest, KindThatIsNotThereIsToldOnceAndAskedForAtASteadyPaceUntilItComes) {
  for (const bool streaming : {false, true}) {
    Machine m({.streaming_lists = streaming, .seed = 1});
    const Lines asks = m.Start();
    const auto missing = [&] { return streaming ? m.WatchFails(NoSuchKind()) : m.ListFails(NoSuchKind()); };
    EXPECT_THAT(missing(), ElementsAre("error NotFound"));
    EXPECT_EQ(m.state.Status().phase, ReflectorPhase::kParked);
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(m.Fire(), asks);
      EXPECT_THAT(m.waited, AllOf(Ge(Duration(5s)), Le(Duration(7500ms)))) << "no back-off";
      EXPECT_THAT(missing(), IsEmpty()) << "told already";
      EXPECT_EQ(m.state.Status().phase, ReflectorPhase::kParked);
    }
    m.Fire();
    if (streaming) {
      m.Event(InitialEventsEnd("9"));
    } else {
      m.ListEnds("9");
    }
    EXPECT_EQ(m.state.Status().phase, ReflectorPhase::kWatching);
  }
}

TEST(ReflectorStateTest, KindThatIsRemovedParksAndIsToldAgain) {
  Machine m;
  m.Start();
  m.ListFails(NoSuchKind());
  m.Fire();
  m.Items({MakePod("a", "5")});
  m.ListEnds("7");
  EXPECT_THAT(m.WatchFails(NoSuchKind()), ElementsAre("error NotFound"));
  EXPECT_THAT(m.Fire(), ElementsAre("list rv=7 limit=0"));
  EXPECT_THAT(m.ListFails(NoSuchKind()), ElementsAre("error NotFound")) << "and nothing is replaced";
  EXPECT_EQ(m.state.Status().phase, ReflectorPhase::kParked);
}

TEST(ReflectorStateTest, StatusCountsWhatTheListHasBrought) {
  Machine m;
  m.Start();
  const ObjectPtr a = MakePod("a", "5");
  const ObjectPtr b = MakePod("b", "6");
  m.Items({a});
  m.Items({b});
  EXPECT_EQ(m.state.Status().listed_objects, 2U);
  EXPECT_EQ(m.state.Status().listed_bytes, a->Json().size() + b->Json().size());
  m.ListEnds("7");
  EXPECT_EQ(m.state.Status().listed_bytes, 0U) << "no list is under way";
}

TEST(ReflectorStateTest, StopEndsListWatchAndBackoff) {
  Machine listing;
  listing.Start();
  EXPECT_THAT(listing.Do(Stopped{}), ElementsAre("cancel"));
  EXPECT_THAT(listing.ListEnds("5"), IsEmpty());
  Machine watching;
  watching.SyncAt("5");
  EXPECT_THAT(watching.Do(Stopped{}), ElementsAre("cancel"));
  EXPECT_THAT(watching.Do(Stopped{}), IsEmpty()) << "exactly once";
  EXPECT_THAT(watching.Event(AddedEvent(MakePod("a", "6"))), IsEmpty());
  Machine waiting;
  waiting.Start();
  waiting.ListFails(Unreachable());
  EXPECT_THAT(waiting.Do(Stopped{}), IsEmpty());
  EXPECT_THAT(waiting.Fire(), IsEmpty());
  EXPECT_EQ(waiting.state.Status().phase, ReflectorPhase::kStopped);
}

// --- Streaming lists ---

TEST(StreamingListTest, AsksForInitialEventsNotOlderThanTheLastVersion) {
  Machine first(Streaming());
  EXPECT_THAT(first.Start(), ElementsAre("streaming list rv="));
  EXPECT_EQ(first.watch.resource_version_match, "NotOlderThan");
  EXPECT_TRUE(first.watch.allow_bookmarks);
  EXPECT_THAT(first.watch.timeout, Ge(5min));
  Machine later(Streaming(), {.resource_version = "7"});
  EXPECT_THAT(later.Start(), ElementsAre("streaming list rv=7"));
}

TEST(StreamingListTest, EndsOnlyAtTheAnnotationWithTheValueTrueAndGoesOnAsTheWatch) {
  Machine m(Streaming());
  m.Start();
  EXPECT_THAT(m.Event(AddedEvent(MakePod("a", "1"))), IsEmpty());
  EXPECT_THAT(m.Event(BookmarkEvent("2")), IsEmpty());
  EXPECT_THAT(m.Event({.type = WatchEventType::kBookmark, .object = MakeBookmark("3", "false")}), IsEmpty());
  EXPECT_EQ(m.state.Status().phase, ReflectorPhase::kListing);
  EXPECT_EQ(m.state.Status().listed_objects, 1U);
  EXPECT_THAT(m.Events({InitialEventsEnd("4"), AddedEvent(MakePod("b", "5"))}),
              ElementsAre("replace a@1 at 4", "add b@5"));
  EXPECT_EQ(m.version(), "5");
  EXPECT_EQ(m.state.Status().phase, ReflectorPhase::kWatching);
}

TEST(StreamingListTest, UpdatesAndDeletesBeforeTheBookmarkAreReflected) {
  Machine m(Streaming());
  m.Start();
  m.Events({AddedEvent(MakePod("a", "1")), AddedEvent(MakePod("b", "2")), AddedEvent(MakePod("c", "3")),
            ModifiedEvent(MakePod("a", "4")), DeletedEvent(MakePod("b", "5")), DeletedEvent(MakePod("x", "6"))});
  EXPECT_THAT(m.Event(InitialEventsEnd("7")), ElementsAre("replace a@4 c@3 at 7"));
}

TEST(StreamingListTest, ServerThatRefusesItGetsAPagedListAndIsRemembered) {
  for (const Error& refusal : {ServerError(422, "Invalid"), ServerError(400, "BadRequest")}) {
    Machine m(Streaming());
    m.Start();
    EXPECT_THAT(m.WatchFails(refusal), ElementsAre("list rv=0 limit=500")) << "and no error is reported";
    EXPECT_THAT(m.ListEnds("5"), ElementsAre("replace at 5", "watch rv=5"));
    m.Event(ErrorEvent(Expired()));
    EXPECT_THAT(m.Fire(), ElementsAre("list rv=5 limit=0"));
    EXPECT_EQ(m.state.Status().streaming_fallbacks, 1U);
  }
}

TEST(StreamingListTest, AnyOtherErrorListsThisPassAndStreamsTheNext) {
  Machine m(Streaming());
  m.Start();
  EXPECT_THAT(m.WatchFails(ServerError(403, "Forbidden")), ElementsAre("error Forbidden", "list rv=0 limit=500"));
  m.ListEnds("5");
  m.Event(ErrorEvent(Expired()));
  EXPECT_THAT(m.Fire(), ElementsAre("streaming list rv=5"));
  EXPECT_EQ(m.state.Status().streaming_fallbacks, 0U);
}

TEST(StreamingListTest, SourceThatDeclaresItselfUnableIsNotAsked) {
  Machine m(Streaming());
  EXPECT_THAT(m.Do(Started{.supports_streaming = false}), ElementsAre("list rv=0 limit=500"));
}

TEST(StreamingListTest, RefusedOrTooManyRequestsBacksOffAndStreamsAgain) {
  Machine m(Streaming());
  m.Start();
  EXPECT_THAT(m.WatchFails(Unreachable()), ElementsAre("error unreachable"));
  EXPECT_THAT(m.Fire(), ElementsAre("streaming list rv="));
  EXPECT_THAT(m.WatchFails(TooManyRequests()), ElementsAre("error TooManyRequests"));
  EXPECT_THAT(m.Fire(), ElementsAre("streaming list rv="));
}

TEST(StreamingListTest, ExpiredOrTooLargeVersionIsRetriedAtOnceWithTheNewest) {
  for (const Error& error : {Expired(), ServerError(504, "Timeout", "Too large resource version: 9, current: 5")}) {
    Machine m(Streaming(), {.resource_version = "7"});
    m.Start();
    EXPECT_THAT(m.WatchFails(error), Contains("streaming list rv="));
    EXPECT_THAT(m.WatchFails(error), Not(Contains("streaming list rv="))) << "once";
    EXPECT_THAT(m.Fire(), ElementsAre("streaming list rv="));
  }
}

TEST(StreamingListTest, ExpiredInTheStreamRestartsCleanly) {
  Machine m(Streaming(), {.resource_version = "7"});
  m.Start();
  m.Event(AddedEvent(MakePod("old", "1")));
  EXPECT_THAT(m.Events({ErrorEvent(Expired()), AddedEvent(MakePod("late", "2"))}),
              ElementsAre("cancel", "error Expired", "streaming list rv="));
  m.Event(AddedEvent(MakePod("new", "8")));
  EXPECT_THAT(m.Event(InitialEventsEnd("9")), ElementsAre("replace new@8 at 9"));
}

TEST(StreamingListTest, CutBeforeTheBookmarkRestartsCleanlyWithoutAPartialReplace) {
  Machine m(Streaming());
  m.Start();
  m.Event(AddedEvent(MakePod("old", "1")));
  EXPECT_THAT(m.Closes(), ElementsAre("streaming list rv="));
  m.Event(AddedEvent(MakePod("new", "8")));
  EXPECT_THAT(m.Event(InitialEventsEnd("9")), ElementsAre("replace new@8 at 9"));
}

TEST(StreamingListTest, CutAgainAndAgainBacksOffAndThenListsThisPass) {
  Machine m(Streaming());
  m.Start();
  EXPECT_THAT(m.WatchFails(Disconnected()), ElementsAre("error disconnected", "streaming list rv="));
  EXPECT_THAT(m.Closes(), IsEmpty());
  EXPECT_THAT(m.Fire(), ElementsAre("streaming list rv="));
  EXPECT_THAT(m.Closes(), ElementsAre("list rv=0 limit=500"));
  EXPECT_EQ(m.state.Status().streaming_fallbacks, 0U);
}

TEST(StreamingListTest, CutAfterTheBookmarkResumesAsAPlainWatchFromItsVersion) {
  Machine m(Streaming());
  m.Start();
  m.Event(InitialEventsEnd("9"));
  EXPECT_THAT(m.Closes(), ElementsAre("watch rv=9"));
  EXPECT_EQ(m.watch.send_initial_events, std::nullopt);
}

TEST(StreamingListTest, BookmarkThatNeverComesFallsBackToPagedListsForGood) {
  Machine m({.streaming_list_deadline = 30s, .seed = 1});
  m.Start();
  m.Do(WatchOpened{});
  m.Event(AddedEvent(MakePod("a", "1")));
  EXPECT_THAT(m.Fire(), ElementsAre("cancel", "list rv=0 limit=500"));
  EXPECT_EQ(m.waited, 30s);
  EXPECT_EQ(m.state.Status().streaming_fallbacks, 1U);
  m.ListEnds("5");
  m.Event(ErrorEvent(Expired()));
  EXPECT_THAT(m.Fire(), ElementsAre("list rv=5 limit=0"));
}

TEST(StreamingListTest, ProgressExtendsTheDeadlineUpToTenTimes) {
  Machine m({.streaming_list_deadline = 10s, .seed = 1});
  m.Start();
  const TimePoint began = m.now;
  Lines lines;
  for (int i = 1; lines.empty() && i < 1000; ++i) {
    m.now += 5s;
    // A server that ignores sendInitialEvents sends events forever.
    m.Event(AddedEvent(MakePod("a", std::to_string(i))));
    if (m.now >= *m.timer) lines = m.Do(TimerFired{});
  }
  EXPECT_THAT(lines, ElementsAre("cancel", "list rv=0 limit=500"));
  EXPECT_EQ(m.now - began, 100s);
  EXPECT_EQ(m.state.Status().streaming_fallbacks, 1U);
}

TEST(StreamingListTest, NoAnswerAtAllListsThisPassAndBlamesNobody) {
  Machine m({.streaming_list_deadline = 30s, .seed = 1});
  m.Start();
  EXPECT_THAT(m.Fire(), ElementsAre("cancel", "error deadline exceeded", "list rv=0 limit=500"));
  EXPECT_EQ(m.state.Status().streaming_fallbacks, 0U);
}

TEST(StreamingListTest, WatchdogOfItsStreamHoldsForTheWatchThatItBecomes) {
  Machine m({.watchdog_slack = 10s, .seed = 1});
  m.Start();
  const TimePoint began = m.now;
  m.now += 20s;
  m.Event(InitialEventsEnd("9"));
  EXPECT_THAT(m.Fire(), ElementsAre("cancel", "watch rv=9"));
  EXPECT_THAT(m.now - began, AllOf(Ge(5min), Lt(10min + 10s)));
}

// --- Transforms ---

struct Counting {
  std::shared_ptr<int> calls = std::make_shared<int>(0);
  Transform Function() const {
    return [calls = calls](const ObjectPtr& object) -> Result<ObjectPtr> {
      ++*calls;
      return MakePod(std::string(object->Name()), std::string(object->ResourceVersion()), "", R"(,"seen":true)");
    };
  }
};

TEST(ReflectorTransformTest, RunsExactlyOncePerObjectOnBothWaysOfListingAndOnWatches) {
  const Counting counting;
  Machine paged;
  paged.intake_options.transform = counting.Function();
  paged.Start();
  paged.Items({MakePod("a", "1"), MakePod("b", "2")});
  EXPECT_THAT(paged.ListEnds("5"), Contains("replace a@1 b@2 at 5"));
  EXPECT_EQ(*counting.calls, 2);
  paged.Events({AddedEvent(MakePod("c", "6")), DeletedEvent(MakePod("c", "7")), BookmarkEvent("8")});
  EXPECT_EQ(*counting.calls, 4) << "deletes too, bookmarks not";

  const Counting again;
  Machine streaming(Streaming());
  streaming.intake_options.transform = again.Function();
  streaming.Start();
  streaming.Events({AddedEvent(MakePod("a", "1")), AddedEvent(MakePod("b", "2"))});
  EXPECT_THAT(streaming.Event(InitialEventsEnd("5")), ElementsAre("replace a@1 b@2 at 5"));
  EXPECT_EQ(*again.calls, 2);
}

TEST(ReflectorTransformTest, FailureInAListFailsTheWholeListAndBacksOff) {
  Machine m;
  m.intake_options.transform = [](ObjectPtr object) -> Result<ObjectPtr> {
    if (object->Name() == "bad") throw std::runtime_error("cannot");
    return object;
  };
  m.Start();
  EXPECT_THAT(m.Items({MakePod("good", "1"), MakePod("bad", "2")}), ElementsAre("cancel", "error internal"));
  EXPECT_THAT(m.state.Status().last_error->message, ::testing::HasSubstr("default/bad"));
  EXPECT_THAT(m.Fire(), ElementsAre("list rv=0 limit=500"));
}

TEST(ReflectorTransformTest, FailureInAStreamingListFailsItAndBacksOff) {
  Machine m(Streaming());
  m.intake_options.transform = [](const ObjectPtr&) -> Result<ObjectPtr> {
    return Error{.code = ErrorCode::kInvalidArgument, .message = "no"};
  };
  m.Start();
  EXPECT_THAT(m.Events({AddedEvent(MakePod("a", "1")), InitialEventsEnd("5")}),
              ElementsAre("cancel", "error invalid argument"));
  EXPECT_THAT(m.Fire(), ElementsAre("streaming list rv="));
}

TEST(ReflectorTransformTest, FailureInAWatchCostsThatEventOnly) {
  Machine m;
  m.SyncAt("5");
  m.intake_options.transform = [](ObjectPtr object) -> Result<ObjectPtr> {
    if (object->Name() == "bad") throw 42;
    return object;
  };
  EXPECT_THAT(m.Events({AddedEvent(MakePod("bad", "6")), AddedEvent(MakePod("good", "7"))}),
              ElementsAre("error internal", "bookmark 6", "add good@7"))
      << "the cache keeps its state of the object, and is as new as the event";
  EXPECT_EQ(m.version(), "7");
}

TEST(ReflectorTransformTest, FailureOnADeletionStillRemovesTheObject) {
  Machine m;
  m.SyncAt("5");
  m.intake_options.transform = [](const ObjectPtr&) -> Result<ObjectPtr> {
    return Error{.code = ErrorCode::kInternal, .message = "no"};
  };
  EXPECT_THAT(m.Event(DeletedEvent(MakePod("a", "6"))), ElementsAre("error internal", "drop a@6"));
}

TEST(ReflectorTransformTest, NullOfAnEventDropsTheObject) {
  Machine m;
  m.SyncAt("5");
  m.intake_options.transform = [](const ObjectPtr&) -> Result<ObjectPtr> { return nullptr; };
  EXPECT_THAT(m.Events({ModifiedEvent(MakePod("a", "6")), DeletedEvent(MakePod("b", "7"))}),
              ElementsAre("drop a@6", "drop b@7"));
  EXPECT_EQ(m.version(), "7");
}

TEST(ReflectorTransformTest, NullDropsTheObject) {
  Machine m;
  m.intake_options.transform = [](const ObjectPtr& object) -> Result<ObjectPtr> {
    return object->Name() == "dropped" ? nullptr : object;
  };
  m.Start();
  m.Items({MakePod("dropped", "1"), MakePod("kept", "2")});
  EXPECT_THAT(m.ListEnds("5"), Contains("replace kept@2 at 5"));
  EXPECT_THAT(m.Event(AddedEvent(MakePod("dropped", "6"))), ElementsAre("drop dropped@6"));
  EXPECT_EQ(m.version(), "6");
}

// --- Sharing ---

class OneKnown final : public KnownObjects {
 public:
  explicit OneKnown(ObjectPtr object) : object_(std::move(object)) {}
  ObjectPtr Find(std::string_view namespace_name, std::string_view name) const override {
    return object_->Namespace() == namespace_name && object_->Name() == name ? object_ : nullptr;
  }

 private:
  const ObjectPtr object_;
};

TEST(ReflectorSharingTest, UnchangedItemsOfARelistAreThePointersThatAreKnown) {
  const OneKnown known(MakePod("a", "1"));
  const ObjectPtr same = known.Find("default", "a");
  const Intake intake({.known = &known});
  const auto listed = [&](ObjectPtr item) { return intake.Items({std::move(item)}).objects.at(0); };
  EXPECT_EQ(listed(MakePod("a", "1")), same);
  EXPECT_NE(listed(MakePod("a", "2")), same) << "another version";
  EXPECT_NE(listed(MakePod("a", "1", "another-uid")), same);
  EXPECT_NE(listed(MakePod("a", "1", "", R"(,"spec":{})")), same) << "other bytes";
  EXPECT_NE(listed(MakePod("b", "1")), same);
  EXPECT_EQ(intake.Events({AddedEvent(MakePod("a", "1"))}, true).at(0).stored.value(), same) << "streaming lists too";
}

TEST(ReflectorSharingTest, ComparesWhatTheTransformMade) {
  const Counting counting;
  const OneKnown known(MakePod("a", "1", "", R"(,"seen":true)"));
  const Intake intake({.transform = counting.Function(), .known = &known});
  EXPECT_EQ(intake.Items({MakePod("a", "1")}).objects.at(0), known.Find("default", "a"));
}

}  // namespace
}  // namespace kinformer::internal
