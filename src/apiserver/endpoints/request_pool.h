#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_POOL_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_POOL_H_

// In:     tasks
// Out:    nothing
// Thread: its own, on which tasks may block
// Next:   ApiHandler

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "src/base/mutex.h"

namespace kinformer::apiserver {

/// What a task may block on.
enum class RequestLane : std::uint8_t {
  kMemory,   ///< Nothing: answered from memory.
  kStorage,  ///< The storage.
};

/// Threads for blocking calls, unlike a TaskPool's. A new task wakes one thread, the most recently active.
///
/// Tasks in the storage lane never occupy all threads: some are reserved for the memory lane, so that a hanging storage
/// delays only requests that need it. Otherwise tasks start in FIFO order.
///
/// All functions may be called from any thread, but Stop must not be called from a task.
class RequestPool {
 public:
  /// `storage_threads`: for both lanes, at least one. `memory_threads`: additional threads reserved for the memory
  /// lane.
  explicit RequestPool(std::size_t storage_threads, std::size_t memory_threads = 0);
  ~RequestPool();
  RequestPool(const RequestPool&) = delete;
  RequestPool& operator=(const RequestPool&) = delete;

  void Start();
  /// Waits for running tasks; drops queued ones.
  void Stop();
  /// False once stopped. Tasks must not throw.
  bool Post(std::function<void()> task, RequestLane lane = RequestLane::kStorage);

 private:
  struct Task {
    std::uint64_t number = 0;
    std::function<void()> run{};
  };
  struct Worker {
    CondVar woken;
    std::function<void()> task;
    RequestLane lane = RequestLane::kStorage;
  };
  void Work(Worker& worker);
  std::deque<Task>& Waiting(RequestLane lane) KINFORMER_REQUIRES(mutex_) {
    return waiting_[static_cast<std::size_t>(lane)];
  }
  /// Takes the next task that may run; false: none.
  bool TakeNext(std::function<void()>& task, RequestLane& lane) KINFORMER_REQUIRES(mutex_);

  const std::size_t storage_threads_;
  const std::size_t count_;
  Mutex mutex_;
  bool stopped_ KINFORMER_GUARDED_BY(mutex_) = false;
  std::uint64_t posted_ KINFORMER_GUARDED_BY(mutex_) = 0;
  /// Threads running, or about to run, a storage-lane task.
  std::size_t in_storage_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::array<std::deque<Task>, 2> waiting_ KINFORMER_GUARDED_BY(mutex_);
  std::vector<Worker*> idle_ KINFORMER_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::jthread> threads_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_POOL_H_
