#include "src/apiserver/endpoints/table_text.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/base/fake_clock.h>

#include "src/apiserver/endpoints/answer_form.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

const GroupVersionKind kConfigMaps{"", "v1", "ConfigMap"};

ObjectPtr ConfigMap(const std::string& name, const std::string& version, json annotations = json::object()) {
  return Object::FromJson(
             {{"apiVersion", "v1"},
              {"kind", "ConfigMap"},
              {"metadata", {{"name", name}, {"resourceVersion", version}, {"annotations", std::move(annotations)}}},
              {"data", {{"a", "1"}}}})
      .value();
}

json Parsed(const std::vector<Buffer>& parts) {
  std::string text;
  for (const Buffer& part : parts) text += part.bytes;
  return json::parse(text);
}

TableText Table(RowObject include = RowObject::kMetadata) {
  return {TablePrinter(kConfigMaps), include, std::make_shared<FakeClock>()};
}

TEST(TableTextTest, AListHasARowForEachItemAndTheMetadataOfAList) {
  ObjectList list;
  list.metadata.resource_version = "17";
  list.metadata.continue_token = "more";
  list.metadata.remaining_item_count = 4;
  list.items = {ConfigMap("a", "5"), ConfigMap("b", "6")};
  const json table = Parsed(Table().List(list));
  EXPECT_EQ(table["kind"], "Table");
  EXPECT_EQ(table["apiVersion"], "meta.k8s.io/v1");
  EXPECT_EQ(table["metadata"], json::parse(R"({"resourceVersion":"17","continue":"more","remainingItemCount":4})"));
  EXPECT_EQ(table["columnDefinitions"].size(), 3U);
  ASSERT_EQ(table["rows"].size(), 2U);
  EXPECT_EQ(table["rows"][1]["cells"], json::parse(R"(["b",1,"<unknown>"])"));
  EXPECT_EQ(table["rows"][1]["object"], json::parse(R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",
                            "metadata":{"name":"b","resourceVersion":"6","annotations":{}}})"));
}

TEST(TableTextTest, AnEmptyListHasColumnsAndNoRows) {
  ObjectList list;
  list.metadata.resource_version = "17";
  const json table = Parsed(Table().List(list));
  EXPECT_EQ(table["rows"], json::array());
  EXPECT_EQ(table["columnDefinitions"].size(), 3U);
}

TEST(TableTextTest, AsMuchOfTheObjectComesAsIsAskedFor) {
  std::vector<Buffer> parts;
  Table(RowObject::kNone).AppendObject(ConfigMap("a", "5"), true, parts);
  json table = Parsed(parts);
  EXPECT_EQ(table["metadata"], json::parse(R"({"resourceVersion":"5"})"));
  EXPECT_EQ(table["rows"][0]["object"], nullptr);
  parts.clear();
  Table(RowObject::kWhole).AppendObject(ConfigMap("a", "5"), true, parts);
  table = Parsed(parts);
  EXPECT_EQ(table["rows"][0]["object"]["kind"], "ConfigMap");
  EXPECT_EQ(table["rows"][0]["object"]["data"]["a"], "1");
}

TEST(TableTextTest, OfAWatchTheFirstEventAloneHasColumns) {
  const auto events = TableEvents(std::make_shared<TableText>(Table()));
  std::vector<json> tables;
  for (const char* name : {"a", "b"}) {
    std::vector<Buffer> parts;
    events->Append({.type = WatchEventType::kAdded, .object = ConfigMap(name, "5"), .error = {}}, parts);
    tables.push_back(Parsed(parts));
  }
  EXPECT_EQ(tables[0]["columnDefinitions"].size(), 3U);
  EXPECT_EQ(tables[1]["columnDefinitions"], nullptr);
  EXPECT_EQ(tables[1]["rows"][0]["cells"][0], "b");
}

TEST(TableTextTest, TheBookmarkThatEndsTheInitialEventsKeepsItsMark) {
  std::vector<Buffer> parts;
  Table(RowObject::kNone).AppendObject(ConfigMap("", "9", {{"k8s.io/initial-events-end", "true"}}), false, parts);
  const json table = Parsed(parts);
  EXPECT_EQ(table["metadata"]["resourceVersion"], "9");
  EXPECT_EQ(table["rows"][0]["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"], "true");
}

TEST(AnswerFormTest, TheQuerySaysWhatComesWithARow) {
  HttpRequest request;
  request.headers.push_back({"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"});
  const ServedKind kind{.resource = {"", "v1", "configmaps"}, .kind = "ConfigMap"};
  const auto clock = std::make_shared<FakeClock>();
  const auto object_of = [&](const std::string& query) -> json {
    const RequestInfo info = ParseRequestInfo("GET", "/api/v1/namespaces/ns/configmaps/a", query).value();
    const Result<AnswerForm> form = AgreeOnForm(request, info, kind, clock);
    if (!form) return form.error().message;
    std::vector<Buffer> parts;
    AppendObject(ConfigMap("a", "5"), *form, parts);
    return Parsed(parts)["rows"][0]["object"];
  };
  EXPECT_EQ(object_of("")["kind"], "PartialObjectMetadata");
  EXPECT_EQ(object_of("includeObject=Metadata")["kind"], "PartialObjectMetadata");
  EXPECT_EQ(object_of("includeObject=Object")["kind"], "ConfigMap");
  EXPECT_EQ(object_of("includeObject=None"), nullptr);
  EXPECT_EQ(object_of("includeObject=All"),
            "Unable to convert to Table as requested: includeObject: Invalid value: \"All\": must be 'Metadata', "
            "'Object', 'None', or empty");
}

TEST(AnswerFormTest, ACustomResourceHasTheColumnsOfItsSchema) {
  HttpRequest request;
  request.headers.push_back({"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"});
  KindSchema schema;
  schema.columns = {{.name = "Name", .printer = "name"},
                    {.name = "Size", .type = "integer", .json_path = ".spec.size"}};
  ServedKind kind{.resource = {"example.com", "v1", "webs"}, .kind = "Web"};
  kind.schema = std::make_shared<const KindSchema>(std::move(schema));
  const RequestInfo info = ParseRequestInfo("GET", "/apis/example.com/v1/namespaces/ns/webs/w", "").value();
  const Result<AnswerForm> form = AgreeOnForm(request, info, kind, std::make_shared<FakeClock>());
  ASSERT_TRUE(form);
  std::vector<Buffer> parts;
  AppendObject(
      Object::Parse(R"({"apiVersion":"example.com/v1","kind":"Web","metadata":{"name":"w"},"spec":{"size":7}})")
          .value(),
      *form, parts);
  EXPECT_EQ(Parsed(parts)["rows"][0]["cells"], json::parse(R"(["w",7])"));
}

TEST(AnswerFormTest, ABuiltInKindHasTheColumnsOfItsSchema) {
  HttpRequest request;
  request.headers.push_back({"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"});
  const ServedKind kind{.resource = {"", "v1", "configmaps"}, .kind = "ConfigMap"};
  const RequestInfo info = ParseRequestInfo("GET", "/api/v1/namespaces/ns/configmaps/a", "").value();
  const Result<AnswerForm> form = AgreeOnForm(request, info, kind, std::make_shared<FakeClock>());
  ASSERT_TRUE(form);
  std::vector<Buffer> parts;
  AppendObject(ConfigMap("a", "5"), *form, parts);
  const json columns = Parsed(parts)["columnDefinitions"];
  const std::vector<PrinterColumn>& wanted = kind.FindSchema()->columns;
  ASSERT_EQ(columns.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(columns[i]["name"], wanted[i].name);
}

TEST(AnswerFormTest, AScaleHasColumnsOfItsOwn) {
  HttpRequest request;
  request.headers.push_back({"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"});
  const ServedKind kind{.resource = {"apps", "v1", "deployments"}, .kind = "Deployment", .has_scale = true};
  const RequestInfo info = ParseRequestInfo("GET", "/apis/apps/v1/namespaces/ns/deployments/d/scale", "").value();
  const Result<AnswerForm> form = AgreeOnForm(request, info, kind, std::make_shared<FakeClock>());
  ASSERT_TRUE(form);
  std::vector<Buffer> parts;
  AppendObject(Object::Parse(R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"d"},
                                 "spec":{"replicas":3},"status":{"replicas":2}})")
                   .value(),
               *form, parts);
  EXPECT_EQ(Parsed(parts)["rows"][0]["cells"], json::parse(R"(["d",3,2,"<unknown>"])"));
}

}  // namespace
}  // namespace kinformer::apiserver
