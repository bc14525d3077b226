#include "src/apiserver/faults/stream_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kinformer::apiserver {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// A script with one fault. Returns its steps as text: the bytes written, or "<end>", "<reset>", ...
class Script {
 public:
  explicit Script(std::string_view spec, bool newline = true)
      : script_(ParseRequestInfo("GET", "/api/v1/pods", "watch=1&resourceVersion=7").value(), newline,
                [this](Faults::Id) {
                  ++strikes;
                  return allowed;
                }) {
    script_.Join({{1, ParseFault(spec).value()}});
  }

  std::vector<std::string> Turn() { return Text(script_.OnTurn(now)); }
  std::vector<std::string> Event(WatchEventType type, const std::string& name, const std::string& uid = "u") {
    const ObjectPtr object = Object::Parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                                           R"(","uid":")" + uid + R"("}})")
                                 .value();
    return Send({.type = type, .object = object, .error = {}});
  }
  std::vector<std::string> Added(const std::string& name) { return Event(WatchEventType::kAdded, name); }
  std::vector<std::string> InitialEnd() {
    const ObjectPtr object =
        Object::Parse(
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}})")
            .value();
    return Send({.type = WatchEventType::kBookmark, .object = object, .error = {}});
  }
  StreamScript& operator*() { return script_; }

  TimePoint now{};
  int strikes = 0;
  bool allowed = true;

 private:
  std::vector<std::string> Send(const WatchEvent& event) {
    EventLine line;
    line.emplace_back("{\"type\":\"" + std::string(ToString(event.type)) + "\",\"object\":");
    line.emplace_back(event.object, event.object->Json());
    line.push_back(Buffer::Static("}\n"));
    return Text(script_.OnEvent(now, event, line));
  }
  static std::vector<std::string> Text(const std::vector<StreamStep>& steps) {
    std::vector<std::string> all;
    for (const StreamStep& step : steps) {
      switch (step.kind) {
        case StreamStep::Kind::kWrite: {
          std::string text;
          for (const Buffer& part : step.bytes) text += part.bytes;
          all.push_back(std::move(text));
          break;
        }
        case StreamStep::Kind::kByteByByte:
          all.emplace_back("<byte by byte>");
          break;
        case StreamStep::Kind::kServer:
          all.emplace_back("<server>");
          break;
        case StreamStep::Kind::kEnd:
          all.emplace_back("<end>");
          break;
        case StreamStep::Kind::kReset:
          all.emplace_back("<reset>");
          break;
        case StreamStep::Kind::kStall:
          all.emplace_back("<stall>");
          break;
      }
    }
    return all;
  }

  StreamScript script_;
};

std::string Line(const std::string& type, const std::string& name, const std::string& uid = "u") {
  return "{\"type\":\"" + type + R"(","object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
         R"(","uid":")" + uid + "\"}}}\n";
}

TEST(StreamScriptTest, AnEndComesAfterSoManyEvents) {
  Script none("watch:pods=close");
  EXPECT_THAT(none.Turn(), ElementsAre("<end>"));
  Script two("watch:pods:after=2=close");
  EXPECT_THAT(two.Turn(), IsEmpty());
  EXPECT_THAT(two.Added("a"), ElementsAre(Line("ADDED", "a")));
  EXPECT_THAT(two.Turn(), IsEmpty());
  EXPECT_THAT(two.Added("b"), ElementsAre(Line("ADDED", "b"), "<end>"));
  EXPECT_EQ(two.strikes, 1);
}

TEST(StreamScriptTest, BookmarksAreNoEventsToCount) {
  Script script("watch:pods:after=1=stall");
  EXPECT_EQ(script.InitialEnd().size(), 1U);
  EXPECT_THAT(script.Added("a"), ElementsAre(Line("ADDED", "a"), "<stall>"));
}

TEST(StreamScriptTest, WhatIsUsedUpLeavesTheWatchAlone) {
  Script script("watch:pods=close");
  script.allowed = false;
  EXPECT_THAT(script.Turn(), IsEmpty());
  EXPECT_THAT(script.Added("a"), ElementsAre(Line("ADDED", "a")));
  EXPECT_EQ(script.strikes, 1);
}

TEST(StreamScriptTest, ErrorsAreEventsAndTheEnd) {
  for (const auto& [spec, code, reason] :
       std::vector<std::tuple<std::string, int, std::string>>{{"watch:pods=expired-event", 410, "Expired"},
                                                              {"watch:pods=too-large-event", 504, "Timeout"},
                                                              {"watch:pods=throttle-event,7", 429, "TooManyRequests"},
                                                              {"watch:pods=error-event,500", 500, "InternalError"}}) {
    Script script(spec);
    const std::vector<std::string> steps = script.Turn();
    ASSERT_EQ(steps.size(), 2U) << spec;
    const auto event = nlohmann::json::parse(steps[0]);
    EXPECT_EQ(event["type"], "ERROR") << spec;
    EXPECT_EQ(event["object"]["kind"], "Status") << spec;
    EXPECT_EQ(event["object"]["code"], code) << spec;
    EXPECT_EQ(event["object"]["reason"], reason) << spec;
    EXPECT_EQ(steps[0].back(), '\n');
    EXPECT_EQ(steps[1], "<end>");
  }
  Script throttle("watch:pods=throttle-event,7");
  EXPECT_THAT(throttle.Turn()[0], HasSubstr("\"retryAfterSeconds\":7"));
  Script too_large("watch:pods=too-large-event");
  EXPECT_THAT(too_large.Turn()[0], HasSubstr("ResourceVersionTooLarge"));
  Script bad("watch:pods=bad-error-object");
  EXPECT_THAT(bad.Turn(), ElementsAre(StartsWith(R"({"type":"ERROR","object":{"kind":"Surprise")"), "<end>"));
}

TEST(StreamScriptTest, AFrameHasNoNewline) {
  Script script("watch:pods=expired-event", /*newline=*/false);
  EXPECT_EQ(script.Turn()[0].back(), '}');
}

TEST(StreamScriptTest, AResetIsInTheMiddleOfALine) {
  Script script("watch:pods:after=1=reset");
  EXPECT_EQ(script.Added("a").size(), 1U);
  const std::string whole = Line("ADDED", "b");
  EXPECT_THAT(script.Added("b"), ElementsAre(whole.substr(0, whole.size() / 2), "<reset>"));
}

TEST(StreamScriptTest, EventsAreDuplicatedDroppedAndReordered) {
  Script duplicate("watch:pods:after=1=duplicate");
  EXPECT_EQ(duplicate.Added("a").size(), 1U);
  EXPECT_THAT(duplicate.Added("b"), ElementsAre(Line("ADDED", "b"), Line("ADDED", "b")));
  EXPECT_EQ(duplicate.Added("c").size(), 1U);
  Script drop("watch:pods=drop");
  EXPECT_THAT(drop.Added("a"), IsEmpty());
  EXPECT_EQ(drop.Added("b").size(), 1U);
  Script reorder("watch:pods=reorder");
  EXPECT_THAT(reorder.Added("a"), IsEmpty());
  EXPECT_THAT(reorder.Added("b"), ElementsAre(Line("ADDED", "b"), Line("ADDED", "a")));
  EXPECT_EQ(reorder.Added("c").size(), 1U);
}

TEST(StreamScriptTest, ObjectsAreMadeHugeDeepAndWrong) {
  Script huge("watch:pods=huge-event,3000000");
  const std::vector<std::string> big = huge.Added("a");
  ASSERT_EQ(big.size(), 1U);
  EXPECT_GT(big[0].size(), 3000000U);
  const auto parsed = nlohmann::json::parse(big[0]);
  EXPECT_EQ(parsed["type"], "ADDED");
  EXPECT_EQ(parsed["object"]["metadata"]["name"], "a");
  EXPECT_EQ(parsed["object"]["kinformerFault"].get<std::string>().size(), 3000000U);
  Script deep("watch:pods=deep-event,3");
  EXPECT_THAT(deep.Added("a"), ElementsAre(HasSubstr(R"("object":{"kinformerFault":[[[]]],"apiVersion":"v1",)")));
  Script wrong("watch:pods=invalid-utf8");
  EXPECT_THAT(wrong.Added("a"), ElementsAre(HasSubstr("\xff")));
  Script unknown("watch:pods=unknown-event-type");
  EXPECT_THAT(unknown.Added("a"), ElementsAre(Line("SURPRISE", "a"), Line("ADDED", "a")));
}

TEST(StreamScriptTest, AReplacedObjectComesAsModified) {
  Script script("watch:pods=replace-uid");
  EXPECT_EQ(script.Added("a").size(), 1U);
  EXPECT_THAT(script.Event(WatchEventType::kDeleted, "a"), IsEmpty());
  EXPECT_EQ(script.Added("b").size(), 1U);
  EXPECT_THAT(script.Event(WatchEventType::kAdded, "a", "v"), ElementsAre(Line("MODIFIED", "a", "v")));
  EXPECT_EQ(script.Event(WatchEventType::kDeleted, "a").size(), 1U);
}

TEST(StreamScriptTest, TheInitialEndIsWithheldOrLate) {
  Script never("watch:pods=no-initial-end");
  EXPECT_THAT(never.InitialEnd(), IsEmpty());
  EXPECT_EQ((*never).NextTime(), std::nullopt);
  Script late("watch:pods=late-initial-end,2s");
  EXPECT_THAT(late.InitialEnd(), IsEmpty());
  EXPECT_EQ((*late).NextTime(), late.now + seconds(2));
  EXPECT_EQ(late.Added("a").size(), 1U);
  EXPECT_THAT(late.Turn(), IsEmpty());
  late.now += seconds(2);
  EXPECT_THAT(late.Turn(), ElementsAre(HasSubstr("initial-events-end")));
  EXPECT_THAT(late.Turn(), IsEmpty());
}

TEST(StreamScriptTest, BookmarksOfAnotherKindAndOfThePast) {
  Script wrong("watch:pods=wrong-bookmark-kind");
  EXPECT_THAT(wrong.Turn(), ElementsAre(HasSubstr(R"("kind":"Surprise")")));
  Script old("watch:pods=old-bookmark");
  EXPECT_THAT(old.Turn(), IsEmpty());
  const std::vector<std::string> steps = old.Added("a");
  ASSERT_EQ(steps.size(), 2U);
  const auto bookmark = nlohmann::json::parse(steps[1]);
  EXPECT_EQ(bookmark["type"], "BOOKMARK");
  EXPECT_EQ(bookmark["object"]["kind"], "Pod");
  EXPECT_EQ(bookmark["object"]["metadata"]["resourceVersion"], "1");
}

TEST(StreamScriptTest, EventsAreGatheredIntoOneChunk) {
  Script script("watch:pods=coalesce,3,100ms");
  EXPECT_THAT(script.Turn(), IsEmpty());
  EXPECT_THAT(script.Added("a"), IsEmpty());
  EXPECT_THAT(script.Added("b"), IsEmpty());
  EXPECT_THAT(script.Added("c"), ElementsAre(Line("ADDED", "a") + Line("ADDED", "b") + Line("ADDED", "c")));
  EXPECT_EQ((*script).NextTime(), std::nullopt);
  EXPECT_THAT(script.Added("d"), IsEmpty());
  EXPECT_EQ((*script).NextTime(), script.now + milliseconds(100));
  script.now += milliseconds(100);
  EXPECT_THAT(script.Turn(), ElementsAre(Line("ADDED", "d")));
}

TEST(StreamScriptTest, ASlowWatcherIsPaused) {
  Script script("watch:pods:after=1=slow-watcher,5s");
  EXPECT_FALSE((*script).Paused(script.now));
  EXPECT_EQ(script.Added("a").size(), 1U);
  EXPECT_TRUE((*script).Paused(script.now));
  EXPECT_EQ((*script).NextTime(), script.now + seconds(5));
  script.now += seconds(5);
  EXPECT_FALSE((*script).Paused(script.now));
}

TEST(StreamScriptTest, WhatConcernsTheServerIsLeftToIt) {
  Script wipe("watch:pods:after=1=wipe");
  EXPECT_THAT(wipe.Added("a"), ElementsAre(Line("ADDED", "a"), "<server>"));
  EXPECT_THAT(wipe.Added("b"), ElementsAre(Line("ADDED", "b")));
  Script bytes("watch:pods=byte-by-byte");
  EXPECT_THAT(bytes.Turn(), ElementsAre("<byte by byte>"));
}

TEST(StreamScriptTest, FaultsThatComeLaterCountFromThere) {
  Script script("watch:pods:after=100=close");
  EXPECT_EQ(script.Added("a").size(), 1U);
  (*script).Join({{2, ParseFault("watch:pods:after=1=close").value()}});
  EXPECT_THAT(script.Turn(), IsEmpty());
  EXPECT_THAT(script.Added("b"), ElementsAre(Line("ADDED", "b"), "<end>"));
}

}  // namespace
}  // namespace kinformer::apiserver
