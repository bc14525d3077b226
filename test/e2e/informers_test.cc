// Informers as users run them, against a real server.

#include <atomic>
#include <future>
#include <set>
#include <thread>

#include <kinformer/meta/status_error.h>
#include <kinformer/views/core_v1.h>

#include "test/e2e/e2e_testing.h"

namespace kinformer::e2e {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class InformersTest : public E2eTest {
 protected:
  /// Starts the informer and waits for its sync.
  SharedInformer Synced(SharedInformerFactory& factory, const Resource& resource, Selection selection = {},
                        const InformerOptions& options = {}) {
    if (selection.namespace_name.empty()) selection.namespace_name = ns();
    const SharedInformer informer = factory.ForResource(resource, selection, options);
    informer.Start();
    EXPECT_TRUE(Ok(informer.WaitForCacheSync(kPatience)));
    return informer;
  }
  const Resource config_maps_ = Resource::Of(core::v1::ConfigMap::kInfo);
  const Resource pods_ = Resource::Of(core::v1::Pod::kInfo);
};
KINFORMER_E2E(InformersTest);

TEST_P(InformersTest, APodsLifeIsToldInOrderAndTheCacheAndItsIndexFollow) {
  SharedInformerFactory factory(admin());
  const auto pods = factory.For<core::v1::Pod>({.namespace_name = ns()});
  ASSERT_TRUE(Ok(pods.AddIndexer("node", [](const core::v1::Pod& pod) { return Keys{std::string(pod.NodeName())}; })));
  EventLog log;
  const auto registration = pods.Untyped().AddEventHandler(log.Handler()).value();
  factory.Start();
  ASSERT_TRUE(Ok(factory.WaitForCacheSync(kPatience)));

  const auto client = admin().For<core::v1::Pod>();
  ASSERT_TRUE(Ok(client.Create(*Pod(ns(), "a", "node-1"))));
  ASSERT_TRUE(Ok(client.Create(*Pod(ns(), "b"))));
  log.Await("add b=");
  ASSERT_EQ(pods.Lister().ByIndex("node", "node-1").value().size(), 1U);
  EXPECT_EQ(pods.Lister().ByIndex("node", "node-1").value()[0].Name(), "a");

  const auto running = client.Untyped().Patch({ns(), "a"}, PatchType::kMerge, R"({"status":{"phase":"Running"}})",
                                              {.subresource = "status"});
  ASSERT_TRUE(Ok(running));
  ASSERT_TRUE(Ok(pods.WaitForResourceVersion(std::string((*running)->ResourceVersion()), kPatience)));
  EXPECT_EQ(pods.Lister().Get({ns(), "a"})->Phase(), "Running");

  ASSERT_TRUE(Ok(client.Delete({ns(), "a"}, {.grace_period = 0s})));
  ASSERT_TRUE(Ok(client.Delete({ns(), "b"}, {.grace_period = 0s})));
  log.Await("delete b=");
  // Even an immediate deletion of a pod produces two events, as one with a grace period does: marked, then deleted.
  EXPECT_THAT(log.Lines(), ElementsAre("add a=", "add b=", "update a= to a=", "update a= to a=", "delete a=",
                                       "update b= to b=", "delete b="));
  EXPECT_EQ(pods.Lister().Size(), 0U);
}

TEST_P(InformersTest, StreamingAndPagedListsOfFiveThousandObjectsAreTheServersContent) {
  constexpr int kObjects = 5000;
  constexpr int kWriters = 8;
  std::atomic<int> failures = 0;
  {
    std::vector<std::jthread> writers;
    for (int writer = 0; writer < kWriters; ++writer) {
      writers.emplace_back([&, writer] {
        for (int i = writer; i < kObjects; i += kWriters) {
          if (!ConfigMaps().Create(*ConfigMap(ns(), "c" + std::to_string(i), std::to_string(i)))) ++failures;
        }
      });
    }
  }
  ASSERT_EQ(failures, 0);
  const auto expected = OnServer();
  ASSERT_EQ(expected.size(), static_cast<std::size_t>(kObjects));
  for (const bool streaming : {true, false}) {
    SCOPED_TRACE(streaming ? "streaming" : "paged");
    SharedInformerFactory factory(admin());
    const auto informer = Synced(factory, config_maps_, {}, {.streaming_lists = streaming});
    EXPECT_EQ(InCache(informer.Lister()), expected);
    // The list is complete, and no later change is lost.
    const auto changed = ConfigMaps().Patch({ns(), "c17"}, PatchType::kMerge, R"({"data":{"value":"changed"}})");
    ASSERT_TRUE(Ok(changed));
    ASSERT_TRUE(Ok(informer.WaitForResourceVersion(std::string((*changed)->ResourceVersion()), kPatience)));
    EXPECT_EQ(EventLog::Text(*informer.Lister().Get({ns(), "c17"})), "c17=changed");
    ASSERT_TRUE(Ok(ConfigMaps().Patch({ns(), "c17"}, PatchType::kMerge, R"({"data":{"value":"17"}})")));
  }
}

TEST_P(InformersTest, ACustomResourceIsFollowedWhenItsDefinitionComesGoesAndComesBack) {
  const std::string group = ns() + ".example.com";
  const auto definitions = admin().Dynamic({.gvr = {"apiextensions.k8s.io", "v1", "customresourcedefinitions"},
                                            .kind = "CustomResourceDefinition",
                                            .scope = Scope::kCluster});
  const ObjectPtr definition = ParseObject(
      {{"apiVersion", "apiextensions.k8s.io/v1"},
       {"kind", "CustomResourceDefinition"},
       {"metadata", {{"name", "widgets." + group}}},
       {"spec",
        {{"group", group},
         {"scope", "Namespaced"},
         {"names", {{"plural", "widgets"}, {"singular", "widget"}, {"kind", "Widget"}}},
         {"versions",
          {{{"name", "v1"},
            {"served", true},
            {"storage", true},
            {"schema",
             {{"openAPIV3Schema",
               {{"type", "object"},
                {"properties",
                 {{"spec", {{"type", "object"}, {"properties", {{"value", {{"type", "string"}}}}}}}}}}}}}}}}}}});
  const Resource widgets{.gvr = {group, "v1", "widgets"}, .kind = "Widget"};
  const auto widget = [&](const std::string& name, const std::string& value) {
    return ParseObject({{"apiVersion", group + "/v1"},
                        {"kind", "Widget"},
                        {"metadata", {{"name", name}, {"namespace", ns()}}},
                        {"spec", {{"value", value}}}});
  };
  const auto create = [&](const std::string& name, const std::string& value) {
    EXPECT_TRUE(Eventually([&] { return admin().Dynamic(widgets).Create(*widget(name, value)).ok(); }));
  };

  SharedInformerFactory factory(admin());
  const SharedInformer informer = factory.ForResource(widgets, {.namespace_name = ns()});
  EventLog log;
  const auto registration = informer.AddEventHandler(log.Handler()).value();
  informer.Start();
  EXPECT_TRUE(Eventually([&] { return informer.Status().state == InformerState::kParked; }));
  ASSERT_TRUE(Ok(definitions.Create(*definition)));
  create("a", "1");
  ASSERT_TRUE(Ok(informer.WaitForCacheSync(kPatience)));
  log.AwaitSize(1);
  EXPECT_THAT(log.Lines()[0], ::testing::AnyOf("initial a=1", "add a=1"));

  ASSERT_TRUE(Ok(definitions.Delete({"", "widgets." + group})));
  EXPECT_TRUE(Eventually([&] {
    const auto gone = definitions.Get({"", "widgets." + group});
    return !gone && IsNotFound(gone.error());
  }));
  EXPECT_TRUE(Eventually([&] { return informer.Status().state == InformerState::kParked; }));
  ASSERT_TRUE(Ok(definitions.Create(*definition)));
  create("b", "1");
  log.Await("add b=1");
  EXPECT_TRUE(Eventually([&] { return InCache(informer.Lister()) == std::vector<std::string>{"b=1"}; }));
  EXPECT_TRUE(Ok(definitions.Delete({"", "widgets." + group})));
}

TEST_P(InformersTest, AMetadataOnlyInformerHasMetadataAndNothingElse) {
  Put("a", "1", {{"app", "web"}});
  SharedInformerFactory factory(admin());
  const auto informer = factory.ForMetadata(config_maps_, {.namespace_name = ns()});
  informer.Start();
  ASSERT_TRUE(Ok(informer.WaitForCacheSync(kPatience)));
  const auto stored = informer.Lister().Get({ns(), "a"});
  ASSERT_TRUE(Ok(stored));
  EXPECT_TRUE((*stored)->IsPartial());
  EXPECT_FALSE((*stored)->At("/data").Exists());
  EXPECT_EQ((*stored)->At("/metadata/labels/app").StringOr(""), "web");
  EventLog log;
  const auto registration = informer.AddEventHandler(log.Handler()).value();
  Put("b", "1");
  Remove("a");
  log.Await("delete a=");
  EXPECT_THAT(log.Lines(), ElementsAre("initial a=", "add b=", "delete a="));
}

TEST_P(InformersTest, WhatBeginsOrCeasesToMatchALabelSelectorComesAndGoes) {
  SharedInformerFactory factory(admin());
  const SharedInformer informer =
      factory.ForResource(config_maps_, {.namespace_name = ns(), .label_selector = "app=web,tier notin (test)"});
  EventLog log;
  const auto registration = informer.AddEventHandler(log.Handler()).value();
  informer.Start();
  ASSERT_TRUE(Ok(informer.WaitForCacheSync(kPatience)));
  Put("other", "1", {{"app", "db"}});
  Put("a", "1", {{"app", "web"}});
  Put("a", "2", {{"app", "web"}, {"tier", "prod"}});
  Put("a", "3", {{"app", "web"}, {"tier", "test"}});
  Put("a", "4", {{"app", "web"}});
  Remove("a");
  Put("last", "1", {{"app", "web"}});
  log.Await("add last=1");
  EXPECT_THAT(log.Lines(),
              ElementsAre("add a=1", "update a=1 to a=2", "delete a=2", "add a=4", "delete a=4", "add last=1"));
}

TEST_P(InformersTest, BindingAPodMovesItBetweenTheInformersOfTwoFieldSelectors) {
  SharedInformerFactory factory(admin());
  const SharedInformer unbound =
      factory.ForResource(pods_, {.namespace_name = ns(), .field_selector = "spec.nodeName="});
  const SharedInformer bound =
      factory.ForResource(pods_, {.namespace_name = ns(), .field_selector = "spec.nodeName=node-1"});
  EventLog of_unbound;
  EventLog of_bound;
  const auto first = unbound.AddEventHandler(of_unbound.Handler()).value();
  const auto second = bound.AddEventHandler(of_bound.Handler()).value();
  factory.Start();
  ASSERT_TRUE(Ok(factory.WaitForCacheSync(kPatience)));
  ASSERT_TRUE(Ok(admin().For<core::v1::Pod>().Create(*Pod(ns(), "a"))));
  of_unbound.Await("add a=");
  const auto binding =
      admin().Raw({.method = "POST",
                   .target = "/api/v1/namespaces/" + ns() + "/pods/a/binding",
                   .headers = {{"Content-Type", "application/json"}},
                   .body = json{{"apiVersion", "v1"},
                                {"kind", "Binding"},
                                {"metadata", {{"name", "a"}}},
                                {"target", {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", "node-1"}}}}
                               .dump()});
  ASSERT_TRUE(Ok(binding));
  of_bound.Await("add a=");
  of_unbound.Await("delete a=");
  EXPECT_THAT(of_unbound.Lines(), ElementsAre("add a=", "delete a="));
  EXPECT_THAT(of_bound.Lines(), ElementsAre("add a="));
}

TEST_P(InformersTest, NamespacesAreAddedAndTakenAwayWhileItRuns) {
  const std::string other = ns() + "-other";
  CreateNamespace(other);
  Put("a", "1");
  ASSERT_TRUE(Ok(ConfigMaps().Create(*ConfigMap(other, "b", "1"))));
  SharedInformerFactory factory(admin());
  const auto informer = Synced(factory, config_maps_, {.label_selector = "!kinformer/absent"},
                               {.namespaces = std::vector<std::string>{ns()}});
  const auto names = [&] {
    std::set<std::string> found;
    for (const ObjectPtr& object : informer.Lister().List()) {
      if (object->Name() != "kube-root-ca.crt") found.insert(std::string(object->Name()));
    }
    return found;
  };
  EXPECT_THAT(names(), UnorderedElementsAre("a"));
  ASSERT_TRUE(Ok(informer.SetNamespaces({ns(), other})));
  ASSERT_TRUE(Ok(informer.WaitForCacheSync(kPatience)));
  EXPECT_THAT(names(), UnorderedElementsAre("a", "b"));
  ASSERT_TRUE(Ok(informer.SetNamespaces({other})));
  EXPECT_TRUE(Eventually([&] { return names() == std::set<std::string>{"b"}; }));
}

TEST_P(InformersTest, ASlowHandlerDelaysNobodyAndMissesNothing) {
  constexpr int kObjects = 200;
  SharedInformerFactory factory(admin());
  const auto informer = Synced(factory, config_maps_, {.label_selector = "slow=test"});
  EventLog quick;
  std::promise<void> let_go;
  const std::shared_future<void> gate = let_go.get_future().share();
  std::atomic<int> slowly_seen = 0;
  const auto slow = informer
                        .AddEventHandler({.on_add =
                                              [&](const ObjectPtr&, bool) {
                                                gate.wait();
                                                ++slowly_seen;
                                              }})
                        .value();
  const auto other = informer.AddEventHandler(quick.Handler()).value();
  for (int i = 0; i < kObjects; ++i) Put("c" + std::to_string(i), "1", {{"slow", "test"}});
  quick.AwaitSize(kObjects);
  EXPECT_EQ(slowly_seen, 0);
  EXPECT_EQ(slow.Status().pending, static_cast<std::size_t>(kObjects - 1)) << "the first is in its hands";
  let_go.set_value();
  EXPECT_TRUE(Eventually([&] { return slowly_seen == kObjects; }));
}

}  // namespace
}  // namespace kinformer::e2e
