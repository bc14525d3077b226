#ifndef KINFORMER_SRC_APISERVER_REGISTRY_POD_BINDING_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_POD_BINDING_H_

// In:     a pod, and the Binding sent by a scheduler
// Out:    the pod with its node assigned, or an error
// Thread: none of its own; pure
// Next:   ResourceStore::Bind

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>
#include <kinformer/meta/time.h>

#include "src/apiserver/registry/served_kind.h"

namespace kinformer::apiserver {

/// Checks that the Binding names a node and matches the pod in the URL.
Result<void> CheckBinding(const nlohmann::json& binding, const std::string& namespace_name, const std::string& name);

/// The pod with its node assigned. 409 if it already has a node or is being deleted.
Result<nlohmann::json> Bound(const ServedKind& pods, nlohmann::json pod, const nlohmann::json& binding, Timestamp now);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_POD_BINDING_H_
