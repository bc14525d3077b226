#ifndef KINFORMER_SRC_APISERVER_SCHEMA_FIELD_ERROR_H_
#define KINFORMER_SRC_APISERVER_SCHEMA_FIELD_ERROR_H_

// In:     what is wrong with a field
// Out:    the words in which a server says it
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

/// A value as error messages show it: texts in quotes, everything else as JSON; cut where it is very long.
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

#endif  // KINFORMER_SRC_APISERVER_SCHEMA_FIELD_ERROR_H_
