#ifndef KINFORMER_SRC_APISERVER_REGISTRY_VERSION_ORDER_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_VERSION_ORDER_H_

// In:     versions of an API group
// Out:    the order in which clients should prefer them
// Thread: any; pure
// Next:   discovery, CustomDefinition

#include <string_view>

namespace kinformer::apiserver {

/// True if `a` is preferred to `b`: v2, v1, v1beta2, v1beta1, v1alpha1, then all other names alphabetically.
bool IsPreferredVersion(std::string_view a, std::string_view b);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_VERSION_ORDER_H_
