#ifndef KINFORMER_SRC_APISERVER_SCHEMA_DECODE_H_
#define KINFORMER_SRC_APISERVER_SCHEMA_DECODE_H_

// In:     an object of a built-in kind as a client wrote it
// Out:    the same as a server understands it, or what it cannot make of it
// Thread: any; pure
// Next:   Prune, ApplyDefaults

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

#include "src/apiserver/schema/schema.h"

namespace kinformer::apiserver {

/// Built-in kinds are read into structures, which know types and nothing else: a null is a field that is not there, a
/// quantity and a time have one way to be written, and a value of another type cannot be read at all. That is an error
/// (kInvalidArgument) in a server's words: "json: cannot unmarshal string into Go struct field
/// DeploymentSpec.spec.replicas of type int32". Unknown fields are left alone.
Result<void> Decode(const Schema& schema, nlohmann::json& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_SCHEMA_DECODE_H_
