#ifndef KINFORMER_SRC_PROCESSOR_WAIT_GRAPH_H_
#define KINFORMER_SRC_PROCESSOR_WAIT_GRAPH_H_

#include <unordered_map>

#include <kinformer/base/mutex.h>

namespace kinformer::internal {

/// Which handler's thread waits for which other handler, so that no circle of them waits for ever: two handlers that
/// remove each other, of one informer or of two.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class WaitGraph {
 public:
  using Node = const void*;

  /// Records that `waiter` waits for `target`; a waiter waits for one at a time. False, and nothing is recorded, if
  /// `target` waits for `waiter` already, directly or through others, or is `waiter`.
  bool Begin(Node waiter, Node target);
  void End(Node waiter);

  /// The process's: a circle may go through handlers of several informers.
  static WaitGraph& OfProcess();

 private:
  Mutex mutex_;
  std::unordered_map<Node, Node> waits_for_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_PROCESSOR_WAIT_GRAPH_H_
