// What is specific to etcd: several endpoints, failing members, and the gateway in between.

#include "src/listwatch/storage/etcd_backend.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/meta/status_error.h>

#include "src/base/base64.h"
#include "src/listwatch/storage/storage_lister_watcher.h"
#include "src/listwatch/storage/undecorated_storage.h"
#include "test/listwatch/storage/etcd_testing.h"
#include "test/listwatch/storage/storage_testing.h"
#include "test/support/await.h"
#include "test/support/scripted_server.h"

namespace kinformer::apiserver {
namespace {

using namespace testing_support;
using kinformer::testing_support::ReceivedRequest;
using kinformer::testing_support::Reply;
using kinformer::testing_support::ScriptedServer;
using kinformer::testing_support::StreamHandle;
using kinformer::testing_support::TestCa;

constexpr const char* kCreated = "{\"result\":{\"header\":{\"revision\":\"5\"},\"created\":true}}\n";
constexpr const char* kOldVersion = R"({"header":{"revision":"5"},"version":"3.4.23"})";
constexpr const char* kNewVersion = R"({"header":{"revision":"5"},"version":"3.5.30"})";
constexpr const char* kNoLeader = R"({"error":"etcdserver: no leader","message":"etcdserver: no leader","code":14})";

std::string EventLine(int revision) {
  const std::string at = std::to_string(revision);
  return R"({"result":{"header":{"revision":")" + at + R"("},"events":[{"kv":{"key":"L2E=","create_revision":")" + at +
         R"(","mod_revision":")" + at + "\",\"value\":\"b25l\"}}]}}\n";
}

/// A scripted etcd whose watch streams the test controls.
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
  // The next request does not try it first.
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
  // The other member lags behind and repeats an event that was already delivered.
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

TEST(EtcdBackendTest, MoreChangesAtOnceThanABoundAre410SoThatTheReaderListsAgain) {
  ScriptedEtcd etcd;
  const StreamHandle stream = etcd.ExpectWatch();
  const auto backend =
      std::shared_ptr<Backend>(EtcdBackend::Create({.endpoints = {etcd.url()}, .max_frame_bytes = 100'000}).value());
  const auto watch = backend->Watch("/a", 5);
  stream.Send(kCreated);
  stream.Send(EventLine(6));
  auto part = TakeNext(*watch);
  ASSERT_TRUE(part && *part);
  // Another watch from that revision would get the same events, so none is started.
  stream.Send(R"({"result":{"events":[{"kv":{"value":")" + std::string(200'000, 'x'));
  part = TakeNext(*watch);
  ASSERT_TRUE(part && !*part);
  EXPECT_TRUE(IsResourceExpired(part->error())) << ToString(part->error());
  EXPECT_THAT(part->error().message, ::testing::HasSubstr("since resourceVersion 6 exceed 100000 bytes"));
  EXPECT_TRUE(stream.AwaitClientGone());
  EXPECT_EQ(etcd.WatchBodies().size(), 1U);
}

TEST(EtcdBackendTest, AWatchForACacheIsAcceptedWhenTheEtcdHasAcceptedIt) {
  ScriptedEtcd etcd;
  const StreamHandle stream = etcd.ExpectWatch();
  const auto backend = ConnectTo({etcd.url()});
  const auto pool = std::make_shared<TaskPool>();
  pool->Start();
  StorageListerWatcher source(backend, {.kind = {"", "v1", "Pod"}, .prefix = "/registry/pods/"}, *pool);
  const auto watch = source.Watch({.resource_version = "5"});
  EXPECT_TRUE(HasNothing(*watch));
  // The watch request has arrived but has not been answered.
  ASSERT_FALSE(TakeNext(*watch, 1ms));
  ASSERT_TRUE(etcd.server().AwaitRequests(1));
  stream.Send(kCreated);
  const auto part = TakeNext(*watch);
  ASSERT_TRUE(part && *part);
  const auto* events = std::get_if<std::vector<WatchEvent>>(&**part);
  ASSERT_NE(events, nullptr);
  EXPECT_TRUE(events->empty());
  pool->Stop();
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

// --- TLS ---

class EtcdTlsTest : public ::testing::Test {
 protected:
  EtcdTls Client(const TestCa& trusted, const TestCa& issuer) const {
    const auto client = issuer.IssueClient({.common_name = "kinformer"});
    return {.ca = trusted.CertPem(), .certificate = client.cert_pem, .key = client.key_pem};
  }
  Error FailureOf(const EtcdTls& tls) const {
    const auto revision = ConnectTo(processes_.urls(), tls)->CurrentRevision({});
    return revision ? Error{.message = "it connected"} : revision.error();
  }

  const TestCa ca_;
  const TestCa other_;
  EtcdProcesses processes_{1, /*durable=*/false, &ca_};
};

TEST_F(EtcdTlsTest, AClientCertificateOpensAnEtcdThatAsksForOne) {
  const auto backend = ConnectTo(processes_.urls(), Client(ca_, ca_));
  const auto watch = backend->Watch("/a", backend->CurrentRevision({}).value());
  ASSERT_TRUE(backend->Put("/a", Text("1"), 0, 0s, {}));
  const auto part = TakeNext(*watch);
  ASSERT_TRUE(part && *part);
  EXPECT_EQ(Describe((*part)->events.at(0)), "put /a=1");
}

TEST_F(EtcdTlsTest, AnEtcdOfAnotherCaIsNotTrusted) {
  const Error error = FailureOf(Client(other_, ca_));
  EXPECT_EQ(error.code, ErrorCode::kUnreachable) << ToString(error);
  EXPECT_THAT(error.message, ::testing::HasSubstr("certificate")) << ToString(error);
  // Without a configured CA, the system's roots do not trust it either.
  EXPECT_EQ(FailureOf({}).code, ErrorCode::kUnreachable);
}

TEST_F(EtcdTlsTest, WithoutACertificateOrWithOneOfAnotherCaTheEtcdRefuses) {
  // With TLS 1.3 a server refuses after the handshake: the connection breaks, sometimes before the alert arrives.
  const auto refused = ::testing::AnyOf(ErrorCode::kUnreachable, ErrorCode::kDisconnected);
  EXPECT_THAT(FailureOf({.ca = ca_.CertPem()}).code, refused);
  EXPECT_THAT(FailureOf(Client(ca_, other_)).code, refused);
}

TEST(EtcdTlsOptionsTest, HalfAnIdentityAndAnEndpointWithoutTlsAreRefused) {
  const auto alone = EtcdBackend::Create({.endpoints = {"https://127.0.0.1:1"}, .tls = {.certificate = "pem"}});
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().code, ErrorCode::kInvalidConfig);
  EXPECT_THAT(alone.error().message, ::testing::HasSubstr("together"));
  const auto plain = EtcdBackend::Create({.endpoints = {"http://127.0.0.1:1"}, .tls = {.ca = "pem"}});
  ASSERT_FALSE(plain);
  EXPECT_EQ(plain.error().code, ErrorCode::kInvalidConfig);
  EXPECT_THAT(plain.error().message, ::testing::HasSubstr("http://127.0.0.1:1: must be https://"));
}

/// Serves ranges of generated objects and records the sizes of its responses.
class ScriptedObjects {
 public:
  /// `bytes`: the size of each object, in key order.
  explicit ScriptedObjects(const std::vector<std::size_t>& bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      values_["/registry/things/" + std::to_string(10'000 + i)] = internal::EncodeBase64(std::string(bytes[i], 'x'));
    }
    server_.Handle([this](const ReceivedRequest& request) { return Range(nlohmann::json::parse(request.body)); });
  }

  std::shared_ptr<EtcdBackend> Connect(std::size_t max_reply_bytes, std::size_t page_bytes) const {
    return EtcdBackend::Create(
               {.endpoints = {server_.url()}, .max_reply_bytes = max_reply_bytes, .page_bytes = page_bytes})
        .value();
  }
  /// The size of each response, in order.
  std::vector<std::size_t> Sizes() const {
    const std::lock_guard lock(mutex_);
    return sizes_;
  }

 private:
  Reply Range(const nlohmann::json& query) {
    const auto decoded = [&](const char* name) { return internal::DecodeBase64(query.value(name, "")).value(); };
    const std::string limit = query.value("limit", "0");
    const auto begin = values_.lower_bound(decoded("key"));
    const auto end = values_.lower_bound(decoded("range_end"));
    std::string answer =
        R"({"header":{"revision":"5"},"count":")" + std::to_string(std::distance(begin, end)) + R"(","kvs":[)";
    std::size_t left = limit == "0" ? values_.size() : std::stoul(limit);
    for (auto it = begin; it != end && left > 0; ++it, --left) {
      answer += R"({"key":")" + internal::EncodeBase64(it->first) +
                R"(","create_revision":"2","mod_revision":"2","value":")" + it->second + "\"}" +
                (std::next(it) != end && left > 1 ? "," : "");
    }
    answer += "]}";
    const std::lock_guard lock(mutex_);
    sizes_.push_back(answer.size());
    return Reply::Json(std::move(answer));
  }

  std::map<std::string, std::string> values_;
  mutable std::mutex mutex_;
  std::vector<std::size_t> sizes_;
  ScriptedServer server_;
};

/// The sizes of all values, read range by range.
std::vector<std::size_t> ReadAll(Backend& backend, RangeQuery query) {
  std::vector<std::size_t> sizes;
  for (;;) {
    const auto part = backend.Range(query, {});
    EXPECT_TRUE(part) << part.error().message;
    if (!part) return sizes;
    for (const KeyValue& item : part->items) sizes.push_back(item.value->size());
    if (part->count == static_cast<std::int64_t>(part->items.size())) return sizes;
    query.start = part->items.back().key + '\0';
    query.revision = part->revision;
  }
}

TEST(EtcdPageTest, PagesOfLargeObjectsStayNearTheTargetSizeWhateverTheLimit) {
  const std::vector<std::size_t> bytes(200, 100'000);
  const ScriptedObjects etcd(bytes);
  const auto backend = etcd.Connect(64U << 20U, 1'000'000);
  EXPECT_EQ(ReadAll(*backend, {.prefix = "/registry/things/", .limit = 10'000}), bytes);
  const std::vector<std::size_t> sizes = etcd.Sizes();
  // The first page determines how large the objects are.
  EXPECT_LE(sizes.at(0), 16 * 140'000U);
  for (std::size_t i = 1; i < sizes.size(); ++i) EXPECT_LE(sizes[i], 1'100'000U);
}

TEST(EtcdPageTest, PagesOfSmallObjectsGrowSoThatThereAreFew) {
  const std::vector<std::size_t> bytes(5'000, 100);
  const ScriptedObjects etcd(bytes);
  const auto backend = etcd.Connect(64U << 20U, 4U << 20U);
  EXPECT_EQ(ReadAll(*backend, {.prefix = "/registry/things/"}), bytes);
  // 16, 64, 256, 1024, the rest.
  EXPECT_LE(etcd.Sizes().size(), 6U);
  // The next list starts with the page size that the first one learned.
  EXPECT_EQ(ReadAll(*backend, {.prefix = "/registry/things/"}), bytes);
  EXPECT_LE(etcd.Sizes().size(), 8U);
}

TEST(EtcdPageTest, APageAboveTheBoundIsAskedForAgainInHalves) {
  // Small objects let the page size grow before the large ones come.
  std::vector<std::size_t> bytes(400, 100);
  bytes.insert(bytes.end(), 100, 100'000);
  const ScriptedObjects etcd(bytes);
  const auto backend = etcd.Connect(1'000'000, 500'000);
  EXPECT_EQ(ReadAll(*backend, {.prefix = "/registry/things/"}), bytes);
  const std::vector<std::size_t> sizes = etcd.Sizes();
  EXPECT_GT(*std::max_element(sizes.begin(), sizes.end()), 1'000'000U) << "no page was above the bound";
}

TEST(EtcdPageTest, AnObjectThatIsAboveTheBoundByItselfIsAnError) {
  const ScriptedObjects etcd({100, 2'000'000});
  const auto backend = etcd.Connect(1'000'000, 500'000);
  const auto first = backend->Range({.prefix = "/registry/things/"}, {});
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->items.size(), 1U);
  const auto second = backend->Range({.prefix = "/registry/things/", .start = "/registry/things/10001"}, {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kTooLarge);
  EXPECT_THAT(second.error().message, ::testing::HasSubstr("1000000 bytes"));
}

TEST(EtcdPageTest, AnEtcdWithTenTimesTheBoundOfAnAnswerIsListedInAnswersWithinIt) {
  EtcdProcesses processes(1, /*durable=*/false);
  const auto backend = std::shared_ptr<Backend>(
      EtcdBackend::Create({.endpoints = processes.urls(), .max_reply_bytes = 400U << 10U, .page_bytes = 100U << 10U})
          .value());
  const std::string filler(100'000, 'x');
  for (int i = 0; i < 40; ++i) {
    const std::string name = "a" + std::to_string(100 + i);
    const std::string text = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
                             R"(","namespace":"default"},"data":{"value":")" + filler + "\"}}";
    ASSERT_TRUE(backend->Put("/registry/configmaps/default/" + name, Text(text), 0, 0s, {}));
  }
  const auto pool = std::make_shared<TaskPool>();
  pool->Start();
  const StorageOptions options{
      .resource = {"", "v1", "configmaps"}, .kind = {"", "v1", "ConfigMap"}, .prefix = "/registry/configmaps/"};
  const auto list = UndecoratedStorage(backend, options, *pool).List({}, {});
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->items.size(), 40U);
  // A client's page has as many items as requested, however many etcd responses that takes.
  const auto page = UndecoratedStorage(backend, options, *pool).List({.limit = 10}, {});
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->items.size(), 10U);
  EXPECT_EQ(page->metadata.remaining_item_count, 30);
  // The same for the list that fills the watch cache.
  std::size_t seen = 0;
  StorageListerWatcher source(backend, options, *pool);
  const auto stream = source.List({.limit = kStoragePageSize});
  for (;;) {
    const auto part = TakeNext(*stream);
    ASSERT_TRUE(part && *part) << "no end of the list after " << seen << " objects";
    if (const auto* items = std::get_if<std::vector<ObjectPtr>>(&**part)) {
      seen += items->size();
    } else {
      break;
    }
  }
  EXPECT_EQ(seen, 40U);
  pool->Stop();
}

/// Writers and a watcher that keep going through failures; in the end they must agree.
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
    return kinformer::testing_support::Await([&] { return acknowledged_ >= goal; });
  }

  /// Stops the writers. Compares the acknowledged writes with what is stored and what the watcher saw.
  void Check() {
    for (std::jthread& thread : threads_) thread.request_stop();
    threads_.clear();
    std::map<std::string, Revision> there;
    RangeQuery query{.prefix = kPrefix};
    for (bool more = true; more;) {
      const auto part = backend_->Range(query, {});
      ASSERT_TRUE(part) << part.error().message;
      for (const KeyValue& item : part->items) there[item.key] = item.mod_revision;
      more = part->count > static_cast<std::int64_t>(part->items.size());
      if (more) query.start = part->items.back().key + '\0';
    }
    for (const auto& [key, revision] : promised_) EXPECT_EQ(there[key], revision) << key;
    // Writes that succeeded but whose response was lost are watched, too.
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
