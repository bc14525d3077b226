#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <kinformer/kinformer.h>

#include "bench/kinformer_bench/benchmarks.h"
#include "bench/kinformer_bench/process_usage.h"

namespace kinformer::bench {
namespace {

using core::v1::Pod;

/// Lets startup work finish before measuring.
constexpr std::chrono::seconds kSettle{1};

}  // namespace

Result<void> RunIdle(const Client& client, const CommandLine& line) {
  SharedInformerFactory factory(client);
  std::vector<SharedIndexInformer<Pod>> informers;
  std::vector<InformerRegistration> registrations;
  for (std::size_t i = 0; i < line.informers; ++i) {
    informers.push_back(factory.For<Pod>({.namespace_name = "idle-" + std::to_string(i)}));
    auto registration = informers.back().AddEventHandler({.on_add = [](const Pod&, bool) {},
                                                          .on_update = [](const Pod&, const Pod&) {},
                                                          .on_delete = [](const Deleted<Pod>&) {}});
    if (!registration) return std::move(registration).error();
    registrations.push_back(*std::move(registration));
  }
  factory.Start();
  if (auto synced = factory.WaitForCacheSync(line.timeout); !synced) return std::move(synced).error();
  (void)Clock::System()->SleepFor(kSettle, {});

  const auto began = std::chrono::steady_clock::now();
  const double began_cpu = CpuSeconds();
  (void)Clock::System()->SleepFor(line.seconds, {});
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began;
  std::printf("informers=%zu cpu_percent=%.3f rss_mb=%.1f peak_mb=%.1f threads=%zu\n", line.informers,
              (CpuSeconds() - began_cpu) / elapsed.count() * 100, ResidentMegabytes(), PeakResidentMegabytes(),
              Threads());
  return {};
}

}  // namespace kinformer::bench
