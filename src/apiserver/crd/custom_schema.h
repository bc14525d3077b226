#ifndef KINFORMER_SRC_APISERVER_CRD_CUSTOM_SCHEMA_H_
#define KINFORMER_SRC_APISERVER_CRD_CUSTOM_SCHEMA_H_

// In:     one version of a CustomResourceDefinition: its schema, columns and selectable fields
// Out:    the schema of whole objects of that version, as built-in kinds have one
// Thread: any; pure
// Next:   ServedKind::schema

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

#include "src/apiserver/schema/schema.h"

namespace kinformer::apiserver {

/// apiVersion, kind and metadata are what they are in every object, whatever the schema says; what it wants of
/// metadata.name counts besides. The error has a cause for each mistake, its field relative to the schema.
Result<KindSchemaPtr> ReadCustomSchema(const GroupVersionKind& kind, const nlohmann::json& version);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CRD_CUSTOM_SCHEMA_H_
