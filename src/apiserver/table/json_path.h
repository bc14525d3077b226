#ifndef KINFORMER_SRC_APISERVER_TABLE_JSON_PATH_H_
#define KINFORMER_SRC_APISERVER_TABLE_JSON_PATH_H_

// In:     the JSONPath of a printer column, and objects
// Out:    the first value that it matches
// Thread: any; immutable once parsed
// Next:   TablePrinter

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>

namespace kinformer::apiserver {

/// The subset of JSONPath that columns of custom resources use:
///
///     .spec.replicas   .metadata.labels.app\.kubernetes\.io/name   .spec['a b']   .items[0].x   .items[-1]   .items[*]
///     .status.conditions[?(@.type=="Ready")].status    with ==, !=, <, <=, >, >=, or nothing: the field is there
class JsonPath {
 public:
  /// A leading '$' and enclosing braces are optional. kInvalidArgument if invalid.
  static Result<JsonPath> Parse(std::string_view text);

  /// The first match, in document order; absent if none.
  Value First(const Object& object) const;

 private:
  enum class Operator { kExists, kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };
  struct Filter {
    std::vector<std::string> fields{};
    Operator compare = Operator::kExists;
    /// A number, true, false or null as JSON text; unused if `is_text`.
    std::string literal{};
    std::string text{};
    bool is_text = false;
  };
  struct All {};
  using Step = std::variant<std::string, std::int64_t, All, Filter>;
  class Parser;

  static Value Field(const Value& value, const std::string& name);
  static bool Matches(const Value& element, const Filter& filter);
  static Value Find(const Value& value, const std::vector<Step>& steps, std::size_t at);

  /// Moves leading names from `steps_` to `begin_`, since an object resolves a pointer in one pass.
  void FoldNames();

  /// An RFC 6901 pointer; `steps_` start at its target.
  std::string begin_;
  std::vector<Step> steps_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_TABLE_JSON_PATH_H_
