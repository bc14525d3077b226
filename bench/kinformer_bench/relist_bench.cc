#include <atomic>
#include <chrono>
#include <cstdio>

#include <kinformer/kinformer.h>

#include "bench/kinformer_bench/benchmarks.h"
#include "bench/kinformer_bench/process_usage.h"

namespace kinformer::bench {
namespace {

using core::v1::Pod;

constexpr std::chrono::milliseconds kPoll{20};

}  // namespace

Result<void> RunRelist(const Client& client, const CommandLine& line) {
  std::atomic<std::size_t> updates = 0;
  SharedInformerFactory factory(client);
  const auto pods = factory.For<Pod>({.streaming_lists = !line.paged});
  const auto registration = pods->AddEventHandler({.on_add = [](const Pod&, bool) {},
                                                   .on_update = [&updates](const Pod&, const Pod&) { ++updates; },
                                                   .on_delete = [](const Deleted<Pod>&) {}});
  factory.Start();
  if (auto synced = factory.WaitForCacheSync(line.timeout); !synced) return std::move(synced).error();
  if (auto synced = registration.WaitForSync(line.timeout); !synced) return std::move(synced).error();

  const double cache = ResidentMegabytes();
  if (!ResetPeak()) return Error{.code = ErrorCode::kInternal, .message = "the kernel does not reset peaks"};
  std::printf("objects=%zu cache_mb=%.1f\n", pods->Lister().Size(), cache);
  std::fflush(stdout);

  const TimePoint deadline = Clock::System()->Now() + line.timeout;
  for (;;) {
    const InformerStatus status = pods->Status();
    const bool settled = !status.handlers.empty() && status.queued == 0 && status.handlers[0].pending == 0;
    if (status.lists >= 2 && status.state == InformerState::kWatching && settled) break;
    if (Clock::System()->Now() >= deadline) {
      return Error{.code = ErrorCode::kDeadlineExceeded, .message = "the server did not make us list again"};
    }
    (void)Clock::System()->SleepFor(kPoll, {});
  }
  const double peak = PeakResidentMegabytes();
  std::printf("updates=%zu peak_mb=%.1f peak_ratio=%.3f after_mb=%.1f\n", updates.load(), peak, peak / cache,
              ResidentMegabytes());
  return {};
}

}  // namespace kinformer::bench
