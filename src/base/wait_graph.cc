#include "src/base/wait_graph.h"

namespace kinformer::internal {
namespace {

thread_local WaitGraph::Node current_runner = nullptr;

}  // namespace

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

WaitGraph& WaitGraph::ForProcess() {
  static auto& graph = *new WaitGraph;  // Never destroyed: a handler may still run while the process exits.
  return graph;
}

ScopedRunner::ScopedRunner(WaitGraph::Node node) : previous_(current_runner) { current_runner = node; }

ScopedRunner::~ScopedRunner() { current_runner = previous_; }

WaitGraph::Node ScopedRunner::Current() { return current_runner; }

void ScopedRunner::SetForThread(WaitGraph::Node node) { current_runner = node; }

}  // namespace kinformer::internal
