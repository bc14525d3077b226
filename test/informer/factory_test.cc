// The whole chain over HTTP: a factory's informers against a scripted TLS server.

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
#include <nlohmann/json.hpp>

#include <kinformer/base/mutex.h>
#include <kinformer/meta/status_error.h>
#include <kinformer/reflector/transforms.h>
#include <kinformer/views/core_v1.h>

#include "test/support/leak_check.h"
#include "test/support/scripted_server.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using core::v1::Pod;
using nlohmann::json;
using ::testing::HasSubstr;
using testing_support::ReceivedRequest;
using testing_support::Reply;
using testing_support::ScriptedServer;
using testing_support::StreamHandle;

const bool kLeakChecked = testing_support::InstallLeakCheck();
constexpr auto kPatience = 10s;

json PodJson(const std::string& name, const std::string& version, const std::string& node) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", name}, {"namespace", "default"}, {"uid", "u-" + name}, {"resourceVersion", version}}},
          {"spec", {{"nodeName", node}, {"containers", json::array({{{"name", "c"}, {"image", "i"}}})}}},
          {"status", {{"phase", "Running"}}}};
}

std::string Line(const std::string& type, const json& object) {
  return json{{"type", type}, {"object", object}}.dump() + "\n";
}

std::string EndOfInitialEvents(const std::string& version) {
  return Line("BOOKMARK",
              {{"apiVersion", "v1"},
               {"kind", "Pod"},
               {"metadata", {{"resourceVersion", version}, {"annotations", {{"k8s.io/initial-events-end", "true"}}}}}});
}

class FactoryTest : public ::testing::Test {
 protected:
  FactoryTest()
      : server_({.tls = true}),
        client_(Client::Create({.server = server_.url(), .ca_data = server_.ca_pem()}).value()) {
    server_.Handle([this](const ReceivedRequest& request) -> Reply {
      if (request.Query("watch") != "true") return Reply::Status(404, "NotFound");
      StreamHandle handle;
      handle.Send(Line("ADDED", PodJson("a", "5", "n1")));
      handle.Send(Line("ADDED", PodJson("b", "6", "n2")));
      handle.Send(EndOfInitialEvents("7"));
      last_watch_.Set(handle);
      return Reply::Stream(handle);
    });
  }

  /// The watch that was opened last.
  class LastWatch {
   public:
    void Set(const StreamHandle& handle) {
      const MutexLock lock(mutex_);
      handle_ = handle;
    }
    StreamHandle Get() const {
      const MutexLock lock(mutex_);
      return handle_.value();
    }

   private:
    mutable Mutex mutex_;
    std::optional<StreamHandle> handle_ KINFORMER_GUARDED_BY(mutex_);
  };

  LastWatch last_watch_;
  ScriptedServer server_;
  Client client_;
};

TEST_F(FactoryTest, ATypedInformerSyncsByAStreamingListAndFollows) {
  SharedInformerFactory factory(client_);
  const auto pods = factory.For<Pod>({.namespace_name = "default", .label_selector = "app=web"});
  ASSERT_TRUE(pods->AddIndexer("node", [](const Pod& pod) { return Keys{pod.NodeName()}; }).ok());
  std::promise<std::string> updated;
  std::promise<std::pair<std::string, bool>> deleted;
  const auto registration = pods->AddEventHandler(
      {.on_update = [&](const Pod& before,
                        const Pod& after) { updated.set_value(before.NodeName() + after.NodeName()); },
       .on_delete =
           [&](const Deleted<Pod>& gone) {
             deleted.set_value({std::string(gone.last_known.Name()), gone.final_state_unknown});
           }});
  factory.Start();
  const auto synced = factory.WaitForCacheSync(kPatience);
  ASSERT_TRUE(synced.ok()) << ToString(synced.error());
  EXPECT_EQ(pods->Lister().Size(), 2U);
  ASSERT_EQ(pods->Lister().ByIndex("node", "n2").size(), 1U);
  EXPECT_EQ(pods->Lister().ByIndex("node", "n2")[0].Name(), "b");
  const std::string target = server_.Requests().at(0).target;
  EXPECT_THAT(target, HasSubstr("/api/v1/namespaces/default/pods?"));
  EXPECT_THAT(target, HasSubstr("sendInitialEvents=true"));
  EXPECT_THAT(target, HasSubstr("labelSelector=app%3Dweb"));
  ASSERT_TRUE(registration.WaitForSync(kPatience).ok());
  last_watch_.Get().Send(Line("MODIFIED", PodJson("b", "8", "n3")));
  EXPECT_EQ(updated.get_future().get(), "n2n3");
  last_watch_.Get().Send(Line("DELETED", PodJson("a", "9", "n1")));
  EXPECT_EQ(deleted.get_future().get(), (std::pair<std::string, bool>("a", false)));
  EXPECT_TRUE(pods->WaitForResourceVersion("9", kPatience).ok());
}

TEST_F(FactoryTest, WhoAsksForTheSameSharesOneWatchAndOthersHaveTheirOwn) {
  SharedInformerFactory factory(client_);
  const auto one = factory.For<Pod>();
  const auto same = factory.For<Pod>();
  const auto other_namespace = factory.For<Pod>({.namespace_name = "kube-system"});
  const auto other_selector = factory.For<Pod>({.label_selector = "app=web"});
  const auto metadata = factory.ForResource(Resource::Of(Pod::kInfo), {.metadata_only = true});
  EXPECT_EQ(factory.Size(), 4U);
  factory.Start();
  ASSERT_TRUE(one->WaitForCacheSync(kPatience).ok());
  EXPECT_TRUE(same->HasSynced());
}

TEST_F(FactoryTest, TheLastHandleClosesTheWatchAndARegistrationIsOne) {
  SharedInformerFactory factory(client_);
  InformerRegistration registration;
  {
    const auto pods = factory.For<Pod>();
    registration = pods->AddEventHandler({});
    factory.Start();
    ASSERT_TRUE(pods->WaitForCacheSync(kPatience).ok());
  }
  EXPECT_EQ(factory.Size(), 1U) << "the registration holds it";
  registration.Remove();
  EXPECT_EQ(factory.Size(), 0U);
  EXPECT_TRUE(last_watch_.Get().AwaitClientGone());
}

TEST_F(FactoryTest, TheLastRegistrationMayGoInsideItsOwnHandler) {
  SharedInformerFactory factory(client_);
  InformerRegistration registration;
  std::promise<void> may_go;
  std::promise<void> gone;
  std::atomic<bool> first = true;
  {
    auto ready = may_go.get_future().share();
    registration = factory.For<Pod>()->AddEventHandler({.on_add = [&, ready](const Pod&, bool) {
      if (!first.exchange(false)) return;
      ready.wait();
      registration.Remove();
      gone.set_value();
    }});
  }
  factory.Start();
  may_go.set_value();
  gone.get_future().get();
  EXPECT_TRUE(last_watch_.Get().AwaitClientGone());
  EXPECT_TRUE(factory.Shutdown().ok());
}

TEST_F(FactoryTest, ARefusalIsTheReasonThatWaitingReturns) {
  server_.Handle([](const ReceivedRequest&) {
    return Reply::Status(403, "Forbidden", "pods is forbidden: User alice cannot list resource pods");
  });
  SharedInformerFactory factory(client_);
  std::promise<void> refused;
  std::atomic<bool> first = true;
  const auto pods = factory.For<Pod>({.on_error = [&](const Error& error) {
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
  const auto pods = factory.For<Pod>({.transform = Project({"/metadata", "/spec/nodeName"})});
  factory.Start();
  ASSERT_TRUE(pods->WaitForCacheSync(kPatience).ok());
  const auto pod = pods->Lister().Get("default", "a");
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
  EXPECT_FALSE(more->HasSynced());
  factory.Start();
  EXPECT_TRUE(factory.WaitForCacheSync(kPatience).ok());
  EXPECT_TRUE(more->HasSynced());
}

TEST_F(FactoryTest, ShutdownJoinsEverythingAndTheCacheStaysReadable) {
  const std::size_t before = testing_support::ThreadCount();
  SharedInformerFactory factory(client_);
  const auto pods = factory.For<Pod>();
  const auto registration = pods->AddEventHandler({});
  factory.Start();
  ASSERT_TRUE(factory.WaitForCacheSync(kPatience).ok());
  ASSERT_TRUE(factory.Shutdown().ok());
  EXPECT_TRUE(last_watch_.Get().AwaitClientGone());
  EXPECT_EQ(pods->Lister().Size(), 2U);
  EXPECT_TRUE(testing_support::AwaitThreadCount(before + 1)) << "the server's thread for the connection may be new";
}

TEST_F(FactoryTest, AHandleMayOutliveItsFactory) {
  auto factory = std::make_unique<SharedInformerFactory>(client_);
  const auto pods = factory->For<Pod>();
  factory->Start();
  ASSERT_TRUE(pods->WaitForCacheSync(kPatience).ok());
  factory.reset();
  pods->Start();
  EXPECT_EQ(pods->Lister().Size(), 2U);
  const auto registration = pods->AddEventHandler({});
  EXPECT_FALSE(registration.HasSynced());
}

TEST_F(FactoryTest, ShutdownInsideAHandlerIsRefused) {
  SharedInformerFactory factory(client_);
  const auto pods = factory.For<Pod>();
  std::promise<ErrorCode> refused;
  std::atomic<bool> first = true;
  const auto registration = pods->AddEventHandler({.on_add = [&](const Pod&, bool) {
    if (first.exchange(false)) refused.set_value(factory.Shutdown().error().code);
  }});
  factory.Start();
  EXPECT_EQ(refused.get_future().get(), ErrorCode::kFailedPrecondition);
}

TEST_F(FactoryTest, TheFactorysTransformAndTweakAreForInformersThatNameNone) {
  const NamedTweak tweak{.name = "short", .list = {}, .watch = [](WatchRequest& request) { request.timeout = 77s; }};
  SharedInformerFactory factory(client_, {.transform = Project({"/metadata"}), .tweak = tweak});
  const auto pods = factory.For<Pod>();
  const auto own = factory.For<Pod>({.transform = Project({"/metadata", "/spec/nodeName"})});
  factory.Start();
  ASSERT_TRUE(factory.WaitForCacheSync(kPatience).ok());
  EXPECT_EQ(pods->Lister().Get("default", "a")->NodeName(), "");
  EXPECT_EQ(own->Lister().Get("default", "a")->NodeName(), "n1");
  for (const auto& request : server_.Requests()) EXPECT_EQ(request.Query("timeoutSeconds"), "77");
}

TEST_F(FactoryTest, AnInformerWhoseTransformWasSetIsSharedByThoseWhoNameIt) {
  SharedInformerFactory factory(client_);
  const auto pods = factory.For<Pod>();
  ASSERT_TRUE(pods->SetTransform(Project({"/metadata"})).ok());
  const auto plain = factory.For<Pod>();
  const auto same = factory.For<Pod>({.transform = Project({"/metadata"})});
  EXPECT_EQ(factory.Size(), 2U);
  factory.Start();
  ASSERT_TRUE(factory.WaitForCacheSync(kPatience).ok());
  EXPECT_EQ(plain->Lister().Get("default", "a")->NodeName(), "n1");
  EXPECT_EQ(same->Lister().Get("default", "a")->NodeName(), "");
}

TEST_F(FactoryTest, AnInformerOfSomeNamespacesWatchesEachOfThemAndSharesWithNobody) {
  SharedInformerFactory factory(client_, {.namespace_name = "elsewhere"});
  const auto pods = factory.For<Pod>({.namespaces = {{"default"}}, .label_selector = "app=web"});
  const auto other = factory.For<Pod>({.namespaces = {{"default"}}, .label_selector = "app=web"});
  EXPECT_EQ(factory.Size(), 2U);
  factory.Start();
  ASSERT_TRUE(factory.WaitForCacheSync(kPatience).ok());
  EXPECT_EQ(pods->Lister().Size(), 2U);
  for (const auto& request : server_.Requests()) {
    EXPECT_THAT(request.target, HasSubstr("/api/v1/namespaces/default/pods?"));
    EXPECT_THAT(request.target, HasSubstr("labelSelector=app%3Dweb"));
  }
  ASSERT_TRUE(pods->SetNamespaces({}).ok());
  ASSERT_TRUE(pods->WaitForCacheSync(kPatience).ok());
  EXPECT_EQ(other->Lister().Size(), 2U);
}

}  // namespace
}  // namespace kinformer
