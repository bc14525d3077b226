#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_FIELD_VALUE_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_FIELD_VALUE_H_

#include <string>
#include <string_view>

#include <kinformer/codec/object.h>

#include "src/listwatch/storage/object_storage.h"

namespace kinformer::apiserver {

/// The value of a selectable field, as SelectionPredicate::Matches evaluates it. Empty if the object has none.
std::string FieldValue(const Object& object, std::string_view field, const StorageOptions& options);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_FIELD_VALUE_H_
