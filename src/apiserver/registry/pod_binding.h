#ifndef KINFORMER_SRC_APISERVER_REGISTRY_POD_BINDING_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_POD_BINDING_H_

// In:     a pod, and the Binding that a scheduler sends
// Out:    the pod on its node, or why not
// Thread: none of its own; pure
// Next:   ResourceStore::Bind

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>
#include <kinformer/meta/time.h>

#include "src/apiserver/registry/served_kind.h"

namespace kinformer::apiserver {

/// Whether it names a node, and the pod of the URL.
Result<void> CheckBinding(const nlohmann::json& binding, const std::string& namespace_name, const std::string& name);

/// 409 where the pod has a node already, or is being deleted.
Result<nlohmann::json> Bound(const ServedKind& pods, nlohmann::json pod, const nlohmann::json& binding, Timestamp now);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_POD_BINDING_H_
