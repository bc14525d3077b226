#ifndef KINFORMER_SRC_SCHEMA_PATTERN_H_
#define KINFORMER_SRC_SCHEMA_PATTERN_H_

// In:     a regular expression of a CustomResourceDefinition
// Out:    whether a text matches, with bounded time and stack for any expression and text
// Thread: any; constant
// Next:   Validate

#include <memory>
#include <string>
#include <string_view>

#include <kinformer/base/result.h>

namespace kinformer::apiserver {

class Pattern {
 public:
  /// kInvalidArgument if the expression is invalid, exceeds our limits or uses back-references.
  static Result<std::shared_ptr<const Pattern>> Compile(const std::string& expression);

  virtual ~Pattern() = default;
  /// Whether the pattern matches anywhere in the text, as in OpenAPI. False if matching would exceed the time limit.
  virtual bool Matches(std::string_view text) const = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_SCHEMA_PATTERN_H_
