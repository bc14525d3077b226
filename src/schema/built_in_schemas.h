#ifndef KINFORMER_SRC_SCHEMA_BUILT_IN_SCHEMAS_H_
#define KINFORMER_SRC_SCHEMA_BUILT_IN_SCHEMAS_H_

// In:     the name of a built-in kind
// Out:    its schema: the generated structure, plus the hand-maintained defaults, columns and selectable fields
// Thread: any
// Next:   registry, apply, openapi, table

#include <string>

#include <kinformer/meta/names.h>

#include "src/schema/schema.h"

namespace kinformer::apiserver {

/// Null if the kind is not built in. Parsed on first use, then shared by all servers of the process for its lifetime.
KindSchemaPtr FindBuiltInSchema(const GroupVersionKind& kind);

/// Finds a built-in definition by name ("io.k8s.api.core.v1.PodSpec"); null: none. Lives as long as the process.
const Schema* FindBuiltInDefinition(const std::string& name);

/// The schema of metadata, the same for built-in and custom kinds.
const Schema& ObjectMetaSchema();

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_SCHEMA_BUILT_IN_SCHEMAS_H_
