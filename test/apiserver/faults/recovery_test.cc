// Informers converge to the server's state after every kind of fault.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include <kinformer/meta/status_error.h>

#include "test/apiserver/faults/fault_fixture.h"
#include "test/support/nghttpx.h"

namespace kinformer {
namespace {

class RecoveryTest : public FaultTest {
 protected:
  void StartInformer(const InformerOptions& options = {}, const ClientOptions& client = {.max_retries = 0},
                     const FactoryOptions& factory = Impatient()) {
    factory_ =
        std::make_unique<SharedInformerFactory>(Client::Create(server_->ClientConfig(), client).value(), factory);
    informer_.emplace(factory_->For<core::v1::ConfigMap>({}, options).Untyped());
    factory_->Start();
  }
  void TearDown() override {
    informer_.reset();
    factory_.reset();
    FaultTest::TearDown();
  }

  bool HasWhatTheServerHas() const { return informer_->HasSynced() && InCache(*informer_) == OnServer(); }
  void ExpectRecovery() {
    EXPECT_TRUE(Await([&] { return HasWhatTheServerHas(); }))
        << "cache " << nlohmann::json(InCache(*informer_)) << "\nserver " << nlohmann::json(OnServer()) << "\n"
        << (informer_->Status().last_error ? ToString(*informer_->Status().last_error) : "no error");
  }
  /// Creates, updates, deletes and recreates objects; each object's last event is an update. Tolerates server outages.
  void Work() {
    const auto create = [&](const std::string& name) {
      ASSERT_TRUE(Await([&] {
        const Result<ObjectPtr> made = ConfigMaps().Create(*ConfigMap(name, "1"));
        return made.ok() || IsAlreadyExists(made.error());
      }));
    };
    const auto update = [&](const std::string& name, const std::string& value) {
      ASSERT_TRUE(Await([&] { return ConfigMaps().Update(*ConfigMap(name, value)).ok(); }));
    };
    const auto remove = [&](const std::string& name) {
      ASSERT_TRUE(Await([&] {
        const auto gone = ConfigMaps().Delete({"default", name});
        return gone.ok() || IsNotFound(gone.error());
      }));
    };
    for (int i = 0; i < 6; ++i) create("new" + std::to_string(i));
    for (int i = 0; i < 6; ++i) update("new" + std::to_string(i), "2");
    remove("new0");
    remove("new1");
    create("new0");
    for (const char* name : {"a", "b", "c", "new0", "new2", "new3", "new4", "new5"}) update(name, "4");
  }

  std::unique_ptr<SharedInformerFactory> factory_;
  std::optional<SharedInformer> informer_;
};

struct Case {
  std::string spec;
  bool streaming = true;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.spec << (c.streaming ? ", streaming" : ", paged"); }

class AnyFaultTest : public RecoveryTest, public ::testing::WithParamInterface<Case> {};

TEST_P(AnyFaultTest, IsRecoveredFrom) {
  StartServer();
  for (const char* name : {"a", "b", "c"}) Create(name);
  const Faults::Id id = Add(GetParam().spec);
  StartInformer({.streaming_lists = GetParam().streaming});
  ASSERT_TRUE(informer_->WaitForCacheSync(std::chrono::seconds(30)));
  Work();
  ExpectRecovery();
  EXPECT_GE(faults_->Count(id), 1U) << "it has not struck";
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  // During the initial events, at their end, and long after.
  for (const char* fault : {"close",
                            "reset",
                            "expired-event",
                            "too-large-event",
                            "throttle-event,0",
                            "error-event,500",
                            "bad-error-object",
                            "byte-by-byte",
                            "coalesce,4,5ms",
                            "slow-watcher,20ms",
                            "wrong-bookmark-kind",
                            "old-bookmark",
                            "unknown-event-type",
                            "duplicate",
                            "huge-event",
                            "deep-event",
                            "invalid-utf8",
                            "replace-uid",
                            "storage-down,20ms",
                            "refuse-connections,20ms"}) {
    for (const char* after : {"", ":after=2", ":after=3", ":after=9"}) {
      cases.push_back({"watch:configmaps" + std::string(after) + ":times=1=" + fault});
    }
    cases.push_back({"watch:configmaps:after=4:times=1=" + std::string(fault), false});
  }
  // For updates only: none of these is an object's last event.
  for (const char* fault : {"drop", "reorder"})
    cases.push_back({"watch:configmaps:after=9:times=1=" + std::string(fault)});
  for (const char* fault : {"close-early", "expired-start", "throttle,0", "error,500", "error,503,0", "unauthorized",
                            "late-initial-end,30ms", "reject-initial-events"}) {
    cases.push_back({"watch:configmaps:nth=1=" + std::string(fault)});
  }
  for (const char* fault : {"error,500", "error,503,0", "throttle,0", "too-large", "unauthorized", "close", "reset",
                            "expired-start", "refuse-connections,20ms", "storage-down,20ms"}) {
    cases.push_back({"list:configmaps:nth=1=" + std::string(fault), false});
  }
  cases.push_back({"*:configmaps:times=5=reset"});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, AnyFaultTest, ::testing::ValuesIn(Cases()), [](const auto& one) {
  std::string name = one.param.spec + (one.param.streaming ? "_streaming" : "_paged");
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

TEST_F(RecoveryTest, APageThatExpiresIsListedAnew) {
  StartServer();
  for (int i = 0; i < 12; ++i) Create("c" + std::to_string(i));
  for (const char* fault : {"expired-page", "expired-page-no-token"}) {
    faults_->Clear();
    const Faults::Id id = Add("list:configmaps:nth=1=" + std::string(fault));
    const Result<ObjectList> list = ConfigMaps().List({}, {.limit = 5});
    ASSERT_TRUE(list) << ToString(list.error());
    EXPECT_EQ(list->items.size(), 12U);
    EXPECT_EQ(faults_->Count(id), 1U);
  }
}

TEST_F(RecoveryTest, ASyncWaitsForTheEndOfTheInitialEvents) {
  const auto clock = std::make_shared<FakeClock>();
  StartServer(clock);
  Create("a");
  const Faults::Id id = Add("watch:configmaps:nth=1=late-initial-end,5s");
  StartInformer();
  ASSERT_TRUE(Await([&] { return faults_->Count(id) == 1; }));
  EXPECT_FALSE(informer_->HasSynced());
  clock->Advance(std::chrono::seconds(5));
  ExpectRecovery();
}

TEST_F(RecoveryTest, WithoutTheEndOfTheInitialEventsTheNextWatchBringsTheSync) {
  StartServer();
  Create("a");
  const Faults::Id id = Add("watch:configmaps:nth=1=no-initial-end");
  StartInformer();
  ASSERT_TRUE(Await([&] { return faults_->Count(id) == 1; }));
  EXPECT_FALSE(informer_->HasSynced());
  Add("watch:configmaps:times=1=close");
  ExpectRecovery();
}

TEST_F(RecoveryTest, AStaleListIsCaughtUpWith) {
  StartServer();
  for (int i = 0; i < 8; ++i) Create("a" + std::to_string(i));
  const Faults::Id id = Add("list:configmaps:nth=1=stale-list,4");
  StartInformer({.streaming_lists = false});
  ExpectRecovery();
  EXPECT_EQ(faults_->Count(id), 1U);
}

TEST_F(RecoveryTest, AnObjectUnderTheSameNameIsANewOne) {
  StartServer();
  Create("a");
  const Faults::Id id = Add("watch:configmaps=replace-uid");
  StartInformer();
  ExpectRecovery();
  std::atomic<int> updates = 0;
  std::atomic<int> deletes = 0;
  const InformerRegistration registration =
      informer_
          ->AddEventHandler({.on_update = [&](const ObjectPtr& before,
                                              const ObjectPtr& after) { updates += before->Uid() != after->Uid(); },
                             .on_delete = [&](const Deleted<ObjectPtr>&) { ++deletes; }})
          .value();
  Delete("a");
  Create("a", "2");
  ExpectRecovery();
  EXPECT_TRUE(Await([&] { return updates + deletes == 1; }));
  EXPECT_EQ(faults_->Count(id), 1U);
}

TEST_F(RecoveryTest, AHalfOpenConnectionIsNoticed) {
  StartServer();
  Create("a");
  const auto clock = std::make_shared<FakeClock>();
  FactoryOptions factory = Impatient();
  factory.clock = clock;
  StartInformer({}, {.clock = clock, .max_retries = 0}, factory);
  ASSERT_TRUE(AwaitWhileTimePasses(*clock, [&] { return HasWhatTheServerHas(); }));
  const Faults::Id id = Add("watch:configmaps:times=1=stall");
  ASSERT_TRUE(AwaitWhileTimePasses(*clock, [&] { return faults_->Count(id) == 1; }));
  Create("b");
  // The watch's own time limit is ten minutes at most. In smaller steps, each with a request, this would take long.
  clock->Advance(std::chrono::minutes(11));
  EXPECT_TRUE(AwaitWhileTimePasses(*clock, [&] { return HasWhatTheServerHas(); }));
}

TEST_F(RecoveryTest, AKindThatIsGoneIsWaitedFor) {
  StartServer();
  Create("a");
  const auto clock = std::make_shared<FakeClock>();
  FactoryOptions factory = Impatient();
  factory.clock = clock;
  StartInformer({}, {.clock = clock, .max_retries = 0}, factory);
  ASSERT_TRUE(AwaitWhileTimePasses(*clock, [&] { return HasWhatTheServerHas(); }));
  const Faults::Id id = Add("watch:configmaps:times=1=kind-removed");
  ASSERT_TRUE(AwaitWhileTimePasses(*clock, [&] { return informer_->Status().state == InformerState::kParked; }));
  EXPECT_TRUE(faults_->Remove(id));
  Create("b");
  EXPECT_TRUE(AwaitWhileTimePasses(*clock, [&] { return HasWhatTheServerHas(); }));
}

TEST_F(RecoveryTest, AfterAWipeAListBringsTheNewWorld) {
  StartServer();
  for (int i = 0; i < 30; ++i) Create("a" + std::to_string(i));
  StartInformer();
  ExpectRecovery();
  Add("get:configmaps:times=1=wipe");
  EXPECT_FALSE(ConfigMaps().Get({"default", "a0"}));
  ASSERT_TRUE(Await([&] { return ConfigMaps().Create(*ConfigMap("new", "1")).ok(); }));
  // The informer's version is ahead of the server's: its watch stays silent until something triggers a relist.
  Add("watch:configmaps:times=1=expired-event");
  ExpectRecovery();
}

TEST_F(RecoveryTest, AnAnswerThatIsLostIsNoWriteThatIsLost) {
  StartServer();
  StartInformer();
  Add("create:configmaps:times=1=lost-answer");
  EXPECT_FALSE(ConfigMaps().Create(*ConfigMap("a", "1")));
  EXPECT_TRUE(Await([&] { return InCache(*informer_).count("default/a") == 1; }));
  ExpectRecovery();
}

TEST_F(RecoveryTest, InformersMoveToAnotherConnectionAfterGoaway) {
  StartServer();
  Create("a");
  const testing_support::TestCa ca;
  const int port = std::stoi(server_->Url().substr(server_->Url().rfind(':') + 1));
  testing_support::Http2Front old_front({.backend_port = port, .backend_tls = true, .ca = &ca, .can_shut_down = true});
  testing_support::Http2Front new_front({.backend_port = port, .backend_tls = true, .ca = &ca});
  Config config = server_->ClientConfig();
  config.server = old_front.url();
  config.ca_data = ca.CertPem();
  SharedInformerFactory factory(Client::Create(config).value(), Impatient());
  std::vector<SharedInformer> informers;
  for (const char* selector : {"", "metadata.name!=x", "metadata.name!=y", "metadata.name!=z"}) {
    informers.push_back(factory.For<core::v1::ConfigMap>({.field_selector = selector}).Untyped());
  }
  factory.Start();
  ASSERT_TRUE(factory.WaitForCacheSync(std::chrono::seconds(30)));
  const auto all_have_what_the_server_has = [&] {
    const auto server = OnServer();
    return std::all_of(informers.begin(), informers.end(),
                       [&](const SharedInformer& i) { return InCache(i) == server; });
  };
  old_front.proxy().Retarget(new_front.port());
  old_front.BeginShutdown();
  // Running streams continue...
  Create("b");
  EXPECT_TRUE(Await(all_have_what_the_server_has));
  // ... and new ones use another connection. The old front exits after its last stream.
  Add("watch:configmaps:times=4=close");
  EXPECT_TRUE(old_front.AwaitExit());
  Create("c");
  EXPECT_TRUE(Await(all_have_what_the_server_has));
  EXPECT_GE(new_front.proxy().connections(), 1U);
}

}  // namespace
}  // namespace kinformer
