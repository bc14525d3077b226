// Multi-namespace informers.

#include <kinformer/informer/shared_informer.h>

#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/meta/status_error.h>

#include "src/base/task_pool.h"
#include "src/informer/informer_core.h"
#include "test/informer/await.h"
#include "test/informer/handler_log.h"
#include "test/informer/informer_test_server.h"
#include "test/support/patience.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

using testing_support::kPatience;

class NamespacesTest : public ::testing::TestWithParam<Between> {
 protected:
  NamespacesTest() { pool_->Start(); }

  SharedInformer Make(std::vector<std::string> namespaces) {
    internal::InformerCoreOptions options;
    options.reflector.name = "configmaps";
    return SharedInformer(internal::InformerCore::Create(
        pool_, [this](const std::string& name) { return server_->Source(name); }, std::move(namespaces),
        std::move(options)));
  }
  SharedInformer Synced(std::vector<std::string> namespaces) {
    SharedInformer informer = Make(std::move(namespaces));
    informer.Start();
    const auto synced = informer.WaitForCacheSync(kPatience);
    EXPECT_TRUE(synced.ok()) << ToString(synced.error());
    return informer;
  }

  const std::unique_ptr<InformerTestServer> server_ = MakeInformerTestServer(GetParam());
  const std::shared_ptr<TaskPool> pool_ = std::make_shared<TaskPool>(TaskPoolOptions{.threads = 2});
};

INSTANTIATE_TEST_SUITE_P(Server, NamespacesTest, BothServers(), ServerName);

TEST_P(NamespacesTest, AreOneCacheWithOneSetOfHandlers) {
  server_->Put("x", "1", "a");
  server_->Put("x", "2", "b");
  server_->Put("x", "3", "c");
  HandlerLog log;
  const SharedInformer informer = Make({"a", "b", "a"});
  const auto registration = informer.AddEventHandler(log.Handler()).value();
  informer.Start();
  ASSERT_TRUE(informer.WaitForCacheSync(kPatience).ok());
  ASSERT_TRUE(registration.WaitForSync(kPatience).ok());
  EXPECT_THAT(log.Await(2), UnorderedElementsAre("initial x=1", "initial x=2"));
  EXPECT_EQ(informer.Lister().Size(), 2U);
  EXPECT_EQ((*informer.Lister().Get({"b", "x"}))->At("/data/value").StringOr(""), "2");
  server_->Put("x", "4", "b");
  EXPECT_EQ(log.Await(3).back(), "update x=2 to x=4");
}

TEST_P(NamespacesTest, IsSyncedOnlyWhenEachOfThemIsAndSaysWhyOneIsNot) {
  server_->Forbid("b");
  server_->Put("x", "1", "a");
  for (const bool b_first : {true, false}) {
    // Before the informer: its error handler uses them until it ends.
    std::promise<void> refused;
    std::atomic<bool> first = true;
    const SharedInformer informer = Make(b_first ? std::vector<std::string>{"b"} : std::vector<std::string>{"a"});
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
    ASSERT_TRUE(Await([&] { return informer.Lister().Size() == 1 && informer.Status().watches > 0; }));
    const auto synced = informer.WaitForCacheSync(1ms);
    ASSERT_FALSE(synced.ok());
    EXPECT_TRUE(IsForbidden(synced.error())) << ToString(synced.error());
    EXPECT_EQ(informer.LastSyncResourceVersion(), "");
  }
}

TEST_P(NamespacesTest, OneThatIsAddedWhileRunningIsWaitedForAndComesAsAnInitialList) {
  server_->Put("y", "1", "c");
  const SharedInformer informer = Synced({"a"});
  HandlerLog log;
  const auto registration = informer.AddEventHandler(log.Handler()).value();
  ASSERT_TRUE(informer.SetNamespaces({"a", "c"}).ok());
  ASSERT_TRUE(informer.WaitForCacheSync(kPatience).ok());
  EXPECT_TRUE(informer.Lister().Get({"c", "y"}).ok());
  EXPECT_THAT(log.Await(1), ElementsAre("initial y=1"));
  EXPECT_EQ(server_->Requests("a"), 1U) << "the other one was left alone";
}

TEST_P(NamespacesTest, OneThatIsRemovedLeavesTheCacheAsDeletionsOfUnknownFinalState) {
  server_->Put("x", "1", "a");
  server_->Put("x", "2", "b");
  const SharedInformer informer = Synced({"a", "b"});
  HandlerLog log;
  const auto registration = informer.AddEventHandler(log.Handler()).value();
  ASSERT_TRUE(registration.WaitForSync(kPatience).ok());
  ASSERT_TRUE(informer.SetNamespaces({"b"}).ok());
  EXPECT_EQ(log.Await(3).at(2), "delete unseen x=1");
  EXPECT_EQ(informer.Lister().Size(), 1U);
  EXPECT_TRUE(server_->AwaitOpenWatches(1));
  server_->Put("x", "3", "a");
  server_->Put("x", "4", "b");
  EXPECT_EQ(log.Await(4).at(3), "update x=2 to x=4");
}

TEST_P(NamespacesTest, OneThatGoesAndComesBackIsSeenAnew) {
  server_->Put("x", "1", "a");
  const SharedInformer informer = Synced({"a", "b"});
  HandlerLog log;
  const auto registration = informer.AddEventHandler(log.Handler()).value();
  ASSERT_TRUE(registration.WaitForSync(kPatience).ok());
  ASSERT_TRUE(informer.SetNamespaces({"b"}).ok());
  ASSERT_TRUE(informer.SetNamespaces({"a", "b"}).ok());
  ASSERT_TRUE(informer.WaitForCacheSync(kPatience).ok());
  EXPECT_THAT(log.Await(3), ElementsAre("initial x=1", "delete unseen x=1", "initial x=1"));
}

TEST_P(NamespacesTest, ARelistOfOneTouchesOnlyItsOwnObjects) {
  server_->Put("x", "1", "a");
  server_->Put("y", "1", "a");
  server_->Put("x", "2", "b");
  const SharedInformer informer = Synced({"a", "b"});
  HandlerLog log;
  const auto registration = informer.AddEventHandler(log.Handler()).value();
  ASSERT_TRUE(registration.WaitForSync(kPatience).ok());
  informer.Stop();
  server_->Remove("x", "a");
  server_->Remove("y", "a");
  server_->Put("y", "5", "a");
  server_->Compact();
  informer.Start();
  const auto lines = log.Await(6);
  EXPECT_THAT(std::vector<std::string>(lines.begin() + 3, lines.end()),
              UnorderedElementsAre("delete unseen x=1", "delete unseen y=1", "add y=5"));
  EXPECT_EQ(lines.back(), "add y=5") << "removals first";
  EXPECT_TRUE(informer.Lister().Get({"b", "x"}).ok());
}

TEST_P(NamespacesTest, NoneAtAllIsSyncedAndEmpty) {
  const SharedInformer informer = Synced({});
  EXPECT_EQ(informer.Lister().Size(), 0U);
  HandlerLog log;
  const auto registration = informer.AddEventHandler(log.Handler()).value();
  EXPECT_TRUE(registration.WaitForSync(kPatience).ok());
  server_->Put("x", "1", "a");
  ASSERT_TRUE(informer.SetNamespaces({"a"}).ok());
  EXPECT_THAT(log.Await(1), ElementsAre("initial x=1"));
}

TEST_P(NamespacesTest, CanBeChangedBeforeTheStartAndWhileStopped) {
  server_->Put("x", "1", "b");
  const SharedInformer informer = Make({"a"});
  ASSERT_TRUE(informer.SetNamespaces({"b"}).ok());
  informer.Start();
  ASSERT_TRUE(informer.WaitForCacheSync(kPatience).ok());
  EXPECT_EQ(informer.Lister().Size(), 1U);
  EXPECT_EQ(server_->Requests("a"), 0U);
  informer.Stop();
  ASSERT_TRUE(informer.SetNamespaces({"c"}).ok());
  EXPECT_EQ(server_->Requests("c"), 0U);
  informer.Start();
  ASSERT_TRUE(informer.WaitForCacheSync(kPatience).ok());
  EXPECT_TRUE(server_->AwaitOpenWatches(1));
  EXPECT_EQ(server_->Requests("c"), 1U);
}

TEST_P(NamespacesTest, ReadingYourOwnWriteWaitsForTheNamespaceThatYouName) {
  const SharedInformer informer = Synced({"a", "b"});
  std::string version;
  for (int i = 0; i < 10; ++i) version = server_->Put("x", std::to_string(i), "a");
  EXPECT_TRUE(informer.WaitForResourceVersion(version, "a", kPatience).ok());
  EXPECT_EQ((*informer.Lister().Get({"a", "x"}))->At("/data/value").StringOr(""), "9");
  EXPECT_FALSE(informer.WaitForResourceVersion(version, 1ms).ok()) << "b has heard nothing";
  server_->SendBookmark();
  EXPECT_TRUE(informer.WaitForResourceVersion(version, kPatience).ok());
}

TEST_P(NamespacesTest, OfAnInformerThatWasNotMadeForSomeAreFixed) {
  const SharedInformer informer(
      internal::InformerCore::Create(pool_, server_->Source("a"), internal::InformerCoreOptions{}));
  const auto refused = informer.SetNamespaces({"b"});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(refused.error().message, HasSubstr("InformerOptions::namespaces"));
  EXPECT_EQ(Make({}).SetNamespaces({""}).error().code, ErrorCode::kInvalidArgument);
}

TEST_P(NamespacesTest, MayChangeFromManyThreadsWhileObjectsAreWritten) {
  const SharedInformer informer = Synced({"a"});
  HandlerLog log;
  const auto registration = informer.AddEventHandler(log.Handler()).value();
  std::map<std::string, std::string> last = {{"a", ""}, {"b", ""}, {"c", ""}};
  {
    std::vector<std::jthread> threads;
    for (auto& [name, version] : last) {
      threads.emplace_back([this, &name = name, &version = version] {
        for (int i = 0; i < 200; ++i) version = server_->Put("x" + std::to_string(i % 7), std::to_string(i), name);
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
    ASSERT_TRUE(informer.WaitForResourceVersion(last.at(name), name, kPatience).ok());
    EXPECT_EQ(informer.Lister().List(name).size(), server_->Objects(name).size());
  }
  EXPECT_EQ(informer.Lister().List("b").size(), 0U);
}

}  // namespace
}  // namespace kinformer
