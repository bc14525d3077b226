#include <chrono>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include <kinformer/kinformer.h>

#include "bench/kinformer_bench/benchmarks.h"
#include "bench/kinformer_bench/event_recorder.h"
#include "bench/kinformer_bench/process_usage.h"

namespace kinformer::bench {
namespace {

using core::v1::Pod;

EventHandlerFor<Pod> PodHandler(EventRecorder& recorder) {
  return {.on_add = [&recorder](const Pod& pod, bool) { recorder.OnAdd(pod); },
          .on_update = [&recorder](const Pod&, const Pod& after) { recorder.OnUpdate(after); },
          .on_delete = {}};
}

EventHandler AnyHandler(EventRecorder& recorder) {
  return {.on_add = {},
          .on_update = [&recorder](const ObjectPtr&, const ObjectPtr& after) { recorder.OnUpdate(after); },
          .on_delete = {}};
}

Result<Resource> FindResource(const Client& client, const std::string& name) {
  if (name == Pod::kInfo.resource) return Resource::Of(Pod::kInfo);
  auto found = client.Mapper().ForName(name);
  if (!found) return std::move(found).error();
  return std::move(found->resource);
}

}  // namespace

Result<void> RunInformer(const Client& client, const CommandLine& line) {
  const auto resource = FindResource(client, line.resource);
  if (!resource) return resource.error();

  std::vector<std::unique_ptr<EventRecorder>> recorders;
  SharedInformerFactory factory(client);
  const SharedIndexInformer<Pod> informer(factory.ForResource(
      *resource, {.keep_managed_fields = line.keep_managed_fields}, {.streaming_lists = !line.paged}));
  std::vector<InformerRegistration> registrations;
  for (std::size_t i = 0; i < line.handlers; ++i) {
    EventRecorder& recorder = *recorders.emplace_back(std::make_unique<EventRecorder>(line.events));
    auto registration = resource->kind == Pod::kInfo.kind ? informer.AddEventHandler(PodHandler(recorder))
                                                          : informer.Untyped().AddEventHandler(AnyHandler(recorder));
    if (!registration) return std::move(registration).error();
    registrations.push_back(*std::move(registration));
  }

  const auto began = std::chrono::steady_clock::now();
  const double began_cpu = CpuSeconds();
  factory.Start();
  if (auto synced = factory.WaitForCacheSync(line.timeout); !synced) return std::move(synced).error();
  for (const InformerRegistration& registration : registrations) {
    if (auto synced = registration.WaitForSync(line.timeout); !synced) return std::move(synced).error();
  }
  const std::chrono::duration<double> sync_time = std::chrono::steady_clock::now() - began;
  const double sync_cpu = CpuSeconds() - began_cpu;
  std::printf("sync_s=%.3f cpu_s=%.3f objects=%zu rss_mb=%.1f peak_mb=%.1f\n", sync_time.count(), sync_cpu,
              informer.Lister().Size(), ResidentMegabytes(), PeakResidentMegabytes());
  std::fflush(stdout);
  if (line.events == 0) return {};

  const TimePoint deadline = Clock::System()->Now() + line.timeout;
  for (const auto& recorder : recorders) {
    if (!recorder->Await(deadline)) {
      return Error{.code = ErrorCode::kDeadlineExceeded, .message = "not all events came in time"};
    }
  }
  const EventFigures figures = EventRecorder::Figures(recorders);
  const auto events = static_cast<double>(line.events);
  std::printf("events=%zu events_per_s=%.0f cpu_us_per_event=%.2f p50_us=%.1f p99_us=%.1f peak_mb=%.1f\n", line.events,
              (events - 1) / figures.seconds, figures.cpu_seconds * 1e6 / events, figures.p50_us, figures.p99_us,
              PeakResidentMegabytes());
  return {};
}

}  // namespace kinformer::bench
