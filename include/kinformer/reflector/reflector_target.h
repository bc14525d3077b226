#ifndef KINFORMER_REFLECTOR_REFLECTOR_TARGET_H_
#define KINFORMER_REFLECTOR_REFLECTOR_TARGET_H_

#include <string>
#include <vector>

#include <kinformer/codec/object.h>

namespace kinformer {

/// What a Reflector writes to, in the server's order: a DeltaFifo in a client, a watch cache in a server.
///
/// @par Thread Safety
/// Called by one Reflector, on its task, one call at a time.
class ReflectorTarget {
 public:
  virtual ~ReflectorTarget() = default;
  virtual void Add(ObjectPtr object) = 0;
  virtual void Update(ObjectPtr object) = 0;
  virtual void Delete(ObjectPtr object) = 0;
  /// All that there is at that version; what is not in it is gone.
  virtual void Replace(std::vector<ObjectPtr> objects, std::string resource_version) = 0;
  /// Nothing changed up to that version.
  virtual void Bookmark(std::string resource_version) = 0;

  /// The calls between these two came together: a target may wait for the end before it wakes anybody. Not nested.
  virtual void BeginBatch() {}
  virtual void EndBatch() {}
};

/// What is known already, so that a relist shares the objects that have not changed.
class KnownObjects {
 public:
  virtual ~KnownObjects() = default;
  virtual ObjectPtr Find(std::string_view namespace_name, std::string_view name) const = 0;
};

}  // namespace kinformer

#endif  // KINFORMER_REFLECTOR_REFLECTOR_TARGET_H_
