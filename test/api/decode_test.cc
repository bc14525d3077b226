#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kinformer/api/json.h>

#include "test/api/example_objects.h"
#include "test/api/example_types.h"

namespace kinformer::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(DecodeTest, ReadsEveryTypeOfField) {
  const auto widget = Decode<example::v1::Widget>(example::kWidget).value();
  const auto& spec = *widget.spec;
  EXPECT_EQ(widget.metadata.name, "w");
  EXPECT_EQ(spec.caBundle->Data(), "hello");
  EXPECT_EQ(spec.data["a"].Data(), "a");
  EXPECT_EQ(spec.data.begin()->first, "a");
  EXPECT_EQ(spec.deadlines[1].text(), "soon");
  EXPECT_TRUE(spec.enabled["x"]);
  EXPECT_FALSE(spec.enabled["y"]);
  EXPECT_THAT(spec.extra["scopes"], ElementsAre("a", "b"));
  EXPECT_TRUE(spec.extra["none"].has_value());
  EXPECT_FALSE(spec.extra["absent"].has_value());
  EXPECT_THAT(spec.grid[0], ElementsAre(1, 2));
  EXPECT_EQ(spec.grid[2][0], 3);
  EXPECT_EQ(spec.linux_, "yes");
  EXPECT_EQ(spec.matrix["r"]["c"].name, "n");
  EXPECT_EQ(spec.pods[0].metadata.name, "p");
  EXPECT_EQ(spec.ports[0].ToInt(), 80);
  EXPECT_EQ(spec.ports[1].text(), "http");
  EXPECT_DOUBLE_EQ(*spec.ratio, 0.25);
  EXPECT_THAT(spec.ratios, ElementsAre(1.0, 2.5, -1000.0));
  EXPECT_EQ(spec.renewTime->text(), "2026-01-05T10:00:00.123456Z");
  EXPECT_EQ(spec.schema->default_->text(), R"({"a":[1]})");
  EXPECT_EQ(spec.schema->enum_[2].text(), "null");
  EXPECT_EQ(spec.schema->not_->type, "string");
  EXPECT_EQ(spec.schema->properties["b"].properties["c"].allOf[0].type, "integer");
  EXPECT_EQ(spec.timeout->ToNanoseconds(), std::chrono::seconds(90));
}

TEST(DecodeTest, KeepsBareNumbersAndForeignNotationsOfQuantities) {
  const auto pod = Decode<example::v1::Pod>(example::kPod).value();
  const auto& resources = *pod.spec->containers[0].resources;
  EXPECT_EQ(resources.limits["cpu"].text(), "0.5");
  EXPECT_EQ(resources.limits["cpu"].MilliValue(), 500);
  EXPECT_TRUE(resources.requests["cpu"].IsNumber());
  EXPECT_EQ(ToJson(resources), R"({"limits":{"cpu":"0.5","memory":"512Mi"},"requests":{"cpu":1}})");
}

TEST(DecodeTest, TakesAPartOfAnObjectAndListsAndMaps) {
  const auto spec = Decode<example::v1::PodSpec>(R"({"nodeName":"n"})").value();
  EXPECT_EQ(spec.nodeName, "n");
  const auto names = Decode<List<std::string>>(R"(["a","b"])").value();
  EXPECT_THAT(names, ElementsAre("a", "b"));
  const auto limits = Decode<Map<Quantity>>(R"({"cpu":"1"})").value();
  EXPECT_EQ(ToJson(limits), R"({"cpu":"1"})");
  EXPECT_FALSE(Decode<List<std::string>>(R"(["a",1])"));
  EXPECT_FALSE(Decode<List<std::string>>("{}"));
  EXPECT_FALSE(Decode<example::v1::PodSpec>("[]"));
  EXPECT_FALSE(Decode<example::v1::PodSpec>("null"));
}

TEST(DecodeTest, RefusesAnotherKindAndTakesATextWithoutOne) {
  EXPECT_TRUE(Decode<example::v1::Pod>("{}"));
  EXPECT_TRUE(Decode<example::v1::Pod>(R"({"kind":"\u0050od"})"));
  const auto kind = Decode<example::v1::Pod>(R"({"apiVersion":"v1","kind":"Node"})");
  ASSERT_FALSE(kind);
  EXPECT_EQ(kind.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(kind.error().message, R"(cannot decode a Pod of v1: its kind is "Node")");
  EXPECT_FALSE(Decode<example::v1::Pod>(R"({"apiVersion":"v2","kind":"Pod"})"));
  EXPECT_FALSE(Decode<example::v1::Pod>(R"({"kind":null})"));
}

TEST(DecodeTest, RefusesAnotherKindAtAnyDepth) {
  const auto secret = Decode<List<example::v1::Pod>>(R"([{},{"apiVersion":"v1","kind":"Secret"}])");
  ASSERT_FALSE(secret);
  EXPECT_EQ(secret.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(secret.error().message, R"(cannot decode a Pod of v1: its kind is "Secret" (at byte 30))");
  EXPECT_FALSE(Decode<example::v1::Widget>(R"({"spec":{"pods":[{"apiVersion":"v2"}]}})"));
  EXPECT_FALSE(Decode<example::v1::Widget>(R"({"spec":{"pods":[{"kind":7}]}})"));
  // The kinds that a reference names are plain text.
  EXPECT_TRUE(Decode<example::v1::Pod>(R"({"metadata":{"ownerReferences":[{"apiVersion":"v9","kind":"Other"}]}})"));
}

TEST(DecodeTest, SaysWhereAMalformedTextIsWrong) {
  for (const std::string_view text :
       {"", "{", "{}}", R"({"spec":})", R"({"spec":{"containers":[{},]}})", R"({"spec":{"nodeName":"a" "b"}})",
        R"({"metadata":nul})", R"({"spec":{"nodeName":nope}})", R"({"spec":{"priority":01}})", R"({a:1})",
        R"({"spec":{"tolerations":[1,{]}})", R"({"metadata":{"labels":{"a":"b",}}})", "{\"spec\":\"\xFF\"}"}) {
    SCOPED_TRACE(text);
    const auto decoded = Decode<example::v1::Pod>(text);
    ASSERT_FALSE(decoded);
    EXPECT_EQ(decoded.error().code, ErrorCode::kMalformed);
    EXPECT_THAT(decoded.error().message, HasSubstr("at byte"));
  }
}

TEST(DecodeTest, LimitsTheDepthAsTheCodecDoes) {
  const auto nested = [](std::size_t depth) {
    std::string text;
    for (std::size_t i = 1; i < depth; ++i) text += R"({"not":)";
    return text + "{}" + std::string(depth - 1, '}');
  };
  EXPECT_TRUE(Decode<example::v1::SchemaProps>(nested(512)));
  const auto too_deep = Decode<example::v1::SchemaProps>(nested(513));
  ASSERT_FALSE(too_deep);
  EXPECT_EQ(too_deep.error().code, ErrorCode::kMalformed);
  const std::string arrays = R"({"unknown":)" + std::string(511, '[') + std::string(511, ']') + "}";
  EXPECT_TRUE(Decode<example::v1::SchemaProps>(arrays));
  EXPECT_FALSE(Decode<example::v1::SchemaProps>(R"({"not":)" + arrays + "}"));
}

TEST(DecodeTest, ADeepStructIsCopiedComparedAndWritten) {
  std::string text;
  for (std::size_t i = 1; i < 512; ++i) text += R"({"not":)";
  text += "{}" + std::string(511, '}');
  const auto deep = Decode<example::v1::SchemaProps>(text).value();
  const auto copy = deep;
  EXPECT_EQ(copy, deep);
  EXPECT_EQ(ToJson(copy), text);
}

TEST(DecodeTest, AnIntegerThatADoubleCannotExpressIsKept) {
  const auto schema = Decode<example::v1::SchemaProps>(R"({"maximum":9007199254740993})").value();
  EXPECT_FALSE(schema.maximum.has_value());
  EXPECT_EQ(ToJson(schema), R"({"maximum":9007199254740993})");
}

TEST(DecodeTest, ANumberThatDoesNotFitLeavesNoValue) {
  const auto spec = Decode<example::v1::DeploymentSpec>(R"({"replicas":1.5,"minReadySeconds":7e2})").value();
  EXPECT_FALSE(spec.replicas.has_value());
  EXPECT_EQ(*spec.replicas, 0);
  EXPECT_EQ(*spec.minReadySeconds, 0);
  const auto schema = Decode<example::v1::SchemaProps>(R"({"maximum":9007199254740993})").value();
  EXPECT_EQ(*schema.maximum, 0.0);
}

std::vector<std::string> CausesOf(const Error& error) {
  std::vector<std::string> causes;
  for (const ErrorCause& cause : error.details.causes) causes.push_back(cause.field + " " + cause.message);
  return causes;
}

TEST(DecodeStrictTest, ReportsEveryPathThatDidNotFit) {
  const auto decoded = DecodeStrict<example::v1::Pod>(R"({
    "kind": "Pod", "extra": 1,
    "metadata": {"name": 7, "labels": {"a/b~c": 1}, "creationTimestamp": "today"},
    "spec": {"containers": [{"name": "a"}, {"nam": "b", "args": ["x", 1], "resources": {"limits": {"cpu": "lots"}}}],
             "hostNetwork": "yes", "priority": 1.5, "affinity": [], "volumes": {}}
  })");
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(decoded.error().message, "decoding a Pod of v1: /extra: is not a known field, and 10 more");
  EXPECT_THAT(CausesOf(decoded.error()),
              ElementsAre("/extra is not a known field", "/metadata/name is not a string",
                          "/metadata/labels/a~1b~0c is not a string",
                          "/metadata/creationTimestamp \"today\" is not a time (RFC 3339)",
                          "/spec/containers/1/nam is not a known field", "/spec/containers/1/args/1 is not a string",
                          "/spec/containers/1/resources/limits/cpu \"lots\" is not a quantity",
                          "/spec/hostNetwork is not true or false", "/spec/priority is not an integer of 64 bits",
                          "/spec/affinity is not an object", "/spec/volumes is not an array"));
}

TEST(DecodeStrictTest, AcceptsWhatFitsWithNullsAndEmptyParts) {
  const auto decoded = DecodeStrict<example::v1::Pod>(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{},"spec":{"affinity":null,"volumes":[],"nodeSelector":{}},"status":{}})");
  ASSERT_TRUE(decoded) << decoded.error().message;
}

TEST(DecodeStrictTest, NeverQuotesBinaryData) {
  const auto decoded = DecodeStrict<example::v1::WidgetSpec>(R"({"caBundle":"s3cret*"})");
  ASSERT_FALSE(decoded);
  EXPECT_THAT(CausesOf(decoded.error()), ElementsAre("/caBundle is not base64"));
}

TEST(DecodeStrictTest, ReportsARootOfAnotherType) {
  const auto decoded = DecodeStrict<example::v1::PodSpec>("[]");
  ASSERT_FALSE(decoded);
  EXPECT_THAT(CausesOf(decoded.error()), ElementsAre(" is not an object"));
  EXPECT_EQ(decoded.error().message, "decoding: the JSON is not an object");
  EXPECT_EQ(DecodeStrict<example::v1::Pod>("5").error().message, "decoding a Pod of v1: the JSON is not an object");
}

TEST(DecodeStrictTest, ReportsEveryElementThatDidNotFit) {
  const auto decoded = DecodeStrict<example::v1::Pod>(
      R"({"spec":{"containers":[1,2,{"name":3,"x":[]}],"nodeSelector":{"a":1,"b":2,"c":"fits"}}})");
  ASSERT_FALSE(decoded);
  EXPECT_THAT(CausesOf(decoded.error()),
              ElementsAre("/spec/containers/0 is not an object", "/spec/containers/1 is not an object",
                          "/spec/containers/2/name is not a string", "/spec/containers/2/x is not a known field",
                          "/spec/nodeSelector/a is not a string", "/spec/nodeSelector/b is not a string"));
}

TEST(DecodeStrictTest, AcceptsKindsInsideOfOthersWithAndWithoutTheirKind) {
  const std::string_view text =
      R"([{"metadata":{"name":"a"},"apiVersion":"v1","kind":"Pod"},{"metadata":{"name":"b"}}])";
  const auto pods = DecodeStrict<List<example::v1::Pod>>(text);
  ASSERT_TRUE(pods) << pods.error().message;
  EXPECT_EQ(ToJson(*pods), text);
  EXPECT_EQ(ToJson((*pods)[0]), R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}})");
  EXPECT_FALSE(DecodeStrict<List<example::v1::Pod>>(R"([{"kind":"Node"}])"));
}

}  // namespace
}  // namespace kinformer::api
