#ifndef KINFORMER_SRC_APISERVER_SCHEMA_SCHEMA_READER_H_
#define KINFORMER_SRC_APISERVER_SCHEMA_SCHEMA_READER_H_

// In:     an OpenAPI v3 schema as JSON: of a CustomResourceDefinition, or of the built-in kinds
// Out:    a Schema
// Thread: any; pure
// Next:   KindSchema

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

#include "src/apiserver/schema/schema.h"

namespace kinformer::apiserver {

/// Reads `schema`, whose $refs ("#/components/schemas/NAME") are looked up in `definitions` (an object by name; null:
/// there are none, as in a CRD). Descriptions are kept. What it does not understand is an error that names the path.
Result<const Schema*> ReadSchema(const nlohmann::json& schema, const nlohmann::json& definitions, SchemaPool& pool);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_SCHEMA_SCHEMA_READER_H_
