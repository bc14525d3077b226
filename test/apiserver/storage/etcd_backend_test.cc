// What only an etcd has: several endpoints, members that die, and a gateway in between.

#include "src/apiserver/storage/etcd_backend.h"

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/meta/status_error.h>

#include "test/apiserver/storage/etcd_testing.h"
#include "test/apiserver/storage/storage_testing.h"
#include "test/support/scripted_server.h"

namespace kinformer::apiserver {
namespace {

using namespace testing_support;
using kinformer::testing_support::ReceivedRequest;
using kinformer::testing_support::Reply;
using kinformer::testing_support::ScriptedServer;
using kinformer::testing_support::StreamHandle;

constexpr const char* kCreated = "{\"result\":{\"header\":{\"revision\":\"5\"},\"created\":true}}\n";
constexpr const char* kOldVersion = R"({"header":{"revision":"5"},"version":"3.4.23"})";
constexpr const char* kNewVersion = R"({"header":{"revision":"5"},"version":"3.5.30"})";
constexpr const char* kNoLeader = R"({"error":"etcdserver: no leader","message":"etcdserver: no leader","code":14})";

std::string EventLine(int revision) {
  const std::string at = std::to_string(revision);
  return R"({"result":{"header":{"revision":")" + at + R"("},"events":[{"kv":{"key":"L2E=","create_revision":")" + at +
         R"(","mod_revision":")" + at + "\",\"value\":\"b25l\"}}]}}\n";
}

/// A server whose watches are streams that the test holds.
class ScriptedEtcd {
 public:
  explicit ScriptedEtcd(const char* version = kOldVersion) {
    server_.Handle([this, version](const ReceivedRequest& request) {
      if (request.path == "/v3/maintenance/status") return Reply::Json(version);
      if (request.path != "/v3/watch") return Reply::Json(R"({"header":{"revision":"5"}})");
      const std::lock_guard lock(mutex_);
      return Reply::Stream(watches_.at(next_++));
    });
  }
  StreamHandle ExpectWatch() {
    const std::lock_guard lock(mutex_);
    watches_.emplace_back();
    return watches_.back();
  }
  std::string url() const { return server_.url(); }
  ScriptedServer& server() { return server_; }
  std::vector<std::string> WatchBodies() const {
    std::vector<std::string> bodies;
    for (const ReceivedRequest& request : server_.Requests()) {
      if (request.path == "/v3/watch") bodies.push_back(request.body);
    }
    return bodies;
  }

 private:
  std::mutex mutex_;
  std::vector<StreamHandle> watches_;
  std::size_t next_ = 0;
  ScriptedServer server_;
};

std::string UnusedUrl() {
  const ScriptedServer gone;
  return gone.url();
}

TEST(EtcdBackendTest, AnEndpointThatIsNoneIsRefused) {
  EXPECT_EQ(EtcdBackend::Create({}).error().code, ErrorCode::kInvalidConfig);
  EXPECT_EQ(EtcdBackend::Create({.endpoints = {"nonsense"}}).error().code, ErrorCode::kInvalidConfig);
}

TEST(EtcdBackendTest, EveryRequestAsksForALeader) {
  ScriptedEtcd etcd;
  const auto backend = ConnectTo({etcd.url()});
  ASSERT_TRUE(backend->CurrentRevision({}));
  EXPECT_EQ(etcd.server().Requests().at(0).Header("Grpc-Metadata-hasleader"), "true");
}

TEST(EtcdBackendTest, AnEndpointThatIsDownIsPassedOverAlsoByWrites) {
  ScriptedServer etcd;
  etcd.Handle([](const ReceivedRequest&) { return Reply::Json(R"({"header":{"revision":"5"},"succeeded":true})"); });
  const auto backend = ConnectTo({UnusedUrl(), etcd.url()});
  const auto written = backend->Put("/a", Text("1"), 0, 0s, {});
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(written->revision, 5);
}

TEST(EtcdBackendTest, AMemberWithoutALeaderIsPassedOverAlsoByWrites) {
  ScriptedServer cut_off;
  cut_off.Handle([](const ReceivedRequest&) { return Reply::Json(kNoLeader, 503); });
  ScriptedServer etcd;
  etcd.Handle([](const ReceivedRequest&) { return Reply::Json(R"({"header":{"revision":"5"},"succeeded":true})"); });
  const auto backend = ConnectTo({cut_off.url(), etcd.url()});
  EXPECT_TRUE(backend->Put("/a", Text("1"), 0, 0s, {}));
  // And is not asked first again.
  EXPECT_TRUE(backend->Put("/b", Text("1"), 0, 0s, {}));
  EXPECT_EQ(cut_off.Requests().size(), 1U);
}

TEST(EtcdBackendTest, AWriteWhoseAnswerIsLostIsNotMadeAgainButAReadIs) {
  ScriptedServer etcd;
  etcd.Handle([](const ReceivedRequest&) { return Reply::Nothing(); });
  ScriptedServer other;
  other.Handle([](const ReceivedRequest&) { return Reply::Json(R"({"header":{"revision":"5"},"succeeded":true})"); });
  {
    const auto backend = ConnectTo({etcd.url(), other.url()});
    const auto written = backend->Put("/a", Text("1"), 0, 0s, {});
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::kDisconnected) << written.error().message;
    EXPECT_EQ(other.Requests().size(), 0U);
  }
  const auto backend = ConnectTo({etcd.url(), other.url()});
  EXPECT_TRUE(backend->CurrentRevision({}));
}

TEST(EtcdBackendTest, WhenNobodyAnswersThatIsUnreachable) {
  const auto backend = ConnectTo({UnusedUrl(), UnusedUrl()});
  EXPECT_EQ(backend->CurrentRevision({}).error().code, ErrorCode::kUnreachable);
  const auto watch = backend->Watch("/a", 1);
  const auto part = TakeNext(*watch);
  ASSERT_TRUE(part && !*part);
  EXPECT_EQ(part->error().code, ErrorCode::kUnreachable);
}

TEST(EtcdBackendTest, ACallThatIsStoppedEndsAtOnce) {
  ScriptedServer etcd;
  const kinformer::testing_support::Gate gate;
  etcd.Handle([gate](const ReceivedRequest&) { return Reply::Json("{}").Behind(gate); });
  const auto backend = ConnectTo({etcd.url()});
  std::stop_source stop;
  std::jthread stopper([&] {
    EXPECT_TRUE(etcd.AwaitRequests(1));
    stop.request_stop();
  });
  EXPECT_EQ(backend->CurrentRevision(stop.get_token()).error().code, ErrorCode::kCancelled);
}

TEST(EtcdBackendTest, AWatchThatIsCutGoesOnFromWhereItWas) {
  ScriptedEtcd etcd;
  const StreamHandle first = etcd.ExpectWatch();
  const StreamHandle second = etcd.ExpectWatch();
  const auto backend = ConnectTo({etcd.url()});
  const auto watch = backend->Watch("/a", 5);
  first.Send(kCreated);
  first.Send(EventLine(6));
  auto part = TakeNext(*watch);
  ASSERT_TRUE(part && *part);
  EXPECT_EQ((*part)->revision, 6);
  first.Cut();
  // The other member is behind, and begins with what was told already.
  second.Send(kCreated + EventLine(6) + EventLine(7));
  part = TakeNext(*watch);
  ASSERT_TRUE(part && *part);
  ASSERT_EQ((*part)->events.size(), 1U);
  EXPECT_EQ((*part)->revision, 7);
  EXPECT_THAT(etcd.WatchBodies().at(1), ::testing::HasSubstr(R"("start_revision":"7")"));
}

TEST(EtcdBackendTest, AWatchThatIsCutAgainAndAgainEnds) {
  ScriptedEtcd etcd;
  for (int i = 0; i < 2; ++i) {
    const StreamHandle watch = etcd.ExpectWatch();
    watch.Send(kCreated);
    watch.Cut();
  }
  const auto backend = ConnectTo({etcd.url()});
  const auto watch = backend->Watch("/a", 5);
  const auto part = TakeNext(*watch);
  ASSERT_TRUE(part && !*part);
  EXPECT_EQ(part->error().code, ErrorCode::kDisconnected);
}

TEST(EtcdBackendTest, AWatchOfAMemberThatLosesItsLeaderGoesOnElsewhere) {
  ScriptedEtcd first;
  ScriptedEtcd second;
  const StreamHandle cut_off = first.ExpectWatch();
  const StreamHandle good = second.ExpectWatch();
  const auto backend = ConnectTo({first.url(), second.url()});
  const auto watch = backend->Watch("/a", 5);
  cut_off.Send(kCreated);
  cut_off.Send("{\"error\":{\"grpc_code\":14,\"http_code\":503,\"message\":\"etcdserver: no leader\"}}\n");
  good.Send(kCreated + EventLine(6));
  const auto part = TakeNext(*watch);
  ASSERT_TRUE(part && *part);
  EXPECT_EQ((*part)->revision, 6);
}

TEST(EtcdBackendTest, ACompactedWatchIsClosedByUsForTheServerDoesNot) {
  ScriptedEtcd etcd;
  const StreamHandle stream = etcd.ExpectWatch();
  const auto backend = ConnectTo({etcd.url()});
  const auto watch = backend->Watch("/a", 1);
  stream.Send(kCreated);
  stream.Send("{\"result\":{\"header\":{\"raft_term\":\"2\"},\"canceled\":true,\"compact_revision\":\"4\"}}\n");
  const auto part = TakeNext(*watch);
  ASSERT_TRUE(part && !*part);
  EXPECT_TRUE(IsResourceExpired(part->error()));
  EXPECT_TRUE(stream.AwaitClientGone());
}

TEST(EtcdBackendTest, AnUpdateWithoutWhatWasBeforeIs410) {
  ScriptedEtcd etcd;
  const StreamHandle stream = etcd.ExpectWatch();
  const auto backend = ConnectTo({etcd.url()});
  const auto watch = backend->Watch("/a", 3);
  stream.Send(kCreated);
  stream.Send(
      "{\"result\":{\"header\":{\"revision\":\"5\"},\"events\":[{\"kv\":{\"key\":\"L2E=\",\"create_revision\":\"2\","
      "\"mod_revision\":\"4\",\"value\":\"b25l\"}}]}}\n");
  const auto part = TakeNext(*watch);
  ASSERT_TRUE(part && !*part);
  EXPECT_TRUE(IsResourceExpired(part->error()));
}

TEST(EtcdBackendTest, ProgressOfAnOldEtcdIsNotBelievedAndThatOfANewOneIs) {
  for (const char* version : {kOldVersion, kNewVersion}) {
    ScriptedEtcd etcd(version);
    const StreamHandle stream = etcd.ExpectWatch();
    const auto backend = ConnectTo({etcd.url()});
    const auto watch = backend->Watch("/a", 5);
    stream.Send(kCreated);
    stream.Send("{\"result\":{\"header\":{\"revision\":\"9\"}}}\n");
    stream.Send(EventLine(10));
    auto part = TakeNext(*watch);
    ASSERT_TRUE(part && *part);
    if (version == kNewVersion) {
      EXPECT_TRUE((*part)->events.empty());
      EXPECT_EQ((*part)->revision, 9);
      part = TakeNext(*watch);
      ASSERT_TRUE(part && *part);
    }
    EXPECT_EQ((*part)->events.size(), 1U);
    EXPECT_EQ((*part)->revision, 10);
  }
}

TEST(EtcdBackendTest, AnObjectLargerThanEtcdTakesIsTooLarge) {
  EtcdProcesses processes(1, /*durable=*/false);
  const auto backend = ConnectTo(processes.urls());
  EXPECT_EQ(backend->Version({}).value().substr(0, 2), "3.");
  EXPECT_FALSE(backend->ProgressIsReliable());
  const auto written = backend->Put("/a", Text(std::string(2'000'000, 'x')), 0, 0s, {});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kTooLarge);
  EXPECT_TRUE(backend->Put("/a", Text(std::string(1'400'000, 'x')), 0, 0s, {}));
  EXPECT_EQ(backend->Get("/a", {}).value().first->value->size(), 1'400'000U);
}

/// Writers and a watcher that go on whatever happens, and at the end must agree.
class Load {
 public:
  explicit Load(std::shared_ptr<Backend> backend) : backend_(std::move(backend)) {
    start_ = backend_->CurrentRevision({}).value();
    for (int i = 0; i < kWriters; ++i) {
      threads_.emplace_back([this, i](const std::stop_token& stop) { Write(i, stop); });
    }
    watcher_ = std::jthread([this](const std::stop_token& stop) { Watch(stop); });
  }

  bool AwaitAcknowledged(int more) {
    const int goal = acknowledged_ + more;
    const auto deadline = std::chrono::steady_clock::now() + 2 * kPatience;
    while (acknowledged_ < goal) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(5ms);
    }
    return true;
  }

  /// Stops the writers, and compares what they were promised with what is there and what was told.
  void Check() {
    for (std::jthread& thread : threads_) thread.request_stop();
    threads_.clear();
    const auto all = backend_->Range({.prefix = kPrefix}, {});
    ASSERT_TRUE(all) << all.error().message;
    std::map<std::string, Revision> there;
    for (const KeyValue& item : all->items) there[item.key] = item.mod_revision;
    for (const auto& [key, revision] : promised_) EXPECT_EQ(there[key], revision) << key;
    // Also writes whose answer was lost are told, if they were made.
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < deadline && Told().size() < there.size()) {
      std::this_thread::sleep_for(5ms);
    }
    watcher_.request_stop();
    watcher_.join();
    EXPECT_EQ(Told(), there);
    EXPECT_TRUE(in_order_);
    EXPECT_FALSE(too_old_);
  }

 private:
  static constexpr int kWriters = 3;
  static constexpr const char* kPrefix = "/registry/load/";

  void Write(int writer, const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i) {
      const std::string key = kPrefix + std::to_string(writer) + "-" + std::to_string(i);
      const auto outcome = backend_->Put(key, Text("x"), 0, 0s, {});
      if (!outcome || !outcome->Written()) {
        std::this_thread::sleep_for(10ms);
        continue;
      }
      const std::lock_guard lock(mutex_);
      promised_[key] = outcome->revision;
      ++acknowledged_;
    }
  }

  void Watch(const std::stop_token& stop) {
    Revision told = start_;
    while (!stop.stop_requested()) {
      const auto watch = backend_->Watch(kPrefix, told);
      for (;;) {
        auto part = TakeNext(*watch, 100ms);
        if (stop.stop_requested()) return;
        if (!part) continue;
        if (!*part) {
          if (IsResourceExpired(part->error())) too_old_ = true;
          std::this_thread::sleep_for(10ms);
          break;
        }
        const std::lock_guard lock(mutex_);
        for (const BackendEvent& event : (*part)->events) {
          if (event.now.mod_revision <= told || !told_.emplace(event.now.key, event.now.mod_revision).second) {
            in_order_ = false;
          }
          told = event.now.mod_revision;
        }
        told = std::max(told, (*part)->revision);
      }
    }
  }
  std::map<std::string, Revision> Told() {
    const std::lock_guard lock(mutex_);
    return told_;
  }

  const std::shared_ptr<Backend> backend_;
  Revision start_ = 0;
  std::atomic<int> acknowledged_ = 0;
  std::atomic<bool> in_order_ = true;
  std::atomic<bool> too_old_ = false;
  std::mutex mutex_;
  std::map<std::string, Revision> promised_;
  std::map<std::string, Revision> told_;
  std::vector<std::jthread> threads_;
  std::jthread watcher_;
};

TEST(EtcdFailureTest, AnEtcdThatIsKilledUnderLoadAndComesBackHasLostNothing) {
  EtcdProcesses processes(1, /*durable=*/true);
  Load load(ConnectTo(processes.urls()));
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(load.AwaitAcknowledged(50));
    processes.KillAll();
    processes.RestartAll();
  }
  ASSERT_TRUE(load.AwaitAcknowledged(50));
  load.Check();
}

TEST(EtcdFailureTest, WhenTheLeaderOfThreeIsKilledUnderLoadTheOthersGoOnAndNothingIsLost) {
  EtcdProcesses processes(3, /*durable=*/true);
  Load load(ConnectTo(processes.urls()));
  ASSERT_TRUE(load.AwaitAcknowledged(50));
  const std::size_t leader = processes.Leader();
  processes.Kill(leader);
  ASSERT_TRUE(load.AwaitAcknowledged(50));
  processes.Restart(leader);
  processes.Kill(processes.Leader());
  ASSERT_TRUE(load.AwaitAcknowledged(50));
  load.Check();
}

}  // namespace
}  // namespace kinformer::apiserver
