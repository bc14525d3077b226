#ifndef KINFORMER_SRC_LISTWATCH_CACHER_CACHE_EVENT_H_
#define KINFORMER_SRC_LISTWATCH_CACHER_CACHE_EVENT_H_

// In:     one change of one object
// Out:    the same change with the previous object, shared by all watchers
// Thread: immutable; any
// Next:   WatchCache keeps it, Dispatcher delivers it

#include <memory>
#include <mutex>
#include <utility>

#include <kinformer/base/clock.h>
#include <kinformer/codec/object.h>
#include <kinformer/codec/watch_event.h>

#include "src/listwatch/cacher/object_text.h"
#include "src/listwatch/storage/backend.h"

namespace kinformer::apiserver {

struct CacheEvent {
 public:
  CacheEvent(bool is_delete, ObjectPtr now, ObjectPtr before, Revision at, TimePoint when)
      : deleted(is_delete), object(std::move(now)), previous(std::move(before)), revision(at), recorded(when) {}

  /// True: deleted. False: added or changed.
  const bool deleted;
  /// Never null. For a deletion: the last state, with the resourceVersion of the deletion.
  const ObjectPtr object;
  /// Null if the object was not in the cache before.
  const ObjectPtr previous;
  const Revision revision;
  const TimePoint recorded;

  /// The object of a DELETED event: for a deletion `object`, else the previous content with this event's
  /// resourceVersion (the object no longer matches a selector). Created on first use. Precondition: `deleted`, or
  /// `previous` is not null.
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

#endif  // KINFORMER_SRC_LISTWATCH_CACHER_CACHE_EVENT_H_
