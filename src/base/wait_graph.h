#ifndef KINFORMER_SRC_BASE_WAIT_GRAPH_H_
#define KINFORMER_SRC_BASE_WAIT_GRAPH_H_

#include <unordered_map>

#include "src/base/mutex.h"

namespace kinformer::internal {

/// Which runner of user code (a handler's thread, a serial task queue) waits for which other one to end. Detects
/// circular waits: two handlers that remove each other, or a handler that stops an informer whose transform removes
/// that handler.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class WaitGraph {
 public:
  /// Compared, never dereferenced.
  using Node = const void*;

  /// Records that `waiter` waits for `target`. A waiter waits for one target at a time. False, and nothing is recorded,
  /// if the wait would be circular or `target` is `waiter`.
  bool Begin(Node waiter, Node target);
  void End(Node waiter);

  /// One per process: a cycle may span several informers and factories.
  static WaitGraph& ForProcess();

 private:
  Mutex mutex_;
  std::unordered_map<Node, Node> waits_for_ KINFORMER_GUARDED_BY(mutex_);
};

/// For its scope, names the runner whose user code the calling thread executes.
class ScopedRunner {
 public:
  explicit ScopedRunner(WaitGraph::Node node);
  ~ScopedRunner();
  ScopedRunner(const ScopedRunner&) = delete;
  ScopedRunner& operator=(const ScopedRunner&) = delete;

  /// The calling thread's runner; null on threads that are not ours.
  static WaitGraph::Node Current();
  /// For the rest of the thread's life, including the destruction of its thread_local objects.
  static void SetForThread(WaitGraph::Node node);

 private:
  const WaitGraph::Node previous_;
};

/// The calling thread's wait for `target` to end. Threads that are not ours are never part of a cycle.
class ScopedWait {
 public:
  explicit ScopedWait(WaitGraph::Node target)
      : waiter_(ScopedRunner::Current()), ok_(waiter_ == nullptr || WaitGraph::ForProcess().Begin(waiter_, target)) {}
  ~ScopedWait() {
    if (waiter_ != nullptr && ok_) WaitGraph::ForProcess().End(waiter_);
  }
  ScopedWait(const ScopedWait&) = delete;
  ScopedWait& operator=(const ScopedWait&) = delete;

  /// False: the wait would never end.
  bool ok() const { return ok_; }

 private:
  const WaitGraph::Node waiter_;
  const bool ok_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_BASE_WAIT_GRAPH_H_
