#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/kinformer_load/ask.h"
#include "bench/kinformer_load/benchmarks.h"
#include "bench/kinformer_load/event_log.h"
#include "bench/kinformer_load/http_link.h"
#include "bench/kinformer_load/request_pump.h"
#include "bench/kinformer_load/server_cpu.h"
#include "bench/kinformer_load/work_namespace.h"
#include "bench/pod_generator.h"

namespace kinformer::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

Error Failed(std::string what) { return {.code = ErrorCode::kServer, .message = std::move(what)}; }

/// The generated pod without the fields that only a server sets.
std::string PodToCreate(std::size_t number) {
  nlohmann::json pod = nlohmann::json::parse(PodJson(number));
  pod["apiVersion"] = "v1";
  pod["kind"] = "Pod";
  nlohmann::json& metadata = pod["metadata"];
  metadata["name"] = CreatedName(number);
  for (const char* field : {"namespace", "uid", "resourceVersion", "generateName", "creationTimestamp"}) {
    metadata.erase(field);
  }
  return pod.dump();
}

/// Pods are created without a status, so each takes two requests.
Result<void> Fill(const Target& target, const LoadCommandLine& line, const std::string& path) {
  const RequestPumpOptions options{.connections = line.writers, .requests = line.objects, .timeout = line.timeout};
  auto created = PumpRequests(target, options,
                              [&](std::size_t number) { return target.Request("POST", path, PodToCreate(number)); });
  if (!created) return Annotate(created.error(), "creating");
  auto filled = PumpRequests(target, options, [&](std::size_t number) {
    return target.Request("PUT", path + "/" + CreatedName(number) + "/status", PodToCreate(number));
  });
  if (!filled) return Annotate(filled.error(), "writing the status");
  return {};
}

/// Checks that the list holds all objects once, ordered by name.
Result<void> CheckList(std::string_view text, std::size_t objects) {
  constexpr std::string_view kBeginning = "\"name\":\"load-";
  std::size_t at = 0;
  std::size_t found = 0;
  while ((at = text.find(kBeginning, at)) != std::string_view::npos) {
    const std::string name = CreatedName(found);
    at += kBeginning.size() - 5;
    if (text.substr(at, name.size()) != name) return Failed("the list lacks " + name + ", or has it twice");
    ++found;
  }
  if (found != objects) return Failed("the list has " + std::to_string(found) + " objects");
  return {};
}

}  // namespace

Result<void> RunListLoad(const Target& target, const LoadCommandLine& line) {
  const auto work = WorkNamespace::Create(target, "pods", line.keep, line.timeout);
  if (!work) return work.error();
  const std::string& path = (*work)->path();
  if (auto filled = Fill(target, line, path); !filled) return filled;

  const std::string request = target.Request("GET", path + "?resourceVersion=0");
  const auto list = Ask(target, request, line.timeout);
  if (!list) return list.error();
  if (auto checked = CheckList(*list, line.objects); !checked) return checked;

  Poller poller;
  HttpLink link(target, poller, 0);
  auto server_cpu = ServerCpu::Begin(line.server_pids);
  if (!server_cpu) return std::move(server_cpu).error();
  std::vector<double> seconds;
  for (std::size_t i = 0; i < line.reads; ++i) {
    std::size_t bytes = 0;
    const auto begin = SteadyClock::now();
    auto read =
        ReadAnswer(link, poller, request, line.timeout, [&bytes](std::string_view piece) { bytes += piece.size(); });
    seconds.push_back(std::chrono::duration<double>(SteadyClock::now() - begin).count());
    if (!read) return read;
    if (bytes != list->size()) return Failed("the list is not always as long");
  }
  const auto server_used = server_cpu->Used();
  if (!server_used) return server_used.error();
  std::sort(seconds.begin(), seconds.end());
  const std::size_t half = seconds.size() / 2;
  const double median = seconds.size() % 2 == 1 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2;
  const double megabytes = static_cast<double>(list->size()) / 1e6;
  std::printf("objects=%zu mb=%.1f seconds=%.3f mb_per_s=%.0f server_cpu_s=%s\n", line.objects, megabytes, median,
              megabytes / median, server_used->c_str());
  std::fflush(stdout);
  return {};
}

}  // namespace kinformer::bench
