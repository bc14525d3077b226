#include "src/codec/json_fields.h"

#include <nlohmann/json.hpp>

namespace kinformer::internal {

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

bool FlagOf(const nlohmann::json& object, const char* name) {
  const nlohmann::json& value = FieldOf(object, name);
  return value.is_boolean() && value.get<bool>();
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

std::string JsonText(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string AtIndex(std::string_view path, std::size_t index) {
  return std::string(path) + "[" + std::to_string(index) + "]";
}

}  // namespace kinformer::internal
