#ifndef KINFORMER_SRC_APISERVER_REGISTRY_METADATA_RULES_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_METADATA_RULES_H_

// In:     the metadata of an object to be stored
// Out:    validation errors and warnings
// Thread: any; pure
// Next:   strategy

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/error.h>

#include "src/apiserver/registry/served_kind.h"

namespace kinformer::apiserver {

/// Validates name, generateName, labels, annotations, finalizers and ownerReferences. Precondition: all fields have
/// their types.
std::vector<ErrorCause> CheckMetadata(const ServedKind& kind, const nlohmann::json& metadata);

/// Warnings about finalizers added to a custom object without a domain-qualified name, which may collide with another
/// writer's. `before`: the previous metadata; null on create. Empty for built-in kinds.
std::vector<std::string> FinalizerWarnings(const ServedKind& kind, const nlohmann::json& metadata,
                                           const nlohmann::json& before);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_METADATA_RULES_H_
