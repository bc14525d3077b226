#ifndef KINFORMER_SRC_APISERVER_RBAC_SETUP_H_
#define KINFORMER_SRC_APISERVER_RBAC_SETUP_H_

// In:     the server's own resources, and its initial RBAC objects
// Out:    role-based access control over them
// Thread: see each function
// Next:   ApiServer, which assembles it

#include <memory>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

#include "src/apiserver/access/rbac_authorizer.h"
#include "src/apiserver/endpoints/resource_table.h"

namespace kinformer::apiserver {

/// Parses JSON (one object or a List) or YAML documents of the same. kInvalidConfig for any kind other than the RBAC
/// kinds and Namespace.
Result<std::vector<nlohmann::json>> ReadRbacObjects(std::string_view text);

/// Creates the objects in dependency order (namespaces, roles, bindings). Existing ones are left unchanged.
Result<void> CreateRbacObjects(const ResourceTable& resources, std::vector<nlohmann::json> objects);

/// Lists at resourceVersion "0", i.e. from the watch cache where there is one. `resources` must outlive the lister.
RbacLister ListerOf(const ResourceTable& resources);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_RBAC_SETUP_H_
