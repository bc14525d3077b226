#ifndef KINFORMER_SRC_APISERVER_APPLY_TYPED_VALUE_H_
#define KINFORMER_SRC_APISERVER_APPLY_TYPED_VALUE_H_

// In:     JSON values and their type
// Out:    their fields, differences, merges, and removal or extraction of fields
// Thread: any; pure
// Next:   FieldManager

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

#include "src/apiserver/apply/field_set.h"
#include "src/apiserver/apply/path_element.h"
#include "src/apiserver/apply/type_ref.h"

namespace kinformer::apiserver {

enum class Duplicates { kForbidden, kAllowed };

/// Validates a value against its type: declared fields, elements with their keys, no duplicates. Reports all errors (up
/// to a hundred), one per line: ".spec.ports[port=80]: expected string, got 1".
Result<void> ValidateTyped(const nlohmann::json& value, const TypeRef& type, Duplicates duplicates);

/// All leaves, and all items of maps and lists, of the value.
Result<FieldSet> FieldsOf(const nlohmann::json& value, const TypeRef& type);

/// The sets are disjoint.
struct FieldComparison {
  FieldSet added{};
  FieldSet modified{};
  FieldSet removed{};

  bool Same() const { return added.Empty() && modified.Empty() && removed.Empty(); }
};
Result<FieldComparison> CompareTyped(const nlohmann::json& before, const nlohmann::json& after, const TypeRef& type);

/// Overlays `partial` on `value`: nothing is removed, leaves come from `partial`, and lists have the order of `partial`
/// with the other elements in between.
Result<nlohmann::json> MergeTyped(const nlohmann::json& value, const nlohmann::json& partial, const TypeRef& type);

/// Removes the items in `fields`. A container that becomes empty becomes null.
nlohmann::json RemoveItems(const nlohmann::json& value, const FieldSet& fields, const TypeRef& type);
/// Keeps only the items in `fields`.
nlohmann::json ExtractItems(const nlohmann::json& value, const FieldSet& fields, const TypeRef& type);

/// The path element that identifies a list element, or an error in a server's wording.
Result<PathElement> ElementOf(const nlohmann::json& element, const TypeRef& list);

/// Replaces paths inside a value that its type now declares atomic by the path of that value.
FieldSet ReconciledWith(const FieldSet& fields, const TypeRef& type);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_APPLY_TYPED_VALUE_H_
