#ifndef KINFORMER_SRC_APISERVER_CRD_CUSTOM_SCHEMA_H_
#define KINFORMER_SRC_APISERVER_CRD_CUSTOM_SCHEMA_H_

// In:     one version of a CustomResourceDefinition: its schema, columns and selectable fields
// Out:    the schema of whole objects of that version, like that of a built-in kind
// Thread: any; pure
// Next:   ServedKind::schema

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

#include "src/schema/schema.h"

namespace kinformer::apiserver {

/// apiVersion, kind and metadata have their standard schemas, whatever the definition says; its constraints on metadata
/// apply in addition. The error has one cause per mistake, with fields relative to the schema.
Result<KindSchemaPtr> ReadCustomSchema(const GroupVersionKind& kind, const nlohmann::json& version);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CRD_CUSTOM_SCHEMA_H_
