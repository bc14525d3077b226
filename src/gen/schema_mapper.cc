#include "src/gen/schema_mapper.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/gen/names.h"

namespace kinformer::gen {
namespace {

using Json = nlohmann::json;

/// What controller-gen and apimachinery write for a resource.Quantity.
constexpr std::string_view kQuantityPattern =
    R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)";

const Json* Find(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

std::string TextAt(const Json& object, const char* key) {
  const Json* const value = Find(object, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

bool IsTrue(const Json& object, const char* key) {
  const Json* const value = Find(object, key);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

std::string Dump(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

bool HasProperties(const Json& schema) {
  const Json* const properties = Find(schema, "properties");
  return properties != nullptr && properties->is_object() && !properties->empty();
}

/// anyOf of an integer and a string, as controller-gen writes it beside x-kubernetes-int-or-string, or oneOf, as
/// OpenAPI documents have it.
bool IsIntegerOrString(const Json& schema) {
  for (const char* const key : {"anyOf", "oneOf"}) {
    const Json* const choices = Find(schema, key);
    if (choices == nullptr || !choices->is_array() || choices->size() != 2) continue;
    std::set<std::string> types;
    for (const Json& choice : *choices) types.insert(TextAt(choice, "type"));
    if (types == std::set<std::string>{"integer", "string"}) return true;
  }
  return false;
}

/// The reference of a schema: $ref, or the only one of allOf, as OpenAPI documents with defaults have it.
std::string ReferenceOf(const Json& schema) {
  if (std::string reference = TextAt(schema, "$ref"); !reference.empty()) return reference;
  const Json* const all = Find(schema, "allOf");
  if (all != nullptr && all->is_array() && all->size() == 1) return TextAt(all->front(), "$ref");
  return "";
}

void AddLimit(const Json& schema, const char* key, const std::string& before, const std::string& after,
              std::vector<std::string>& facts) {
  if (const Json* const limit = Find(schema, key); limit != nullptr && limit->is_number()) {
    facts.push_back(before + Dump(*limit) + after);
  }
}

std::vector<std::string> FactsOf(const Json& schema, bool required) {
  std::vector<std::string> facts;
  if (required) facts.emplace_back("required");
  // Documents give every reference the default {}.
  if (const Json* const value = Find(schema, "default"); value != nullptr && ReferenceOf(schema).empty())
    facts.push_back("default " + Dump(*value));
  if (IsTrue(schema, "nullable")) facts.emplace_back("may be null");
  if (const Json* const values = Find(schema, "enum"); values != nullptr && values->is_array() && !values->empty()) {
    std::string fact = "one of ";
    for (const Json& value : *values) fact += (&value == &values->front() ? "" : ", ") + Dump(value);
    facts.push_back(std::move(fact));
  }
  AddLimit(schema, "minimum", IsTrue(schema, "exclusiveMinimum") ? "more than " : "at least ", "", facts);
  AddLimit(schema, "maximum", IsTrue(schema, "exclusiveMaximum") ? "less than " : "at most ", "", facts);
  AddLimit(schema, "multipleOf", "a multiple of ", "", facts);
  AddLimit(schema, "minLength", "at least ", " characters", facts);
  AddLimit(schema, "maxLength", "at most ", " characters", facts);
  AddLimit(schema, "minItems", "at least ", " items", facts);
  AddLimit(schema, "maxItems", "at most ", " items", facts);
  AddLimit(schema, "minProperties", "at least ", " entries", facts);
  AddLimit(schema, "maxProperties", "at most ", " entries", facts);
  // These are the types of members.
  static const std::set<std::string> typed = {"", "int64", "double", "date-time", "byte", "int-or-string"};
  if (std::string format = TextAt(schema, "format"); !typed.contains(format))
    facts.push_back("format " + std::move(format));
  const std::string list_type = TextAt(schema, "x-kubernetes-list-type");
  if (list_type == "set") facts.emplace_back("items are unique");
  if (const Json* const keys = Find(schema, "x-kubernetes-list-map-keys");
      list_type == "map" && keys != nullptr && keys->is_array()) {
    std::string fact = "items are unique by ";
    for (const Json& key : *keys)
      fact += (&key == &keys->front() ? "" : ", ") + (key.is_string() ? key.get<std::string>() : Dump(key));
    facts.push_back(std::move(fact));
  }
  return facts;
}

/// The schema of the innermost elements, which has their enum.
const Json& Innermost(const Json& schema) {
  const Json* current = &schema;
  for (;;) {
    const Json* next = Find(*current, "items");
    if (next == nullptr) next = Find(*current, "additionalProperties");
    if (next == nullptr || !next->is_object()) return *current;
    current = next;
  }
}

std::vector<Constant> ConstantsIn(const Json& schema) {
  const Json& values = Innermost(schema);
  const Json* const allowed = Find(values, "enum");
  if (allowed == nullptr || !allowed->is_array()) return {};
  std::vector<std::string> texts;
  for (const Json& value : *allowed) {
    if (!value.is_string()) return {};
    texts.push_back(value.get<std::string>());
  }
  return ConstantsOf(texts);
}

bool IsText(const TypeModel& type) {
  if (type.shape == Shape::kList || type.shape == Shape::kMap) return IsText(type.element.front());
  return type.shape == Shape::kText;
}

TypeModel Containing(Shape shape, TypeModel element) {
  TypeModel type{.shape = shape};
  type.element.push_back(std::move(element));
  return type;
}

}  // namespace

std::string SchemaMapper::UniqueName(std::string name) {
  if (names_.insert(name).second) return name;
  for (int i = 2;; ++i) {
    if (std::string numbered = name + "_" + std::to_string(i); names_.insert(numbered).second) return numbered;
  }
}

TypeModel SchemaMapper::Map(const Json& schema, const std::string& name, const std::string& place) {
  if (const std::string reference = ReferenceOf(schema); !reference.empty()) {
    if (options_.references) {
      if (auto type = options_.references(reference)) return *std::move(type);
    }
    AddNote(place, "the reference " + reference + " leads nowhere: RawJson");
    return {};
  }
  if (IsTrue(schema, "x-kubernetes-int-or-string") || TextAt(schema, "format") == "int-or-string" ||
      (Find(schema, "type") == nullptr && IsIntegerOrString(schema))) {
    return {.shape = TextAt(schema, "pattern") == kQuantityPattern ? Shape::kQuantity : Shape::kIntOrString};
  }
  if (IsTrue(schema, "x-kubernetes-embedded-resource")) return {};
  const Json* const declared = Find(schema, "type");
  if (declared == nullptr) {
    if (!HasProperties(schema)) return {};
  } else if (!declared->is_string()) {
    AddNote(place, "its type is " + Dump(*declared) + ", not one name: RawJson");
    return {};
  }
  const std::string type = declared == nullptr ? "object" : declared->get<std::string>();
  const std::string format = TextAt(schema, "format");
  if (type == "object") {
    if (HasProperties(schema)) {
      const std::string unique = UniqueName(name);
      AddStruct(unique, place, schema);
      return {.shape = Shape::kStruct, .struct_name = unique};
    }
    const Json* const values = Find(schema, "additionalProperties");
    if (values == nullptr || (values->is_boolean() && !values->get<bool>())) return {};
    return Containing(Shape::kMap, Map(*values, name, place + "{}"));
  }
  if (type == "array") {
    const Json* const items = Find(schema, "items");
    return Containing(Shape::kList, items == nullptr ? TypeModel{} : Map(*items, name, place + "[]"));
  }
  if (type == "string") {
    if (format == "date-time") return {.shape = Shape::kTime};
    if (format == "byte") return {.shape = Shape::kBytes};
    return {.shape = Shape::kText};
  }
  if (type == "integer") return {.shape = Shape::kInt};
  if (type == "number") return {.shape = Shape::kDouble};
  if (type == "boolean") return {.shape = Shape::kBool};
  AddNote(place, "the type " + Dump(*declared) + " is unknown: RawJson");
  return {};
}

MemberModel SchemaMapper::Member(const std::string& json_name, const Json& schema, bool required,
                                 const std::string& struct_name, const std::string& place) {
  MemberModel member{.json_name = json_name, .facts = FactsOf(schema, required)};
  member.type = Map(schema, struct_name + TypeNamePart(json_name), place);
  if (options_.descriptions) member.description = TextAt(schema, "description");
  if (IsText(member.type)) {
    member.constants = ConstantsIn(schema);
    // The values of a list or map are those of its elements.
    if (const Json& values = Innermost(schema); &values != &schema) {
      if (const Json* const allowed = Find(values, "enum")) {
        for (const std::string& fact : FactsOf(Json{{"enum", *allowed}}, false)) member.facts.push_back("each " + fact);
      }
    }
  }
  return member;
}

StructModel& SchemaMapper::AddStruct(const std::string& name, const std::string& place, const Json& schema,
                                     const std::set<std::string>& skipped) {
  names_.insert(name);
  StructModel model{.name = name, .place = place};
  std::set<std::string> required;
  if (const Json* const names = Find(schema, "required"); names != nullptr && names->is_array()) {
    for (const Json& required_name : *names) {
      if (required_name.is_string()) required.insert(required_name.get<std::string>());
    }
  }
  if (const Json* const properties = Find(schema, "properties"); properties != nullptr && properties->is_object()) {
    // nlohmann's objects are sorted by name, bytewise, as tables are.
    for (const auto& [json_name, property] : properties->items()) {
      if (skipped.contains(json_name)) continue;
      const std::string member_place = place + (place.ends_with(':') ? " " : ".") + json_name;
      if (!IsTableName(json_name)) {
        AddNote(member_place, "the name has characters that a table cannot have: left out, and kept in rest_");
        continue;
      }
      model.members.push_back(Member(json_name, property, required.contains(json_name), name, member_place));
    }
  }
  structs_.push_back(std::move(model));
  return structs_.back();
}

std::vector<StructModel> SchemaMapper::TakeStructs() {
  std::sort(structs_.begin(), structs_.end(),
            [](const StructModel& a, const StructModel& b) { return a.name < b.name; });
  return std::exchange(structs_, {});
}

}  // namespace kinformer::gen
