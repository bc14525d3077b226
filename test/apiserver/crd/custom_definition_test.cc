// The kinds that a CustomResourceDefinition defines, and its accepted names.

#include "src/apiserver/crd/custom_definition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/apiserver/crd/crd_names.h"
#include "src/apiserver/crd/crd_rules.h"
#include "src/apiserver/registry/version_order.h"
#include "test/apiserver/crd/definitions.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::EndsWith;

TEST(CustomDefinition, AVersionBecomesAKind) {
  json definition = WebDefinition();
  CompleteDefinition(definition, nullptr);
  const auto read = ReadDefinition(definition);
  ASSERT_TRUE(read.ok()) << ToString(read.error());
  ASSERT_EQ(read->served.size(), 1U);
  const ServedKind& kind = read->served.front();
  EXPECT_EQ(kind.resource, (GroupVersionResource{"example.com", "v1", "webs"}));
  EXPECT_EQ(kind.kind, "Web");
  EXPECT_EQ(kind.ListKind(), "WebList");
  EXPECT_EQ(kind.singular, "web");
  EXPECT_THAT(kind.short_names, ElementsAre("wb"));
  EXPECT_THAT(kind.categories, ElementsAre("all"));
  EXPECT_EQ(kind.Prefix(), "/registry/example.com/webs/");
  EXPECT_TRUE(kind.has_status && kind.has_scale && kind.has_generation && !kind.unconditional_update);
  EXPECT_EQ(kind.scale.status_replicas, ".status.ready");
  EXPECT_EQ(kind.scale.label_selector, ".status.selector");
  ASSERT_EQ(kind.schema->selectable_fields.size(), 1U);
  EXPECT_EQ(kind.schema->selectable_fields[0].name, "spec.image");
  EXPECT_EQ(kind.schema->selectable_fields[0].json_path, ".spec.image");
  // After the name, which every kind shows.
  ASSERT_EQ(kind.schema->columns.size(), 3U);
  EXPECT_EQ(kind.schema->columns[0].printer, "name");
  EXPECT_EQ(kind.schema->columns[2].json_path, ".status.ready");
  EXPECT_EQ(kind.schema->columns[2].priority, 1);
  // Standard metadata is in the schema even if the definition omits it.
  ASSERT_NE(kind.schema->root->Find("metadata"), nullptr);
  EXPECT_NE(kind.schema->root->Find("metadata")->schema->Find("labels"), nullptr);
}

TEST(CustomDefinition, WhatASchemaWantsOfNamesCountsBesidesWhatMetadataIs) {
  json definition = WebDefinition();
  definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["metadata"] = {
      {"type", "object"}, {"properties", {{"name", {{"type", "string"}, {"maxLength", 3}}}}}};
  const auto read = ReadDefinition(definition);
  ASSERT_TRUE(read.ok()) << ToString(read.error());
  const Schema& metadata = *read->stored.schema->root->Find("metadata")->schema;
  EXPECT_EQ(metadata.Find("name")->schema->max_length, 3);
  EXPECT_NE(metadata.Find("annotations"), nullptr);
}

TEST(CustomDefinition, ThePreferredVersionComesFirstAndTheStoredOneIsTold) {
  const auto read = ReadDefinition(TwoVersions());
  ASSERT_TRUE(read.ok()) << ToString(read.error());
  ASSERT_EQ(read->served.size(), 2U);
  EXPECT_EQ(read->served[0].resource.version, "v1");
  EXPECT_EQ(read->served[1].resource.version, "v1beta1");
  EXPECT_EQ(read->stored.resource.version, "v1");
}

TEST(CustomDefinition, ADeprecatedVersionSaysWhatToUseInstead) {
  const auto of_older = [](const json& definition) { return ReadDefinition(definition)->served.back().deprecation; };
  json definition = TwoVersions();
  EXPECT_EQ(of_older(definition), "");
  definition["spec"]["versions"][0]["deprecated"] = true;
  EXPECT_EQ(of_older(definition), "example.com/v1beta1 Web is deprecated; use example.com/v1 Web");
  EXPECT_EQ(ReadDefinition(definition)->served.front().deprecation, "");
  definition["spec"]["versions"][1]["served"] = false;
  EXPECT_EQ(of_older(definition), "example.com/v1beta1 Web is deprecated") << "nothing else is served";
  definition["spec"]["versions"][0]["deprecationWarning"] = "use Sites";
  EXPECT_EQ(of_older(definition), "use Sites");
}

TEST(CustomDefinition, AVersionThatIsNotServedMayBeStored) {
  json definition = TwoVersions();
  definition["spec"]["versions"][1]["served"] = false;
  const auto read = ReadDefinition(definition);
  ASSERT_TRUE(read.ok()) << ToString(read.error());
  ASSERT_EQ(read->served.size(), 1U);
  EXPECT_EQ(read->served[0].resource.version, "v1beta1");
  EXPECT_EQ(read->stored.resource.version, "v1");
}

TEST(CustomDefinition, VersionsAreOrderedAsClientsPreferThem) {
  std::vector<std::string> versions = {"foo10",    "v1alpha1", "v10",     "v2", "v1beta1",
                                       "v11beta2", "foo1",     "v3beta1", "v1"};
  std::sort(versions.begin(), versions.end(), IsPreferredVersion);
  EXPECT_THAT(versions, ElementsAre("v10", "v2", "v1", "v11beta2", "v3beta1", "v1beta1", "v1alpha1", "foo1", "foo10"));
}

TEST(CustomDefinition, ATextMayHoldOneASeriesOrAList) {
  const json one = WebDefinition();
  EXPECT_EQ(ReadDefinitionTexts(one.dump())->size(), 1U);
  EXPECT_EQ(ReadDefinitionTexts(json({one, one}).dump())->size(), 2U);
  EXPECT_EQ(ReadDefinitionTexts(json({{"kind", "List"}, {"apiVersion", "v1"}, {"items", {one}}}).dump())->size(), 1U);
  const auto pod = ReadDefinitionTexts(R"({"apiVersion":"v1","kind":"Pod"})");
  ASSERT_FALSE(pod.ok());
  EXPECT_THAT(pod.error().message,
              EndsWith("not a CustomResourceDefinition of apiextensions.k8s.io/v1: it is a v1 Pod"));
  EXPECT_THAT(ReadDefinitionTexts("kind: Foo").error().message, EndsWith("v1: it is a Foo without an apiVersion"));
  EXPECT_THAT(ReadDefinitionTexts("metadata: {}").error().message, EndsWith("v1: it has no apiVersion and no kind"));
  const auto yaml = ReadDefinitionTexts(
      "# two of them\n---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n---\n"
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: b}\n");
  ASSERT_TRUE(yaml.ok()) << ToString(yaml.error());
  EXPECT_EQ(yaml->size(), 2U);
  EXPECT_FALSE(ReadDefinitionTexts("kind: Pod").ok());
  EXPECT_FALSE(ReadDefinitionTexts("").ok());
  EXPECT_FALSE(ReadDefinitionTexts("[1]").ok());
}

TEST(CrdNames, NamesThatNobodyHasAreGranted) {
  json definition = WebDefinition();
  CompleteDefinition(definition, nullptr);
  const NamesGranted granted = GrantNames(definition, {});
  EXPECT_TRUE(granted.all);
  EXPECT_EQ(granted.reason, "NoConflicts");
  EXPECT_EQ(granted.names, definition["spec"]["names"]);
}

TEST(CrdNames, ANameThatIsTakenIsNotGrantedAndTheLastConflictIsTold) {
  json definition = WebDefinition();
  CompleteDefinition(definition, nullptr);
  TakenNames taken;
  json other = definition;
  other["status"]["acceptedNames"] = {
      {"plural", "sites"}, {"singular", "site"}, {"shortNames", {"wb"}}, {"kind", "Web"}, {"listKind", "SiteList"}};
  taken.AddAccepted(other);
  const NamesGranted granted = GrantNames(definition, taken);
  EXPECT_FALSE(granted.all);
  EXPECT_EQ(granted.reason, "KindConflict");
  EXPECT_EQ(granted.message, "\"Web\" is already in use");
  EXPECT_EQ(granted.names["plural"], "webs");
  EXPECT_EQ(granted.names.at("kind"), "");
  EXPECT_FALSE(granted.names.contains("shortNames"));
}

TEST(CrdNames, WhatItHasIsItsOwn) {
  json definition = WebDefinition();
  CompleteDefinition(definition, nullptr);
  definition["status"]["acceptedNames"] = definition["spec"]["names"];
  TakenNames taken;
  taken.AddAccepted(definition);
  EXPECT_TRUE(GrantNames(definition, taken).all);
}

TEST(CrdNames, BuiltInKindsHaveTheirNames) {
  TakenNames taken;
  taken.Add({.resource = {"example.com", "v1", "webs"}, .kind = "Web", .singular = "web"});
  json definition = WebDefinition();
  CompleteDefinition(definition, nullptr);
  EXPECT_FALSE(GrantNames(definition, taken).all);
}

}  // namespace
}  // namespace kinformer::apiserver
