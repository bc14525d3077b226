// Informers of several namespaces.

#include <kinformer/informer/shared_informer.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/base/task_pool.h>
#include <kinformer/meta/status_error.h>

#include "src/informer/informer_core.h"
#include "test/informer/handler_log.h"
#include "test/informer/model_server.h"
#include "test/support/leak_check.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

const bool kLeakChecked = testing_support::InstallLeakCheck();
constexpr auto kPatience = 10s;

class NamespacesTest : public ::testing::Test {
 protected:
  NamespacesTest() {
    for (const std::string name : {"a", "b", "c"}) {
      servers_[name] = std::make_shared<ModelServer>(ModelServer::Options{.namespace_name = name});
    }
    pool_->Start();
  }

  SharedInformer Make(std::vector<std::string> namespaces) {
    internal::InformerCoreOptions options;
    options.reflector.name = "configmaps";
    return SharedInformer(std::make_shared<internal::InformerCore>(
        pool_, [this](const std::string& name) { return servers_.at(name); }, std::move(namespaces),
        std::move(options)));
  }
  SharedInformer Synced(std::vector<std::string> namespaces) {
    SharedInformer informer = Make(std::move(namespaces));
    informer.Start();
    const auto synced = informer.WaitForCacheSync(kPatience);
    EXPECT_TRUE(synced.ok()) << ToString(synced.error());
    return informer;
  }

  std::map<std::string, std::shared_ptr<ModelServer>> servers_;
  const std::shared_ptr<TaskPool> pool_ = std::make_shared<TaskPool>(TaskPoolOptions{.threads = 2});
};

TEST_F(NamespacesTest, AreOneCacheWithOneSetOfHandlers) {
  servers_["a"]->Put("x", "1");
  servers_["b"]->Put("x", "2");
  servers_["c"]->Put("x", "3");
  HandlerLog log;
  const SharedInformer informer = Make({"a", "b", "a"});
  const auto registration = informer.AddEventHandler(log.Handler());
  informer.Start();
  ASSERT_TRUE(informer.WaitForCacheSync(kPatience).ok());
  ASSERT_TRUE(registration.WaitForSync(kPatience).ok());
  EXPECT_THAT(log.Await(2), UnorderedElementsAre("initial x=1", "initial x=2"));
  EXPECT_EQ(informer.Lister().Size(), 2U);
  EXPECT_EQ((*informer.Lister().Get("b", "x"))->At("/data/value").StringOr(""), "2");
  servers_["b"]->Put("x", "4");
  EXPECT_EQ(log.Await(3).back(), "update x=2 to x=4");
}

TEST_F(NamespacesTest, IsSyncedOnlyWhenEachOfThemIsAndSaysWhyOneIsNot) {
  const auto forbidden = ServerError(403, "Forbidden", "not in b");
  servers_["b"]->FailWatches(std::deque<Error>(100, forbidden));
  servers_["b"]->FailLists(std::deque<Error>(100, forbidden));
  servers_["a"]->Put("x", "1");
  for (const bool b_first : {true, false}) {
    const SharedInformer informer = Make(b_first ? std::vector<std::string>{"b"} : std::vector<std::string>{"a"});
    std::promise<void> refused;
    std::atomic<bool> first = true;
    informer.SetWatchErrorHandler([&](const Error& error) {
      if (IsForbidden(error) && first.exchange(false)) refused.set_value();
    });
    informer.Start();
    if (b_first) {
      refused.get_future().get();
    } else {
      ASSERT_TRUE(informer.WaitForCacheSync(kPatience).ok());
    }
    ASSERT_TRUE(informer.SetNamespaces({"a", "b"}).ok());
    if (!b_first) refused.get_future().get();
    while (informer.Lister().Size() == 0) std::this_thread::yield();
    while (informer.Status().watches == 0) std::this_thread::yield();
    const auto synced = informer.WaitForCacheSync(1ms);
    ASSERT_FALSE(synced.ok());
    EXPECT_TRUE(IsForbidden(synced.error())) << ToString(synced.error());
    EXPECT_EQ(informer.LastSyncResourceVersion(), "");
  }
}

TEST_F(NamespacesTest, OneThatIsAddedWhileRunningIsWaitedForAndComesAsAnInitialList) {
  servers_["c"]->Put("y", "1");
  const SharedInformer informer = Synced({"a"});
  HandlerLog log;
  const auto registration = informer.AddEventHandler(log.Handler());
  ASSERT_TRUE(informer.SetNamespaces({"a", "c"}).ok());
  ASSERT_TRUE(informer.WaitForCacheSync(kPatience).ok());
  EXPECT_TRUE(informer.Lister().Get("c", "y").ok());
  EXPECT_THAT(log.Await(1), ElementsAre("initial y=1"));
  EXPECT_EQ(servers_["a"]->lists() + servers_["a"]->watches(), 1U) << "the other one was left alone";
}

TEST_F(NamespacesTest, OneThatIsRemovedLeavesTheCacheAsDeletionsOfUnknownFinalState) {
  servers_["a"]->Put("x", "1");
  servers_["b"]->Put("x", "2");
  const SharedInformer informer = Synced({"a", "b"});
  HandlerLog log;
  const auto registration = informer.AddEventHandler(log.Handler());
  ASSERT_TRUE(registration.WaitForSync(kPatience).ok());
  ASSERT_TRUE(informer.SetNamespaces({"b"}).ok());
  EXPECT_EQ(log.Await(3).at(2), "delete unseen x=1");
  EXPECT_EQ(informer.Lister().Size(), 1U);
  EXPECT_EQ(servers_["a"]->OpenWatches(), 0U);
  EXPECT_EQ(servers_["b"]->OpenWatches(), 1U);
  servers_["a"]->Put("x", "3");
  servers_["b"]->Put("x", "4");
  EXPECT_EQ(log.Await(4).at(3), "update x=2 to x=4");
}

TEST_F(NamespacesTest, OneThatGoesAndComesBackIsSeenAnew) {
  servers_["a"]->Put("x", "1");
  const SharedInformer informer = Synced({"a", "b"});
  HandlerLog log;
  const auto registration = informer.AddEventHandler(log.Handler());
  ASSERT_TRUE(registration.WaitForSync(kPatience).ok());
  ASSERT_TRUE(informer.SetNamespaces({"b"}).ok());
  ASSERT_TRUE(informer.SetNamespaces({"a", "b"}).ok());
  ASSERT_TRUE(informer.WaitForCacheSync(kPatience).ok());
  EXPECT_THAT(log.Await(3), ElementsAre("initial x=1", "delete unseen x=1", "initial x=1"));
}

TEST_F(NamespacesTest, ARelistOfOneTouchesOnlyItsOwnObjects) {
  servers_["a"]->Put("x", "1");
  servers_["a"]->Put("y", "1");
  servers_["b"]->Put("x", "2");
  const SharedInformer informer = Synced({"a", "b"});
  HandlerLog log;
  const auto registration = informer.AddEventHandler(log.Handler());
  ASSERT_TRUE(registration.WaitForSync(kPatience).ok());
  informer.Stop();
  servers_["a"]->Remove("x");
  servers_["a"]->Remove("y");
  servers_["a"]->Put("y", "5");
  servers_["a"]->Compact();
  informer.Start();
  const auto lines = log.Await(6);
  EXPECT_THAT(std::vector<std::string>(lines.begin() + 3, lines.end()),
              UnorderedElementsAre("delete unseen x=1", "delete unseen y=1", "add y=5"));
  EXPECT_EQ(lines.back(), "add y=5") << "removals first";
  EXPECT_TRUE(informer.Lister().Get("b", "x").ok());
}

TEST_F(NamespacesTest, NoneAtAllIsSyncedAndEmpty) {
  const SharedInformer informer = Synced({});
  EXPECT_EQ(informer.Lister().Size(), 0U);
  HandlerLog log;
  const auto registration = informer.AddEventHandler(log.Handler());
  EXPECT_TRUE(registration.WaitForSync(kPatience).ok());
  servers_["a"]->Put("x", "1");
  ASSERT_TRUE(informer.SetNamespaces({"a"}).ok());
  EXPECT_THAT(log.Await(1), ElementsAre("initial x=1"));
}

TEST_F(NamespacesTest, CanBeChangedBeforeTheStartAndWhileStopped) {
  servers_["b"]->Put("x", "1");
  const SharedInformer informer = Make({"a"});
  ASSERT_TRUE(informer.SetNamespaces({"b"}).ok());
  informer.Start();
  ASSERT_TRUE(informer.WaitForCacheSync(kPatience).ok());
  EXPECT_EQ(informer.Lister().Size(), 1U);
  EXPECT_EQ(servers_["a"]->watches(), 0U);
  informer.Stop();
  ASSERT_TRUE(informer.SetNamespaces({"c"}).ok());
  EXPECT_EQ(servers_["c"]->watches(), 0U);
  informer.Start();
  ASSERT_TRUE(informer.WaitForCacheSync(kPatience).ok());
  EXPECT_EQ(servers_["c"]->OpenWatches(), 1U);
  EXPECT_EQ(servers_["b"]->OpenWatches(), 0U);
}

TEST_F(NamespacesTest, ReadingYourOwnWriteWaitsForTheNamespaceThatYouName) {
  const SharedInformer informer = Synced({"a", "b"});
  std::uint64_t version = 0;
  for (int i = 0; i < 10; ++i) version = servers_["a"]->Put("x", std::to_string(i));
  EXPECT_TRUE(informer.WaitForResourceVersion(std::to_string(version), kPatience, {}, "a").ok());
  EXPECT_EQ((*informer.Lister().Get("a", "x"))->At("/data/value").StringOr(""), "9");
  EXPECT_FALSE(informer.WaitForResourceVersion(std::to_string(version), 1ms).ok()) << "b has heard nothing";
  while (servers_["b"]->Tick() < version) {
  }
  servers_["b"]->SendBookmark();
  EXPECT_TRUE(informer.WaitForResourceVersion(std::to_string(version), kPatience).ok());
}

TEST_F(NamespacesTest, OfAnInformerThatWasNotMadeForSomeAreFixed) {
  const SharedInformer informer(std::make_shared<internal::InformerCore>(
      pool_, std::shared_ptr<ListerWatcher>(servers_["a"]), internal::InformerCoreOptions{}));
  const auto refused = informer.SetNamespaces({"b"});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(refused.error().message, HasSubstr("InformerOptions::namespaces"));
  EXPECT_EQ(Make({}).SetNamespaces({""}).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(NamespacesTest, MayChangeFromManyThreadsWhileObjectsAreWritten) {
  const SharedInformer informer = Synced({"a"});
  HandlerLog log;
  const auto registration = informer.AddEventHandler(log.Handler());
  {
    std::vector<std::jthread> threads;
    for (const std::string name : {"a", "b", "c"}) {
      threads.emplace_back([this, name] {
        for (int i = 0; i < 200; ++i) servers_[name]->Put("x" + std::to_string(i % 7), std::to_string(i));
      });
    }
    for (int t = 0; t < 2; ++t) {
      threads.emplace_back([&informer] {
        const std::vector<std::vector<std::string>> sets = {{"a", "b"}, {"b", "c"}, {}, {"c"}};
        for (int i = 0; i < 40; ++i) EXPECT_TRUE(informer.SetNamespaces(sets.at(static_cast<std::size_t>(i) % 4)).ok());
      });
    }
  }
  ASSERT_TRUE(informer.SetNamespaces({"a", "c"}).ok());
  ASSERT_TRUE(informer.WaitForCacheSync(kPatience).ok());
  for (const std::string name : {"a", "c"}) {
    ASSERT_TRUE(informer.WaitForResourceVersion(servers_[name]->Version(), kPatience, {}, name).ok());
    EXPECT_EQ(informer.Lister().List(name).size(), servers_[name]->Content().size());
  }
  EXPECT_EQ(informer.Lister().List("b").size(), 0U);
}

}  // namespace
}  // namespace kinformer
