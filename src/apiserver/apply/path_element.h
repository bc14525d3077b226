#ifndef KINFORMER_SRC_APISERVER_APPLY_PATH_ELEMENT_H_
#define KINFORMER_SRC_APISERVER_APPLY_PATH_ELEMENT_H_

// In:     one step of a field path: a field's name, an element's key or value
// Out:    its order, and its two text forms: for FieldsV1 and for messages
// Thread: any; values
// Next:   FieldSet

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

namespace kinformer::apiserver {

/// -1, 0 or 1. A total order of JSON values: numbers (by value, integer or not), strings, booleans, lists, objects,
/// null.
int CompareJson(const nlohmann::json& a, const nlohmann::json& b);

/// Name and value of each key field of a list's element.
using KeyFields = std::vector<std::pair<std::string, nlohmann::json>>;

struct PathElement {
  enum class Kind {
    kField,  ///< member of an object or map, by name
    kKey,    ///< element of a list of objects, by its key fields
    kValue,  ///< element of a list of scalars, by value
    kIndex,  ///< element of any list
  };

  Kind kind = Kind::kField;
  std::string name{};
  /// For kKey; sorted by name. Shared by copies.
  std::shared_ptr<const KeyFields> key{};
  /// For kValue. Shared by copies.
  std::shared_ptr<const nlohmann::json> value{};
  std::int64_t index = 0;

  static PathElement Field(std::string name) { return {.kind = Kind::kField, .name = std::move(name)}; }
  /// `key` need not be sorted.
  static PathElement Key(KeyFields key);
  static PathElement Value(nlohmann::json value);
  static PathElement Index(std::int64_t index) { return {.kind = Kind::kIndex, .index = index}; }

  /// "f:name", `k:{"name":"x"}`, `v:"x"`, "i:0".
  std::string ToText() const;
  /// Nullopt for an unknown kind of element, which is to be skipped.
  static Result<std::optional<PathElement>> FromText(std::string_view text);
  /// For messages: ".name", `[name="x"]`, `[="x"]`, "[0]".
  std::string ToString() const;

  int Compare(const PathElement& other) const;
  bool operator==(const PathElement& other) const { return Compare(other) == 0; }
  bool operator<(const PathElement& other) const { return Compare(other) < 0; }
};

using FieldPath = std::vector<PathElement>;
/// ".spec.containers[name=\"web\"].image"
std::string ToString(const FieldPath& path);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_APPLY_PATH_ELEMENT_H_
