#include "src/apiserver/protobuf/protobuf_decoder.h"

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string Unhex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

/// For Kubernetes types, null and absent are equivalent, and so is an empty list where the field is always written.
json WithoutNulls(const json& value) {
  if (value.is_array()) {
    json out = json::array();
    for (const json& item : value) out.push_back(WithoutNulls(item));
    return out;
  }
  if (!value.is_object()) return value;
  json out = json::object();
  for (const auto& [key, item] : value.items()) {
    if (!item.is_null()) out[key] = WithoutNulls(item);
  }
  return out;
}

struct Golden {
  std::string name{};
  std::string body{};
  json object{};
};

const std::vector<Golden>& AllGolden() {
  static const std::vector<Golden> all = [] {
    std::vector<Golden> read;
    std::ifstream file(TESTDATA "/golden.jsonl");
    for (std::string line; std::getline(file, line);) {
      const json entry = json::parse(line);
      read.push_back({entry["name"], Unhex(entry["protobuf"].get<std::string>()), entry["json"]});
    }
    return read;
  }();
  return all;
}

std::string Varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7U) out += static_cast<char>(value | 0x80U);
  out += static_cast<char>(value);
  return out;
}

std::string Number(int field, std::uint64_t value) {
  return Varint(static_cast<std::uint64_t>(field) << 3U) + Varint(value);
}

std::string Bytes(int field, std::string_view value) {
  return Varint((static_cast<std::uint64_t>(field) << 3U) | 2U) + Varint(value.size()) + std::string(value);
}

std::string Body(std::string_view api_version, std::string_view kind, std::string_view raw) {
  return std::string("k8s\0", 4) + Bytes(1, Bytes(1, api_version) + Bytes(2, kind)) + Bytes(2, raw) + Bytes(3, "") +
         Bytes(4, "");
}

json Decoded(std::string_view body) {
  const Result<std::string> text = ProtobufToJson(body, {});
  if (!text) return json{{"error", text.error().message}, {"status", text.error().http_status}};
  return json::parse(*text);
}

json ConfigMap(std::string_view raw) { return Decoded(Body("v1", "ConfigMap", raw)); }

TEST(ProtobufDecoder, WhatGoEncodesIsTheJsonThatGoWouldHaveSent) {
  ASSERT_GT(AllGolden().size(), 200U);
  for (const Golden& golden : AllGolden()) {
    SCOPED_TRACE(golden.name);
    const Result<std::string> text = ProtobufToJson(golden.body, {});
    ASSERT_TRUE(text.ok()) << ToString(text.error());
    const json decoded = json::parse(*text, nullptr, false);
    ASSERT_FALSE(decoded.is_discarded()) << *text;
    const json difference = json::diff(WithoutNulls(golden.object), WithoutNulls(decoded));
    EXPECT_EQ(difference, json::array()) << difference.dump(1);
  }
}

TEST(ProtobufDecoder, EveryBodyCutShortIsRefusedOrAShorterObject) {
  for (const Golden& golden : AllGolden()) {
    if (golden.body.size() > 3000) continue;
    for (std::size_t size = 0; size < golden.body.size(); ++size) {
      const Result<std::string> text = ProtobufToJson(std::string_view(golden.body).substr(0, size), {});
      if (text) {
        EXPECT_TRUE(json::accept(*text));
      } else {
        EXPECT_THAT(text.error().http_status, ::testing::AnyOf(400, 415));
        EXPECT_FALSE(text.error().message.empty());
      }
    }
  }
}

TEST(ProtobufDecoder, ABodyWithoutTheMagicIsABadRequest) {
  const Result<std::string> text = ProtobufToJson("{}", {});
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().http_status, 400);
  EXPECT_EQ(text.error().reason, "BadRequest");
  EXPECT_THAT(text.error().message, HasSubstr("expected prefix [107 56 115 0]"));
  EXPECT_EQ(ProtobufToJson(std::string_view("k8s\0", 4), {}).error().message, "empty body");
}

TEST(ProtobufDecoder, OnlyAKindThatNobodyKnowsIsUnsupported) {
  const Result<std::string> text = ProtobufToJson(Body("example.com/v1", "Web", ""), {});
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().http_status, 415);
  EXPECT_EQ(text.error().reason, "UnsupportedMediaType");
}

TEST(ProtobufDecoder, TheOptionsAreOfEveryGroup) {
  EXPECT_EQ(Decoded(Body("example.com/v7", "DeleteOptions", Number(1, 0) + Bytes(4, "Foreground"))),
            json::parse(R"({"apiVersion":"example.com/v7","kind":"DeleteOptions","gracePeriodSeconds":0,
                            "propagationPolicy":"Foreground"})"));
}

TEST(ProtobufDecoder, ABodyThatDoesNotSayWhatItIsIsWhatTheRequestAsksFor) {
  const std::string body = std::string("k8s\0", 4) + Bytes(2, Bytes(1, Bytes(1, "a")));
  const Result<std::string> text = ProtobufToJson(body, {.api_version = "v1", .kind = "ConfigMap"});
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(json::parse(*text), json::parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})"));
}

TEST(ProtobufDecoder, FieldsThatNobodyKnowsAreSkipped) {
  const std::string fixed = std::string("\xF9\x3E", 2) + "12345678" + std::string("\xFD\x3E", 2) + "1234";
  const std::string group = std::string("\xFB\x3E", 2) + Number(1, 5) + std::string("\xFC\x3E", 2);
  EXPECT_EQ(ConfigMap(Number(900, 7) + Bytes(901, "x") + fixed + group + Bytes(2, Bytes(1, "k") + Bytes(2, "v"))),
            json::parse(R"({"apiVersion":"v1","kind":"ConfigMap","data":{"k":"v"}})"));
}

TEST(ProtobufDecoder, OfAFieldThatOccursTwiceTheLastCountsAndMessagesAreMerged) {
  const std::string first = Bytes(1, Bytes(1, "a") + Bytes(3, "ns"));
  const std::string second = Bytes(1, Bytes(1, "b"));
  EXPECT_EQ(
      ConfigMap(first + Bytes(2, Bytes(1, "k") + Bytes(2, "1")) + second + Bytes(2, Bytes(1, "k") + Bytes(2, "2"))),
      json::parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b","namespace":"ns"},
                            "data":{"k":"2"}})"));
}

TEST(ProtobufDecoder, AMapEntryWithoutAValueHasTheEmptyOne) {
  EXPECT_EQ(ConfigMap(Bytes(2, Bytes(1, "k")) + Bytes(3, Bytes(1, "b"))),
            json::parse(R"({"apiVersion":"v1","kind":"ConfigMap","data":{"k":""},"binaryData":{"b":""}})"));
}

TEST(ProtobufDecoder, NumbersMayBePacked) {
  // Pod.spec.securityContext.supplementalGroups
  const std::string raw = Bytes(2, Bytes(14, Bytes(4, Varint(1) + Varint(300)) + Number(4, 7)));
  EXPECT_EQ(Decoded(Body("v1", "Pod", raw))["spec"]["securityContext"]["supplementalGroups"], json::parse("[1,300,7]"));
}

TEST(ProtobufDecoder, WhatIsNotUtf8IsReplacedAndControlCharactersAreEscaped) {
  const json object = ConfigMap(Bytes(2, Bytes(1, "k") + Bytes(2, std::string_view("a\xFF\x01\0\xED\xA0\x80\"", 8))));
  EXPECT_EQ(object["data"]["k"], std::string("a\uFFFD\x01\0\uFFFD\uFFFD\uFFFD\"", 17).substr(0, 16));
}

TEST(ProtobufDecoder, MalformedBytesAreBadRequestsThatSayWhy) {
  EXPECT_EQ(ConfigMap(Bytes(1, "\x0A\x7F")), (json{{"error", "unexpected EOF"}, {"status", 400}}));
  EXPECT_EQ(ConfigMap(Number(1, 5)),
            (json{{"error", "proto: wrong wireType = 0 for field metadata"}, {"status", 400}}));
  EXPECT_EQ(ConfigMap("\x0F")["error"], "proto: illegal wireType 7");
  EXPECT_EQ(ConfigMap(std::string_view("\0\0", 2))["status"], 400);
  EXPECT_EQ(ConfigMap("\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01")["error"], "proto: integer overflow");
  EXPECT_EQ(ConfigMap("\x0C")["error"], "proto: unexpected end of group");
}

TEST(ProtobufDecoder, ATimeThatHasNoTextIsABadRequest) {
  const auto created = [](std::uint64_t seconds) {
    return ConfigMap(Bytes(1, Bytes(8, Number(1, seconds) + Number(2, 0))));
  };
  EXPECT_EQ(created(0)["metadata"]["creationTimestamp"], "1970-01-01T00:00:00Z");
  EXPECT_EQ(created(253402300799)["metadata"]["creationTimestamp"], "9999-12-31T23:59:59Z");
  EXPECT_EQ(created(static_cast<std::uint64_t>(-1))["metadata"]["creationTimestamp"], "1969-12-31T23:59:59Z");
  EXPECT_EQ(created(253402300800)["error"], "Time is out of range");
}

TEST(ProtobufDecoder, RawJsonIsCheckedBeforeItBecomesPartOfTheText) {
  // ControllerRevision.data
  const auto revision = [](std::string_view raw) {
    return Decoded(Body("apps/v1", "ControllerRevision", Bytes(2, Bytes(1, raw))));
  };
  EXPECT_EQ(revision(R"({"a":[1]})")["data"], json::parse(R"({"a":[1]})"));
  for (const std::string_view bad : {std::string_view(R"({},"revision":7)"), std::string_view("{}\0{}", 5),
                                     std::string_view("\xEF\xBB\xBF{}"), std::string_view("{")}) {
    EXPECT_EQ(revision(bad)["error"], "the content of a RawExtension is not JSON") << bad;
  }
}

TEST(ProtobufDecoder, NestingIsBounded) {
  // JSONSchemaProps.not, in a CustomResourceDefinition's schema.
  const auto crd = [](int depth) {
    std::string schema;
    for (int i = 0; i < depth; ++i) schema = Bytes(28, schema);
    return ProtobufToJson(
        Body("apiextensions.k8s.io/v1", "CustomResourceDefinition", Bytes(2, Bytes(7, Bytes(4, Bytes(1, schema))))),
        {});
  };
  EXPECT_TRUE(crd(150).ok()) << ToString(crd(150).error());
  const Result<std::string> deep = crd(20000);
  ASSERT_FALSE(deep.ok());
  EXPECT_EQ(deep.error().http_status, 413);
  EXPECT_EQ(deep.error().reason, "RequestEntityTooLarge");
}

TEST(ProtobufDecoder, TheTextIsBounded) {
  const std::string one = Bytes(1, Bytes(1, "name"));
  EXPECT_TRUE(ProtobufToJson(Body("v1", "ConfigMap", one), {}, {.max_json_bytes = 100}).ok());
  std::string many;
  for (int i = 0; i < 100; ++i) many += Bytes(14, "finalizer");
  const Result<std::string> large =
      ProtobufToJson(Body("v1", "ConfigMap", Bytes(1, many)), {}, {.max_json_bytes = 100});
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(large.error().http_status, 413);
}

}  // namespace
}  // namespace kinformer::apiserver
