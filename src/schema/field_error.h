#ifndef KINFORMER_SRC_SCHEMA_FIELD_ERROR_H_
#define KINFORMER_SRC_SCHEMA_FIELD_ERROR_H_

// In:     a validation error of a field
// Out:    the cause that a server reports
// Thread: any; pure
// Next:   the causes of a Status

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/error.h>

namespace kinformer::apiserver {

/// reason "FieldValueInvalid", message "Invalid value: ...", field "spec.replicas".
using FieldError = ErrorCause;

/// A value as shown in error messages: strings in quotes, everything else as JSON; truncated if very long.
std::string ShownValue(const nlohmann::json& value);

FieldError FieldRequired(std::string field, std::string_view why = {});
FieldError FieldInvalid(std::string field, const nlohmann::json& value, std::string_view why);
FieldError FieldTypeInvalid(std::string field, const nlohmann::json& value, std::string_view why);
FieldError FieldNotSupported(std::string field, const nlohmann::json& value, const std::vector<std::string>& those);
FieldError FieldDuplicate(std::string field, const nlohmann::json& value);
FieldError FieldForbidden(std::string field, std::string_view why);
FieldError FieldTooLong(std::string field, std::int64_t most);
FieldError FieldTooMany(std::string field, std::int64_t count, std::int64_t most);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_SCHEMA_FIELD_ERROR_H_
