#ifndef KINFORMER_SRC_SCHEMA_BUILT_IN_SELECTABLE_FIELDS_H_
#define KINFORMER_SRC_SCHEMA_BUILT_IN_SELECTABLE_FIELDS_H_

// In:     the name of a built-in kind
// Out:    its selectable fields, which OpenAPI does not contain; maintained by hand
// Thread: any; pure
// Next:   KindSchema::selectable_fields, and the registry, which needs them before the rest of the schema

#include <vector>

#include <kinformer/meta/names.h>

#include "src/schema/schema.h"

namespace kinformer::apiserver {

/// Empty: only metadata.name and metadata.namespace are selectable, or the kind is not built in.
std::vector<SelectableField> BuiltInSelectableFields(const GroupVersionKind& kind);

/// All kinds that have selectable fields.
std::vector<GroupVersionKind> KindsWithBuiltInSelectableFields();

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_SCHEMA_BUILT_IN_SELECTABLE_FIELDS_H_
