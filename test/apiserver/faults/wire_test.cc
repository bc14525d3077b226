// The bytes on the wire for each fault.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/meta/status_error.h>

#include "test/apiserver/faults/fault_fixture.h"

namespace kinformer {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kPath = "/api/v1/namespaces/default/configmaps";
const std::string kWatch = kPath + "?watch=1&allowWatchBookmarks=true";
const std::string kInitialEnd = "k8s.io/initial-events-end";

class WireTest : public FaultTest {
 protected:
  /// The complete response to a GET, head and body.
  std::string Answer(const std::string& target) {
    const auto wire = Ask(target, "GET", "", "Connection: close\r\n");
    wire->Ending();
    return wire->seen();
  }
};

TEST_F(WireTest, AnErrorHasItsCodeReasonAndRetryAfter) {
  StartServer();
  Add("list:configmaps:times=1=error,503,7");
  EXPECT_THAT(Answer(kPath), AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After: 7\r\n"),
                                   HasSubstr("\"reason\":\"ServiceUnavailable\"")));
  EXPECT_THAT(Answer(kPath), StartsWith("HTTP/1.1 200 "));
  const Faults::Id plain = Add("list:configmaps:times=1=error,500");
  EXPECT_THAT(Answer(kPath), AllOf(StartsWith("HTTP/1.1 500 "), Not(HasSubstr("Retry-After"))));
  EXPECT_EQ(faults_->Count(plain), 1U);
}

TEST_F(WireTest, AWatchIsRefusedBeforeItBegins) {
  StartServer();
  Add("watch:configmaps:nth=1=throttle,3");
  Add("watch:configmaps:nth=1=expired-start");
  Add("watch:configmaps:nth=1=reject-initial-events");
  EXPECT_THAT(Answer(kWatch), AllOf(StartsWith("HTTP/1.1 429 "), HasSubstr("Retry-After: 3\r\n")));
  EXPECT_THAT(Answer(kWatch), AllOf(StartsWith("HTTP/1.1 410 "), HasSubstr("\"reason\":\"Expired\"")));
  EXPECT_THAT(Answer(kWatch + "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"),
              AllOf(StartsWith("HTTP/1.1 422 "), HasSubstr("sendInitialEvents")));
}

TEST_F(WireTest, AListFromTheFutureTimesOut) {
  StartServer();
  Add("list:configmaps:times=1=too-large");
  EXPECT_THAT(Answer(kPath), AllOf(StartsWith("HTTP/1.1 504 "), HasSubstr("ResourceVersionTooLarge"),
                                   HasSubstr("Retry-After: 1\r\n")));
}

TEST_F(WireTest, ALaterPageExpiresWithOrWithoutATokenToGoOn) {
  StartServer();
  for (const char* name : {"a", "b", "c"}) Create(name);
  Add("list:configmaps:nth=1=expired-page");
  Add("list:configmaps:nth=2=expired-page-no-token");
  const Result<ObjectList> first = ConfigMaps().ListPage({.namespace_name = "default"}, {.limit = 1});
  ASSERT_TRUE(first) << ToString(first.error());
  const std::string next = kPath + "?limit=1&continue=" + first->metadata.continue_token;
  const std::string expired = Answer(next);
  EXPECT_THAT(expired, StartsWith("HTTP/1.1 410 "));
  const json status = json::parse(expired.substr(expired.find("\r\n\r\n") + 4));
  const std::string token = status["metadata"]["continue"];
  const Result<ObjectList> second =
      ConfigMaps().ListPage({.namespace_name = "default"}, {.limit = 1, .continue_token = token});
  ASSERT_TRUE(second) << ToString(second.error());
  ASSERT_EQ(second->items.size(), 1U);
  EXPECT_EQ(second->items[0]->Name(), "b");
  const std::string final_one = Answer(next);
  EXPECT_THAT(final_one, AllOf(StartsWith("HTTP/1.1 410 "), Not(HasSubstr("\"continue\""))));
}

TEST_F(WireTest, AWatchEndsInGoodOrderAfterItsEvents) {
  StartServer();
  for (const char* name : {"a", "b", "c"}) Create(name);
  Add("watch:configmaps:after=2=close");
  const auto wire = Ask(kWatch);
  ASSERT_TRUE(wire->Until("\r\n0\r\n\r\n"));
  const std::string body = wire->Body();
  EXPECT_EQ(std::count(body.begin(), body.end(), '\n'), 2) << body;
  // The connection can be reused.
  wire->Send("/version");
  EXPECT_TRUE(wire->Until("gitVersion"));
}

TEST_F(WireTest, AWatchEndsBeforeItsFirstEvent) {
  StartServer();
  Create("a");
  Add("watch:configmaps=close-early");
  const auto wire = Ask(kWatch);
  ASSERT_TRUE(wire->Until("\r\n0\r\n\r\n"));
  EXPECT_THAT(wire->seen(), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(wire->Body(), "");
}

TEST_F(WireTest, ASilentWatchIsStruckWhenTheFaultComes) {
  StartServer();
  const auto wire = Ask(kWatch);
  ASSERT_TRUE(wire->Until(kInitialEnd));
  const Faults::Id id = Add("watch:configmaps:times=1=expired-event");
  ASSERT_TRUE(wire->Until("\r\n0\r\n\r\n"));
  EXPECT_THAT(wire->Body(), AllOf(HasSubstr("{\"type\":\"ERROR\""), HasSubstr("\"code\":410")));
  EXPECT_EQ(faults_->Count(id), 1U);
}

TEST_F(WireTest, AResetCutsALineInTwo) {
  StartServer();
  Create("a");
  Create("b");
  Add("watch:configmaps:after=1=reset");
  const auto wire = Ask(kWatch);
  EXPECT_EQ(wire->Ending(), "rst");
  const std::string body = wire->Body();
  EXPECT_EQ(std::count(body.begin(), body.end(), '\n'), 1) << body;
  EXPECT_THAT(body, Not(EndsWith("\n")));
}

TEST_F(WireTest, RequestsAreClosedResetAndLeftWithoutAnAnswer) {
  StartServer();
  Add("list:configmaps:nth=1=close");
  Add("list:configmaps:nth=1=reset");
  Add("list:configmaps:nth=1=stall");
  const auto closed = Ask(kPath);
  EXPECT_EQ(closed->Ending(), "fin");
  EXPECT_EQ(closed->seen(), "");
  const auto reset = Ask(kPath);
  EXPECT_EQ(reset->Ending(), "rst");
  EXPECT_THAT(reset->seen(), Not(HasSubstr("\r\n\r\n")));
  const auto stalled = Ask(kPath);
  EXPECT_TRUE(stalled->SilentFor(std::chrono::milliseconds(100)));
}

TEST_F(WireTest, AStalledWatchSaysNothingMore) {
  StartServer();
  Create("a");
  const Faults::Id id = Add("watch:configmaps:after=1=stall");
  const auto wire = Ask(kWatch);
  ASSERT_TRUE(wire->Until("\"name\":\"a\""));
  ASSERT_TRUE(Await([&] { return faults_->Count(id) == 1; }));
  Create("b");
  ASSERT_TRUE(wire->UntilBody("\n"));
  EXPECT_TRUE(wire->SilentFor(std::chrono::milliseconds(100)));
}

TEST_F(WireTest, EveryByteIsAChunk) {
  StartServer();
  Create("a");
  Add("watch:configmaps=byte-by-byte");
  const auto wire = Ask(kWatch);
  ASSERT_TRUE(wire->UntilBody("\n"));
  for (const std::string& chunk : wire->Chunks()) EXPECT_EQ(chunk.size(), 1U);
  EXPECT_THAT(wire->Body(), HasSubstr("\"name\":\"a\""));
}

TEST_F(WireTest, EventsShareAChunk) {
  const auto clock = std::make_shared<FakeClock>();
  StartServer(clock);
  for (const char* name : {"a", "b", "c"}) Create(name);
  Add("watch:configmaps=coalesce,3,1s");
  const auto wire = Ask(kWatch);
  ASSERT_TRUE(wire->UntilBody("\"name\":\"c\""));
  const std::string first = wire->Chunks().front();
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 3) << first;
  // The bookmark is sent separately, after its delay.
  clock->AwaitWaiters(1);
  EXPECT_THAT(wire->seen(), Not(HasSubstr(kInitialEnd)));
  clock->Advance(std::chrono::seconds(2));
  EXPECT_TRUE(wire->Until(kInitialEnd));
}

TEST_F(WireTest, ASlowWatcherIsEndedByTheServer) {
  const auto clock = std::make_shared<FakeClock>();
  StartServer(clock);
  Create("a");
  const Faults::Id id = Add("watch:configmaps:after=1=slow-watcher,1h");
  const auto wire = Ask(kWatch);
  ASSERT_TRUE(wire->Until("\"name\":\"a\""));
  ASSERT_TRUE(Await([&] { return faults_->Count(id) == 1; }));
  // More than one watcher's buffer holds.
  for (int i = 0; i < 400; ++i) Update("a", std::to_string(i + 2));
  ASSERT_TRUE(AwaitWhileTimePasses(*clock, [&] {
    const Result<RawResponse> metrics = client_->Raw({.method = "GET", .target = "/metrics"});
    return metrics &&
           metrics->body.find("apiserver_terminated_watchers_total{resource=\"configmaps\"} 1\n") != std::string::npos;
  }));
  clock->Advance(std::chrono::hours(1));
  // The queued events arrive, then a clean end without an ERROR event.
  ASSERT_TRUE(wire->Until("\r\n0\r\n\r\n"));
  EXPECT_THAT(wire->Body(), Not(HasSubstr("ERROR")));
  const std::string body = wire->Body();
  EXPECT_LT(std::count(body.begin(), body.end(), '\n'), 400);
}

TEST_F(WireTest, TheEndOfTheInitialEventsIsLateOrNeverComes) {
  const auto clock = std::make_shared<FakeClock>();
  StartServer(clock);
  Create("a");
  Add("watch:configmaps:nth=1=late-initial-end,10s");
  const Faults::Id never = Add("watch:configmaps:nth=2=no-initial-end");
  const auto late = Ask(kWatch);
  ASSERT_TRUE(late->Until("\"name\":\"a\""));
  Create("b");
  ASSERT_TRUE(late->Until("\"name\":\"b\""));
  EXPECT_THAT(late->seen(), Not(HasSubstr(kInitialEnd)));
  clock->Advance(std::chrono::seconds(10));
  EXPECT_TRUE(late->Until(kInitialEnd));
  const auto without = Ask(kWatch);
  ASSERT_TRUE(without->Until("\"name\":\"b\""));
  ASSERT_TRUE(AwaitWhileTimePasses(*clock, [&] { return faults_->Count(never) == 1; }));
  Create("c");
  ASSERT_TRUE(without->Until("\"name\":\"c\""));
  EXPECT_THAT(without->seen(), Not(HasSubstr(kInitialEnd)));
}

TEST_F(WireTest, EventsThatNoServerShouldSend) {
  StartServer();
  Create("a");
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"throttle-event,5", "\"retryAfterSeconds\":5"},
      {"too-large-event", "ResourceVersionTooLarge"},
      {"error-event,500", "\"code\":500"},
      {"bad-error-object", "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Surprise\""},
      {"wrong-bookmark-kind", "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Surprise\""},
      {"old-bookmark",
       "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{"
       "\"resourceVersion\":\"1\""},
      {"unknown-event-type", "{\"type\":\"SURPRISE\""},
      {"deep-event,2000", std::string(2000, '[')},
      {"invalid-utf8", "\xff"},
      {"huge-event", std::string(2 << 20U, 'x')}};
  for (const auto& [fault, expected] : faults) {
    faults_->Clear();
    Add("watch:configmaps=" + fault);
    const auto wire = Ask(kWatch);
    EXPECT_TRUE(wire->Until(expected)) << fault;
  }
}

TEST_F(WireTest, AStaleListIsOfThePast) {
  StartServer();
  Create("a");
  const std::string then = ConfigMaps().List().value().metadata.resource_version;
  for (int i = 0; i < 4; ++i) Create("b" + std::to_string(i));
  const std::string newest = ConfigMaps().List().value().metadata.resource_version;
  Add("list:configmaps:nth=1=stale-list,4");
  const json stale = [&] {
    const std::string answer = Answer(kPath + "?resourceVersion=0&limit=500");
    return json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
  }();
  EXPECT_EQ(stale["metadata"]["resourceVersion"], then);
  EXPECT_EQ(stale["items"].size(), 1U);
  EXPECT_EQ(ConfigMaps().List({}, {.resource_version = newest, .limit = 0}).value().items.size(), 5U);
}

TEST_F(WireTest, AWriteIsMadeAndItsAnswerLost) {
  StartServer();
  Add("create:configmaps:times=1=lost-answer");
  const auto wire = Ask(kPath, "POST", std::string(ConfigMap("a", "1")->Json()));
  EXPECT_EQ(wire->Ending(), "rst");
  EXPECT_EQ(wire->seen(), "");
  EXPECT_TRUE(ConfigMaps().Get({"default", "a"}));
}

TEST_F(WireTest, AStormOfConflictsPasses) {
  StartServer();
  Create("a");
  Add("update:configmaps=conflict-storm,2");
  for (int i = 0; i < 2; ++i) {
    const Result<ObjectPtr> refused = ConfigMaps().Update(*ConfigMap("a", "2"));
    ASSERT_FALSE(refused);
    EXPECT_TRUE(IsConflict(refused.error())) << ToString(refused.error());
  }
  Update("a", "2");
}

TEST_F(WireTest, DiscoveryIsPartial) {
  StartServer();
  const std::size_t all = client_->GetDiscovery().Discover().value().resources.size();
  Add("get:/apis/apps/v1=stale-discovery");
  EXPECT_THAT(Answer("/apis/apps/v1"), StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(Answer("/apis"), AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("APIGroupList")));
  const Result<ApiCatalog> catalog = client_->GetDiscovery().Discover();
  ASSERT_TRUE(catalog) << ToString(catalog.error());
  EXPECT_EQ(catalog->failures.count("apps/v1"), 1U);
  EXPECT_LT(catalog->resources.size(), all);
  EXPECT_GT(catalog->resources.size(), 0U);
}

TEST_F(WireTest, ATokenIsRefused) {
  StartServer();
  Add("get:configmaps:times=1=unauthorized");
  EXPECT_THAT(Answer(kPath + "/a"), AllOf(StartsWith("HTTP/1.1 401 "), HasSubstr("\"reason\":\"Unauthorized\"")));
}

TEST_F(WireTest, AKindGoesAndComesBack) {
  const auto clock = std::make_shared<FakeClock>();
  StartServer(clock);
  Create("a");
  const auto wire = Ask(kWatch);
  ASSERT_TRUE(wire->Until(kInitialEnd));
  Add("watch:configmaps:times=1=kind-removed,1m");
  ASSERT_TRUE(wire->Until("\r\n0\r\n\r\n"));
  EXPECT_THAT(Answer(kPath), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(Answer("/api/v1/namespaces/default/secrets"), StartsWith("HTTP/1.1 200 "));
  clock->Advance(std::chrono::minutes(1));
  EXPECT_THAT(Answer(kPath), AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("\"name\":\"a\"")));
}

TEST_F(WireTest, ConnectionsAreRefusedForAWhile) {
  const auto clock = std::make_shared<FakeClock>();
  StartServer(clock);
  const auto running = Ask(kWatch);
  ASSERT_TRUE(running->Until(kInitialEnd));
  Add("get:/version:nth=1=refuse-connections,5s");
  EXPECT_EQ(Ask("/version")->Ending(), "rst");
  EXPECT_EQ(running->Ending(), "rst");
  EXPECT_TRUE(Await([&] { return Connect()->connect_error() == ECONNREFUSED; }));
  // The first refusal may precede the start of the timer that ends it.
  ASSERT_TRUE(AwaitWhileTimePasses(*clock, [&] { return Connect()->connect_error() == 0; }));
  EXPECT_THAT(Answer("/version"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(WireTest, AWipedStoreBeginsAnew) {
  const auto clock = std::make_shared<FakeClock>();
  StartServer(clock);
  for (int i = 0; i < 30; ++i) Create("a" + std::to_string(i));
  const int before = std::stoi(ConfigMaps().List().value().metadata.resource_version);
  const auto watch = Ask(kWatch);
  ASSERT_TRUE(watch->Until(kInitialEnd));
  Add("get:configmaps:times=1=wipe");
  EXPECT_FALSE(ConfigMaps().Get({"default", "a0"}));
  ASSERT_TRUE(AwaitWhileTimePasses(*clock, [&] {
    const Result<ObjectList> list = ConfigMaps().List();
    return list && list->items.empty() && std::stoi(list->metadata.resource_version) < before;
  }));
  EXPECT_TRUE(watch->Until("\r\n0\r\n\r\n"));
  ASSERT_TRUE(AwaitWhileTimePasses(*clock, [&] { return ConfigMaps().Create(*ConfigMap("a0", "2")).ok(); }));
}

TEST_F(WireTest, TheStorageIsAwayForAWhile) {
  const auto clock = std::make_shared<FakeClock>();
  StartServer(clock);
  Create("a");
  Add("get:configmaps:times=1=storage-down,5s");
  EXPECT_FALSE(ConfigMaps().Get({"default", "a"}));
  EXPECT_FALSE(ConfigMaps().Create(*ConfigMap("b", "1")));
  clock->Advance(std::chrono::seconds(5));
  EXPECT_TRUE(AwaitWhileTimePasses(*clock, [&] { return ConfigMaps().Create(*ConfigMap("c", "1")).ok(); }));
}

}  // namespace
}  // namespace kinformer
