// Informers of subsets: selectors, metadata only, and kinds that come and go. Over TLS, against the API server.

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/base/fake_clock.h>
#include <kinformer/informer/shared_informer_factory.h>
#include <kinformer/meta/status_error.h>
#include <kinformer/testing/api_server.h>
#include <kinformer/views/core_v1.h>

#include "test/informer/await.h"
#include "test/informer/handler_log.h"
#include "test/support/patience.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using core::v1::ConfigMap;
using core::v1::Pod;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

using testing_support::kPatience;

json ConfigMapJson(const std::string& name, const std::string& value, const std::string& app,
                   const std::string& namespace_name = "default") {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}, {"namespace", namespace_name}, {"labels", {{"app", app}}}}},
          {"data", {{"value", value}}}};
}

class SelectionTest : public ::testing::Test {
 protected:
  void Create(const json& object) {
    const auto made = server_.Create(object.dump());
    ASSERT_TRUE(made.ok()) << ToString(made.error());
  }
  /// Returns the new version.
  std::string Update(const json& object) {
    const auto written = client_.For<ConfigMap>().Untyped().Update(*Object::FromJson(object).value());
    EXPECT_TRUE(written.ok()) << ToString(written.error());
    return std::string((*written)->ResourceVersion());
  }
  void StartAndSync(SharedInformerFactory& factory) {
    factory.Start();
    const auto synced = factory.WaitForCacheSync(kPatience);
    ASSERT_TRUE(synced.ok()) << ToString(synced.error());
  }

  testing::ApiServer server_;
  const Client client_ = server_.Client();
};

TEST_F(SelectionTest, ALabelSelectorLetsObjectsInAndOutAsTheirLabelsChange) {
  Create(ConfigMapJson("a", "1", "web"));
  Create(ConfigMapJson("b", "1", "batch"));
  SharedInformerFactory factory(client_);
  const auto informer = factory.For<ConfigMap>({.label_selector = "app in (web,api)"}).Untyped();
  HandlerLog log;
  const auto registration = informer.AddEventHandler(log.Handler()).value();
  StartAndSync(factory);
  EXPECT_THAT(log.Await(1), ElementsAre("initial a=1"));
  Update(ConfigMapJson("b", "2", "api"));
  Update(ConfigMapJson("a", "2", "api"));
  Update(ConfigMapJson("a", "3", "batch"));
  Update(ConfigMapJson("b", "3", "web"));
  // An object that no longer matches is deleted with the last state that did match.
  EXPECT_THAT(log.Await(5),
              ElementsAre("initial a=1", "add b=2", "update a=1 to a=2", "delete a=2", "update b=2 to b=3"));
  EXPECT_EQ(informer.Lister().Size(), 1U);
}

TEST_F(SelectionTest, AFieldSelectorDoesSoWithFields) {
  const auto pod = [](const std::string& name, const std::string& node) {
    return json{{"apiVersion", "v1"},
                {"kind", "Pod"},
                {"metadata", {{"name", name}, {"namespace", "default"}}},
                {"spec", {{"nodeName", node}, {"containers", {{{"name", "c"}, {"image", "i"}}}}}}};
  };
  Create(pod("a", "n1"));
  Create(pod("b", "n2"));
  SharedInformerFactory factory(client_);
  const auto pods = factory.For<Pod>({.field_selector = "spec.nodeName=n1,status.phase!=Succeeded"});
  HandlerLog log;
  const auto registration = pods.Untyped().AddEventHandler(log.Handler()).value();
  StartAndSync(factory);
  Create(pod("c", "n2"));
  Create(pod("d", "n1"));
  ASSERT_TRUE(
      client_.For<Pod>()
          .Patch({"default", "a"}, PatchType::kMerge, R"({"status":{"phase":"Succeeded"}})", {.subresource = "status"})
          .ok());
  EXPECT_THAT(log.Await(3), ElementsAre("initial a=", "add d=", "delete a="));
  EXPECT_EQ(pods.Lister().Size(), 1U);
}

TEST_F(SelectionTest, MetadataAloneFollowsChangesOfAll) {
  Create(ConfigMapJson("a", "1", "web"));
  SharedInformerFactory factory(client_);
  const SharedInformer informer = factory.ForMetadata(Resource::Of(ConfigMap::kInfo));
  HandlerLog log;
  const auto registration = informer.AddEventHandler(log.Handler()).value();
  StartAndSync(factory);
  const std::string version = Update(ConfigMapJson("a", "2", "web"));
  EXPECT_THAT(log.Await(2), ElementsAre("initial a=", "update a= to a="));
  const auto object = informer.Lister().Get({"default", "a"});
  ASSERT_TRUE(object.ok());
  EXPECT_EQ((*object)->ResourceVersion(), version);
  EXPECT_EQ((*object)->Labels().Find("app"), "web");
  EXPECT_EQ((*object)->Kind(), "PartialObjectMetadata");
  EXPECT_TRUE((*object)->IsPartial());
}

TEST_F(SelectionTest, ATypedMetadataInformerGivesViewsOfMetadata) {
  Create(ConfigMapJson("a", "1", "web"));
  SharedInformerFactory factory(client_);
  const SharedIndexInformer<MetadataOf<ConfigMap>> informer =
      factory.ForMetadata<ConfigMap>({.namespace_name = "default", .field_selector = "metadata.name=a"});
  ASSERT_TRUE(informer
                  .AddIndexer("app",
                              [](const MetadataOf<ConfigMap>& object) {
                                return Keys{std::string(object.Labels().Find("app").value_or(""))};
                              })
                  .ok());
  std::promise<std::string> added;
  const auto registration = informer
                                .AddEventHandler({.on_add = [&](const MetadataOf<ConfigMap>& object,
                                                                bool) { added.set_value(std::string(object.Name())); }})
                                .value();
  StartAndSync(factory);
  EXPECT_EQ(added.get_future().get(), "a");
  const auto by_app = informer.Lister().ByIndex("app", "web");
  ASSERT_TRUE(by_app.ok());
  ASSERT_EQ(by_app->size(), 1U);
  EXPECT_EQ(by_app->front().Key(), (NamespacedName{"default", "a"}));
  EXPECT_FALSE(by_app->front().At("/data").Exists());
  const auto whole = ConfigMap::From(by_app->front().object());
  ASSERT_FALSE(whole.ok());
  EXPECT_THAT(whole.error().message, HasSubstr("metadata only"));
}

TEST_F(SelectionTest, ATypedMetadataClientGivesViewsOfMetadata) {
  Create(ConfigMapJson("a", "1", "web"));
  const TypedClient<MetadataOf<ConfigMap>> metadata = client_.For<ConfigMap>().Metadata();
  const auto one = metadata.Get({"default", "a"});
  ASSERT_TRUE(one.ok()) << ToString(one.error());
  EXPECT_FALSE(one->At("/data").Exists());
  const auto list = metadata.List({.namespace_name = "default", .label_selector = "app=web"});
  ASSERT_TRUE(list.ok()) << ToString(list.error());
  ASSERT_EQ(list->items.size(), 1U);
  EXPECT_EQ(list->items[0].Labels().Find("app"), "web");
  const auto patched = metadata.Patch(one->Key(), PatchType::kMerge, R"({"metadata":{"annotations":{"seen":"yes"}}})");
  ASSERT_TRUE(patched.ok()) << ToString(patched.error());
  EXPECT_EQ(patched->Annotations().Find("seen"), "yes");
  EXPECT_FALSE(patched->At("/data").Exists());
  const auto refused = metadata.Update(*patched);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(refused.error().message, HasSubstr("is partial"));
  auto watch = metadata.Watch({.namespace_name = "default"}, {.resource_version = std::string(one->ResourceVersion())});
  ASSERT_TRUE(watch.ok()) << ToString(watch.error());
  const auto event = watch->Next();
  ASSERT_TRUE(event.ok()) << ToString(event.error());
  EXPECT_EQ((*event)->object->Annotations().Find("seen"), "yes");
  EXPECT_TRUE(metadata.Delete(one->Key()).ok());
  EXPECT_EQ(client_.For<ConfigMap>().Get({"default", "a"}).error().http_status, 404);
}

TEST_F(SelectionTest, TheSetOfNamespacesMayChangeUnderASelector) {
  for (const std::string name : {"a", "b"}) {
    Create({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}});
    Create(ConfigMapJson("x", name, "web", name));
    Create(ConfigMapJson("y", name, "batch", name));
  }
  SharedInformerFactory factory(client_);
  const auto informer =
      factory.For<ConfigMap>({.label_selector = "app=web"}, {.namespaces = {{"a", "default"}}}).Untyped();
  HandlerLog log;
  const auto registration = informer.AddEventHandler(log.Handler()).value();
  StartAndSync(factory);
  EXPECT_THAT(log.Await(1), ElementsAre("initial x=a"));
  EXPECT_TRUE(Await([&] { return server_.server().WatchCount() == 2; }));
  ASSERT_TRUE(informer.SetNamespaces({"b", "default"}).ok());
  ASSERT_TRUE(informer.WaitForCacheSync(kPatience).ok());
  EXPECT_THAT(log.Await(3), UnorderedElementsAre("initial x=a", "delete unseen x=a", "initial x=b"));
  EXPECT_TRUE(Await([&] { return server_.server().WatchCount() == 2; }));
}

TEST_F(SelectionTest, AWriteIsInTheCacheOnceItsVersionIs) {
  Create(ConfigMapJson("a", "0", "web"));
  SharedInformerFactory factory(client_);
  const auto informer = factory.For<ConfigMap>().Untyped();
  StartAndSync(factory);
  for (int i = 1; i <= 50; ++i) {
    const std::string version = Update(ConfigMapJson("a", std::to_string(i), "web"));
    ASSERT_TRUE(informer.WaitForResourceVersion(version, kPatience).ok());
    EXPECT_EQ(HandlerLog::Text(*informer.Lister().Get({"default", "a"})), "a=" + std::to_string(i));
  }
}

TEST_F(SelectionTest, WhoSharesAWatchHasHandlersAndIndicesOfTheirOwnAlsoLater) {
  Create(ConfigMapJson("a", "red", "web"));
  SharedInformerFactory factory(client_);
  const auto one = factory.For<ConfigMap>().Untyped();
  HandlerLog early;
  const auto first = one.AddEventHandler(early.Handler()).value();
  StartAndSync(factory);
  const auto other = factory.For<ConfigMap>().Untyped();
  HandlerLog late;
  const auto second = other.AddEventHandler(late.Handler()).value();
  ASSERT_TRUE(second.WaitForSync(kPatience).ok());
  ASSERT_TRUE(
      other.AddIndexer("colour", [](const ObjectPtr& o) { return Keys{o->At("/data/value").StringOr("")}; }).ok());
  EXPECT_EQ(one.Lister().ByIndex("colour", "red").value().size(), 1U);
  ASSERT_TRUE(one.WaitForResourceVersion(Update(ConfigMapJson("a", "blue", "web")), kPatience).ok());
  EXPECT_EQ(one.Lister().ByIndex("colour", "red").value().size(), 0U);
  EXPECT_THAT(early.Await(2), ElementsAre("initial a=red", "update a=red to a=blue"));
  EXPECT_THAT(late.Await(2), ElementsAre("initial a=red", "update a=red to a=blue"));
  EXPECT_EQ(factory.Size(), 1U);
  EXPECT_EQ(server_.server().WatchCount(), 1U);
}

TEST_F(SelectionTest, ARestartBringsWhatWasMissedAsOrdinaryEvents) {
  Create(ConfigMapJson("a", "1", "web"));
  Create(ConfigMapJson("b", "1", "web"));
  SharedInformerFactory factory(client_);
  const auto informer = factory.For<ConfigMap>().Untyped();
  HandlerLog log;
  const auto registration = informer.AddEventHandler(log.Handler()).value();
  StartAndSync(factory);
  log.Await(2);
  informer.Stop();
  EXPECT_TRUE(Await([&] { return server_.server().WatchCount() == 0; }));
  Update(ConfigMapJson("a", "2", "web"));
  ASSERT_TRUE(client_.For<ConfigMap>().Delete({"default", "b"}).ok());
  Create(ConfigMapJson("c", "1", "web"));
  EXPECT_EQ(log.Size(), 2U);
  informer.Start();
  const auto lines = log.Await(5);
  EXPECT_THAT(std::vector<std::string>(lines.begin() + 2, lines.end()),
              UnorderedElementsAre("update a=1 to a=2", "delete unseen b=1", "add c=1"));
}

TEST_F(SelectionTest, AResyncGoesByTheFactorysClockAndAsksNobody) {
  Create(ConfigMapJson("a", "1", "web"));
  const auto clock = std::make_shared<FakeClock>();
  SharedInformerFactory factory(client_, {.resync = 20s, .clock = clock});
  const auto informer = factory.For<ConfigMap>().Untyped();
  HandlerLog log;
  const auto registration = informer.AddEventHandler(log.Handler()).value();
  factory.Start();
  ASSERT_THAT(log.Await(1), ElementsAre("initial a=1"));
  ASSERT_TRUE(Await([&] { return informer.Status().state == InformerState::kWatching; }));
  const InformerStatus before = informer.Status();
  // Not long enough for the watch to time out and restart.
  const TimePoint end = clock->Now() + 4min;
  ASSERT_TRUE(Await([&] {
    const auto due = SoonDue(*clock);
    if (due && *due < end) AdvanceTo(*clock, *due);
    return log.Size() >= 4;
  }));
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(log.Await(4).at(i), "update a=1 to a=1");
  EXPECT_EQ(informer.Status().lists, before.lists);
  EXPECT_EQ(informer.Status().watches, before.watches);
}

TEST_F(SelectionTest, AKindThatIsDefinedWhileItIsWaitedForArrivesAndGoesWithItsDefinition) {
  const auto clock = std::make_shared<FakeClock>();
  SharedInformerFactory factory(client_, {.clock = clock});
  const SharedInformer informer =
      factory.ForResource({.gvr = {"example.com", "v1", "widgets"}, .kind = "Widget", .scope = Scope::kNamespaced});
  factory.Start();
  const auto await_state = [&](InformerState wanted) {
    return Await([&] {
      // Advances the clock while the informer waits for it, but not while it waits for the server.
      const auto due = SoonDue(*clock);
      const InformerState state = informer.Status().state;
      if (state == wanted) return true;
      if (due && (state == InformerState::kRetrying || state == InformerState::kParked)) AdvanceTo(*clock, *due);
      return false;
    });
  };
  ASSERT_TRUE(await_state(InformerState::kParked));
  ASSERT_TRUE(server_
                  .InstallCrds(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
      "metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
      "names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
      "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
      {"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})")
                  .ok());
  Create({{"apiVersion", "example.com/v1"},
          {"kind", "Widget"},
          {"metadata", {{"name", "w"}, {"namespace", "default"}}},
          {"data", {{"value", "1"}}}});
  HandlerLog log;
  const auto registration = informer.AddEventHandler(log.Handler()).value();
  ASSERT_TRUE(await_state(InformerState::kWatching));
  EXPECT_THAT(log.Await(1), ElementsAre("initial w=1"));
  const Resource definitions{.gvr = {"apiextensions.k8s.io", "v1", "customresourcedefinitions"},
                             .kind = "CustomResourceDefinition",
                             .scope = Scope::kCluster};
  ASSERT_TRUE(client_.Dynamic(definitions).Delete({"", "widgets.example.com"}).ok());
  ASSERT_TRUE(await_state(InformerState::kParked));
  // The objects are deleted before the definition; the cache has seen that.
  EXPECT_THAT(log.Await(2), ElementsAre("initial w=1", "delete w=1"));
}

}  // namespace
}  // namespace kinformer
