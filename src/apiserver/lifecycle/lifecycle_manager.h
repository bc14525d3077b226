#ifndef KINFORMER_SRC_APISERVER_LIFECYCLE_LIFECYCLE_MANAGER_H_
#define KINFORMER_SRC_APISERVER_LIFECYCLE_LIFECYCLE_MANAGER_H_

// In:     the resources of a server
// Out:    what a cluster's controllers do for the API itself: garbage collection, the end of namespaces
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
  /// All resources that are served now. Called on the manager's thread.
  std::function<std::vector<StorePtr>()> stores{};
  Logger logger{};
};

/// @par Thread Safety
/// Start and Stop from one thread; KindsChanged from any.
class LifecycleManager {
 public:
  explicit LifecycleManager(LifecycleOptions options);
  ~LifecycleManager();
  LifecycleManager(const LifecycleManager&) = delete;
  LifecycleManager& operator=(const LifecycleManager&) = delete;

  void Start();
  /// Returns when its thread has ended.
  void Stop();
  /// A resource has come or gone.
  void KindsChanged();

 private:
  struct Signal;

  void Run(const std::stop_token& stop) const;

  const LifecycleOptions options_;
  const std::shared_ptr<Signal> signal_;
  std::jthread thread_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_LIFECYCLE_LIFECYCLE_MANAGER_H_
