// Namespaces: their lifecycle, and what they permit.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/meta/status_error.h>

#include "test/apiserver/registry/resource_store_testing.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

using NamespaceTest = ResourceStoreTest;

TEST_F(NamespaceTest, ANamespaceThatIsNotThereOrGoesAwayTakesNothingNew) {
  const auto absent = Create(ConfigMap("a"), {}, "nowhere");
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().http_status, 404);
  EXPECT_EQ(absent.error().message, "namespaces \"nowhere\" not found");
  Created({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "team"}}}});
  EXPECT_TRUE(Create(ConfigMap("a"), {}, "team").ok());
  const auto deleted = Of("Namespace").Delete("", "team", {}, {});
  ASSERT_TRUE(deleted.ok()) << ToString(deleted.error());
  EXPECT_FALSE(deleted->finished) << "until it is finalized";
  EXPECT_EQ(deleted->object->At("/status/phase").StringOr(""), "Terminating");
  EXPECT_FALSE(deleted->object->At("/metadata/deletionGracePeriodSeconds").Exists());
  const auto refused = Create(ConfigMap("b"), {}, "team");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().http_status, 403);
  EXPECT_EQ(refused.error().details.causes.at(0).reason, "NamespaceTerminating");
}

TEST_F(NamespaceTest, ANamespaceThatIsBeingDeletedGoesWhenItIsFinalized) {
  json made = Created({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "team"}}}});
  EXPECT_EQ(made.at("spec").at("finalizers"), json({"kubernetes"}));
  made["spec"]["finalizers"] = json::array();
  const auto updated = Of("Namespace").Update("", "team", Subresource::kNone, made.dump(), {}, {});
  ASSERT_TRUE(updated.ok()) << ToString(updated.error());
  EXPECT_EQ(updated->object->At("/spec/finalizers").Raw(), R"(["kubernetes"])") << "the subresource alone changes them";
  ASSERT_TRUE(Of("Namespace").Delete("", "team", {}, {}).ok());
  json ending = Of("Namespace").Get("", "team", "", {}).value()->ToJson();
  ending["spec"]["finalizers"] = json::array();
  ending["metadata"]["labels"]["other"] = "change";
  const auto finalized = Of("Namespace").Update("", "team", Subresource::kFinalize, ending.dump(), {}, {});
  ASSERT_TRUE(finalized.ok()) << ToString(finalized.error());
  EXPECT_TRUE(finalized->object->Labels().Contains("other")) << "as of a real server";
  EXPECT_EQ(Of("Namespace").Get("", "team", "", {}).error().http_status, 404);
}

TEST_F(NamespaceTest, ANamespaceThatTheServerNeedsIsNotDeleted) {
  Created({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "kube-system"}}}});
  const auto deleted = Of("Namespace").Delete("", "kube-system", {}, {});
  ASSERT_FALSE(deleted.ok());
  EXPECT_EQ(deleted.error().http_status, 403);
  EXPECT_EQ(deleted.error().message, "namespaces \"kube-system\" is forbidden: this namespace may not be deleted");
}

TEST_F(NamespaceTest, ANamespaceIsLabelledByItsNameAndManagedByNobodyInWhatTheServerAdds) {
  json made = Created({{"apiVersion", "v1"},
                       {"kind", "Namespace"},
                       {"metadata", {{"name", "team"}, {"namespace", "is ignored"}}},
                       {"spec", {{"finalizers", {"example.com/x"}}}}});
  EXPECT_EQ(made.at("spec").at("finalizers"), json({"example.com/x", "kubernetes"}));
  EXPECT_FALSE(made.at("metadata").contains("namespace"));
  made["metadata"]["labels"] = {{"kubernetes.io/metadata.name", "other"}, {"a", "b"}};
  const auto updated = Of("Namespace").Update("", "team", Subresource::kNone, made.dump(), {}, {});
  ASSERT_TRUE(updated.ok()) << ToString(updated.error());
  EXPECT_EQ(updated->object->At("/metadata/labels").Raw(), R"({"a":"b","kubernetes.io/metadata.name":"team"})");

  const json plain = Created({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "plain"}}}});
  const json fields = plain.at("metadata").at("managedFields").at(0).at("fieldsV1");
  EXPECT_FALSE(fields.contains("f:spec")) << fields;
}

TEST_F(NamespaceTest, ANamespacesPhaseSaysWhetherItEnds) {
  json made = Created({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "team"}}}});
  made["status"]["phase"] = "Terminating";
  const auto updated = Of("Namespace").Update("", "team", Subresource::kStatus, made.dump(), {}, {});
  ASSERT_FALSE(updated.ok());
  EXPECT_EQ(updated.error().http_status, 422);
  EXPECT_THAT(updated.error().message, HasSubstr("may only be 'Active' if `deletionTimestamp` is empty"));
}

}  // namespace
}  // namespace kinformer::apiserver
