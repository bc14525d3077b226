#include "src/apiserver/apply/type_ref.h"

#include <nlohmann/json.hpp>

namespace kinformer::apiserver {
namespace {

/// Arbitrary objects; treated as atomic.
constexpr std::string_view kRawExtension = "pkg.runtime.RawExtension";

}  // namespace

Atom TypeRef::AtomFor(const nlohmann::json& value) const {
  const bool scalar = value.is_string() || value.is_number() || value.is_boolean();
  if (scalar && HasScalar()) return Atom::kScalar;
  if (value.is_array() && HasList()) return Atom::kList;
  if (HasMap()) return Atom::kMap;
  if (HasScalar()) return Atom::kScalar;
  return HasList() ? Atom::kList : Atom::kNone;
}

TypeRef TypeRef::Deduced() {
  TypeRef type;
  type.kind_ = Kind::kDeduced;
  return type;
}

TypeRef TypeRef::Whole() {
  TypeRef type;
  type.kind_ = Kind::kWhole;
  return type;
}

TypeRef TypeRef::Of(const Schema* schema, bool preserve) {
  if (schema == nullptr) return Deduced();
  if (std::string_view(schema->name).ends_with(kRawExtension)) return Whole();
  TypeRef type;
  type.kind_ = Kind::kSchema;
  type.schema_ = schema;
  type.preserve_ = preserve || schema->preserve_unknown_fields;
  return type;
}

bool TypeRef::HasScalar() const {
  if (kind_ != Kind::kSchema) return kind_ != Kind::kNone;
  return schema_->type != SchemaType::kObject && schema_->type != SchemaType::kMap &&
         schema_->type != SchemaType::kArray;
}

bool TypeRef::HasList() const {
  if (kind_ != Kind::kSchema) return kind_ != Kind::kNone;
  return schema_->type == SchemaType::kArray || schema_->type == SchemaType::kAny;
}

bool TypeRef::HasMap() const {
  if (kind_ != Kind::kSchema) return kind_ != Kind::kNone;
  return schema_->type == SchemaType::kObject || schema_->type == SchemaType::kMap || schema_->type == SchemaType::kAny;
}

bool TypeRef::AtomicMap() const { return kind_ == Kind::kWhole || (kind_ == Kind::kSchema && schema_->atomic); }

const SchemaField* TypeRef::Field(std::string_view name) const {
  return kind_ == Kind::kSchema ? schema_->Find(name) : nullptr;
}

std::optional<TypeRef> TypeRef::Unnamed() const {
  switch (kind_) {
    case Kind::kNone:
      return std::nullopt;
    case Kind::kDeduced:
      return Deduced();
    case Kind::kWhole:
      return Whole();
    case Kind::kSchema:
      break;
  }
  if (schema_->items != nullptr && schema_->type != SchemaType::kArray && schema_->type != SchemaType::kAny) {
    return Of(schema_->items, preserve_);
  }
  if (preserve_ || schema_->fields.empty()) return Deduced();
  return std::nullopt;
}

TypeRef TypeRef::MapItem(std::string_view name) const {
  if (const SchemaField* field = Field(name); field != nullptr) return Of(field->schema, preserve_);
  return Unnamed().value_or(Deduced());
}

bool TypeRef::AllowsUnnamed() const { return Unnamed().has_value(); }

bool TypeRef::AtomicList() const { return kind_ != Kind::kSchema || schema_->list_type == ListType::kAtomic; }

const std::vector<std::string>& TypeRef::Keys() const {
  static const std::vector<std::string> none;
  return kind_ == Kind::kSchema && schema_->list_type == ListType::kMap ? schema_->list_map_keys : none;
}

TypeRef TypeRef::Element() const {
  if (kind_ != Kind::kSchema || schema_->items == nullptr) return Whole();
  return Of(schema_->items, preserve_);
}

const nlohmann::json* TypeRef::KeyDefault(std::string_view key) const {
  const SchemaField* field = Element().Field(key);
  return field != nullptr ? field->default_value.get() : nullptr;
}

}  // namespace kinformer::apiserver
