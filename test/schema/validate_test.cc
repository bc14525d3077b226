#include "src/schema/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/schema/built_in_schemas.h"
#include "src/schema/decode.h"
#include "src/schema/formats.h"
#include "src/schema/pattern.h"
#include "src/schema/prune.h"
#include "src/schema/schema_reader.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CustomResource : public ::testing::Test {
 protected:
  /// `spec`: the schema of the object's spec field.
  const Schema& Of(const std::string& spec) {
    const json root = {{"type", "object"}, {"properties", {{"spec", json::parse(spec)}}}};
    Result<const Schema*> read = ReadSchema(root, nullptr, pool_);
    EXPECT_TRUE(read.ok()) << (read ? "" : read.error().message);
    return read ? **read : pool_.Add();
  }
  std::vector<std::string> Wrong(const std::string& spec_schema, const std::string& spec) {
    std::vector<std::string> all;
    for (const FieldError& error : Validate(Of(spec_schema), {{"spec", json::parse(spec)}})) {
      all.push_back(error.field + ": " + error.message);
    }
    return all;
  }

  SchemaPool pool_;
};

TEST_F(CustomResource, AWrongTypeIsToldAsAServerTellsIt) {
  const std::string schema = R"({"type":"object","properties":{"replicas":{"type":"integer"},"on":{"type":"boolean"},
      "names":{"type":"array","items":{"type":"string"}},"port":{"x-kubernetes-int-or-string":true}}})";
  EXPECT_THAT(
      Wrong(schema, R"({"replicas":"three"})"),
      ElementsAre(
          "spec.replicas: Invalid value: \"string\": spec.replicas in body must be of type integer: \"string\""));
  EXPECT_THAT(
      Wrong(schema, R"({"names":["a",7]})"),
      ElementsAre(
          "spec.names[1]: Invalid value: \"integer\": spec.names[1] in body must be of type string: \"integer\""));
  EXPECT_THAT(Wrong(schema, R"({"on":null})"),
              ElementsAre("spec.on: Invalid value: \"null\": spec.on in body must be of type boolean: \"null\""));
  EXPECT_THAT(Wrong(schema, "[]"),
              ElementsAre("spec: Invalid value: \"array\": spec in body must be of type object: \"array\""));
  EXPECT_THAT(
      Wrong(schema, R"({"port":true})"),
      ElementsAre(
          "spec.port: Invalid value: \"boolean\": spec.port in body must be of type integer,string: \"boolean\""));
  EXPECT_THAT(Wrong(schema, R"({"replicas":3.0,"on":true,"names":[],"port":"http"})"), IsEmpty());
  EXPECT_EQ(Validate(Of(schema), json::parse(R"({"spec":[]})"))[0].reason, "FieldValueTypeInvalid");
}

TEST_F(CustomResource, NullIsAValueOnlyWhereItMayBe) {
  EXPECT_THAT(Wrong(R"({"type":"object","properties":{"a":{"type":"string","nullable":true}}})", R"({"a":null})"),
              IsEmpty());
}

TEST_F(CustomResource, LimitsAreKept) {
  const std::string schema =
      R"({"type":"object","required":["must"],"maxProperties":9,"properties":{"must":{"type":"string"},
      "n":{"type":"integer","minimum":1,"maximum":5},"x":{"type":"number","minimum":0,"exclusiveMinimum":true,"multipleOf":0.5},
      "s":{"type":"string","minLength":2,"maxLength":3,"pattern":"^[a-z]+$"},"e":{"type":"string","enum":["a","b"]},
      "l":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string"}},
      "m":{"type":"object","minProperties":1,"maxProperties":1,"additionalProperties":{"type":"string","maxLength":1}}}})";
  EXPECT_THAT(Wrong(schema, "{}"), ElementsAre("spec.must: Required value"));
  EXPECT_THAT(Wrong(schema, R"({"must":"","n":0})"),
              ElementsAre("spec.n: Invalid value: 0: spec.n in body should be greater than or equal to 1"));
  EXPECT_THAT(Wrong(schema, R"({"must":"","n":6})"),
              ElementsAre("spec.n: Invalid value: 6: spec.n in body should be less than or equal to 5"));
  EXPECT_THAT(Wrong(schema, R"({"must":"","x":0})"),
              ElementsAre("spec.x: Invalid value: 0: spec.x in body should be greater than 0"));
  EXPECT_THAT(Wrong(schema, R"({"must":"","x":0.7})"),
              ElementsAre("spec.x: Invalid value: 0.7: spec.x in body should be a multiple of 0.5"));
  EXPECT_THAT(Wrong(schema, R"({"must":"","s":"a"})"),
              ElementsAre("spec.s: Invalid value: \"a\": spec.s in body should be at least 2 chars long"));
  EXPECT_THAT(Wrong(schema, R"({"must":"","s":"abcd"})"),
              ElementsAre("spec.s: Too long: may not be more than 3 bytes"));
  EXPECT_THAT(Wrong(schema, R"({"must":"","s":"äöü"})"),
              ElementsAre("spec.s: Invalid value: \"äöü\": spec.s in body should match '^[a-z]+$'"));
  EXPECT_THAT(Wrong(schema, R"({"must":"","e":"c"})"),
              ElementsAre("spec.e: Unsupported value: \"c\": supported values: \"a\", \"b\""));
  EXPECT_THAT(Wrong(schema, R"({"must":"","l":[]})"),
              ElementsAre("spec.l: Invalid value: 0: spec.l in body should have at least 1 items"));
  EXPECT_THAT(Wrong(schema, R"({"must":"","l":["a","b","c"]})"),
              ElementsAre("spec.l: Too many: 3: must have at most 2 items"));
  EXPECT_THAT(Wrong(schema, R"({"must":"","m":{}})"),
              ElementsAre("spec.m: Invalid value: {}: spec.m in body should have at least 1 properties"));
  EXPECT_THAT(Wrong(schema, R"({"must":"","m":{"k":"ab"}})"),
              ElementsAre("spec.m.k: Too long: may not be more than 1 byte"));
}

TEST_F(CustomResource, FormatsAreChecked) {
  const auto format = [&](const std::string& name, const std::string& value) {
    return Wrong(R"({"type":"string","format":")" + name + "\"}", "\"" + value + "\"").empty();
  };
  EXPECT_TRUE(format("date-time", "2024-01-02T03:04:05Z"));
  EXPECT_FALSE(format("date-time", "yesterday"));
  EXPECT_TRUE(format("date", "2024-02-29"));
  EXPECT_FALSE(format("date", "2023-02-29"));
  EXPECT_TRUE(format("ipv4", "10.0.0.1"));
  EXPECT_FALSE(format("ipv4", "10.0.0.256"));
  EXPECT_TRUE(format("ipv6", "::1"));
  EXPECT_TRUE(format("cidr", "10.0.0.0/8"));
  EXPECT_FALSE(format("cidr", "10.0.0.0/33"));
  EXPECT_TRUE(format("uuid", "123e4567-e89b-42d3-a456-426614174000"));
  EXPECT_FALSE(format("uuid", "123e4567"));
  EXPECT_FALSE(format("byte", "%%"));
  EXPECT_TRUE(format("something-new", "anything"));
}

TEST_F(CustomResource, ChoicesAndNegationsHold) {
  const std::string any = R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},
      "anyOf":[{"required":["a"]},{"required":["b"]}]})";
  EXPECT_THAT(Wrong(any, R"({"a":""})"), IsEmpty());
  EXPECT_THAT(Wrong(any, "{}"),
              ElementsAre("<nil>: Invalid value: \"\": \"spec\" must validate at least one schema (anyOf)",
                          "spec.a: Required value"));
  const std::string one = R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},
      "oneOf":[{"required":["a"]},{"required":["b"]}]})";
  EXPECT_THAT(Wrong(one, R"({"a":"","b":""})"), ElementsAre("<nil>: Invalid value: \"\": \"spec\" must validate one "
                                                            "and only one schema (oneOf). Found 2 valid alternatives"));
  const std::string no = R"({"type":"object","properties":{"a":{"type":"string"}},"not":{"required":["a"]}})";
  EXPECT_THAT(Wrong(no, R"({"a":""})"),
              ElementsAre("<nil>: Invalid value: \"\": \"spec\" must not validate the schema (not)"));
  const std::string all =
      R"({"type":"object","properties":{"n":{"type":"integer"}},"allOf":[{"properties":{"n":{"minimum":3}}}]})";
  EXPECT_THAT(Wrong(all, R"({"n":1})"), SizeIs(2));
  EXPECT_THAT(Wrong(all, R"({"n":3})"), IsEmpty());
}

TEST_F(CustomResource, SetsAndListsWithKeysHaveNoTwoOfOne) {
  EXPECT_THAT(Wrong(R"({"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}})", R"(["a","b","a"])"),
              ElementsAre("spec[2]: Duplicate value: \"a\""));
  EXPECT_THAT(Wrong(R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
                     "items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"},"v":{"type":"integer"}}}})",
                    R"([{"k":"x","v":1},{"k":"x","v":2}])"),
              ElementsAre("spec[1]: Duplicate value: {\"k\":\"x\"}"));
}

TEST(DropNulls, AFieldThatMayNotBeNullIsAsIfItHadNotBeenSent) {
  static const Schema text{.type = SchemaType::kString};
  static const Schema nullable{.type = SchemaType::kString, .nullable = true};
  Schema inner{.type = SchemaType::kObject};
  inner.fields = {{.name = "a", .schema = &text}, {.name = "b", .schema = &nullable}};
  Schema list{.type = SchemaType::kArray};
  list.items = &inner;
  Schema root{.type = SchemaType::kObject};
  root.fields = {{.name = "list", .schema = &list}, {.name = "own", .schema = &text}};
  json object = json::parse(R"({"list":[{"a":null,"b":null},{"a":"x"}],"own":null,"unknown":null})");
  DropNulls(root, object);
  EXPECT_EQ(object, json::parse(R"({"list":[{"b":null},{"a":"x"}],"unknown":null})"));
}

TEST_F(CustomResource, UnknownFieldsArePrunedAndNamed) {
  const Schema& schema = Of(R"({"type":"object","properties":{"a":{"type":"string"},
      "l":{"type":"array","items":{"type":"object","properties":{"x":{"type":"string"}}}},
      "m":{"type":"object","additionalProperties":{"type":"object","properties":{"x":{"type":"string"}}}},
      "keep":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"in":{"type":"object"}}},
      "pod":{"type":"object","x-kubernetes-embedded-resource":true,"properties":{"spec":{"type":"object"}}}}})");
  json object =
      json::parse(R"({"spec":{"a":"","b":1,"l":[{"x":"","y":1}],"m":{"k":{"y":1}},"keep":{"any":{"z":1},"in":{"q":1}},
      "pod":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"status":{}}}})");
  EXPECT_THAT(Prune(schema, object),
              ElementsAre("spec.b", "spec.keep.in.q", "spec.l[0].y", "spec.m.k.y", "spec.pod.status"));
  EXPECT_EQ(object, json::parse(R"({"spec":{"a":"","l":[{"x":""}],"m":{"k":{}},"keep":{"any":{"z":1},"in":{}},
      "pod":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}}})"));
}

TEST_F(CustomResource, DefaultsFillWhatIsAbsentOrNullAndReachIntoEachOther) {
  const Schema& schema = Of(R"({"type":"object","default":{},"properties":{"n":{"type":"integer","default":3},
      "z":{"type":"string","nullable":true,"default":"x"},
      "l":{"type":"array","items":{"type":"object","properties":{"p":{"type":"string","default":"TCP"}}}}}})");
  json object = json::object();
  ApplyDefaults(schema, object);
  EXPECT_EQ(object, json::parse(R"({"spec":{"n":3,"z":"x"}})"));
  object = json::parse(R"({"spec":{"n":null,"z":null,"l":[{},{"p":""}]}})");
  ApplyDefaults(schema, object);
  EXPECT_EQ(object, json::parse(R"({"spec":{"n":3,"z":null,"l":[{"p":"TCP"},{"p":""}]}})"));
}

TEST(Patterns, MatchAnywhereAndAreBounded) {
  const auto pattern = Pattern::Compile("b+(?:c|d)$");
  ASSERT_TRUE(pattern.ok());
  EXPECT_TRUE((*pattern)->Matches("aabbd"));
  EXPECT_FALSE((*pattern)->Matches("aabbda"));
  // Backtracking would take exponential time, and recursion would exhaust the stack.
  const auto evil = Pattern::Compile("^(a+)+$");
  ASSERT_TRUE(evil.ok());
  EXPECT_FALSE((*evil)->Matches(std::string(20'000, 'a') + "b"));
  // Restarting the search at each character would take quadratic time.
  const auto anywhere = Pattern::Compile("(a+)+c");
  ASSERT_TRUE(anywhere.ok());
  EXPECT_FALSE((*anywhere)->Matches(std::string(200'000, 'a') + "b"));
  // Short patterns whose expansion is large.
  for (const char* bomb :
       {"((a{1,100}){1,100})$", "(((a{9}){9}){9}){9}", "(a?b?){1000}", "[](((a{99}){99}))]", "a{1001}"}) {
    EXPECT_FALSE(Pattern::Compile(bomb).ok()) << bomb;
  }
  const auto large = Pattern::Compile("(a?){600}$");
  ASSERT_TRUE(large.ok());
  EXPECT_TRUE((*large)->Matches(std::string(100, 'a')));
  EXPECT_FALSE((*large)->Matches(std::string(1'000'000, 'a'))) << "too much work for one text";
  EXPECT_FALSE(Pattern::Compile("a)(b").ok());
  EXPECT_TRUE(Pattern::Compile("").ok());
  EXPECT_FALSE(Pattern::Compile(std::string(101, '(') + std::string(101, ')')).ok());
  EXPECT_FALSE(Pattern::Compile("(a)\\1").ok());
  EXPECT_FALSE(Pattern::Compile("\\" + std::string(30, '6')).ok());
  EXPECT_FALSE(Pattern::Compile("[").ok());
}

TEST(Quantities, AreWrittenInOneWay) {
  EXPECT_EQ(CanonicalQuantity("1"), "1");
  EXPECT_EQ(CanonicalQuantity("0.5"), "500m");
  EXPECT_EQ(CanonicalQuantity("1000m"), "1");
  EXPECT_EQ(CanonicalQuantity("100m"), "100m");
  EXPECT_EQ(CanonicalQuantity("1024Mi"), "1Gi");
  EXPECT_EQ(CanonicalQuantity("1.5Gi"), "1536Mi");
  EXPECT_EQ(CanonicalQuantity("0.5Ki"), "512");
  EXPECT_EQ(CanonicalQuantity("12e6"), "12e6");
  EXPECT_EQ(CanonicalQuantity("1000"), "1k");
  EXPECT_EQ(CanonicalQuantity("1500"), "1500");
  EXPECT_EQ(CanonicalQuantity("-2"), "-2");
  EXPECT_EQ(CanonicalQuantity("0"), "0");
  EXPECT_EQ(CanonicalQuantity("0Gi"), "0");
  EXPECT_EQ(CanonicalQuantity("128974848"), "128974848");
  EXPECT_EQ(CanonicalQuantity("9223372036854775807999"), "9223372036854775807999");
  for (const char* bad : {"", "a", "1x", "1 ", "Mi", "1.2.3", "1mi", "--1", "1e", "1ee"}) {
    EXPECT_EQ(CanonicalQuantity(bad), std::nullopt) << bad;
  }
}

class BuiltIn : public ::testing::Test {
 protected:
  static std::string Refusal(const GroupVersionKind& kind, const std::string& object) {
    json value = json::parse(object);
    const Result<void> decoded = Decode(*FindBuiltInSchema(kind)->root, value);
    return decoded ? "" : decoded.error().message;
  }
  static json Decoded(const GroupVersionKind& kind, const std::string& object) {
    json value = json::parse(object);
    const Result<void> decoded = Decode(*FindBuiltInSchema(kind)->root, value);
    EXPECT_TRUE(decoded.ok()) << (decoded ? "" : decoded.error().message);
    return value;
  }
};

TEST_F(BuiltIn, AWrongTypeCannotBeRead) {
  EXPECT_EQ(Refusal({"apps", "v1", "Deployment"}, R"({"spec":{"replicas":"3"}})"),
            "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32");
  EXPECT_EQ(Refusal({"apps", "v1", "Deployment"}, R"({"spec":{"replicas":3000000000}})"),
            "json: cannot unmarshal number 3000000000 into Go struct field DeploymentSpec.spec.replicas of type int32");
  EXPECT_EQ(Refusal({"apps", "v1", "Deployment"}, R"({"spec":{"replicas":1.5}})"),
            "json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32");
  EXPECT_EQ(Refusal({"", "v1", "Pod"}, R"({"spec":{"containers":[{"name":7}]}})"),
            "json: cannot unmarshal number into Go struct field Container.spec.containers.name of type string");
  EXPECT_EQ(Refusal({"", "v1", "Pod"}, R"({"spec":{"containers":{}}})"),
            "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container");
  EXPECT_EQ(Refusal({"", "v1", "Pod"}, R"({"spec":"x"})"),
            "json: cannot unmarshal string into Go struct field Pod.spec of type v1.PodSpec");
  EXPECT_EQ(Refusal({"", "v1", "Pod"}, R"({"metadata":{"labels":{"a":1}}})"),
            "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string");
  EXPECT_EQ(Refusal({"", "v1", "Pod"}, R"({"metadata":{"labels":["a"]}})"),
            "json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string");
  EXPECT_EQ(Refusal({"", "v1", "Pod"}, R"({"metadata":{"deletionTimestamp":"soon"}})"),
            "parsing time \"soon\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"soon\" as \"2006\"");
  EXPECT_EQ(Refusal({"", "v1", "Secret"}, R"({"data":{"a":"abc%"}})"), "illegal base64 data at input byte 3");
  EXPECT_EQ(Refusal({"", "v1", "Pod"}, R"({"spec":{"containers":[{"resources":{"limits":{"cpu":"lots"}}}]}})"),
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  EXPECT_EQ(Refusal({"", "v1", "Service"}, R"({"spec":{"ports":[{"port":80,"targetPort":true}]}})"),
            "json: cannot unmarshal bool into Go value of type int32");
}

TEST_F(BuiltIn, WhatCanBeWrittenInManyWaysIsWrittenInOne) {
  EXPECT_EQ(Decoded({"", "v1", "Pod"}, R"({"metadata":{"labels":null,"creationTimestamp":"2024-01-01T02:00:00+02:00"},
                "spec":{"containers":[{"resources":{"limits":{"cpu":0.5,"memory":"1024Mi"}},"args":["a",null]}],"nodeName":null}})"),
            json::parse(R"({"metadata":{"creationTimestamp":"2024-01-01T00:00:00Z"},
                "spec":{"containers":[{"resources":{"limits":{"cpu":"500m","memory":"1Gi"}},"args":["a",""]}]}})"));
  EXPECT_EQ(Decoded({"coordination.k8s.io", "v1", "Lease"},
                    R"({"spec":{"renewTime":"2024-01-01T00:00:00Z"}})")["spec"]["renewTime"],
            "2024-01-01T00:00:00.000000Z");
}

TEST_F(BuiltIn, UnknownFieldsAreNamedWithTheirPlace) {
  json pod = json::parse(
      R"({"apiVersion":"v1","kind":"Pod","foo":1,"metadata":{"name":"a","bar":2,"managedFields":[{"fieldsV1":{"f:x":{}}}]},
      "spec":{"containers":[{"name":"a","imagee":"x"}],"nodeSelector":{"any":"thing"}}})");
  EXPECT_THAT(Prune(*FindBuiltInSchema({"", "v1", "Pod"})->root, pod),
              ElementsAre("foo", "metadata.bar", "spec.containers[0].imagee"));
  EXPECT_EQ(pod["metadata"]["managedFields"][0]["fieldsV1"], json::parse(R"({"f:x":{}})"));
  json revision = json::parse(R"({"data":{"spec":{"any":1}},"revision":1})");
  EXPECT_THAT(Prune(*FindBuiltInSchema({"apps", "v1", "ControllerRevision"})->root, revision), IsEmpty());
  json crd = json::parse(
      R"({"spec":{"versions":[{"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"items":{"x":1}}},"foo":1}}}]}})");
  EXPECT_THAT(Prune(*FindBuiltInSchema({"apiextensions.k8s.io", "v1", "CustomResourceDefinition"})->root, crd),
              ElementsAre("spec.versions[0].schema.openAPIV3Schema.foo"));
}

}  // namespace
}  // namespace kinformer::apiserver
