#ifndef KINFORMER_SRC_APISERVER_LIFECYCLE_NAMESPACE_CLEANER_H_
#define KINFORMER_SRC_APISERVER_LIFECYCLE_NAMESPACE_CLEANER_H_

// In:     namespaces being deleted, and changes to the objects in them
// Out:    their contents deleted, then their finalizers removed
// Thread: its owner's; calls to the stores may block
// Next:   ResourceStore

#include <functional>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>
#include <kinformer/base/result.h>

#include "src/apiserver/lifecycle/object_follower.h"
#include "src/apiserver/lifecycle/retry_schedule.h"

namespace kinformer::apiserver {

/// Kubernetes' namespace controller, for one server. Pods get no grace period: there is no kubelet to terminate them.
///
/// Not thread-safe; use from one thread.
class NamespaceCleaner {
 public:
  NamespaceCleaner(std::function<std::vector<StorePtr>()> stores, Logger logger)
      : stores_(std::move(stores)), logger_(std::move(logger)) {}

  void Take(const ObjectNews& news);
  /// Cleans the namespaces that are due at `now`, by news or for a retry. Returns when to call it again without news;
  /// nullopt: nothing is pending.
  std::optional<TimePoint> Work(TimePoint now, const std::stop_token& stop);

 private:
  Result<void> Clean(const std::string& name, const std::stop_token& stop) const;
  /// Deletes all objects of a resource in the namespace. True if none remain.
  static Result<bool> Empty(const ResourceStore& store, const std::string& name, const std::stop_token& stop);

  const std::function<std::vector<StorePtr>()> stores_;
  const Logger logger_;
  /// All namespaces being deleted.
  std::set<std::string> ending_;
  /// The subset with new activity.
  std::set<std::string> due_;
  RetrySchedule retries_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_LIFECYCLE_NAMESPACE_CLEANER_H_
