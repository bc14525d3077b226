#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_DRY_RUNNABLE_STORAGE_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_DRY_RUNNABLE_STORAGE_H_

// In:     writes, and whether they are a dry run
// Out:    their result; a dry run writes nothing
// Thread: the caller's
// Next:   ObjectStorage

#include <chrono>
#include <stop_token>
#include <string>

#include "src/listwatch/storage/object_storage.h"

namespace kinformer::apiserver {

/// The writes of an ObjectStorage, which must outlive it. A dry run has the checks and the result of the write, except
/// for the resourceVersion that only a write can give.
class DryRunnableStorage {
 public:
  DryRunnableStorage(ObjectStorage& storage, bool dry_run) : storage_(storage), dry_run_(dry_run) {}

  /// Dry run: 409 AlreadyExists if there is an object of that name, otherwise `object` itself.
  Result<ObjectPtr> Create(const ObjectPtr& object, std::chrono::seconds ttl, const std::stop_token& stop) const;
  /// Of an existing object; 404 if there is none. Dry run: the result of `change`; for a deletion (null) the current
  /// object.
  Result<ObjectPtr> GuaranteedUpdate(const std::string& namespace_name, const std::string& name,
                                     const Preconditions& preconditions, const ObjectStorage::Change& change,
                                     const std::stop_token& stop) const;

 private:
  ObjectStorage& storage_;
  const bool dry_run_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_DRY_RUNNABLE_STORAGE_H_
