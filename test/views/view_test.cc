#include <kinformer/views/view.h>

#include <chrono>
#include <type_traits>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/meta/selector.h>
#include <kinformer/views/apps_v1.h>
#include <kinformer/views/batch_v1.h>
#include <kinformer/views/coordination_v1.h>
#include <kinformer/views/core_v1.h>

#include "test/views/test_objects.h"

namespace kinformer {
namespace {

using ::testing::HasSubstr;
using testing::Parsed;
using testing::ViewOf;

struct Web : View<Web> {
  using View::View;
  static constexpr KindInfo kInfo{"example.com", "v1", "Web", "webs"};
};

static_assert(ObjectView<Web>);
static_assert(ObjectView<core::v1::Pod>);
static_assert(ObjectView<core::v1::Namespace>);
static_assert(!ObjectView<Object>);
static_assert(!ObjectView<View<Web>>);
static_assert(std::is_nothrow_move_constructible_v<Web>);

constexpr std::string_view kWeb = R"({
  "apiVersion": "example.com/v1", "kind": "Web",
  "metadata": {
    "name": "site", "namespace": "prod", "uid": "u-1", "resourceVersion": "42", "generation": 7,
    "creationTimestamp": "2024-02-29T12:00:00Z", "deletionTimestamp": "2024-03-01T00:00:00Z",
    "labels": {"app": "web"}, "annotations": {"note": "hello"}, "finalizers": ["example.com/cleanup"],
    "ownerReferences": [
      {"apiVersion": "v1", "kind": "ConfigMap", "name": "other", "uid": "u-2"},
      {"apiVersion": "apps/v1", "kind": "Deployment", "name": "boss", "uid": "u-3", "controller": true}]
  },
  "spec": {"size": 3},
  "status": {"conditions": [
    {"type": "Ready", "status": "True", "reason": "AllGood", "message": "it runs",
     "lastTransitionTime": "2024-02-29T12:00:01Z", "observedGeneration": 7},
    {"type": "Stalled", "status": "False"}]}
})";

TEST(ViewTest, AUsersOwnKindShowsTheMetadataOfItsObject) {
  auto web = Web::From(Parsed(kWeb));
  ASSERT_TRUE(web);
  EXPECT_EQ(web->Name(), "site");
  EXPECT_EQ(web->Namespace(), "prod");
  EXPECT_EQ(web->Key(), (NamespacedName{"prod", "site"}));
  EXPECT_EQ(web->Uid(), "u-1");
  EXPECT_EQ(web->ResourceVersion(), "42");
  EXPECT_EQ(web->Generation(), 7);
  EXPECT_EQ(web->Labels().Find("app"), "web");
  EXPECT_EQ(web->Annotations().Find("note"), "hello");
  EXPECT_TRUE(web->HasFinalizer("example.com/cleanup"));
  EXPECT_FALSE(web->HasFinalizer("example.com/other"));
  EXPECT_EQ(web->OwnerReferences().size(), 2U);
  ASSERT_TRUE(web->ControllerReference());
  EXPECT_EQ(web->ControllerReference()->name, "boss");
  EXPECT_EQ(FormatTimestamp(web->CreationTimestamp().value()), "2024-02-29T12:00:00Z");
  EXPECT_EQ(FormatTimestamp(web->DeletionTimestamp().value()), "2024-03-01T00:00:00Z");
  EXPECT_TRUE(web->IsBeingDeleted());
}

TEST(ViewTest, FieldsWithoutANameAreReachedByPointerAndNothingIsLost) {
  const Web web = Web::From(Parsed(kWeb)).value();
  EXPECT_EQ(web.At("/spec/size").IntOr(0), 3);
  EXPECT_FALSE(web.At("/spec/colour").Exists());
  EXPECT_EQ(web.ToJson(), nlohmann::json::parse(kWeb));
  EXPECT_EQ(web.Json(), web.object()->Json());
}

TEST(ViewTest, AnObjectWithoutOptionalMetadataShowsNone) {
  const Web web = ViewOf<Web>();
  EXPECT_EQ(web.Namespace(), "");
  EXPECT_EQ(web.CreationTimestamp(), std::nullopt);
  EXPECT_FALSE(web.IsBeingDeleted());
  EXPECT_FALSE(web.ControllerReference());
  EXPECT_TRUE(web.Conditions().empty());
  EXPECT_FALSE(web.HasTrueCondition("Ready"));
}

TEST(ViewTest, ConditionsAreFoundByTheirType) {
  const Web web = Web::From(Parsed(kWeb)).value();
  ASSERT_EQ(web.Conditions().size(), 2U);
  const auto ready = FindCondition(web.Conditions(), "Ready");
  ASSERT_TRUE(ready);
  EXPECT_TRUE(ready->IsTrue());
  EXPECT_EQ(ready->Reason(), "AllGood");
  EXPECT_EQ(ready->Message(), "it runs");
  EXPECT_EQ(ready->ObservedGeneration(), 7);
  EXPECT_EQ(FormatTimestamp(ready->LastTransitionTime().value()), "2024-02-29T12:00:01Z");
  EXPECT_TRUE(FindCondition(web.Conditions(), "Stalled")->IsFalse());
  EXPECT_FALSE(FindCondition(web.Conditions(), "Other"));
  EXPECT_TRUE(web.HasTrueCondition("Ready"));
  EXPECT_FALSE(web.HasTrueCondition("Stalled"));
}

TEST(ViewTest, ALensKeepsItsObjectAlive) {
  std::vector<Condition> conditions;
  std::weak_ptr<const Object> watched;
  {
    const Web web = Web::From(Parsed(kWeb)).value();
    watched = web.object();
    conditions = web.Conditions();
  }
  EXPECT_FALSE(watched.expired());
  EXPECT_EQ(conditions.at(0).Reason(), "AllGood");
  conditions.clear();
  EXPECT_TRUE(watched.expired());
}

TEST(ViewTest, AnObjectOfAnotherKindIsRefusedWithBothKindsNamed) {
  auto pod = core::v1::Pod::From(Parsed(kWeb));
  ASSERT_FALSE(pod);
  EXPECT_EQ(pod.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(pod.error().message, HasSubstr("object prod/site is a example.com/v1 Web, expected a v1 Pod"));
  EXPECT_EQ(core::v1::Pod::From(Parsed(R"({"metadata":{"name":"a"}})")).error().message,
            "object a has no apiVersion and no kind, expected a v1 Pod");
  EXPECT_EQ(core::v1::Pod::From(Parsed(R"({"kind":"Pod","metadata":{"name":"a"}})")).error().message,
            "object a is a Pod without an apiVersion, expected a v1 Pod");
}

TEST(ViewTest, TheSameKindOfAnotherGroupOrVersionIsRefused) {
  const auto of = [](std::string_view api_version) {
    return Parsed(R"({"apiVersion":")" + std::string(api_version) + R"(","kind":"Web","metadata":{"name":"x"}})");
  };
  EXPECT_TRUE(Web::From(of("example.com/v1")));
  EXPECT_FALSE(Web::From(of("example.com/v2")));
  EXPECT_FALSE(Web::From(of("example.org/v1")));
  EXPECT_FALSE(Web::From(of("v1")));
}

TEST(ViewTest, NoObjectIsRefused) {
  auto web = Web::From(nullptr);
  ASSERT_FALSE(web);
  EXPECT_THAT(web.error().message, HasSubstr("no object"));
}

TEST(ViewTest, AViewThatWasMovedFromStillHasItsObject) {
  Web web = Web::From(Parsed(kWeb)).value();
  const Web moved = std::move(web);
  EXPECT_EQ(web.Name(), "site");  // NOLINT(bugprone-use-after-move): this is the promise.
  EXPECT_EQ(moved, web);
}

TEST(ViewTest, TheSameVersionOfTheSameObjectIsEqual) {
  const Web web = Web::From(Parsed(kWeb)).value();
  EXPECT_EQ(web, Web::From(Parsed(kWeb)).value());
  std::string newer(kWeb);
  newer.replace(newer.find("\"42\""), 4, "\"43\"");
  EXPECT_NE(web, Web::From(Parsed(newer)).value());
  EXPECT_NE(ViewOf<Web>(), ViewOf<Web>());
}

TEST(ViewTest, LabelsOfAViewAreMatchedByASelector) {
  const Web web = Web::From(Parsed(kWeb)).value();
  EXPECT_TRUE(LabelSelector::Parse("app in (web,api),!canary")->Matches(web.Labels()));
  EXPECT_FALSE(LabelSelector::Parse("app!=web")->Matches(web.Labels()));
}

TEST(ViewTest, EveryKindKnowsItsGroupItsPluralAndItsScope) {
  const auto check = [](const KindInfo& info, std::string_view api_version, std::string_view plural, Scope scope) {
    EXPECT_EQ(info.Gvk().ApiVersion(), api_version) << info.kind;
    EXPECT_EQ(info.resource, plural) << info.kind;
    EXPECT_EQ(info.scope, scope) << info.kind;
  };
  check(core::v1::Pod::kInfo, "v1", "pods", Scope::kNamespaced);
  check(core::v1::Node::kInfo, "v1", "nodes", Scope::kCluster);
  check(core::v1::Service::kInfo, "v1", "services", Scope::kNamespaced);
  check(core::v1::ConfigMap::kInfo, "v1", "configmaps", Scope::kNamespaced);
  check(core::v1::Secret::kInfo, "v1", "secrets", Scope::kNamespaced);
  check(core::v1::Namespace::kInfo, "v1", "namespaces", Scope::kCluster);
  check(core::v1::ServiceAccount::kInfo, "v1", "serviceaccounts", Scope::kNamespaced);
  check(core::v1::Event::kInfo, "v1", "events", Scope::kNamespaced);
  check(core::v1::PersistentVolumeClaim::kInfo, "v1", "persistentvolumeclaims", Scope::kNamespaced);
  check(apps::v1::Deployment::kInfo, "apps/v1", "deployments", Scope::kNamespaced);
  check(apps::v1::ReplicaSet::kInfo, "apps/v1", "replicasets", Scope::kNamespaced);
  check(apps::v1::StatefulSet::kInfo, "apps/v1", "statefulsets", Scope::kNamespaced);
  check(apps::v1::DaemonSet::kInfo, "apps/v1", "daemonsets", Scope::kNamespaced);
  check(batch::v1::Job::kInfo, "batch/v1", "jobs", Scope::kNamespaced);
  check(batch::v1::CronJob::kInfo, "batch/v1", "cronjobs", Scope::kNamespaced);
  check(coordination::v1::Lease::kInfo, "coordination.k8s.io/v1", "leases", Scope::kNamespaced);
}

}  // namespace
}  // namespace kinformer
