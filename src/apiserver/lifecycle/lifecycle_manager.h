#ifndef KINFORMER_SRC_APISERVER_LIFECYCLE_LIFECYCLE_MANAGER_H_
#define KINFORMER_SRC_APISERVER_LIFECYCLE_LIFECYCLE_MANAGER_H_

// In:     a server's resources
// Out:    the controllers that belong to the API itself: garbage collection, namespace deletion
// Thread: one of its own, from Start to Stop
// Next:   GarbageCollector, NamespaceCleaner

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>

#include "src/apiserver/lifecycle/object_follower.h"

namespace kinformer::apiserver {

struct LifecycleOptions {
  /// All resources currently served. Called on the manager's thread.
  std::function<std::vector<StorePtr>()> stores{};
  /// Provides the timestamps of Events.
  std::shared_ptr<const Clock> clock = Clock::System();
  Logger logger{};
};

/// Exceptions from stores or callbacks are logged, and the work is retried with exponential backoff; the thread keeps
/// running.
///
/// Start and Stop must be called from one thread; KindsChanged from any.
class LifecycleManager {
 public:
  explicit LifecycleManager(LifecycleOptions options);
  ~LifecycleManager();
  LifecycleManager(const LifecycleManager&) = delete;
  LifecycleManager& operator=(const LifecycleManager&) = delete;

  void Start();
  /// Joins its thread.
  void Stop();
  /// A resource has been added or removed.
  void KindsChanged();

 private:
  struct Signal;
  class Worker;

  void Run(const std::stop_token& stop) const;

  const LifecycleOptions options_;
  const std::shared_ptr<Signal> signal_;
  std::jthread thread_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_LIFECYCLE_LIFECYCLE_MANAGER_H_
