// Micro-benchmarks of the API server: the fan-out of an event to watchers, the ownership of fields, the start.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include <kinformer/apiserver/api_server.h>

#include "src/apiserver/registry/field_ownership.h"
#include "src/apiserver/registry/served_kind.h"
#include "src/base/task_pool.h"
#include "src/listwatch/cacher/cacher.h"
#include "src/listwatch/storage/memory_backend.h"
#include "src/listwatch/storage/storage_lister_watcher.h"
#include "src/listwatch/storage/undecorated_storage.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

ServedKind PodKind() {
  for (const ServedKind& kind : BuiltInKinds()) {
    if (kind.kind == "Pod") return kind;
  }
  return {};
}

json NamedPod(const std::string& name) {
  return {{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", {{"name", name}, {"namespace", "default"}}}};
}

/// The number of events that the stream has now.
std::int64_t Take(WatchEventStream& stream) {
  std::int64_t count = 0;
  for (;;) {
    const auto part = stream.TryNext();
    if (!part || !*part) return count;
    const auto* events = std::get_if<std::vector<WatchEvent>>(&**part);
    if (events == nullptr) return count;
    count += static_cast<std::int64_t>(events->size());
  }
}

/// A burst of writes of a kilobyte each, until every watcher has read all of them. items: deliveries.
void BM_Dispatch(benchmark::State& state) {
  constexpr std::int64_t kBurst = 100;
  const auto pool = std::make_shared<TaskPool>();
  pool->Start();
  const auto backend = std::make_shared<MemoryBackend>();
  const StorageOptions options = PodKind().ForStorage();
  const auto storage = std::make_shared<UndecoratedStorage>(backend, options, *pool);
  Cacher cacher(pool, std::make_shared<StorageListerWatcher>(backend, options, *pool), storage,
                BackendProgress::Of(*backend));
  cacher.Start();
  while (!cacher.Ready()) std::this_thread::yield();
  std::vector<std::unique_ptr<WatchEventStream>> watches;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    watches.push_back(cacher.Watch({.resource_version = std::to_string(*backend->CurrentRevision({}))}, {}).value());
  }
  std::int64_t written = 0;
  for (auto _ : state) {
    for (std::int64_t i = 0; i < kBurst; ++i) {
      json pod = NamedPod("p" + std::to_string(i));
      pod["metadata"]["annotations"] = {{"padding", std::string(800, 'x')}, {"write", std::to_string(written++)}};
      const ObjectPtr object = Object::FromJson(pod).value();
      (void)cacher.GuaranteedUpdate("default", std::string(object->Name()), true, {},
                                    [&](const ObjectPtr&) -> Result<ObjectPtr> { return object; }, {});
    }
    std::int64_t missing = kBurst * state.range(0);
    while (missing > 0) {
      std::int64_t taken = 0;
      for (const auto& watch : watches) taken += Take(*watch);
      missing -= taken;
      if (taken == 0) std::this_thread::yield();
      if (cacher.Status().dispatcher.terminated > 0) {
        state.SkipWithError("a watcher was too slow and was ended");
        missing = 0;
      }
    }
  }
  state.SetItemsProcessed(state.iterations() * kBurst * state.range(0));
  watches.clear();
  cacher.Stop();
  pool->Stop();
}
BENCHMARK(BM_Dispatch)->Arg(1)->Arg(100)->Arg(1000)->UseRealTime()->Unit(benchmark::kMillisecond);

/// Computing metadata.managedFields of a pod on create.
void BM_KeepOwnership(benchmark::State& state) {
  json pod = NamedPod("p");
  pod["metadata"]["labels"] = {{"app", "web"}, {"tier", "front"}, {"team", "a"}};
  pod["spec"] = json::parse(R"({"restartPolicy":"Always","dnsPolicy":"ClusterFirst","securityContext":{},
    "terminationGracePeriodSeconds":30,"containers":[{"name":"c","image":"nginx:1.25",
    "ports":[{"containerPort":80,"protocol":"TCP"}],"env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],
    "resources":{"limits":{"cpu":"1","memory":"1Gi"}},"imagePullPolicy":"IfNotPresent"}]})");
  const FieldOwnership ownership(PodKind());
  (void)ownership.manager();  // reads the schema
  for (auto _ : state) {
    json object = pod;
    ownership.Keep({}, object, {}, "m", Timestamp());
    benchmark::DoNotOptimize(object);
  }
}
BENCHMARK(BM_KeepOwnership);

/// From nothing until the server answers, with new certificates.
void BM_StartServer(benchmark::State& state) {
  for (auto _ : state) {
    ApiServer server({.logger = Logger::None()});
    if (!server.Start()) state.SkipWithError("the server does not start");
    state.PauseTiming();
    server.Stop();
    state.ResumeTiming();
  }
}
BENCHMARK(BM_StartServer)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kinformer::apiserver

BENCHMARK_MAIN();
