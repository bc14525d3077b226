#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

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

constexpr std::size_t kBufferBytes = 1U << 20U;
constexpr std::chrono::milliseconds kLook{100};

Error Failed(std::string what) { return {.code = ErrorCode::kServer, .message = std::move(what)}; }

/// The generated pod, as one may be sent to a server.
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

/// A pod is created without a status, so each takes two requests.
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

struct ListRead {
  std::size_t bytes = 0;
  double seconds = 0;
};

/// The time from the request to the last byte.
Result<ListRead> ReadList(const Target& target, HttpLink& link, Poller& poller, const std::string& path,
                          std::chrono::seconds timeout, std::vector<char>& buffer) {
  ListRead read;
  const auto begin = SteadyClock::now();
  if (auto sent = link.Send(target.Request("GET", path + "?resourceVersion=0")); !sent) return std::move(sent).error();
  auto heard = begin;
  do {
    const auto ready = poller.Wait(kLook);
    if (!ready.empty()) heard = SteadyClock::now();
    if (SteadyClock::now() - heard > timeout) return Failed("the list does not come");
    if (ready.empty()) continue;
    auto taken = link.OnReady(buffer, [&read](std::string_view piece) { read.bytes += piece.size(); });
    if (!taken) return std::move(taken).error();
  } while (!link.answer().Done());
  read.seconds = std::chrono::duration<double>(SteadyClock::now() - begin).count();
  if (link.answer().status() != 200)
    return Failed("the list was refused with " + std::to_string(link.answer().status()));
  return read;
}

}  // namespace

Result<void> RunListLoad(const Client& client, const Target& target, const LoadCommandLine& line) {
  const Resource resource = Resource::Of(core::v1::Pod::kInfo);
  const auto work = WorkNamespace::Create(client, resource);
  if (!work) return work.error();
  const std::string path = (*work)->Path();
  if (auto filled = Fill(target, line, path); !filled) return filled;

  std::size_t objects = 0;
  const auto counted = client.Dynamic(resource).ForEach([&objects](const ObjectPtr&) { ++objects; },
                                                        {.namespace_name = (*work)->name(), .limit = 0});
  if (!counted) return counted.error();
  if (objects != line.objects) return Failed("the list has " + std::to_string(objects) + " objects");

  Poller poller;
  HttpLink link(target, poller, 0);
  std::vector<char> buffer(kBufferBytes);
  auto server_cpu = ServerCpu::Begin(line.server_pids);
  if (!server_cpu) return std::move(server_cpu).error();
  std::vector<double> seconds;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < line.reads; ++i) {
    const auto read = ReadList(target, link, poller, path, line.timeout, buffer);
    if (!read) return read.error();
    if (i > 0 && read->bytes != bytes) return Failed("the list is not always as long");
    bytes = read->bytes;
    seconds.push_back(read->seconds);
  }
  const auto server_used = server_cpu->Used();
  if (!server_used) return server_used.error();
  std::sort(seconds.begin(), seconds.end());
  const std::size_t half = seconds.size() / 2;
  const double median = seconds.size() % 2 == 1 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2;
  const double megabytes = static_cast<double>(bytes) / 1e6;
  std::printf("objects=%zu mb=%.1f seconds=%.3f mb_per_s=%.0f server_cpu_s=%s\n", objects, megabytes, median,
              megabytes / median, server_used->c_str());
  std::fflush(stdout);
  return {};
}

}  // namespace kinformer::bench
