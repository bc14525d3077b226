#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_GROUP_ORDER_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_GROUP_ORDER_H_

// In:     the groups that are served
// Out:    in which order discovery tells them, which is also how clients choose among kinds of one name
// Thread: any; pure
// Next:   discovery_text, aggregated_discovery

#include <string>
#include <vector>

#include "src/apiserver/registry/served_kind.h"

namespace kinformer::apiserver {

/// Each once, Kubernetes' own in the order of a real server, then the others by name. Not the core, which has no name.
std::vector<std::string> GroupsInOrder(const std::vector<ServedKind>& kinds);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_GROUP_ORDER_H_
