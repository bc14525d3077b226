#ifndef KINFORMER_SRC_APISERVER_REGISTRY_METADATA_RULES_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_METADATA_RULES_H_

// In:     the metadata that an object is to have
// Out:    what a server would not take of it
// Thread: any; pure
// Next:   strategy

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/error.h>

#include "src/apiserver/registry/served_kind.h"

namespace kinformer::apiserver {

/// Of name, generateName, labels, annotations, finalizers and ownerReferences; all fields are of their types.
std::vector<ErrorCause> CheckMetadata(const ServedKind& kind, const nlohmann::json& metadata);

/// What whoever adds a finalizer to a custom object should know: a name without a domain may be somebody else's, too.
/// `before`: the metadata that it had; null: it is new. Of built-in kinds, nothing.
std::vector<std::string> FinalizerWarnings(const ServedKind& kind, const nlohmann::json& metadata,
                                           const nlohmann::json& before);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_METADATA_RULES_H_
