#ifndef KINFORMER_SRC_SCHEMA_VALIDATE_H_
#define KINFORMER_SRC_SCHEMA_VALIDATE_H_

// In:     a value and its schema
// Out:    validation errors, in a server's wording
// Thread: any; pure
// Next:   the causes of a 422

#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "src/schema/field_error.h"
#include "src/schema/schema.h"

namespace kinformer::apiserver {

struct ValidateOptions {
  /// The path of the value itself; its fields are then "PATH.field".
  std::string_view root_path{};
};

/// Checks types, formats, limits, enumerations, required fields, allOf/anyOf/oneOf/not, and that the elements of sets
/// and keyed lists are distinct. Ignores unknown fields (see Prune). Returns at most the first hundred errors.
std::vector<FieldError> Validate(const Schema& schema, const nlohmann::json& value,
                                 const ValidateOptions& options = {});

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_SCHEMA_VALIDATE_H_
