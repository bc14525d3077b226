#ifndef KINFORMER_TEST_LISTWATCH_STORAGE_HOOKED_STORAGE_H_
#define KINFORMER_TEST_LISTWATCH_STORAGE_HOOKED_STORAGE_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "src/listwatch/storage/object_storage.h"

namespace kinformer::apiserver {

/// Forwards all calls. Before gets, lists, updates and watches it runs a hook, which may change what is stored, block
/// or throw. `name` is empty for lists and watches.
class HookedStorage final : public ObjectStorage {
 public:
  enum class Call { kGet, kList, kUpdate, kWatch };
  using Hook = std::function<void(Call call, const std::string& name)>;

  explicit HookedStorage(std::shared_ptr<ObjectStorage> storage, Hook hook = {})
      : storage_(std::move(storage)), hook_(std::move(hook)) {}

  /// Must not be called during other calls, except from the hook itself. Calls made by the hook are not hooked.
  void SetHook(Hook hook) { hook_ = std::move(hook); }
  /// Lists return no more objects than this at a time. Zero: no limit.
  void SetLargestPage(std::int64_t objects) { largest_page_ = objects; }

  const StorageOptions& options() const override { return storage_->options(); }
  Result<ObjectPtr> Create(const Object& object, std::chrono::seconds ttl, const std::stop_token& stop) override {
    return storage_->Create(object, ttl, stop);
  }
  Result<ObjectPtr> Get(const std::string& namespace_name, const std::string& name, const std::string& version,
                        const std::stop_token& stop) override {
    Run(Call::kGet, name);
    return storage_->Get(namespace_name, name, version, stop);
  }
  Result<ObjectList> List(const ListQuery& query, const std::stop_token& stop) override {
    Run(Call::kList, "");
    if (largest_page_ == 0) return storage_->List(query, stop);
    ListQuery smaller = query;
    smaller.limit = query.limit == 0 ? largest_page_ : std::min(query.limit, largest_page_);
    return storage_->List(smaller, stop);
  }
  Result<ObjectPtr> GuaranteedUpdate(const std::string& namespace_name, const std::string& name, bool create_if_missing,
                                     const Preconditions& preconditions, const Change& change,
                                     const std::stop_token& stop) override {
    Run(Call::kUpdate, name);
    return storage_->GuaranteedUpdate(namespace_name, name, create_if_missing, preconditions, change, stop);
  }
  Result<std::unique_ptr<WatchEventStream>> Watch(const WatchQuery& query, const std::stop_token& stop) override {
    Run(Call::kWatch, "");
    return storage_->Watch(query, stop);
  }
  Result<void> Ready() const override { return storage_->Ready(); }

 private:
  void Run(Call call, const std::string& name) {
    thread_local bool running = false;
    if (running || !hook_) return;
    struct Running {
      Running() { running = true; }
      ~Running() { running = false; }
    } const in_hook;
    const Hook hook = hook_;
    hook(call, name);
  }

  const std::shared_ptr<ObjectStorage> storage_;
  Hook hook_;
  std::int64_t largest_page_ = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_TEST_LISTWATCH_STORAGE_HOOKED_STORAGE_H_
