#ifndef KINFORMER_SRC_APISERVER_REGISTRY_RENAMED_STORAGE_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_RENAMED_STORAGE_H_

// In:     objects of a kind that is stored as another kind: events.k8s.io Events are core Events with renamed fields
// Out:    the same objects in the other kind's storage, so that both kinds expose them
// Thread: any; owns no thread
// Next:   the other kind's ObjectStorage

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/listwatch/storage/object_storage.h"

namespace kinformer::apiserver {

/// Pairs of top-level field names: as exposed here, and as stored.
using FieldNames = std::vector<std::pair<std::string, std::string>>;

/// @par Thread Safety
/// All functions may be called from any thread.
class RenamedStorage final : public ObjectStorage {
 public:
  /// `options`: of the exposed kind. `stored`: the storage of the stored kind.
  RenamedStorage(StorageOptions options, FieldNames names, std::shared_ptr<ObjectStorage> stored);

  const StorageOptions& options() const override { return options_; }
  Result<ObjectPtr> Create(const Object& object, std::chrono::seconds ttl, const std::stop_token& stop) override;
  Result<ObjectPtr> Get(const std::string& namespace_name, const std::string& name, const std::string& resource_version,
                        const std::stop_token& stop) override;
  Result<ObjectList> List(const ListQuery& query, const std::stop_token& stop) override;
  Result<ObjectPtr> GuaranteedUpdate(const std::string& namespace_name, const std::string& name, bool create_if_missing,
                                     const Preconditions& preconditions, const Change& change,
                                     const std::stop_token& stop) override;
  Result<std::unique_ptr<WatchEventStream>> Watch(const WatchQuery& query, const std::stop_token& stop) override;
  Result<void> AwaitVersion(const std::string& resource_version, Suspension& suspension,
                            const std::stop_token& stop) override {
    return stored_->AwaitVersion(resource_version, suspension, stop);
  }
  Result<void> Ready() const override { return stored_->Ready(); }
  bool AnswersFromMemory() const override { return stored_->AnswersFromMemory(); }

 private:
  const StorageOptions options_;
  const FieldNames names_;
  const std::shared_ptr<ObjectStorage> stored_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_RENAMED_STORAGE_H_
