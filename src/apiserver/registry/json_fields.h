#ifndef KINFORMER_SRC_APISERVER_REGISTRY_JSON_FIELDS_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_JSON_FIELDS_H_

// In:     an object whose fields may be absent
// Out:    their values, or an empty value
// Thread: any; pure
// Next:   kind_rules

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace kinformer::apiserver {

/// The member, or a JSON null if it is absent or `object` is not an object.
const nlohmann::json& FieldOf(const nlohmann::json& object, const char* name);

/// Empty if absent or not a string.
const std::string& TextOf(const nlohmann::json& object, const char* name);

std::optional<std::int64_t> IntegerOf(const nlohmann::json& object, const char* name);

/// Null, an empty object or array, or an empty string.
bool IsBlank(const nlohmann::json& value);

/// "path[3]"
std::string AtIndex(const std::string& path, std::size_t index);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_JSON_FIELDS_H_
