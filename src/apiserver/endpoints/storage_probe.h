#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_STORAGE_PROBE_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_STORAGE_PROBE_H_

// In:     health checks
// Out:    whether the storage answers
// Thread: one of its own, which may block; a timer of the pool
// Next:   ApiHandler

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/result.h>

#include "src/apiserver/endpoints/request_pool.h"
#include "src/base/mutex.h"
#include "src/base/task_pool.h"

namespace kinformer::apiserver {

struct StorageProbeOptions {
  /// A cheap storage request. May block; must return soon after a stop.
  std::function<Result<void>(const std::stop_token& stop)> ask{};
  /// The storage counts as unhealthy if `ask` takes longer.
  Duration timeout = std::chrono::seconds(2);
};

/// Checks whether the storage responds, so that no health check blocks on it.
///
/// All functions may be called from any thread; Start and Stop must not be called concurrently.
class StorageProbe {
 public:
  /// The pool must outlive it; the pool's clock measures the timeout.
  StorageProbe(TaskPool& pool, StorageProbeOptions options);
  ~StorageProbe();
  StorageProbe(const StorageProbe&) = delete;
  StorageProbe& operator=(const StorageProbe&) = delete;

  void Start();
  /// Drops pending callbacks without calling them.
  void Stop();
  /// Calls `done` once, on any thread, within the timeout; not at all if stopped first. Checks are coalesced: one
  /// storage request serves all checks that arrive while it is in flight. Once that request is overdue, checks fail
  /// immediately until it returns.
  using Done = std::function<void(const Result<void>& answer)>;
  void Check(Done done);

 private:
  void Ask(const std::stop_token& stop);
  void Expire(std::uint64_t question);
  std::vector<Done> TakeWaiting();
  static void CallAll(const std::vector<Done>& waiting, const Result<void>& answer);

  TaskPool& pool_;
  const StorageProbeOptions options_;
  Mutex mutex_;
  /// The number of the request in flight; zero: none.
  std::uint64_t question_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::uint64_t questions_ KINFORMER_GUARDED_BY(mutex_) = 0;
  bool overdue_ KINFORMER_GUARDED_BY(mutex_) = false;
  std::stop_source stop_ KINFORMER_GUARDED_BY(mutex_);
  std::vector<Done> waiting_ KINFORMER_GUARDED_BY(mutex_);
  SerialTasks timers_;
  RequestPool thread_{1};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_STORAGE_PROBE_H_
