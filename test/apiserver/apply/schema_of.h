#ifndef KINFORMER_TEST_APISERVER_APPLY_SCHEMA_OF_H_
#define KINFORMER_TEST_APISERVER_APPLY_SCHEMA_OF_H_

// Builds schemas for the tests in this folder, from the subset of OpenAPI that apply and strategic merge use.

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/schema/schema.h"

namespace kinformer::apiserver {

inline const Schema* BuildSchema(const nlohmann::json& from, SchemaPool& pool) {
  static const std::map<std::string, SchemaType> types = {
      {"", SchemaType::kAny},           {"object", SchemaType::kObject},   {"array", SchemaType::kArray},
      {"string", SchemaType::kString},  {"integer", SchemaType::kInteger}, {"number", SchemaType::kNumber},
      {"boolean", SchemaType::kBoolean}};
  Schema& schema = pool.Add();
  schema.type = types.at(from.value("type", ""));
  schema.name = from.value("name", "");
  schema.nullable = from.value("nullable", false);
  schema.preserve_unknown_fields = from.value("x-kubernetes-preserve-unknown-fields", false);
  schema.atomic = from.value("x-kubernetes-map-type", "") == "atomic";
  if (from.value("x-kubernetes-int-or-string", false)) schema.type = SchemaType::kIntOrString;
  const std::string list = from.value("x-kubernetes-list-type", "");
  if (list == "set") schema.list_type = ListType::kSet;
  if (list == "map") schema.list_type = ListType::kMap;
  for (const auto& key : from.value("x-kubernetes-list-map-keys", nlohmann::json::array())) {
    schema.list_map_keys.push_back(key.get<std::string>());
  }
  const std::string strategy = from.value("x-kubernetes-patch-strategy", "");
  schema.patch_merge = strategy.find("merge") != std::string::npos;
  schema.patch_retain_keys = strategy.find("retainKeys") != std::string::npos;
  schema.patch_merge_key = from.value("x-kubernetes-patch-merge-key", "");
  for (const auto& name : from.value("required", nlohmann::json::array())) {
    schema.required.push_back(name.get<std::string>());
  }
  if (from.contains("properties")) {
    for (const auto& [name, property] : from["properties"].items()) {
      SchemaField field{.name = name, .schema = BuildSchema(property, pool)};
      if (property.contains("default")) {
        field.default_value = std::make_shared<nlohmann::json>(property["default"]);
      }
      schema.fields.push_back(std::move(field));
    }
  }
  if (from.contains("items")) schema.items = BuildSchema(from["items"], pool);
  if (from.contains("additionalProperties")) {
    schema.type = SchemaType::kMap;
    schema.items = BuildSchema(from["additionalProperties"], pool);
  }
  return &schema;
}

inline KindSchemaPtr SchemaOf(GroupVersionKind kind, const nlohmann::json& from) {
  auto pool = std::make_shared<SchemaPool>();
  auto schema = std::make_shared<KindSchema>();
  schema->kind = std::move(kind);
  schema->root = BuildSchema(from, *pool);
  schema->pool = std::move(pool);
  return schema;
}

}  // namespace kinformer::apiserver

#endif  // KINFORMER_TEST_APISERVER_APPLY_SCHEMA_OF_H_
