#ifndef KINFORMER_TEST_LISTWATCH_CACHER_PREDICATES_H_
#define KINFORMER_TEST_LISTWATCH_CACHER_PREDICATES_H_

#include <string>

#include "src/listwatch/storage/object_storage.h"

namespace kinformer::apiserver {

inline SelectionPredicate Fields(const std::string& text) { return {.fields = FieldSelector::Parse(text).value()}; }
inline SelectionPredicate Labels(const std::string& text) { return {.labels = LabelSelector::Parse(text).value()}; }

}  // namespace kinformer::apiserver

#endif  // KINFORMER_TEST_LISTWATCH_CACHER_PREDICATES_H_
