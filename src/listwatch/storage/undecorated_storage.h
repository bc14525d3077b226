#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_UNDECORATED_STORAGE_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_UNDECORATED_STORAGE_H_

// In:     requests of one resource's endpoints
// Out:    objects, directly from the backend, without a cache
// Thread: the caller's, blocking on the backend; watches are pulled
// Next:   Backend

#include <memory>
#include <string>

#include "src/base/task_pool.h"
#include "src/listwatch/storage/backend.h"
#include "src/listwatch/storage/object_storage.h"

namespace kinformer::apiserver {

/// Reads and writes the backend directly. The Cacher writes through it and falls back to it; resources without a cache
/// (events) use it alone.
///
/// A future version fails at once (504): there is nothing to wait for, since every read is current.
///
/// @par Thread Safety
/// All functions may be called from any thread. The pool must outlive it; watches may outlive both.
class UndecoratedStorage final : public ObjectStorage {
 public:
  /// `pool`: for its clock, and its timers for deadlines and bookmarks of watches.
  UndecoratedStorage(std::shared_ptr<Backend> backend, StorageOptions options, TaskPool& pool);

  const StorageOptions& options() const override { return *options_; }
  Result<ObjectPtr> Create(const Object& object, std::chrono::seconds ttl, const std::stop_token& stop) override;
  Result<ObjectPtr> Get(const std::string& namespace_name, const std::string& name, const std::string& resource_version,
                        const std::stop_token& stop) override;
  Result<ObjectList> List(const ListQuery& query, const std::stop_token& stop) override;
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

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_UNDECORATED_STORAGE_H_
