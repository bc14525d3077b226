#ifndef KINFORMER_SRC_APISERVER_LIFECYCLE_GARBAGE_COLLECTOR_H_
#define KINFORMER_SRC_APISERVER_LIFECYCLE_GARBAGE_COLLECTOR_H_

// In:     what is there and what has gone, of all kinds
// Out:    deletions of what lost its last owner; finalizers of deletions that wait for dependents taken away
// Thread: its owner's; calls to the stores may block
// Next:   ResourceStore

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/logger.h>
#include <kinformer/base/result.h>

#include "src/apiserver/lifecycle/object_follower.h"
#include "src/apiserver/lifecycle/owner_graph.h"

namespace kinformer::apiserver {

/// Kubernetes' garbage collector, for one server: an object whose owners are all gone is deleted; one that is deleted
/// in the foreground goes after those that block it; one that is deleted as an orphaner leaves its dependents without
/// a trace of it.
///
/// @par Thread Safety
/// One thread.
class GarbageCollector {
 public:
  /// `find_kind` gives the store of an owner's kind; null: no such kind is served, and then nobody can say that the
  /// owner is gone.
  struct Stores {
    std::function<StorePtr(const GroupVersionResource& resource)> find{};
    std::function<StorePtr(std::string_view api_version, std::string_view kind)> find_kind{};
  };
  GarbageCollector(Stores stores, Logger logger) : stores_(std::move(stores)), logger_(std::move(logger)) {}

  void Take(const ObjectNews& news);
  /// Works off what the news asked for. False if something failed and should be tried again a little later.
  bool Work(const std::stop_token& stop);
  std::size_t Objects() const { return graph_.Size(); }

 private:
  enum class OwnerState { kThere, kGone, kWaitsForDependents };

  void Enqueue(std::string uid);
  Result<void> Check(const OwnedObject& object, const std::stop_token& stop);
  Result<void> CheckOwners(const OwnedObject& object, const std::stop_token& stop);
  Result<void> WaitForDependents(const OwnedObject& object, const std::stop_token& stop);
  Result<void> OrphanDependents(const OwnedObject& object, const std::stop_token& stop);
  Result<OwnerState> StateOf(const OwnedObject& dependent, const OwnerClaim& owner, const std::stop_token& stop) const;
  /// Deletes the very object; that it is gone already is fine.
  Result<void> Delete(const OwnedObject& object, std::string_view propagation, const std::stop_token& stop) const;
  /// Changes the very object, as it is when the change is made; that it is gone already is fine.
  Result<void> Change(const OwnedObject& object, const std::function<void(nlohmann::json&)>& change,
                      const std::stop_token& stop) const;
  Result<void> DropFinalizer(const OwnedObject& object, std::string_view finalizer, const std::stop_token& stop) const;

  const Stores stores_;
  const Logger logger_;
  OwnerGraph graph_;
  std::deque<std::string> queue_;
  std::unordered_set<std::string> queued_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_LIFECYCLE_GARBAGE_COLLECTOR_H_
