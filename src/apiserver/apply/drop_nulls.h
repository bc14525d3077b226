#ifndef KINFORMER_SRC_APISERVER_APPLY_DROP_NULLS_H_
#define KINFORMER_SRC_APISERVER_APPLY_DROP_NULLS_H_

#include <nlohmann/json_fwd.hpp>

namespace kinformer::apiserver {

/// Removes members that are null, at any depth. Elements of arrays stay: a built-in kind's struct treats a null member
/// as absent.
void DropNulls(nlohmann::json& value);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_APPLY_DROP_NULLS_H_
