// The cost of typed structs, against the DOM. Targets: decoding takes at most a quarter of nlohmann's parse, encoding
// at most 0.6 of its dump.

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include <kinformer/api/json.h>
#include <kinformer/codec/object.h>

#include "bench/pod_generator.h"
#include "test/api/example_types.h"

namespace kinformer::bench {
namespace {

using example::v1::Pod;

/// As an informer keeps it, without managedFields.
const std::string& PodText() {
  static const std::string text(Object::Parse(PodJson(4711), {.default_gvk = {"", "v1", "Pod"}}).value()->Json());
  return text;
}

const Pod& DecodedPod() {
  static const Pod pod = api::Decode<Pod>(PodText()).value();
  return pod;
}

void Report(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(PodText().size()));
  state.counters["bytes"] = static_cast<double>(PodText().size());
}

void NlohmannParse(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(nlohmann::json::parse(PodText()));
  Report(state);
}
BENCHMARK(NlohmannParse);

void Decode(benchmark::State& state) {
  if (nlohmann::json::parse(api::ToJson(DecodedPod())) != nlohmann::json::parse(PodText())) std::abort();
  for (auto _ : state) benchmark::DoNotOptimize(api::Decode<Pod>(PodText()));
  Report(state);
}
BENCHMARK(Decode);

void NlohmannDump(benchmark::State& state) {
  const nlohmann::json dom = nlohmann::json::parse(PodText());
  for (auto _ : state) benchmark::DoNotOptimize(dom.dump());
  Report(state);
}
BENCHMARK(NlohmannDump);

void Encode(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(api::ToJson(DecodedPod()));
  Report(state);
}
BENCHMARK(Encode);

void Copy(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Pod(DecodedPod()));
  Report(state);
}
BENCHMARK(Copy);

void Compare(benchmark::State& state) {
  const Pod other = DecodedPod();
  for (auto _ : state) benchmark::DoNotOptimize(other == DecodedPod());
  Report(state);
}
BENCHMARK(Compare);

}  // namespace
}  // namespace kinformer::bench

BENCHMARK_MAIN();
