#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_RESOURCE_TABLE_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_RESOURCE_TABLE_H_

// In:     the served resources
// Out:    the resource named by a path; all of them, for discovery
// Thread: any
// Next:   ApiHandler

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <kinformer/meta/names.h>

#include "src/apiserver/registry/resource_store.h"
#include "src/apiserver/reviews/create_only_resource.h"
#include "src/base/mutex.h"

namespace kinformer::apiserver {

/// @par Thread Safety
/// All functions may be called from any thread.
class ResourceTable {
 public:
  /// Replaces a resource of the same name.
  void Install(std::shared_ptr<const ResourceStore> store);
  void Install(std::shared_ptr<const CreateOnlyResource> resource);
  void Remove(const GroupVersionResource& resource);

  /// Null: not served.
  std::shared_ptr<const ResourceStore> Find(const GroupVersionResource& resource) const;
  std::shared_ptr<const CreateOnlyResource> FindCreateOnly(const GroupVersionResource& resource) const;
  bool Serves(const std::string& group, const std::string& version) const;
  /// Whether the group has a built-in kind in any version.
  bool HasBuiltIn(const std::string& group) const;
  /// The stored resources, in order of installation.
  std::vector<std::shared_ptr<const ResourceStore>> All() const;
  /// All kinds, including create-only ones, for discovery.
  std::vector<ServedKind> Kinds() const;

 private:
  mutable Mutex mutex_;
  std::vector<std::shared_ptr<const ResourceStore>> all_ KINFORMER_GUARDED_BY(mutex_);
  std::unordered_map<GroupVersionResource, std::shared_ptr<const ResourceStore>> by_name_ KINFORMER_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<const CreateOnlyResource>> create_only_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_RESOURCE_TABLE_H_
