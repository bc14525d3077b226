#ifndef KINFORMER_SRC_APISERVER_FAULTS_FAULT_INJECTOR_H_
#define KINFORMER_SRC_APISERVER_FAULTS_FAULT_INJECTOR_H_

// In:     requests and watches, from the ApiHandler; the plan
// Out:    faults, applied to connections, the storage and the listening socket
// Thread: request threads and tasks of the pool
// Next:   HttpExchange, OutputStream, ServerControls

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "src/apiserver/endpoints/fault_hook.h"
#include "src/apiserver/faults/fault_plan.h"
#include "src/apiserver/faults/stream_script.h"
#include "src/apiserver/registry/served_kind.h"
#include "src/base/task_pool.h"

namespace kinformer::apiserver {

/// Lets faults affect and query the server as a whole. Called on any thread. Unset functions have no effect.
struct ServerControls {
  std::function<void()> wipe{};
  std::function<void(bool down)> set_storage_down{};
  std::function<void(bool refusing)> set_refusing{};
  /// The storage's current revision.
  std::function<std::int64_t()> revision{};
  std::function<std::vector<ServedKind>()> kinds{};
};

/// @par Thread Safety
/// All functions may be called from any thread.
class FaultInjector final : public FaultHook, public std::enable_shared_from_this<FaultInjector> {
 public:
  /// The pool must outlive it; faults use its clock.
  FaultInjector(std::shared_ptr<FaultPlan> plan, TaskPool& pool, ServerControls controls);

  bool OnRequest(RequestInfo& request, const std::shared_ptr<HttpExchange>& exchange) override;
  bool OnAnswer(const RequestInfo& request, int status, const std::shared_ptr<HttpExchange>& exchange) override;
  std::unique_ptr<WatchInterceptor> OnWatch(const RequestInfo& request) override;

 private:
  class Interceptor;

  /// True if the request has been answered.
  bool Apply(const JoinedFault& joined, RequestInfo& request, HttpExchange& exchange);
  void ApplyToServer(const JoinedFault& joined);
  /// Calls `control(true)` now, and `control(false)` after `time`.
  void Switch(std::function<void(bool)> ServerControls::*control, Duration time);
  void MakeStale(const Fault& fault, RequestInfo& request) const;

  const std::shared_ptr<FaultPlan> plan_;
  TaskPool& pool_;
  const ServerControls controls_;
};

/// The aggregated discovery document of these kinds, with the group-version at that path ("/apis/apps/v1"; "*": all)
/// stale. `core`: for /api; else for /apis.
std::string StaleDiscoveryText(const std::vector<ServedKind>& kinds, bool core, std::string_view stale_path);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_FAULTS_FAULT_INJECTOR_H_
