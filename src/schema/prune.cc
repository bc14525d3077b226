#include "src/schema/prune.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "src/schema/field_path.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

/// Fields that embedded resources have without a schema.
bool IsOfEveryObject(const std::string& name) { return name == "apiVersion" || name == "kind" || name == "metadata"; }

bool HasFields(const Schema& schema) { return schema.type == SchemaType::kObject || !schema.fields.empty(); }

void PruneAt(const Schema& schema, json& value, const FieldPath& path, std::vector<std::string>& dropped) {
  if (value.is_array()) {
    if (schema.type != SchemaType::kArray || schema.items == nullptr) return;
    std::size_t i = 0;
    for (json& item : value) PruneAt(*schema.items, item, FieldPath(path, i++), dropped);
    return;
  }
  if (!value.is_object()) return;
  if (schema.type == SchemaType::kMap) {
    if (schema.items == nullptr) return;
    for (auto it = value.begin(); it != value.end(); ++it) {
      PruneAt(*schema.items, *it, FieldPath(path, it.key()), dropped);
    }
    return;
  }
  if (!HasFields(schema)) return;
  for (auto it = value.begin(); it != value.end();) {
    if (const SchemaField* field = schema.Find(it.key()); field != nullptr) {
      PruneAt(*field->schema, *it, FieldPath(path, it.key()), dropped);
    } else if (!schema.preserve_unknown_fields && !(schema.embedded_resource && IsOfEveryObject(it.key()))) {
      dropped.push_back(FieldPath(path, it.key()).Text());
      it = value.erase(it);
      continue;
    }
    ++it;
  }
}

bool IsEmpty(const json& value) {
  return (value.is_string() && value.get_ref<const std::string&>().empty()) ||
         (value.is_number() && value.get<double>() == 0) || (value.is_boolean() && !value.get<bool>());
}

}  // namespace

std::vector<std::string> Prune(const Schema& schema, json& value) {
  std::vector<std::string> dropped;
  PruneAt(schema, value, FieldPath(), dropped);
  return dropped;
}

void ApplyDefaults(const Schema& schema, json& value) {
  if (value.is_array()) {
    if (schema.type != SchemaType::kArray || schema.items == nullptr) return;
    for (json& item : value) ApplyDefaults(*schema.items, item);
    return;
  }
  if (!value.is_object()) return;
  if (schema.type == SchemaType::kMap) {
    if (schema.items == nullptr) return;
    for (json& item : value) ApplyDefaults(*schema.items, item);
    return;
  }
  for (const SchemaField& field : schema.fields) {
    if (!field.default_value) continue;
    const auto found = value.find(field.name);
    if (found == value.end()) {
      value.emplace(field.name, *field.default_value);
    } else if ((found->is_null() && !field.schema->nullable) || (field.default_replaces_empty && IsEmpty(*found))) {
      *found = *field.default_value;
    }
  }
  if (schema.set_defaults != nullptr) schema.set_defaults(value);
  for (auto it = value.begin(); it != value.end(); ++it) {
    if (!it->is_structured()) continue;
    if (const SchemaField* field = schema.Find(it.key()); field != nullptr) ApplyDefaults(*field->schema, *it);
  }
}

void DropNulls(const Schema& schema, json& value) {
  if (value.is_array() || (value.is_object() && schema.type == SchemaType::kMap)) {
    if (schema.items == nullptr) return;
    for (json& item : value) DropNulls(*schema.items, item);
    return;
  }
  if (!value.is_object()) return;
  for (auto it = value.begin(); it != value.end();) {
    const SchemaField* field = schema.Find(it.key());
    if (field != nullptr && it->is_null() && !field->schema->nullable) {
      it = value.erase(it);
      continue;
    }
    if (field != nullptr) DropNulls(*field->schema, *it);
    ++it;
  }
}

}  // namespace kinformer::apiserver
