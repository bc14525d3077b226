#ifndef KINFORMER_SRC_APISERVER_FAULTS_FAULT_PLAN_H_
#define KINFORMER_SRC_APISERVER_FAULTS_FAULT_PLAN_H_

// In:     faults, as they are added; requests and watches, as they arrive
// Out:    the fault that applies
// Thread: any
// Next:   FaultInjector, which applies it

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include <kinformer/apiserver/faults/faults.h>
#include <kinformer/base/clock.h>

#include "src/apiserver/access/request_info.h"
#include "src/apiserver/faults/fault_table.h"
#include "src/base/mutex.h"

namespace kinformer::apiserver {

/// Whether the fault matches such requests. `aggregated`: the client asks for aggregated discovery.
bool Concerns(const Fault& fault, const RequestInfo& request, bool aggregated = false);

/// A fault that was selected for a request or watch.
struct JoinedFault {
  Faults::Id id = 0;
  Fault fault{};
};

/// @par Thread Safety
/// All functions may be called from any thread.
class FaultPlan {
 public:
  using Id = Faults::Id;

  Id Add(const Fault& fault);
  bool Remove(Id id);
  void Clear();
  std::uint64_t Count(Id id) const;
  std::vector<Fault> All() const;
  /// The id of the newest fault; changes when one is added.
  Id LastId() const { return last_id_.load(std::memory_order_acquire); }

  /// Selects and counts the fault that applies to the request at this place, if any. For a watch, faults of its events
  /// are excluded.
  std::optional<JoinedFault> StrikeRequest(const RequestInfo& request, FaultPlace place, bool aggregated = false);

  /// Selects the faults that may apply to a new watch. Sets `last_id` to the current LastId.
  std::vector<JoinedFault> BeginWatch(const RequestInfo& request, Id& last_id);
  /// Selects the faults added since then, for a running watch.
  std::vector<JoinedFault> JoinWatch(const RequestInfo& request, Id& last_id);
  /// Counts an occurrence in a watch. False: the fault must not occur, since it was removed or is used up.
  bool Strike(Id id);

  /// A kind-removed fault has occurred: it stays in effect until then, or until it is removed from the plan.
  void MarkRemoved(Id id, std::optional<TimePoint> until);
  bool IsRemoved(const RequestInfo& request, TimePoint now) const;

  /// Calls `changed` whenever a fault is added or a kind is removed, on any thread with no lock held. It may only
  /// signal, and may be called once more after Unsubscribe.
  std::uint64_t Subscribe(std::function<void()> changed);
  void Unsubscribe(std::uint64_t subscription);

 private:
  struct Entry {
    Fault fault{};
    std::uint64_t matches = 0;
    std::uint64_t strikes = 0;
    /// For kind-removed: whether it is in effect.
    bool removed = false;
    std::optional<TimePoint> removed_until{};

    bool UsedUp() const;
    /// Counts the match. True if the fault selects it. A storm starts with the nth match.
    bool Chosen() {
      ++matches;
      return fault.kind == FaultKind::kConflictStorm ? matches >= fault.nth : matches == fault.nth || fault.nth == 0;
    }
  };

  void NotifyAll();

  mutable Mutex mutex_;
  std::map<Id, Entry> entries_ KINFORMER_GUARDED_BY(mutex_);
  std::atomic<Id> last_id_ = 0;
  std::map<std::uint64_t, std::function<void()>> subscribers_ KINFORMER_GUARDED_BY(mutex_);
  std::uint64_t last_subscription_ KINFORMER_GUARDED_BY(mutex_) = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_FAULTS_FAULT_PLAN_H_
