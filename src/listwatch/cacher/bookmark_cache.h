#ifndef KINFORMER_SRC_LISTWATCH_CACHER_BOOKMARK_CACHE_H_
#define KINFORMER_SRC_LISTWATCH_CACHER_BOOKMARK_CACHE_H_

#include <array>
#include <cstddef>
#include <memory>
#include <utility>

#include "src/base/mutex.h"
#include "src/listwatch/storage/object_codec.h"
#include "src/listwatch/storage/object_storage.h"

namespace kinformer::apiserver {

/// The latest bookmarks, without and with the initial-events-end annotation: repeated calls for the same bookmark
/// return the same object.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class BookmarkCache {
 public:
  explicit BookmarkCache(std::shared_ptr<const StorageOptions> storage) : storage_(std::move(storage)) {}

  ObjectPtr Get(Revision revision, bool ends_initial_events) {
    const std::size_t slot = ends_initial_events ? 1 : 0;
    {
      const MutexLock lock(mutex_);
      const auto& [known, bookmark] = latest_[slot];
      if (bookmark != nullptr && known == revision) return bookmark;
    }
    ObjectPtr made = MakeBookmark(storage_->kind, revision, ends_initial_events);
    const MutexLock lock(mutex_);
    latest_[slot] = {revision, made};
    return made;
  }

 private:
  const std::shared_ptr<const StorageOptions> storage_;
  Mutex mutex_;
  std::array<std::pair<Revision, ObjectPtr>, 2> latest_ KINFORMER_GUARDED_BY(mutex_){};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_CACHER_BOOKMARK_CACHE_H_
