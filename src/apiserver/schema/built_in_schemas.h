#ifndef KINFORMER_SRC_APISERVER_SCHEMA_BUILT_IN_SCHEMAS_H_
#define KINFORMER_SRC_APISERVER_SCHEMA_BUILT_IN_SCHEMAS_H_

// In:     the name of a built-in kind
// Out:    its schema: the generated structure, with the defaults, columns and selectable fields that are kept by hand
// Thread: any
// Next:   registry, apply, openapi, table

#include <string>

#include <kinformer/meta/names.h>

#include "src/apiserver/schema/schema.h"

namespace kinformer::apiserver {

/// Null for a kind that is not built in. Read when it is first asked for, then kept: for all servers of the process,
/// and as long as that runs.
KindSchemaPtr FindBuiltInSchema(const GroupVersionKind& kind);

/// Of a definition by its name ("io.k8s.api.core.v1.PodSpec"), among those that built-in kinds lead to; null: none.
const Schema* FindBuiltInDefinition(const std::string& name);

/// What metadata is, of every kind, defined by users or not.
const Schema& ObjectMetaSchema();

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_SCHEMA_BUILT_IN_SCHEMAS_H_
