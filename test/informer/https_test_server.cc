#include "test/informer/https_test_server.h"

#include <chrono>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/meta/status_error.h>
#include <kinformer/views/core_v1.h>

#include "src/client/http_lister_watcher.h"
#include "test/informer/await.h"
#include "test/informer/in_memory_test_server.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using core::v1::ConfigMap;

constexpr const char* kAlice = "alice";
constexpr const char* kAlicesToken = "a-token-of-alice";
/// A namespace that no informer watches.
constexpr const char* kElsewhere = "elsewhere";
/// The watch cache's minimum capacity, and the age up to which it tries to keep events.
constexpr int kEventsKept = 100;
constexpr auto kEventWindow = 75s;
constexpr auto kBookmarkInterval = 62s;  ///< Includes the tick at which it is checked.

Config ConfigOf(kinformer::ApiServer& server, const char* token) {
  Config config = server.ClientConfig();
  config.token = Secret(token);
  return config;
}

ObjectPtr MakeConfigMap(const std::string& name, const std::string& value, const std::string& namespace_name) {
  return Object::FromJson({{"apiVersion", "v1"},
                           {"kind", "ConfigMap"},
                           {"metadata", {{"name", name}, {"namespace", namespace_name}}},
                           {"data", {{"value", value}}}})
      .value();
}

FaultKind FaultOf(WatchEnding ending) {
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

}  // namespace

void PrintTo(Between between, std::ostream* out) { *out << (between == Between::kTls ? "over TLS" : "in memory"); }

std::unique_ptr<InformerTestServer> MakeInformerTestServer(Between between, InformerTestServerOptions options) {
  if (between == Between::kTls) return std::make_unique<HttpsTestServer>(options);
  return std::make_unique<InMemoryTestServer>(options);
}

AccessAnswer HttpsTestServer::Gate::Ask(const AccessRequest& request) {
  if (request.user != kAlice) return {};
  const MutexLock lock(mutex_);
  ++requests_[request.namespace_name];
  return {.allowed = !forbidden_.contains(request.namespace_name)};
}

void HttpsTestServer::Gate::Forbid(const std::string& namespace_name) {
  const MutexLock lock(mutex_);
  forbidden_.insert(namespace_name);
}

void HttpsTestServer::Gate::Permit(const std::string& namespace_name) {
  const MutexLock lock(mutex_);
  forbidden_.erase(namespace_name);
}

std::size_t HttpsTestServer::Gate::Requests(const std::string& namespace_name) const {
  const MutexLock lock(mutex_);
  const auto it = requests_.find(namespace_name);
  return it == requests_.end() ? 0 : it->second;
}

HttpsTestServer::HttpsTestServer(InformerTestServerOptions options)
    : server_(ServerOptions()),
      administrator_(server_.Client()),
      alice_(Client::Create(ConfigOf(server_.server(), kAlicesToken)).value()) {
  for (const std::string name : {"a", "b", "c", kElsewhere}) {
    const auto made = server_.Create(
        nlohmann::json{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}}.dump());
    EXPECT_TRUE(made.ok()) << ToString(made.error());
  }
  if (!options.streaming_lists) {
    AddFault({.verb = "watch", .resource = "configmaps", .kind = FaultKind::kRejectInitialEvents});
  }
}

ApiServerOptions HttpsTestServer::ServerOptions() const {
  return {.tokens = {{.token = Secret(kAlicesToken), .user = kAlice}},
          .authorize = [gate = gate_](const AccessRequest& request) { return gate->Ask(request); },
          .clock = clock_};
}

ResourceClient HttpsTestServer::ConfigMaps() const { return administrator_.For<ConfigMap>().Untyped(); }

Faults::Id HttpsTestServer::AddFault(const Fault& fault) {
  const Result<Faults::Id> id = server_.server().faults().Add(fault);
  EXPECT_TRUE(id.ok()) << (id.ok() ? "" : ToString(id.error()));
  return id.value_or(0);
}

std::shared_ptr<ListerWatcher> HttpsTestServer::Source(const std::string& namespace_name) {
  return internal::MakeHttpListerWatcher(alice_, Resource::Of(ConfigMap::kInfo), {.namespace_name = namespace_name});
}

std::string HttpsTestServer::Put(const std::string& name, const std::string& value, const std::string& namespace_name) {
  // The server's caches poll the storage for its revision at intervals.
  clock_->Advance(100ms);
  const ObjectPtr object = MakeConfigMap(name, value, namespace_name);
  Result<ObjectPtr> written = ConfigMaps().Update(*object);
  if (!written && IsNotFound(written.error())) written = ConfigMaps().Create(*object);
  EXPECT_TRUE(written.ok()) << (written.ok() ? "" : ToString(written.error()));
  return written.ok() ? std::string((*written)->ResourceVersion()) : "";
}

void HttpsTestServer::Remove(const std::string& name, const std::string& namespace_name) {
  const auto gone = ConfigMaps().Delete({namespace_name, name});
  EXPECT_TRUE(gone.ok() || IsNotFound(gone.error())) << ToString(gone.error());
}

std::string HttpsTestServer::Tick() {
  Remove("tick", kElsewhere);
  return Put("tick", "1", kElsewhere);
}

void HttpsTestServer::SendBookmark() { clock_->Advance(kBookmarkInterval); }

void HttpsTestServer::EndWatch(WatchEnding ending) {
  Fault fault{.verb = "watch", .resource = "configmaps", .kind = FaultOf(ending), .times = 1};
  if (ending == WatchEnding::kInternalError) fault.number = 500;
  const Faults::Id id = AddFault(fault);
  if (ending == WatchEnding::kBroken) return;
  EXPECT_TRUE(Await([&] { return server_.server().faults().Count(id) == 1; })) << "there was no watch to end";
}

void HttpsTestServer::Compact() {
  // A real compaction: ages the watch cache's events, then writes more than it keeps of old ones.
  clock_->Advance(kEventWindow);
  for (int i = 0; i <= kEventsKept; ++i) Put("many", std::to_string(i), kElsewhere);
}

void HttpsTestServer::Forbid(const std::string& namespace_name) { gate_->Forbid(namespace_name); }
void HttpsTestServer::Permit(const std::string& namespace_name) { gate_->Permit(namespace_name); }

void HttpsTestServer::RemoveKind() {
  kind_removed_ = AddFault({.resource = "configmaps", .kind = FaultKind::kKindRemoved, .times = 1});
}

void HttpsTestServer::RestoreKind() {
  EXPECT_TRUE(server_.server().faults().Remove(kind_removed_)) << "it was not removed";
}

void HttpsTestServer::FailAList() {
  AddFault({.verb = "list", .resource = "configmaps", .kind = FaultKind::kError, .times = 1, .number = 500});
}

void HttpsTestServer::FailAWatch(bool throttled) {
  Fault fault{.verb = "watch", .resource = "configmaps", .kind = FaultKind::kCloseEarly, .times = 1};
  if (throttled) {
    fault.kind = FaultKind::kThrottle;
    fault.duration = 0ms;
  }
  AddFault(fault);
}

void HttpsTestServer::RepeatAnEvent() {
  AddFault({.verb = "watch", .resource = "configmaps", .kind = FaultKind::kDuplicate, .times = 1});
}

InformerTestServer::Content HttpsTestServer::Objects(const std::string& namespace_name) {
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

std::size_t HttpsTestServer::Requests(const std::string& namespace_name) { return gate_->Requests(namespace_name); }

bool HttpsTestServer::AwaitOpenWatches(std::size_t count) {
  return Await([&] { return server_.server().WatchCount() == count; });
}

}  // namespace kinformer
