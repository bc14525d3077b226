// The client's verbs, and the server's responses to them.

#include <thread>

#include <kinformer/client/retry_on_conflict.h>
#include <kinformer/meta/status_error.h>
#include <kinformer/views/apps_v1.h>
#include <kinformer/views/core_v1.h>

#include "test/e2e/e2e_testing.h"

namespace kinformer::e2e {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;

class ClientTest : public E2eTest {
 protected:
  ObjectPtr Deployment(const std::string& name, int replicas,
                       const std::string& image = "example.invalid/web:1") const {
    return ParseObject({{"apiVersion", "apps/v1"},
                        {"kind", "Deployment"},
                        {"metadata", {{"namespace", ns()}, {"name", name}}},
                        {"spec",
                         {{"replicas", replicas},
                          {"selector", {{"matchLabels", {{"app", name}}}}},
                          {"template",
                           {{"metadata", {{"labels", {{"app", name}}}}},
                            {"spec", {{"containers", {{{"name", "web"}, {"image", image}}}}}}}}}}});
  }
  ResourceClient Deployments() const { return admin().For<apps::v1::Deployment>().Untyped(); }
};
KINFORMER_E2E(ClientTest);

TEST_P(ClientTest, CreatesReadsChangesAndDeletes) {
  const auto created = ConfigMaps().Create(*ConfigMap(ns(), "a", "1"));
  ASSERT_TRUE(Ok(created));
  EXPECT_FALSE((*created)->Uid().empty());
  const auto again = ConfigMaps().Create(*ConfigMap(ns(), "a", "1"));
  ASSERT_FALSE(again.ok());
  EXPECT_TRUE(IsAlreadyExists(again.error())) << ToString(again.error());
  EXPECT_EQ(again.error().details.name, "a");

  json changed = (*created)->ToJson();
  changed["data"]["value"] = "2";
  const auto updated = ConfigMaps().Update(*ParseObject(changed));
  ASSERT_TRUE(Ok(updated));
  EXPECT_EQ(EventLog::Text(*updated), "a=2");
  const auto stale = ConfigMaps().Update(*ParseObject(changed));
  ASSERT_FALSE(stale.ok());
  EXPECT_TRUE(IsConflict(stale.error())) << ToString(stale.error());

  const auto deleted = ConfigMaps().Delete({ns(), "a"}, {.uid = "00000000-0000-0000-0000-000000000000"});
  ASSERT_FALSE(deleted.ok());
  EXPECT_TRUE(IsConflict(deleted.error())) << ToString(deleted.error());
  ASSERT_TRUE(Ok(ConfigMaps().Delete({ns(), "a"}, {.uid = std::string((*created)->Uid())})));
  const auto gone = ConfigMaps().Get({ns(), "a"});
  ASSERT_FALSE(gone.ok());
  EXPECT_TRUE(IsNotFound(gone.error())) << ToString(gone.error());
}

TEST_P(ClientTest, EachKindOfPatchDoesItsOwn) {
  ASSERT_TRUE(Ok(Deployments().Create(*Deployment("web", 1))));
  const auto strategic = Deployments().Patch(
      {ns(), "web"}, PatchType::kStrategicMerge,
      R"({"spec":{"template":{"spec":{"containers":[{"name":"side","image":"example.invalid/side:1"}]}}}})");
  ASSERT_TRUE(Ok(strategic));
  EXPECT_EQ((*strategic)->ToJson().at("/spec/template/spec/containers"_json_pointer).size(), 2U) << "merged by name";
  const auto merged = Deployments().Patch(
      {ns(), "web"}, PatchType::kMerge,
      R"({"spec":{"template":{"spec":{"containers":[{"name":"web","image":"example.invalid/web:2"}]}}}})");
  ASSERT_TRUE(Ok(merged));
  EXPECT_EQ((*merged)->ToJson().at("/spec/template/spec/containers"_json_pointer).size(), 1U) << "replaced";
  const auto tested = Deployments().Patch(
      {ns(), "web"}, PatchType::kJson,
      R"([{"op":"test","path":"/spec/replicas","value":7},{"op":"replace","path":"/spec/replicas","value":8}])");
  ASSERT_FALSE(tested.ok());
  EXPECT_TRUE(IsInvalid(tested.error())) << ToString(tested.error());
  const auto replaced =
      Deployments().Patch({ns(), "web"}, PatchType::kJson, R"([{"op":"replace","path":"/spec/replicas","value":3}])");
  ASSERT_TRUE(Ok(replaced));
  EXPECT_EQ((*replaced)->At("/spec/replicas").IntOr(0), 3);
}

TEST_P(ClientTest, StatusAndScaleAreApartFromTheRest) {
  const auto created = Deployments().Create(*Deployment("web", 1));
  ASSERT_TRUE(Ok(created));
  json changed = (*created)->ToJson();
  changed["spec"]["replicas"] = 9;
  changed["status"] = {{"observedGeneration", 1}, {"replicas", 4}};
  const auto status = Deployments().UpdateStatus(*ParseObject(changed));
  ASSERT_TRUE(Ok(status));
  EXPECT_EQ((*status)->At("/status/replicas").IntOr(0), 4);
  EXPECT_EQ((*status)->At("/spec/replicas").IntOr(0), 1);
  const auto scaled = Deployments().ScaleTo({ns(), "web"}, 5);
  ASSERT_TRUE(Ok(scaled));
  EXPECT_EQ(Deployments().Get({ns(), "web"}).value()->At("/spec/replicas").IntOr(0), 5);
}

TEST_P(ClientTest, ServerSideApplyTellsWhoOwnsWhatAndForceTakesIt) {
  const auto replicas = [&](int count) {
    return ParseObject({{"apiVersion", "apps/v1"},
                        {"kind", "Deployment"},
                        {"metadata", {{"namespace", ns()}, {"name", "web"}}},
                        {"spec", {{"replicas", count}}}});
  };
  ASSERT_TRUE(Ok(Deployments().Apply(*Deployment("web", 1), {.field_manager = "first"})));
  const auto conflict = Deployments().Apply(*replicas(2), {.field_manager = "second"});
  ASSERT_FALSE(conflict.ok());
  EXPECT_TRUE(IsConflict(conflict.error())) << ToString(conflict.error());
  ASSERT_EQ(conflict.error().details.causes.size(), 1U);
  EXPECT_EQ(conflict.error().details.causes[0].reason, "FieldManagerConflict");
  EXPECT_EQ(conflict.error().details.causes[0].field, ".spec.replicas");
  EXPECT_THAT(conflict.error().details.causes[0].message, HasSubstr("first"));
  const auto forced = Deployments().Apply(*replicas(2), {.field_manager = "second", .force = true});
  ASSERT_TRUE(Ok(forced));
  EXPECT_EQ((*forced)->At("/spec/replicas").IntOr(0), 2);
  // A field that its only manager no longer applies is removed: here the label that only "third" owned.
  const auto label = [&](const json& labels) {
    return ParseObject({{"apiVersion", "apps/v1"},
                        {"kind", "Deployment"},
                        {"metadata", {{"namespace", ns()}, {"name", "web"}, {"labels", labels}}}});
  };
  ASSERT_TRUE(Ok(Deployments().Apply(*label({{"x", "1"}}), {.field_manager = "third"})));
  const auto dropped = Deployments().Apply(*label(json::object()), {.field_manager = "third"});
  ASSERT_TRUE(Ok(dropped));
  EXPECT_FALSE((*dropped)->At("/metadata/labels/x").Exists());
}

TEST_P(ClientTest, ADryRunChangesNothingAndStrictValidationNamesTheField) {
  ASSERT_TRUE(Ok(ConfigMaps().Create(*ConfigMap(ns(), "a", "1"), {.dry_run = true})));
  EXPECT_TRUE(OnServer().empty());
  json wrong = Deployment("web", 1)->ToJson();
  wrong["spec"]["replicaz"] = 3;
  const auto strict = Deployments().Create(*ParseObject(wrong), {.field_validation = FieldValidation::kStrict});
  ASSERT_FALSE(strict.ok());
  EXPECT_TRUE(IsBadRequest(strict.error())) << ToString(strict.error());
  EXPECT_THAT(strict.error().message, HasSubstr("replicaz"));
  wrong["spec"]["replicaz"] = nullptr;
  wrong["spec"].erase("selector");
  const auto invalid = Deployments().Create(*ParseObject(wrong));
  ASSERT_FALSE(invalid.ok());
  EXPECT_TRUE(IsInvalid(invalid.error())) << ToString(invalid.error());
}

TEST_P(ClientTest, FinalizersHoldAnObjectAndCollectionsGoAtOnce) {
  json held = ConfigMap(ns(), "held", "1")->ToJson();
  held["metadata"]["finalizers"] = {"example.com/hold"};
  ASSERT_TRUE(Ok(ConfigMaps().Create(*ParseObject(held))));
  const auto pending = ConfigMaps().Delete({ns(), "held"});
  ASSERT_TRUE(Ok(pending));
  ASSERT_NE(pending->pending, nullptr);
  EXPECT_TRUE(pending->pending->At("/metadata/deletionTimestamp").Exists());
  ASSERT_TRUE(Ok(ConfigMaps().Patch({ns(), "held"}, PatchType::kMerge, R"({"metadata":{"finalizers":null}})")));
  EXPECT_FALSE(ConfigMaps().Get({ns(), "held"}).ok());
  for (int i = 0; i < 5; ++i) Put("c" + std::to_string(i), "1", {{"batch", i < 3 ? "x" : "y"}});
  ASSERT_TRUE(Ok(ConfigMaps().DeleteCollection({.namespace_name = ns(), .label_selector = "batch=x"})));
  EXPECT_EQ(OnServer(), (std::vector<std::string>{"c3=1", "c4=1"}));
}

TEST_P(ClientTest, ConflictsAreRetriedUntilTheChangeIsIn) {
  Put("counter", "0");
  const auto add_one = [&]() -> Result<ObjectPtr> {
    auto current = ConfigMaps().Get({ns(), "counter"});
    if (!current) return current;
    json object = (*current)->ToJson();
    object["data"]["value"] = std::to_string(std::stoi(object["data"]["value"].get<std::string>()) + 1);
    return ConfigMaps().Update(*ParseObject(object));
  };
  constexpr int kEach = 10;
  {
    std::vector<std::jthread> writers;
    for (int writer = 0; writer < 4; ++writer) {
      writers.emplace_back([&] {
        for (int i = 0; i < kEach; ++i) EXPECT_TRUE(Ok(RetryOnConflict(add_one, {.tries = 200})));
      });
    }
  }
  EXPECT_EQ(OnServer(), std::vector<std::string>{"counter=40"});
}

TEST_P(ClientTest, PagesOfAListAreOneVersionAndAnOldOneIsExpired) {
  for (int i = 0; i < 10; ++i) Put("c" + std::to_string(i), "1");
  ListOptions page{.limit = 4};
  const auto first = ConfigMaps().ListPage({.namespace_name = ns()}, page);
  ASSERT_TRUE(Ok(first));
  EXPECT_EQ(first->items.size(), 4U);
  EXPECT_GE(first->metadata.remaining_item_count.value_or(0), 6);
  Put("c0", "2");
  page.continue_token = first->metadata.continue_token;
  const auto second = ConfigMaps().ListPage({.namespace_name = ns()}, page);
  ASSERT_TRUE(Ok(second));
  EXPECT_EQ(second->metadata.resource_version, first->metadata.resource_version);
}

TEST_P(ClientTest, AWatchTellsWhatHappensAfterAVersionAndEndsWhenItsTimeIsUp) {
  Put("a", "1");
  const auto list = ConfigMaps().List({.namespace_name = ns()});
  ASSERT_TRUE(Ok(list));
  auto watch = ConfigMaps().Watch({.namespace_name = ns()},
                                  {.resource_version = list->metadata.resource_version, .timeout = 3s});
  ASSERT_TRUE(Ok(watch));
  Put("a", "2");
  Remove("a");
  std::vector<std::string> seen;
  for (;;) {
    auto event = watch->Next();
    ASSERT_TRUE(Ok(event));
    if (!*event) break;
    if ((*event)->type == WatchEventType::kBookmark) continue;
    seen.push_back(((*event)->type == WatchEventType::kModified ? "modified " : "deleted ") +
                   EventLog::Text((*event)->object));
  }
  EXPECT_THAT(seen, ::testing::ElementsAre("modified a=2", "deleted a=2"));
}

TEST_P(ClientTest, DiscoveryFindsKindsByWhatPeopleCallThem) {
  const auto deployments = admin().Mapper().ForName("deploy");
  ASSERT_TRUE(Ok(deployments));
  EXPECT_EQ(deployments->resource.kind, "Deployment");
  EXPECT_THAT(deployments->subresources, Contains("scale"));
  const auto dynamic = admin().DynamicFor({"", "v1", "ConfigMap"});
  ASSERT_TRUE(Ok(dynamic));
  EXPECT_EQ(dynamic->resource().gvr.resource, "configmaps");
  EXPECT_FALSE(admin().Mapper().ForName("nosuchthings").ok());
}

}  // namespace
}  // namespace kinformer::e2e
