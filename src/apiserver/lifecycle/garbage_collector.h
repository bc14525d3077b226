#ifndef KINFORMER_SRC_APISERVER_LIFECYCLE_GARBAGE_COLLECTOR_H_
#define KINFORMER_SRC_APISERVER_LIFECYCLE_GARBAGE_COLLECTOR_H_

// In:     creations, changes and deletions of objects of all kinds
// Out:    deletions of objects without owners; owner references and finalizers removed
// Thread: its owner's; calls to the stores may block
// Next:   ResourceStore

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>
#include <kinformer/base/result.h>

#include "src/apiserver/lifecycle/object_follower.h"
#include "src/apiserver/lifecycle/owner_graph.h"
#include "src/apiserver/lifecycle/retry_schedule.h"

namespace kinformer::apiserver {

/// Kubernetes' garbage collector, for one server. An object whose owners are all gone is deleted. Foreground deletion:
/// the object is removed after the dependents that block it. Orphan deletion: the references to the object are removed
/// from its dependents.
///
/// The graph only determines what to check; it may lag behind the stores. Decisions are based on the stored
/// ownerReferences and take effect only if the object has not changed (preconditions on uid and resourceVersion). An
/// owner is looked up in its dependent's namespace, or as cluster-scoped; a reference across namespaces counts as one
/// to a missing owner and is reported by an Event.
///
/// Not thread-safe; use from one thread.
class GarbageCollector {
 public:
  /// `find_kind`: the store of an owner's kind; null: the kind is not served, and its dependents are kept.
  struct Stores {
    std::function<StorePtr(const GroupVersionResource& resource)> find{};
    std::function<StorePtr(std::string_view api_version, std::string_view kind)> find_kind{};
  };
  /// `clock`: provides the timestamps of Events.
  GarbageCollector(Stores stores, Logger logger, std::shared_ptr<const Clock> clock = Clock::System())
      : stores_(std::move(stores)), logger_(std::move(logger)), clock_(std::move(clock)) {}

  void Take(const ObjectNews& news);
  /// Checks objects with owners of unknown kinds again.
  void KindsChanged();
  /// Processes the queue and the retries that are due at `now`. Returns when to call it again without news; nullopt:
  /// nothing is pending.
  std::optional<TimePoint> Work(TimePoint now, const std::stop_token& stop);
  std::size_t Objects() const { return graph_.Size(); }

 private:
  enum class OwnerState {
    kThere,
    kGone,
    kWaitsForDependents,
    kUnknownKind,  ///< Its existence cannot be determined.
    kInvalid,      ///< The dependent is cluster-scoped but the owner's kind is not: never resolved.
  };
  struct Owner {
    OwnerState state = OwnerState::kThere;
    /// Found in its store, but not yet in the graph.
    bool unobserved = false;
  };

  void Enqueue(std::string uid);
  /// False if the graph confirms all its owners.
  bool NeedsCheck(const OwnedObject& object) const;
  /// The following return false to be retried soon, and an error to be retried with backoff.
  Result<bool> Check(const OwnedObject& object, const std::stop_token& stop);
  Result<bool> CheckOwners(const OwnedObject& known, const std::stop_token& stop);
  /// Returns a conflict if the object changed since it was read.
  Result<bool> Decide(const ResourceStore& store, const Object& live, const std::stop_token& stop);
  Result<bool> WaitForDependents(const OwnedObject& object, const std::stop_token& stop);
  Result<bool> OrphanDependents(const OwnedObject& object, const std::stop_token& stop);
  Result<Owner> FindOwner(const OwnedObject& dependent, const OwnerClaim& claim, const std::stop_token& stop);
  /// Read-modify-write with retries on conflict; success if the object is already gone.
  Result<void> Change(const OwnedObject& object, const std::function<void(nlohmann::json&)>& change,
                      const std::stop_token& stop) const;
  Result<void> DropFinalizer(const OwnedObject& object, std::string_view finalizer, const std::stop_token& stop) const;
  /// At most once per pair of dependent and owner.
  void ReportInvalidNamespace(const OwnedObject& dependent, const OwnerClaim& claim, const std::stop_token& stop);

  const Stores stores_;
  const Logger logger_;
  const std::shared_ptr<const Clock> clock_;
  OwnerGraph graph_;
  std::deque<std::string> queue_;
  std::unordered_set<std::string> queued_;
  RetrySchedule retries_;
  /// Uids of objects with owners of unknown kinds.
  std::unordered_set<std::string> unresolved_;
  /// Pairs of uids: dependent, owner.
  std::set<std::pair<std::string, std::string>> reported_;
  std::uint64_t events_ = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_LIFECYCLE_GARBAGE_COLLECTOR_H_
