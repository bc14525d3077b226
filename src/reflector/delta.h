#ifndef KINFORMER_SRC_REFLECTOR_DELTA_H_
#define KINFORMER_SRC_REFLECTOR_DELTA_H_

#include <cstddef>
#include <string>
#include <vector>

#include <kinformer/codec/object.h>

namespace kinformer::internal {

/// A change on its way from the Reflector to a cache. Before the Reflector it is a WatchEvent, behind the cache a
/// Notification.
struct Delta {
  /// kDrop: the transform dropped the object, or failed on its deletion. Like kDelete, but `object` only identifies the
  /// object and its version; its content must not be shown. kReplaceAll: the complete state at that version; objects
  /// not in it have been deleted. kBookmark: nothing else changed up to that version.
  ///
  /// Only within a DeltaFifo: kForget (the scope's writer has ended for good; its objects are removed from the cache)
  /// and kResync (redeliver every object).
  enum class Kind { kAdd, kUpdate, kDelete, kDrop, kReplaceAll, kBookmark, kForget, kResync };
  Kind kind = Kind::kAdd;
  /// The writer it came from: see DeltaScope. A kReplaceAll replaces only that writer's objects.
  int scope = 0;
  ObjectPtr object{};                ///< kAdd, kUpdate, kDelete, kDrop
  std::vector<ObjectPtr> objects{};  ///< kReplaceAll
  std::string resource_version{};    ///< kReplaceAll, kBookmark
  std::size_t bytes = 0;             ///< Set by the DeltaFifo: what the entry counts for.
};

/// True if the delta removes its object from a cache.
inline bool Removes(const Delta& delta) {
  return delta.kind == Delta::Kind::kDelete || delta.kind == Delta::Kind::kDrop;
}

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_REFLECTOR_DELTA_H_
