#include "src/apiserver/crd/crd_versions.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/apiserver/crd/crd_rules.h"
#include "src/listwatch/storage/object_codec.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

json Converted(const json& spec) {
  json definition = {{"apiVersion", "apiextensions.k8s.io/v1beta1"}, {"kind", "CustomResourceDefinition"}};
  definition["spec"] = spec;
  ConvertStoredDefinition(definition);
  return definition["spec"];
}

TEST(ConvertStoredDefinitionTest, WhatAllVersionsHaveInCommonIsGivenToEachOfThem) {
  const json spec = Converted(json::parse(R"({
    "group": "example.com", "version": "v1", "scope": "Cluster", "preserveUnknownFields": false,
    "names": {"plural": "webs", "kind": "Web"},
    "validation": {"openAPIV3Schema": {"type": "object"}},
    "subresources": {"status": {}},
    "additionalPrinterColumns": [{"name": "Age", "type": "date", "JSONPath": ".metadata.creationTimestamp"}],
    "selectableFields": [{"jsonPath": ".spec.a"}],
    "conversion": {"strategy": "None"},
    "versions": [{"name": "v1", "served": true, "storage": true}, {"name": "v2", "served": true, "storage": false}]})"));
  json expected = json::parse(R"({
    "group": "example.com", "scope": "Cluster", "names": {"plural": "webs", "kind": "Web"},
    "conversion": {"strategy": "None"}})");
  json common = json::parse(R"({
    "served": true, "schema": {"openAPIV3Schema": {"type": "object"}}, "subresources": {"status": {}},
    "additionalPrinterColumns": [{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}],
    "selectableFields": [{"jsonPath": ".spec.a"}]})");
  json first = common;
  first.update({{"name", "v1"}, {"storage", true}});
  json second = common;
  second.update({{"name", "v2"}, {"storage", false}});
  expected["versions"] = {first, second};
  EXPECT_EQ(spec, expected) << json::diff(expected, spec).dump(1);
}

TEST(ConvertStoredDefinitionTest, WhatVersionsSayThemselvesStays) {
  const json spec = Converted(json::parse(R"({
    "group": "example.com", "version": "v1", "scope": "Namespaced", "preserveUnknownFields": false,
    "versions": [
      {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}},
       "additionalPrinterColumns": [{"name": "A", "type": "string", "JSONPath": ".spec.a"}]},
      {"name": "v2", "served": true, "storage": false, "schema": {"openAPIV3Schema": {"type": "object", "title": "x"}}}
    ]})"));
  EXPECT_EQ(spec["versions"][0]["additionalPrinterColumns"][0]["jsonPath"], ".spec.a");
  EXPECT_FALSE(spec["versions"][0]["additionalPrinterColumns"][0].contains("JSONPath"));
  EXPECT_EQ(spec["versions"][1]["schema"]["openAPIV3Schema"]["title"], "x");
  EXPECT_FALSE(spec["versions"][1].contains("additionalPrinterColumns"));
}

TEST(ConvertStoredDefinitionTest, OldDefaultsAreSpelledOut) {
  const json spec = Converted(json::parse(R"({"group": "example.com", "version": "v1"})"));
  EXPECT_EQ(spec, json::parse(R"({
    "group": "example.com", "scope": "Namespaced", "preserveUnknownFields": true, "conversion": {"strategy": "None"},
    "versions": [{"name": "v1", "served": true, "storage": true}]})"));
}

TEST(ConvertStoredDefinitionTest, AWebhookHasAnObjectOfItsOwn) {
  const json spec = Converted(json::parse(R"({
    "group": "example.com", "version": "v1",
    "conversion": {"strategy": "Webhook", "webhookClientConfig": {"url": "https://example.com"},
                   "conversionReviewVersions": ["v1"]}})"));
  EXPECT_EQ(spec["conversion"], json::parse(R"({
    "strategy": "Webhook",
    "webhook": {"clientConfig": {"url": "https://example.com"}, "conversionReviewVersions": ["v1"]}})"));
}

TEST(ConvertStoredDefinitionTest, OtherVersionsAndWhatIsNoDefinitionAreLeftAlone) {
  for (const char* text : {R"({"apiVersion": "apiextensions.k8s.io/v1", "spec": {"version": "v1"}})",
                           R"({"apiVersion": "apiextensions.k8s.io/v1beta1"})",
                           R"({"apiVersion": "apiextensions.k8s.io/v1beta1", "spec": 1})", R"([])", R"({})"}) {
    json object = json::parse(text);
    ConvertStoredDefinition(object);
    EXPECT_EQ(object, json::parse(text));
  }
  EXPECT_EQ(Converted(json::parse(R"({"versions": 1, "additionalPrinterColumns": 2, "conversion": 3})")),
            json::parse(R"({"versions": [], "conversion": 3, "preserveUnknownFields": true, "scope": "Namespaced"})"));
}

TEST(ConvertStoredDefinitionTest, TheStorageOfDefinitionsReadsThemInTheirServedVersion) {
  const StorageOptions options = DefinitionKind().ForStorage();
  const auto object = DecodeObject(
      R"({"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1beta1","metadata":{"name":"a"},)"
      R"("spec":{"group":"example.com","version":"v1","validation":{"openAPIV3Schema":{"type":"object"}}}})",
      7, options.kind, options.convert);
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_EQ((*object)->ApiVersion(), "apiextensions.k8s.io/v1");
  EXPECT_EQ((*object)->ResourceVersion(), "7");
  EXPECT_EQ((*object)->At("/spec/versions/0/schema/openAPIV3Schema/type").StringOr(""), "object");
}

}  // namespace
}  // namespace kinformer::apiserver
