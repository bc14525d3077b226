#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_GROUP_ORDER_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_GROUP_ORDER_H_

// In:     the served groups
// Out:    their order in discovery, by which clients resolve kinds of the same name
// Thread: any; pure
// Next:   discovery_text, aggregated_discovery

#include <string>
#include <vector>

#include "src/apiserver/registry/served_kind.h"

namespace kinformer::apiserver {

/// The distinct groups: Kubernetes' own in a real server's order, then the others by name. Excludes the core group.
std::vector<std::string> GroupsInOrder(const std::vector<ServedKind>& kinds);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_GROUP_ORDER_H_
