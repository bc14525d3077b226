#ifndef KINFORMER_SRC_BASE_OWNED_THREAD_H_
#define KINFORMER_SRC_BASE_OWNED_THREAD_H_

#include <atomic>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>

namespace kinformer::internal {

/// A thread that ends with its owner, even if the owner is destroyed on that thread, for example by a callback that
/// drops the last client. A thread cannot join itself: it is asked to stop, and the process's Reaper joins it.
///
/// @par Thread Safety
/// Start and Stop: one caller at a time. RequestStop: any thread.
class OwnedThread {
 public:
  OwnedThread() = default;
  ~OwnedThread() { Stop(); }
  OwnedThread(const OwnedThread&) = delete;
  OwnedThread& operator=(const OwnedThread&) = delete;

  /// `run` must own what it uses: it may outlive this object. Throws std::system_error if the system cannot create a
  /// thread. Precondition: not started.
  void Start(std::function<void(const std::stop_token&)> run);
  bool started() const { return thread_.joinable(); }
  void RequestStop() { thread_.request_stop(); }
  /// Requests a stop and joins; when called on the thread itself, does not wait.
  void Stop();

 private:
  std::jthread thread_;
  std::shared_ptr<std::atomic<bool>> ended_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_BASE_OWNED_THREAD_H_
