// The registry's data about kinds, and how it relates to their schemas.

#include "src/apiserver/registry/served_kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "src/schema/built_in_selectable_fields.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;

std::vector<ServedKind> AllKinds() {
  std::vector<ServedKind> kinds = BuiltInKinds();
  kinds.push_back(CustomResourceDefinitionKind());
  return kinds;
}

ServedKind KindOf(const GroupVersionKind& wanted) {
  for (const ServedKind& kind : AllKinds()) {
    if (kind.Gvk() == wanted) return kind;
  }
  return {};
}

std::vector<std::string> Names(const std::vector<SelectableField>& fields) {
  std::vector<std::string> names;
  for (const SelectableField& field : fields) names.push_back(field.name);
  return names;
}

std::string ValueOf(const ServedKind& kind, const json& object, std::string_view field) {
  return kind.ForStorage().field_value(*Object::FromJson(object).value(), field);
}

TEST(ServedKind, EveryOneHasASchemaWithColumns) {
  for (const ServedKind& kind : AllKinds()) {
    const KindSchemaPtr schema = kind.FindSchema();
    ASSERT_NE(schema, nullptr) << kind.kind;
    EXPECT_FALSE(schema->columns.empty()) << kind.kind;
  }
}

TEST(ServedKind, NamesScopeVerbsAndSubresourcesAreThoseOfKubernetes) {
  for (const ServedKind& kind : AllKinds()) {
    ASSERT_NE(kind.facts, nullptr) << kind.kind;
    EXPECT_FALSE(kind.create_only) << kind.kind;
  }
  const auto subresources = [](const ServedKind& kind) {
    std::vector<std::string> names;
    for (const ServedSubresource& one : kind.Subresources()) {
      names.push_back(one.name + " " + one.kind.ApiVersion() + " " + one.kind.kind);
      for (const std::string& verb : one.verbs) names.back() += " " + verb;
    }
    return names;
  };
  const ServedKind pods = KindOf({"", "v1", "Pod"});
  EXPECT_EQ(pods.singular, "pod");
  EXPECT_EQ(pods.scope, Scope::kNamespaced);
  EXPECT_THAT(pods.short_names, ElementsAre("po"));
  EXPECT_THAT(pods.categories, ElementsAre("all"));
  EXPECT_THAT(pods.Verbs(),
              ElementsAre("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"));
  // Those that need a kubelet are not served.
  EXPECT_THAT(subresources(pods), ElementsAre("binding v1 Binding create", "eviction policy/v1 Eviction create",
                                              "status v1 Pod get patch update"));

  const ServedKind namespaces = KindOf({"", "v1", "Namespace"});
  EXPECT_EQ(namespaces.scope, Scope::kCluster);
  EXPECT_THAT(namespaces.Verbs(), ElementsAre("create", "delete", "get", "list", "patch", "update", "watch"));
  EXPECT_THAT(subresources(namespaces),
              ElementsAre("finalize v1 Namespace update", "status v1 Namespace get patch update"));

  EXPECT_THAT(subresources(KindOf({"apps", "v1", "Deployment"})),
              ElementsAre("scale autoscaling/v1 Scale get patch update", "status apps/v1 Deployment get patch update"));
  EXPECT_THAT(CustomResourceDefinitionKind().short_names, ElementsAre("crd", "crds"));
}

TEST(ServedKind, IsStoredWhereKubeApiserverStoresIt) {
  EXPECT_EQ(KindOf({"", "v1", "Pod"}).Prefix(), "/registry/pods/");
  EXPECT_EQ(KindOf({"", "v1", "Service"}).Prefix(), "/registry/services/specs/");
  EXPECT_EQ(KindOf({"", "v1", "Endpoints"}).Prefix(), "/registry/services/endpoints/");
  EXPECT_EQ(KindOf({"", "v1", "Node"}).Prefix(), "/registry/minions/");
  EXPECT_EQ(KindOf({"", "v1", "ReplicationController"}).Prefix(), "/registry/controllers/");
  EXPECT_EQ(KindOf({"apps", "v1", "Deployment"}).Prefix(), "/registry/deployments/");
  EXPECT_EQ(KindOf({"coordination.k8s.io", "v1", "Lease"}).Prefix(), "/registry/leases/");
  EXPECT_EQ(KindOf({"networking.k8s.io", "v1", "Ingress"}).Prefix(), "/registry/ingress/");
  EXPECT_EQ(KindOf({"events.k8s.io", "v1", "Event"}).Prefix(), "/registry/events/");
  EXPECT_EQ(KindOf({"apiextensions.k8s.io", "v1", "CustomResourceDefinition"}).Prefix(),
            "/registry/apiextensions.k8s.io/customresourcedefinitions/");
  // A custom kind always has its group in its key.
  ServedKind custom{.resource = {"apps.k8s.io", "v1", "nodes"}, .kind = "Node"};
  custom.schema = KindOf({"", "v1", "Node"}).FindSchema();
  EXPECT_EQ(custom.Prefix(), "/registry/apps.k8s.io/nodes/");
}

TEST(ServedKind, IsSelectedByTheFieldsOfItsSchema) {
  std::set<GroupVersionKind> with_fields;
  for (const ServedKind& kind : AllKinds()) {
    EXPECT_EQ(Names(kind.SelectableFields()), Names(kind.FindSchema()->selectable_fields)) << kind.kind;
    EXPECT_THAT(Names(kind.SelectableFields()), IsSupersetOf(kind.trigger_fields)) << kind.kind;
    if (!kind.SelectableFields().empty()) with_fields.insert(kind.Gvk());
  }
  // No kind with selectable fields in its schema is missing.
  const std::vector<GroupVersionKind> all = KindsWithBuiltInSelectableFields();
  EXPECT_EQ(with_fields, std::set<GroupVersionKind>(all.begin(), all.end()));
}

TEST(ServedKind, OfUsersIsSelectedByTheFieldsOfItsOwnSchema) {
  KindSchema schema;
  schema.selectable_fields = {{.name = "spec.color", .json_path = ".spec.color"}};
  // Has the name of a built-in kind, whose fields must not be used.
  const ServedKind kind{
      .resource = {"", "v1", "pods"}, .kind = "Pod", .schema = std::make_shared<const KindSchema>(std::move(schema))};
  EXPECT_EQ(Names(kind.SelectableFields()), std::vector<std::string>{"spec.color"});
  const json object = {{"metadata", {{"name", "a"}}}, {"spec", {{"color", "red"}, {"size", 3}}}};
  EXPECT_EQ(ValueOf(kind, object, "spec.color"), "red");
  // A field selectable in another version of the definition.
  EXPECT_EQ(ValueOf(kind, object, "spec.size"), "3");
  EXPECT_EQ(ValueOf(kind, object, "spec.hostNetwork"), "");
}

TEST(ServedKind, FieldsOfSelectorsAreFoundWhereTheSchemaSays) {
  const json bare = {{"metadata", {{"name", "a"}}}};
  const ServedKind pod = KindOf({"", "v1", "Pod"});
  EXPECT_EQ(ValueOf(pod, bare, "spec.hostNetwork"), "false");
  EXPECT_EQ(ValueOf(pod, bare, "spec.nodeName"), "");
  EXPECT_EQ(ValueOf(pod, {{"metadata", {{"name", "a"}}}, {"spec", {{"hostNetwork", true}}}}, "spec.hostNetwork"),
            "true");
  const ServedKind job = KindOf({"batch", "v1", "Job"});
  EXPECT_EQ(ValueOf(job, bare, "status.successful"), "0");
  EXPECT_EQ(ValueOf(job, {{"metadata", {{"name", "a"}}}, {"status", {{"succeeded", 2}}}}, "status.successful"), "2");
}

TEST(ServedKind, EventsOfBothGroupsAreSelectedAsTheyAreStored) {
  const json event = {{"metadata", {{"name", "a"}}}, {"source", {{"component", "kubelet"}}}};
  EXPECT_EQ(ValueOf(KindOf({"", "v1", "Event"}), event, "source"), "kubelet");
  EXPECT_EQ(ValueOf(KindOf({"events.k8s.io", "v1", "Event"}), event, "source"), "kubelet");
}

}  // namespace
}  // namespace kinformer::apiserver
