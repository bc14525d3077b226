#ifndef KINFORMER_SRC_APISERVER_TABLE_JSON_PATH_H_
#define KINFORMER_SRC_APISERVER_TABLE_JSON_PATH_H_

// In:     the JSONPath of a printer column, and objects
// Out:    the values that it finds in them
// Thread: constant once parsed
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

/// The part of JSONPath that columns of custom resources use:
///
///     .spec.replicas   .metadata.labels.app\.kubernetes\.io/name   .spec['a b']   .items[0].x   .items[-1]   .items[*]
///     .status.conditions[?(@.type=="Ready")].status    with ==, !=, <, <=, >, >=, or nothing: the field is there
class JsonPath {
 public:
  /// With or without a leading '$' and braces around it.
  static Result<JsonPath> Parse(std::string_view text);

  /// The first that matches, in the object's order; absent if none does.
  Value First(const Object& object) const;

 private:
  enum class Operator { kExists, kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };
  struct Filter {
    std::vector<std::string> fields{};
    Operator compare = Operator::kExists;
    /// As JSON text: a string, a number, true, false or null.
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

  /// Takes the names that the path begins with off the steps: an object finds those at once.
  void FoldNames();

  /// An RFC 6901 pointer; `steps_` begin where it leads to.
  std::string begin_;
  std::vector<Step> steps_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_TABLE_JSON_PATH_H_
