#ifndef KINFORMER_SRC_SCHEMA_CUSTOM_COLUMNS_H_
#define KINFORMER_SRC_SCHEMA_CUSTOM_COLUMNS_H_

// In:     the columns declared by a CustomResourceDefinition
// Out:    all `kubectl get` columns of its objects
// Thread: any; pure
// Next:   KindSchema::columns

#include <vector>

#include "src/schema/schema.h"

namespace kinformer::apiserver {

/// The name, followed by `additional`, or by the age if `additional` is empty.
std::vector<PrinterColumn> CustomColumns(std::vector<PrinterColumn> additional);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_SCHEMA_CUSTOM_COLUMNS_H_
