#ifndef KINFORMER_SRC_APISERVER_SCHEMA_PATTERN_H_
#define KINFORMER_SRC_APISERVER_SCHEMA_PATTERN_H_

// In:     a regular expression of a CustomResourceDefinition
// Out:    whether a text matches, in time and stack that neither the expression nor the text can blow up
// Thread: any; constant
// Next:   Validate

#include <memory>
#include <string>
#include <string_view>

#include <kinformer/base/result.h>

namespace kinformer::apiserver {

class Pattern {
 public:
  /// kInvalidArgument for what is no expression, is out of our bounds or needs back-references.
  static Result<std::shared_ptr<const Pattern>> Compile(const std::string& expression);

  virtual ~Pattern() = default;
  /// Anywhere in the text, as in OpenAPI.
  virtual bool Matches(std::string_view text) const = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_SCHEMA_PATTERN_H_
