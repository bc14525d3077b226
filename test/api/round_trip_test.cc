#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <kinformer/api/json.h>
#include <nlohmann/json.hpp>

#include "test/api/example_objects.h"
#include "test/api/example_types.h"

namespace kinformer::api {
namespace {

using nlohmann::json;

template <typename T>
json RoundTrip(const json& dom) {
  auto decoded = Decode<T>(dom.dump());
  if (!decoded) return "error: " + decoded.error().message;
  // Copied and moved on the way: neither may lose anything.
  const T copy = *decoded;
  T moved = std::move(*decoded);
  EXPECT_EQ(copy, moved);
  EXPECT_EQ(ToJson(copy), ToJson(moved));
  return json::parse(ToJson(copy));
}

/// Calls `visit` with the pointer of every value below `dom`, but for the apiVersion and kind of kinds.
void ForEachValue(const json& dom, const json::json_pointer& at,
                  const std::function<void(const json::json_pointer&)>& visit) {
  const auto descend = [&](const json& value, const json::json_pointer& pointer) {
    const std::string parent = pointer.parent_pointer().to_string();
    const bool is_kind = parent.empty() || parent.starts_with("/spec/pods/");
    if (is_kind && (pointer.back() == "apiVersion" || pointer.back() == "kind")) return;
    visit(pointer);
    ForEachValue(value, pointer, visit);
  };
  if (dom.is_object()) {
    for (const auto& [name, value] : dom.items()) descend(value, at / name);
  } else if (dom.is_array()) {
    for (std::size_t i = 0; i < dom.size(); ++i) descend(dom[i], at / i);
  }
}

template <typename T>
void ExpectEveryReplacementToSurvive(std::string_view text) {
  const json original = json::parse(text);
  const T decoded = Decode<T>(original.dump()).value();
  EXPECT_EQ(RoundTrip<T>(original), original);
  const std::vector<json> others = {nullptr,
                                    true,
                                    12345,
                                    -0.5,
                                    "text",
                                    "",
                                    json::object(),
                                    json::array(),
                                    json{{"x", nullptr}, {"y", "z"}},
                                    json::array({json::object(), "x"}),
                                    18446744073709551615U,
                                    json::array({json::array({1, "x"})})};
  ForEachValue(original, json::json_pointer(), [&](const json::json_pointer& pointer) {
    for (const json& other : others) {
      json changed = original;
      changed[pointer] = other;
      SCOPED_TRACE(pointer.to_string() + " = " + other.dump());
      EXPECT_EQ(RoundTrip<T>(changed), changed);
      EXPECT_EQ(Decode<T>(changed.dump()).value() == decoded, changed == original);
    }
    json without = original;
    json& parent = without[pointer.parent_pointer()];
    if (parent.is_object()) parent.erase(pointer.back());
    EXPECT_EQ(RoundTrip<T>(without), without) << "without " << pointer;
  });
}

TEST(RoundTripTest, APodKeepsEveryValueOfAnyTypeAtEveryPlace) {
  ExpectEveryReplacementToSurvive<example::v1::Pod>(example::kPod);
}

TEST(RoundTripTest, AWidgetKeepsEveryValueOfAnyTypeAtEveryPlace) {
  ExpectEveryReplacementToSurvive<example::v1::Widget>(example::kWidget);
}

TEST(RoundTripTest, UnknownMembersSurviveAtEveryDepthAtOnce) {
  json dom = json::parse(example::kPod);
  std::vector<json::json_pointer> objects = {json::json_pointer()};
  ForEachValue(dom, json::json_pointer(), [&](const json::json_pointer& pointer) {
    if (dom[pointer].is_object()) objects.push_back(pointer);
  });
  for (const auto& pointer : objects) {
    const std::string where = pointer.to_string();
    // In maps of text and quantities, only text is no other type.
    dom[pointer]["unknown"] =
        where.ends_with("labels") || where.ends_with("limits") ? json("1") : json{{"a", {1, nullptr}}};
    dom[pointer]["un\"kn\\own \xC3\xA9"] = "\x01\n\"";
  }
  EXPECT_EQ(RoundTrip<example::v1::Pod>(dom), dom);
  const auto decoded = Decode<example::v1::Pod>(dom.dump()).value();
  EXPECT_EQ(decoded.spec->containers[0].rest_.Find("unknown"), R"({"a":[1,null]})");
  EXPECT_EQ(decoded.spec->containers[0].rest_.Find("un\"kn\\own \xC3\xA9"), R"("\u0001\n\"")");
  EXPECT_EQ(decoded.spec->containers[0].name, "server");
}

TEST(RoundTripTest, AListOrMapWithOneBadElementIsKeptWhole) {
  const auto pod = Decode<example::v1::Pod>(
                       R"({"spec":{"containers":[{"name":"a","args":["x",1,"y"]},{"name":"b","env":[{"name":"E"},7]}],)"
                       R"("nodeSelector":{"a":"b","c":[1]}}})")
                       .value();
  ASSERT_EQ(pod.spec->containers.size(), 2U);
  EXPECT_FALSE(pod.spec->containers[0].args.has_value());
  EXPECT_EQ(pod.spec->containers[0].rest_.Find("args"), R"(["x",1,"y"])");
  EXPECT_TRUE(pod.spec->containers[1].env.empty());
  EXPECT_EQ(pod.spec->containers[1].rest_.Find("env"), R"([{"name":"E"},7])");
  EXPECT_FALSE(pod.spec->nodeSelector.has_value());
  EXPECT_EQ(pod.spec->rest_.Find("nodeSelector"), R"({"a":"b","c":[1]})");
}

TEST(RoundTripTest, AMemberThatIsSetLaterWinsOverTheRest) {
  auto pod = Decode<example::v1::Pod>(R"({"spec":{"nodeName":7,"priority":"high","keep":1}})").value();
  EXPECT_FALSE(pod.spec->nodeName.has_value());
  pod.spec->nodeName = "node-1";
  pod.spec->priority = kNull;
  EXPECT_EQ(ToJson(pod), R"({"apiVersion":"v1","kind":"Pod","spec":{"nodeName":"node-1","priority":null,"keep":1}})");
  auto same = Decode<example::v1::Pod>(R"({"spec":{"nodeName":"node-1","priority":null,"keep":1}})").value();
  EXPECT_EQ(pod, same);
  same.spec->rest_.Erase("keep");
  EXPECT_NE(pod, same);
}

TEST(RoundTripTest, TheLastOfEqualNamesWins) {
  const auto read = [](std::string_view text) { return ToJson(Decode<example::v1::PodSpec>(text).value()); };
  EXPECT_EQ(read(R"({"nodeName":"a","nodeName":"b"})"), R"({"nodeName":"b"})");
  EXPECT_EQ(read(R"({"nodeName":"a","nodeName":1})"), R"({"nodeName":1})");
  EXPECT_EQ(read(R"({"nodeName":1,"nodeName":"a"})"), R"({"nodeName":"a"})");
  EXPECT_EQ(read(R"({"nodeName":"a","nodeName":null})"), R"({"nodeName":null})");
  EXPECT_EQ(read(R"({"other":1,"other":2})"), R"({"other":2})");
  EXPECT_EQ(read(R"({"\u006fther":1,"x":0,"other":2})"), R"({"x":0,"other":2})");
  EXPECT_EQ(read(R"({"volumes":[{"name":"a"}],"volumes":[{"name":"b"}]})"), R"({"volumes":[{"name":"b"}]})");
  EXPECT_EQ(read(R"({"volumes":[{"name":"a"}],"volumes":[1]})"), R"({"volumes":[1]})");
  EXPECT_EQ(read(R"({"affinity":{"podAffinity":{}},"affinity":{}})"), R"({"affinity":{}})");
  EXPECT_EQ(read(R"({"nodeSelector":{"a":"1","b":"2","a":"3"}})"), R"({"nodeSelector":{"a":"3","b":"2"}})");
  EXPECT_EQ(ToJson(Decode<example::v1::Pod>(R"({"metadata":{"name":"a","uid":"u"},"metadata":{"name":"b"}})").value()),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"b"}})");
}

TEST(RoundTripTest, TheLastOfEqualNamesAlsoWinsInTheRestItself) {
  const auto rest = [](std::string_view text) { return Decode<example::v1::PodSpec>(text).value().rest_.ToJson(); };
  EXPECT_EQ(rest(R"({"nodeName":1,"x":1,"nodeName":"a"})"), R"({"x":1})");
  EXPECT_EQ(rest(R"({"nodeName":1,"nodeName":"a"})"), "{}");
  EXPECT_EQ(rest(R"({"nodeName":1,"nodeName":"a","nodeName":2})"), R"({"nodeName":2})");
  EXPECT_EQ(rest(R"({"a":1,"b":1,"a":2,"c":1,"b":2,"a":3})"), R"({"c":1,"b":2,"a":3})");
  const auto pod = Decode<example::v1::Pod>(R"({"metadata":{},"metadata":{"name":"a"}})").value();
  EXPECT_TRUE(pod.rest_.empty());
}

// Takes minutes if it is quadratic.
TEST(RoundTripTest, ManyUnknownMembersAreReadComparedAndWritten) {
  constexpr int kCount = 20000;
  std::string text = "{";
  std::string reversed = "{";
  for (int i = 0; i < kCount; ++i) {
    const auto member = [](int index) { return "\"u" + std::to_string(index) + "\":" + std::to_string(index); };
    text += (i == 0 ? "" : ",") + member(i);
    reversed += (i == 0 ? "" : ",") + member(kCount - 1 - i);
  }
  text += "}";
  reversed += "}";
  const auto spec = Decode<example::v1::PodSpec>(text).value();
  auto other = Decode<example::v1::PodSpec>(reversed).value();
  EXPECT_EQ(ToJson(spec), text);
  EXPECT_TRUE(spec == other);
  EXPECT_TRUE(spec.rest_ == other.rest_);
  other.rest_.Set("u7", RawJson());
  EXPECT_FALSE(spec == other);
  EXPECT_FALSE(spec.rest_ == other.rest_);
}

TEST(RoundTripTest, ReadingThroughANonConstObjectChangesNothingThatIsWritten) {
  for (const std::string_view text : {R"({"metadata":{"name":"a"}})", R"({"spec":null})", R"({"spec":{}})",
                                      R"({"spec":{"securityContext":null,"affinity":{}}})"}) {
    auto pod = Decode<example::v1::Pod>(text).value();
    const auto before = pod;
    const std::string written = ToJson(pod);
    EXPECT_EQ(pod.spec->securityContext->runAsUser.value_or(7), 7);
    EXPECT_TRUE(pod.spec->affinity->podAffinity->requiredDuringSchedulingIgnoredDuringExecution.empty());
    EXPECT_EQ(pod.spec->nodeSelector["disk"], "");
    EXPECT_EQ(pod.status->startTime->text(), "");
    for (auto& container : pod.spec->containers) container.name = "never";
    EXPECT_EQ(ToJson(pod), written);
    EXPECT_EQ(pod, before);
    EXPECT_EQ(before, pod);
    const auto copy = pod;
    EXPECT_EQ(ToJson(copy), written);
  }
}

TEST(RoundTripTest, APartThatWasMadeByAccessIsWrittenOnceSomethingIsPutIn) {
  example::v1::Pod pod;
  (void)pod.spec->affinity->podAffinity;
  EXPECT_EQ(ToJson(pod), R"({"apiVersion":"v1","kind":"Pod"})");
  EXPECT_FALSE(pod.spec.has_value());
  pod.spec->affinity->podAffinity = kNull;
  EXPECT_TRUE(pod.spec.has_value());
  EXPECT_EQ(ToJson(pod), R"({"apiVersion":"v1","kind":"Pod","spec":{"affinity":{"podAffinity":null}}})");
}

}  // namespace
}  // namespace kinformer::api
