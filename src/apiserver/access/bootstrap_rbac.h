#ifndef KINFORMER_SRC_APISERVER_ACCESS_BOOTSTRAP_RBAC_H_
#define KINFORMER_SRC_APISERVER_ACCESS_BOOTSTRAP_RBAC_H_

// In:     nothing
// Out:    the roles and bindings that a cluster begins with
// Thread: any; pure
// Next:   the server, which creates those that are missing

#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace kinformer::apiserver {

/// ClusterRoles first, then ClusterRoleBindings: cluster-admin for system:masters; admin, edit and view for whom they
/// will be bound to; what everybody known, and what everybody, may see.
std::vector<nlohmann::json> BootstrapRbacObjects();

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ACCESS_BOOTSTRAP_RBAC_H_
