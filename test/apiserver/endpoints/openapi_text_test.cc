#include "src/apiserver/endpoints/openapi_text.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "src/apiserver/endpoints/warning_headers.h"
#include "src/schema/built_in_schemas.h"
#include "src/schema/schema_reader.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;

ServedKind WebKind(const char* spec) {
  auto pool = std::make_shared<SchemaPool>();
  const Result<const Schema*> root = ReadSchema(
      {{"type", "object"}, {"properties", {{"metadata", {{"type", "object"}}}, {"spec", json::parse(spec)}}}}, nullptr,
      *pool);
  const GroupVersionKind gvk{"example.com", "v1", "Web"};
  return {
      .resource = {"example.com", "v1", "webs"},
      .kind = "Web",
      .singular = "web",
      .schema = std::make_shared<KindSchema>(KindSchema{.kind = gvk, .root = root ? *root : nullptr, .pool = pool})};
}

void CollectReferences(const json& value, std::vector<std::string>& out) {
  if (value.is_object() && value.contains("$ref") && value["$ref"].is_string()) out.push_back(value["$ref"]);
  if (value.is_structured()) {
    for (const json& child : value) CollectReferences(child, out);
  }
}

TEST(OpenApiDocument, EveryReferenceIsToSomethingInIt) {
  for (const auto& [group, version] : std::vector<std::pair<std::string, std::string>>{
           {"", "v1"}, {"apps", "v1"}, {"batch", "v1"}, {"policy", "v1"}}) {
    const json document = json::parse(OpenApiDocument(group, version, BuiltInKinds()).text);
    std::vector<std::string> references;
    CollectReferences(document, references);
    EXPECT_FALSE(references.empty());
    for (const std::string& reference : references) {
      EXPECT_TRUE(document.contains(json::json_pointer(reference.substr(1)))) << reference;
    }
  }
}

TEST(OpenApiDocument, KubectlFindsWhatItLooksFor) {
  const json document = json::parse(OpenApiDocument("apps", "v1", BuiltInKinds()).text);
  const json gvk = {{"group", "apps"}, {"version", "v1"}, {"kind", "Deployment"}};
  const json& item = document["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"];
  EXPECT_EQ(item["patch"]["x-kubernetes-group-version-kind"], gvk);
  EXPECT_EQ(item["patch"]["operationId"], "patchAppsV1NamespacedDeployment");
  std::vector<std::string> parameters;
  for (const json& parameter : item["patch"]["parameters"]) parameters.push_back(parameter["name"]);
  EXPECT_THAT(parameters, IsSupersetOf({"dryRun", "fieldManager", "fieldValidation", "force"}));
  EXPECT_TRUE(item["patch"]["requestBody"]["content"].contains("application/strategic-merge-patch+json"));
  EXPECT_EQ(document["paths"]["/apis/apps/v1/deployments"]["get"]["x-kubernetes-group-version-kind"], gvk);
  EXPECT_EQ(document["paths"]["/apis/apps/v1/deployments"]["get"]["x-kubernetes-action"], "list");
  EXPECT_EQ(document["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale"]["put"]
                    ["x-kubernetes-group-version-kind"]["kind"],
            "Scale");
  const json& schemas = document["components"]["schemas"];
  EXPECT_EQ(schemas["io.k8s.api.apps.v1.Deployment"]["x-kubernetes-group-version-kind"], json::array({gvk}));
  EXPECT_TRUE(schemas.contains("io.k8s.api.apps.v1.DeploymentList"));
  const json& spec = schemas["io.k8s.api.apps.v1.DeploymentSpec"]["properties"];
  EXPECT_EQ(spec["replicas"]["type"], "integer");
  EXPECT_EQ(spec["strategy"]["x-kubernetes-patch-strategy"], "retainKeys");
  EXPECT_EQ(spec["strategy"]["allOf"][0]["$ref"], "#/components/schemas/io.k8s.api.apps.v1.DeploymentStrategy");
  const json& containers = schemas["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"];
  EXPECT_EQ(containers["x-kubernetes-patch-merge-key"], "name");
  EXPECT_EQ(containers["x-kubernetes-list-type"], "map");
  EXPECT_FALSE(schemas.contains("io.k8s.api.core.v1.Node")) << "only what its kinds lead to";
}

/// Published built-in definitions match their source, without the descriptions.
TEST(OpenApiDocument, ADefinitionIsWhatItWasReadFrom) {
  const json document = json::parse(OpenApiDocument("", "v1", BuiltInKinds()).text);
  const json& quantity = document["components"]["schemas"]["io.k8s.apimachinery.pkg.api.resource.Quantity"];
  EXPECT_EQ(quantity, json::parse(R"({"oneOf":[{"type":"string"},{"type":"number"}]})"));
  const json& port = document["components"]["schemas"]["io.k8s.api.core.v1.ContainerPort"];
  EXPECT_EQ(port, json::parse(R"({"type":"object","required":["containerPort"],"properties":{
      "containerPort":{"type":"integer","format":"int32"},"hostIP":{"type":"string"},
      "hostPort":{"type":"integer","format":"int32"},"name":{"type":"string"},"protocol":{"type":"string","default":"TCP"}}})"));
  const json& time = document["components"]["schemas"]["io.k8s.apimachinery.pkg.apis.meta.v1.Time"];
  EXPECT_EQ(time, json::parse(R"({"type":"string","format":"date-time"})"));
}

TEST(OpenApiDocument, AUsersKindIsInItWithWhatEveryObjectHas) {
  const ServedKind web = WebKind(R"({"type":"object","description":"What is wanted.","required":["host"],"properties":{
      "host":{"type":"string","pattern":"^a","maxLength":9},"n":{"type":"integer","minimum":1,"default":2},
      "port":{"x-kubernetes-int-or-string":true},"any":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}})");
  const json document = json::parse(OpenApiDocument("example.com", "v1", {web}).text);
  const json& schema = document["components"]["schemas"]["com.example.v1.Web"];
  EXPECT_EQ(schema["properties"]["metadata"]["$ref"],
            "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  EXPECT_EQ(schema["properties"]["apiVersion"]["type"], "string");
  EXPECT_EQ(schema["properties"]["spec"],
            json::parse(R"({"type":"object","description":"What is wanted.","required":["host"],
      "properties":{"host":{"type":"string","pattern":"^a","maxLength":9},"n":{"type":"integer","minimum":1,"default":2},
      "port":{"x-kubernetes-int-or-string":true},"any":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}})"));
  EXPECT_EQ(schema["x-kubernetes-group-version-kind"][0]["kind"], "Web");
  EXPECT_FALSE(
      document["paths"]["/apis/example.com/v1/namespaces/{namespace}/webs/{name}"]["patch"]["requestBody"]["content"]
          .contains("application/strategic-merge-patch+json"));
}

TEST(OpenApiCache, TextsAreMadeOnceAndAnewWhenThereAreOtherKinds) {
  OpenApiCache cache;
  std::vector<ServedKind> kinds = BuiltInKinds();
  const auto first = cache.For(kinds);
  EXPECT_EQ(cache.For(kinds), first);
  const json index = json::parse(first->index.text);
  EXPECT_EQ(index["paths"]["api/v1"]["serverRelativeURL"],
            "/openapi/v3/api/v1?hash=" + first->documents.at("api/v1").hash);
  EXPECT_TRUE(index["paths"].contains("apis/apps/v1"));
  kinds.push_back(WebKind(R"({"type":"object"})"));
  const auto second = cache.For(kinds);
  EXPECT_TRUE(second->documents.contains("apis/example.com/v1"));
  EXPECT_EQ(second->documents.at("api/v1").hash, first->documents.at("api/v1").hash);
  EXPECT_NE(second->index.hash, first->index.hash);
  kinds.back() = WebKind(R"({"type":"object","properties":{"a":{"type":"string"}}})");
  EXPECT_NE(cache.For(kinds)->documents.at("apis/example.com/v1").hash,
            second->documents.at("apis/example.com/v1").hash);
}

TEST(WarningHeaders, AreQuotedOnceEachAndBounded) {
  EXPECT_THAT(WarningHeaders({"unknown field \"spec.foo\"", "unknown field \"spec.foo\"", "a\r\nX: y\\"}),
              ElementsAre(R"(299 - "unknown field \"spec.foo\"")", R"(299 - "a  X: y\\")"));
  std::vector<std::string> many;
  for (int i = 0; i < 1000; ++i) many.push_back("unknown field \"f" + std::to_string(i) + "\"");
  const std::vector<std::string> headers = WarningHeaders(many);
  EXPECT_GT(headers.size(), 10U);
  EXPECT_LT(headers.size(), 200U);
}

}  // namespace
}  // namespace kinformer::apiserver
