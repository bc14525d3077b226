#include "src/apiserver/registry/json_fields.h"

#include <nlohmann/json.hpp>

namespace kinformer::apiserver {

const nlohmann::json& FieldOf(const nlohmann::json& object, const char* name) {
  static const nlohmann::json none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

const std::string& TextOf(const nlohmann::json& object, const char* name) {
  static const std::string none;
  const nlohmann::json& value = FieldOf(object, name);
  return value.is_string() ? value.get_ref<const std::string&>() : none;
}

std::optional<std::int64_t> IntegerOf(const nlohmann::json& object, const char* name) {
  const nlohmann::json& value = FieldOf(object, name);
  if (!value.is_number_integer()) return std::nullopt;
  return value.get<std::int64_t>();
}

bool IsBlank(const nlohmann::json& value) {
  return value.is_null() || (value.is_structured() && value.empty()) ||
         (value.is_string() && value.get_ref<const std::string&>().empty());
}

std::string AtIndex(const std::string& path, std::size_t index) { return path + "[" + std::to_string(index) + "]"; }

}  // namespace kinformer::apiserver
