#ifndef KINFORMER_SRC_SCHEMA_PRUNE_H_
#define KINFORMER_SRC_SCHEMA_PRUNE_H_

// In:     a value as sent by a client, and its schema
// Out:    the same value without unknown fields, with defaults
// Thread: any; pure
// Next:   the registry's writes

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "src/schema/schema.h"

namespace kinformer::apiserver {

/// Drops fields that are not in the schema and returns their paths ("spec.containers[0].foo"). Values of the wrong type
/// are left alone. apiVersion, kind and metadata of embedded resources are kept.
std::vector<std::string> Prune(const Schema& schema, nlohmann::json& value);

/// Applies defaults to fields that are absent, or null although not nullable. Values of the wrong type are left alone.
void ApplyDefaults(const Schema& schema, nlohmann::json& value);

/// Drops fields that are null although not nullable, as if they had not been sent.
void DropNulls(const Schema& schema, nlohmann::json& value);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_SCHEMA_PRUNE_H_
