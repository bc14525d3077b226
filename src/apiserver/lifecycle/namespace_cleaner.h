#ifndef KINFORMER_SRC_APISERVER_LIFECYCLE_NAMESPACE_CLEANER_H_
#define KINFORMER_SRC_APISERVER_LIFECYCLE_NAMESPACE_CLEANER_H_

// In:     namespaces that are being deleted, and what goes in them
// Out:    their contents deleted, then their finalizer taken away
// Thread: its owner's; calls to the stores may block
// Next:   ResourceStore

#include <functional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <kinformer/base/logger.h>
#include <kinformer/base/result.h>

#include "src/apiserver/lifecycle/object_follower.h"

namespace kinformer::apiserver {

/// Kubernetes' namespace controller, for one server. Pods are given no time to end: there is no kubelet that would end
/// them.
///
/// @par Thread Safety
/// One thread.
class NamespaceCleaner {
 public:
  NamespaceCleaner(std::function<std::vector<StorePtr>()> stores, Logger logger)
      : stores_(std::move(stores)), logger_(std::move(logger)) {}

  void Take(const ObjectNews& news);
  /// False if something failed and should be tried again a little later.
  bool Work(const std::stop_token& stop);

 private:
  Result<void> Clean(const std::string& name, const std::stop_token& stop) const;
  /// True if nothing is left of it.
  static Result<bool> Empty(const ResourceStore& store, const std::string& name, const std::stop_token& stop);

  const std::function<std::vector<StorePtr>()> stores_;
  const Logger logger_;
  /// All that are being deleted.
  std::set<std::string> ending_;
  /// Of those, the ones about which something has happened.
  std::set<std::string> due_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_LIFECYCLE_NAMESPACE_CLEANER_H_
