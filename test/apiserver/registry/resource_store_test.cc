// The side effects of writes and the reasons for refusals, with kube-apiserver's messages.

#include "src/apiserver/registry/resource_store.h"

#include <chrono>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/meta/status_error.h>

#include "test/apiserver/registry/resource_store_testing.h"

namespace kinformer::apiserver {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST_F(ResourceStoreTest, CreateSetsWhatOnlyTheServerMay) {
  json body = Deployment("web");
  body["metadata"]["uid"] = "mine";
  body["metadata"]["creationTimestamp"] = "2001-01-01T00:00:00Z";
  body["metadata"]["generation"] = 7;
  body["metadata"]["deletionTimestamp"] = "2001-01-01T00:00:00Z";
  body["status"] = {{"replicas", 99}};
  const json created = Created(body);
  const json& metadata = created.at("metadata");
  EXPECT_THAT(metadata.at("uid").get<std::string>(),
              MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  EXPECT_NE(metadata.at("creationTimestamp"), "2001-01-01T00:00:00Z");
  EXPECT_THAT(metadata.at("creationTimestamp").get<std::string>(), MatchesRegex(R"(....-..-..T..:..:..Z)"));
  EXPECT_EQ(metadata.at("generation"), 1);
  EXPECT_EQ(metadata.at("namespace"), "default");
  EXPECT_FALSE(metadata.contains("deletionTimestamp"));
  EXPECT_EQ(created.at("status"), json::object());
  EXPECT_EQ(Created(Pod("p")).at("status"), (json{{"phase", "Pending"}, {"qosClass", "BestEffort"}}));
}

TEST_F(ResourceStoreTest, CreateAgainIsAlreadyExists) {
  Created(ConfigMap("a"));
  const auto again = Create(ConfigMap("a"));
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().http_status, 409);
  EXPECT_EQ(again.error().reason, "AlreadyExists");
  EXPECT_EQ(again.error().message, "configmaps \"a\" already exists");
}

TEST_F(ResourceStoreTest, GenerateNameAddsFiveCharactersAndCutsWhatIsTooLong) {
  json body = ConfigMap("");
  body["metadata"] = {{"generateName", "web-"}};
  std::set<std::string> names;
  for (int i = 0; i < 20; ++i) names.insert(Created(body).at("metadata").at("name").get<std::string>());
  EXPECT_EQ(names.size(), 20U);
  for (const std::string& name : names) EXPECT_THAT(name, MatchesRegex("web-[bcdfghjklmnpqrstvwxz2456789]{5}"));
  body["metadata"]["generateName"] = std::string(100, 'x');
  EXPECT_EQ(Created(body).at("metadata").at("name").get<std::string>().size(), 63U);
}

TEST_F(ResourceStoreTest, WhatIsWrongWithABodyIsSaid) {
  const auto refusal = [&](const json& body) {
    const auto created = Create(body);
    EXPECT_FALSE(created.ok()) << body;
    return created.ok() ? Error{} : created.error();
  };
  json body = ConfigMap("a");
  body["metadata"].erase("name");
  Error error = refusal(body);
  EXPECT_EQ(error.http_status, 422);
  EXPECT_THAT(error.message,
              HasSubstr("ConfigMap \"\" is invalid: metadata.name: Required value: name or generateName"));
  EXPECT_EQ(error.details.kind, "ConfigMap") << "the kind, of a 422";

  error = refusal(ConfigMap("Not_Good"));
  EXPECT_EQ(error.http_status, 422);
  EXPECT_EQ(error.details.causes.at(0).field, "metadata.name");

  body = ConfigMap("a");
  body["metadata"]["resourceVersion"] = "5";
  EXPECT_EQ(refusal(body).http_status, 500);

  body = ConfigMap("a");
  body["metadata"]["namespace"] = "other";
  EXPECT_EQ(refusal(body).http_status, 400);

  body = ConfigMap("a");
  body["apiVersion"] = "v2";
  EXPECT_EQ(refusal(body).http_status, 400);

  body = ConfigMap("a");
  body["metadata"]["labels"] = {{"a", 5}};
  EXPECT_EQ(refusal(body).http_status, 400);
  body["metadata"]["labels"] = {{"a b", "c"}};
  EXPECT_EQ(refusal(body).http_status, 422);

  for (const std::string text : {"", "{", "[]", "\"x\"", "{\"metadata\":5}", "{\"kind\":5}"}) {
    const auto created = Of("ConfigMap").Create("default", text, {}, {});
    ASSERT_FALSE(created.ok()) << text;
    EXPECT_EQ(created.error().http_status, 400) << text;
  }
  std::string deep = R"({"metadata":{"name":"a"},"data":)";
  for (int i = 0; i < 100'000; ++i) deep += '[';
  EXPECT_EQ(Of("ConfigMap").Create("default", deep, {}, {}).error().http_status, 400);
}

TEST_F(ResourceStoreTest, UpdateNeedsTheVersionThatItNames) {
  json object = Created(ConfigMap("a", "1"));
  object["data"]["value"] = "2";
  const json updated = Updated(object);
  EXPECT_EQ(updated.at("data").at("value"), "2");
  object["data"]["value"] = "3";
  const auto stale = Put(object);
  ASSERT_FALSE(stale.ok());
  EXPECT_TRUE(IsConflict(stale.error()));
  EXPECT_THAT(stale.error().message, HasSubstr("the object has been modified; please apply your changes"));
  object["metadata"].erase("resourceVersion");
  EXPECT_EQ(Updated(object).at("data").at("value"), "3") << "without one it is unconditional";
  object["metadata"]["uid"] = "another";
  EXPECT_TRUE(IsConflict(Put(object).error()));
  EXPECT_TRUE(IsNotFound(Put(ConfigMap("absent")).error()));
}

TEST_F(ResourceStoreTest, AnUpdateThatChangesNothingIsNoWrite) {
  const json object = Created(ConfigMap("a"));
  EXPECT_EQ(Updated(object).at("metadata").at("resourceVersion"), object.at("metadata").at("resourceVersion"));
  json other = object;
  other["metadata"]["uid"] = nullptr;
  other["metadata"]["creationTimestamp"] = nullptr;
  EXPECT_EQ(Updated(other), object) << "what only the server sets may be left out";
}

TEST_F(ResourceStoreTest, MergePatchChangesAndRemovesFieldsAndMayNameAVersion) {
  const json object = Created(ConfigMap("a"));
  const auto patched = Patch("ConfigMap", "a", PatchKind::kMerge, R"({"data":{"value":null,"more":"2"}})");
  ASSERT_TRUE(patched.ok()) << ToString(patched.error());
  EXPECT_EQ((*patched)->ToJson().at("data"), (json{{"more", "2"}}));
  const std::string old = object.at("metadata").at("resourceVersion").get<std::string>();
  const auto stale = Patch("ConfigMap", "a", PatchKind::kMerge,
                           R"({"metadata":{"resourceVersion":")" + old + R"("},"data":{"x":"y"}})");
  EXPECT_TRUE(IsConflict(stale.error()));
  EXPECT_EQ(Patch("ConfigMap", "a", PatchKind::kMerge, R"({"metadata":{"name":"b"}})").error().http_status, 400);
  EXPECT_EQ(Patch("ConfigMap", "a", PatchKind::kMerge, "[]").error().http_status, 400);
  EXPECT_EQ(Patch("ConfigMap", "a", PatchKind::kMerge, "{").error().http_status, 400);
}

TEST_F(ResourceStoreTest, JsonPatchWhoseTestFailsIsInvalidAndOneThatIsNoneABadRequest) {
  Created(ConfigMap("a"));
  const auto patched =
      Patch("ConfigMap", "a", PatchKind::kJson,
            R"([{"op":"test","path":"/data/value","value":"1"},{"op":"replace","path":"/data/value","value":"2"}])");
  ASSERT_TRUE(patched.ok()) << ToString(patched.error());
  EXPECT_EQ((*patched)->At("/data/value").StringOr(""), "2");
  EXPECT_EQ(Patch("ConfigMap", "a", PatchKind::kJson, R"([{"op":"test","path":"/data/value","value":"1"}])")
                .error()
                .http_status,
            422);
  EXPECT_EQ(Patch("ConfigMap", "a", PatchKind::kJson, R"({"op":"test"})").error().http_status, 400);
  EXPECT_EQ(Patch("ConfigMap", "a", PatchKind::kJson, R"([{"op":"jump","path":"/"}])").error().http_status, 422);
  EXPECT_EQ(Patch("ConfigMap", "a", PatchKind::kJson, R"([{"op":1,"path":"/"}])").error().http_status, 400);
  json many = json::array();
  for (int i = 0; i <= 10'000; ++i) many.push_back({{"op", "test"}, {"path", "/data/value"}, {"value", "2"}});
  EXPECT_EQ(Patch("ConfigMap", "a", PatchKind::kJson, many.dump()).error().http_status, 413);
}

TEST_F(ResourceStoreTest, AVersionOfAnUpdateIsANumberAndZeroIsNone) {
  Created(ConfigMap("a"));
  json body = ConfigMap("a", "2");
  body["metadata"]["resourceVersion"] = "abc";
  EXPECT_EQ(Put(body).error().http_status, 500);
  body["metadata"]["resourceVersion"] = "0";
  EXPECT_EQ(Updated(body).at("data").at("value"), "2");
}

TEST_F(ResourceStoreTest, AnotherUidIsAConflictOfAnUpdateAndInvalidInAPatch) {
  const json made = Created(ConfigMap("a"));
  json body = ConfigMap("a", "2");
  body["metadata"]["uid"] = "another";
  const auto put = Put(body);
  ASSERT_FALSE(put.ok());
  EXPECT_TRUE(IsConflict(put.error()));
  EXPECT_EQ(put.error().message,
            "Operation cannot be fulfilled on configmaps \"a\": StorageError: invalid object, Code: 4, Key: "
            "/registry/configmaps/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in "
            "precondition: another, UID in object meta: " +
                made.at("metadata").at("uid").get<std::string>());
  EXPECT_EQ(Patch("ConfigMap", "a", PatchKind::kMerge, R"({"metadata":{"uid":"another"}})").error().http_status, 422);
}

TEST_F(ResourceStoreTest, APatchThatMakesAnObjectSomethingElseIsInvalid) {
  Created(ConfigMap("a"));
  for (const char* patch : {R"({"kind":"Secret"})", R"({"apiVersion":"v2"})", R"({"data":{"k":5}})"}) {
    const auto patched = Patch("ConfigMap", "a", PatchKind::kMerge, patch);
    ASSERT_FALSE(patched.ok()) << patch;
    EXPECT_EQ(patched.error().http_status, 422) << patch;
    EXPECT_EQ(patched.error().details.causes.at(0).field, "patch") << patch;
  }
}

TEST_F(ResourceStoreTest, ABodyThatIsNotUnderstoodIsShown) {
  const auto message = [&](const std::string& body) {
    return Of("ConfigMap").Create("default", body, {}, {}).error().message;
  };
  EXPECT_EQ(message("{"),
            "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse "
            "error: unexpected end of JSON input ({)");
  EXPECT_EQ(message(""),
            "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse "
            "error: unexpected end of JSON input (<empty>)");
  EXPECT_EQ(message(R"({"apiVersion":"a/b/c","kind":"ConfigMap"})"),
            "the object provided is unrecognized (must be of type ConfigMap): unexpected GroupVersion string: a/b/c "
            "({\"apiVersion\":\"a/b/c\",\"kind\":\" ...)");
  EXPECT_THAT(message("[]"), HasSubstr("json: cannot unmarshal array into Go value of type struct"));
  EXPECT_THAT(message("[]"), HasSubstr("(5b5d)"));
}

TEST_F(ResourceStoreTest, DryRunGoesTheWholeWayAndStoresNothing) {
  const Revision before = *backend_->CurrentRevision({});
  const auto created = Create(ConfigMap("a"), {.dry_run = true});
  ASSERT_TRUE(created.ok());
  EXPECT_EQ((*created)->ResourceVersion(), "");
  EXPECT_FALSE((*created)->Uid().empty());
  EXPECT_EQ(*backend_->CurrentRevision({}), before);
  json object = Created(ConfigMap("a"));
  EXPECT_EQ(Create(ConfigMap("a"), {.dry_run = true}).error().reason, "AlreadyExists");
  const Revision now = *backend_->CurrentRevision({});
  object["data"]["value"] = "2";
  EXPECT_EQ((*Put(object, Subresource::kNone, {.dry_run = true}))->At("/data/value").StringOr(""), "2");
  EXPECT_TRUE(Of("ConfigMap").Delete("default", "a", {.dry_run = true}, {})->finished);
  EXPECT_EQ(*backend_->CurrentRevision({}), now);
  EXPECT_EQ((*Of("ConfigMap").Get("default", "a", "", {}))->At("/data/value").StringOr(""), "1");
}

TEST_F(ResourceStoreTest, ALeaseIsMadeByItsFirstUpdateAndNeedsAVersionAfterwards) {
  const json lease = {
      {"apiVersion", "coordination.k8s.io/v1"}, {"kind", "Lease"}, {"metadata", {{"name", "leader"}}}, {"spec", {}}};
  const auto made = Of("Lease").Update("default", "leader", Subresource::kNone, lease.dump(), {}, {});
  ASSERT_TRUE(made.ok()) << ToString(made.error());
  EXPECT_TRUE(made->created);
  EXPECT_EQ(Put(lease).error().http_status, 422);
}

TEST_F(ResourceStoreTest, KeysAreThoseOfKubernetes) {
  EXPECT_EQ(KindOf("Pod").Prefix(), "/registry/pods/");
  EXPECT_EQ(KindOf("Lease").Prefix(), "/registry/leases/");
  EXPECT_EQ((ServedKind{.resource = {"example.com", "v1", "webs"}}).Prefix(), "/registry/example.com/webs/");
  Created(Pod("web-0"));
  EXPECT_TRUE(backend_->Get("/registry/pods/default/web-0", {})->first.has_value());
}

}  // namespace
}  // namespace kinformer::apiserver
