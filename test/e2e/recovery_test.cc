// How informers recover when the server, etcd or the network goes away and comes back.

#include <atomic>
#include <optional>

#include <kinformer/meta/status_error.h>
#include <kinformer/views/core_v1.h>

#include "test/e2e/e2e_testing.h"
#include "test/support/proxy.h"

namespace kinformer::e2e {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;

class RecoveryTest : public E2eTest {
 protected:
  /// An informer of this test's configmaps, connected through its own proxy.
  struct Observer {
    explicit Observer(const RecoveryTest& test)
        : proxy(cluster()->port()),
          client(Client::Create(cluster()->Admin(proxy.port())).value()),
          factory(client),
          informer(factory.ForResource(Resource::Of(core::v1::ConfigMap::kInfo), {.namespace_name = test.ns()},
                                       {.backoff = BackoffOptions{.initial = 100ms, .cap = 1s},
                                        .on_error =
                                            [this](const Error& error) {
                                              if (IsResourceExpired(error) || error.http_status == 410) ++expired;
                                            }})),
          registration(informer.AddEventHandler(log.Handler()).value()) {
      informer.Start();
      EXPECT_TRUE(Ok(informer.WaitForCacheSync(kPatience)));
      EXPECT_TRUE(Ok(registration.WaitForSync(kPatience)));
    }

    std::atomic<int> expired = 0;
    EventLog log;
    testing_support::FaultProxy proxy;
    Client client;
    SharedInformerFactory factory;
    SharedInformer informer;
    InformerRegistration registration;
  };

  void ExpectCacheIsServer(const Observer& observer) const {
    const auto expected = OnServer();
    EXPECT_TRUE(Eventually([&] { return InCache(observer.informer.Lister()) == expected; }))
        << ::testing::PrintToString(InCache(observer.informer.Lister())) << " is not "
        << ::testing::PrintToString(expected);
  }
};
KINFORMER_E2E(RecoveryTest);

TEST_P(RecoveryTest, AServerThatIsKilledAndRestartedCostsNoEventAndRepeatsNone) {
  KINFORMER_E2E_NEEDS_CONTROL();
  Put("a", "1");
  Observer observer(*this);
  for (int round = 0; round < 2; ++round) {
    cluster()->KillServer();
    EXPECT_TRUE(Eventually([&] { return observer.informer.Status().state == InformerState::kRetrying; }));
    EXPECT_EQ(InCache(observer.informer.Lister()).size(), 1U) << "the cache stays readable";
    cluster()->RestartServer();
    Put("a", std::to_string(round + 2));
    observer.log.Await("update a=" + std::to_string(round + 1) + " to a=" + std::to_string(round + 2));
  }
  Remove("a");
  observer.log.AwaitSize(4);
  EXPECT_THAT(observer.log.Lines().back(), ::testing::AnyOf("delete a=3", "delete unseen a=3"));
  EXPECT_EQ(observer.log.Lines().size(), 4U);
  ExpectCacheIsServer(observer);
}

TEST_P(RecoveryTest, AVersionThatWasCompactedAwayIsExpiredAndTheRelistBringsEveryDifference) {
  KINFORMER_E2E_NEEDS_CONTROL();
  Put("changed", "1");
  Put("deleted", "1");
  Put("same", "1");
  Observer observer(*this);
  observer.proxy.RefuseNew(true);
  observer.proxy.CutExisting();
  Put("changed", "2");
  Remove("deleted");
  Put("new", "1");
  cluster()->Compact();
  cluster()->RestartServer();  // empties its watch cache, too
  observer.proxy.RefuseNew(false);
  observer.log.Await("delete unseen deleted=1");
  observer.log.Await("update changed=1 to changed=2");
  observer.log.Await("add new=1");
  EXPECT_GE(observer.expired, 1) << "the server said 410";
  EXPECT_GE(observer.informer.Status().lists, 2U);
  EXPECT_EQ(observer.log.Lines().size(), 6U) << ::testing::PrintToString(observer.log.Lines());
  ExpectCacheIsServer(observer);
}

TEST_P(RecoveryTest, AConnectionThatIsCutOrResetIsResumedWithoutAList) {
  KINFORMER_E2E_NEEDS_CONTROL();
  Put("a", "0");
  Observer observer(*this);
  const auto lists = observer.informer.Status().lists;
  for (int i = 0; i < 6; ++i) {
    if (i % 2 == 0) {
      observer.proxy.CutExisting();
    } else {
      observer.proxy.ResetExisting();
    }
    Put("a", std::to_string(i + 1));
    observer.log.Await("update a=" + std::to_string(i) + " to a=" + std::to_string(i + 1));
  }
  EXPECT_EQ(observer.informer.Status().lists, lists);
  EXPECT_EQ(observer.log.Lines().size(), 7U);
  EXPECT_EQ(observer.expired, 0);
}

TEST_P(RecoveryTest, AHalfOpenConnectionIsNoticedAndReplaced) {
  KINFORMER_E2E_NEEDS_CONTROL();
  Put("a", "1");
  Observer observer(*this);
  observer.proxy.StallExisting();  // no bytes and no FIN: only a health probe can detect it
  Put("a", "2");
  const auto began = std::chrono::steady_clock::now();
  observer.log.Await("update a=1 to a=2");
  const auto took = std::chrono::steady_clock::now() - began;
  EXPECT_LT(took, 60s);
  RecordProperty("noticed_after_ms",
                 static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(took).count()));
  ExpectCacheIsServer(observer);
}

TEST_P(RecoveryTest, AnEtcdThatIsKilledAndRestartedUnderWritesLosesNothing) {
  KINFORMER_E2E_NEEDS_CONTROL();
  Observer observer(*this);
  for (int i = 0; i < 20; ++i) Put("before" + std::to_string(i), "1");
  cluster()->KillEtcd();
  const auto refused = ConfigMaps().Create(*ConfigMap(ns(), "meanwhile", "1"), {.timeout = 2s});
  EXPECT_FALSE(refused.ok()) << "nothing may be acknowledged that is not stored";
  cluster()->RestartEtcd();
  EXPECT_TRUE(Eventually([&] {
    const auto created = ConfigMaps().Create(*ConfigMap(ns(), "after", "1"), {.timeout = 5s});
    return created.ok() || IsAlreadyExists(created.error());
  }));
  observer.log.Await("add after=1");
  ExpectCacheIsServer(observer);
  EXPECT_THAT(InCache(observer.informer.Lister()), Contains("before19=1"));
}

TEST_P(RecoveryTest, AnInformerThatStartsBeforeItsServerSyncsWhenItComes) {
  KINFORMER_E2E_NEEDS_CONTROL();
  Put("a", "1");
  testing_support::FaultProxy proxy(cluster()->port());
  proxy.RefuseNew(true);
  SharedInformerFactory factory(Client::Create(cluster()->Admin(proxy.port())).value());
  const SharedInformer informer =
      factory.ForResource(Resource::Of(core::v1::ConfigMap::kInfo), {.namespace_name = ns()});
  factory.Start();
  const auto unsynced = factory.WaitForCacheSync(500ms);
  ASSERT_FALSE(unsynced.ok());
  EXPECT_THAT(ToString(unsynced.error()), ::testing::HasSubstr("cannot connect to 127.0.0.1"));
  proxy.RefuseNew(false);
  EXPECT_TRUE(Ok(factory.WaitForCacheSync(kPatience)));
  EXPECT_EQ(InCache(informer.Lister()), OnServer());
}

}  // namespace
}  // namespace kinformer::e2e
