#ifndef KINFORMER_SRC_APISERVER_REGISTRY_RENAMED_STORAGE_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_RENAMED_STORAGE_H_

// In:     objects of a kind that is stored as another one: events.k8s.io Events are core Events with other names
// Out:    the same in the storage of that one, so that both kinds show the same objects
// Thread: any; nothing of its own
// Next:   the other kind's ObjectStorage

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/apiserver/storage/object_storage.h"

namespace kinformer::apiserver {

/// How fields directly in the object are called: here, and where they are stored.
using FieldNames = std::vector<std::pair<std::string, std::string>>;

/// @par Thread Safety
/// All functions may be called from any thread.
class RenamedStorage final : public ObjectStorage {
 public:
  /// `options`: of the kind that is seen. `stored`: of the one that is stored.
  RenamedStorage(StorageOptions options, FieldNames names, std::shared_ptr<ObjectStorage> stored);

  const StorageOptions& options() const override { return options_; }
  Result<ObjectPtr> Create(const Object& object, std::chrono::seconds ttl, const std::stop_token& stop) override;
  Result<ObjectPtr> Get(const std::string& namespace_name, const std::string& name, const std::string& resource_version,
                        const std::stop_token& stop) override;
  Result<ListResult> List(const ListQuery& query, const std::stop_token& stop) override;
  Result<ObjectPtr> GuaranteedUpdate(const std::string& namespace_name, const std::string& name, bool create_if_missing,
                                     const Preconditions& preconditions, const Change& change,
                                     const std::stop_token& stop) override;
  Result<std::unique_ptr<WatchEventStream>> Watch(const WatchQuery& query, const std::stop_token& stop) override;
  Result<void> Ready() const override { return stored_->Ready(); }

 private:
  const StorageOptions options_;
  const FieldNames names_;
  const std::shared_ptr<ObjectStorage> stored_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_RENAMED_STORAGE_H_
