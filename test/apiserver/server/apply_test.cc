// Apply and strategic merge patches over HTTP.

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "test/apiserver/server/server_fixture.h"

namespace kinformer {
namespace {

using nlohmann::json;

constexpr const char* kPath = "/apis/apps/v1/namespaces/default/deployments/web";
constexpr const char* kYaml = R"(apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: c
        image: nginx
        ports:
        - containerPort: 80
)";

class ApplyTest : public ServerTest {
 protected:
  void SetUp() override { StartServer(); }
  Result<RawResponse> Patch(const std::string& query, const std::string& type, const std::string& body) {
    return Raw(kPath + query, "PATCH", body, {{"Content-Type", type}, {"User-Agent", "tester/1.0 (x)"}});
  }
};

TEST_F(ApplyTest, YamlAndJsonAreAppliedAndConflictsRefused) {
  const std::string apply = "application/apply-patch+yaml";
  const Result<RawResponse> made = Patch("?fieldManager=me", apply, kYaml);
  ASSERT_TRUE(made) << ToString(made.error());
  EXPECT_EQ(made->head.status, 201);
  const json object = json::parse(made->body);
  EXPECT_EQ(object["spec"]["replicas"], 2);
  ASSERT_EQ(object["metadata"]["managedFields"].size(), 1U);
  const json& entry = object["metadata"]["managedFields"][0];
  EXPECT_EQ(entry["manager"], "me");
  EXPECT_EQ(entry["operation"], "Apply");
  // Fields defaulted by the server have no owner.
  EXPECT_FALSE(entry["fieldsV1"]["f:spec"].contains("f:strategy")) << entry;
  EXPECT_TRUE(object["spec"].contains("strategy"));

  const std::string config =
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":3}})";
  const Result<RawResponse> conflict = Patch("?fieldManager=other", apply, config);
  ASSERT_FALSE(conflict);
  EXPECT_EQ(conflict.error().http_status, 409);
  EXPECT_EQ(conflict.error().message, R"(Apply failed with 1 conflict: conflict with "me": .spec.replicas)");
  ASSERT_EQ(conflict.error().details.causes.size(), 1U);
  EXPECT_EQ(conflict.error().details.causes[0].reason, "FieldManagerConflict");
  EXPECT_EQ(conflict.error().details.causes[0].field, ".spec.replicas");
  const Result<RawResponse> forced = Patch("?fieldManager=other&force=true", apply, config);
  ASSERT_TRUE(forced) << ToString(forced.error());
  EXPECT_EQ(forced->head.status, 200);
  EXPECT_EQ(json::parse(forced->body)["spec"]["replicas"], 3);

  const Result<RawResponse> nameless = Patch("", apply, config);
  ASSERT_FALSE(nameless);
  EXPECT_EQ(nameless.error().http_status, 422);
  const Result<RawResponse> bad = Patch("?fieldManager=me", apply, "a: [");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().http_status, 400);
  EXPECT_EQ(bad.error().message.find("error decoding YAML: "), 0U) << bad.error().message;
}

TEST_F(ApplyTest, AStrategicPatchIsOwnedByTheProgramThatSentIt) {
  ASSERT_TRUE(Patch("?fieldManager=me", "application/apply-patch+yaml", kYaml));
  const Result<RawResponse> patched =
      Patch("", "application/strategic-merge-patch+json",
            R"({"spec":{"template":{"spec":{"containers":[{"name":"c","imagePullPolicy":"Never"}]}}}})");
  ASSERT_TRUE(patched) << ToString(patched.error());
  const json object = json::parse(patched->body);
  ASSERT_EQ(object["spec"]["template"]["spec"]["containers"].size(), 1U);
  EXPECT_EQ(object["spec"]["template"]["spec"]["containers"][0]["image"], "nginx");
  EXPECT_EQ(object["spec"]["template"]["spec"]["containers"][0]["imagePullPolicy"], "Never");
  ASSERT_EQ(object["metadata"]["managedFields"].size(), 2U);
  EXPECT_EQ(object["metadata"]["managedFields"][1]["manager"], "tester");
  EXPECT_EQ(
      object["metadata"]["managedFields"][1]["fieldsV1"],
      json::parse(
          R"({"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{"f:imagePullPolicy":{}}}}}}})"));
}

}  // namespace
}  // namespace kinformer
