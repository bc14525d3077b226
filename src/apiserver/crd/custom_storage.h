#ifndef KINFORMER_SRC_APISERVER_CRD_CUSTOM_STORAGE_H_
#define KINFORMER_SRC_APISERVER_CRD_CUSTOM_STORAGE_H_

// In:     requests for one version of a custom kind
// Out:    objects in that version; watches that end with the kind
// Thread: calls block; watches are polled
// Next:   the definition's storage, shared by all its versions

#include <memory>
#include <string>
#include <vector>

#include "src/base/mutex.h"
#include "src/listwatch/storage/object_storage.h"

namespace kinformer::apiserver {

/// Ends the watches of one definition.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class WatchEnder {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void OnEnd() = 0;
  };

  /// Ends all watches, including future ones: each delivers its pending events, then WatchEnd.
  void End();
  bool Ended() const;
  /// Calls OnEnd once, on the thread that calls End, if the listener is still alive; immediately if already ended.
  void Add(const std::shared_ptr<Listener>& listener);

 private:
  mutable Mutex mutex_;
  bool ended_ KINFORMER_GUARDED_BY(mutex_) = false;
  std::vector<std::weak_ptr<Listener>> listeners_ KINFORMER_GUARDED_BY(mutex_);
};

/// A view of a storage in one version of its kind. Only apiVersion is converted (conversion strategy None); objects
/// already in that version are passed through.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class CustomStorage final : public ObjectStorage {
 public:
  CustomStorage(std::shared_ptr<ObjectStorage> storage, const GroupVersionResource& resource,
                std::shared_ptr<WatchEnder> ender);

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
    return storage_->AwaitVersion(resource_version, suspension, stop);
  }
  Result<void> Ready() const override { return storage_->Ready(); }
  bool AnswersFromMemory() const override { return storage_->AnswersFromMemory(); }

 private:
  Result<ObjectPtr> Out(Result<ObjectPtr> object) const;
  Result<ObjectPtr> In(Result<ObjectPtr> object) const;

  const std::shared_ptr<ObjectStorage> storage_;
  const StorageOptions options_;
  const std::string api_version_;
  const std::string stored_api_version_;
  const std::shared_ptr<WatchEnder> ender_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CRD_CUSTOM_STORAGE_H_
