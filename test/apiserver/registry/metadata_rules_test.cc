#include "src/apiserver/registry/metadata_rules.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const ServedKind kConfigMaps{.resource = {"", "v1", "configmaps"}, .kind = "ConfigMap"};

std::vector<std::string> Wrongs(json metadata, const ServedKind& kind = kConfigMaps) {
  metadata.emplace("name", "a");
  std::vector<std::string> wrongs;
  for (const ErrorCause& cause : CheckMetadata(kind, metadata)) wrongs.push_back(cause.field + ": " + cause.message);
  return wrongs;
}

TEST(MetadataRules, WhatIsRightIsNotMentioned) {
  EXPECT_THAT(Wrongs({{"labels", {{"a", "b"}, {"example.com/x", ""}}},
                      {"annotations", {{"Example.com/Any", "thing at all"}}},
                      {"generateName", "a-"},
                      {"finalizers", {"example.com/hold", "orphan", "foregroundDeletion"}},
                      {"ownerReferences", {{{"apiVersion", "v1"}, {"kind", "Pod"}, {"name", "p"}, {"uid", "u"}}}}}),
              IsEmpty());
}

TEST(MetadataRules, AllThatIsWrongWithALabelsKeyIsTold) {
  EXPECT_THAT(Wrongs({{"labels", {{"g/", "h"}}}}),
              ElementsAre("metadata.labels: Invalid value: \"g/\": name part must be non-empty",
                          HasSubstr("metadata.labels: Invalid value: \"g/\": name part must consist of")));
  EXPECT_THAT(Wrongs({{"labels", {{"/e", "f"}}}}),
              ElementsAre("metadata.labels: Invalid value: \"/e\": prefix part must be non-empty"));
  EXPECT_THAT(Wrongs({{"labels", {{"a/b/c", "d"}}}}),
              ElementsAre(HasSubstr("Invalid value: \"a/b/c\": a valid label key must consist of")));
}

TEST(MetadataRules, AnAnnotationsKeyMayBeInCapitals) {
  EXPECT_THAT(Wrongs({{"annotations", {{"UPPER.com/Ok", "x"}}}}), IsEmpty());
  EXPECT_THAT(Wrongs({{"annotations", {{"-x", "y"}}}}),
              ElementsAre(HasSubstr("metadata.annotations: Invalid value: \"-x\": name part must consist of")));
}

TEST(MetadataRules, ABuiltInKindsFinalizerIsStandardOrSaysWhoseItIs) {
  EXPECT_THAT(Wrongs({{"finalizers", {"hold"}}}),
              ElementsAre("metadata.finalizers[0]: Invalid value: \"hold\": name is neither a standard finalizer name "
                          "nor is it fully qualified"));
  ServedKind custom = kConfigMaps;
  custom.schema = std::make_shared<const KindSchema>();
  EXPECT_THAT(Wrongs({{"finalizers", {"hold"}}}, custom), IsEmpty());
  EXPECT_THAT(Wrongs({{"finalizers", {"customresourcecleanup.apiextensions.k8s.io"}}}, CustomResourceDefinitionKind()),
              IsEmpty());
}

TEST(MetadataRules, WhoAddsAFinalizerThatDoesNotSayWhoseItIsIsWarned) {
  ServedKind custom = kConfigMaps;
  custom.schema = std::make_shared<const KindSchema>();
  const json metadata = {
      {"finalizers", {"hold", "old", "example.com", "example.com/hold", "orphan", "foregroundDeletion"}}};
  const json before = {{"finalizers", {"old"}}};
  EXPECT_THAT(FinalizerWarnings(custom, metadata, before),
              ElementsAre("metadata.finalizers: \"example.com\": prefer a domain-qualified finalizer name including a "
                          "path (/) to avoid accidental conflicts with other finalizer writers",
                          "metadata.finalizers: \"hold\": prefer a domain-qualified finalizer name to avoid accidental "
                          "conflicts with other finalizer writers"));
  EXPECT_EQ(FinalizerWarnings(custom, metadata, nullptr).size(), 3U);
  EXPECT_THAT(FinalizerWarnings(custom, json::object(), metadata), IsEmpty());
  EXPECT_THAT(FinalizerWarnings(kConfigMaps, metadata, nullptr), IsEmpty());
}

TEST(MetadataRules, AnOwnerIsNamedInFull) {
  EXPECT_THAT(Wrongs({{"ownerReferences", {{{"apiVersion", ""}, {"kind", ""}, {"name", ""}, {"uid", ""}}}}}),
              ElementsAre("metadata.ownerReferences.apiVersion: Invalid value: \"\": version must not be empty",
                          "metadata.ownerReferences.kind: Invalid value: \"\": must not be empty",
                          "metadata.ownerReferences.name: Invalid value: \"\": must not be empty",
                          "metadata.ownerReferences.uid: Invalid value: \"\": must not be empty"));
}

TEST(MetadataRules, AnEventOwnsNothingAndOnlyOneOwnerControls) {
  const auto owner = [](const char* kind, const char* name, bool controls) {
    json made = {{"apiVersion", "v1"}, {"kind", kind}, {"name", name}, {"uid", name}};
    if (controls) made["controller"] = true;
    return made;
  };
  EXPECT_THAT(Wrongs({{"ownerReferences", {owner("Event", "e", false)}}}),
              ElementsAre(R"(metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"e",)"
                          R"("uid":"e"}: /v1, Kind=Event is disallowed from being an owner)"));
  EXPECT_THAT(Wrongs({{"ownerReferences", {owner("Pod", "x", true), owner("Pod", "y", true)}}}),
              ElementsAre(HasSubstr("Only one reference can have Controller set to true. Found \"true\" in references "
                                    "for Pod/x and Pod/y")));
}

TEST(MetadataRules, TheBeginningOfAGeneratedNameIsCheckedToo) {
  EXPECT_THAT(Wrongs({{"generateName", "Gen_"}}),
              ElementsAre(HasSubstr("metadata.generateName: Invalid value: \"Gen_\": a lowercase RFC 1123 subdomain")));
}

}  // namespace
}  // namespace kinformer::apiserver
