#ifndef KINFORMER_SRC_APISERVER_LIFECYCLE_OWNER_GRAPH_H_
#define KINFORMER_SRC_APISERVER_LIFECYCLE_OWNER_GRAPH_H_

// In:     current and deleted objects
// Out:    the dependencies between objects
// Thread: its owner's
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

/// An owner reference of a dependent.
struct OwnerClaim {
  std::string uid{};
  std::string api_version{};
  std::string kind{};
  std::string name{};
  /// The owner's foreground deletion waits for this dependent (blockOwnerDeletion).
  bool blocks = false;
};

struct OwnedObject {
  GroupVersionResource resource{};
  std::string kind{};
  NamespacedName key{};
  std::string uid{};
  std::vector<OwnerClaim> owners{};
  bool deleting = false;
  /// Being deleted in the foreground: waits for its dependents to be deleted.
  bool waits_for_dependents = false;
  /// Being deleted with orphaning: waits until its dependents no longer refer to it.
  bool orphans_dependents = false;

  static OwnedObject Of(const GroupVersionResource& resource, const Object& object);
  /// Whether a claim by an object in that namespace refers to this object: same uid, group, kind and name, and this
  /// object is in the same namespace or cluster-scoped.
  bool IsNamedBy(const OwnerClaim& claim, std::string_view namespace_name) const;
  /// This object is in a different namespace and cannot own objects in that one.
  bool IsElsewhere(std::string_view namespace_name) const;
};

/// Objects of all kinds by uid, and the owner references between them.
class OwnerGraph {
 public:
  /// Adds or replaces the object.
  void Set(OwnedObject object);
  void Remove(std::string_view uid);

  /// Null: unknown.
  const OwnedObject* Find(std::string_view uid) const;
  /// The uids of objects that name it as an owner, whether or not it exists.
  std::vector<std::string> DependentsOf(std::string_view uid) const;
  std::size_t Size() const { return objects_.size(); }

 private:
  void DropClaims(const OwnedObject& object);

  std::unordered_map<std::string, OwnedObject> objects_;
  /// Uids of dependents by the owner's uid.
  std::unordered_map<std::string, std::set<std::string>> dependents_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_LIFECYCLE_OWNER_GRAPH_H_
