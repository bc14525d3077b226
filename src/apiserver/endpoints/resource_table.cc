#include "src/apiserver/endpoints/resource_table.h"

#include <algorithm>
#include <utility>

namespace kinformer::apiserver {

void ResourceTable::Install(std::shared_ptr<const ResourceStore> store) {
  const MutexLock lock(mutex_);
  by_name_[store->kind().resource] = store;
  // Replaced in place, so that no lookup misses it.
  const auto same = std::find_if(all_.begin(), all_.end(),
                                 [&](const auto& other) { return other->kind().resource == store->kind().resource; });
  if (same != all_.end()) {
    *same = std::move(store);
  } else {
    all_.push_back(std::move(store));
  }
}

void ResourceTable::Install(std::shared_ptr<const CreateOnlyResource> resource) {
  Remove(resource->kind().resource);
  const MutexLock lock(mutex_);
  create_only_.push_back(std::move(resource));
}

void ResourceTable::Remove(const GroupVersionResource& resource) {
  const MutexLock lock(mutex_);
  by_name_.erase(resource);
  create_only_.erase(std::remove_if(create_only_.begin(), create_only_.end(),
                                    [&](const auto& other) { return other->kind().resource == resource; }),
                     create_only_.end());
  all_.erase(
      std::remove_if(all_.begin(), all_.end(), [&](const auto& store) { return store->kind().resource == resource; }),
      all_.end());
}

std::shared_ptr<const ResourceStore> ResourceTable::Find(const GroupVersionResource& resource) const {
  const MutexLock lock(mutex_);
  const auto found = by_name_.find(resource);
  return found == by_name_.end() ? nullptr : found->second;
}

std::shared_ptr<const CreateOnlyResource> ResourceTable::FindCreateOnly(const GroupVersionResource& resource) const {
  const MutexLock lock(mutex_);
  const auto found = std::find_if(create_only_.begin(), create_only_.end(),
                                  [&](const auto& other) { return other->kind().resource == resource; });
  return found == create_only_.end() ? nullptr : *found;
}

bool ResourceTable::Serves(const std::string& group, const std::string& version) const {
  const auto of_group = [&](const auto& one) {
    return one->kind().resource.group == group && one->kind().resource.version == version;
  };
  const MutexLock lock(mutex_);
  return std::any_of(all_.begin(), all_.end(), of_group) ||
         std::any_of(create_only_.begin(), create_only_.end(), of_group);
}

bool ResourceTable::HasBuiltIn(const std::string& group) const {
  const auto of_group = [&](const auto& one) {
    return one->kind().resource.group == group && one->kind().schema == nullptr;
  };
  const MutexLock lock(mutex_);
  return std::any_of(all_.begin(), all_.end(), of_group) ||
         std::any_of(create_only_.begin(), create_only_.end(), of_group);
}

std::vector<ServedKind> ResourceTable::Kinds() const {
  const MutexLock lock(mutex_);
  std::vector<ServedKind> kinds;
  for (const auto& store : all_) kinds.push_back(store->kind());
  for (const auto& resource : create_only_) kinds.push_back(resource->kind());
  return kinds;
}

std::vector<std::shared_ptr<const ResourceStore>> ResourceTable::All() const {
  const MutexLock lock(mutex_);
  return all_;
}

}  // namespace kinformer::apiserver
