#ifndef KINFORMER_SRC_SCHEMA_DECODE_H_
#define KINFORMER_SRC_SCHEMA_DECODE_H_

// In:     an object of a built-in kind as sent by a client
// Out:    the same object in canonical form, or a decoding error
// Thread: any; pure
// Next:   Prune, ApplyDefaults

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

#include "src/schema/schema.h"

namespace kinformer::apiserver {

/// Mimics decoding into Go structs: drops null fields, puts quantities and times into canonical form, and rejects
/// values of the wrong type. The error (kInvalidArgument) has a server's wording: "json: cannot unmarshal string into
/// Go struct field DeploymentSpec.spec.replicas of type int32". Unknown fields are left alone.
Result<void> Decode(const Schema& schema, nlohmann::json& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_SCHEMA_DECODE_H_
