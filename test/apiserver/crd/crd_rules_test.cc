// Validation and defaulting of CustomResourceDefinitions.

#include "src/apiserver/crd/crd_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "test/apiserver/crd/definitions.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The validation errors, as "field: message".
std::vector<std::string> Wrong(json definition, const json* old = nullptr) {
  CompleteDefinition(definition, old);
  std::vector<std::string> texts;
  for (const FieldError& error : CheckDefinition(definition, old)) texts.push_back(error.field + ": " + error.message);
  return texts;
}

json With(const std::string& pointer, const json& value) {
  json definition = WebDefinition();
  definition[json::json_pointer(pointer)] = value;
  return definition;
}

TEST(CrdRules, AGoodDefinitionIsTakenAndCompleted) {
  json definition = WebDefinition();
  EXPECT_THAT(Wrong(definition), IsEmpty());
  CompleteDefinition(definition, nullptr);
  EXPECT_EQ(definition["spec"]["names"]["singular"], "web");
  EXPECT_EQ(definition["spec"]["names"]["listKind"], "WebList");
  EXPECT_EQ(definition["spec"]["conversion"], json({{"strategy", "None"}}));
  EXPECT_EQ(definition["status"]["storedVersions"], json({"v1"}));
}

TEST(CrdRules, TheNameIsThePluralAndTheGroup) {
  EXPECT_THAT(
      Wrong(With("/metadata/name", "webs.example.org")),
      ElementsAre(R"(metadata.name: Invalid value: "webs.example.org": must be spec.names.plural+"."+spec.group)"));
}

TEST(CrdRules, TheGroupIsADomainAndTheScopeOneOfTwo) {
  json definition = With("/spec/group", "example");
  definition["metadata"]["name"] = "webs.example";
  EXPECT_THAT(Wrong(definition),
              ElementsAre(R"(spec.group: Invalid value: "example": should be a domain with at least one dot)"));
  EXPECT_THAT(Wrong(With("/spec/scope", "World")),
              ElementsAre(R"(spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced")"));
  EXPECT_THAT(Wrong(With("/spec/scope", "")), ElementsAre("spec.scope: Required value"));
}

TEST(CrdRules, NamesAreLabels) {
  EXPECT_THAT(Wrong(With("/spec/names/kind", "Web Site")),
              Contains(HasSubstr("spec.names.kind: Invalid value: \"Web Site\": may have mixed case, but should "
                                 "otherwise match: a DNS-1035 label")));
  EXPECT_THAT(Wrong(With("/spec/names/shortNames", json({"Wb"}))),
              ElementsAre(HasSubstr("spec.names.shortNames[0]: Invalid value: \"Wb\": a DNS-1035 label")));
  EXPECT_THAT(Wrong(With("/spec/names/listKind", "Web")),
              ElementsAre(R"(spec.names.listKind: Invalid value: "Web": kind and listKind may not be the same)"));
}

TEST(CrdRules, ExactlyOneVersionIsStoredAndNoTwoHaveTheSameName) {
  EXPECT_THAT(Wrong(With("/spec/versions/0/storage", false)),
              ElementsAre(HasSubstr("spec.versions: Invalid value: [\"v1\"]: must have exactly one version marked as "
                                    "storage version")));
  json twice = WebDefinition();
  twice["spec"]["versions"].push_back(twice["spec"]["versions"][0]);
  EXPECT_THAT(Wrong(twice), ElementsAre(HasSubstr("must contain unique version names"),
                                        HasSubstr("must have exactly one version marked as storage version")));
  EXPECT_THAT(Wrong(With("/spec/versions/0/name", "1")), Contains(HasSubstr("spec.versions[0].name: Invalid value")));
}

TEST(CrdRules, ASchemaIsThereAndStructural) {
  json without = WebDefinition();
  without["spec"]["versions"][0].erase("schema");
  EXPECT_THAT(Wrong(without), ElementsAre("spec.versions[0].schema.openAPIV3Schema: Required value"));
  json untyped = WebDefinition();
  untyped["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"].erase("type");
  EXPECT_THAT(Wrong(untyped),
              Contains(HasSubstr("spec.validation.openAPIV3Schema.properties[spec].type: Required value")));
}

TEST(CrdRules, ADeprecationWarningIsOneShortLineOfADeprecatedVersion) {
  const auto wrong = [](const std::string& text, bool deprecated) {
    json definition = With("/spec/versions/0/deprecationWarning", text);
    definition["spec"]["versions"][0]["deprecated"] = deprecated;
    return Wrong(definition);
  };
  EXPECT_THAT(wrong("use Sites", true), IsEmpty());
  EXPECT_THAT(wrong("use Sites", false), ElementsAre("spec.versions[0].deprecationWarning: Invalid value: \"use "
                                                     "Sites\": can only be set for deprecated versions"));
  EXPECT_THAT(wrong("", true), ElementsAre(HasSubstr("must not be an empty string")));
  EXPECT_THAT(wrong(std::string(257, 'x'), true), ElementsAre(HasSubstr("must be <= 256 characters long")));
  EXPECT_THAT(wrong("a\nb", true), ElementsAre(HasSubstr("non-printable character found at index 1")));
}

TEST(CrdRules, WhatNobodyHereWouldRunIsRefused) {
  EXPECT_THAT(
      Wrong(With("/spec/versions/0/schema/openAPIV3Schema/x-kubernetes-validations", {{{"rule", "self.spec == 1"}}})),
      ElementsAre("spec.validation.openAPIV3Schema.x-kubernetes-validations: Forbidden: rules in CEL are not "
                  "supported by this server"));
  EXPECT_THAT(Wrong(With("/spec/conversion", {{"strategy", "Webhook"}})),
              ElementsAre("spec.conversion.strategy: Forbidden: conversion by a webhook is not supported by this "
                          "server, only None is"));
}

TEST(CrdRules, PathsOfAScaleLieWhereTheyMustAndColumnsHaveAType) {
  EXPECT_THAT(Wrong(With("/spec/versions/0/subresources/scale",
                         {{"specReplicasPath", ".status.n"}, {"statusReplicasPath", "status.n"}})),
              ElementsAre(HasSubstr("subresources.scale.specReplicasPath: Invalid value: \".status.n\": should be a "
                                    "json path under .spec"),
                          HasSubstr("must be a simple json path starting with .")));
  EXPECT_THAT(Wrong(With("/spec/versions/0/additionalPrinterColumns/0/type", "text")),
              ElementsAre(HasSubstr("additionalPrinterColumns[0].type: Invalid value: \"text\": must be one of "
                                    "boolean,date,integer,number,string")));
}

TEST(CrdRules, OnlyScalarsThatAreInTheSchemaCanBeSelectedBy) {
  const auto select = [](const char* path) {
    return With("/spec/versions/0/selectableFields", {{{"jsonPath", path}}});
  };
  EXPECT_THAT(Wrong(select(".spec.image")), IsEmpty());
  EXPECT_THAT(Wrong(select(".spec.colour")), ElementsAre(HasSubstr("is an invalid path")));
  EXPECT_THAT(Wrong(select(".spec")),
              ElementsAre(HasSubstr("must point to a field of type string, boolean or integer")));
  EXPECT_THAT(Wrong(select(".metadata.name")), ElementsAre(HasSubstr("must not point to fields in metadata")));
}

TEST(CrdRules, GroupsOfKubernetesNeedAnApproval) {
  json definition = With("/spec/group", "web.k8s.io");
  definition["metadata"]["name"] = "webs.web.k8s.io";
  EXPECT_THAT(Wrong(definition), ElementsAre(HasSubstr("metadata.annotations[api-approved.kubernetes.io]: Required")));
  definition["metadata"]["annotations"]["api-approved.kubernetes.io"] = "unapproved, for a test";
  EXPECT_THAT(Wrong(definition), IsEmpty());
}

TEST(CrdRules, WhatItIsStoredByCannotBeChangedOnceItIsEstablished) {
  json old = WebDefinition();
  CompleteDefinition(old, nullptr);
  EXPECT_THAT(Wrong(With("/spec/scope", "Cluster"), &old), IsEmpty());
  SetCondition(old["status"], "Established", true, "InitialNamesAccepted", "", {});
  EXPECT_THAT(Wrong(With("/spec/scope", "Cluster"), &old),
              ElementsAre(R"(spec.scope: Invalid value: "Cluster": field is immutable)"));
  EXPECT_THAT(Wrong(With("/spec/names/kind", "Site"), &old), ElementsAre(HasSubstr("spec.names.kind")));
}

TEST(CrdRules, AVersionThatObjectsMayBeStoredInCannotGo) {
  json definition = With("/spec/versions/0/name", "v2");
  definition["status"]["storedVersions"] = {"v1"};
  EXPECT_THAT(Wrong(definition), ElementsAre(HasSubstr("status.storedVersions[0]: Invalid value: \"v1\": missing from "
                                                       "spec.versions; v1 was previously a storage version")));
}

TEST(CrdRules, ADeletionWaitsForTheObjects) {
  json definition = WebDefinition();
  MarkDefinitionDeleted(definition, {});
  MarkDefinitionDeleted(definition, {});
  EXPECT_EQ(definition["metadata"]["finalizers"], json({"customresourcecleanup.apiextensions.k8s.io"}));
  EXPECT_TRUE(IsConditionTrue(definition, "Terminating"));
}

TEST(CrdRules, TheTimeOfAConditionIsThatOfItsStatus) {
  json status;
  SetCondition(status, "Ready", true, "A", "", Timestamp());
  SetCondition(status, "Ready", true, "B", "", Timestamp() + std::chrono::hours(1));
  EXPECT_EQ(status["conditions"][0]["reason"], "B");
  EXPECT_EQ(status["conditions"][0]["lastTransitionTime"], "1970-01-01T00:00:00Z");
  SetCondition(status, "Ready", false, "C", "", Timestamp() + std::chrono::hours(1));
  EXPECT_EQ(status["conditions"][0]["lastTransitionTime"], "1970-01-01T01:00:00Z");
}

}  // namespace
}  // namespace kinformer::apiserver
