#include "test/informer/informer_test_server.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include <kinformer/apiserver/api_server.h>
#include <kinformer/base/fake_clock.h>
#include <kinformer/client/client.h>
#include <kinformer/meta/status_error.h>
#include <kinformer/testing/api_server.h>
#include <kinformer/views/core_v1.h>

#include "src/base/mutex.h"
#include "src/client/http_lister_watcher.h"
#include "test/informer/await.h"
#include "test/support/model_server.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;

/// A ModelServer per namespace. All effects have happened when a call returns.
class InMemoryTestServer final : public InformerTestServer {
 public:
  explicit InMemoryTestServer(InformerTestServerOptions options) {
    for (const std::string name : {"default", "a", "b", "c"}) {
      namespaces_[name] = std::make_shared<ModelServer>(
          ModelServer::Options{.streaming_lists = options.streaming_lists, .namespace_name = name});
    }
  }

  std::shared_ptr<ListerWatcher> Source(const std::string& namespace_name) override {
    return namespaces_.at(namespace_name);
  }
  std::string Put(const std::string& name, const std::string& value, const std::string& namespace_name) override {
    return std::to_string(namespaces_.at(namespace_name)->Put(name, value));
  }
  void Remove(const std::string& name, const std::string& namespace_name) override {
    namespaces_.at(namespace_name)->Remove(name);
  }
  std::string Tick() override {
    // One version for all namespaces: an informer that has reached it has seen every write.
    std::uint64_t newest = 0;
    ForEach([&](ModelServer& server) { newest = std::max(newest, server.Tick()); });
    ForEach([&](ModelServer& server) {
      while (server.Tick() < newest) {
      }
    });
    return std::to_string(newest);
  }
  void SendBookmark() override {
    Tick();
    ForEach([](ModelServer& server) { server.SendBookmark(); });
  }
  void EndWatch(WatchEnding ending) override {
    ForEach([&](ModelServer& server) { server.EndWatches(ErrorOf(ending)); });
  }
  void Compact() override {
    ForEach([](ModelServer& server) { server.Compact(); });
  }
  void Forbid(const std::string& namespace_name) override {
    namespaces_.at(namespace_name)
        ->Refuse(ServerError(403, "Forbidden", "configmaps is forbidden: User \"alice\" cannot list"));
  }
  void Permit(const std::string& namespace_name) override { namespaces_.at(namespace_name)->Refuse({}); }
  void RemoveKind() override {
    ForEach([](ModelServer& server) {
      server.Refuse(ServerError(404, "NotFound", "the server could not find the requested resource"));
      server.EndWatches();
    });
  }
  void RestoreKind() override {
    ForEach([](ModelServer& server) { server.Refuse({}); });
  }
  void FailAList() override {
    ForEach([](ModelServer& server) { server.FailAList(ServerError(500, "InternalError")); });
  }
  void FailAWatch(bool throttled) override {
    const Error error =
        throttled ? ServerError(429, "TooManyRequests") : Error{.code = ErrorCode::kUnreachable, .message = "refused"};
    ForEach([&](ModelServer& server) { server.FailAWatch(error); });
  }
  void RepeatAnEvent() override {
    ForEach([](ModelServer& server) { server.RepeatLastEvent(); });
  }
  Content Objects(const std::string& namespace_name) override { return namespaces_.at(namespace_name)->Content(); }
  std::size_t Requests(const std::string& namespace_name) override {
    const ModelServer& server = *namespaces_.at(namespace_name);
    return server.lists() + server.watches();
  }
  bool AwaitOpenWatches(std::size_t count) override {
    std::size_t open = 0;
    ForEach([&](ModelServer& server) { open += server.OpenWatches(); });
    return open == count;
  }

 private:
  static std::optional<Error> ErrorOf(WatchEnding ending) {
    switch (ending) {
      case WatchEnding::kCleanly:
        return std::nullopt;
      case WatchEnding::kBroken:
        return Error{.code = ErrorCode::kDisconnected, .message = "reset"};
      case WatchEnding::kExpired:
        return ServerError(410, "Expired");
      case WatchEnding::kInternalError:
        return ServerError(500, "InternalError");
    }
    return std::nullopt;
  }

  template <typename Function>
  void ForEach(Function function) {
    for (const auto& [name, server] : namespaces_) function(*server);
  }

  std::map<std::string, std::shared_ptr<ModelServer>> namespaces_;  ///< Never changes.
};

constexpr const char* kAlice = "alice";
constexpr const char* kAlicesToken = "a-token-of-alice";
/// A namespace that no informer watches.
constexpr const char* kElsewhere = "elsewhere";
/// The watch cache's minimum capacity, and the age up to which it tries to keep events.
constexpr int kEventsKept = 100;
constexpr auto kEventWindow = 75s;
constexpr auto kBookmarkInterval = 62s;  ///< Includes the tick at which it is checked.

/// The authorizer; the server calls it for each request.
class RequestGate {
 public:
  AccessAnswer Ask(const AccessRequest& request) {
    if (request.user != kAlice) return {};
    const MutexLock lock(mutex_);
    ++requests_[request.namespace_name];
    return {.allowed = !forbidden_.contains(request.namespace_name)};
  }
  void Forbid(const std::string& namespace_name) {
    const MutexLock lock(mutex_);
    forbidden_.insert(namespace_name);
  }
  void Permit(const std::string& namespace_name) {
    const MutexLock lock(mutex_);
    forbidden_.erase(namespace_name);
  }
  std::size_t Requests(const std::string& namespace_name) const {
    const MutexLock lock(mutex_);
    const auto it = requests_.find(namespace_name);
    return it == requests_.end() ? 0 : it->second;
  }

 private:
  mutable Mutex mutex_;
  std::set<std::string> forbidden_ KINFORMER_GUARDED_BY(mutex_);
  std::map<std::string, std::size_t> requests_ KINFORMER_GUARDED_BY(mutex_);
};

/// An API server behind TLS. Informers use their own client, as user alice; the test's writes use the administrator's.
/// The server's clock stands still, except where functions here advance it.
class HttpsTestServer final : public InformerTestServer {
 public:
  explicit HttpsTestServer(InformerTestServerOptions options) {
    for (const std::string name : {"a", "b", "c", kElsewhere}) {
      const auto made = server_.Create(
          nlohmann::json{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}}.dump());
      EXPECT_TRUE(made.ok()) << ToString(made.error());
    }
    if (!options.streaming_lists) AddFault({.verb = "watch", .kind = FaultKind::kRejectInitialEvents});
  }

  std::shared_ptr<ListerWatcher> Source(const std::string& namespace_name) override {
    return internal::MakeHttpListerWatcher(alice_, Resource::Of(core::v1::ConfigMap::kInfo),
                                           {.namespace_name = namespace_name});
  }
  std::string Put(const std::string& name, const std::string& value, const std::string& namespace_name) override {
    // The server's caches poll the storage for its revision at intervals.
    clock_->Advance(100ms);
    const ObjectPtr object = Object::FromJson({{"apiVersion", "v1"},
                                               {"kind", "ConfigMap"},
                                               {"metadata", {{"name", name}, {"namespace", namespace_name}}},
                                               {"data", {{"value", value}}}})
                                 .value();
    Result<ObjectPtr> written = ConfigMaps().Update(*object);
    if (!written && IsNotFound(written.error())) written = ConfigMaps().Create(*object);
    EXPECT_TRUE(written.ok()) << (written.ok() ? "" : ToString(written.error()));
    return written.ok() ? std::string((*written)->ResourceVersion()) : "";
  }
  void Remove(const std::string& name, const std::string& namespace_name) override {
    const auto gone = ConfigMaps().Delete({namespace_name, name});
    EXPECT_TRUE(gone.ok() || IsNotFound(gone.error())) << ToString(gone.error());
  }
  std::string Tick() override {
    Remove("tick", kElsewhere);
    return Put("tick", "1", kElsewhere);
  }
  void SendBookmark() override { clock_->Advance(kBookmarkInterval); }
  void EndWatch(WatchEnding ending) override {
    const Faults::Id id = AddFault({.verb = "watch",
                                    .kind = FaultOf(ending),
                                    .times = 1,
                                    .number = ending == WatchEnding::kInternalError ? 500 : Fault{}.number});
    if (ending == WatchEnding::kBroken) return;
    EXPECT_TRUE(Await([&] { return server_.server().faults().Count(id) == 1; })) << "there was no watch to end";
  }
  void Compact() override {
    // A real compaction: ages the watch cache's events, then writes more than it keeps of old ones.
    clock_->Advance(kEventWindow);
    for (int i = 0; i <= kEventsKept; ++i) Put("many", std::to_string(i), kElsewhere);
  }
  void Forbid(const std::string& namespace_name) override { gate_->Forbid(namespace_name); }
  void Permit(const std::string& namespace_name) override { gate_->Permit(namespace_name); }
  void RemoveKind() override { kind_removed_ = AddFault({.kind = FaultKind::kKindRemoved, .times = 1}); }
  void RestoreKind() override { EXPECT_TRUE(server_.server().faults().Remove(kind_removed_)) << "it was not removed"; }
  void FailAList() override { AddFault({.verb = "list", .kind = FaultKind::kError, .times = 1, .number = 500}); }
  void FailAWatch(bool throttled) override {
    Fault fault{.verb = "watch", .kind = FaultKind::kCloseEarly, .times = 1};
    if (throttled) {
      fault.kind = FaultKind::kThrottle;
      fault.duration = 0ms;
    }
    AddFault(fault);
  }
  void RepeatAnEvent() override { AddFault({.verb = "watch", .kind = FaultKind::kDuplicate, .times = 1}); }
  Content Objects(const std::string& namespace_name) override {
    // A fault that is pending for a list may hit this one.
    Result<ObjectList> list = ObjectList{};
    EXPECT_TRUE(Await([&] {
      list = ConfigMaps().List({.namespace_name = namespace_name});
      return list.ok();
    }));
    Content content;
    if (!list) return content;
    for (const ObjectPtr& object : list->items) {
      content[std::string(object->Name())] = {object->At("/data/value").StringOr(""),
                                              std::string(object->ResourceVersion())};
    }
    return content;
  }
  std::size_t Requests(const std::string& namespace_name) override { return gate_->Requests(namespace_name); }
  bool AwaitOpenWatches(std::size_t count) override {
    return Await([&] { return server_.server().WatchCount() == count; });
  }

 private:
  static FaultKind FaultOf(WatchEnding ending) {
    switch (ending) {
      case WatchEnding::kCleanly:
        return FaultKind::kClose;
      case WatchEnding::kBroken:
        return FaultKind::kReset;
      case WatchEnding::kExpired:
        return FaultKind::kExpiredEvent;
      case WatchEnding::kInternalError:
        return FaultKind::kErrorEvent;
    }
    return FaultKind::kClose;
  }

  Config AlicesConfig() {
    Config config = server_.server().ClientConfig();
    config.token = Secret(kAlicesToken);
    return config;
  }
  ResourceClient ConfigMaps() const { return administrator_.For<core::v1::ConfigMap>().Untyped(); }
  Faults::Id AddFault(Fault fault) {
    fault.resource = "configmaps";
    const Result<Faults::Id> id = server_.server().faults().Add(fault);
    EXPECT_TRUE(id.ok()) << (id.ok() ? "" : ToString(id.error()));
    return id.value_or(0);
  }

  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  const std::shared_ptr<RequestGate> gate_ = std::make_shared<RequestGate>();
  testing::ApiServer server_{
      ApiServerOptions{.tokens = {{.token = Secret(kAlicesToken), .user = kAlice}},
                       .authorize = [gate = gate_](const AccessRequest& request) { return gate->Ask(request); },
                       .clock = clock_}};
  const Client administrator_ = server_.Client();
  const Client alice_ = Client::Create(AlicesConfig()).value();
  std::atomic<Faults::Id> kind_removed_ = 0;
};

}  // namespace

void PrintTo(Between between, std::ostream* out) { *out << (between == Between::kTls ? "over TLS" : "in memory"); }

std::unique_ptr<InformerTestServer> MakeInformerTestServer(Between between, InformerTestServerOptions options) {
  if (between == Between::kTls) return std::make_unique<HttpsTestServer>(options);
  return std::make_unique<InMemoryTestServer>(options);
}

}  // namespace kinformer
