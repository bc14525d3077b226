#include "src/schema/schema_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SchemaReaderTest : public ::testing::Test {
 protected:
  const Schema* Read(const json& schema, const json& definitions = nullptr) {
    Result<const Schema*> read = ReadSchema(schema, definitions, pool_);
    if (!read) ADD_FAILURE() << read.error().message;
    return read ? *read : nullptr;
  }

  /// Each cause of the error as "field: message".
  std::vector<std::string> Mistakes(const json& schema) {
    Result<const Schema*> read = ReadSchema(schema, nullptr, pool_);
    std::vector<std::string> all;
    if (read) return all;
    for (const ErrorCause& cause : read.error().details.causes) all.push_back(cause.field + ": " + cause.message);
    return all;
  }

  static json Spec(json spec) { return {{"type", "object"}, {"properties", {{"spec", std::move(spec)}}}}; }

  SchemaPool pool_;
};

TEST_F(SchemaReaderTest, EveryTypeOfACrdIsRead) {
  const Schema* root = Read(json::parse(R"({"type":"object","properties":{
      "text":{"type":"string","nullable":true,"format":"date","pattern":"^a","minLength":1,"maxLength":3,"enum":["a","b"]},
      "count":{"type":"integer","format":"int32","minimum":1,"maximum":5,"exclusiveMaximum":true,"multipleOf":2,"default":2},
      "ratio":{"type":"number"}, "on":{"type":"boolean"}, "bytes":{"type":"string","format":"byte"},
      "port":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]},
      "tags":{"type":"array","x-kubernetes-list-type":"set","minItems":1,"maxItems":2,"items":{"type":"string"}},
      "hosts":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
               "items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}},
      "labels":{"type":"object","additionalProperties":{"type":"string"},"minProperties":1,"maxProperties":9},
      "any":{"x-kubernetes-preserve-unknown-fields":true},
      "whole":{"type":"object","x-kubernetes-map-type":"atomic"},
      "inner":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}}})"));
  ASSERT_NE(root, nullptr);
  EXPECT_EQ(root->type, SchemaType::kObject);
  const Schema& text = *root->Find("text")->schema;
  EXPECT_EQ(text.type, SchemaType::kString);
  EXPECT_TRUE(text.nullable);
  EXPECT_EQ(text.format, "date");
  EXPECT_EQ(text.pattern, "^a");
  EXPECT_NE(text.compiled_pattern, nullptr);
  EXPECT_EQ(text.min_length, 1);
  EXPECT_EQ(text.max_length, 3);
  EXPECT_EQ(text.enum_values->size(), 2U);
  const Schema& count = *root->Find("count")->schema;
  EXPECT_EQ(count.type, SchemaType::kInteger);
  EXPECT_EQ(count.minimum, 1);
  EXPECT_TRUE(count.exclusive_maximum);
  EXPECT_EQ(count.multiple_of, 2);
  EXPECT_EQ(*root->Find("count")->default_value, json(2));
  EXPECT_EQ(root->Find("ratio")->schema->type, SchemaType::kNumber);
  EXPECT_EQ(root->Find("on")->schema->type, SchemaType::kBoolean);
  EXPECT_EQ(root->Find("bytes")->schema->type, SchemaType::kBytes);
  EXPECT_EQ(root->Find("port")->schema->type, SchemaType::kIntOrString);
  EXPECT_TRUE(root->Find("port")->schema->any_of.empty());
  EXPECT_EQ(root->Find("tags")->schema->list_type, ListType::kSet);
  EXPECT_EQ(root->Find("tags")->schema->items->type, SchemaType::kString);
  EXPECT_EQ(root->Find("hosts")->schema->list_type, ListType::kMap);
  EXPECT_THAT(root->Find("hosts")->schema->list_map_keys, ElementsAre("name"));
  EXPECT_THAT(root->Find("hosts")->schema->items->required, ElementsAre("name"));
  EXPECT_EQ(root->Find("labels")->schema->type, SchemaType::kMap);
  EXPECT_EQ(root->Find("labels")->schema->items->type, SchemaType::kString);
  EXPECT_EQ(root->Find("labels")->schema->max_properties, 9);
  EXPECT_TRUE(root->Find("any")->schema->preserve_unknown_fields);
  EXPECT_TRUE(root->Find("whole")->schema->atomic);
  EXPECT_TRUE(root->Find("inner")->schema->embedded_resource);
  EXPECT_EQ(root->Find("absent"), nullptr);
}

TEST_F(SchemaReaderTest, AReferenceIsTheDefinitionAndWhatStandsBesideItCountsThereAlone) {
  const json definitions = json::parse(R"({
      "Inner":{"type":"object","properties":{"a":{"type":"string"}}},
      "io.k8s.apimachinery.pkg.api.resource.Quantity":{"oneOf":[{"type":"string"},{"type":"number"}]},
      "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime":{"type":"string","format":"date-time"}})");
  const Schema* root = Read(json::parse(R"({"type":"object","properties":{
      "plain":{"$ref":"#/components/schemas/Inner"},
      "wrapped":{"allOf":[{"$ref":"#/components/schemas/Inner"}],"default":{}},
      "retained":{"allOf":[{"$ref":"#/components/schemas/Inner"}],"x-kubernetes-patch-strategy":"merge,retainKeys",
                  "x-kubernetes-patch-merge-key":"name"},
      "cpu":{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity"},
      "at":{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime"}}})"),
                            definitions);
  ASSERT_NE(root, nullptr);
  const Schema* inner = root->Find("plain")->schema;
  EXPECT_EQ(inner->name, "Inner");
  EXPECT_EQ(root->Find("wrapped")->schema, inner);
  EXPECT_EQ(*root->Find("wrapped")->default_value, json::object());
  const Schema* retained = root->Find("retained")->schema;
  EXPECT_NE(retained, inner);
  EXPECT_TRUE(retained->patch_merge);
  EXPECT_TRUE(retained->patch_retain_keys);
  EXPECT_EQ(retained->patch_merge_key, "name");
  EXPECT_FALSE(inner->patch_merge);
  EXPECT_EQ(root->Find("cpu")->schema->type, SchemaType::kQuantity);
  EXPECT_TRUE(root->Find("cpu")->schema->one_of.empty());
  EXPECT_EQ(root->Find("at")->schema->type, SchemaType::kMicroTime);
}

TEST_F(SchemaReaderTest, ADefinitionMayReferToItself) {
  const json definitions = json::parse(R"({"Node":{"type":"object","properties":{
      "next":{"$ref":"#/components/schemas/Node"},
      "all":{"type":"array","items":{"allOf":[{"$ref":"#/components/schemas/Node"}],"default":{}}}}}})");
  const Schema* root = Read({{"$ref", "#/components/schemas/Node"}}, definitions);
  ASSERT_NE(root, nullptr);
  EXPECT_EQ(root->Find("next")->schema, root);
  EXPECT_EQ(root->Find("all")->schema->items, root);
}

TEST_F(SchemaReaderTest, AReferenceToNothingIsAnErrorThatNamesThePath) {
  const Result<const Schema*> read = ReadSchema(
      {{"type", "object"}, {"properties", {{"a", {{"$ref", "#/components/schemas/B"}}}}}}, json::object(), pool_);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message, "properties[a]: Not found: \"B\"");
}

TEST_F(SchemaReaderTest, AValueOfACrdWithoutATypeIsRefusedInTheWordsOfAServer) {
  EXPECT_THAT(Mistakes({{"properties", json::object()}}),
              ElementsAre("type: Required value: must not be empty at the root"));
  EXPECT_THAT(Mistakes(Spec({{"properties", json::object()}})),
              ElementsAre("properties[spec].type: Required value: must not be empty for specified object fields"));
  EXPECT_THAT(Mistakes(Spec({{"type", "array"}, {"items", json::object()}})),
              ElementsAre("properties[spec].items.type: Required value: must not be empty for specified array items"));
  EXPECT_THAT(Mistakes(Spec({{"type", "array"}})),
              ElementsAre("properties[spec].items: Required value: must be specified"));
  EXPECT_THAT(Mistakes({{"type", "string"}}),
              ElementsAre("type: Invalid value: \"string\": must be object at the root"));
}

TEST_F(SchemaReaderTest, AnUnknownTypeIsRefused) {
  EXPECT_THAT(
      Mistakes(Spec({{"type", "int"}})),
      ElementsAre("properties[spec].type: Unsupported value: \"int\": supported values: \"array\", \"boolean\", "
                  "\"integer\", \"number\", \"object\", \"string\""));
}

TEST_F(SchemaReaderTest, RulesInCelAreRefusedBecauseNobodyWouldFollowThem) {
  EXPECT_THAT(Mistakes(Spec({{"type", "object"}, {"x-kubernetes-validations", {{{"rule", "self.a > 1"}}}}})),
              ElementsAre(HasSubstr("rules in CEL are not supported")));
  EXPECT_THAT(Mistakes(Spec({{"type", "object"}, {"x-kubernetes-validations", json::array()}})), ElementsAre());
}

TEST_F(SchemaReaderTest, WhatAServerForbidsInACrdIsForbidden) {
  EXPECT_THAT(Mistakes(Spec({{"$ref", "#/a"}, {"type", "object"}})), ElementsAre(HasSubstr("$ref is not supported")));
  EXPECT_THAT(Mistakes(Spec({{"type", "array"}, {"uniqueItems", true}, {"items", {{"type", "string"}}}})),
              ElementsAre(HasSubstr("uniqueItems cannot be set to true")));
  EXPECT_THAT(Mistakes(Spec({{"type", "object"}, {"anyOf", {{{"type", "object"}}}}})),
              ElementsAre("properties[spec].anyOf[0].type: Forbidden: must be empty to be structural"));
  EXPECT_THAT(Mistakes(Spec({{"type", "object"}, {"additionalProperties", false}})),
              ElementsAre(HasSubstr("additionalProperties cannot be set to false")));
  EXPECT_THAT(Mistakes(Spec({{"type", "string"}, {"pattern", "("}})),
              ElementsAre(HasSubstr("must be a valid regular expression")));
  EXPECT_THAT(Mistakes(Spec({{"type", "string"}, {"pattern", "a{1001}"}})),
              ElementsAre(HasSubstr("invalid repeat count")));
  EXPECT_THAT(Mistakes({{"type", "object"},
                        {"properties",
                         {{"metadata", {{"type", "object"}, {"properties", {{"labels", {{"type", "object"}}}}}}}}}}),
              ElementsAre(HasSubstr("must not specify anything other than name and generateName")));
  EXPECT_THAT(Mistakes(Spec({{"type", "array"},
                             {"x-kubernetes-list-type", "map"},
                             {"x-kubernetes-list-map-keys", {"a"}},
                             {"items", {{"type", "object"}, {"properties", {{"a", {{"type", "string"}}}}}}}})),
              ElementsAre(HasSubstr("it must have a default or be a required property")));
}

TEST_F(SchemaReaderTest, ADefaultMustBeOfItsType) {
  EXPECT_THAT(
      Mistakes(Spec({{"type", "object"}, {"properties", {{"n", {{"type", "integer"}, {"default", "x"}}}}}})),
      ElementsAre("properties[spec].properties[n].default: Invalid value: \"string\": default in body must be of "
                  "type integer: \"string\""));
}

TEST_F(SchemaReaderTest, TheNestingOfASchemaIsBounded) {
  json deep = {{"type", "string"}};
  for (int i = 0; i < 250; ++i) deep = {{"type", "array"}, {"items", std::move(deep)}};
  EXPECT_THAT(Mistakes(Spec(std::move(deep))), ElementsAre(HasSubstr("nested too deeply")));
}

}  // namespace
}  // namespace kinformer::apiserver
