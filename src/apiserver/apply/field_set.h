#ifndef KINFORMER_SRC_APISERVER_APPLY_FIELD_SET_H_
#define KINFORMER_SRC_APISERVER_APPLY_FIELD_SET_H_

// In:     field paths
// Out:    sets of field paths: what a manager owns, what a change touched; FieldsV1 in JSON
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

/// A set of paths, stored as a tree. Membership of a path implies nothing about its prefixes or extensions.
class FieldSet {
 public:
  struct Node;

  FieldSet() = default;
  FieldSet(std::initializer_list<FieldPath> paths);

  /// Parses FieldsV1. Path elements of an unknown kind are skipped, with everything below them.
  static Result<FieldSet> FromJson(const nlohmann::json& fields);
  nlohmann::json ToJson() const;
  /// FieldsV1 as text in a real server's order: "." first, then names, keys and values, each sorted. (ToJson sorts by
  /// the elements' text, as our JSON objects always do.)
  std::string ToText() const;

  bool Empty() const { return nodes_.empty(); }
  std::size_t Size() const;
  /// The empty path cannot be a member.
  void Insert(const FieldPath& path);
  bool Has(const FieldPath& path) const;
  /// Null: no path starts with it.
  const Node* Find(const PathElement& element) const;
  /// By field name, without constructing an element.
  const Node* FindField(std::string_view name) const;
  /// The remainders of the paths that start with `element`.
  const FieldSet& Behind(const PathElement& element) const;

  FieldSet Union(const FieldSet& other) const;
  FieldSet Intersection(const FieldSet& other) const;
  /// Per path: `a.b` remains when `a` is removed, and vice versa.
  FieldSet Difference(const FieldSet& other) const;
  /// Difference, in place.
  void Subtract(const FieldSet& other);
  /// Removes all paths that start with the field.
  void EraseField(std::string_view name);
  /// Removes the paths in `other` and everything below them.
  FieldSet RecursiveDifference(const FieldSet& other) const;
  /// The paths that are not a prefix of another path in the set.
  FieldSet Leaves() const;
  /// Adds the named fields (but not map items or list elements) that its paths pass through.
  FieldSet EnsureNamedFieldsAreMembers(const TypeRef& type) const;

  /// Visits each path once; the paths of a level come before those below them.
  void ForEach(const std::function<void(const FieldPath&)>& each) const;

  const std::vector<Node>& nodes() const { return nodes_; }
  /// Adds a subtree. Precondition: `element` is not present. No-op if the subtree has no paths.
  void Add(PathElement element, bool member, FieldSet behind);
  /// Adds a subtree; merges it with an existing one.
  void Merge(PathElement element, bool member, FieldSet behind);

  bool operator==(const FieldSet& other) const;

 private:
  Node& Descend(const PathElement& element);
  std::vector<Node>::const_iterator LowerBound(const PathElement& element) const;

  /// Sorted; each node is a member or has paths below it.
  std::vector<Node> nodes_;
};

struct FieldSet::Node {
  PathElement element{};
  bool member = false;
  FieldSet behind{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_APPLY_FIELD_SET_H_
