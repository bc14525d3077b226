// How writes update managedFields and how apply changes objects. Entries and messages are those of kube-apiserver.

#include "src/apiserver/apply/field_manager.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "src/schema/built_in_schemas.h"
#include "test/apiserver/apply/schema_of.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

const GroupVersionKind kDeployment{"apps", "v1", "Deployment"};

Timestamp At(int second) { return Timestamp(std::chrono::seconds(1'700'000'000 + second)); }

json Deployment(const char* spec) {
  json object = {
      {"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"metadata", {{"name", "web"}, {"namespace", "ns"}}}};
  object["spec"] = json::parse(spec);
  return object;
}

/// The managedFields entries as "manager operation[/subresource] second: fields".
std::vector<std::string> Entries(const json& object) {
  std::vector<std::string> out;
  for (const json& entry : object.at("metadata").value("managedFields", json::array())) {
    std::string line = entry.at("manager").get<std::string>() + " " + entry.at("operation").get<std::string>();
    if (entry.contains("subresource")) line += "/" + entry.at("subresource").get<std::string>();
    if (entry.contains("time")) {
      const auto time = ParseTimestamp(entry.at("time").get<std::string>());
      line += " " + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(*time - At(0)).count());
    }
    out.push_back(line + ": " + FieldSet::FromJson(entry.at("fieldsV1"))->ToText());
  }
  return out;
}

class FieldManagerTest : public ::testing::Test {
 protected:
  void Update(json object, const std::string& manager, const std::string& subresource = "") {
    manager_.Update(live_, object, {.manager = manager, .subresource = subresource, .now = At(++second_)});
    Store(std::move(object));
  }
  Result<json> TryApply(const json& config, const std::string& manager, bool force = false,
                        const std::string& subresource = "") {
    return manager_.Apply(live_, config, {.manager = manager, .subresource = subresource, .now = At(++second_)}, force);
  }
  void Apply(const json& config, const std::string& manager, bool force = false, const std::string& subresource = "") {
    Result<json> applied = TryApply(config, manager, force, subresource);
    ASSERT_TRUE(applied) << applied.error().message;
    Store(*std::move(applied));
  }
  void Store(json object) {
    live_ = std::move(object);
    live_["metadata"]["uid"] = "u";
  }
  /// The object as a client would send it back.
  json Live() const { return live_; }

  const FieldManager manager_{
      {.kind = kDeployment, .schema = FindBuiltInSchema(kDeployment), .built_in = true, .has_status = true}};
  json live_;
  int second_ = 0;
};

TEST_F(FieldManagerTest, WhoCreatesOwnsWhatHeBrought) {
  json object = Deployment(
      R"({"replicas":1,"selector":{"matchLabels":{"a":"b"}},"strategy":{"type":"Recreate"},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i","ports":[{"containerPort":80}],"resources":{}}]}}})");
  object["metadata"]["labels"] = {{"app", "web"}};
  object["metadata"]["generation"] = 1;
  object["status"] = {{"replicas", 1}};
  Update(object, "kubectl-create");
  // As with `kubectl create`: no "." where the Go struct embeds a part by value; a "." for pointers, maps, lists and
  // list elements.
  EXPECT_THAT(
      Entries(live_),
      ElementsAre(
          R"(kubectl-create Update 1: {"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:replicas":{},"f:selector":{},"f:strategy":{"f:type":{}},"f:template":{"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{},"f:name":{},"f:ports":{".":{},"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}},"f:resources":{}}}}}}})"));
  EXPECT_EQ(live_["metadata"]["managedFields"][0]["fieldsType"], "FieldsV1");
  EXPECT_EQ(live_["metadata"]["managedFields"][0]["apiVersion"], "apps/v1");
}

TEST_F(FieldManagerTest, WhoChangesAFieldTakesItFromTheOthers) {
  Update(Deployment(R"({"replicas":1,"paused":true})"), "a");
  Update(Deployment(R"({"replicas":2,"paused":true})"), "b");
  EXPECT_THAT(Entries(live_),
              ElementsAre(R"(a Update 1: {"f:spec":{"f:paused":{}}})", R"(b Update 2: {"f:spec":{"f:replicas":{}}})"));
  // A manager that owns nothing any more has no entry.
  Update(Deployment(R"({"replicas":2,"paused":false})"), "b");
  EXPECT_THAT(Entries(live_), ElementsAre(R"(b Update 3: {"f:spec":{"f:paused":{},"f:replicas":{}}})"));
  // Removing a field removes it from every set, without updating any entry's time.
  Update(Deployment(R"({"replicas":2})"), "c");
  EXPECT_THAT(Entries(live_), ElementsAre(R"(b Update 3: {"f:spec":{"f:replicas":{}}})"));
  const json before = live_;
  Update(Deployment(R"({"replicas":2})"), "d");
  EXPECT_EQ(live_["metadata"]["managedFields"], before["metadata"]["managedFields"]);
}

TEST_F(FieldManagerTest, StatusIsOwnedByWhoWritesItsSubresource) {
  Update(Deployment(R"({"replicas":1})"), "a");
  json object = Live();
  object["status"] = {{"replicas", 1}};
  Update(object, "ctl", "status");
  EXPECT_THAT(Entries(live_), ElementsAre(R"(a Update 1: {"f:spec":{"f:replicas":{}}})",
                                          R"(ctl Update/status 2: {"f:status":{"f:replicas":{}}})"));
  // The status subresource cannot change managedFields.
  object = Live();
  object["metadata"]["managedFields"] = json::array();
  object["status"]["replicas"] = 2;
  Update(object, "ctl", "status");
  EXPECT_THAT(Entries(live_), ElementsAre(R"(a Update 1: {"f:spec":{"f:replicas":{}}})",
                                          R"(ctl Update/status 3: {"f:status":{"f:replicas":{}}})"));
}

TEST_F(FieldManagerTest, AClientMayResetAndWriteManagedFieldsByHand) {
  for (const char* reset : {"[]", "[{}]"}) {
    live_ = nullptr;
    Update(Deployment(R"({"replicas":1})"), "a");
    json object = Live();
    object["metadata"]["managedFields"] = json::parse(reset);
    object["spec"]["replicas"] = 5;
    Update(object, "b");
    EXPECT_FALSE(live_["metadata"].contains("managedFields")) << reset;
    // Updates do not track ownership any more until the next apply.
    Update(Deployment(R"({"replicas":6})"), "c");
    EXPECT_FALSE(live_["metadata"].contains("managedFields")) << reset;
  }
  live_ = nullptr;
  second_ = 0;
  Update(Deployment(R"({"replicas":1})"), "a");
  json object = Live();
  object["metadata"]["managedFields"][0]["manager"] = "other";
  Update(object, "b");
  EXPECT_THAT(Entries(live_), ElementsAre(R"(other Update 1: {"f:spec":{"f:replicas":{}}})"));
  // Invalid entries are ignored.
  object = Live();
  object["metadata"]["managedFields"] = json::parse(R"([{"manager":"x","operation":"No","apiVersion":"v1"}])");
  Update(object, "b");
  EXPECT_THAT(Entries(live_), ElementsAre(R"(other Update 1: {"f:spec":{"f:replicas":{}}})"));
}

TEST_F(FieldManagerTest, AtMostTenUpdatersTheOldestBecomeOne) {
  json object = Deployment("{}");
  for (int i = 0; i < 12; ++i) {
    object["metadata"]["labels"]["l" + std::to_string(i)] = "x";
    Update(object, "m" + std::to_string(i));
  }
  const std::vector<std::string> entries = Entries(live_);
  ASSERT_EQ(entries.size(), 10U);
  EXPECT_EQ(entries[0],
            R"(ancient-changes Update 3: {"f:metadata":{"f:labels":{".":{},"f:l0":{},"f:l1":{},"f:l2":{}}}})");
  EXPECT_EQ(entries[1], R"(m3 Update 4: {"f:metadata":{"f:labels":{"f:l3":{}}}})");
  EXPECT_EQ(entries[9], R"(m11 Update 12: {"f:metadata":{"f:labels":{"f:l11":{}}}})");
}

TEST_F(FieldManagerTest, ApplyMakesAndOwnsWhatItNames) {
  Apply(Deployment(R"({"replicas":3,"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}})"), "me");
  EXPECT_EQ(live_["spec"]["replicas"], 3);
  EXPECT_THAT(
      Entries(live_),
      ElementsAre(
          R"(me Apply 1: {"f:spec":{"f:replicas":{},"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{},"f:name":{}}}}}}})"));
  // Applying the same again changes nothing, not even the time.
  const json before = live_;
  const Result<json> again =
      TryApply(Deployment(R"({"replicas":3,"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}})"), "me");
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, before);
}

TEST_F(FieldManagerTest, WhatIsLeftOutIsRemovedUnlessSomebodyElseOwnsIt) {
  json config = Deployment(
      R"({"replicas":3,"paused":true,"template":{"spec":{"containers":[{"name":"a","image":"1","ports":[{"containerPort":80},{"containerPort":81}]},{"name":"b","image":"1"}]}}})");
  config["metadata"]["labels"] = {{"x", "1"}, {"y", "2"}};
  Apply(config, "me");
  json changed = Live();
  changed["spec"]["template"]["spec"]["containers"][0]["ports"][0]["name"] = "http";
  changed["metadata"]["labels"]["z"] = "3";
  Update(changed, "ctl");
  Apply(Deployment(R"({"paused":true})"), "other");
  Apply(Deployment(R"({"template":{"spec":{"containers":[{"name":"a","image":"2"}]}}})"), "me");
  EXPECT_FALSE(live_["spec"].contains("replicas"));
  EXPECT_EQ(live_["spec"]["paused"], true);
  EXPECT_EQ(live_["metadata"]["labels"], json::parse(R"({"z":"3"})"));
  // An element is removed with everything in it, even fields that another manager wrote.
  EXPECT_EQ(live_["spec"]["template"]["spec"]["containers"], json::parse(R"([{"name":"a","image":"2"}])"))
      << live_["spec"];
}

TEST_F(FieldManagerTest, AConflictNamesWhoIsInTheWay) {
  Update(Deployment(R"({"replicas":1,"paused":true})"), "kubectl");
  const Result<json> one = TryApply(Deployment(R"({"replicas":2})"), "me");
  ASSERT_FALSE(one);
  EXPECT_EQ(one.error().http_status, 409);
  EXPECT_EQ(one.error().reason, "Conflict");
  EXPECT_EQ(one.error().message,
            R"(Apply failed with 1 conflict: conflict with "kubectl" using apps/v1: .spec.replicas)");
  EXPECT_THAT(one.error().details.causes, ElementsAre(ErrorCause{.reason = "FieldManagerConflict",
                                                                 .message = R"(conflict with "kubectl" using apps/v1)",
                                                                 .field = ".spec.replicas"}));
  Apply(Deployment(R"({"minReadySeconds":5})"), "applier");
  const Result<json> several = TryApply(Deployment(R"({"replicas":2,"paused":false,"minReadySeconds":6})"), "me");
  ASSERT_FALSE(several);
  EXPECT_EQ(several.error().message,
            "Apply failed with 3 conflicts: conflicts with \"applier\":\n- .spec.minReadySeconds\n"
            "conflicts with \"kubectl\" using apps/v1:\n- .spec.paused\n- .spec.replicas");
  EXPECT_EQ(several.error().details.causes.size(), 3U);
  // Applying the same value is no conflict; both managers own it.
  Apply(Deployment(R"({"replicas":1})"), "me");
  EXPECT_THAT(Entries(live_), testing::Contains(R"(me Apply: {"f:spec":{"f:replicas":{}}})"));
  EXPECT_THAT(Entries(live_), testing::Contains(R"(kubectl Update 1: {"f:spec":{"f:paused":{},"f:replicas":{}}})"));
}

TEST_F(FieldManagerTest, ForceTakesItAll) {
  Update(Deployment(R"({"replicas":1,"paused":true})"), "kubectl");
  Apply(Deployment(R"({"replicas":2})"), "me", /*force=*/true);
  EXPECT_EQ(live_["spec"]["replicas"], 2);
  EXPECT_THAT(Entries(live_), ElementsAre(R"(me Apply 2: {"f:spec":{"f:replicas":{}}})",
                                          R"(kubectl Update 1: {"f:spec":{"f:paused":{}}})"));
}

TEST_F(FieldManagerTest, AnUpdateTakesWhatWasAppliedWithoutAsking) {
  Apply(Deployment(R"({"replicas":1,"paused":true})"), "me");
  json object = Live();
  object["spec"]["replicas"] = 9;
  Update(object, "me");
  EXPECT_THAT(Entries(live_),
              ElementsAre(R"(me Apply 1: {"f:spec":{"f:paused":{}}})", R"(me Update 2: {"f:spec":{"f:replicas":{}}})"));
}

TEST_F(FieldManagerTest, TheFirstApplyGivesWhatWasThereAName) {
  live_ = Deployment(R"({"replicas":1,"paused":true})");
  Store(live_);
  const Result<json> conflict = TryApply(Deployment(R"({"replicas":2})"), "me");
  ASSERT_FALSE(conflict);
  EXPECT_EQ(conflict.error().message,
            R"(Apply failed with 1 conflict: conflict with "before-first-apply" using apps/v1: .spec.replicas)");
  Apply(Deployment(R"({"minReadySeconds":2})"), "me");
  EXPECT_THAT(Entries(live_),
              ElementsAre(R"(me Apply 2: {"f:spec":{"f:minReadySeconds":{}}})",
                          R"(before-first-apply Update 2: {"f:spec":{"f:paused":{},"f:replicas":{}}})"));
}

TEST_F(FieldManagerTest, StatusIsAppliedThroughItsSubresource) {
  Apply(Deployment(R"({"replicas":1})"), "me");
  json config = Deployment(R"({"replicas":7})");
  config["status"] = {{"conditions", json::parse(R"([{"type":"Available","status":"True"}])")}};
  Apply(config, "ctl", false, "status");
  EXPECT_THAT(
      Entries(live_),
      ElementsAre(
          R"(me Apply 1: {"f:spec":{"f:replicas":{}}})",
          R"(ctl Apply/status 2: {"f:status":{"f:conditions":{"k:{\"type\":\"Available\"}":{".":{},"f:status":{},"f:type":{}}}}})"));
  // The object's own endpoint does not apply the status.
  json direct = Deployment(R"({"replicas":1})");
  direct["status"] = {{"replicas", 3}};
  Apply(direct, "me");
  EXPECT_THAT(Entries(live_)[1], R"(me Apply 3: {"f:spec":{"f:replicas":{}}})");
}

TEST_F(FieldManagerTest, WhatIsNoConfigurationOfTheKindIsRefused) {
  json managed = Deployment("{}");
  managed["metadata"]["managedFields"] = json::array();
  const Result<json> own = TryApply(managed, "me");
  ASSERT_FALSE(own);
  EXPECT_EQ(own.error().http_status, 400);
  EXPECT_EQ(own.error().message, "metadata.managedFields must be nil");

  json other = Deployment("{}");
  other["kind"] = "Pod";
  other["apiVersion"] = "v1";
  const Result<json> kind = TryApply(other, "me");
  ASSERT_FALSE(kind);
  EXPECT_EQ(kind.error().http_status, 400);
  EXPECT_EQ(kind.error().message, "invalid object type: /v1, Kind=Pod");

  const Result<json> unknown = TryApply(Deployment(R"({"replica":1})"), "me");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().http_status, 500);
  EXPECT_EQ(unknown.error().message,
            "failed to create typed patch object (ns/web; apps/v1, Kind=Deployment): .spec.replica: field not declared "
            "in schema");
  const Result<json> twice =
      TryApply(Deployment(R"({"template":{"spec":{"containers":[{"name":"a"},{"name":"a"}]}}})"), "me");
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().message,
              testing::HasSubstr(R"(.spec.template.spec.containers: duplicate entries for key [name="a"])"));
  EXPECT_FALSE(TryApply(json::array(), "me"));
}

TEST_F(FieldManagerTest, KubectlTakesOverWhatItAppliedByItsAnnotation) {
  const char* annotation = "kubectl.kubernetes.io/last-applied-configuration";
  json object = Deployment(R"({"replicas":1,"paused":true})");
  object["metadata"]["annotations"] = {{annotation, Deployment(R"({"replicas":1})").dump()}};
  Update(object, "kubectl-client-side-apply");
  // Fields it wrote itself are no conflict; others are.
  const Result<json> conflict = TryApply(Deployment(R"({"replicas":2,"paused":false})"), "kubectl");
  ASSERT_FALSE(conflict);
  EXPECT_EQ(conflict.error().message,
            R"(Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using apps/v1: .spec.paused)");
  Apply(Deployment(R"({"replicas":2})"), "kubectl");
  EXPECT_EQ(live_["spec"]["replicas"], 2);
  EXPECT_EQ(json::parse(live_["metadata"]["annotations"][annotation].get<std::string>()),
            Deployment(R"({"replicas":2})"));
}

TEST(FieldManager, OfAKindWithoutASchemaObjectsAreTakenApartListsAreNot) {
  const GroupVersionKind kind{"example.com", "v1", "Web"};
  const FieldManager manager({.kind = kind, .built_in = false});
  json object = json::parse(
      R"({"apiVersion":"example.com/v1","kind":"Web","metadata":{"name":"a"},"spec":{"a":{"b":1},"l":[{"name":"x"}]}})");
  manager.Update({}, object, {.manager = "m", .now = At(1)});
  EXPECT_THAT(Entries(object), ElementsAre(R"(m Update 1: {"f:spec":{".":{},"f:a":{".":{},"f:b":{}},"f:l":{}}})"));
}

TEST(FieldManager, AManagerIsNamedByItsProgramIfItDoesNotNameItself) {
  EXPECT_EQ(ManagerName("me", "kubectl/v1.30 (linux)"), "me");
  EXPECT_EQ(ManagerName("", "kubectl/v1.30 (linux)"), "kubectl");
  EXPECT_EQ(ManagerName("", "Go-http-client"), "Go-http-client");
  EXPECT_EQ(ManagerName("", ""), "");
  EXPECT_EQ(ManagerName("",
                        "a\x01"
                        "b\x7f"
                        "c/1"),
            "abc");
  EXPECT_EQ(ManagerName("", std::string(200, 'x')), std::string(128, 'x'));
  EXPECT_EQ(ManagerName("", std::string(127, 'x') + "\xc3\xa9"), std::string(127, 'x'));
}

TEST(FieldManager, AWriterWithoutANameIsUnknown) {
  const FieldManager manager({.kind = kDeployment, .schema = FindBuiltInSchema(kDeployment)});
  json object = Deployment(R"({"replicas":1})");
  manager.Update({}, object, {.now = At(1)});
  EXPECT_THAT(Entries(object), ElementsAre(R"(unknown Update 1: {"f:spec":{"f:replicas":{}}})"));
}

TEST(FieldManager, AnObjectThatTheSchemaCannotExplainKeepsTheEntriesThatItHad) {
  const FieldManager manager({.kind = kDeployment, .schema = FindBuiltInSchema(kDeployment)});
  json live = Deployment(R"({"replicas":1})");
  manager.Update({}, live, {.manager = "a", .now = At(1)});
  json object = live;
  object["spec"]["template"]["spec"]["containers"] = json::parse(R"([{"image":"nameless"}])");
  manager.Update(live, object, {.manager = "b", .now = At(2)});
  EXPECT_EQ(object["metadata"]["managedFields"], live["metadata"]["managedFields"]);
}

}  // namespace
}  // namespace kinformer::apiserver
