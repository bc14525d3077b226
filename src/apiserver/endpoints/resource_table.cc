#include "src/apiserver/endpoints/resource_table.h"

#include <algorithm>
#include <utility>

namespace kinformer::apiserver {

void ResourceTable::Install(std::shared_ptr<const ResourceStore> store) {
  Remove(store->kind().resource);
  const MutexLock lock(mutex_);
  by_name_[store->kind().resource] = store;
  all_.push_back(std::move(store));
}

void ResourceTable::Remove(const GroupVersionResource& resource) {
  const MutexLock lock(mutex_);
  by_name_.erase(resource);
  all_.erase(
      std::remove_if(all_.begin(), all_.end(), [&](const auto& store) { return store->kind().resource == resource; }),
      all_.end());
}

std::shared_ptr<const ResourceStore> ResourceTable::Find(const GroupVersionResource& resource) const {
  const MutexLock lock(mutex_);
  const auto found = by_name_.find(resource);
  return found == by_name_.end() ? nullptr : found->second;
}

bool ResourceTable::Serves(const std::string& group, const std::string& version) const {
  const MutexLock lock(mutex_);
  return std::any_of(all_.begin(), all_.end(), [&](const auto& store) {
    return store->kind().resource.group == group && store->kind().resource.version == version;
  });
}

std::vector<std::shared_ptr<const ResourceStore>> ResourceTable::All() const {
  const MutexLock lock(mutex_);
  return all_;
}

}  // namespace kinformer::apiserver
