#ifndef KINFORMER_SRC_APISERVER_REGISTRY_VERSION_ORDER_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_VERSION_ORDER_H_

// In:     versions of an API group
// Out:    which one clients should prefer
// Thread: any; pure
// Next:   discovery, CustomDefinition

#include <string_view>

namespace kinformer::apiserver {

/// v2 before v1 before v1beta2 before v1beta1 before v1alpha1; all that look different after those, by the alphabet.
bool IsPreferredVersion(std::string_view a, std::string_view b);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_VERSION_ORDER_H_
