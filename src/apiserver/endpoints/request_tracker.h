#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_TRACKER_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_TRACKER_H_

// In:     the start and end of requests
// Out:    whether a request is within the limits; cancellation of overdue ones
// Thread: any; a pool task checks every second
// Next:   ApiHandler

#include <array>
#include <atomic>
#include <cstddef>
#include <list>
#include <memory>
#include <stop_token>

#include <kinformer/base/clock.h>

#include "src/base/mutex.h"
#include "src/base/task_pool.h"

namespace kinformer::apiserver {

/// Watches are counted but not limited. Health checks and metrics have their own limit, which API requests cannot use
/// up.
enum class RequestKind { kReadOnly, kMutating, kLongRunning, kHealth };

struct RequestLimits {
  std::size_t read_only = 400;
  std::size_t mutating = 200;
  std::size_t health = 100;
  Duration timeout = std::chrono::seconds(60);
};

/// The requests in flight.
///
/// @par Thread Safety
/// All functions may be called from any thread. Tickets may outlive it.
class RequestTracker {
 public:
  /// One request. It ends when its last reference is released.
  struct Ticket {
    std::stop_source stop{};
    TimePoint deadline{};
    std::shared_ptr<void> leave{};  ///< Decrements the count when destroyed.
  };

  /// The pool must outlive it.
  RequestTracker(TaskPool& pool, RequestLimits limits);
  ~RequestTracker();
  RequestTracker(const RequestTracker&) = delete;
  RequestTracker& operator=(const RequestTracker&) = delete;

  /// Null: the limit is reached.
  std::shared_ptr<Ticket> Begin(RequestKind kind);
  std::size_t Count(RequestKind kind) const;
  /// Cancels all requests in flight, and any that begin later.
  void StopAll();

 private:
  struct State {
    std::array<std::atomic<std::size_t>, 4> counts{};
    Mutex mutex;
    bool stopped KINFORMER_GUARDED_BY(mutex) = false;
    bool armed KINFORMER_GUARDED_BY(mutex) = false;
    /// Ordered by deadline, since all have the same timeout.
    std::list<std::weak_ptr<Ticket>> tickets KINFORMER_GUARDED_BY(mutex);
  };

  void Arm() KINFORMER_REQUIRES(state_->mutex);
  void StopOverdue();

  TaskPool& pool_;
  const RequestLimits limits_;
  const std::shared_ptr<State> state_;
  SerialTasks tasks_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_TRACKER_H_
