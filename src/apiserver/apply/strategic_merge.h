#ifndef KINFORMER_SRC_APISERVER_APPLY_STRATEGIC_MERGE_H_
#define KINFORMER_SRC_APISERVER_APPLY_STRATEGIC_MERGE_H_

// In:     an object, a strategic merge patch, the schema of both
// Out:    the patched object
// Thread: any; pure
// Next:   registry

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

#include "src/schema/schema.h"

namespace kinformer::apiserver {

/// Merges `patch` into `object`: objects per field, lists by their merge key if the schema defines one, everything else
/// is replaced; null deletes. Supports the directives $patch, $retainKeys, $setElementOrder/LIST and
/// $deleteFromPrimitiveList/LIST. As in a real server: 400 for a malformed directive, 422 for lists of lists, 500 for
/// an element without its merge key or a field that is not in the schema.
Result<nlohmann::json> StrategicMerge(nlohmann::json object, nlohmann::json patch, const Schema& schema);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_APPLY_STRATEGIC_MERGE_H_
