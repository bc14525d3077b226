// The whole stack over HTTP and TLS: a factory's informers against the API server.

#include <kinformer/informer/shared_informer_factory.h>

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/client/client.h>
#include <kinformer/meta/status_error.h>
#include <kinformer/reflector/transforms.h>
#include <kinformer/testing/api_server.h>
#include <kinformer/views/core_v1.h>

#include "src/base/mutex.h"
#include "test/informer/await.h"
#include "test/support/leak_check.h"
#include "test/support/patience.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using core::v1::Pod;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using testing_support::kPatience;

/// An API server behind TLS with pod "a" on node "n1" and pod "b" on node "n2", in namespace "default", with the label
/// app=web; and a client of user alice.
class FactoryTest : public ::testing::Test {
 protected:
  FactoryTest() {
    for (const auto& [name, node] : {std::pair("a", "n1"), std::pair("b", "n2")}) {
      const json pod = {{"apiVersion", "v1"},
                        {"kind", "Pod"},
                        {"metadata", {{"name", name}, {"namespace", "default"}, {"labels", {{"app", "web"}}}}},
                        {"spec", {{"nodeName", node}, {"containers", json::array({{{"name", "c"}, {"image", "i"}}})}}}};
      const auto made = server_.Create(pod.dump());
      EXPECT_TRUE(made.ok()) << ToString(made.error());
    }
  }

  /// Returns the new version.
  std::string SetPhase(const std::string& name, const std::string& phase) {
    const json patch = {{"status", {{"phase", phase}}}};
    const auto patched =
        administrator_.For<Pod>().Patch({"default", name}, PatchType::kMerge, patch.dump(), {.subresource = "status"});
    EXPECT_TRUE(patched.ok()) << ToString(patched.error());
    return std::string(patched->ResourceVersion());
  }
  void Delete(const std::string& name) {
    const auto gone = administrator_.For<Pod>().Delete({"default", name}, {.grace_period = 0s});
    EXPECT_TRUE(gone.ok()) << ToString(gone.error());
  }
  /// Refuses all requests of alice from now on (403).
  void Forbid() { forbidden_ = true; }
  /// Path and query of each watch that was started.
  std::vector<std::string> WatchTargets() const {
    const MutexLock lock(mutex_);
    return targets_;
  }
  bool AwaitLastWatchGone() {
    return Await([&] { return server_.server().WatchCount() == 0; });
  }

 private:
  ApiServerOptions ServerOptions() {
    return {.tokens = {{.token = Secret(kAlicesToken), .user = "alice"}},
            .authorize = [this](const AccessRequest& request) -> AccessAnswer {
              return {.allowed = request.user != "alice" || !forbidden_};
            },
            .audit =
                [this](std::string_view line) {
                  const json event = json::parse(line, nullptr, false);
                  if (event.is_discarded() || event["verb"] != "watch" || event["stage"] != "ResponseStarted") return;
                  const MutexLock lock(mutex_);
                  targets_.push_back(event["requestURI"]);
                }};
  }
  Config AlicesConfig() {
    Config config = server_.server().ClientConfig();
    config.token = Secret(kAlicesToken);
    return config;
  }

  static constexpr const char* kAlicesToken = "a-token-of-alice";
  std::atomic<bool> forbidden_ = false;
  mutable Mutex mutex_;
  std::vector<std::string> targets_ KINFORMER_GUARDED_BY(mutex_);
  // After the state that it uses, so that it is destroyed first.
  testing::ApiServer server_{ServerOptions()};
  const Client administrator_ = server_.Client();

 protected:
  const Client client_ = Client::Create(AlicesConfig()).value();
};

TEST_F(FactoryTest, ATypedInformerSyncsByAStreamingListAndFollows) {
  SharedInformerFactory factory(client_);
  const auto pods = factory.For<Pod>({.namespace_name = "default", .label_selector = "app=web"});
  ASSERT_TRUE(pods.AddIndexer("node", [](const Pod& pod) { return Keys{pod.NodeName()}; }).ok());
  std::promise<std::string> updated;
  std::promise<std::pair<std::string, bool>> deleted;
  const auto registration =
      pods.AddEventHandler({.on_update =
                                [&](const Pod& before, const Pod& after) {
                                  if (after.Name() == "b") updated.set_value(before.Phase() + " " + after.Phase());
                                },
                            .on_delete =
                                [&](const Deleted<Pod>& gone) {
                                  deleted.set_value({std::string(gone.last_known.Name()), gone.final_state_unknown});
                                }})
          .value();
  factory.Start();
  const auto synced = factory.WaitForCacheSync(kPatience);
  ASSERT_TRUE(synced.ok()) << ToString(synced.error());
  EXPECT_EQ(pods.Lister().Size(), 2U);
  ASSERT_EQ(pods.Lister().ByIndex("node", "n2").value().size(), 1U);
  EXPECT_EQ(pods.Lister().ByIndex("node", "n2").value()[0].Name(), "b");
  const std::string target = WatchTargets().at(0);
  EXPECT_THAT(target, HasSubstr("/api/v1/namespaces/default/pods?"));
  EXPECT_THAT(target, HasSubstr("sendInitialEvents=true"));
  EXPECT_THAT(target, HasSubstr("labelSelector=app%3Dweb"));
  ASSERT_TRUE(registration.WaitForSync(kPatience).ok());
  const std::string version = SetPhase("b", "Running");
  EXPECT_EQ(updated.get_future().get(), "Pending Running");
  EXPECT_TRUE(pods.WaitForResourceVersion(version, kPatience).ok());
  Delete("a");
  EXPECT_EQ(deleted.get_future().get(), (std::pair<std::string, bool>("a", false)));
  EXPECT_EQ(pods.Lister().Size(), 1U);
}

TEST_F(FactoryTest, WhoAsksForTheSameSharesOneWatchAndOthersHaveTheirOwn) {
  SharedInformerFactory factory(client_);
  const auto one = factory.For<Pod>();
  const auto same = factory.For<Pod>();
  const auto other_namespace = factory.For<Pod>({.namespace_name = "kube-system"});
  const auto other_selector = factory.For<Pod>({.label_selector = "app=web"});
  const auto metadata = factory.ForMetadata<Pod>();
  const auto same_metadata = factory.ForMetadata(Resource::Of(Pod::kInfo));
  EXPECT_EQ(metadata.Name(), "metadata of pods");
  EXPECT_EQ(factory.Size(), 4U);
  factory.Start();
  ASSERT_TRUE(one.WaitForCacheSync(kPatience).ok());
  EXPECT_TRUE(same.HasSynced());
  EXPECT_TRUE(Await([&] { return WatchTargets().size() == 4; }));
}

TEST_F(FactoryTest, TheLastHandleClosesTheWatchAndARegistrationIsOne) {
  SharedInformerFactory factory(client_);
  InformerRegistration registration;
  {
    const auto pods = factory.For<Pod>();
    registration = pods.AddEventHandler({}).value();
    factory.Start();
    ASSERT_TRUE(pods.WaitForCacheSync(kPatience).ok());
  }
  EXPECT_EQ(factory.Size(), 1U) << "the registration holds it";
  registration.Remove();
  EXPECT_EQ(factory.Size(), 0U);
  EXPECT_TRUE(AwaitLastWatchGone());
}

TEST_F(FactoryTest, AListerKeepsItsInformerRunning) {
  SharedInformerFactory factory(client_);
  auto lister = std::make_optional(factory.For<Pod>().Lister());
  EXPECT_EQ(factory.Size(), 1U);
  factory.Start();
  ASSERT_TRUE(factory.WaitForCacheSync(kPatience).ok());
  EXPECT_EQ(lister->Size(), 2U);
  (void)SetPhase("b", "Running");
  EXPECT_TRUE(Await([&] { return lister->Get({"default", "b"})->Phase() == "Running"; })) << "it follows the server";
  lister.reset();
  EXPECT_EQ(factory.Size(), 0U);
  EXPECT_TRUE(AwaitLastWatchGone());
}

TEST_F(FactoryTest, InformersAreListedWithTheirStatusWhileTheyLive) {
  SharedInformerFactory factory(client_);
  EXPECT_TRUE(factory.Informers().empty());
  const auto pods = factory.For<Pod>();
  {
    const auto some = factory.For<Pod>({.namespace_name = "default", .label_selector = "app=web"});
    const auto same = factory.For<Pod>();
    ASSERT_EQ(factory.Informers().size(), 2U);
    EXPECT_EQ(factory.Informers()[1].name, some.Name());
  }
  EXPECT_EQ(factory.Informers().at(0).status.state, InformerState::kStopped);
  factory.Start();
  ASSERT_TRUE(factory.WaitForCacheSync(kPatience).ok());
  const std::vector<InformerInfo> informers = factory.Informers();
  ASSERT_EQ(informers.size(), 1U);
  EXPECT_EQ(informers[0].name, "pods");
  EXPECT_TRUE(informers[0].status.synced);
  EXPECT_EQ(informers[0].status.objects, 2U);
}

TEST_F(FactoryTest, TheLastRegistrationMayGoInsideItsOwnHandler) {
  SharedInformerFactory factory(client_);
  InformerRegistration registration;
  std::promise<void> may_go;
  std::promise<void> gone;
  std::atomic<bool> first = true;
  {
    auto ready = may_go.get_future().share();
    registration = factory.For<Pod>()
                       .AddEventHandler({.on_add =
                                             [&, ready](const Pod&, bool) {
                                               if (!first.exchange(false)) return;
                                               ready.wait();
                                               registration.Remove();
                                               gone.set_value();
                                             }})
                       .value();
  }
  factory.Start();
  may_go.set_value();
  gone.get_future().get();
  EXPECT_TRUE(AwaitLastWatchGone());
  EXPECT_TRUE(factory.Shutdown().ok());
}

TEST_F(FactoryTest, ARefusalIsTheReasonThatWaitingReturns) {
  Forbid();
  SharedInformerFactory factory(client_);
  std::promise<void> refused;
  std::atomic<bool> first = true;
  const auto pods = factory.For<Pod>({}, {.on_error = [&](const Error& error) {
                                       if (IsForbidden(error) && first.exchange(false)) refused.set_value();
                                     }});
  factory.Start();
  refused.get_future().get();
  const auto synced = factory.WaitForCacheSync(1ms);
  ASSERT_FALSE(synced.ok());
  EXPECT_TRUE(IsForbidden(synced.error())) << ToString(synced.error());
  EXPECT_THAT(synced.error().message, HasSubstr("pods"));
  EXPECT_THAT(synced.error().message, HasSubstr("alice"));
}

TEST_F(FactoryTest, ATransformKeepsOnlyWhatItNames) {
  SharedInformerFactory factory(client_);
  const auto pods = factory.For<Pod>({}, {.transform = Project({"/metadata", "/spec/nodeName"})});
  factory.Start();
  ASSERT_TRUE(pods.WaitForCacheSync(kPatience).ok());
  const auto pod = pods.Lister().Get({"default", "a"});
  ASSERT_TRUE(pod.ok());
  EXPECT_EQ(pod->NodeName(), "n1");
  EXPECT_EQ(pod->Phase(), "");
  EXPECT_TRUE(pod->object()->IsPartial());
  EXPECT_EQ(client_.For<Pod>().Update(*pod->object()).error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(FactoryTest, MoreCanBeAskedForAndStartedLater) {
  SharedInformerFactory factory(client_);
  const auto pods = factory.For<Pod>();
  factory.Start();
  ASSERT_TRUE(factory.WaitForCacheSync(kPatience).ok());
  const auto more = factory.For<Pod>({.namespace_name = "other"});
  EXPECT_FALSE(more.HasSynced());
  factory.Start();
  EXPECT_TRUE(factory.WaitForCacheSync(kPatience).ok());
  EXPECT_TRUE(more.HasSynced());
}

TEST_F(FactoryTest, ShutdownJoinsEverythingAndTheCacheStaysReadable) {
  const std::size_t before = testing_support::ThreadCount();
  SharedInformerFactory factory(client_);
  const auto pods = factory.For<Pod>();
  const auto registration = pods.AddEventHandler({}).value();
  factory.Start();
  ASSERT_TRUE(factory.WaitForCacheSync(kPatience).ok());
  ASSERT_TRUE(factory.Shutdown().ok());
  EXPECT_TRUE(AwaitLastWatchGone());
  EXPECT_EQ(pods.Lister().Size(), 2U);
  EXPECT_TRUE(testing_support::AwaitThreadCount(before + 1)) << "the client has a thread from its first request on";
}

TEST_F(FactoryTest, AHandleMayOutliveItsFactory) {
  auto factory = std::make_unique<SharedInformerFactory>(client_);
  const auto pods = factory->For<Pod>();
  factory->Start();
  ASSERT_TRUE(pods.WaitForCacheSync(kPatience).ok());
  factory.reset();
  pods.Start();
  EXPECT_EQ(pods.Lister().Size(), 2U);
  const auto registration = pods.AddEventHandler({});
  ASSERT_FALSE(registration);
  EXPECT_EQ(registration.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(registration.error().message, "pods: a handler cannot be added: the informer has been shut down");
}

TEST_F(FactoryTest, ShutdownInsideAHandlerIsRefused) {
  SharedInformerFactory factory(client_);
  const auto pods = factory.For<Pod>();
  std::promise<ErrorCode> refused;
  std::atomic<bool> first = true;
  const auto registration = pods.AddEventHandler({.on_add =
                                                      [&](const Pod&, bool) {
                                                        if (first.exchange(false))
                                                          refused.set_value(factory.Shutdown().error().code);
                                                      }})
                                .value();
  factory.Start();
  EXPECT_EQ(refused.get_future().get(), ErrorCode::kFailedPrecondition);
}

TEST_F(FactoryTest, TheFactorysTransformAndTweakAreForInformersThatNameNone) {
  const NamedTweak tweak{.name = "short", .list = {}, .watch = [](WatchRequest& request) { request.timeout = 77s; }};
  SharedInformerFactory factory(client_, {.transform = Project({"/metadata"}), .tweak = tweak});
  const auto pods = factory.For<Pod>();
  const auto own = factory.For<Pod>({}, {.transform = Project({"/metadata", "/spec/nodeName"})});
  factory.Start();
  ASSERT_TRUE(factory.WaitForCacheSync(kPatience).ok());
  EXPECT_EQ(pods.Lister().Get({"default", "a"})->NodeName(), "");
  EXPECT_EQ(own.Lister().Get({"default", "a"})->NodeName(), "n1");
  EXPECT_THAT(WatchTargets(), AllOf(SizeIs(2), Each(HasSubstr("timeoutSeconds=77"))));
}

TEST_F(FactoryTest, AnInformerWhoseTransformWasSetIsSharedByThoseWhoNameIt) {
  SharedInformerFactory factory(client_);
  const auto pods = factory.For<Pod>();
  ASSERT_TRUE(pods.SetTransform(Project({"/metadata"})).ok());
  const auto plain = factory.For<Pod>();
  const auto same = factory.For<Pod>({}, {.transform = Project({"/metadata"})});
  EXPECT_EQ(factory.Size(), 2U);
  factory.Start();
  ASSERT_TRUE(factory.WaitForCacheSync(kPatience).ok());
  EXPECT_EQ(plain.Lister().Get({"default", "a"})->NodeName(), "n1");
  EXPECT_EQ(same.Lister().Get({"default", "a"})->NodeName(), "");
}

TEST_F(FactoryTest, AnInformerOfSomeNamespacesWatchesEachOfThemAndSharesWithNobody) {
  SharedInformerFactory factory(client_, {.namespace_name = "elsewhere"});
  const auto pods = factory.For<Pod>({.label_selector = "app=web"}, {.namespaces = {{"default"}}});
  const auto other = factory.For<Pod>({.label_selector = "app=web"}, {.namespaces = {{"default"}}});
  EXPECT_EQ(factory.Size(), 2U);
  factory.Start();
  ASSERT_TRUE(factory.WaitForCacheSync(kPatience).ok());
  EXPECT_EQ(pods.Lister().Size(), 2U);
  EXPECT_THAT(WatchTargets(), AllOf(SizeIs(2), Each(AllOf(HasSubstr("/api/v1/namespaces/default/pods?"),
                                                          HasSubstr("labelSelector=app%3Dweb")))));
  ASSERT_TRUE(pods.SetNamespaces({}).ok());
  ASSERT_TRUE(pods.WaitForCacheSync(kPatience).ok());
  EXPECT_EQ(other.Lister().Size(), 2U);
}

}  // namespace
}  // namespace kinformer
