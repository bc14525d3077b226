#ifndef KINFORMER_SRC_APISERVER_CRD_KIND_HOST_H_
#define KINFORMER_SRC_APISERVER_CRD_KIND_HOST_H_

// In:     kinds that are added and removed
// Out:    their storages, and their registration as served resources
// Thread: the CrdManager's
// Next:   the server

#include <memory>
#include <stop_token>

#include <kinformer/base/result.h>

#include "src/apiserver/registry/resource_store.h"

namespace kinformer::apiserver {

/// What a CrdManager needs from the server.
class KindHost {
 public:
  virtual ~KindHost() = default;

  /// Opens a storage for the kind, ready for use. May block.
  virtual Result<std::shared_ptr<ObjectStorage>> Open(const ServedKind& kind, const std::stop_token& stop) = 0;
  /// Waits, for a limited time, until watches of a storage from Open have received all events. Close follows.
  virtual void Drain(const std::shared_ptr<ObjectStorage>& storage, const std::stop_token& stop) = 0;
  virtual void Close(const std::shared_ptr<ObjectStorage>& storage) = 0;

  /// Serves the kind; replaces one of the same name.
  virtual void Install(const ServedKind& kind, std::shared_ptr<ObjectStorage> storage) = 0;
  virtual void Remove(const GroupVersionResource& resource) = 0;
  /// Called after one or more calls to Install and Remove.
  virtual void KindsChanged() = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CRD_KIND_HOST_H_
