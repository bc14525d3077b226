#ifndef KINFORMER_SRC_APISERVER_SCHEMA_CUSTOM_COLUMNS_H_
#define KINFORMER_SRC_APISERVER_SCHEMA_CUSTOM_COLUMNS_H_

// In:     the columns that a CustomResourceDefinition names
// Out:    all that kubectl get shows of its objects
// Thread: any; pure
// Next:   KindSchema::columns

#include <vector>

#include "src/apiserver/schema/schema.h"

namespace kinformer::apiserver {

/// The name, then what is given; the age, where that is nothing.
std::vector<PrinterColumn> CustomColumns(std::vector<PrinterColumn> additional);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_SCHEMA_CUSTOM_COLUMNS_H_
