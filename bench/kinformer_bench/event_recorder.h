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
#include <kinformer/base/mutex.h>
#include <kinformer/codec/object.h>
#include <kinformer/views/core_v1.h>

namespace kinformer::bench {

/// What N updates took, over all handlers.
struct EventFigures {
  double seconds = 0;
  double cpu_seconds = 0;
  double p50_us = 0;
  double p99_us = 0;
};

/// One handler's record of the updates it gets.
///
/// @par Thread Safety
/// OnUpdate: the handler's thread. The figures may be read once Await has returned true.
class EventRecorder {
 public:
  /// Room for all is taken here, so that recording costs nothing.
  explicit EventRecorder(std::size_t want);

  void OnAdd(const core::v1::Pod& pod) { See(pod); }
  void OnUpdate(const core::v1::Pod& pod);
  /// Of a kind that has no view here: its metadata is all that is looked at.
  void OnUpdate(const ObjectPtr& object) { Record(*object); }

  bool Await(TimePoint deadline);

  /// Of several handlers of one informer: from the first's first event to the last's last.
  static EventFigures Figures(const std::vector<std::unique_ptr<EventRecorder>>& recorders);

 private:
  using Time = std::chrono::steady_clock::time_point;

  /// Reads what a controller would.
  void See(const core::v1::Pod& pod);
  void Record(const Object& object);

  const std::size_t want_;
  std::vector<std::int64_t> latencies_ns_;
  Time first_{};
  Time last_{};
  double first_cpu_ = 0;
  double last_cpu_ = 0;
  std::size_t bytes_seen_ = 0;  ///< So that the compiler cannot leave the reading out.
  Mutex mutex_;
  CondVar changed_;
  bool done_ KINFORMER_GUARDED_BY(mutex_) = false;
};

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_BENCH_EVENT_RECORDER_H_
