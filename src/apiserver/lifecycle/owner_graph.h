#ifndef KINFORMER_SRC_APISERVER_LIFECYCLE_OWNER_GRAPH_H_
#define KINFORMER_SRC_APISERVER_LIFECYCLE_OWNER_GRAPH_H_

// In:     what is there, and what has gone
// Out:    who depends on whom
// Thread: none of its own; its owner's
// Next:   GarbageCollector

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <kinformer/codec/object.h>
#include <kinformer/meta/names.h>

namespace kinformer::apiserver {

/// An owner, as its dependent names it.
struct OwnerClaim {
  std::string uid{};
  std::string api_version{};
  std::string kind{};
  std::string name{};
  /// The owner waits for this dependent, if it is deleted in the foreground.
  bool blocks = false;
};

struct OwnedObject {
  GroupVersionResource resource{};
  NamespacedName key{};
  std::string uid{};
  std::vector<OwnerClaim> owners{};
  bool deleting = false;
  /// Deleted, and waits until its dependents are.
  bool waits_for_dependents = false;
  /// Deleted, and waits until its dependents have forgotten it.
  bool orphans_dependents = false;

  static OwnedObject Of(const GroupVersionResource& resource, const Object& object);
};

/// The objects of all kinds by uid, and the claims between them.
class OwnerGraph {
 public:
  /// Takes the place of the same object as it was before.
  void Set(OwnedObject object);
  void Remove(std::string_view uid);

  /// Null: not there.
  const OwnedObject* Find(std::string_view uid) const;
  /// The uids of those that claim to be owned by it, whether it is there or not.
  std::vector<std::string> DependentsOf(std::string_view uid) const;
  std::size_t Size() const { return objects_.size(); }

 private:
  void DropClaims(const OwnedObject& object);

  std::unordered_map<std::string, OwnedObject> objects_;
  /// Uids of dependents by their owner's.
  std::unordered_map<std::string, std::set<std::string>> dependents_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_LIFECYCLE_OWNER_GRAPH_H_
