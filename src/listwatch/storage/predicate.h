#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_PREDICATE_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_PREDICATE_H_

// In:     a query whose predicate may select a single name
// Out:    the read, of a single key where that is possible
// Thread: the caller's; as ObjectStorage
// Next:   ObjectStorage

#include <memory>
#include <stop_token>

#include <kinformer/base/result.h>

#include "src/listwatch/storage/object_storage.h"

namespace kinformer::apiserver {

/// Reads by the query's predicate, like the functions of these names in kube-apiserver's registry. A predicate that
/// selects one name reads only that key, provided that the namespace is known (or the resource has none), the name can
/// be part of a key, and the list does not continue another.
Result<ObjectList> ListPredicate(ObjectStorage& storage, ListQuery query, const std::stop_token& stop);
Result<std::unique_ptr<WatchEventStream>> WatchPredicate(ObjectStorage& storage, WatchQuery query,
                                                         const std::stop_token& stop);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_PREDICATE_H_
