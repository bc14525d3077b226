#include "bench/kinformer_bench/event_recorder.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "bench/kinformer_bench/process_usage.h"

namespace kinformer::bench {
namespace {

std::int64_t NanosecondsSinceEpoch() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

EventRecorder::EventRecorder(std::size_t want) : want_(want), done_(want == 0) { latencies_ns_.reserve(want); }

void EventRecorder::See(const core::v1::Pod& pod) {
  bytes_seen_ += pod.NodeName().size() + pod.Phase().size();
  if (const auto containers = pod.Containers(); !containers.empty()) bytes_seen_ += containers[0].Image().size();
}

void EventRecorder::OnUpdate(const core::v1::Pod& pod) {
  See(pod);
  Record(*pod.object());
}

void EventRecorder::Record(const Object& object) {
  if (latencies_ns_.size() == want_) return;
  std::int64_t sent = 0;
  if (const std::optional<std::string_view> text = object.Annotations().Find("bench/sent")) {
    std::from_chars(text->data(), text->data() + text->size(), sent);
  }
  if (latencies_ns_.empty()) {
    first_ = std::chrono::steady_clock::now();
    first_cpu_ = CpuSeconds();
  }
  latencies_ns_.push_back(NanosecondsSinceEpoch() - sent);
  if (latencies_ns_.size() < want_) return;
  last_ = std::chrono::steady_clock::now();
  last_cpu_ = CpuSeconds();
  const MutexLock lock(mutex_);
  done_ = true;
  changed_.NotifyAll();
}

bool EventRecorder::Await(TimePoint deadline) {
  MutexLock lock(mutex_);
  return changed_.Wait(lock, *Clock::System(), deadline, {}, [this]() KINFORMER_REQUIRES(mutex_) { return done_; });
}

EventFigures EventRecorder::Figures(const std::vector<std::unique_ptr<EventRecorder>>& recorders) {
  std::vector<std::int64_t> latencies;
  Time first = Time::max();
  Time last = Time::min();
  double first_cpu = 0;
  double last_cpu = 0;
  for (const auto& recorder : recorders) {
    latencies.insert(latencies.end(), recorder->latencies_ns_.begin(), recorder->latencies_ns_.end());
    if (recorder->first_ < first) first_cpu = recorder->first_cpu_;
    first = std::min(first, recorder->first_);
    last = std::max(last, recorder->last_);
    last_cpu = std::max(last_cpu, recorder->last_cpu_);
  }
  std::sort(latencies.begin(), latencies.end());
  const auto percentile = [&latencies](double part) {
    if (latencies.empty()) return 0.0;
    return static_cast<double>(latencies[static_cast<std::size_t>(part * static_cast<double>(latencies.size() - 1))]) /
           1000;
  };
  return {.seconds = std::chrono::duration<double>(last - first).count(),
          .cpu_seconds = last_cpu - first_cpu,
          .p50_us = percentile(0.5),
          .p99_us = percentile(0.99)};
}

}  // namespace kinformer::bench
