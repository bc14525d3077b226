#ifndef KINFORMER_SRC_APISERVER_APPLY_JSON_PATCH_H_
#define KINFORMER_SRC_APISERVER_APPLY_JSON_PATCH_H_

// In:     an object, a JSON patch (RFC 6902)
// Out:    the object with the patch
// Thread: any; pure
// Next:   registry

#include <nlohmann/json.hpp>

#include <kinformer/base/result.h>

namespace kinformer::apiserver {

/// `object` after the operations of `patch`, one after the other. As in a server, and more lenient than the RFC: a test
/// for null holds where the field is absent, replace makes a field that is not there, and -1 is the last of a list.
/// 400 for what is no JSON patch, 422 for an operation that cannot be done: a failed test, a path that is not there,
/// copies of more than 3 MiB together, or an object that is nested deeper than any that can be read.
Result<nlohmann::json> ApplyJsonPatch(nlohmann::json object, const nlohmann::json& patch);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_APPLY_JSON_PATCH_H_
