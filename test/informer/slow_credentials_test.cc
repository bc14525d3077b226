// Informers whose client is waiting for credentials.

#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>
#include <kinformer/client/client.h>
#include <kinformer/informer/shared_informer_factory.h>
#include <kinformer/views/core_v1.h>

#include "test/support/await.h"
#include "test/support/scripted_server.h"
#include "test/support/temp_dir.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using core::v1::ConfigMap;
using core::v1::Pod;
using core::v1::Secret;
using testing_support::kPatience;
using testing_support::ReceivedRequest;
using testing_support::Reply;
using testing_support::ScriptedServer;
using testing_support::StreamHandle;
using testing_support::TempDir;

/// A client with an exec plugin that answers immediately until MakeSlow, and after 30 s from then on.
class SlowCredentialsTest : public ::testing::Test {
 protected:
  SlowCredentialsTest() : server_({.tls = true}) {
    server_.Handle([this](const ReceivedRequest& request) {
      if (request.Query("watch").empty()) {
        return Reply::Json(R"({"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[]})");
      }
      if (request.Query("sendInitialEvents") == "true") return Reply::Status(422, "Invalid");
      return Reply::Stream(request.path == "/api/v1/pods" ? pods_ : StreamHandle());
    });
    dir_.Write("answer",
               R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t",)"
               R"("expirationTimestamp":"2026-01-01T01:00:00Z"}})");
    const std::string plugin = dir_.Write(
        "plugin", "#!/bin/sh\ncd " + dir_.path().string() + "\necho run >> runs\n[ -e slow ] && sleep 30\ncat answer\n",
        0700);
    client_ = std::make_unique<Client>(Client::Create({.server = server_.url(),
                                                       .ca_data = server_.ca_pem(),
                                                       .exec = ExecConfig{.command = plugin, .timeout = 24h}},
                                                      {.clock = clock_})
                                           .value());
  }

  /// Expires the client's credentials and makes the plugin's next run take 30 s.
  void MakeSlow() {
    dir_.Write("slow", "");
    clock_->Advance(2h);
  }
  std::size_t Runs() const {
    std::ifstream file(dir_.path() / "runs");
    return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
  }
  bool AwaitRuns(std::size_t count) const {
    return testing_support::Await([&] { return Runs() >= count; });
  }
  static void SendPod(const StreamHandle& stream, const std::string& version) {
    stream.Send(R"({"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default",)"
                R"("name":"a","uid":"u","resourceVersion":")" +
                version + "\"}}}\n");
  }

  static constexpr auto kAtOnce = 5s;  ///< Much shorter than the plugin's run.

  const TempDir dir_;
  ScriptedServer server_;
  const StreamHandle pods_;
  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  std::unique_ptr<Client> client_;
};

TEST_F(SlowCredentialsTest, HoldUpNoOtherInformerNorTheShutdown) {
  SharedInformerFactory factory(*client_);
  const auto pods = factory.For<Pod>();
  factory.Start();
  ASSERT_TRUE(factory.WaitForCacheSync(kPatience).ok());
  ASSERT_TRUE(pods_.AwaitOpen());
  MakeSlow();

  // One more than the pool has threads.
  const auto config_maps = factory.For<ConfigMap>();
  const auto secrets = factory.For<Secret>();
  const auto others = factory.For<ConfigMap>({.namespace_name = "other"});
  factory.Start();
  ASSERT_TRUE(AwaitRuns(2));
  SendPod(pods_, "6");
  EXPECT_TRUE(pods.Untyped().WaitForResourceVersion("6", kAtOnce).ok());
  EXPECT_FALSE(config_maps.HasSynced());
  EXPECT_EQ(Runs(), 2U) << "one run for all that wait";

  const auto before = std::chrono::steady_clock::now();
  EXPECT_TRUE(factory.Shutdown().ok());
  EXPECT_LT(std::chrono::steady_clock::now() - before, kAtOnce);
}

TEST_F(SlowCredentialsTest, AreEndedWithTheLastClient) {
  MakeSlow();
  const auto before = std::chrono::steady_clock::now();
  {
    SharedInformerFactory factory(*client_);
    const auto pods = factory.For<Pod>();
    factory.Start();
    ASSERT_TRUE(AwaitRuns(1));
    client_ = nullptr;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - before, kAtOnce + 1s);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "the plugin is gone";
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(SlowCredentialsTest, HoldUpNoCallThatIsStopped) {
  MakeSlow();
  std::stop_source stop;
  std::atomic<int> cancelled = 0;
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 3; ++i) {
      callers.emplace_back([&] {
        const auto pod = client_->For<Pod>().Get({"default", "a"}, {}, stop.get_token());
        if (!pod && pod.error().code == ErrorCode::kCancelled) ++cancelled;
      });
    }
    ASSERT_TRUE(AwaitRuns(1));
    stop.request_stop();
    const auto before = std::chrono::steady_clock::now();
    callers.clear();
    EXPECT_LT(std::chrono::steady_clock::now() - before, kAtOnce);
  }
  EXPECT_EQ(cancelled, 3);
  EXPECT_EQ(Runs(), 1U);
}

TEST_F(SlowCredentialsTest, StartTheInformersWhenTheyAreThere) {
  dir_.Write("plugin",
             "#!/bin/sh\ncd " + dir_.path().string() +
                 "\necho run >> runs\nwhile [ ! -e go ]; do sleep 0.01; done\ncat answer\n",
             0700);
  SharedInformerFactory factory(*client_);
  const auto pods = factory.For<Pod>();
  const auto config_maps = factory.For<ConfigMap>();
  factory.Start();
  ASSERT_TRUE(AwaitRuns(1));
  EXPECT_TRUE(server_.Requests().empty());
  dir_.Write("go", "");
  const auto synced = factory.WaitForCacheSync(kPatience);
  EXPECT_TRUE(synced.ok()) << ToString(synced.error());
  EXPECT_EQ(Runs(), 1U);
  for (const ReceivedRequest& request : server_.Requests()) EXPECT_EQ(request.Header("Authorization"), "Bearer t");
}

}  // namespace
}  // namespace kinformer
