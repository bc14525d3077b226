#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_HEALTH_CHECKS_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_HEALTH_CHECKS_H_

// In:     conditions of the server's health, the storage's answer
// Out:    the responses of /healthz, /livez, /readyz and their children
// Thread: any
// Next:   ApiHandler

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kinformer/base/result.h>

#include "src/apiserver/endpoints/api_call.h"
#include "src/apiserver/endpoints/reply.h"

namespace kinformer::apiserver {

/// A condition of /readyz and /healthz.
struct HealthCheck {
  std::string name{};
  /// Returns an error if unhealthy. May be called concurrently; must not block for long.
  std::function<Result<void>()> run{};
};

/// @par Thread Safety
/// All functions may be called from any thread.
class HealthChecks {
 public:
  explicit HealthChecks(std::vector<HealthCheck> checks) : checks_(std::move(checks)) {}

  /// Whether the path is that of all checks: /healthz, /livez or /readyz.
  static bool IsSummary(const std::string& path);
  /// Whether the summary includes the storage.
  static bool AsksStorage(const std::string& path);

  /// The result of all checks. `storage`: the storage's answer; null: not asked.
  Reply Summary(const ApiCall& call, const Result<void>* storage) const;
  /// The result of a single check ("/readyz/ping"); nullopt: no such path.
  std::optional<Reply> Single(const std::string& path) const;

 private:
  const std::vector<HealthCheck> checks_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_HEALTH_CHECKS_H_
