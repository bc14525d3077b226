#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_POOL_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_POOL_H_

// In:     requests that may have to wait for a storage
// Out:    nothing
// Thread: its own, which may block
// Next:   ApiHandler

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include <kinformer/base/mutex.h>

namespace kinformer::apiserver {

/// Threads for calls that block, unlike a TaskPool's tasks. A task wakes one thread, the one that worked last.
///
/// @par Thread Safety
/// All functions may be called from any thread; Stop not from a task.
class RequestPool {
 public:
  explicit RequestPool(std::size_t threads);
  ~RequestPool();
  RequestPool(const RequestPool&) = delete;
  RequestPool& operator=(const RequestPool&) = delete;

  void Start();
  /// Waits for what is under way; the rest is dropped.
  void Stop();
  /// False once stopped. Tasks must not throw.
  bool Post(std::function<void()> task);

 private:
  struct Worker {
    CondVar woken;
    std::function<void()> task;
  };
  void Work(Worker& worker);

  const std::size_t count_;
  Mutex mutex_;
  bool stopped_ KINFORMER_GUARDED_BY(mutex_) = false;
  std::deque<std::function<void()>> waiting_ KINFORMER_GUARDED_BY(mutex_);
  std::vector<Worker*> idle_ KINFORMER_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::jthread> threads_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_POOL_H_
