#ifndef KINFORMER_SRC_APISERVER_ACCESS_RBAC_AUTHORIZER_H_
#define KINFORMER_SRC_APISERVER_ACCESS_RBAC_AUTHORIZER_H_

// In:     the lists of Roles, ClusterRoles and their bindings, read for every decision
// Out:    decisions by the current rules
// Thread: any, concurrently; policies are compiled with no lock held
// Next:   the endpoints

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>

#include "src/apiserver/access/rbac_policy.h"
#include "src/base/mutex.h"

namespace kinformer::apiserver {

struct RbacList {
  std::vector<ObjectPtr> items{};
  std::string resource_version{};
};
/// The cached list of "roles", "clusterroles", "rolebindings" or "clusterrolebindings". Must be fast; called from any
/// thread.
using RbacLister = std::function<Result<RbacList>(std::string_view resource)>;

/// @par Thread Safety
/// All functions may be called from any thread.
class RbacAuthorizer {
 public:
  explicit RbacAuthorizer(RbacLister lister);

  /// If the lists are unavailable, decides by the last policy; if there is none yet, only system:masters is allowed.
  AccessDecision Check(const UserInfo& user, const RequestInfo& request);
  /// The current policy. Compiled only if any object has changed.
  Result<std::shared_ptr<const RbacPolicy>> Policy();
  /// Number of compilations.
  std::uint64_t Compilations() const;

 private:
  using Lists = std::array<RbacList, 4>;
  struct Compiled {
    std::uint64_t ticket = 0;
    Lists lists{};
    std::shared_ptr<const RbacPolicy> policy{};
  };

  std::shared_ptr<const Compiled> Current() const;

  const RbacLister lister_;
  mutable Mutex mutex_;
  std::uint64_t tickets_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::uint64_t compilations_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::shared_ptr<const Compiled> current_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ACCESS_RBAC_AUTHORIZER_H_
