#ifndef KINFORMER_SRC_APISERVER_SCHEMA_BUILT_IN_SELECTABLE_FIELDS_H_
#define KINFORMER_SRC_APISERVER_SCHEMA_BUILT_IN_SELECTABLE_FIELDS_H_

// In:     the name of a built-in kind
// Out:    the fields that it can be selected by, which OpenAPI does not tell; kept by hand
// Thread: any; pure
// Next:   KindSchema::selectable_fields, and the registry, which needs them before it needs the rest of the schema

#include <vector>

#include <kinformer/meta/names.h>

#include "src/apiserver/schema/schema.h"

namespace kinformer::apiserver {

/// None: it is selected by metadata.name and metadata.namespace alone, or is not built in.
std::vector<SelectableField> BuiltInSelectableFields(const GroupVersionKind& kind);

/// All kinds that have some.
std::vector<GroupVersionKind> KindsWithBuiltInSelectableFields();

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_SCHEMA_BUILT_IN_SELECTABLE_FIELDS_H_
