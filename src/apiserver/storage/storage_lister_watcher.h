#ifndef KINFORMER_SRC_APISERVER_STORAGE_STORAGE_LISTER_WATCHER_H_
#define KINFORMER_SRC_APISERVER_STORAGE_STORAGE_LISTER_WATCHER_H_

// In:     lists and watches of a Reflector
// Out:    the objects of one resource, straight from the backend
// Thread: the Reflector's task; never blocks on a network (Backend::StartRange), and decodes a page in small parts
// Next:   the Cacher's Reflector

#include <memory>

#include <kinformer/base/task_pool.h>
#include <kinformer/reflector/lister_watcher.h>

#include "src/apiserver/storage/backend.h"
#include "src/apiserver/storage/object_storage.h"

namespace kinformer::apiserver {

/// The greatest page that a list gives, and what a Cacher's Reflector should ask for.
inline constexpr std::int64_t kStoragePageSize = 10'000;

/// Lets the Reflector that clients use over HTTP read a storage.
///
/// Lists are always as of now, in pages which all are as of the first; a resourceVersion that the list asks for is what
/// the cache knows already, and the storage is never behind its cache. Watches begin at a version; every progress that
/// the backend reports becomes a BOOKMARK. Streaming lists are not served.
///
/// The pool must outlive it; the watches may outlive both, the lists not the backend.
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

#endif  // KINFORMER_SRC_APISERVER_STORAGE_STORAGE_LISTER_WATCHER_H_
