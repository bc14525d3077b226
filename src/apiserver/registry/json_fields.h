#ifndef KINFORMER_SRC_APISERVER_REGISTRY_JSON_FIELDS_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_JSON_FIELDS_H_

// In:     an object whose fields may be there or not
// Out:    their values, or an empty one
// Thread: any; pure
// Next:   kind_rules

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace kinformer::apiserver {

/// The member, or null (the value) where it is not there.
inline const nlohmann::json& FieldOf(const nlohmann::json& object, const char* name) {
  static const nlohmann::json none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

/// Empty where it is not there, or no text.
inline const std::string& TextOf(const nlohmann::json& object, const char* name) {
  static const std::string none;
  const nlohmann::json& value = FieldOf(object, name);
  return value.is_string() ? value.get_ref<const std::string&>() : none;
}

inline std::optional<std::int64_t> IntegerOf(const nlohmann::json& object, const char* name) {
  const nlohmann::json& value = FieldOf(object, name);
  if (!value.is_number_integer()) return std::nullopt;
  return value.get<std::int64_t>();
}

/// Not there, null, or with nothing in it.
inline bool IsBlank(const nlohmann::json& value) {
  return value.is_null() || (value.is_structured() && value.empty()) ||
         (value.is_string() && value.get_ref<const std::string&>().empty());
}

/// "path[3]"
inline std::string AtIndex(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_JSON_FIELDS_H_
