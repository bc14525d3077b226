#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_STORAGE_LISTER_WATCHER_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_STORAGE_LISTER_WATCHER_H_

// In:     lists and watches of a Reflector
// Out:    the objects of one resource, directly from the backend
// Thread: the Reflector's task; never blocks on the network (Backend::StartRange), and decodes pages in small parts
// Next:   the Cacher's Reflector

#include <memory>

#include <kinformer/reflector/lister_watcher.h>

#include "src/base/task_pool.h"
#include "src/listwatch/storage/backend.h"
#include "src/listwatch/storage/object_storage.h"

namespace kinformer::apiserver {

/// Maximum page size of a list, and the page size that a Cacher's Reflector should use.
inline constexpr std::int64_t kStoragePageSize = 10'000;

/// Lets a Reflector, as clients use it over HTTP, read a storage.
///
/// A list reads the current state, and all its pages are at the revision of the first. The requested resourceVersion is
/// ignored: it comes from the cache, and the storage is never behind its cache. Watches need a version; all progress
/// that the backend reports becomes a BOOKMARK. Streaming lists are not supported.
///
/// The pool must outlive it. Lists and watches may outlive it; they keep the backend.
class StorageListerWatcher final : public ListerWatcher {
 public:
  StorageListerWatcher(std::shared_ptr<Backend> backend, StorageOptions options, TaskPool& pool);

  std::unique_ptr<ListStream> List(const ListRequest& request) override;
  std::unique_ptr<WatchEventStream> Watch(const WatchRequest& request) override;
  bool SupportsStreamingLists() const override { return false; }

 private:
  const std::shared_ptr<Backend> backend_;
  const std::shared_ptr<const StorageOptions> options_;
  TaskPool& pool_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_STORAGE_LISTER_WATCHER_H_
