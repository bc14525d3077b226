#ifndef KINFORMER_BENCH_KINFORMER_BENCH_EVENT_RECORDER_H_
#define KINFORMER_BENCH_KINFORMER_BENCH_EVENT_RECORDER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/codec/object.h>
#include <kinformer/views/core_v1.h>

#include "src/base/mutex.h"

namespace kinformer::bench {

/// The cost of N updates, over all handlers.
struct EventFigures {
  double seconds = 0;
  double cpu_seconds = 0;
  double p50_us = 0;
  double p99_us = 0;
};

/// One handler's record of its updates.
///
/// @par Thread Safety
/// OnUpdate: on the handler's thread. Figures: once Await has returned true.
class EventRecorder {
 public:
  /// Reserves memory for `want` updates, so that recording does not allocate.
  explicit EventRecorder(std::size_t want);

  void OnAdd(const core::v1::Pod& pod) { See(pod); }
  void OnUpdate(const core::v1::Pod& pod);
  /// For a kind without a typed view: only metadata is read.
  void OnUpdate(const ObjectPtr& object) { Record(*object); }

  bool Await(TimePoint deadline);

  /// Combines the recorders of one informer's handlers: from the earliest first event to the latest last event.
  static EventFigures Figures(const std::vector<std::unique_ptr<EventRecorder>>& recorders);

 private:
  using Time = std::chrono::steady_clock::time_point;

  /// Reads the fields a typical controller would.
  void See(const core::v1::Pod& pod);
  void Record(const Object& object);

  const std::size_t want_;
  std::vector<std::int64_t> latencies_ns_;
  Time first_{};
  Time last_{};
  double first_cpu_ = 0;
  double last_cpu_ = 0;
  std::size_t bytes_seen_ = 0;  ///< Keeps the compiler from optimizing the reads away.
  Mutex mutex_;
  CondVar changed_;
  bool done_ KINFORMER_GUARDED_BY(mutex_) = false;
};

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_BENCH_EVENT_RECORDER_H_
