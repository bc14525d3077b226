// Requests that have to wait must not delay others.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "src/apiserver/endpoints/api_handler.h"
#include "src/apiserver/endpoints/resource_table.h"
#include "src/apiserver/kind_installer.h"
#include "src/base/mutex.h"
#include "src/base/task_pool.h"
#include "src/http/http_server.h"
#include "src/listwatch/storage/memory_backend.h"
#include "src/listwatch/storage/storage_errors.h"
#include "src/listwatch/watch/watch_server.h"
#include "test/apiserver/server/raw_client.h"
#include "test/apiserver/server/server_fixture.h"

namespace kinformer {
namespace {

using apiserver::Backend;
using apiserver::BackendWatch;
using apiserver::Bytes;
using apiserver::KeyValue;
using apiserver::MemoryBackend;
using apiserver::RangeQuery;
using apiserver::RangeResult;
using apiserver::Revision;
using apiserver::WriteOutcome;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Milliseconds = std::chrono::milliseconds;

/// Upper bound for anything that does not have to wait, even on a busy machine. Waiting for a cache takes three
/// seconds.
constexpr Milliseconds kSoon{1500};

constexpr int kMany = 64;

/// A request on its own connection.
class PendingRequest {
 public:
  /// A POST if there is a body, else a GET.
  PendingRequest(const std::string& url, const std::string& token, const std::string& target,
                 const std::string& body = "")
      : client_(url) {
    client_.Send((body.empty() ? "GET " : "POST ") + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" +
                 (token.empty() ? "" : "Authorization: Bearer " + token + "\r\n") +
                 (body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n") + "\r\n" + body);
  }
  std::string Answer() { return client_.ReceiveAll(); }

 private:
  RawClient client_;
};

std::string Ask(const std::string& url, const std::string& token, const std::string& target) {
  return PendingRequest(url, token, target).Answer();
}

std::vector<std::unique_ptr<PendingRequest>> AskMany(int count, const std::string& url, const std::string& token,
                                                     const std::string& target) {
  std::vector<std::unique_ptr<PendingRequest>> all;
  for (int i = 0; i < count; ++i) all.push_back(std::make_unique<PendingRequest>(url, token, target));
  return all;
}

/// The response. Fails the test if it takes longer than kSoon.
std::string AskSoon(const std::string& url, const std::string& token, const std::string& target) {
  const auto begin = std::chrono::steady_clock::now();
  std::string answer = Ask(url, token, target);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kSoon) << target;
  return answer;
}

bool AwaitInFlight(const std::string& url, const std::string& token, int count) {
  const std::string line =
      "apiserver_current_inflight_requests{request_kind=\"readOnly\"} " + std::to_string(count) + "\n";
  return Await([&] { return Ask(url, token, "/metrics").find(line) != std::string::npos; });
}

class StarvationTest : public ServerTest {
 protected:
  const std::string& url() const { return server_->Url(); }
  const std::string& token() const { return server_->Token().Reveal(); }
  // Over plain TCP the fixture's client does not send its token, so this sends the request itself.
  void Make(const std::string& name) const {
    ASSERT_THAT(
        PendingRequest(url(), token(), "/api/v1/namespaces/default/configmaps", std::string(ConfigMap(name)->Json()))
            .Answer(),
        StartsWith("HTTP/1.1 201"));
  }
  /// The resource version that many writes from now.
  std::string FutureVersion(int writes) const {
    const std::string list = Ask(url(), token(), "/api/v1/configmaps");
    const auto body = nlohmann::json::parse(list.substr(list.find("\r\n\r\n") + 4));
    return std::to_string(std::stoll(body["metadata"]["resourceVersion"].get<std::string>()) + writes);
  }
};

TEST_F(StarvationTest, ReadsOfAFutureVersionHoldUpNothingElse) {
  StartServer({.tls = false});
  Make("a");
  const std::string version = FutureVersion(3);
  auto lists = AskMany(kMany, url(), token(), "/api/v1/configmaps?resourceVersion=" + version);
  auto gets = AskMany(kMany, url(), token(), "/api/v1/namespaces/default/configmaps/a?resourceVersion=" + version);
  EXPECT_THAT(AskSoon(url(), "", "/livez"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(AskSoon(url(), token(), "/metrics"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(AskSoon(url(), "", "/readyz"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(AskSoon(url(), token(), "/api/v1/namespaces/default/configmaps/a"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(AskSoon(url(), token(), "/api/v1/configmaps?resourceVersion=0"), StartsWith("HTTP/1.1 200"));
  // Once the version is reached, all of them are answered.
  for (const char* name : {"b", "c", "d"}) Make(name);
  for (auto& list : lists) {
    const std::string answer = list->Answer();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(answer, HasSubstr("\"name\":\"d\""));
  }
  for (auto& get : gets) EXPECT_THAT(get->Answer(), StartsWith("HTTP/1.1 200"));
}

TEST_F(StarvationTest, WatchesOfAFutureVersionHoldUpNothingElse) {
  StartServer({.tls = false});
  const std::string version = FutureVersion(1);
  auto watches = AskMany(kMany, url(), token(),
                         "/api/v1/configmaps?watch=1&timeoutSeconds=3&sendInitialEvents=true&resourceVersionMatch="
                         "NotOlderThan&resourceVersion=" +
                             version);
  EXPECT_THAT(AskSoon(url(), "", "/livez"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(AskSoon(url(), token(), "/api/v1/configmaps"), StartsWith("HTTP/1.1 200"));
  Make("late");
  for (auto& watch : watches) {
    const std::string answer = watch->Answer();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(answer, HasSubstr("\"name\":\"late\""));
  }
}

TEST_F(StarvationTest, AVersionThatDoesNotComeIsRefusedWhenTheTimeIsOver) {
  StartServer({.tls = false});
  auto lists = AskMany(kMany, url(), token(), "/api/v1/configmaps?resourceVersion=1000000");
  auto gets = AskMany(1, url(), token(), "/api/v1/namespaces/default/configmaps/a?resourceVersion=1000000");
  auto watches = AskMany(1, url(), token(),
                         "/api/v1/configmaps?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
                         "resourceVersion=1000000");
  for (auto* some : {&lists, &gets}) {
    for (auto& one : *some) {
      const std::string answer = one->Answer();
      EXPECT_THAT(answer, StartsWith("HTTP/1.1 504"));
      EXPECT_THAT(answer, HasSubstr("Retry-After: 1\r\n"));
      EXPECT_THAT(answer, HasSubstr("Too large resource version: 1000000"));
    }
  }
  const std::string watch = watches[0]->Answer();
  EXPECT_THAT(watch, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(watch, HasSubstr("\"type\":\"ERROR\""));
  EXPECT_THAT(watch, HasSubstr("ResourceVersionTooLarge"));
}

TEST_F(StarvationTest, AServerStopsWhileReadsWaitForAFutureVersion) {
  StartServer({.tls = false});
  auto lists = AskMany(kMany, url(), token(), "/api/v1/configmaps?resourceVersion=1000000");
  ASSERT_TRUE(AwaitInFlight(url(), token(), kMany));
  const auto begin = std::chrono::steady_clock::now();
  server_->Stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kSoon);
}

/// Answers from memory, or hangs like an unreachable storage until it is released or stopped.
class HangingBackend final : public Backend {
 public:
  explicit HangingBackend(std::shared_ptr<MemoryBackend> memory) : memory_(std::move(memory)) {}

  void Hang(bool hangs) {
    {
      const MutexLock lock(mutex_);
      hangs_ = hangs;
    }
    changed_.NotifyAll();
  }
  int Hanging() const {
    const MutexLock lock(mutex_);
    return hanging_;
  }

  Result<WriteOutcome> Put(const std::string& key, Bytes value, Revision replaces, std::chrono::seconds ttl,
                           const std::stop_token& stop) override {
    if (!MayGoOn(stop)) return apiserver::CancelledError();
    return memory_->Put(key, std::move(value), replaces, ttl, stop);
  }
  Result<WriteOutcome> Delete(const std::string& key, Revision replaces, const std::stop_token& stop) override {
    if (!MayGoOn(stop)) return apiserver::CancelledError();
    return memory_->Delete(key, replaces, stop);
  }
  Result<std::pair<std::optional<KeyValue>, Revision>> Get(const std::string& key,
                                                           const std::stop_token& stop) override {
    if (!MayGoOn(stop)) return apiserver::CancelledError();
    return memory_->Get(key, stop);
  }
  Result<RangeResult> Range(const RangeQuery& query, const std::stop_token& stop) override {
    if (!MayGoOn(stop)) return apiserver::CancelledError();
    return memory_->Range(query, stop);
  }
  std::unique_ptr<PullStream<RangeResult>> StartRange(RangeQuery query) override {
    return memory_->StartRange(std::move(query));
  }
  Result<Revision> CurrentRevision(const std::stop_token& stop) override {
    if (!MayGoOn(stop)) return apiserver::CancelledError();
    return memory_->CurrentRevision(stop);
  }
  std::unique_ptr<BackendWatch> Watch(const std::string& prefix, Revision after) override {
    return memory_->Watch(prefix, after);
  }
  void RequestProgress() override { memory_->RequestProgress(); }
  bool ProgressIsReliable() const override { return true; }
  Result<void> Compact(Revision revision, const std::stop_token& stop) override {
    return memory_->Compact(revision, stop);
  }

 private:
  bool MayGoOn(const std::stop_token& stop) {
    MutexLock lock(mutex_);
    ++hanging_;
    const bool may = changed_.Wait(lock, stop, [this]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return !hangs_; });
    --hanging_;
    return may;
  }

  const std::shared_ptr<MemoryBackend> memory_;
  mutable Mutex mutex_;
  CondVar changed_;
  bool hangs_ KINFORMER_GUARDED_BY(mutex_) = false;
  int hanging_ KINFORMER_GUARDED_BY(mutex_) = 0;
};

/// The components of a server over a storage that can be made to hang.
class HangingStorageTest : public ::testing::Test {
 protected:
  static constexpr const char* kToken = "secret";

  HangingStorageTest() { pool_->Start(); }
  ~HangingStorageTest() override {
    backend_->Hang(false);
    if (http_) http_->Stop();
    if (handler_) handler_->Stop();
    watches_.Stop();
    installer_.Stop();
    pool_->Stop();
  }

  void Start(apiserver::RequestLimits limits = {}) {
    for (const apiserver::ServedKind& kind : apiserver::BuiltInKinds()) {
      if (kind.kind != "ConfigMap" && kind.kind != "Event" && kind.kind != "Namespace") continue;
      installer_.Install(kind, installer_.Make(kind));
    }
    ASSERT_TRUE(installer_.StartCaches({}));
    handler_ = std::make_unique<apiserver::ApiHandler>(
        apiserver::ApiHandlerOptions{
            .authenticator = apiserver::Authenticator({{kToken, {"admin", {"system:masters"}}}}),
            .limits = limits,
            .ask_storage = [this](const std::stop_token& stop) -> Result<void> {
              const Result<Revision> revision = backend_->CurrentRevision(stop);
              if (!revision) return revision.error();
              return {};
            },
            .storage_timeout = Milliseconds(300)},
        resources_, watches_, *pool_);
    handler_->Start();
    http_ = std::make_unique<apiserver::HttpServer>(
        apiserver::HttpServerOptions{},
        [this](std::shared_ptr<apiserver::HttpExchange> exchange) { handler_->Handle(std::move(exchange)); });
    url_ = "http://127.0.0.1:" + std::to_string(http_->Start().value());
    const auto namespaces = resources_->Find({"", "v1", "namespaces"});
    ASSERT_TRUE(
        namespaces->Create("", R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"default"}})", {}, {}));
    const auto configmaps = resources_->Find({"", "v1", "configmaps"});
    ASSERT_TRUE(
        configmaps->Create("default", R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})", {}, {}));
    ASSERT_THAT(AskSoon(url_, kToken, "/api/v1/configmaps"), HasSubstr("\"name\":\"a\""));
  }

  const std::shared_ptr<TaskPool> pool_ = std::make_shared<TaskPool>(TaskPoolOptions{.threads = 2});
  const std::shared_ptr<HangingBackend> backend_ = std::make_shared<HangingBackend>(std::make_shared<MemoryBackend>());
  const std::shared_ptr<apiserver::ResourceTable> resources_ = std::make_shared<apiserver::ResourceTable>();
  apiserver::KindInstaller installer_{{.pool = pool_, .backend = backend_, .resources = resources_}};
  apiserver::WatchServer watches_{*pool_};
  std::unique_ptr<apiserver::ApiHandler> handler_;
  std::unique_ptr<apiserver::HttpServer> http_;
  std::string url_;
};

TEST_F(HangingStorageTest, HealthMetricsAndTheCacheAreServedWhileTheStorageHangs) {
  Start();
  backend_->Hang(true);
  auto lists = AskMany(kMany, url_, kToken, "/api/v1/configmaps");
  // Events have no cache, so these block on the storage although they name a version.
  auto events = AskMany(kMany, url_, kToken, "/api/v1/events?resourceVersion=0");
  ASSERT_TRUE(AwaitInFlight(url_, kToken, 2 * kMany));
  ASSERT_TRUE(Await([&] { return backend_->Hanging() == 16; })) << "so many threads may";
  EXPECT_THAT(AskSoon(url_, "", "/livez"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(AskSoon(url_, kToken, "/metrics"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(AskSoon(url_, kToken, "/api/v1"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(AskSoon(url_, kToken, "/api/v1/namespaces/default/configmaps/a?resourceVersion=0"),
              StartsWith("HTTP/1.1 200"));
  for (const char* path : {"/readyz", "/healthz"}) {
    const std::string health = AskSoon(url_, kToken, path);
    EXPECT_THAT(health, StartsWith("HTTP/1.1 500")) << path;
    EXPECT_THAT(health, HasSubstr("[-]storage failed: storage did not respond within 0.3")) << path;
    EXPECT_THAT(AskSoon(url_, "", path), HasSubstr("[-]storage failed: reason withheld")) << path;
  }
  backend_->Hang(false);
  for (auto* some : {&lists, &events}) {
    for (auto& one : *some) EXPECT_THAT(one->Answer(), StartsWith("HTTP/1.1 200"));
  }
  EXPECT_TRUE(Await([&] { return AskSoon(url_, "", "/readyz").starts_with("HTTP/1.1 200"); }));
}

TEST_F(HangingStorageTest, RequestsAreEndedWhenTheirTimeIsOverThoughTheStorageHangs) {
  Start({.timeout = Milliseconds(200)});
  backend_->Hang(true);
  for (auto& list : AskMany(kMany, url_, kToken, "/api/v1/configmaps")) {
    EXPECT_THAT(list->Answer(), StartsWith("HTTP/1.1 504"));
  }
}

TEST_F(HangingStorageTest, TheLimitComesAfterAuthenticationAndBeforeAuthorization) {
  Start({.read_only = 4});
  backend_->Hang(true);
  auto lists = AskMany(4, url_, kToken, "/api/v1/configmaps");
  ASSERT_TRUE(AwaitInFlight(url_, kToken, 4));
  EXPECT_THAT(AskSoon(url_, kToken, "/api/v1/configmaps?resourceVersion=0"), StartsWith("HTTP/1.1 429"));
  EXPECT_THAT(AskSoon(url_, "wrong", "/api/v1/configmaps"), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(AskSoon(url_, "", "/api/v1/configmaps"), StartsWith("HTTP/1.1 429")) << "anonymous is a user, too";
  EXPECT_THAT(AskSoon(url_, "", "/livez"), StartsWith("HTTP/1.1 200"));
}

}  // namespace
}  // namespace kinformer
