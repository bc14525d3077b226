// Field ownership after each kind of write, and the patches that depend on ownership or on the schema.

#include <chrono>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/meta/status_error.h>

#include "test/apiserver/registry/resource_store_testing.h"

namespace kinformer::apiserver {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

const char* const kDeployment = R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{
  "replicas":1,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},
  "spec":{"containers":[{"name":"c","image":"i"}]}}}})";

using OwnershipTest = ResourceStoreTest;

TEST_F(OwnershipTest, WritesSayWhoOwnsWhat) {
  WriteParameters as_a{.field_manager = "a"};
  ASSERT_TRUE(Of("ConfigMap").Create("default", ConfigMap("m").dump(), as_a, {}));
  clock_->Advance(10s);
  const Result<UpdateOutcome> patched = Of("ConfigMap")
                                            .Patch("default", "m", Subresource::kNone, PatchKind::kMerge,
                                                   R"({"data":{"more":"x"}})", {.field_manager = "b"}, {});
  ASSERT_TRUE(patched) << ToString(patched.error());
  const json fields = patched->object->ToJson().at("metadata").at("managedFields");
  ASSERT_EQ(fields.size(), 2U);
  EXPECT_EQ(fields[0]["manager"], "a");
  EXPECT_EQ(fields[0]["operation"], "Update");
  EXPECT_EQ(fields[0]["apiVersion"], "v1");
  EXPECT_EQ(fields[0]["fieldsType"], "FieldsV1");
  EXPECT_EQ(fields[0]["fieldsV1"], json::parse(R"({"f:data":{".":{},"f:value":{}}})"));
  EXPECT_EQ(fields[1]["manager"], "b");
  EXPECT_EQ(fields[1]["fieldsV1"], json::parse(R"({"f:data":{"f:more":{}}})"));
  EXPECT_NE(fields[0]["time"], fields[1]["time"]);
  // Patching the same again is a no-op.
  clock_->Advance(10s);
  const Result<UpdateOutcome> same = Of("ConfigMap")
                                         .Patch("default", "m", Subresource::kNone, PatchKind::kMerge,
                                                R"({"data":{"more":"x"}})", {.field_manager = "c"}, {});
  ASSERT_TRUE(same);
  EXPECT_EQ(same->object->ResourceVersion(), patched->object->ResourceVersion());
}

TEST_F(OwnershipTest, ApplyMakesChangesAndRemoves) {
  const auto apply = [&](const json& config, const std::string& manager, bool force = false, bool dry_run = false) {
    return Of("ConfigMap")
        .Patch("default", "m", Subresource::kNone, PatchKind::kApply, config.dump(),
               {.dry_run = dry_run, .field_manager = manager, .force = force}, {});
  };
  const Result<UpdateOutcome> dry = apply(ConfigMap("m"), "a", false, /*dry_run=*/true);
  ASSERT_TRUE(dry) << ToString(dry.error());
  EXPECT_TRUE(dry->created);
  EXPECT_TRUE(IsNotFound(Of("ConfigMap").Get("default", "m", "", {}).error()));

  const Result<UpdateOutcome> made = apply(ConfigMap("m"), "a");
  ASSERT_TRUE(made) << ToString(made.error());
  EXPECT_TRUE(made->created);
  EXPECT_FALSE(made->object->Uid().empty());
  EXPECT_EQ(made->object->At("/metadata/managedFields/0/operation").StringOr(""), "Apply");

  const Result<UpdateOutcome> again = apply(ConfigMap("m"), "a");
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->created);
  EXPECT_EQ(again->object->ResourceVersion(), made->object->ResourceVersion());

  const Result<UpdateOutcome> conflict = apply(ConfigMap("m", "2"), "b");
  ASSERT_FALSE(conflict);
  EXPECT_EQ(conflict.error().http_status, 409);
  EXPECT_EQ(conflict.error().message, R"(Apply failed with 1 conflict: conflict with "a": .data.value)");

  const Result<UpdateOutcome> forced = apply(ConfigMap("m", "2"), "b", /*force=*/true);
  ASSERT_TRUE(forced);
  EXPECT_EQ(forced->object->At("/data/value").StringOr(""), "2");

  json without = ConfigMap("m");
  without.erase("data");
  const Result<UpdateOutcome> dropped = apply(without, "b");
  ASSERT_TRUE(dropped);
  EXPECT_FALSE(dropped->object->At("/data/value").Exists());
  EXPECT_FALSE(dropped->object->At("/metadata/managedFields").Exists());
}

TEST_F(OwnershipTest, TheVersionInAnAppliedConfigurationIsALock) {
  const auto apply = [&](const json& config) {
    return Of("ConfigMap")
        .Patch("default", "m", Subresource::kNone, PatchKind::kApply, config.dump(), {.field_manager = "a"}, {});
  };
  json config = ConfigMap("m");
  config["metadata"]["resourceVersion"] = "1";
  const Result<UpdateOutcome> made = apply(config);
  ASSERT_TRUE(made) << "there is nothing that it could be a version of";
  EXPECT_TRUE(made->created);
  config["metadata"]["resourceVersion"] = "999";
  EXPECT_EQ(apply(config).error().http_status, 409);
  config["metadata"]["resourceVersion"] = std::string(made->object->ResourceVersion());
  config["data"]["value"] = "2";
  EXPECT_TRUE(apply(config));
  config = ConfigMap("other");
  EXPECT_EQ(apply(config).error().http_status, 400);
}

TEST_F(OwnershipTest, StatusAndScaleHaveEntriesOfTheirOwn) {
  ASSERT_TRUE(Of("Deployment").Create("default", kDeployment, {.field_manager = "a"}, {}));
  const auto apply = [&](Subresource subresource, const char* config, bool force = false) {
    return Of("Deployment")
        .Patch("default", "d", subresource, PatchKind::kApply, config, {.field_manager = "b", .force = force}, {});
  };
  const Result<UpdateOutcome> status = apply(
      Subresource::kStatus,
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":9},"status":{"replicas":1,"readyReplicas":1}})");
  ASSERT_TRUE(status) << ToString(status.error());
  EXPECT_EQ(status->object->At("/spec/replicas").IntOr(0), 1);
  EXPECT_EQ(status->object->At("/status/readyReplicas").IntOr(0), 1);
  const char* scale = R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"d"},"spec":{"replicas":3}})";
  const Result<UpdateOutcome> conflict = apply(Subresource::kScale, scale);
  ASSERT_FALSE(conflict);
  EXPECT_EQ(conflict.error().message,
            R"(Apply failed with 1 conflict: conflict with "a" using apps/v1: .spec.replicas)");
  const Result<UpdateOutcome> scaled = apply(Subresource::kScale, scale, /*force=*/true);
  ASSERT_TRUE(scaled) << ToString(scaled.error());
  EXPECT_EQ(scaled->object->At("/kind").StringOr(""), "Scale");
  EXPECT_EQ(scaled->object->At("/spec/replicas").IntOr(0), 3);
  std::map<std::string, json> by_subresource;
  const json stored = (*Of("Deployment").Get("default", "d", "", {}))->ToJson();
  for (const json& entry : stored.at("metadata").at("managedFields")) {
    by_subresource[entry.value("subresource", "")] = entry["fieldsV1"];
  }
  EXPECT_EQ(by_subresource["status"], json::parse(R"({"f:status":{"f:readyReplicas":{},"f:replicas":{}}})"));
  EXPECT_EQ(by_subresource["scale"], json::parse(R"({"f:spec":{"f:replicas":{}}})"));
  EXPECT_FALSE(by_subresource[""]["f:spec"].contains("f:replicas"));
}

TEST_F(OwnershipTest, AStrategicPatchMergesListsByTheirKeys) {
  ASSERT_TRUE(Of("Deployment").Create("default", kDeployment, {}, {}));
  const auto patch = [&](const char* text) {
    return Of("Deployment").Patch("default", "d", Subresource::kNone, PatchKind::kStrategic, text, {}, {});
  };
  const Result<UpdateOutcome> patched =
      patch(R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"j"},{"name":"d","image":"k"}]}}}})");
  ASSERT_TRUE(patched) << ToString(patched.error());
  EXPECT_EQ(patched->object->At("/spec/template/spec/containers/0/image").StringOr(""), "j");
  EXPECT_EQ(patched->object->At("/spec/template/spec/containers/1/name").StringOr(""), "d");
  const Result<UpdateOutcome> keyless = patch(R"({"spec":{"template":{"spec":{"containers":[{"image":"j"}]}}}})");
  ASSERT_FALSE(keyless);
  EXPECT_EQ(keyless.error().message, "map: map[image:j] does not contain declared merge key: name");
}

TEST_F(OwnershipTest, AScaleIsPatchedByItsOwnSchema) {
  ASSERT_TRUE(Of("Deployment").Create("default", kDeployment, {.field_manager = "a"}, {}));
  const Result<UpdateOutcome> scaled = Of("Deployment")
                                           .Patch("default", "d", Subresource::kScale, PatchKind::kStrategic,
                                                  R"({"spec":{"replicas":4}})", {.field_manager = "hpa"}, {});
  ASSERT_TRUE(scaled) << ToString(scaled.error());
  EXPECT_EQ(scaled->object->At("/spec/replicas").IntOr(0), 4);
  const json fields = (*Of("Deployment").Get("default", "d", "", {}))->ToJson().at("metadata").at("managedFields");
  ASSERT_EQ(fields.size(), 2U);
  EXPECT_EQ(fields[1]["manager"], "hpa");
  EXPECT_EQ(fields[1]["subresource"], "scale");
  EXPECT_EQ(fields[1]["fieldsV1"], json::parse(R"({"f:spec":{"f:replicas":{}}})"));
}

}  // namespace
}  // namespace kinformer::apiserver
