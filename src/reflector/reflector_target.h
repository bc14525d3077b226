#ifndef KINFORMER_SRC_REFLECTOR_REFLECTOR_TARGET_H_
#define KINFORMER_SRC_REFLECTOR_REFLECTOR_TARGET_H_

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kinformer/codec/object.h>

namespace kinformer {

/// What a Reflector writes to, in server order: a DeltaFifo in a client, a watch cache in a server.
///
/// @par Thread Safety
/// Called by one Reflector, on its task, one call at a time.
class ReflectorTarget {
 public:
  virtual ~ReflectorTarget() = default;
  virtual void Add(ObjectPtr object) = 0;
  virtual void Update(ObjectPtr object) = 0;
  virtual void Delete(ObjectPtr object) = 0;
  /// The transform dropped the object, or failed on its deletion. `object` only identifies the object and its version;
  /// its content must not be shown.
  virtual void Drop(ObjectPtr object) { Delete(std::move(object)); }
  /// The complete state at that version; objects not in it have been deleted.
  virtual void Replace(std::vector<ObjectPtr> objects, std::string resource_version) = 0;
  /// Nothing else changed up to that version.
  virtual void Bookmark(std::string resource_version) = 0;

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
