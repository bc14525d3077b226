#include "src/listwatch/storage/dry_runnable_storage.h"

#include <utility>

#include <kinformer/meta/status_error.h>

#include "src/listwatch/storage/storage_errors.h"

namespace kinformer::apiserver {

Result<ObjectPtr> DryRunnableStorage::Create(const ObjectPtr& object, std::chrono::seconds ttl,
                                             const std::stop_token& stop) const {
  if (!dry_run_) return storage_.Create(*object, ttl, stop);
  const std::string name(object->Name());
  const Result<ObjectPtr> there = storage_.Get(std::string(object->Namespace()), name, "", stop);
  if (there) return AlreadyExistsError(storage_.options().resource, name);
  if (!IsNotFound(there.error())) return there.error();
  return object;
}

Result<ObjectPtr> DryRunnableStorage::GuaranteedUpdate(const std::string& namespace_name, const std::string& name,
                                                       const Preconditions& preconditions,
                                                       const ObjectStorage::Change& change,
                                                       const std::stop_token& stop) const {
  if (!dry_run_) return storage_.GuaranteedUpdate(namespace_name, name, false, preconditions, change, stop);
  ObjectPtr unsaved;
  const auto pretend = [&](const ObjectPtr& current) -> Result<ObjectPtr> {
    Result<ObjectPtr> wanted = change(current);
    if (!wanted) return wanted;
    unsaved = *wanted == nullptr ? current : *wanted;
    // An error, not `current`: that would be written if it was stored in another version.
    return Error{.code = ErrorCode::kCancelled, .message = "dry run"};
  };
  Result<ObjectPtr> result = storage_.GuaranteedUpdate(namespace_name, name, false, preconditions, pretend, stop);
  return unsaved != nullptr ? Result<ObjectPtr>(std::move(unsaved)) : result;
}

}  // namespace kinformer::apiserver
