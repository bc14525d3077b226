// Table columns of schemas, and the printers they name.

#include "src/apiserver/table/cell_printers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "src/apiserver/table/json_path.h"
#include "src/apiserver/table/table_printer.h"
#include "src/schema/built_in_definitions.h"
#include "src/schema/built_in_schemas.h"
#include "src/schema/custom_columns.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using ::testing::ContainerEq;

const Timestamp kNow = *ParseTimestamp("2026-01-10T12:00:00Z");

json Cells(const std::vector<PrinterColumn>& columns, const json& object) {
  std::string text = "{";
  TablePrinter(columns).AppendCells(*Object::FromJson(object).value(), kNow, text);
  return json::parse(text + "}")["cells"];
}

template <typename Visit>
void ForEachBuiltInColumn(const Visit& visit) {
  for (const BuiltInKind& kind : AllBuiltInKinds()) {
    const KindSchemaPtr schema =
        FindBuiltInSchema({std::string(kind.group), std::string(kind.version), std::string(kind.kind)});
    ASSERT_NE(schema, nullptr) << kind.kind;
    for (const PrinterColumn& column : schema->columns) visit(column);
  }
}

TEST(CellPrinters, AreThoseThatTheSchemasNameAndNoOthers) {
  std::set<std::string> named;
  ForEachBuiltInColumn([&](const PrinterColumn& column) {
    if (!column.printer.empty()) named.insert(column.printer);
  });
  for (const PrinterColumn& column : CustomColumns({})) {
    EXPECT_TRUE(column.printer.empty() || named.contains(column.printer)) << column.printer;
  }
  std::set<std::string> there;
  for (const CellPrinter& printer : AllCellPrinters()) {
    EXPECT_TRUE(there.insert(std::string(printer.name)).second) << "twice: " << printer.name;
    EXPECT_EQ(FindCellPrinter(printer.name), printer.print);
  }
  EXPECT_THAT(named, ContainerEq(there));
  EXPECT_EQ(FindCellPrinter("noSuchPrinter"), nullptr);
}

TEST(CellPrinters, PathsOfBuiltInColumnsCanBeRead) {
  ForEachBuiltInColumn(
      [](const PrinterColumn& column) { EXPECT_TRUE(JsonPath::Parse(column.json_path).ok()) << column.json_path; });
}

TEST(TableColumns, OfACustomResourceMayBePrintedAsThoseOfABuiltInKind) {
  // The column chooses the printer, not the kind.
  const json web = json::parse(R"({"apiVersion":"example.com/v1","kind":"Web","metadata":{"name":"w"},
      "spec":{"selector":{"b":"2","a":"1"},"ports":[{"port":80}]}})");
  EXPECT_EQ(Cells({{.name = "Name", .printer = "name"},
                   {.name = "Selector", .json_path = ".spec.selector", .printer = "labels"},
                   {.name = "Ports", .json_path = ".spec.ports", .printer = "servicePorts"}},
                  web),
            json::parse(R"(["w","a=1,b=2","80/TCP"])"));
}

TEST(TableColumns, WhereNothingIsTheCellIsWhatTheColumnSays) {
  const std::vector<PrinterColumn> columns = {
      {.name = "A", .json_path = ".spec.a"},
      {.name = "B", .json_path = ".spec.a", .absent = R"("<none>")"},
      {.name = "C", .json_path = ".spec.a", .absent = R"("<none>")", .empty_is_absent = true},
      {.name = "D", .type = "integer", .json_path = ".spec.a", .absent = "7"},
      {.name = "E", .json_path = ".spec.a", .printer = "labels"},
      {.name = "F", .json_path = ".spec.a", .printer = "since", .absent = R"("never")"}};
  const auto with = [](const json& a) { return json{{"metadata", {{"name", "x"}}}, {"spec", {{"a", a}}}}; };
  const json nothing = json::parse(R"([null,"<none>","<none>",7,"<none>","never"])");
  EXPECT_EQ(Cells(columns, {{"metadata", {{"name", "x"}}}}), nothing);
  EXPECT_EQ(Cells(columns, with(nullptr)), nothing);
  // An empty string counts as a value unless the column says otherwise; it is never an integer.
  EXPECT_EQ(Cells(columns, with("")), json::parse(R"(["","","<none>",7,"<none>","<unknown>"])"));
  EXPECT_EQ(Cells(columns, with(3)), json::parse(R"(["3","3","3",3,"<none>","<unknown>"])"));
}

TEST(TableColumns, AColumnWithAPrinterThatThereIsNotIsNull) {
  EXPECT_EQ(Cells({{.name = "A", .printer = "noSuchPrinter"}, {.name = "Name", .printer = "name"}},
                  {{"metadata", {{"name", "x"}}}}),
            json::parse(R"([null,"x"])"));
}

TEST(TableColumns, OnlyARowWithThePodsStatusIsMarkedAsCompleted) {
  const json done = json::parse(R"({"metadata":{"name":"x"},"status":{"phase":"Succeeded"}})");
  const auto row = [&](const std::vector<PrinterColumn>& columns) {
    std::string text = "{";
    TablePrinter(columns).AppendCells(*Object::FromJson(done).value(), kNow, text);
    return json::parse(text + "}");
  };
  EXPECT_EQ(row(FindBuiltInSchema({"", "v1", "Pod"})->columns)["conditions"][0]["reason"], "Succeeded");
  EXPECT_FALSE(row(FindBuiltInSchema({"", "v1", "PersistentVolume"})->columns).contains("conditions"));
  EXPECT_FALSE(row(CustomColumns({})).contains("conditions"));
}

}  // namespace
}  // namespace kinformer::apiserver
