#include "src/schema/openapi_schema.h"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "src/schema/built_in_schemas.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

constexpr const char* kListMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

json ReferenceTo(const std::string& name) { return {{"$ref", "#/components/schemas/" + name}}; }

/// "com.example" of "example.com".
std::string Reversed(const std::string& group) {
  std::string reversed;
  for (std::size_t end = group.size(); end != std::string::npos && !group.empty();) {
    const std::size_t dot = group.rfind('.', end - 1);
    const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
    reversed += (reversed.empty() ? "" : ".") + group.substr(begin, end - begin);
    if (dot == std::string::npos || dot == 0) break;
    end = dot;
  }
  return reversed;
}

json KindList(const GroupVersionKind& kind, const std::string& name) {
  return json::array({{{"group", kind.group}, {"version", kind.version}, {"kind", name}}});
}

/// 3, not 3.0.
json JsonNumber(double value) {
  if (std::trunc(value) == value && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
  return value;
}

void SetType(const Schema& schema, json& out) {
  switch (schema.type) {
    case SchemaType::kAny:
      break;
    case SchemaType::kObject:
    case SchemaType::kMap:
      out["type"] = "object";
      break;
    case SchemaType::kArray:
      out["type"] = "array";
      break;
    case SchemaType::kInteger:
      out["type"] = "integer";
      break;
    case SchemaType::kNumber:
      out["type"] = "number";
      break;
    case SchemaType::kBoolean:
      out["type"] = "boolean";
      break;
    case SchemaType::kIntOrString:
      // Custom schemas use the extension, the built-in definition oneOf.
      if (schema.name.empty()) {
        out["x-kubernetes-int-or-string"] = true;
      } else {
        out["oneOf"] = json::array({{{"type", "integer"}}, {{"type", "string"}}});
      }
      break;
    case SchemaType::kQuantity:
      out["oneOf"] = json::array({{{"type", "string"}}, {{"type", "number"}}});
      break;
    case SchemaType::kString:
    case SchemaType::kTime:
    case SchemaType::kMicroTime:
    case SchemaType::kBytes:
      out["type"] = "string";
      break;
  }
}

void SetLimits(const Schema& schema, json& out) {
  if (schema.minimum) out["minimum"] = JsonNumber(*schema.minimum);
  if (schema.maximum) out["maximum"] = JsonNumber(*schema.maximum);
  if (schema.exclusive_minimum) out["exclusiveMinimum"] = true;
  if (schema.exclusive_maximum) out["exclusiveMaximum"] = true;
  if (schema.multiple_of) out["multipleOf"] = JsonNumber(*schema.multiple_of);
  if (schema.min_length) out["minLength"] = *schema.min_length;
  if (schema.max_length) out["maxLength"] = *schema.max_length;
  if (schema.min_items) out["minItems"] = *schema.min_items;
  if (schema.max_items) out["maxItems"] = *schema.max_items;
  if (schema.min_properties) out["minProperties"] = *schema.min_properties;
  if (schema.max_properties) out["maxProperties"] = *schema.max_properties;
  if (schema.unique_items) out["uniqueItems"] = true;
  if (schema.enum_values != nullptr) out["enum"] = *schema.enum_values;
  if (!schema.pattern.empty()) out["pattern"] = schema.pattern;
}

/// The extensions that control pruning, patches and apply.
void SetExtensions(const Schema& schema, json& out) {
  if (schema.preserve_unknown_fields && schema.name.empty()) out["x-kubernetes-preserve-unknown-fields"] = true;
  if (schema.embedded_resource) out["x-kubernetes-embedded-resource"] = true;
  if (schema.atomic) out["x-kubernetes-map-type"] = "atomic";
  if (schema.type == SchemaType::kArray) {
    out["x-kubernetes-list-type"] = schema.list_type == ListType::kSet   ? "set"
                                    : schema.list_type == ListType::kMap ? "map"
                                                                         : "atomic";
    if (!schema.list_map_keys.empty()) out["x-kubernetes-list-map-keys"] = schema.list_map_keys;
  }
  if (schema.patch_merge || schema.patch_retain_keys) {
    out["x-kubernetes-patch-strategy"] = schema.patch_merge && schema.patch_retain_keys ? "merge,retainKeys"
                                         : schema.patch_merge                           ? "merge"
                                                                                        : "retainKeys";
  }
  if (!schema.patch_merge_key.empty()) out["x-kubernetes-patch-merge-key"] = schema.patch_merge_key;
}

}  // namespace

OpenApiSchemas::OpenApiSchemas() : schemas_(std::make_unique<json>(json::object())) {}

OpenApiSchemas::~OpenApiSchemas() = default;

json OpenApiSchemas::Take() && { return std::move(*schemas_); }

json OpenApiSchemas::Reference(const Schema& schema) {  // NOLINT(misc-no-recursion)
  if (schema.name.empty()) return Body(schema);
  AddNamed(schema);
  json out = ReferenceTo(schema.name);
  // Extensions that apply only to this use of a shared definition.
  const Schema* definition = FindBuiltInDefinition(schema.name);
  if (definition == nullptr || definition == &schema) return out;
  json own = json::object();
  json common = json::object();
  SetExtensions(schema, own);
  SetExtensions(*definition, common);
  if (own == common) return out;
  own["allOf"] = json::array({std::move(out)});
  return own;
}

json OpenApiSchemas::Body(const Schema& schema) {  // NOLINT(misc-no-recursion)
  json out = json::object();
  SetType(schema, out);
  if (!schema.format.empty()) out["format"] = schema.format;
  if (!schema.description.empty()) out["description"] = schema.description;
  if (schema.nullable) out["nullable"] = true;
  SetLimits(schema, out);
  for (const SchemaField& field : schema.fields) {
    json property = Reference(*field.schema);
    if (field.default_value && !(field.default_value->is_structured() && !schema.name.empty())) {
      if (property.contains("$ref")) property = {{"allOf", json::array({std::move(property)})}};
      property["default"] = *field.default_value;
    }
    out["properties"][field.name] = std::move(property);
  }
  if (!schema.required.empty()) out["required"] = schema.required;
  if (schema.items != nullptr) {
    out[schema.type == SchemaType::kMap ? "additionalProperties" : "items"] = Reference(*schema.items);
  }
  const auto junctor = [&](const char* name, const std::vector<const Schema*>& all) {  // NOLINT(misc-no-recursion)
    for (const Schema* one : all) out[name].push_back(Reference(*one));
  };
  junctor("allOf", schema.all_of);
  junctor("anyOf", schema.any_of);
  junctor("oneOf", schema.one_of);
  if (schema.not_schema != nullptr) out["not"] = Reference(*schema.not_schema);
  SetExtensions(schema, out);
  return out;
}

void OpenApiSchemas::AddNamed(const Schema& schema) {  // NOLINT(misc-no-recursion)
  if (schemas_->contains(schema.name)) return;
  // Registered before it is complete: it may refer to itself.
  (*schemas_)[schema.name] = nullptr;
  const Schema* definition = FindBuiltInDefinition(schema.name);
  json body = Body(definition == nullptr ? schema : *definition);
  (*schemas_)[schema.name] = std::move(body);
}

void OpenApiSchemas::AddList(const KindSchema& kind, const std::string& name) {
  if (const Schema* meta = FindBuiltInDefinition(kListMeta); meta != nullptr) AddNamed(*meta);
  (*schemas_)[name + "List"] = {{"type", "object"},
                                {"required", {"items"}},
                                {"properties",
                                 {{"apiVersion", {{"type", "string"}}},
                                  {"kind", {{"type", "string"}}},
                                  {"metadata", ReferenceTo(kListMeta)},
                                  {"items", {{"type", "array"}, {"items", ReferenceTo(name)}}}}},
                                {"x-kubernetes-group-version-kind", KindList(kind.kind, kind.kind.kind + "List")}};
}

std::string OpenApiSchemas::Add(const KindSchema& kind) {
  std::string name = kind.root->name;
  if (!name.empty()) {
    AddNamed(*kind.root);
  } else {
    name = Reversed(kind.kind.group) + "." + kind.kind.version + "." + kind.kind.kind;
    json body = Body(*kind.root);
    AddNamed(ObjectMetaSchema());
    // Implied in a custom kind's schema.
    body["properties"]["apiVersion"] = {{"type", "string"}};
    body["properties"]["kind"] = {{"type", "string"}};
    body["properties"]["metadata"] = ReferenceTo(ObjectMetaSchema().name);
    (*schemas_)[name] = std::move(body);
  }
  (*schemas_)[name]["x-kubernetes-group-version-kind"] = KindList(kind.kind, kind.kind.kind);
  AddList(kind, name);
  return name;
}

}  // namespace kinformer::apiserver
