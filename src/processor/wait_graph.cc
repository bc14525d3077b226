#include "src/processor/wait_graph.h"

namespace kinformer::internal {

bool WaitGraph::Begin(Node waiter, Node target) {
  const MutexLock lock(mutex_);
  for (Node node = target;;) {
    if (node == waiter) return false;
    const auto next = waits_for_.find(node);
    if (next == waits_for_.end()) break;
    node = next->second;
  }
  waits_for_[waiter] = target;
  return true;
}

void WaitGraph::End(Node waiter) {
  const MutexLock lock(mutex_);
  waits_for_.erase(waiter);
}

WaitGraph& WaitGraph::OfProcess() {
  static auto& graph = *new WaitGraph;  // not destroyed: a handler may still run while the process ends
  return graph;
}

}  // namespace kinformer::internal
