// Checks the handwritten columns and selectable fields of built-in kinds against the generated schemas.

#include "src/schema/built_in_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "src/schema/built_in_definitions.h"
#include "src/schema/built_in_schemas.h"
#include "src/schema/built_in_selectable_fields.h"
#include "src/schema/custom_columns.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using ::testing::AnyOf;
using ::testing::IsEmpty;

std::vector<GroupVersionKind> GeneratedKinds() {
  std::vector<GroupVersionKind> kinds;
  for (const BuiltInKind& kind : AllBuiltInKinds()) {
    kinds.push_back({std::string(kind.group), std::string(kind.version), std::string(kind.kind)});
  }
  return kinds;
}

std::string Text(const GroupVersionKind& kind) { return kind.ApiVersion() + " " + kind.kind; }

/// The schema at a path of names, with brackets after names of lists; null if there is none.
const Schema* SchemaAt(const Schema& root, std::string_view path) {
  const Schema* at = &root;
  while (at != nullptr && !path.empty()) {
    if (path.front() == '[') {
      path.remove_prefix(std::min(path.find(']'), path.size() - 1) + 1);
      at = at->type == SchemaType::kArray ? at->items : nullptr;
      continue;
    }
    if (path.front() != '.') return nullptr;
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find_first_of(".["), path.size());
    if (at->type == SchemaType::kMap) {
      at = at->items;
    } else {
      const SchemaField* field = at->Find(path.substr(0, end));
      at = field == nullptr ? nullptr : field->schema;
    }
    path.remove_prefix(end);
  }
  return at;
}

TEST(BuiltInColumns, EveryBuiltInKindHasSomeAndNothingElseHas) {
  EXPECT_EQ(KindsWithBuiltInColumns(), GeneratedKinds());
  for (const GroupVersionKind& kind : GeneratedKinds()) {
    SCOPED_TRACE(Text(kind));
    const KindSchemaPtr schema = FindBuiltInSchema(kind);
    ASSERT_NE(schema, nullptr);
    ASSERT_FALSE(schema->columns.empty());
    const bool named = std::any_of(schema->columns.begin(), schema->columns.end(),
                                   [](const PrinterColumn& column) { return column.name == "Name"; });
    EXPECT_TRUE(named);
  }
  EXPECT_THAT(BuiltInColumns({"example.com", "v1", "Web"}), IsEmpty());
  EXPECT_THAT(BuiltInColumns({"", "v2", "Pod"}), IsEmpty());
}

TEST(BuiltInColumns, EachIsFilledFromAFieldOfTheSchemaOrByAPrinter) {
  for (const GroupVersionKind& kind : GeneratedKinds()) {
    const KindSchemaPtr schema = FindBuiltInSchema(kind);
    ASSERT_NE(schema, nullptr);
    for (const PrinterColumn& column : schema->columns) {
      SCOPED_TRACE(Text(kind) + ": " + column.name);
      EXPECT_FALSE(column.name.empty() || column.description.empty());
      EXPECT_THAT(column.type, AnyOf("string", "integer", "number", "boolean", "date"));
      EXPECT_THAT(column.format, AnyOf("", "name"));
      EXPECT_THAT(column.priority, AnyOf(0, 1));
      EXPECT_FALSE(column.json_path.empty() && column.printer.empty());
      if (!column.json_path.empty()) {
        EXPECT_NE(SchemaAt(*schema->root, column.json_path), nullptr) << column.json_path;
      }
      // The field may be absent, for which a real server does not show null.
      EXPECT_FALSE(column.printer.empty() && column.absent.empty());
      EXPECT_FALSE(column.empty_is_absent && column.absent.empty());
      EXPECT_TRUE(column.absent.empty() || json::accept(column.absent)) << column.absent;
    }
  }
}

TEST(BuiltInSelectableFields, AreScalarFieldsOfTheSchema) {
  for (const GroupVersionKind& kind : KindsWithBuiltInSelectableFields()) {
    const KindSchemaPtr schema = FindBuiltInSchema(kind);
    ASSERT_NE(schema, nullptr) << Text(kind);
    ASSERT_FALSE(schema->selectable_fields.empty()) << Text(kind);
    for (const SelectableField& field : schema->selectable_fields) {
      SCOPED_TRACE(Text(kind) + ": " + field.name);
      const Schema* at = SchemaAt(*schema->root, field.json_path);
      ASSERT_NE(at, nullptr) << field.json_path;
      EXPECT_THAT(at->type, AnyOf(SchemaType::kString, SchemaType::kInteger, SchemaType::kBoolean));
      // Built-in kinds omit "", 0 and false from their JSON; selectors must still match them.
      EXPECT_EQ(field.absent, at->type == SchemaType::kString ? "" : at->type == SchemaType::kInteger ? "0" : "false");
    }
  }
  EXPECT_THAT(BuiltInSelectableFields({"", "v1", "ConfigMap"}), IsEmpty());
}

TEST(BuiltInSelectableFields, AreFoundWhereTheyAreNotNamedAfterTheirPlace) {
  const auto path_of = [](const GroupVersionKind& kind, std::string_view name) -> std::string {
    for (const SelectableField& field : FindBuiltInSchema(kind)->selectable_fields) {
      if (field.name == name) return field.json_path;
    }
    return "none";
  };
  EXPECT_EQ(path_of({"", "v1", "Pod"}, "spec.nodeName"), ".spec.nodeName");
  EXPECT_EQ(path_of({"", "v1", "Event"}, "source"), ".source.component");
  EXPECT_EQ(path_of({"batch", "v1", "Job"}, "status.successful"), ".status.succeeded");
}

TEST(CustomColumns, ComeBehindTheName) {
  const std::vector<PrinterColumn> columns =
      CustomColumns({{.name = "Size", .type = "integer", .json_path = ".spec.size"},
                     {.name = "Color", .description = "Its color", .priority = 1, .json_path = ".spec.color"}});
  ASSERT_EQ(columns.size(), 3U);
  EXPECT_EQ(columns[0].name, "Name");
  EXPECT_EQ(columns[0].format, "name");
  EXPECT_EQ(columns[1].description, "Custom resource definition column (in JSONPath format): .spec.size");
  EXPECT_EQ(columns[2].description, "Its color");
  EXPECT_EQ(columns[2].priority, 1);
}

TEST(CustomColumns, AreTheAgeWhereNoneAreGiven) {
  const std::vector<PrinterColumn> columns = CustomColumns({});
  ASSERT_EQ(columns.size(), 2U);
  EXPECT_EQ(columns[1].name, "Age");
  EXPECT_EQ(columns[1].type, "date");
  EXPECT_EQ(columns[1].json_path, ".metadata.creationTimestamp");
}

}  // namespace
}  // namespace kinformer::apiserver
