#include "src/apiserver/crd/custom_schema.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/codec/json_fields.h"
#include "src/schema/built_in_schemas.h"
#include "src/schema/custom_columns.h"
#include "src/schema/schema_reader.h"

namespace kinformer::apiserver {
namespace {

using internal::FieldOf;
using internal::IntegerOf;
using internal::TextOf;
using nlohmann::json;

/// Inserts or replaces the field, keeping the order.
void SetField(Schema& schema, SchemaField field) {
  auto at = std::lower_bound(schema.fields.begin(), schema.fields.end(), field.name,
                             [](const SchemaField& one, const std::string& name) { return one.name < name; });
  if (at != schema.fields.end() && at->name == field.name) {
    *at = std::move(field);
  } else {
    schema.fields.insert(at, std::move(field));
  }
}

/// The common metadata schema, plus this kind's own constraints.
const Schema* MetadataOf(const Schema& root, SchemaPool& pool) {
  const SchemaField* own = root.Find("metadata");
  if (own == nullptr || (own->schema->fields.empty() && own->schema->required.empty())) return &ObjectMetaSchema();
  Schema& metadata = pool.Add();
  metadata = ObjectMetaSchema();
  for (const SchemaField& field : own->schema->fields) SetField(metadata, field);
  for (const std::string& name : own->schema->required) metadata.required.push_back(name);
  return &metadata;
}

std::vector<PrinterColumn> ColumnsOf(const json& columns) {
  std::vector<PrinterColumn> read;
  if (!columns.is_array()) return read;
  for (const json& column : columns) {
    read.push_back({.name = TextOf(column, "name"),
                    .type = TextOf(column, "type"),
                    .format = TextOf(column, "format"),
                    .description = TextOf(column, "description"),
                    .priority = static_cast<int>(IntegerOf(column, "priority").value_or(0)),
                    .json_path = TextOf(column, "jsonPath")});
  }
  return read;
}

/// Selector names: "spec.color" for ".spec.color".
std::vector<SelectableField> SelectableFieldsOf(const json& fields) {
  std::vector<SelectableField> read;
  for (const json& field : fields) {
    const std::string& path = TextOf(field, "jsonPath");
    if (path.size() < 2) continue;
    const std::string name = path.substr(path.front() == '.' ? 1 : 0);
    read.push_back({.name = name, .json_path = "." + name});
  }
  return read;
}

}  // namespace

Result<KindSchemaPtr> ReadCustomSchema(const GroupVersionKind& kind, const json& version) {
  const json& openapi = FieldOf(FieldOf(version, "schema"), "openAPIV3Schema");
  auto pool = std::make_shared<SchemaPool>();
  const Result<const Schema*> read = ReadSchema(openapi, json(), *pool);
  if (!read) return read.error();
  Schema& root = pool->Add();
  root = **read;
  if (root.type != SchemaType::kObject) {
    Error error{.code = ErrorCode::kInvalidArgument, .message = "type: must be object at the root"};
    error.details.causes.push_back(
        {.reason = "FieldValueInvalid",
         .message = "Invalid value: " + FieldOf(openapi, "type").dump() + ": must be object at the root",
         .field = "type"});
    return error;
  }
  Schema& text = pool->Add();
  text.type = SchemaType::kString;
  const Schema* metadata = MetadataOf(root, *pool);
  SetField(root, {.name = "apiVersion", .schema = &text});
  SetField(root, {.name = "kind", .schema = &text});
  SetField(root, {.name = "metadata", .schema = metadata});
  auto schema = std::make_shared<KindSchema>();
  schema->kind = kind;
  schema->root = &root;
  schema->columns = CustomColumns(ColumnsOf(FieldOf(version, "additionalPrinterColumns")));
  schema->selectable_fields = SelectableFieldsOf(FieldOf(version, "selectableFields"));
  schema->pool = std::move(pool);
  return KindSchemaPtr(std::move(schema));
}

}  // namespace kinformer::apiserver
