#include "src/schema/schema_reader.h"

#include <algorithm>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/codec/json_fields.h"
#include "src/schema/field_error.h"
#include "src/schema/pattern.h"
#include "src/schema/validate.h"

namespace kinformer::apiserver {
namespace {

using internal::FlagOf;
using internal::TextOf;
using nlohmann::json;

constexpr int kMaxDepth = 200;
/// A real server reports all causes.
constexpr std::size_t kMaxCauses = 50;
constexpr std::string_view kReferencePrefix = "#/components/schemas/";

const json* Member(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::string Child(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : path + "." + std::string(name);
}

std::string Keyed(const std::string& path, const char* member, std::string_view key) {
  return Child(path, member) + "[" + std::string(key) + "]";
}

/// anyOf: [{type: integer}, {type: string}], which may accompany int-or-string.
bool IsIntOrStringChoice(const json& junctor) {
  return junctor.is_array() && junctor.size() == 2 && junctor[0] == json{{"type", "integer"}} &&
         junctor[1] == json{{"type", "string"}};
}

/// Sets what follows from the definition's name, not from its schema.
void ApplyName(std::string_view name, Schema& schema) {
  const auto is = [&](std::string_view type) {
    schema.one_of.clear();
    return name == type;
  };
  const std::vector<const Schema*> choices = schema.one_of;
  if (is("io.k8s.apimachinery.pkg.api.resource.Quantity")) {
    schema.type = SchemaType::kQuantity;
  } else if (is("io.k8s.apimachinery.pkg.util.intstr.IntOrString")) {
    schema.type = SchemaType::kIntOrString;
  } else if (is("io.k8s.apimachinery.pkg.apis.meta.v1.Time")) {
    schema.type = SchemaType::kTime;
  } else if (is("io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime")) {
    schema.type = SchemaType::kMicroTime;
  } else if (is("io.k8s.apimachinery.pkg.runtime.RawExtension") ||
             is("io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1")) {
    schema.preserve_unknown_fields = true;
  } else {
    schema.one_of = choices;
  }
}

}  // namespace

SchemaReader::SchemaReader(SchemaPool& pool, Options options) : pool_(pool), options_(std::move(options)) {}

void SchemaReader::Wrong(const std::string& path, std::string_view reason, std::string message) {
  if (causes_.size() < kMaxCauses) {
    causes_.push_back({.reason = std::string(reason), .message = std::move(message), .field = path});
  }
}

void SchemaReader::Required(const std::string& path, const std::string& why) {
  Wrong(path, "FieldValueRequired", "Required value: " + why);
}

void SchemaReader::Forbidden(const std::string& path, const std::string& why) {
  Wrong(path, "FieldValueForbidden", "Forbidden: " + why);
}

void SchemaReader::Invalid(const std::string& path, const json& value, const std::string& why) {
  Wrong(path, "FieldValueInvalid", "Invalid value: " + ShownValue(value) + ": " + why);
}

Result<const Schema*> SchemaReader::Finish(const Schema* schema) {
  if (causes_.empty()) return schema;
  Error error{.code = ErrorCode::kInvalidArgument};
  for (const ErrorCause& cause : causes_) {
    error.message += (error.message.empty() ? "" : ", ") + cause.field + ": " + cause.message;
  }
  error.details.causes = std::exchange(causes_, {});
  return error;
}

Result<const Schema*> SchemaReader::Read(const json& schema) { return Finish(Value(schema, "", Level::kRoot, 0)); }

Result<const Schema*> SchemaReader::ReadDefinition(const std::string& name) { return Finish(Definition(name, "", 0)); }

const Schema* SchemaReader::Definition(const std::string& name, const std::string& path, int depth) {
  if (const auto found = definitions_.find(name); found != definitions_.end()) return found->second.schema;
  const std::optional<json> definition = options_.find_definition ? options_.find_definition(name) : std::nullopt;
  if (!definition) {
    Wrong(path, "FieldValueNotFound", "Not found: \"" + name + "\"");
    return &pool_.Add();
  }
  Schema& schema = pool_.Add();
  schema.name = name;
  // Registered before it is parsed: it may refer to itself.
  definitions_[name] = {.schema = &schema};
  const Schema* read = Value(*definition, path, Level::kRoot, depth);
  schema = *read;
  schema.name = name;
  ApplyName(name, schema);
  if (options_.on_definition) options_.on_definition(schema);
  definitions_[name].complete = true;
  return &schema;
}

const Schema* SchemaReader::Reference(const json& json, const std::string& path, int depth) {
  const std::string target = TextOf(json, "$ref");
  if (!std::string_view(target).starts_with(kReferencePrefix)) {
    Invalid(Child(path, "$ref"), target, "must be a reference to #/components/schemas/");
    return &pool_.Add();
  }
  const std::string name = target.substr(kReferencePrefix.size());
  const Schema* definition = Definition(name, path, depth);
  // Siblings of $ref apply to this use only.
  const bool alone = std::all_of(json.items().begin(), json.items().end(), [](const auto& item) {
    return item.key() == "$ref" || item.key() == "default" || item.key() == "description";
  });
  if (alone) return definition;
  if (const auto found = definitions_.find(name); found != definitions_.end() && !found->second.complete) {
    Forbidden(path, "a recursive $ref must not have siblings");
    return definition;
  }
  Schema& own = pool_.Add();
  own = *definition;
  if (FlagOf(json, "nullable")) own.nullable = true;
  Extensions(json, path, own);
  return &own;
}

const Schema* SchemaReader::Value(const json& json, const std::string& path, Level level, int depth) {
  if (!json.is_object()) {
    Invalid(path, json, "must be a schema");
    return &pool_.Add();
  }
  if (depth > kMaxDepth) {
    Forbidden(path, "the schema is nested too deeply");
    return &pool_.Add();
  }
  if (options_.structural) {
    CheckStructural(json, path, level);
  } else if (json.contains("$ref")) {
    return Reference(json, path, depth + 1);
  } else if (const auto* all = Member(json, "allOf"); all != nullptr && all->is_array() && all->size() == 1 &&
                                                      all->front().is_object() && all->front().contains("$ref")) {
    // The published form of a $ref with siblings.
    nlohmann::json merged = json;
    merged.erase("allOf");
    merged["$ref"] = all->front()["$ref"];
    return Reference(merged, path, depth + 1);
  }
  Schema& schema = pool_.Add();
  schema.nullable = FlagOf(json, "nullable");
  schema.description = TextOf(json, "description");
  schema.format = TextOf(json, "format");
  Type(json, path, level, schema);
  Limits(json, path, schema);
  Children(json, path, level, depth, schema);
  Junctors(json, path, depth, schema);
  Extensions(json, path, schema);
  if (options_.structural) CheckListMap(json, path, schema);
  return &schema;
}

void SchemaReader::Type(const json& json, const std::string& path, Level level, Schema& schema) {
  if (const auto* type = Member(json, "type"); type != nullptr && !type->is_string()) {
    Invalid(Child(path, "type"), *type, "must be a string");
    return;
  }
  const std::string type = TextOf(json, "type");
  if (type == "object") {
    schema.type = json.contains("additionalProperties") && Member(json, "properties") == nullptr ? SchemaType::kMap
                                                                                                 : SchemaType::kObject;
  } else if (type == "array") {
    schema.type = SchemaType::kArray;
  } else if (type == "string") {
    schema.type = schema.format == "byte" ? SchemaType::kBytes : SchemaType::kString;
  } else if (type == "integer") {
    schema.type = SchemaType::kInteger;
  } else if (type == "number") {
    schema.type = SchemaType::kNumber;
  } else if (type == "boolean") {
    schema.type = SchemaType::kBoolean;
  } else if (type == "null") {
    Forbidden(Child(path, "type"), "type cannot be set to null, use nullable as an alternative");
  } else if (!type.empty()) {
    Wrong(Child(path, "type"), "FieldValueNotSupported",
          "Unsupported value: " + ShownValue(type) +
              R"(: supported values: "array", "boolean", "integer", "number", "object", "string")");
  }
  if (!options_.structural || level == Level::kNested || !type.empty() || FlagOf(json, "x-kubernetes-int-or-string") ||
      FlagOf(json, "x-kubernetes-preserve-unknown-fields")) {
    return;
  }
  Required(Child(path, "type"), level == Level::kRoot   ? "must not be empty at the root"
                                : level == Level::kItem ? "must not be empty for specified array items"
                                                        : "must not be empty for specified object fields");
}

void SchemaReader::Limits(const json& json, const std::string& path, Schema& schema) {
  const auto number = [&](const char* name, std::optional<double>& out) {
    const auto* value = Member(json, name);
    if (value == nullptr) return;
    if (!value->is_number()) return Invalid(Child(path, name), *value, "must be a number");
    out = value->get<double>();
  };
  const auto count = [&](const char* name, std::optional<std::int64_t>& out) {
    const auto* value = Member(json, name);
    if (value == nullptr) return;
    if (!value->is_number_integer()) return Invalid(Child(path, name), *value, "must be an integer");
    out = value->get<std::int64_t>();
  };
  number("minimum", schema.minimum);
  number("maximum", schema.maximum);
  number("multipleOf", schema.multiple_of);
  count("minLength", schema.min_length);
  count("maxLength", schema.max_length);
  count("minItems", schema.min_items);
  count("maxItems", schema.max_items);
  count("minProperties", schema.min_properties);
  count("maxProperties", schema.max_properties);
  schema.exclusive_minimum = FlagOf(json, "exclusiveMinimum");
  schema.exclusive_maximum = FlagOf(json, "exclusiveMaximum");
  schema.unique_items = FlagOf(json, "uniqueItems");
  if (schema.multiple_of && *schema.multiple_of <= 0) {
    Invalid(Child(path, "multipleOf"), *schema.multiple_of, "must be greater than 0");
  }
  if (const auto* values = Member(json, "enum"); values != nullptr) {
    if (values->is_array()) {
      if (!values->empty()) schema.enum_values = std::make_shared<nlohmann::json>(*values);
    } else {
      Invalid(Child(path, "enum"), *values, "must be an array");
    }
  }
  schema.pattern = TextOf(json, "pattern");
  if (schema.pattern.empty()) return;
  Result<std::shared_ptr<const Pattern>> compiled = Pattern::Compile(schema.pattern);
  if (compiled) {
    schema.compiled_pattern = *std::move(compiled);
  } else {
    Invalid(Child(path, "pattern"), schema.pattern,
            "must be a valid regular expression, but isn't: " + compiled.error().message);
  }
}

void SchemaReader::Children(const json& json, const std::string& path, Level level, int depth, Schema& schema) {
  const bool nested = level == Level::kNested;
  if (const auto* properties = Member(json, "properties"); properties != nullptr) {
    if (!properties->is_object()) return Invalid(Child(path, "properties"), *properties, "must be an object");
    // nlohmann sorts members by name, as required for `fields`.
    for (const auto& [name, value] : properties->items()) {
      const std::string at = Keyed(path, "properties", name);
      SchemaField field{.name = name, .schema = Value(value, at, nested ? Level::kNested : Level::kField, depth + 1)};
      if (value.is_object()) {
        if (const auto* preset = Member(value, "default"); preset != nullptr) {
          field.default_value = std::make_shared<nlohmann::json>(*preset);
        }
      }
      if (options_.structural && field.default_value && causes_.empty()) {
        for (const FieldError& wrong : Validate(*field.schema, *field.default_value, {.root_path = "default"})) {
          Wrong(Child(at, wrong.field), wrong.reason, wrong.message);
        }
      }
      schema.fields.push_back(std::move(field));
    }
  }
  if (const auto* required = Member(json, "required"); required != nullptr && required->is_array()) {
    for (const auto& name : *required) {
      if (name.is_string()) schema.required.push_back(name.get<std::string>());
    }
  }
  if (const auto* items = Member(json, "items"); items != nullptr) {
    if (items->is_array()) {
      Forbidden(Child(path, "items"), "items must be a schema object and not an array");
    } else {
      schema.items = Value(*items, Child(path, "items"), nested ? Level::kNested : Level::kItem, depth + 1);
    }
  } else if (options_.structural && schema.type == SchemaType::kArray) {
    Required(Child(path, "items"), "must be specified");
  }
  const auto* rest = Member(json, "additionalProperties");
  if (rest == nullptr) return;
  const std::string at = Child(path, "additionalProperties");
  if (options_.structural && level == Level::kRoot) Forbidden(at, "must not be used at the root");
  if (rest->is_boolean()) {
    if (!rest->get<bool>()) return Forbidden(at, "additionalProperties cannot be set to false");
    if (schema.type == SchemaType::kMap) schema.items = &pool_.Add();
    return;
  }
  if (!schema.fields.empty()) return Forbidden(at, "additionalProperties and properties are mutual exclusive");
  // An empty schema allows anything and needs no type.
  schema.items = rest->is_object() && rest->empty() && !options_.structural
                     ? &pool_.Add()
                     : Value(*rest, at, nested ? Level::kNested : Level::kField, depth + 1);
}

void SchemaReader::Junctors(const json& json, const std::string& path, int depth, Schema& schema) {
  const bool int_or_string = FlagOf(json, "x-kubernetes-int-or-string");
  const auto read = [&](const char* name, std::vector<const Schema*>& out) {
    const auto* all = Member(json, name);
    if (all == nullptr) return;
    if (!all->is_array()) return Invalid(Child(path, name), *all, "must be an array");
    if (int_or_string && IsIntOrStringChoice(*all)) return;
    for (std::size_t i = 0; i < all->size(); ++i) {
      const auto& one = (*all)[i];
      if (int_or_string && one.is_object() && one.size() == 1 &&
          IsIntOrStringChoice(one.value("anyOf", json::array()))) {
        continue;
      }
      out.push_back(Value(one, Child(path, name) + "[" + std::to_string(i) + "]", Level::kNested, depth + 1));
    }
  };
  read("allOf", schema.all_of);
  read("anyOf", schema.any_of);
  read("oneOf", schema.one_of);
  if (const auto* no = Member(json, "not"); no != nullptr) {
    schema.not_schema = Value(*no, Child(path, "not"), Level::kNested, depth + 1);
  }
}

void SchemaReader::Extensions(const json& json, const std::string& path, Schema& schema) {
  if (FlagOf(json, "x-kubernetes-int-or-string")) schema.type = SchemaType::kIntOrString;
  if (FlagOf(json, "x-kubernetes-preserve-unknown-fields")) schema.preserve_unknown_fields = true;
  if (FlagOf(json, "x-kubernetes-embedded-resource")) schema.embedded_resource = true;
  if (const std::string map = TextOf(json, "x-kubernetes-map-type"); !map.empty()) {
    if (map != "atomic" && map != "granular") {
      Wrong(Child(path, "x-kubernetes-map-type"), "FieldValueNotSupported",
            "Unsupported value: " + ShownValue(map) + R"(: supported values: "atomic", "granular")");
    }
    schema.atomic = map == "atomic";
  }
  if (const std::string list = TextOf(json, "x-kubernetes-list-type"); !list.empty()) {
    if (list != "atomic" && list != "set" && list != "map") {
      Wrong(Child(path, "x-kubernetes-list-type"), "FieldValueNotSupported",
            "Unsupported value: " + ShownValue(list) + R"(: supported values: "atomic", "set", "map")");
    }
    schema.list_type = list == "set" ? ListType::kSet : list == "map" ? ListType::kMap : ListType::kAtomic;
  }
  if (const auto* keys = Member(json, "x-kubernetes-list-map-keys"); keys != nullptr && keys->is_array()) {
    for (const auto& key : *keys) {
      if (key.is_string()) schema.list_map_keys.push_back(key.get<std::string>());
    }
  }
  const std::string strategy = TextOf(json, "x-kubernetes-patch-strategy");
  for (std::size_t begin = 0; begin < strategy.size();) {
    const std::size_t comma = std::min(strategy.find(',', begin), strategy.size());
    const std::string_view one = std::string_view(strategy).substr(begin, comma - begin);
    if (one == "merge") {
      schema.patch_merge = true;
    } else if (one == "retainKeys") {
      schema.patch_retain_keys = true;
    } else if (one != "replace") {
      Invalid(Child(path, "x-kubernetes-patch-strategy"), strategy,
              "must be a combination of merge, retainKeys and replace");
    }
    begin = comma + 1;
  }
  if (json.contains("x-kubernetes-patch-merge-key"))
    schema.patch_merge_key = TextOf(json, "x-kubernetes-patch-merge-key");
}

void SchemaReader::CheckStructural(const json& json, const std::string& path, Level level) {
  for (const char* name : {"$ref", "id", "additionalItems", "patternProperties", "definitions", "dependencies"}) {
    if (Member(json, name) != nullptr) Forbidden(Child(path, name), std::string(name) + " is not supported");
  }
  if (const auto* rules = Member(json, "x-kubernetes-validations");
      rules != nullptr && !(rules->is_array() && rules->empty())) {
    Forbidden(Child(path, "x-kubernetes-validations"), "rules in CEL are not supported by this server");
  }
  if (FlagOf(json, "uniqueItems")) {
    Forbidden(Child(path, "uniqueItems"),
              "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
  }
  const std::string type = TextOf(json, "type");
  const auto needs = [&](const char* extension, const char* wanted) {
    if (Member(json, extension) == nullptr || type == wanted) return;
    const std::string why = std::string("must be ") + wanted + " if " + extension + " is specified";
    if (type.empty()) return Required(Child(path, "type"), why);
    Invalid(Child(path, "type"), type, why);
  };
  needs("x-kubernetes-map-type", "object");
  needs("x-kubernetes-list-type", "array");
  if (const auto* keep = Member(json, "x-kubernetes-preserve-unknown-fields");
      keep != nullptr && !FlagOf(json, "x-kubernetes-preserve-unknown-fields")) {
    Invalid(Child(path, "x-kubernetes-preserve-unknown-fields"), *keep, "must be true or undefined");
  }
  if (FlagOf(json, "x-kubernetes-embedded-resource")) {
    if (type.empty()) {
      Required(Child(path, "type"), "must be object if x-kubernetes-embedded-resource is true");
    } else if (type != "object") {
      Invalid(Child(path, "type"), type, "must be object if x-kubernetes-embedded-resource is true");
    }
    if (Member(json, "properties") == nullptr && !FlagOf(json, "x-kubernetes-preserve-unknown-fields")) {
      Required(Child(path, "properties"),
               "must not be empty if x-kubernetes-embedded-resource is true without "
               "x-kubernetes-preserve-unknown-fields");
    }
  }
  if (FlagOf(json, "x-kubernetes-int-or-string") && FlagOf(json, "x-kubernetes-preserve-unknown-fields")) {
    Invalid(Child(path, "x-kubernetes-preserve-unknown-fields"), true,
            "must be false if x-kubernetes-int-or-string is true");
  }
  if (level == Level::kRoot) CheckMetadata(json, path);
  if (level != Level::kNested) return;
  for (const char* name : {"type", "title", "description", "x-kubernetes-list-map-keys"}) {
    if (Member(json, name) != nullptr) Forbidden(Child(path, name), "must be empty to be structural");
  }
  for (const char* name : {"additionalProperties", "default", "x-kubernetes-list-type", "x-kubernetes-map-type"}) {
    if (Member(json, name) != nullptr) Forbidden(Child(path, name), "must be undefined to be structural");
  }
  for (const char* name : {"nullable", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource",
                           "x-kubernetes-int-or-string"}) {
    if (FlagOf(json, name)) Forbidden(Child(path, name), "must be false to be structural");
  }
}

void SchemaReader::CheckMetadata(const json& json, const std::string& path) {
  if (const std::string type = TextOf(json, "type"); !type.empty() && type != "object") {
    Invalid(Child(path, "type"), type, "must be object at the root");
  }
  const auto* properties = Member(json, "properties");
  if (properties == nullptr || !properties->is_object()) return;
  for (const char* name : {"apiVersion", "kind"}) {
    const auto* property = Member(*properties, name);
    if (property != nullptr && property->is_object() && TextOf(*property, "type") != "string") {
      Invalid(Child(Keyed(path, "properties", name), "type"), TextOf(*property, "type"), "must be string");
    }
  }
  const auto* metadata = Member(*properties, "metadata");
  if (metadata == nullptr || !metadata->is_object()) return;
  const std::string at = Keyed(path, "properties", "metadata");
  if (TextOf(*metadata, "type") != "object") Invalid(Child(at, "type"), TextOf(*metadata, "type"), "must be object");
  for (const auto& [name, value] : metadata->items()) {
    if (name == "type" || name == "description") continue;
    const bool names_only = name == "properties" && value.is_object() &&
                            std::all_of(value.items().begin(), value.items().end(), [](const auto& item) {
                              return item.key() == "name" || item.key() == "generateName";
                            });
    if (names_only) continue;
    Forbidden(at, "must not specify anything other than name and generateName, but metadata is implicitly specified");
    return;
  }
}

void SchemaReader::CheckListMap(const json& json, const std::string& path, const Schema& schema) {
  const std::string at = Child(path, "x-kubernetes-list-map-keys");
  if (schema.list_type != ListType::kMap) {
    if (schema.list_map_keys.empty()) return;
    if (TextOf(json, "x-kubernetes-list-type").empty()) {
      return Required(Child(path, "x-kubernetes-list-type"), "must be map if x-kubernetes-list-map-keys is non-empty");
    }
    return Invalid(Child(path, "x-kubernetes-list-type"), TextOf(json, "x-kubernetes-list-type"),
                   "must be map if x-kubernetes-list-map-keys is non-empty");
  }
  if (schema.list_map_keys.empty()) Required(at, "must not be empty if x-kubernetes-list-type is map");
  if (schema.items == nullptr) return;
  if (schema.items->type != SchemaType::kObject) {
    return Invalid(Child(path, "items.type"), "", "must be object if parent array's x-kubernetes-list-type is map");
  }
  std::set<std::string> seen;
  for (const std::string& key : schema.list_map_keys) {
    if (!seen.insert(key).second) Invalid(at, schema.list_map_keys, "must not contain duplicate entries");
    const SchemaField* field = schema.items->Find(key);
    if (field == nullptr) {
      Invalid(at, schema.list_map_keys, "entries must all be names of item properties");
      continue;
    }
    const auto& required = schema.items->required;
    if (!field->default_value && std::find(required.begin(), required.end(), key) == required.end()) {
      Required(Child(Keyed(Child(path, "items"), "properties", key), "default"),
               "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property");
    }
  }
}

Result<const Schema*> ReadSchema(const json& schema, const json& definitions, SchemaPool& pool) {
  SchemaReader::Options options{.structural = definitions.is_null()};
  if (!definitions.is_null()) {
    options.find_definition = [&definitions](const std::string& name) -> std::optional<json> {
      const auto found = definitions.find(name);
      if (found == definitions.end()) return std::nullopt;
      return *found;
    };
  }
  return SchemaReader(pool, std::move(options)).Read(schema);
}

}  // namespace kinformer::apiserver
