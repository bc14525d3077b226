#ifndef KINFORMER_SRC_APISERVER_CACHER_CACHE_EVENT_H_
#define KINFORMER_SRC_APISERVER_CACHER_CACHE_EVENT_H_

// In:     one change of one object
// Out:    the same, with what was there before, for all watchers alike
// Thread: immutable; any
// Next:   WatchCache keeps it, Dispatcher hands it on

#include <memory>
#include <mutex>
#include <utility>

#include <kinformer/base/clock.h>
#include <kinformer/codec/object.h>
#include <kinformer/codec/watch_event.h>

#include "src/apiserver/cacher/object_text.h"
#include "src/apiserver/storage/backend.h"

namespace kinformer::apiserver {

struct CacheEvent {
 public:
  CacheEvent(bool is_delete, ObjectPtr now, ObjectPtr before, Revision at, TimePoint when)
      : deleted(is_delete), object(std::move(now)), previous(std::move(before)), revision(at), recorded(when) {}

  /// The object is gone; else it was added or changed.
  const bool deleted;
  /// Never null; of a deletion the last state, with the deletion's version.
  const ObjectPtr object;
  /// Null if nothing was there.
  const ObjectPtr previous;
  const Revision revision;
  const TimePoint recorded;

  /// What a watcher gets for whom the object is gone: the previous content with the version of the change. Made once,
  /// when first asked for. Precondition: `previous` is there.
  const ObjectPtr& Gone() const {
    std::call_once(gone_once_, [this] { gone_ = deleted ? object : WithRevision(previous, revision); });
    return gone_;
  }

 private:
  mutable std::once_flag gone_once_;
  mutable ObjectPtr gone_;
};
using CacheEventPtr = std::shared_ptr<const CacheEvent>;

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CACHER_CACHE_EVENT_H_
