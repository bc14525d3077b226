#include <cstdio>
#include <utility>

#include <kinformer/kinformer.h>

#include "bench/kinformer_bench/benchmarks.h"
#include "bench/kinformer_bench/event_recorder.h"
#include "bench/kinformer_bench/process_usage.h"

namespace kinformer::bench {
namespace {

using core::v1::Pod;

}  // namespace

Result<void> RunRelist(const Client& client, const CommandLine& line) {
  EventRecorder recorder(line.events);
  SharedInformerFactory factory(client);
  const auto pods = factory.For<Pod>({}, {.streaming_lists = !line.paged});
  const auto registration =
      pods.AddEventHandler({.on_add = [&recorder](const Pod& pod, bool) { recorder.OnAdd(pod); },
                            .on_update = [&recorder](const Pod&, const Pod& after) { recorder.OnUpdate(after); },
                            .on_delete = {}});
  if (!registration) return registration.error();
  factory.Start();
  if (auto synced = factory.WaitForCacheSync(line.timeout); !synced) return std::move(synced).error();
  if (auto synced = registration->WaitForSync(line.timeout); !synced) return std::move(synced).error();

  const double cache = ResidentMegabytes();
  if (!ResetPeak()) return Error{.code = ErrorCode::kInternal, .message = "the kernel does not reset peaks"};
  std::printf("objects=%zu cache_mb=%.1f\n", pods.Lister().Size(), cache);
  std::fflush(stdout);

  if (!recorder.Await(Clock::System()->Now() + line.timeout)) {
    return Error{.code = ErrorCode::kDeadlineExceeded, .message = "the server did not make us list again"};
  }
  const double peak = PeakResidentMegabytes();
  std::printf("lists=%llu updates=%zu peak_mb=%.1f peak_ratio=%.3f after_mb=%.1f\n",
              static_cast<unsigned long long>(pods.Status().lists), line.events, peak, peak / cache,
              ResidentMegabytes());
  return {};
}

}  // namespace kinformer::bench
