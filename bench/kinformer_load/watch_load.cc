#include <chrono>
#include <cstdio>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "bench/kinformer_bench/process_usage.h"
#include "bench/kinformer_load/benchmarks.h"
#include "bench/kinformer_load/event_log.h"
#include "bench/kinformer_load/request_pump.h"
#include "bench/kinformer_load/server_cpu.h"
#include "bench/kinformer_load/watcher_pool.h"
#include "bench/kinformer_load/work_namespace.h"

namespace kinformer::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

/// JSON of `bytes` bytes, or slightly more if that is too small for the fixed part.
std::string CreatedObject(bool pods, std::size_t number, std::size_t bytes) {
  std::string begin;
  std::string end;
  if (pods) {
    begin = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + CreatedName(number) +
            R"(","annotations":{"padding":")";
    end = R"("}},"spec":{"containers":[{"name":"load","image":"load"}]}})";
  } else {
    begin = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + CreatedName(number) +
            R"("},"data":{"padding":")";
    end = R"("}})";
  }
  if (begin.size() + end.size() < bytes) begin.append(bytes - begin.size() - end.size(), 'x');
  return begin + end;
}

}  // namespace

Result<void> RunWatchLoad(const Target& target, const LoadCommandLine& line) {
  const bool pods = line.resource == "pods";
  const auto work = WorkNamespace::Create(target, line.resource, line.keep, line.timeout);
  if (!work) return work.error();
  const std::string& path = (*work)->path();
  WatcherPool watchers(target, {.path = path,
                                .version = (*work)->version(),
                                .watchers = line.watchers,
                                .creations = line.creations,
                                .timeout = line.timeout});
  if (auto opened = watchers.Open(); !opened) return opened;

  auto server_cpu = ServerCpu::Begin(line.server_pids);
  if (!server_cpu) return std::move(server_cpu).error();
  const double client_cpu = CpuSeconds();
  const auto begin = SteadyClock::now();
  // A failing writer stops the watchers, and vice versa.
  std::stop_source failed;
  Result<void> written;
  std::jthread writers([&] {
    written = PumpRequests(
        target, {.connections = line.writers, .requests = line.creations, .timeout = line.timeout},
        [&](std::size_t number) {
          return target.Request("POST", path, CreatedObject(pods, number, line.object_bytes));
        },
        failed.get_token());
    if (!written) failed.request_stop();
  });
  const auto seen = watchers.Run(failed.get_token());
  const std::chrono::duration<double> took = SteadyClock::now() - begin;
  const double client_used = CpuSeconds() - client_cpu;
  const auto server_used = server_cpu->Used();
  if (!seen) failed.request_stop();
  writers.join();
  if (!written && written.error().code != ErrorCode::kCancelled) return Annotate(written.error(), "creating");
  if (!seen) return Annotate(seen.error(), "watching");
  if (!server_used) return server_used.error();
  std::printf(
      "watchers=%zu creations=%zu seconds=%.3f deliveries=%zu deliveries_per_s=%.0f server_cpu_s=%s resumed=%zu "
      "client_cpu_s=%.2f\n",
      line.watchers, line.creations, took.count(), watchers.deliveries(),
      static_cast<double>(watchers.deliveries()) / took.count(), server_used->c_str(), watchers.resumed(), client_used);
  std::fflush(stdout);
  return {};
}

}  // namespace kinformer::bench
