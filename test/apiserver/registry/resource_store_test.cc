// What each write does beside what was asked, and what is refused: with the answers of a kube-apiserver.

#include "src/apiserver/registry/resource_store.h"

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/base/fake_clock.h>
#include <kinformer/base/task_pool.h>
#include <kinformer/meta/status_error.h>

#include "src/apiserver/storage/memory_backend.h"
#include "src/apiserver/storage/undecorated_storage.h"
#include "test/support/leak_check.h"

namespace kinformer::apiserver {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

const bool kLeakChecked = testing_support::InstallLeakCheck();

const ServedKind& KindOf(const std::string& kind) {
  for (const ServedKind& served : BuiltInKinds()) {
    if (served.kind == kind) return served;
  }
  throw std::out_of_range(kind);
}

json ConfigMap(const std::string& name, const std::string& value = "1") {
  return {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", name}}}, {"data", {{"value", value}}}};
}

json Deployment(const std::string& name, int replicas = 1) {
  return {{"apiVersion", "apps/v1"},
          {"kind", "Deployment"},
          {"metadata", {{"name", name}}},
          {"spec",
           {{"replicas", replicas},
            {"selector", {{"matchLabels", {{"app", "web"}}}}},
            {"template",
             {{"metadata", {{"labels", {{"app", "web"}}}}},
              {"spec", {{"containers", {{{"name", "c"}, {"image", "i"}}}}}}}}}}};
}

json Pod(const std::string& name, const std::string& node = "") {
  json pod = {{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", {{"name", name}}}};
  pod["spec"]["containers"] = json::array({{{"name", "c"}, {"image", "i"}}});
  if (!node.empty()) pod["spec"]["nodeName"] = node;
  return pod;
}

class ResourceStoreTest : public ::testing::Test {
 protected:
  ResourceStoreTest() { pool_.Start(); }

  ResourceStore& Of(const std::string& kind) {
    auto& store = stores_[kind];
    if (!store) {
      RegistryContext context{.clock = clock_};
      if (kind != "Namespace") {
        context.find_namespace = [this](const std::string& name, const std::stop_token& stop) -> Result<ObjectPtr> {
          if (name == "default") return *Object::Parse(R"({"metadata":{"name":"default"}})");
          Result<ObjectPtr> found = Of("Namespace").Get("", name, "", stop);
          if (!found && IsNotFound(found.error())) return ObjectPtr();
          return found;
        };
      }
      store = std::make_unique<ResourceStore>(
          KindOf(kind), std::make_shared<UndecoratedStorage>(backend_, KindOf(kind).ForStorage(), pool_), context);
    }
    return *store;
  }

  Result<ObjectPtr> Create(const json& body, const WriteParameters& parameters = {},
                           const std::string& namespace_name = "default") {
    ResourceStore& store = Of(body.at("kind").get<std::string>());
    return store.Create(store.kind().scope == Scope::kCluster ? "" : namespace_name, body.dump(), parameters, {});
  }
  json Created(const json& body) {
    const auto created = Create(body);
    EXPECT_TRUE(created.ok()) << ToString(created.error());
    return created ? (*created)->ToJson() : json();
  }
  Result<ObjectPtr> Put(const json& body, Subresource subresource = Subresource::kNone,
                        const WriteParameters& parameters = {}) {
    auto updated = Of(body.at("kind").get<std::string>())
                       .Update("default", body.at("metadata").at("name").get<std::string>(), subresource, body.dump(),
                               parameters, {});
    if (!updated) return std::move(updated).error();
    return updated->object;
  }
  json Updated(const json& body, Subresource subresource = Subresource::kNone) {
    const auto updated = Put(body, subresource);
    EXPECT_TRUE(updated.ok()) << ToString(updated.error());
    return updated ? (*updated)->ToJson() : json();
  }
  Result<ObjectPtr> Patch(const std::string& kind, const std::string& name, PatchKind patch_kind,
                          const std::string& patch, Subresource subresource = Subresource::kNone) {
    Result<UpdateOutcome> patched = Of(kind).Patch("default", name, subresource, patch_kind, patch, {}, {});
    if (!patched) return patched.error();
    return patched->object;
  }
  bool IsThere(const std::string& kind, const std::string& name) { return Of(kind).Get("default", name, "", {}).ok(); }

  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  TaskPool pool_{{.threads = 1, .clock = clock_}};
  const std::shared_ptr<MemoryBackend> backend_ =
      std::make_shared<MemoryBackend>(MemoryBackendOptions{.clock = clock_});
  std::map<std::string, std::unique_ptr<ResourceStore>> stores_;
};

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

TEST_F(ResourceStoreTest, ANamespaceThatIsNotThereOrGoesAwayTakesNothingNew) {
  const auto absent = Create(ConfigMap("a"), {}, "nowhere");
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().http_status, 404);
  EXPECT_EQ(absent.error().message, "namespaces \"nowhere\" not found");
  Created({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "team"}}}});
  EXPECT_TRUE(Create(ConfigMap("a"), {}, "team").ok());
  const auto deleted = Of("Namespace").Delete("", "team", {}, {});
  ASSERT_TRUE(deleted.ok()) << ToString(deleted.error());
  EXPECT_FALSE(deleted->finished) << "until it is finalized";
  EXPECT_EQ(deleted->object->At("/status/phase").StringOr(""), "Terminating");
  EXPECT_FALSE(deleted->object->At("/metadata/deletionGracePeriodSeconds").Exists());
  const auto refused = Create(ConfigMap("b"), {}, "team");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().http_status, 403);
  EXPECT_EQ(refused.error().details.causes.at(0).reason, "NamespaceTerminating");
}

TEST_F(ResourceStoreTest, ANamespaceThatIsBeingDeletedGoesWhenItIsFinalized) {
  json made = Created({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "team"}}}});
  EXPECT_EQ(made.at("spec").at("finalizers"), json({"kubernetes"}));
  made["spec"]["finalizers"] = json::array();
  const auto updated = Of("Namespace").Update("", "team", Subresource::kNone, made.dump(), {}, {});
  ASSERT_TRUE(updated.ok()) << ToString(updated.error());
  EXPECT_EQ(updated->object->At("/spec/finalizers").Raw(), R"(["kubernetes"])") << "the subresource alone changes them";
  ASSERT_TRUE(Of("Namespace").Delete("", "team", {}, {}).ok());
  json ending = Of("Namespace").Get("", "team", "", {}).value()->ToJson();
  ending["spec"]["finalizers"] = json::array();
  ending["metadata"]["labels"]["other"] = "change";
  const auto finalized = Of("Namespace").Update("", "team", Subresource::kFinalize, ending.dump(), {}, {});
  ASSERT_TRUE(finalized.ok()) << ToString(finalized.error());
  EXPECT_FALSE(finalized->object->Labels().Contains("other"));
  EXPECT_EQ(Of("Namespace").Get("", "team", "", {}).error().http_status, 404);
}

TEST_F(ResourceStoreTest, APropagationPolicyIsAFinalizerThatHoldsTheObject) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> policies = {
      {"Foreground", {"foregroundDeletion"}}, {"Orphan", {"orphan"}}};
  for (const auto& [policy, finalizers] : policies) {
    Created(ConfigMap(policy == "Orphan" ? "o" : "f"));
    const std::string name = policy == "Orphan" ? "o" : "f";
    const auto deleted = Of("ConfigMap").Delete("default", name, {.propagation_policy = policy}, {});
    ASSERT_TRUE(deleted.ok()) << ToString(deleted.error());
    EXPECT_FALSE(deleted->finished);
    EXPECT_EQ(deleted->object->ToJson().at("metadata").at("finalizers"), json(finalizers));
    // Who changes his mind gets rid of it.
    const auto again = Of("ConfigMap").Delete("default", name, {.propagation_policy = "Background"}, {});
    ASSERT_TRUE(again.ok()) << ToString(again.error());
    EXPECT_TRUE(again->finished);
  }
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

TEST_F(ResourceStoreTest, GenerationCountsChangesOfTheSpecAlone) {
  json object = Created(Deployment("web", 1));
  object["metadata"]["labels"] = {{"a", "b"}};
  object = Updated(object);
  EXPECT_EQ(object.at("metadata").at("generation"), 1);
  object["status"] = {{"replicas", 1}};
  object = Updated(object, Subresource::kStatus);
  EXPECT_EQ(object.at("metadata").at("generation"), 1);
  object["spec"]["replicas"] = 2;
  object = Updated(object);
  EXPECT_EQ(object.at("metadata").at("generation"), 2);
  object["metadata"]["generation"] = 50;
  EXPECT_EQ(Updated(object).at("metadata").at("generation"), 2);
}

TEST_F(ResourceStoreTest, TheStatusSubresourceChangesStatusAloneAndTheMainOneNeverDoes) {
  json object = Created(Deployment("web", 1));
  object["status"] = {{"replicas", 5}};
  object["spec"]["replicas"] = 9;
  const json after_status = Updated(object, Subresource::kStatus);
  EXPECT_EQ(after_status.at("status").at("replicas"), 5);
  EXPECT_EQ(after_status.at("spec").at("replicas"), 1);
  object = after_status;
  object["status"] = {{"replicas", 7}};
  object["spec"]["replicas"] = 3;
  const json after_main = Updated(object);
  EXPECT_EQ(after_main.at("status").at("replicas"), 5);
  EXPECT_EQ(after_main.at("spec").at("replicas"), 3);
}

TEST_F(ResourceStoreTest, ScaleIsTheNumberOfReplicas) {
  Created(Deployment("web", 1));
  const auto scaled = Of("Deployment")
                          .Update("default", "web", Subresource::kScale,
                                  R"({"metadata":{"name":"web"},"spec":{"replicas":4}})", {}, {});
  ASSERT_TRUE(scaled.ok()) << ToString(scaled.error());
  EXPECT_EQ(scaled->object->Kind(), "Scale");
  EXPECT_EQ(scaled->object->At("/spec/replicas").IntOr(0), 4);
  EXPECT_EQ(scaled->object->At("/status/selector").StringOr(""), "app=web");
  EXPECT_EQ((*Of("Deployment").Get("default", "web", "", {}))->At("/spec/replicas").IntOr(0), 4);
  ASSERT_TRUE(Patch("Deployment", "web", PatchKind::kMerge, R"({"spec":{"replicas":6}})", Subresource::kScale).ok());
  EXPECT_EQ((*Of("Deployment").Get("default", "web", "", {}))->At("/spec/replicas").IntOr(0), 6);
  EXPECT_EQ(Of("Deployment")
                .Update("default", "web", Subresource::kScale, R"({"metadata":{"name":"web"},"spec":{"replicas":-1}})",
                        {}, {})
                .error()
                .http_status,
            422);
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

TEST_F(ResourceStoreTest, DeleteTellsWhatWasDeletedAndHeedsPreconditions) {
  const json object = Created(ConfigMap("a"));
  EXPECT_TRUE(IsConflict(Of("ConfigMap").Delete("default", "a", {.preconditions = {.uid = "another"}}, {}).error()));
  EXPECT_TRUE(
      IsConflict(Of("ConfigMap").Delete("default", "a", {.preconditions = {.resource_version = "1"}}, {}).error()));
  const auto deleted = Of("ConfigMap").Delete("default", "a", {}, {});
  ASSERT_TRUE(deleted.ok());
  EXPECT_TRUE(deleted->finished);
  EXPECT_EQ(deleted->object->Uid(), object.at("metadata").at("uid").get<std::string>());
  EXPECT_FALSE(IsThere("ConfigMap", "a"));
  EXPECT_TRUE(IsNotFound(Of("ConfigMap").Delete("default", "a", {}, {}).error()));
}

TEST_F(ResourceStoreTest, FinalizersHoldWhatIsDeletedUntilTheLastIsGone) {
  json body = Deployment("web");
  body["metadata"]["finalizers"] = {"example.com/one", "example.com/two"};
  Created(body);
  const auto deleted = Of("Deployment").Delete("default", "web", {}, {});
  ASSERT_TRUE(deleted.ok());
  EXPECT_FALSE(deleted->finished);
  json held = deleted->object->ToJson();
  EXPECT_TRUE(held.at("metadata").contains("deletionTimestamp"));
  EXPECT_EQ(held.at("metadata").at("deletionGracePeriodSeconds"), 0);
  EXPECT_EQ(held.at("metadata").at("generation"), 2);
  const auto again = Of("Deployment").Delete("default", "web", {}, {});
  EXPECT_EQ(again->object->ToJson(), held) << "once more does nothing";

  json more = held;
  more["metadata"]["finalizers"].push_back("example.com/three");
  const auto refused = Put(more);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().http_status, 422);
  EXPECT_THAT(refused.error().message, HasSubstr("no new finalizers can be added if the object is being deleted"));

  held["metadata"]["finalizers"] = {"example.com/two"};
  held = Updated(held);
  EXPECT_TRUE(IsThere("Deployment", "web"));
  const std::string version = held.at("metadata").at("resourceVersion").get<std::string>();
  held["metadata"].erase("finalizers");
  EXPECT_EQ(Updated(held).at("metadata").at("resourceVersion"), version) << "the answer keeps the old version";
  EXPECT_FALSE(IsThere("Deployment", "web"));
}

TEST_F(ResourceStoreTest, APodThatRunsSomewhereIsGivenTimeToEnd) {
  Created(Pod("pending"));
  EXPECT_TRUE(Of("Pod").Delete("default", "pending", {}, {})->finished);
  Created(Pod("bound", "node-1"));
  const auto deleted = Of("Pod").Delete("default", "bound", {}, {});
  ASSERT_TRUE(deleted.ok());
  EXPECT_FALSE(deleted->finished);
  EXPECT_EQ(deleted->object->At("/metadata/deletionGracePeriodSeconds").IntOr(0), 30);
  const auto now = Of("Pod").Delete("default", "bound", {.grace_period_seconds = 0}, {});
  EXPECT_TRUE(now->finished);
  EXPECT_FALSE(IsThere("Pod", "bound"));
}

TEST_F(ResourceStoreTest, APodThatIsDeletedAtOnceIsMarkedBeforeItGoes) {
  const json created = Created(Pod("pending"));
  const auto before = backend_->CurrentRevision({});
  const auto deleted = Of("Pod").Delete(
      "default", "pending",
      {.preconditions = {.resource_version = created.at("metadata").at("resourceVersion").get<std::string>()}}, {});
  ASSERT_TRUE(deleted.ok()) << ToString(deleted.error());
  EXPECT_TRUE(deleted->finished);
  EXPECT_EQ(deleted->object->At("/metadata/deletionGracePeriodSeconds").IntOr(-1), 0);
  EXPECT_EQ(*backend_->CurrentRevision({}), *before + 2) << "watchers hear of both";
  EXPECT_FALSE(IsThere("Pod", "pending"));
}

TEST_F(ResourceStoreTest, ABindingGivesAPodItsNodeOnce) {
  Created(Pod("web"));
  const auto bind = [&](const json& binding) { return Of("Pod").Bind("default", "web", binding.dump(), {}, {}); };
  const auto nowhere = bind({{"target", {{"kind", "Service"}}}});
  ASSERT_FALSE(nowhere.ok());
  EXPECT_TRUE(IsInvalid(nowhere.error()));
  EXPECT_EQ(nowhere.error().details.causes.size(), 2U);
  const auto other = bind({{"metadata", {{"name", "other"}}}, {"target", {{"name", "node-1"}}}});
  ASSERT_FALSE(other.ok());
  EXPECT_TRUE(IsBadRequest(other.error()));

  const json binding = {{"metadata", {{"name", "web"}, {"annotations", {{"why", "room"}}}}},
                        {"target", {{"kind", "Node"}, {"name", "node-1"}}}};
  const auto bound = bind(binding);
  ASSERT_TRUE(bound.ok()) << ToString(bound.error());
  EXPECT_EQ((*bound)->At("/spec/nodeName").StringOr(""), "node-1");
  EXPECT_EQ((*bound)->At("/metadata/annotations/why").StringOr(""), "room");
  EXPECT_EQ((*bound)->At("/status/conditions/0/type").StringOr(""), "PodScheduled");
  EXPECT_EQ((*bound)->At("/status/conditions/0/status").StringOr(""), "True");
  const auto again = bind(binding);
  ASSERT_FALSE(again.ok());
  EXPECT_TRUE(IsConflict(again.error()));
  EXPECT_THAT(again.error().message, HasSubstr("is already assigned to node \"node-1\""));
}

TEST_F(ResourceStoreTest, ABindingOfADryRunOrOfAPodThatIsBeingDeletedChangesNothing) {
  Created(Pod("web"));
  const std::string binding = R"({"target":{"name":"node-1"}})";
  EXPECT_TRUE(Of("Pod").Bind("default", "web", binding, {.dry_run = true}, {}).ok());
  EXPECT_FALSE(Of("Pod").Get("default", "web", "", {}).value()->At("/spec/nodeName").Exists());
  json held = Pod("held");
  held["metadata"]["finalizers"] = {"example.com/hold"};
  Created(held);
  ASSERT_TRUE(Of("Pod").Delete("default", "held", {}, {}).ok());
  const auto refused = Of("Pod").Bind("default", "held", binding, {}, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("is being deleted"));
}

TEST_F(ResourceStoreTest, TheDeletionOfSomeKindsIsAnsweredByTheObject) {
  Created(ConfigMap("a"));
  EXPECT_FALSE(Of("ConfigMap").Delete("default", "a", {}, {})->shows_object);
  const json pod = Created(Pod("a"));
  const auto deleted = Of("Pod").Delete("default", "a", {}, {});
  ASSERT_TRUE(deleted.ok());
  EXPECT_TRUE(deleted->finished);
  EXPECT_TRUE(deleted->shows_object);
  EXPECT_TRUE(deleted->object->DeletionTimestamp().has_value());
  EXPECT_EQ(deleted->object->At("/metadata/deletionGracePeriodSeconds").IntOr(-1), 0);
  EXPECT_NE(deleted->object->ResourceVersion(), pod.at("metadata").at("resourceVersion").get<std::string>());
}

TEST_F(ResourceStoreTest, APreconditionThatIsNotMetNamesTheKind) {
  const json object = Created(ConfigMap("a"));
  const Error by_uid = Of("ConfigMap").Delete("default", "a", {.preconditions = {.uid = "another"}}, {}).error();
  EXPECT_EQ(by_uid.message,
            "Operation cannot be fulfilled on ConfigMap \"a\": the UID in the precondition (another) "
            "does not match the UID in record (" +
                object.at("metadata").at("uid").get<std::string>() +
                "). The object might have been deleted and then recreated");
  EXPECT_EQ(by_uid.details.kind, "ConfigMap");
  const Error by_version =
      Of("ConfigMap").Delete("default", "a", {.preconditions = {.resource_version = "1"}}, {}).error();
  EXPECT_THAT(by_version.message, HasSubstr("the ResourceVersion in the precondition (1) does not match the "
                                            "ResourceVersion in record"));
}

TEST_F(ResourceStoreTest, ANamespaceThatTheServerNeedsIsNotDeleted) {
  Created({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "kube-system"}}}});
  const auto deleted = Of("Namespace").Delete("", "kube-system", {}, {});
  ASSERT_FALSE(deleted.ok());
  EXPECT_EQ(deleted.error().http_status, 403);
  EXPECT_EQ(deleted.error().message, "namespaces \"kube-system\" is forbidden: this namespace may not be deleted");
}

TEST_F(ResourceStoreTest, ANamespaceIsLabelledByItsNameAndManagedByNobodyInWhatTheServerAdds) {
  json made = Created({{"apiVersion", "v1"},
                       {"kind", "Namespace"},
                       {"metadata", {{"name", "team"}, {"namespace", "is ignored"}}},
                       {"spec", {{"finalizers", {"example.com/x"}}}}});
  EXPECT_EQ(made.at("spec").at("finalizers"), json({"example.com/x", "kubernetes"}));
  EXPECT_FALSE(made.at("metadata").contains("namespace"));
  made["metadata"]["labels"] = {{"kubernetes.io/metadata.name", "other"}, {"a", "b"}};
  const auto updated = Of("Namespace").Update("", "team", Subresource::kNone, made.dump(), {}, {});
  ASSERT_TRUE(updated.ok()) << ToString(updated.error());
  EXPECT_EQ(updated->object->At("/metadata/labels").Raw(), R"({"a":"b","kubernetes.io/metadata.name":"team"})");

  const json plain = Created({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "plain"}}}});
  const json fields = plain.at("metadata").at("managedFields").at(0).at("fieldsV1");
  EXPECT_FALSE(fields.contains("f:spec")) << fields;
}

TEST_F(ResourceStoreTest, ANamespacesPhaseSaysWhetherItEnds) {
  json made = Created({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "team"}}}});
  made["status"]["phase"] = "Terminating";
  const auto updated = Of("Namespace").Update("", "team", Subresource::kStatus, made.dump(), {}, {});
  ASSERT_FALSE(updated.ok());
  EXPECT_EQ(updated.error().http_status, 422);
  EXPECT_THAT(updated.error().message, HasSubstr("may only be 'Active' if `deletionTimestamp` is empty"));
}

TEST_F(ResourceStoreTest, WhatIsBeingDeletedIsSaidToBeWhenItIsMadeAnew) {
  json body = ConfigMap("a");
  body["metadata"]["finalizers"] = {"example.com/hold"};
  Created(body);
  ASSERT_TRUE(Of("ConfigMap").Delete("default", "a", {}, {}).ok());
  const auto again = Create(ConfigMap("a"));
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().message, "object is being deleted: configmaps \"a\" already exists");
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

TEST_F(ResourceStoreTest, ADeletionIsNotBegunByAnUpdate) {
  Created(ConfigMap("a"));
  json body = ConfigMap("a", "2");
  body["metadata"]["deletionTimestamp"] = "2024-01-01T00:00:00Z";
  const auto put = Put(body);
  ASSERT_FALSE(put.ok());
  EXPECT_EQ(put.error().http_status, 422);
  EXPECT_THAT(put.error().message, HasSubstr("metadata.deletionTimestamp: Invalid value"));
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

TEST_F(ResourceStoreTest, DeleteCollectionDeletesWhatMatchesAndGivesItAsItWas) {
  for (const std::string name : {"a", "b", "c"}) {
    json body = ConfigMap(name);
    body["metadata"]["labels"] = {{"keep", name == "b" ? "yes" : "no"}};
    Created(body);
  }
  ListQuery query{.namespace_name = "default"};
  query.predicate.labels = *LabelSelector::Parse("keep=no");
  const auto deleted = Of("ConfigMap").DeleteCollection(query, {}, {});
  ASSERT_TRUE(deleted.ok());
  EXPECT_EQ(deleted->items.size(), 2U);
  EXPECT_TRUE(IsThere("ConfigMap", "b"));
  EXPECT_FALSE(IsThere("ConfigMap", "a"));
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
