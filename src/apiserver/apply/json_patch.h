#ifndef KINFORMER_SRC_APISERVER_APPLY_JSON_PATCH_H_
#define KINFORMER_SRC_APISERVER_APPLY_JSON_PATCH_H_

// In:     an object, a JSON patch (RFC 6902)
// Out:    the patched object
// Thread: any; pure
// Next:   registry

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

namespace kinformer::apiserver {

/// Applies the operations of `patch` in order. Like a real server, it is more lenient than the RFC: a test for null
/// succeeds if the field is absent, replace creates a missing field, and -1 is the last element of a list. 400 if
/// `patch` is not a JSON patch; 422 if an operation fails: a failed test, a missing path, copies of more than 3 MiB in
/// total, or a result nested too deeply to be read again.
Result<nlohmann::json> ApplyJsonPatch(nlohmann::json object, const nlohmann::json& patch);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_APPLY_JSON_PATCH_H_
