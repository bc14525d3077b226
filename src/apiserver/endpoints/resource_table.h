#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_RESOURCE_TABLE_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_RESOURCE_TABLE_H_

// In:     the resources that are served
// Out:    the one that a path names; all of them, for discovery
// Thread: any
// Next:   ApiHandler

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <kinformer/base/mutex.h>
#include <kinformer/meta/names.h>

#include "src/apiserver/registry/resource_store.h"
#include "src/apiserver/reviews/create_only_resource.h"

namespace kinformer::apiserver {

/// @par Thread Safety
/// All functions may be called from any thread.
class ResourceTable {
 public:
  /// Takes the place of one of the same name.
  void Install(std::shared_ptr<const ResourceStore> store);
  void Install(std::shared_ptr<const CreateOnlyResource> resource);
  void Remove(const GroupVersionResource& resource);

  /// Null: there is none.
  std::shared_ptr<const ResourceStore> Find(const GroupVersionResource& resource) const;
  std::shared_ptr<const CreateOnlyResource> FindCreateOnly(const GroupVersionResource& resource) const;
  bool Serves(const std::string& group, const std::string& version) const;
  /// In any version, by itself and not because somebody defined it.
  bool HasBuiltIn(const std::string& group) const;
  /// Those that are stored, in the order in which they came.
  std::vector<std::shared_ptr<const ResourceStore>> All() const;
  /// Of all, for discovery.
  std::vector<ServedKind> Kinds() const;

 private:
  mutable Mutex mutex_;
  std::vector<std::shared_ptr<const ResourceStore>> all_ KINFORMER_GUARDED_BY(mutex_);
  std::unordered_map<GroupVersionResource, std::shared_ptr<const ResourceStore>> by_name_ KINFORMER_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<const CreateOnlyResource>> create_only_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_RESOURCE_TABLE_H_
