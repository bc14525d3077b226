#ifndef KINFORMER_SRC_APISERVER_APPLY_TYPED_VALUE_H_
#define KINFORMER_SRC_APISERVER_APPLY_TYPED_VALUE_H_

// In:     JSON values and their type
// Out:    what fields they have, how two of them differ, one merged into the other, one without some of its fields
// Thread: any; pure
// Next:   FieldManager

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include <kinformer/base/result.h>

#include "src/apiserver/apply/field_set.h"
#include "src/apiserver/apply/path_element.h"
#include "src/apiserver/apply/type_ref.h"

namespace kinformer::apiserver {

enum class Duplicates { kForbidden, kAllowed };

/// Whether a value is what its type says: fields that have a name, elements with their keys, no two alike. All errors,
/// one to a line, as ".spec.ports[port=80]: expected string, got 1".
Result<void> ValidateTyped(const nlohmann::json& value, const TypeRef& type, Duplicates duplicates);

/// Each leaf and each item of maps and lists that the value has.
Result<FieldSet> FieldsOf(const nlohmann::json& value, const TypeRef& type);

/// No path is in more than one of them.
struct FieldComparison {
  FieldSet added{};
  FieldSet modified{};
  FieldSet removed{};

  bool Same() const { return added.Empty() && modified.Empty() && removed.Empty(); }
};
Result<FieldComparison> CompareTyped(const nlohmann::json& before, const nlohmann::json& after, const TypeRef& type);

/// `partial` laid over `value`: nothing goes away, leaves are as in `partial`, lists in the order of `partial` with
/// what it does not have in between.
Result<nlohmann::json> MergeTyped(const nlohmann::json& value, const nlohmann::json& partial, const TypeRef& type);

/// Without the items of `fields`. What loses everything becomes null.
nlohmann::json RemoveItems(const nlohmann::json& value, const FieldSet& fields, const TypeRef& type);
/// With nothing but the items of `fields`.
nlohmann::json ExtractItems(const nlohmann::json& value, const FieldSet& fields, const TypeRef& type);

/// What tells an element of a list from the others; an error in the words of messages.
Result<PathElement> ElementOf(const nlohmann::json& element, const TypeRef& list);

/// What of `fields` lies inside of something that its type now owns as a whole becomes that.
FieldSet ReconciledWith(const FieldSet& fields, const TypeRef& type);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_APPLY_TYPED_VALUE_H_
