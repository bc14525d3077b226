#ifndef KINFORMER_SRC_APISERVER_ACCESS_BOOTSTRAP_RBAC_H_
#define KINFORMER_SRC_APISERVER_ACCESS_BOOTSTRAP_RBAC_H_

// In:     nothing
// Out:    the default roles and bindings of a cluster
// Thread: any; pure
// Next:   the server, which creates the missing ones

#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace kinformer::apiserver {

/// ClusterRoles first, then ClusterRoleBindings: cluster-admin for system:masters; admin, edit and view, not bound to
/// anyone; discovery and self reviews for authenticated users; health and version for everyone.
std::vector<nlohmann::json> BootstrapRbacObjects();

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ACCESS_BOOTSTRAP_RBAC_H_
