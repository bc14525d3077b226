#include "src/schema/field_error.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxShown = 10'000;

FieldError Made(std::string_view reason, std::string message, std::string_view why, std::string field) {
  if (!why.empty()) message += ": " + std::string(why);
  return {.reason = std::string(reason), .message = std::move(message), .field = std::move(field)};
}

}  // namespace

std::string ShownValue(const json& value) {
  std::string shown = value.dump(-1, ' ', false, json::error_handler_t::replace);
  if (shown.size() > kMaxShown) shown = shown.substr(0, kMaxShown) + "...";
  return shown;
}

FieldError FieldRequired(std::string field, std::string_view why) {
  return Made("FieldValueRequired", "Required value", why, std::move(field));
}

FieldError FieldInvalid(std::string field, const json& value, std::string_view why) {
  return Made("FieldValueInvalid", "Invalid value: " + ShownValue(value), why, std::move(field));
}

FieldError FieldTypeInvalid(std::string field, const json& value, std::string_view why) {
  return Made("FieldValueTypeInvalid", "Invalid value: " + ShownValue(value), why, std::move(field));
}

FieldError FieldNotSupported(std::string field, const json& value, const std::vector<std::string>& those) {
  std::string all;
  for (const std::string& one : those) all += (all.empty() ? "supported values: " : ", ") + ShownValue(one);
  return Made("FieldValueNotSupported", "Unsupported value: " + ShownValue(value), all, std::move(field));
}

FieldError FieldDuplicate(std::string field, const json& value) {
  return Made("FieldValueDuplicate", "Duplicate value: " + ShownValue(value), {}, std::move(field));
}

FieldError FieldForbidden(std::string field, std::string_view why) {
  return Made("FieldValueForbidden", "Forbidden", why, std::move(field));
}

FieldError FieldTooLong(std::string field, std::int64_t most) {
  return Made("FieldValueTooLong", "Too long",
              "may not be more than " + std::to_string(most) + (most == 1 ? " byte" : " bytes"), std::move(field));
}

FieldError FieldTooMany(std::string field, std::int64_t count, std::int64_t most) {
  return Made("FieldValueTooMany", "Too many: " + std::to_string(count),
              "must have at most " + std::to_string(most) + (most == 1 ? " item" : " items"), std::move(field));
}

}  // namespace kinformer::apiserver
