#ifndef KINFORMER_SRC_APISERVER_SCHEMA_BUILT_IN_COLUMNS_H_
#define KINFORMER_SRC_APISERVER_SCHEMA_BUILT_IN_COLUMNS_H_

// In:     the name of a built-in kind
// Out:    the columns that kubectl get shows of it, which OpenAPI does not tell; built_in_columns.cc is kept by hand
// Thread: any; pure
// Next:   KindSchema::columns

#include <vector>

#include <kinformer/meta/names.h>

#include "src/apiserver/schema/schema.h"

namespace kinformer::apiserver {

/// Those of a real server, with our own descriptions. None: the kind is not built in.
std::vector<PrinterColumn> BuiltInColumns(const GroupVersionKind& kind);

/// All kinds that have some, for who wants to compare them with the kinds that there are.
std::vector<GroupVersionKind> KindsWithBuiltInColumns();

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_SCHEMA_BUILT_IN_COLUMNS_H_
