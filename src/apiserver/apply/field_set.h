#ifndef KINFORMER_SRC_APISERVER_APPLY_FIELD_SET_H_
#define KINFORMER_SRC_APISERVER_APPLY_FIELD_SET_H_

// In:     paths of fields
// Out:    sets of them: what a manager owns, what a change touched; FieldsV1 in JSON
// Thread: any; values
// Next:   ManagedFields

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

#include "src/apiserver/apply/path_element.h"
#include "src/apiserver/apply/type_ref.h"

namespace kinformer::apiserver {

/// A set of paths, kept as a tree. That a path is in the set says nothing of those that it begins with, or that begin
/// with it.
class FieldSet {
 public:
  struct Node;

  FieldSet() = default;
  FieldSet(std::initializer_list<FieldPath> paths);

  /// Reads FieldsV1. Elements of a kind that is not known are passed over, with all that is in them.
  static Result<FieldSet> FromJson(const nlohmann::json& fields);
  nlohmann::json ToJson() const;
  /// The same as text, in the order of a real server: "." first, then names, keys and values each in their own order.
  /// (ToJson's is the order of the texts of the elements, which a JSON object of ours always has.)
  std::string ToText() const;

  bool Empty() const { return nodes_.empty(); }
  std::size_t Size() const;
  /// The empty path is in no set.
  void Insert(const FieldPath& path);
  bool Has(const FieldPath& path) const;
  /// Null: nothing there begins with it.
  const Node* Find(const PathElement& element) const;
  /// By field name, without making an element of it.
  const Node* FindField(std::string_view name) const;
  /// The paths that go on behind `element`.
  const FieldSet& Behind(const PathElement& element) const;

  FieldSet Union(const FieldSet& other) const;
  FieldSet Intersection(const FieldSet& other) const;
  /// Path by path: `a.b` stays when `a` is taken away, and the other way round.
  FieldSet Difference(const FieldSet& other) const;
  /// The same, in place.
  void Subtract(const FieldSet& other);
  /// Takes away what begins with it.
  void EraseField(std::string_view name);
  /// Takes away what is in `other` and everything behind it.
  FieldSet RecursiveDifference(const FieldSet& other) const;
  /// Those that no other path of the set begins with.
  FieldSet Leaves() const;
  /// With the named fields (but not the map items or list elements) that its paths go through.
  FieldSet EnsureNamedFieldsAreMembers(const TypeRef& type) const;

  /// Each path once: those of a level before the ones behind them.
  void ForEach(const std::function<void(const FieldPath&)>& each) const;

  const std::vector<Node>& nodes() const { return nodes_; }
  /// Puts a subtree where there is none yet; nothing if the subtree has no paths.
  void Add(PathElement element, bool member, FieldSet behind);
  /// The same, where there may be something already: both are in it then.
  void Merge(PathElement element, bool member, FieldSet behind);

  bool operator==(const FieldSet& other) const;

 private:
  Node& Descend(const PathElement& element);
  std::vector<Node>::const_iterator LowerBound(const PathElement& element) const;

  /// Sorted; each is a member or has something behind it.
  std::vector<Node> nodes_;
};

struct FieldSet::Node {
  PathElement element{};
  bool member = false;
  FieldSet behind{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_APPLY_FIELD_SET_H_
