#ifndef KINFORMER_SRC_SCHEMA_BUILT_IN_COLUMNS_H_
#define KINFORMER_SRC_SCHEMA_BUILT_IN_COLUMNS_H_

// In:     the name of a built-in kind
// Out:    its `kubectl get` columns, which OpenAPI does not contain; built_in_columns.cc is maintained by hand
// Thread: any; pure
// Next:   KindSchema::columns

#include <vector>

#include <kinformer/meta/names.h>

#include "src/schema/schema.h"

namespace kinformer::apiserver {

/// A real server's columns, with our own descriptions. Empty: not a built-in kind.
std::vector<PrinterColumn> BuiltInColumns(const GroupVersionKind& kind);

/// All kinds that have columns, for checking them against the served kinds.
std::vector<GroupVersionKind> KindsWithBuiltInColumns();

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_SCHEMA_BUILT_IN_COLUMNS_H_
