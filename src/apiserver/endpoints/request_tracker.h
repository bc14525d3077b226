#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_TRACKER_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_TRACKER_H_

// In:     requests as they begin and end
// Out:    whether there is room for one; the stop of those that take too long
// Thread: any; a task of the pool looks every second
// Next:   ApiHandler

#include <array>
#include <atomic>
#include <cstddef>
#include <list>
#include <memory>
#include <stop_token>

#include <kinformer/base/clock.h>
#include <kinformer/base/mutex.h>
#include <kinformer/base/task_pool.h>

namespace kinformer::apiserver {

/// Watches are counted, and not limited.
enum class RequestKind { kReadOnly, kMutating, kLongRunning };

struct RequestLimits {
  std::size_t read_only = 400;
  std::size_t mutating = 200;
  Duration timeout = std::chrono::seconds(60);
};

/// The requests under way.
///
/// @par Thread Safety
/// All functions may be called from any thread. Tickets may outlive it.
class RequestTracker {
 public:
  /// One request; it ends with the last who holds it.
  struct Ticket {
    std::stop_source stop{};
    TimePoint deadline{};
    std::shared_ptr<void> leave{};  ///< Ends the count.
  };

  /// The pool must outlive it.
  RequestTracker(TaskPool& pool, RequestLimits limits);
  ~RequestTracker();
  RequestTracker(const RequestTracker&) = delete;
  RequestTracker& operator=(const RequestTracker&) = delete;

  /// Null: there are too many.
  std::shared_ptr<Ticket> Begin(RequestKind kind);
  std::size_t Count(RequestKind kind) const;
  /// Stops all that are under way, and those that come later.
  void StopAll();

 private:
  struct State {
    std::array<std::atomic<std::size_t>, 3> counts{};
    Mutex mutex;
    bool stopped KINFORMER_GUARDED_BY(mutex) = false;
    bool armed KINFORMER_GUARDED_BY(mutex) = false;
    /// In the order of their deadlines, because all have the same time.
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
