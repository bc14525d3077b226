#include "src/apiserver/storage/object_storage.h"

namespace kinformer::apiserver {
namespace {

std::string FieldAt(const Object& object, std::string_view field) {
  std::string pointer;
  for (const char c : field) {
    if (c == '.') {
      pointer += '/';
    } else if (c == '~' || c == '/') {
      pointer += c == '~' ? "~0" : "~1";
    } else {
      pointer += c;
    }
  }
  const Value value = object.At("/" + pointer);
  if (std::optional<std::string> text = value.AsString()) return *std::move(text);
  return value.IsNull() ? std::string() : std::string(value.Raw());
}

}  // namespace

bool Predicate::Matches(const Object& object, const StorageOptions& options) const {
  if (!labels.Matches(object.Labels())) return false;
  return fields.Matches([&](std::string_view field) -> std::string {
    if (field == "metadata.name") return std::string(object.Name());
    if (field == "metadata.namespace") return std::string(object.Namespace());
    return options.field_value ? options.field_value(object, field) : FieldAt(object, field);
  });
}

}  // namespace kinformer::apiserver
