#include "src/apiserver/table/table_printer.h"

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

const Timestamp kPrintedAt = *ParseTimestamp("2026-01-10T12:00:00Z");

ObjectPtr Parsed(const json& object) { return Object::FromJson(object).value(); }

json Row(const TablePrinter& printer, const json& object, Timestamp now = kPrintedAt) {
  std::string text = "{";
  printer.AppendCells(*Parsed(object), now, text);
  return json::parse(text + "}");
}

json ColumnNames(const TablePrinter& printer) {
  json names = json::array();
  for (const json& column : json::parse(printer.ColumnsText())) names.push_back(column["name"]);
  return names;
}

TEST(TablePrinter, RowsOfKubernetesOwnKindsAreThoseOfARealServer) {
  std::ifstream file(TESTDATA "/golden.jsonl");
  int count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const json golden = json::parse(line);
    const ObjectPtr object = Parsed(golden["object"]);
    SCOPED_TRACE(std::string(object->Kind()) + " " + std::string(object->Name()));
    const TablePrinter printer(object->Gvk());
    json columns = json::parse(printer.ColumnsText());
    for (json& column : columns) {
      EXPECT_FALSE(column["description"].get<std::string>().empty());
      column.erase("description");
    }
    EXPECT_EQ(columns, golden["columns"]);
    const json row = Row(printer, golden["object"], *ParseTimestamp(golden["now"].get<std::string>()));
    EXPECT_EQ(row["cells"], golden["cells"]);
    EXPECT_EQ(row.value("conditions", json::array()), golden.value("conditions", json::array()));
  }
  EXPECT_GT(count, 90);
}

TEST(TablePrinter, OtherKindsOfKubernetesShowWhenTheyWereMade) {
  for (const GroupVersionKind& kind :
       {GroupVersionKind{"rbac.authorization.k8s.io", "v1", "ClusterRole"}, GroupVersionKind{"", "v1", "LimitRange"},
        GroupVersionKind{"apiextensions.k8s.io", "v1", "CustomResourceDefinition"}}) {
    const TablePrinter printer(kind);
    EXPECT_EQ(json::parse(printer.ColumnsText())[1]["type"], "date");
    EXPECT_EQ(ColumnNames(printer), json::parse(R"(["Name","Created At"])"));
    EXPECT_EQ(Row(printer, {{"metadata", {{"name", "a"}, {"creationTimestamp", "2026-01-05T09:00:00Z"}}}})["cells"],
              json::parse(R"(["a","2026-01-05T09:00:00Z"])"));
  }
}

TEST(TablePrinter, ACustomResourceWithoutColumnsShowsItsAge) {
  const TablePrinter printer({"example.com", "v1", "Web"});
  EXPECT_EQ(ColumnNames(printer), json::parse(R"(["Name","Age"])"));
  EXPECT_EQ(Row(printer, {{"metadata", {{"name", "a"}, {"creationTimestamp", "2026-01-05T09:00:00Z"}}}})["cells"],
            json::parse(R"(["a","5d3h"])"));
  EXPECT_EQ(Row(printer, {{"metadata", {{"name", "a"}}}})["cells"], json::parse(R"(["a",null])"));
}

TEST(TablePrinter, ColumnsOfCustomResourcesAreReadByTheirPaths) {
  const TablePrinter printer({"example.com", "v1", "Web"},
                             {{.name = "Replicas", .type = "integer", .json_path = ".spec.replicas"},
                              {.name = "Half", .type = "integer", .json_path = ".spec.half"},
                              {.name = "Ratio", .type = "number", .json_path = ".spec.half"},
                              {.name = "Ready", .json_path = ".status.conditions[?(@.type==\"Ready\")].status"},
                              {.name = "On", .type = "boolean", .json_path = ".spec.on"},
                              {.name = "Since", .type = "date", .json_path = ".spec.since"},
                              {.name = "Bad", .type = "date", .json_path = ".spec.name"},
                              {.name = "List", .description = "A list", .priority = 1, .json_path = ".spec.list"},
                              {.name = "Wrong", .type = "integer", .json_path = ".spec.name"},
                              {.name = "None", .json_path = ".spec.none"},
                              {.name = "Broken", .json_path = "spec["}});
  const json row = Row(printer, json::parse(R"({"metadata":{"name":"a"},
      "spec":{"replicas":3,"half":1.5,"on":false,"since":"2026-01-10T11:58:00Z","name":"x","list":["a",1]},
      "status":{"conditions":[{"type":"Up","status":"False"},{"type":"Ready","status":"True"}]}})"));
  EXPECT_EQ(row["cells"], json::parse(R"(["a",3,1,1.5,"True",false,"2m","<invalid>","[\"a\",1]",null,null,null])"));
  const json columns = json::parse(printer.ColumnsText());
  EXPECT_EQ(columns[8],
            json::parse(R"({"name":"List","type":"string","format":"","description":"A list","priority":1})"));
  EXPECT_EQ(columns[1]["description"], "Custom resource definition column (in JSONPath format): .spec.replicas");
}

TEST(TablePrinter, AnObjectOfWhichNothingIsKnownHasARowAllTheSame) {
  // Like a bookmark: an object of every kind with only a resourceVersion.
  std::ifstream file(TESTDATA "/objects.jsonl");
  for (std::string line; std::getline(file, line);) {
    const json object = json::parse(line);
    const json bare = {{"apiVersion", object["apiVersion"]},
                       {"kind", object["kind"]},
                       {"metadata", {{"resourceVersion", "5"}, {"creationTimestamp", nullptr}}}};
    const TablePrinter printer(Parsed(bare)->Gvk());
    EXPECT_EQ(Row(printer, bare)["cells"].size(), json::parse(printer.ColumnsText()).size()) << line;
  }
}

TEST(TablePrinter, FieldsOfTheWrongTypeAreLikeNone) {
  const TablePrinter printer({"", "v1", "Pod"});
  const json row = Row(printer, json::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},
      "spec":{"containers":7,"initContainers":"x","nodeName":[]},
      "status":{"phase":5,"containerStatuses":{"a":1},"conditions":[1,"x",null],"initContainerStatuses":[7]}})"));
  EXPECT_EQ(row["cells"].size(), 9U);
}

}  // namespace
}  // namespace kinformer::apiserver
