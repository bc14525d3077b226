#ifndef KINFORMER_SRC_APISERVER_SCHEMA_VALIDATE_H_
#define KINFORMER_SRC_APISERVER_SCHEMA_VALIDATE_H_

// In:     a value and its schema
// Out:    what is wrong with it, in the words of a server
// Thread: any; pure
// Next:   the causes of a 422

#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "src/apiserver/schema/field_error.h"
#include "src/apiserver/schema/schema.h"

namespace kinformer::apiserver {

struct ValidateOptions {
  /// What the value itself is called; its fields then are "PATH.field".
  std::string_view root_path{};
};

/// Types, formats, limits, enumerations, required fields, allOf/anyOf/oneOf/not, and that the elements of sets and
/// lists with keys are different ones. Unknown fields are Prune's business. At most a hundred, the first ones.
std::vector<FieldError> Validate(const Schema& schema, const nlohmann::json& value,
                                 const ValidateOptions& options = {});

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_SCHEMA_VALIDATE_H_
