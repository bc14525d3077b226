#ifndef KINFORMER_SRC_APISERVER_RBAC_SETUP_H_
#define KINFORMER_SRC_APISERVER_RBAC_SETUP_H_

// In:     the server's own resources, and the objects that it begins with
// Out:    role-based access over them
// Thread: see each function
// Next:   ApiServer, which puts it together

#include <memory>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

#include "src/apiserver/access/rbac_authorizer.h"
#include "src/apiserver/endpoints/resource_table.h"

namespace kinformer::apiserver {

/// The objects of a text that is JSON (one object, or a List) or YAML (documents of such). kInvalidConfig for another
/// kind than those of RBAC, or a Namespace for them to be in.
Result<std::vector<nlohmann::json>> ReadRbacObjects(std::string_view text);

/// Creates them in the order in which they need each other; those that are there are left as they are.
Result<void> CreateRbacObjects(const ResourceTable& resources, std::vector<nlohmann::json> objects);

/// Lists of what the watch cache has at hand. `resources` must outlive it.
RbacLister ListerOf(const ResourceTable& resources);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_RBAC_SETUP_H_
