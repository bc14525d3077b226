#ifndef KINFORMER_SRC_REFLECTOR_REFLECTOR_TARGET_H_
#define KINFORMER_SRC_REFLECTOR_REFLECTOR_TARGET_H_

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kinformer/codec/object.h>

#include "src/reflector/delta.h"

namespace kinformer {

/// What a Reflector writes to, in server order: a DeltaFifo in a client, a watch cache in a server.
///
/// @par Thread Safety
/// Called by one Reflector, on its task, one call at a time.
class ReflectorTarget {
 public:
  virtual ~ReflectorTarget() = default;
  /// Any Delta except kForget and kResync.
  virtual void Put(internal::Delta delta) = 0;

  void Add(ObjectPtr object) { Put({.kind = internal::Delta::Kind::kAdd, .object = std::move(object)}); }
  void Update(ObjectPtr object) { Put({.kind = internal::Delta::Kind::kUpdate, .object = std::move(object)}); }
  void Delete(ObjectPtr object) { Put({.kind = internal::Delta::Kind::kDelete, .object = std::move(object)}); }
  void Drop(ObjectPtr object) { Put({.kind = internal::Delta::Kind::kDrop, .object = std::move(object)}); }
  void Replace(std::vector<ObjectPtr> objects, std::string resource_version) {
    Put({.kind = internal::Delta::Kind::kReplaceAll,
         .objects = std::move(objects),
         .resource_version = std::move(resource_version)});
  }
  void Bookmark(std::string resource_version) {
    Put({.kind = internal::Delta::Kind::kBookmark, .resource_version = std::move(resource_version)});
  }

  /// Back-pressure, asked before each part is taken from a stream. True: the reflector takes no more until the target
  /// calls `resume`. Calls that the current part still causes are accepted.
  virtual bool IsFull() const { return false; }
  /// Calls `resume` once the target is no longer full: at once, or later on any thread. Replaces an earlier one.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): overrides keep it.
  virtual void NotifyWhenNotFull(std::function<void()> resume) { resume(); }

  /// Brackets calls that arrived together: a target may defer its wake-ups until EndBatch. Not nested.
  virtual void BeginBatch() {}
  virtual void EndBatch() {}
};

/// The objects already known, so that a relist can share unchanged ones.
class KnownObjects {
 public:
  virtual ~KnownObjects() = default;
  virtual ObjectPtr Find(std::string_view namespace_name, std::string_view name) const = 0;
};

}  // namespace kinformer

#endif  // KINFORMER_SRC_REFLECTOR_REFLECTOR_TARGET_H_
