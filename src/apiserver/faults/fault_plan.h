#ifndef KINFORMER_SRC_APISERVER_FAULTS_FAULT_PLAN_H_
#define KINFORMER_SRC_APISERVER_FAULTS_FAULT_PLAN_H_

// In:     faults, as they are added; requests and watches, as they come
// Out:    which fault strikes
// Thread: any
// Next:   FaultInjector, which does it

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include <kinformer/apiserver/faults/faults.h>
#include <kinformer/base/clock.h>
#include <kinformer/base/mutex.h>

#include "src/apiserver/access/request_info.h"
#include "src/apiserver/faults/fault_table.h"

namespace kinformer::apiserver {

/// Whether the fault is about such requests at all. `aggregated`: the client asks for aggregated discovery.
bool Concerns(const Fault& fault, const RequestInfo& request, bool aggregated = false);

/// A fault and the watch that it was chosen for.
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
  /// Of the newest fault; moves when one is added.
  Id LastId() const { return last_id_.load(std::memory_order_acquire); }

  /// The fault that strikes the request here, if any does; it has then been counted. Of a watch, those that strike its
  /// events are left out.
  std::optional<JoinedFault> StrikeRequest(const RequestInfo& request, FaultPlace place, bool aggregated = false);

  /// A watch begins: what may strike it. `last_id`: as LastId at that moment.
  std::vector<JoinedFault> BeginWatch(const RequestInfo& request, Id& last_id);
  /// What has come since, for a watch that is running.
  std::vector<JoinedFault> JoinWatch(const RequestInfo& request, Id& last_id);
  /// Counts a strike of a watch. False: it must not strike, being gone or used up.
  bool Strike(Id id);

  /// kind-removed has struck: it counts until then, or until it is removed from the plan.
  void MarkRemoved(Id id, std::optional<TimePoint> until);
  bool IsRemoved(const RequestInfo& request, TimePoint now) const;

  /// Calls `changed` whenever something is added or a kind is removed, on any thread and with no lock held; it may only
  /// signal, and may come once more after Unsubscribe.
  std::uint64_t Subscribe(std::function<void()> changed);
  void Unsubscribe(std::uint64_t subscription);

 private:
  struct Entry {
    Fault fault{};
    std::uint64_t matches = 0;
    std::uint64_t strikes = 0;
    /// Of kind-removed.
    bool removed = false;
    std::optional<TimePoint> removed_until{};

    bool UsedUp() const;
    /// Counts the match; whether it is the one that is meant.
    bool Chosen() { return ++matches == fault.nth || fault.nth == 0; }
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
