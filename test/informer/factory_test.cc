// The whole stack over HTTP and TLS: a factory's informers against a scripted server and against the API server.

#include <kinformer/informer/shared_informer_factory.h>

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/meta/status_error.h>
#include <kinformer/reflector/transforms.h>
#include <kinformer/views/core_v1.h>

#include "test/informer/await.h"
#include "test/informer/pod_server.h"
#include "test/support/leak_check.h"
#include "test/support/patience.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using core::v1::Pod;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using testing_support::kPatience;

class FactoryTest : public ::testing::TestWithParam<PodServerKind> {
 protected:
  const std::unique_ptr<PodServer> server_ = MakePodServer(GetParam());
  const Client client_ = Client::Create(server_->ClientConfig()).value();
};

INSTANTIATE_TEST_SUITE_P(Server, FactoryTest, BothPodServers(), PodServerName);

TEST_P(FactoryTest, ATypedInformerSyncsByAStreamingListAndFollows) {
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
  const std::string target = server_->WatchTargets().at(0);
  EXPECT_THAT(target, HasSubstr("/api/v1/namespaces/default/pods?"));
  EXPECT_THAT(target, HasSubstr("sendInitialEvents=true"));
  EXPECT_THAT(target, HasSubstr("labelSelector=app%3Dweb"));
  ASSERT_TRUE(registration.WaitForSync(kPatience).ok());
  const std::string version = server_->SetPhase("b", "Running");
  EXPECT_EQ(updated.get_future().get(), "Pending Running");
  EXPECT_TRUE(pods.WaitForResourceVersion(version, kPatience).ok());
  server_->Delete("a");
  EXPECT_EQ(deleted.get_future().get(), (std::pair<std::string, bool>("a", false)));
  EXPECT_EQ(pods.Lister().Size(), 1U);
}

TEST_P(FactoryTest, WhoAsksForTheSameSharesOneWatchAndOthersHaveTheirOwn) {
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
  EXPECT_TRUE(Await([&] { return server_->WatchTargets().size() == 4; }));
}

TEST_P(FactoryTest, TheLastHandleClosesTheWatchAndARegistrationIsOne) {
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
  EXPECT_TRUE(server_->AwaitLastWatchGone());
}

TEST_P(FactoryTest, AListerKeepsItsInformerRunning) {
  SharedInformerFactory factory(client_);
  auto lister = std::make_optional(factory.For<Pod>().Lister());
  EXPECT_EQ(factory.Size(), 1U);
  factory.Start();
  ASSERT_TRUE(factory.WaitForCacheSync(kPatience).ok());
  EXPECT_EQ(lister->Size(), 2U);
  (void)server_->SetPhase("b", "Running");
  EXPECT_TRUE(Await([&] { return lister->Get({"default", "b"})->Phase() == "Running"; })) << "it follows the server";
  lister.reset();
  EXPECT_EQ(factory.Size(), 0U);
  EXPECT_TRUE(server_->AwaitLastWatchGone());
}

TEST_P(FactoryTest, InformersAreListedWithTheirStatusWhileTheyLive) {
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

TEST_P(FactoryTest, TheLastRegistrationMayGoInsideItsOwnHandler) {
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
  EXPECT_TRUE(server_->AwaitLastWatchGone());
  EXPECT_TRUE(factory.Shutdown().ok());
}

TEST_P(FactoryTest, ARefusalIsTheReasonThatWaitingReturns) {
  server_->Forbid();
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

TEST_P(FactoryTest, ATransformKeepsOnlyWhatItNames) {
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

TEST_P(FactoryTest, MoreCanBeAskedForAndStartedLater) {
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

TEST_P(FactoryTest, ShutdownJoinsEverythingAndTheCacheStaysReadable) {
  const std::size_t before = testing_support::ThreadCount();
  SharedInformerFactory factory(client_);
  const auto pods = factory.For<Pod>();
  const auto registration = pods.AddEventHandler({}).value();
  factory.Start();
  ASSERT_TRUE(factory.WaitForCacheSync(kPatience).ok());
  ASSERT_TRUE(factory.Shutdown().ok());
  EXPECT_TRUE(server_->AwaitLastWatchGone());
  EXPECT_EQ(pods.Lister().Size(), 2U);
  EXPECT_TRUE(testing_support::AwaitThreadCount(before + 1)) << "a scripted server has a thread for each connection";
}

TEST_P(FactoryTest, AHandleMayOutliveItsFactory) {
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

TEST_P(FactoryTest, ShutdownInsideAHandlerIsRefused) {
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

TEST_P(FactoryTest, TheFactorysTransformAndTweakAreForInformersThatNameNone) {
  const NamedTweak tweak{.name = "short", .list = {}, .watch = [](WatchRequest& request) { request.timeout = 77s; }};
  SharedInformerFactory factory(client_, {.transform = Project({"/metadata"}), .tweak = tweak});
  const auto pods = factory.For<Pod>();
  const auto own = factory.For<Pod>({}, {.transform = Project({"/metadata", "/spec/nodeName"})});
  factory.Start();
  ASSERT_TRUE(factory.WaitForCacheSync(kPatience).ok());
  EXPECT_EQ(pods.Lister().Get({"default", "a"})->NodeName(), "");
  EXPECT_EQ(own.Lister().Get({"default", "a"})->NodeName(), "n1");
  EXPECT_THAT(server_->WatchTargets(), AllOf(SizeIs(2), Each(HasSubstr("timeoutSeconds=77"))));
}

TEST_P(FactoryTest, AnInformerWhoseTransformWasSetIsSharedByThoseWhoNameIt) {
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

TEST_P(FactoryTest, AnInformerOfSomeNamespacesWatchesEachOfThemAndSharesWithNobody) {
  SharedInformerFactory factory(client_, {.namespace_name = "elsewhere"});
  const auto pods = factory.For<Pod>({.label_selector = "app=web"}, {.namespaces = {{"default"}}});
  const auto other = factory.For<Pod>({.label_selector = "app=web"}, {.namespaces = {{"default"}}});
  EXPECT_EQ(factory.Size(), 2U);
  factory.Start();
  ASSERT_TRUE(factory.WaitForCacheSync(kPatience).ok());
  EXPECT_EQ(pods.Lister().Size(), 2U);
  EXPECT_THAT(server_->WatchTargets(), AllOf(SizeIs(2), Each(AllOf(HasSubstr("/api/v1/namespaces/default/pods?"),
                                                                   HasSubstr("labelSelector=app%3Dweb")))));
  ASSERT_TRUE(pods.SetNamespaces({}).ok());
  ASSERT_TRUE(pods.WaitForCacheSync(kPatience).ok());
  EXPECT_EQ(other.Lister().Size(), 2U);
}

}  // namespace
}  // namespace kinformer
