#ifndef KINFORMER_SRC_APISERVER_APPLY_PATH_ELEMENT_H_
#define KINFORMER_SRC_APISERVER_APPLY_PATH_ELEMENT_H_

// In:     the step from a value to one in it: a field's name, an element's key or value
// Out:    its order, and its two spellings: in FieldsV1 and for people
// Thread: any; values
// Next:   FieldSet

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <kinformer/base/result.h>

namespace kinformer::apiserver {

/// -1, 0 or 1. An order of all JSON values: numbers (by value, whether whole or not), strings, booleans, lists,
/// objects, null.
int CompareJson(const nlohmann::json& a, const nlohmann::json& b);

struct PathElement {
  enum class Kind {
    kField,  ///< of an object or map, by name
    kKey,    ///< of a list of objects, by the values of its key fields
    kValue,  ///< of a list of scalars, by itself
    kIndex,  ///< of any list
  };

  Kind kind = Kind::kField;
  std::string name{};
  /// Of kKey, sorted by name.
  std::vector<std::pair<std::string, nlohmann::json>> key{};
  nlohmann::json value{};
  std::int64_t index = 0;

  static PathElement Field(std::string name) { return {.kind = Kind::kField, .name = std::move(name)}; }
  /// Sorts.
  static PathElement Key(std::vector<std::pair<std::string, nlohmann::json>> key);
  static PathElement Value(nlohmann::json value) { return {.kind = Kind::kValue, .value = std::move(value)}; }
  static PathElement Index(std::int64_t index) { return {.kind = Kind::kIndex, .index = index}; }

  /// "f:name", `k:{"name":"x"}`, `v:"x"`, "i:0".
  std::string ToText() const;
  /// Nullopt for a kind of element that we do not know, which is to be passed over.
  static Result<std::optional<PathElement>> FromText(std::string_view text);
  /// ".name", `[name="x"]`, `[="x"]`, "[0]": as messages spell it.
  std::string ToString() const;

  int Compare(const PathElement& other) const;
  bool operator==(const PathElement& other) const { return Compare(other) == 0; }
  bool operator<(const PathElement& other) const { return Compare(other) < 0; }
};

using FieldPath = std::vector<PathElement>;
/// ".spec.containers[name=\"web\"].image"
std::string ToString(const FieldPath& path);

/// With quotes, as Go's %q writes a text.
std::string QuotedForPeople(std::string_view text);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_APPLY_PATH_ELEMENT_H_
