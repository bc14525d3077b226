#ifndef KINFORMER_SRC_APISERVER_APPLY_STRATEGIC_MERGE_H_
#define KINFORMER_SRC_APISERVER_APPLY_STRATEGIC_MERGE_H_

// In:     an object, a strategic merge patch, the schema of both
// Out:    the object with the patch
// Thread: any; pure
// Next:   registry

#include <nlohmann/json.hpp>

#include <kinformer/base/result.h>

#include "src/apiserver/schema/schema.h"

namespace kinformer::apiserver {

/// `patch` merged into `object`: objects field by field, lists by their merge key where the schema names one, all else
/// replaced; null deletes. The directives $patch, $retainKeys, $setElementOrder/LIST and $deleteFromPrimitiveList/LIST
/// are followed. 400 for a directive of the wrong form, 422 for lists in lists, 500 for an element without its merge
/// key or a field that the schema does not have, as a server answers.
Result<nlohmann::json> StrategicMerge(nlohmann::json object, nlohmann::json patch, const Schema& schema);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_APPLY_STRATEGIC_MERGE_H_
