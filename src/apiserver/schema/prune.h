#ifndef KINFORMER_SRC_APISERVER_SCHEMA_PRUNE_H_
#define KINFORMER_SRC_APISERVER_SCHEMA_PRUNE_H_

// In:     a value as a client wrote it, and its schema
// Out:    the same without what the schema does not know; with its defaults
// Thread: any; pure
// Next:   the registry's writes

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "src/apiserver/schema/schema.h"

namespace kinformer::apiserver {

/// Drops fields that no schema names, and returns their paths ("spec.containers[0].foo"). Values of a wrong type are
/// left alone. apiVersion, kind and metadata of embedded resources stay.
std::vector<std::string> Prune(const Schema& schema, nlohmann::json& value);

/// Fills in what is not there, or null though it may not be, where there is a default. Values of a wrong type are left
/// alone.
void ApplyDefaults(const Schema& schema, nlohmann::json& value);

/// Drops fields of objects that are null though they may not be: as if they had not been sent.
void DropNulls(const Schema& schema, nlohmann::json& value);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_SCHEMA_PRUNE_H_
