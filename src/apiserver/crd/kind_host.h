#ifndef KINFORMER_SRC_APISERVER_CRD_KIND_HOST_H_
#define KINFORMER_SRC_APISERVER_CRD_KIND_HOST_H_

// In:     kinds that come and go
// Out:    their storages, and their place among what is served
// Thread: the CrdManager's
// Next:   the server

#include <memory>
#include <stop_token>

#include <kinformer/base/result.h>

#include "src/apiserver/registry/resource_store.h"

namespace kinformer::apiserver {

/// What a CrdManager needs of the server around it.
class KindHost {
 public:
  virtual ~KindHost() = default;

  /// A storage for the kind, ready to be used. May block.
  virtual Result<std::shared_ptr<ObjectStorage>> Open(const ServedKind& kind, const std::stop_token& stop) = 0;
  /// Watches of a storage from Open that are behind are given what there is; then it is not used again.
  virtual void Drain(const std::shared_ptr<ObjectStorage>& storage, const std::stop_token& stop) = 0;
  virtual void Close(const std::shared_ptr<ObjectStorage>& storage) = 0;

  /// Serves the kind, in the place of one of the same name.
  virtual void Install(const ServedKind& kind, std::shared_ptr<ObjectStorage> storage) = 0;
  virtual void Remove(const GroupVersionResource& resource) = 0;
  /// After some of the last two.
  virtual void KindsChanged() = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CRD_KIND_HOST_H_
