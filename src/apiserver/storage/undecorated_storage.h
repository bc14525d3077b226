#ifndef KINFORMER_SRC_APISERVER_STORAGE_UNDECORATED_STORAGE_H_
#define KINFORMER_SRC_APISERVER_STORAGE_UNDECORATED_STORAGE_H_

// In:     what the endpoints of one resource ask for
// Out:    objects, straight from the backend: no cache in between
// Thread: the caller's, which the backend's calls block; watches are pulled
// Next:   Backend

#include <memory>
#include <string>

#include <kinformer/base/task_pool.h>

#include "src/apiserver/storage/backend.h"
#include "src/apiserver/storage/object_storage.h"

namespace kinformer::apiserver {

/// Every read goes to the backend. What the Cacher writes through and falls back to, and all that resources without a
/// cache (events) have.
///
/// A version in the future is refused at once (504), since there is nothing to wait for that a later call would not
/// see.
///
/// @par Thread Safety
/// All functions may be called from any thread. The pool must outlive it; watches may outlive both.
class UndecoratedStorage final : public ObjectStorage {
 public:
  /// `pool`: its clock, and its timers for the deadlines and bookmarks of watches.
  UndecoratedStorage(std::shared_ptr<Backend> backend, StorageOptions options, TaskPool& pool);

  const StorageOptions& options() const override { return *options_; }
  Result<ObjectPtr> Create(const Object& object, std::chrono::seconds ttl, const std::stop_token& stop) override;
  Result<ObjectPtr> Get(const std::string& namespace_name, const std::string& name, const std::string& resource_version,
                        const std::stop_token& stop) override;
  Result<ListResult> List(const ListQuery& query, const std::stop_token& stop) override;
  Result<ObjectPtr> GuaranteedUpdate(const std::string& namespace_name, const std::string& name, bool create_if_missing,
                                     const Preconditions& preconditions, const Change& change,
                                     const std::stop_token& stop) override;
  Result<std::unique_ptr<WatchEventStream>> Watch(const WatchQuery& query, const std::stop_token& stop) override;
  Result<void> Ready() const override { return {}; }

 private:
  Result<ObjectPtr> Decode(const KeyValue& item, Revision revision) const;
  Result<void> CheckPreconditions(const std::string& name, const ObjectPtr& current,
                                  const Preconditions& preconditions) const;

  const std::shared_ptr<Backend> backend_;
  const std::shared_ptr<const StorageOptions> options_;
  TaskPool& pool_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_STORAGE_UNDECORATED_STORAGE_H_
