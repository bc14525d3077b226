// Custom kinds as clients see them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <kinformer/base/fake_clock.h>
#include <kinformer/informer/shared_informer_factory.h>
#include <kinformer/meta/status_error.h>

#include "test/apiserver/crd/definitions.h"
#include "test/apiserver/server/server_fixture.h"

namespace kinformer {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Resource kWebs{{"example.com", "v1", "webs"}, "Web", Scope::kNamespaced};
const Resource kOldWebs{{"example.com", "v1beta1", "webs"}, "Web", Scope::kNamespaced};

class CrdTest : public ServerTest {
 protected:
  ResourceClient Definitions() const {
    return client_->Dynamic(
        {{"apiextensions.k8s.io", "v1", "customresourcedefinitions"}, "CustomResourceDefinition", Scope::kCluster});
  }
  ResourceClient Webs(const Resource& resource = kWebs) const { return client_->Dynamic(resource); }

  static ObjectPtr Web(const std::string& name, json spec = {{"image", "nginx"}}, const std::string& version = "v1") {
    return Parsed({{"apiVersion", "example.com/" + version},
                   {"kind", "Web"},
                   {"metadata", {{"name", name}, {"namespace", "default"}}},
                   {"spec", std::move(spec)}});
  }
  /// Creates the definition through the API and waits until its kind is served.
  void Define(const json& definition = WebDefinition()) const {
    const auto created = Definitions().Create(*Parsed(definition));
    ASSERT_TRUE(created.ok()) << ToString(created.error());
    ASSERT_TRUE(Await([&] { return Webs().List().ok(); }));
  }
  json ConditionOf(const std::string& name, const std::string& type) const {
    const auto definition = Definitions().Get({"", name});
    if (!definition) return nullptr;
    for (const json& condition : (*definition)->ToJson()["status"].value("conditions", json::array())) {
      if (condition["type"] == type) return condition;
    }
    return nullptr;
  }
  bool AwaitGone(const std::string& name = "webs.example.com") const {
    return Await([&] {
      const auto found = Definitions().Get({"", name});
      return !found && IsNotFound(found.error());
    });
  }
  static int StatusOf(const Result<RawResponse>& response) {
    return response.ok() ? response->head.status : response.error().http_status;
  }
  template <typename T>
  static std::string Refused(const Result<T>& result, int status) {
    if (result.ok()) return "not refused";
    EXPECT_EQ(result.error().http_status, status);
    return result.error().message;
  }
};

TEST_F(CrdTest, ADefinitionIsEstablishedAndItsKindServed) {
  StartServer();
  Define();
  ASSERT_TRUE(Await([&] { return ConditionOf("webs.example.com", "Established").is_object(); }));
  const json definition = Definitions().Get({"", "webs.example.com"}).value()->ToJson();
  EXPECT_EQ(ConditionOf("webs.example.com", "Established")["reason"], "InitialNamesAccepted");
  EXPECT_EQ(ConditionOf("webs.example.com", "NamesAccepted")["reason"], "NoConflicts");
  EXPECT_EQ(definition["status"]["storedVersions"], json({"v1"}));
  EXPECT_EQ(definition["status"]["acceptedNames"], json({{"plural", "webs"},
                                                         {"singular", "web"},
                                                         {"kind", "Web"},
                                                         {"listKind", "WebList"},
                                                         {"shortNames", {"wb"}},
                                                         {"categories", {"all"}}}));
  const json resources = RawJson("/apis/example.com/v1")["resources"];
  ASSERT_EQ(resources.size(), 3U) << resources;
  EXPECT_EQ(resources[0]["name"], "webs");
  EXPECT_EQ(resources[0]["shortNames"], json({"wb"}));
  EXPECT_EQ(resources[1]["name"], "webs/status");
  EXPECT_EQ(resources[2]["name"], "webs/scale");
  EXPECT_TRUE(RawJson("/openapi/v3")["paths"].contains("apis/example.com/v1"));
  EXPECT_TRUE(client_->DynamicFor({"example.com", "v1", "Web"}).ok());
  EXPECT_EQ(StatusOf(Raw("/apis/example.com/v2/webs")), 404);
}

TEST_F(CrdTest, ADeprecatedVersionAndAFinalizerOfNoDomainAreWarnedOf) {
  StartServer();
  json definition = TwoVersions();
  definition["spec"]["versions"][0]["deprecated"] = true;
  Define(definition);
  const auto warnings = [](const Result<RawResponse>& response) {
    if (!response.ok()) return std::vector<std::string>{ToString(response.error())};
    return HeaderValues(*response, "Warning");
  };
  const std::string webs = "/namespaces/default/webs";
  EXPECT_THAT(warnings(Raw("/apis/example.com/v1beta1" + webs)),
              ElementsAre(R"(299 - "example.com/v1beta1 Web is deprecated; use example.com/v1 Web")"));
  EXPECT_THAT(warnings(Raw("/apis/example.com/v1" + webs)), IsEmpty());
  json web = Web("held")->ToJson();
  web["metadata"]["finalizers"] = {"hold"};
  const auto held = ElementsAre(HasSubstr(R"(metadata.finalizers: \"hold\": prefer a domain-qualified)"));
  EXPECT_THAT(warnings(Raw("/apis/example.com/v1" + webs, "POST", web.dump(), {{"Content-Type", "application/json"}})),
              held);
  const std::pair<std::string, std::string> merge{"Content-Type", "application/merge-patch+json"};
  EXPECT_THAT(warnings(Raw("/apis/example.com/v1" + webs + "/held", "PATCH", R"({"spec":{"replicas":2}})", {merge})),
              IsEmpty())
      << "it was there before";
  EXPECT_THAT(warnings(Raw("/apis/example.com/v1" + webs + "/held", "PATCH",
                           R"({"metadata":{"finalizers":["example.com/own"]}})", {merge})),
              IsEmpty());
}

TEST_F(CrdTest, ABadDefinitionIsRefusedWithItsCauses) {
  StartServer();
  json definition = WebDefinition();
  definition["spec"]["scope"] = "World";
  definition["spec"]["versions"][0].erase("schema");
  const auto refused = Definitions().Create(*Parsed(definition));
  EXPECT_THAT(Refused(refused, 422), HasSubstr("CustomResourceDefinition.apiextensions.k8s.io \"webs.example.com\" is "
                                               "invalid: ["));
  EXPECT_EQ(refused.error().details.causes.size(), 2U);
  json untyped = WebDefinition();
  untyped["spec"]["versions"] = "v1";
  EXPECT_THAT(Refused(Raw("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "POST", untyped.dump(),
                          {{"Content-Type", "application/json"}}),
                      400),
              HasSubstr("json: cannot unmarshal string into Go struct field"));
}

TEST_F(CrdTest, ObjectsAreCheckedDefaultedAndPruned) {
  StartServer();
  Define();
  const auto made = Webs().Create(*Web("a", {{"image", "nginx"}, {"colour", "red"}, {"free", {{"x", {{"y", 1}}}}}}));
  ASSERT_TRUE(made.ok()) << ToString(made.error());
  EXPECT_EQ((*made)->ToJson()["spec"], json({{"image", "nginx"}, {"replicas", 1}, {"free", {{"x", {{"y", 1}}}}}}));
  EXPECT_EQ((*made)->Generation(), 1);
  EXPECT_THAT(
      Refused(Webs().Create(*Web("b", {{"image", 1}})), 422),
      HasSubstr(
          R"(Web.example.com "b" is invalid: spec.image: Invalid value: "integer": spec.image in body must be of type string: "integer")"));
  EXPECT_THAT(Refused(Webs().Create(*Web("b", json::object())), 422), HasSubstr("spec.image: Required value"));
  EXPECT_THAT(Refused(Webs().Create(*Web("b", {{"image", "NGINX"}})), 422),
              HasSubstr("spec.image in body should match '^[a-z:.0-9]+$'"));
  EXPECT_THAT(Refused(Webs().Create(*Web("b", {{"image", "a"}, {"replicas", 11}})), 422),
              HasSubstr("spec.replicas in body should be less than or equal to 10"));
  EXPECT_THAT(Refused(Webs().Create(*Web("b", {{"image", "a"}, {"mode", "Slow"}})), 422),
              HasSubstr(R"(spec.mode: Unsupported value: "Slow": supported values: "Fast", "Safe")"));
  EXPECT_THAT(Refused(Webs().Create(*Web("b", {{"image", "a"}, {"port", true}})), 422),
              HasSubstr("spec.port in body must be of type integer,string: \"boolean\""));
  EXPECT_THAT(Refused(Webs().Create(*Web("b", {{"image", "a"}, {"template", {{"kind", "Pod"}}}})), 422),
              HasSubstr("spec.template.apiVersion: Required value"));
  const json whole = {{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", {{"name", "p"}}}, {"spec", {{"x", 1}}}};
  const auto embedded = Webs().Create(*Web("b", {{"image", "a"}, {"port", "http"}, {"template", whole}}));
  ASSERT_TRUE(embedded.ok()) << ToString(embedded.error());
  EXPECT_EQ((*embedded)->ToJson()["spec"]["template"], whole);
  const auto strict =
      Raw("/apis/example.com/v1/namespaces/default/webs?fieldValidation=Strict", "POST",
          R"({"apiVersion":"example.com/v1","kind":"Web","metadata":{"name":"c"},"spec":{"image":"a","colour":"red"}})",
          {{"Content-Type", "application/json"}});
  EXPECT_THAT(Refused(strict, 400), HasSubstr("strict decoding error: unknown field \"spec.colour\""));
}

TEST_F(CrdTest, ObjectsAreAppliedAndShownAsTablesButNotMergedStrategically) {
  StartServer();
  Define();
  const auto applied = Webs().Apply(*Web("a"), {.field_manager = "me"});
  ASSERT_TRUE(applied.ok()) << ToString(applied.error());
  EXPECT_EQ((*applied)->At("/spec/replicas").IntOr(0), 1);
  const auto table =
      Raw("/apis/example.com/v1/webs", "GET", "", {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}});
  ASSERT_TRUE(table.ok()) << ToString(table.error());
  const json shown = json::parse(table->body);
  ASSERT_EQ(shown["columnDefinitions"].size(), 3U) << shown;
  EXPECT_EQ(shown["columnDefinitions"][1]["name"], "Image");
  EXPECT_EQ(shown["rows"][0]["cells"][1], "nginx");
  EXPECT_EQ(StatusOf(Raw("/apis/example.com/v1/namespaces/default/webs/a", "PATCH", "{}",
                         {{"Content-Type", "application/strategic-merge-patch+json"}})),
            415);
}

TEST_F(CrdTest, StatusAndSpecHaveTheirOwnEndpoints) {
  StartServer();
  Define();
  json web = Web("a")->ToJson();
  web["status"] = {{"phase", "Up"}};
  json made = Webs().Create(*Parsed(web)).value()->ToJson();
  EXPECT_FALSE(made.contains("status"));
  made["status"] = {{"phase", "Up"}, {"ready", 3}, {"selector", "app=web"}};
  made["spec"]["image"] = "ignored";
  json updated = Webs().UpdateStatus(*Parsed(made)).value()->ToJson();
  EXPECT_EQ(updated["status"]["phase"], "Up");
  EXPECT_EQ(updated["spec"]["image"], "nginx");
  EXPECT_EQ(updated["metadata"]["generation"], 1);
  updated["status"]["ready"] = "many";
  EXPECT_THAT(Refused(Webs().UpdateStatus(*Parsed(updated)), 422),
              HasSubstr("status.ready in body must be of type integer: \"string\""));
  updated["status"] = {{"phase", "Down"}};
  updated["spec"]["image"] = "apache";
  const json changed = Webs().Update(*Parsed(updated)).value()->ToJson();
  EXPECT_EQ(changed["status"]["phase"], "Up");
  EXPECT_EQ(changed["spec"]["image"], "apache");
  EXPECT_EQ(changed["metadata"]["generation"], 2);
  json without = changed;
  without["metadata"].erase("resourceVersion");
  EXPECT_THAT(Refused(Raw("/apis/example.com/v1/namespaces/default/webs/a", "PUT", without.dump(),
                          {{"Content-Type", "application/json"}}),
                      422),
              HasSubstr("webs.example.com \"a\" is invalid: metadata.resourceVersion: Invalid value: 0: must be "
                        "specified for an update"));
}

TEST_F(CrdTest, AScaleGoesByThePathsOfTheDefinition) {
  StartServer();
  Define();
  ASSERT_TRUE(Webs().Create(*Web("a", {{"image", "nginx"}, {"replicas", 2}})));
  ASSERT_TRUE(Webs().Patch({"default", "a"}, PatchType::kMerge, R"({"status":{"ready":1,"selector":"app=web"}})",
                           {.subresource = "status"}));
  const json scale = RawJson("/apis/example.com/v1/namespaces/default/webs/a/scale");
  EXPECT_EQ(scale["kind"], "Scale") << scale;
  EXPECT_EQ(scale["spec"]["replicas"], 2);
  EXPECT_EQ(scale["status"], json({{"replicas", 1}, {"selector", "app=web"}}));
  const auto scaled = Webs().ScaleTo({"default", "a"}, 5);
  ASSERT_TRUE(scaled.ok()) << ToString(scaled.error());
  EXPECT_EQ(Webs().Get({"default", "a"}).value()->At("/spec/replicas").IntOr(0), 5);
  EXPECT_THAT(Refused(Webs().ScaleTo({"default", "a"}, 50), 422), HasSubstr("less than or equal to 10"));
}

TEST_F(CrdTest, ObjectsAreSelectedByTheFieldsThatTheDefinitionNames) {
  StartServer();
  Define();
  ASSERT_TRUE(Webs().Create(*Web("a")));
  ASSERT_TRUE(Webs().Create(*Web("b", {{"image", "apache"}})));
  const auto found = Webs().List({.field_selector = "spec.image=apache"});
  ASSERT_TRUE(found.ok()) << ToString(found.error());
  ASSERT_EQ(found->items.size(), 1U);
  EXPECT_EQ(found->items[0]->Name(), "b");
  EXPECT_THAT(Refused(Webs().List({.field_selector = "spec.mode=Fast"}), 400), HasSubstr("field label not supported"));
}

TEST_F(CrdTest, EveryVersionShowsTheSameObjects) {
  StartServer();
  Define(TwoVersions());
  const auto made = Webs(kOldWebs).Create(*Web("a", {{"image", "nginx"}}, "v1beta1"));
  ASSERT_TRUE(made.ok()) << ToString(made.error());
  EXPECT_EQ((*made)->ApiVersion(), "example.com/v1beta1");
  EXPECT_EQ(Webs().Get({"default", "a"}).value()->ApiVersion(), "example.com/v1");
  EXPECT_EQ(Webs(kOldWebs).Get({"default", "a"}).value()->ApiVersion(), "example.com/v1beta1");
  const json list = RawJson("/apis/example.com/v1beta1/webs");
  EXPECT_EQ(list["apiVersion"], "example.com/v1beta1");
  EXPECT_EQ(list["items"][0]["apiVersion"], "example.com/v1beta1");
  EXPECT_EQ(list["items"][0]["kind"], "Web");
  Result<WatchStream> watch = Webs(kOldWebs).Watch({});
  ASSERT_TRUE(watch);
  EXPECT_EQ(NextLine(*watch), "ADDED default/a");
  EXPECT_EQ(NextLine(*watch), "BOOKMARK initial-events-end");
  ASSERT_TRUE(Webs().Patch({"default", "a"}, PatchType::kMerge, R"({"spec":{"replicas":3}})"));
  const auto event = watch->Next();
  ASSERT_TRUE(event.ok() && *event);
  EXPECT_EQ((*event)->object->ApiVersion(), "example.com/v1beta1");
  EXPECT_EQ((*event)->object->At("/spec/replicas").IntOr(0), 3);
  // Writing it back unchanged is a no-op.
  const ObjectPtr same = Webs(kOldWebs).Get({"default", "a"}).value();
  EXPECT_EQ(Webs(kOldWebs).Update(*same).value()->ResourceVersion(), same->ResourceVersion());
  const json group = RawJson("/apis/example.com");
  EXPECT_EQ(group["preferredVersion"]["version"], "v1");
}

TEST_F(CrdTest, AnotherStorageVersionShowsWhatWasStoredBefore) {
  StartServer();
  Define(TwoVersions());
  ASSERT_TRUE(Webs().Create(*Web("a")));
  json definition = Definitions().Get({"", "webs.example.com"}).value()->ToJson();
  for (json& version : definition["spec"]["versions"]) version["storage"] = version["name"] == "v1beta1";
  const auto changed = Definitions().Patch({"", "webs.example.com"}, PatchType::kMerge,
                                           json({{"spec", {{"versions", definition["spec"]["versions"]}}}}).dump());
  ASSERT_TRUE(changed.ok()) << ToString(changed.error());
  EXPECT_EQ((*changed)->ToJson()["status"]["storedVersions"], json({"v1", "v1beta1"}));
  ASSERT_TRUE(Await([&] { return Webs().Create(*Web("b")).ok(); }));
  ASSERT_TRUE(Await([&] { return Webs().List({}, {.resource_version = "0"}).ok(); }));
  for (const Resource& resource : {kWebs, kOldWebs}) {
    const auto list = Webs(resource).List();
    ASSERT_TRUE(list.ok()) << ToString(list.error());
    ASSERT_EQ(list->items.size(), 2U);
    for (const ObjectPtr& item : list->items) EXPECT_EQ(item->ApiVersion(), resource.gvr.ApiVersion());
  }
}

TEST_F(CrdTest, AnUpdateChangesTheRulesAndWatchesGoOn) {
  StartServer();
  Define();
  ASSERT_TRUE(Webs().Create(*Web("a")));
  Result<WatchStream> watch = Webs().Watch({});
  ASSERT_TRUE(watch);
  EXPECT_EQ(NextLine(*watch), "ADDED default/a");
  EXPECT_EQ(NextLine(*watch), "BOOKMARK initial-events-end");
  json definition = WebDefinition();
  json& spec = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
  spec["properties"]["colour"] = {{"type", "string"}, {"default", "red"}};
  ASSERT_TRUE(server_->InstallCrds(definition.dump()));
  const auto made = Webs().Create(*Web("b"));
  ASSERT_TRUE(made.ok()) << ToString(made.error());
  EXPECT_EQ((*made)->At("/spec/colour").StringOr(""), "red");
  EXPECT_EQ(NextLine(*watch), "ADDED default/b");
  EXPECT_EQ(Definitions().Get({"", "webs.example.com"}).value()->Generation(), 2);
}

TEST_F(CrdTest, ADeletionTakesTheObjectsEndsTheWatchesAndThenNothingIsThere) {
  for (const bool watch_cache : {true, false}) {
    StartServer({.watch_cache = watch_cache});
    Define();
    for (const char* name : {"a", "b"}) ASSERT_TRUE(Webs().Create(*Web(name)));
    Result<WatchStream> watch = Webs().Watch({});
    ASSERT_TRUE(watch);
    for (const char* line : {"ADDED default/a", "ADDED default/b", "BOOKMARK initial-events-end"}) {
      EXPECT_EQ(NextLine(*watch), line);
    }
    const auto deleted = Definitions().Delete({"", "webs.example.com"});
    ASSERT_TRUE(deleted.ok()) << ToString(deleted.error());
    EXPECT_EQ(NextLine(*watch), "DELETED default/a");
    EXPECT_EQ(NextLine(*watch), "DELETED default/b");
    EXPECT_EQ(NextLine(*watch), "END");
    ASSERT_TRUE(AwaitGone());
    EXPECT_EQ(StatusOf(Raw("/apis/example.com/v1/webs")), 404);
    EXPECT_EQ(StatusOf(Raw("/apis/example.com")), 404);
    // It can be defined again, and then has no objects.
    Define();
    EXPECT_THAT(Webs().List().value().items, IsEmpty());
  }
}

TEST_F(CrdTest, WhileItIsDeletedNothingNewIsTakenAndFinalizersAreWaitedFor) {
  StartServer();
  Define();
  json held = Web("held")->ToJson();
  held["metadata"]["finalizers"] = {"example.com/hold"};
  ASSERT_TRUE(Webs().Create(*Parsed(held)));
  ASSERT_TRUE(Definitions().Delete({"", "webs.example.com"}));
  ASSERT_TRUE(Await([&] { return Webs().Get({"default", "held"}).value()->DeletionTimestamp().has_value(); }));
  EXPECT_THAT(Refused(Webs().Create(*Web("new")), 403),
              HasSubstr("create not allowed while custom resource definition is terminating"));
  EXPECT_EQ(ConditionOf("webs.example.com", "Terminating")["reason"], "InstanceDeletionInProgress");
  EXPECT_EQ(Definitions().Get({"", "webs.example.com"}).value()->ToJson()["metadata"]["finalizers"],
            json({"customresourcecleanup.apiextensions.k8s.io"}));
  ASSERT_TRUE(Webs().Patch({"default", "held"}, PatchType::kMerge, R"({"metadata":{"finalizers":null}})"));
  EXPECT_TRUE(AwaitGone());
}

TEST_F(CrdTest, ADefinitionWhoseNamesAreTakenWaitsUntilTheyAreFree) {
  StartServer();
  Define();
  json other = WebDefinition();
  other["metadata"]["name"] = "sites.example.com";
  other["spec"]["names"] = {{"plural", "sites"}, {"kind", "Web"}};
  ASSERT_TRUE(Definitions().Create(*Parsed(other)));
  ASSERT_TRUE(Await([&] { return ConditionOf("sites.example.com", "NamesAccepted").is_object(); }));
  EXPECT_EQ(ConditionOf("sites.example.com", "NamesAccepted")["status"], "False");
  EXPECT_EQ(ConditionOf("sites.example.com", "NamesAccepted")["reason"], "ListKindConflict");
  EXPECT_EQ(ConditionOf("sites.example.com", "Established")["reason"], "NotAccepted");
  EXPECT_EQ(StatusOf(Raw("/apis/example.com/v1/sites")), 404);
  ASSERT_TRUE(Definitions().Delete({"", "webs.example.com"}));
  EXPECT_TRUE(Await([&] { return StatusOf(Raw("/apis/example.com/v1/sites")) == 200; }));
  EXPECT_TRUE(Await([&] { return ConditionOf("sites.example.com", "Established")["status"] == "True"; }));
}

TEST_F(CrdTest, AnInformerFollowsAKindThatComesAndGoes) {
  StartServer();
  const auto clock = std::make_shared<FakeClock>();
  SharedInformerFactory factory(*client_, {.clock = clock});
  const SharedInformer webs = factory.ForResource(kWebs);
  factory.Start();
  ASSERT_TRUE(Await([&] { return webs.Status().state == InformerState::kParked; })) << "no such kind yet";
  const auto has = [&](std::size_t objects) {
    return Await([&] {
      const InformerState state = webs.Status().state;
      const bool waits = state == InformerState::kParked || state == InformerState::kRetrying;
      if (waits) clock->Advance(std::chrono::seconds(1));
      return webs.HasSynced() && webs.Lister().List().size() == objects;
    });
  };
  Define();
  ASSERT_TRUE(Webs().Create(*Web("a")));
  ASSERT_TRUE(has(1));
  ASSERT_TRUE(Definitions().Delete({"", "webs.example.com"}));
  ASSERT_TRUE(has(0)) << "notified of each";
  ASSERT_TRUE(AwaitGone());
  Define();
  for (const char* name : {"b", "c"}) ASSERT_TRUE(Webs().Create(*Web(name)));
  EXPECT_TRUE(has(2));
}

TEST_F(CrdTest, ObjectsGoWithTheirOwnersAndNamespaces) {
  StartServer();
  Define();
  const ObjectPtr owner = Webs().Create(*Web("owner")).value();
  json dependent = ConfigMap("dependent")->ToJson();
  dependent["metadata"]["ownerReferences"] = {
      {{"apiVersion", "example.com/v1"}, {"kind", "Web"}, {"name", "owner"}, {"uid", owner->Uid()}}};
  ASSERT_TRUE(ConfigMaps().Create(*Parsed(dependent)));
  ASSERT_TRUE(Webs().Delete({"default", "owner"}));
  EXPECT_TRUE(Await([&] { return !ConfigMaps().Get({"default", "dependent"}).ok(); }));
  ASSERT_TRUE(Namespaces().Create(
      *Parsed({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "short-lived"}}}})));
  json web = Web("a")->ToJson();
  web["metadata"]["namespace"] = "short-lived";
  ASSERT_TRUE(Webs().Create(*Parsed(web)));
  ASSERT_TRUE(Namespaces().Delete({"", "short-lived"}));
  EXPECT_TRUE(Await([&] { return !Namespaces().Get({"", "short-lived"}).ok(); }));
  EXPECT_THAT(Webs().List().value().items, IsEmpty());
}

TEST_F(CrdTest, KindsMayBeThereFromTheStart) {
  StartServer({.crds = {{.text = WebDefinition().dump()}}});
  EXPECT_TRUE(Webs().Create(*Web("a")).ok());
  json wrong = WebDefinition();
  wrong["spec"]["scope"] = "World";
  ApiServer other({.crds = {{.text = wrong.dump(), .source = "webs.json"}}});
  const auto started = other.Start();
  ASSERT_FALSE(started.ok());
  EXPECT_THAT(started.error().message, HasSubstr("webs.json: "));
  EXPECT_THAT(started.error().message, HasSubstr("spec.scope: Unsupported value"));
}

}  // namespace
}  // namespace kinformer
