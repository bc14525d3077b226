// The cost of decoding. Target for lists: at least half the speed of a walk that validates nothing and keeps nothing,
// with memory that does not grow with the list.

#include <benchmark/benchmark.h>
#include <malloc.h>
#include <simdjson.h>
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <kinformer/codec/object.h>

#include "bench/allocation_count.h"
#include "bench/pod_generator.h"
#include "src/codec/list_reader.h"
#include "src/codec/watch_event_reader.h"

namespace kinformer::bench {
namespace {

constexpr std::size_t kPods = 20000;
constexpr std::size_t kMegabyte = 1000 * 1000;

/// The whole list in memory, with the padding that simdjson On-Demand needs.
const simdjson::padded_string& PodList() {
  static const simdjson::padded_string list = [] {
    std::string text = PodListHead();
    for (std::size_t i = 0; i < kPods; ++i) {
      if (i != 0) text += ',';
      text += PodJson(i);
    }
    text += PodListTail();
    return simdjson::padded_string(text);
  }();
  return list;
}

std::size_t BareWalk(simdjson::ondemand::parser& parser) {
  std::size_t bytes = 0;
  simdjson::ondemand::document document = parser.iterate(PodList());
  for (simdjson::ondemand::object item : document["items"].get_array()) {
    simdjson::ondemand::object metadata = item["metadata"];
    for (const char* const field : {"name", "namespace", "uid", "resourceVersion"}) {
      bytes += std::string_view(metadata[field]).size();
    }
  }
  return bytes;
}

std::vector<ObjectPtr> ReadList(std::size_t chunk_bytes) {
  std::vector<ObjectPtr> items;
  internal::ListReader reader;
  std::string_view body = PodList();
  while (!body.empty()) {
    const std::string_view chunk = body.substr(0, chunk_bytes);
    body.remove_prefix(chunk.size());
    if (auto fed = reader.Feed(chunk, items); !fed) std::abort();
  }
  if (!reader.Finish()) std::abort();
  return items;
}

/// CPU time of this thread, so that other load on the machine does not count.
double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

template <typename Function>
double Seconds(Function&& function) {
  const double begin = ThreadSeconds();
  function();
  return ThreadSeconds() - begin;
}

/// Runs reader and bare walk alternately, so that both see the same machine state. `ratio` is the reader's speed
/// divided by the walk's.
///
/// First-touch memory costs more than reading, so both run with the same kind of memory: warm, already owned by the
/// process, or cold, fresh from the system as in a newly started process.
void ListReaderAgainstBareWalk(benchmark::State& state, bool cold) {
  const auto chunk_bytes = static_cast<std::size_t>(state.range(0));
  // Cold: return freed memory to the system.
  mallopt(M_TRIM_THRESHOLD, cold ? 0 : 2000 * 1000 * 1000);
  auto parser = std::make_unique<simdjson::ondemand::parser>();
  std::vector<ObjectPtr> items;
  if (!cold) {
    benchmark::DoNotOptimize(BareWalk(*parser));
    items = ReadList(chunk_bytes);
  }
  double walk = 0;
  double read = 0;
  for (auto _ : state) {
    items.clear();
    if (cold) {
      malloc_trim(0);
      parser = std::make_unique<simdjson::ondemand::parser>();
    }
    walk += Seconds([&] { benchmark::DoNotOptimize(BareWalk(*parser)); });
    const double read_now = Seconds([&] { items = ReadList(chunk_bytes); });
    if (items.size() != kPods) state.SkipWithError("items are missing");
    state.SetIterationTime(read_now);
    read += read_now;
  }
  const double megabytes = static_cast<double>(PodList().size()) / kMegabyte;
  const auto runs = static_cast<double>(state.iterations());
  state.counters["walk_MB/s"] = megabytes * runs / walk;
  state.counters["reader_MB/s"] = megabytes * runs / read;
  state.counters["ratio"] = walk / read;
}
void BM_ListReaderAgainstBareWalk(benchmark::State& state) { ListReaderAgainstBareWalk(state, /*cold=*/false); }
void BM_ListReaderAgainstBareWalkCold(benchmark::State& state) { ListReaderAgainstBareWalk(state, /*cold=*/true); }
void ListSettings(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(16 << 10)->Arg(64 << 10)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(10);
}
BENCHMARK(BM_ListReaderAgainstBareWalk)->Apply(ListSettings);
BENCHMARK(BM_ListReaderAgainstBareWalkCold)->Apply(ListSettings);

/// The peak memory while reading a list of `pods` with objects released as they arrive; 0 if items are missing. The
/// body is generated on the fly and never held.
std::size_t PeakWhileReading(std::size_t pods) {
  const std::size_t before = LiveBytes();
  ResetPeakBytes();
  internal::ListReader reader;
  std::vector<ObjectPtr> items;
  std::size_t seen = 0;
  std::string chunk = PodListHead();
  const auto flush = [&] {
    if (!reader.Feed(chunk, items)) std::abort();
    seen += items.size();
    items.clear();
    chunk.clear();
  };
  for (std::size_t i = 0; i < pods; ++i) {
    if (i != 0) chunk += ',';
    chunk += PodJson(i);
    if (chunk.size() > 32U << 10U) flush();
  }
  chunk += PodListTail();
  flush();
  return reader.Finish() && seen == pods ? PeakBytes() - before : 0;
}

/// The reader's own memory, independent of the list's length. Runs on a separate thread, so that per-thread buffers are
/// included.
void BM_ListReaderMemory(benchmark::State& state) {
  std::size_t peak = 0;
  for (auto _ : state) {
    std::thread([&] { peak = PeakWhileReading(static_cast<std::size_t>(state.range(0))); }).join();
    if (peak == 0) state.SkipWithError("items are missing");
  }
  state.counters["beyond_objects_MB"] = static_cast<double>(peak) / kMegabyte;
}
BENCHMARK(BM_ListReaderMemory)->Arg(1000)->Arg(20000)->Arg(100000)->Unit(benchmark::kMillisecond)->Iterations(1);

/// Memory of the objects themselves, as counted by the allocator.
void BM_ObjectMemory(benchmark::State& state) {
  std::size_t text_bytes = 0;
  std::size_t object_bytes = 0;
  for (auto _ : state) {
    std::vector<ObjectPtr> objects(1000);
    const std::size_t before = LiveBytes();
    text_bytes = 0;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      objects[i] = *Object::Parse(PodJson(i));
      text_bytes += objects[i]->Json().size();
    }
    object_bytes = LiveBytes() - before;
  }
  state.counters["text_bytes"] = static_cast<double>(text_bytes) / 1000;
  state.counters["object_bytes"] = static_cast<double>(object_bytes) / 1000;
}
BENCHMARK(BM_ObjectMemory)->Iterations(1);

void BM_ObjectParse(benchmark::State& state) {
  const std::string pod = PodJson(7);
  for (auto _ : state) benchmark::DoNotOptimize(Object::Parse(pod));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(pod.size()));
}
BENCHMARK(BM_ObjectParse);

void BM_WatchEvent(benchmark::State& state) {
  const std::string frame = R"({"type":"MODIFIED","object":)" + PodJson(7) + "}";
  for (auto _ : state) benchmark::DoNotOptimize(internal::ReadWatchEvent(frame, {}));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(frame.size()));
}
BENCHMARK(BM_WatchEvent);

void BM_At(benchmark::State& state, const char* pointer) {
  const ObjectPtr pod = *Object::Parse(PodJson(7));
  if (!pod->At(pointer).Exists()) state.SkipWithError("nothing there");
  for (auto _ : state) benchmark::DoNotOptimize(pod->At(pointer));
}
BENCHMARK_CAPTURE(BM_At, node_name, "/spec/nodeName");
BENCHMARK_CAPTURE(BM_At, image, "/spec/containers/1/image");
BENCHMARK_CAPTURE(BM_At, phase, "/status/phase");
BENCHMARK_CAPTURE(BM_At, restart_count, "/status/containerStatuses/1/restartCount");

}  // namespace
}  // namespace kinformer::bench

BENCHMARK_MAIN();
