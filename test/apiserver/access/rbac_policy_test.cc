#include "src/apiserver/access/rbac_policy.h"

#include <gmock/gmock.h>

#include "src/apiserver/access/bootstrap_rbac.h"
#include "test/apiserver/access/rbac_objects.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

struct Question {
  std::string request{};
  bool allowed = false;
};

void ExpectAll(const RbacPolicy& policy, const UserInfo& user, const std::vector<Question>& questions) {
  for (const Question& question : questions) {
    EXPECT_EQ(policy.Check(user, Asked(question.request)).allowed, question.allowed) << question.request;
  }
}

/// A policy that grants jane these rules cluster-wide.
RbacPolicy OfJane(const json& rules) {
  return RbacPolicy({.cluster_roles = {ClusterRole("r", rules)},
                     .cluster_role_bindings = {Binding("", "b", "ClusterRole/r", {User("jane")})}});
}

const UserInfo kJaneOfDevs{"jane", {"devs", "system:authenticated"}};

TEST(RbacPolicy, AllowsTheVerbsOfARuleOnItsResourcesInItsGroups) {
  const RbacPolicy policy =
      OfJane({{{"apiGroups", {"", "apps"}}, {"resources", {"pods", "deployments"}}, {"verbs", {"get", "list"}}}});
  ExpectAll(policy, kJaneOfDevs,
            {{"GET /api/v1/namespaces/a/pods", true},
             {"GET /api/v1/pods", true},
             {"GET /api/v1/namespaces/a/pods/p", true},
             {"GET /apis/apps/v1/namespaces/a/deployments/d", true},
             {"GET /api/v1/pods?watch=1", false},
             {"DELETE /api/v1/namespaces/a/pods", false},
             {"POST /api/v1/namespaces/a/pods", false},
             {"GET /api/v1/namespaces/a/services", false},
             {"GET /apis/batch/v1/namespaces/a/deployments", false},
             {"GET /api/v1/namespaces/a/pods/p/status", false},
             {"GET /healthz", false}});
  EXPECT_FALSE(policy.Check({"joe", {}}, Asked("GET /api/v1/pods")).allowed);
}

TEST(RbacPolicy, AStarIsEveryVerbGroupOrResource) {
  ExpectAll(OfJane({{{"apiGroups", {"*"}}, {"resources", {"*"}}, {"verbs", {"*"}}}}), kJaneOfDevs,
            {{"DELETE /apis/example.com/v1/namespaces/a/webs", true},
             {"PATCH /api/v1/namespaces/a/pods/p/status", true},
             {"GET /metrics", false}});
  ExpectAll(OfJane({{{"apiGroups", {"apps"}}, {"resources", {"*"}}, {"verbs", {"update"}}}}), kJaneOfDevs,
            {{"PUT /apis/apps/v1/namespaces/a/deployments/d/scale", true}, {"PUT /api/v1/namespaces/a/pods/p", false}});
}

TEST(RbacPolicy, SubresourcesAreNamedOrOneOfAnyResource) {
  const json rules = {{{"apiGroups", {"*"}}, {"resources", {"pods/status", "*/scale"}}, {"verbs", {"get", "update"}}}};
  ExpectAll(OfJane(rules), kJaneOfDevs,
            {{"PUT /api/v1/namespaces/a/pods/p/status", true},
             {"PUT /api/v1/namespaces/a/pods/p", false},
             {"GET /apis/apps/v1/namespaces/a/deployments/d/scale", true},
             {"GET /apis/apps/v1/namespaces/a/deployments/d", false},
             {"PUT /apis/apps/v1/namespaces/a/deployments/d/status", false}});
}

TEST(RbacPolicy, NamesOfObjectsCountWhereTheRequestNamesOne) {
  const json rules = {{{"apiGroups", {""}}, {"resources", {"configmaps"}}, {"resourceNames", {"x"}}, {"verbs", {"*"}}}};
  ExpectAll(OfJane(rules), kJaneOfDevs,
            {{"GET /api/v1/namespaces/a/configmaps/x", true},
             {"DELETE /api/v1/namespaces/a/configmaps/x", true},
             {"GET /api/v1/namespaces/a/configmaps/y", false},
             {"GET /api/v1/namespaces/a/configmaps", false},
             {"GET /api/v1/namespaces/a/configmaps?watch=1", false},
             {"POST /api/v1/namespaces/a/configmaps", false},
             {"DELETE /api/v1/namespaces/a/configmaps", false},
             {"DELETE /api/v1/namespaces/a/configmaps?fieldSelector=metadata.name%3Dx", false},
             {"GET /api/v1/namespaces/a/configmaps?fieldSelector=metadata.name%3Dx", true},
             {"GET /api/v1/namespaces/a/configmaps?watch=1&fieldSelector=metadata.name%3Dx", true},
             {"GET /api/v1/namespaces/a/configmaps?fieldSelector=metadata.name%3Dy", false},
             {"GET /api/v1/namespaces/a/configmaps?fieldSelector=metadata.name!%3Dx", false}});
}

TEST(RbacPolicy, PathsAreWholeOrBeginLikeOneThatEndsWithAStar) {
  ExpectAll(OfJane({{{"nonResourceURLs", {"/healthz", "/apis/*"}}, {"verbs", {"get"}}}}), kJaneOfDevs,
            {{"GET /healthz", true},
             {"GET /healthz/x", false},
             {"GET /apis", false},
             {"GET /apis/apps", true},
             {"GET /apis/apps/v1", true},
             {"POST /healthz", false},
             {"GET /api/v1/pods", false}});
  ExpectAll(OfJane({{{"nonResourceURLs", {"*"}}, {"verbs", {"*"}}}}), kJaneOfDevs,
            {{"GET /metrics", true}, {"POST /anything", true}, {"GET /api/v1/pods", false}});
}

TEST(RbacPolicy, ABindingInANamespaceGivesAClusterRoleThereAlone) {
  const RbacPolicy policy(
      {.roles = {Role("a", "reader", {{{"apiGroups", {""}}, {"resources", {"secrets"}}, {"verbs", {"get"}}}})},
       .cluster_roles = {ClusterRole("view",
                                     {{{"apiGroups", {""}}, {"resources", {"*"}}, {"verbs", {"list", "get"}}}})},
       .role_bindings = {Binding("a", "b", "ClusterRole/view", {Group("devs")}),
                         Binding("b", "c", "Role/reader", {User("jane")}),
                         Binding("c", "d", "Role/reader", {User("joe")})}});
  ExpectAll(policy, kJaneOfDevs,
            {{"GET /api/v1/namespaces/a/pods", true},
             {"GET /api/v1/namespaces/b/pods", false},
             {"GET /api/v1/pods", false},
             // A Namespace object counts as in the namespace of its name.
             {"GET /api/v1/namespaces/a", true},
             {"GET /api/v1/namespaces", false}});
  const AccessDecision allowed = policy.Check(kJaneOfDevs, Asked("GET /api/v1/namespaces/a/pods"));
  EXPECT_EQ(allowed.reason, R"(RBAC: allowed by RoleBinding "b/a" of ClusterRole "view" to Group "devs")");
  // The role exists only in namespace a.
  const AccessDecision refused = policy.Check(kJaneOfDevs, Asked("GET /api/v1/namespaces/b/secrets/s"));
  EXPECT_EQ(refused.reason, R"(RBAC: role.rbac.authorization.k8s.io "reader" not found)");
}

TEST(RbacPolicy, MissingRolesAreTheReasonOfARefusal) {
  const RbacPolicy policy({.cluster_role_bindings = {Binding("", "b", "ClusterRole/x", {User("jane")}),
                                                     Binding("", "c", "ClusterRole/x", {User("jane")}),
                                                     Binding("", "d", "ClusterRole/y", {User("jane")})}});
  const RequestInfo request = Asked("GET /api/v1/nodes");
  const AccessDecision decision = policy.Check(kJaneOfDevs, request);
  EXPECT_FALSE(decision.allowed);
  EXPECT_EQ(ForbiddenError(kJaneOfDevs, request, decision.reason).message,
            R"(nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope: )"
            R"(RBAC: [clusterrole.rbac.authorization.k8s.io "x" not found, )"
            R"(clusterrole.rbac.authorization.k8s.io "y" not found])");
  EXPECT_EQ(policy.Check({"joe", {}}, request).reason, "");
  EXPECT_EQ(
      policy.RulesFor(kJaneOfDevs, "a").error,
      R"([clusterrole.rbac.authorization.k8s.io "x" not found, clusterrole.rbac.authorization.k8s.io "y" not found])");
}

TEST(RbacPolicy, ServiceAccountsAreUsersOfTheirNamespaceAndMembersOfGroups) {
  const json rules = {{{"apiGroups", {""}}, {"resources", {"pods"}}, {"verbs", {"list"}}}};
  json here = Account("", "local");
  here.erase("namespace");
  const RbacPolicy policy({.cluster_roles = {ClusterRole("r", rules)},
                           .role_bindings = {Binding("a", "b", "ClusterRole/r", {Account("ci", "bot"), here}),
                                             Binding("g", "b", "ClusterRole/r", {Group("system:serviceaccounts:ci")})},
                           .cluster_role_bindings = {Binding("", "nowhere", "ClusterRole/r", {here})}});
  const UserInfo bot{"system:serviceaccount:ci:bot", {"system:serviceaccounts", "system:serviceaccounts:ci"}};
  ExpectAll(policy, bot,
            {{"GET /api/v1/namespaces/a/pods", true},
             {"GET /api/v1/namespaces/g/pods", true},
             {"GET /api/v1/namespaces/ci/pods", false}});
  EXPECT_EQ(policy.Check(bot, Asked("GET /api/v1/namespaces/a/pods")).reason,
            R"(RBAC: allowed by RoleBinding "b/a" of ClusterRole "r" to ServiceAccount "bot/ci")");
  EXPECT_TRUE(policy.Check({"system:serviceaccount:a:local", {}}, Asked("GET /api/v1/namespaces/a/pods")).allowed);
  EXPECT_FALSE(policy.Check({"system:serviceaccount:x:bot", {}}, Asked("GET /api/v1/namespaces/a/pods")).allowed);
  EXPECT_FALSE(policy.Check({"bot", {}}, Asked("GET /api/v1/namespaces/a/pods")).allowed);
  EXPECT_FALSE(policy.Check({"system:serviceaccount:a:local", {}}, Asked("GET /api/v1/pods")).allowed);
}

TEST(RbacPolicy, MastersMayDoEverythingWithoutAnyRule) {
  ExpectAll(RbacPolicy(), {"root", {"system:masters"}},
            {{"DELETE /api/v1/nodes", true}, {"GET /metrics", true}, {"GET /api/v1/namespaces/a/secrets/s", true}});
  ExpectAll(RbacPolicy(), {"system:masters", {"masters"}}, {{"GET /api/v1/nodes", false}});
}

TEST(RbacPolicy, AnAggregatedRoleHasTheRulesOfThoseThatItSelectsAndNoneOfItsOwn) {
  const auto rule = [](const char* resource) {
    return json({{{"apiGroups", {""}}, {"resources", {resource}}, {"verbs", {"get"}}}});
  };
  const auto aggregated = [&](const std::string& name, const json& labels, const json& selectors) {
    return RbacObject("ClusterRole", "", name,
                      {{"metadata", {{"labels", labels}}},
                       {"rules", rule("events")},
                       {"aggregationRule", {{"clusterRoleSelectors", selectors}}}});
  };
  const json by_label = {{{"matchLabels", {{"to", "top"}}}}};
  const json by_expression = {{{"matchExpressions", {{{"key", "part"}, {"operator", "In"}, {"values", {"a", "b"}}}}}},
                              {{"matchLabels", {{"to", "middle"}}}}};
  const RbacPolicy policy({.cluster_roles = {ClusterRole("a", rule("pods"), {{"part", "a"}}),
                                             ClusterRole("c", rule("nodes"), {{"part", "c"}}),
                                             ClusterRole("d", rule("secrets"), {{"to", "top"}}),
                                             // They select each other; the cycle does not matter.
                                             aggregated("middle", {{"to", "top"}}, by_expression),
                                             aggregated("top", {{"to", "middle"}}, by_label)},
                           .cluster_role_bindings = {Binding("", "b", "ClusterRole/top", {User("jane")})}});
  ExpectAll(policy, kJaneOfDevs,
            {{"GET /api/v1/namespaces/x/pods/p", true},
             {"GET /api/v1/namespaces/x/secrets/s", true},
             {"GET /api/v1/nodes/n", false},
             {"GET /api/v1/namespaces/x/events/e", false}});
}

TEST(RbacPolicy, TellsAllRulesOfAUserInANamespace) {
  const auto rule = [](const char* resource) {
    return json({{{"apiGroups", {""}}, {"resources", {resource}}, {"verbs", {"get"}}}});
  };
  const RbacPolicy policy({.roles = {Role("a", "r", rule("pods"))},
                           .cluster_roles = {ClusterRole("c", rule("nodes"))},
                           .role_bindings = {Binding("a", "b", "Role/r", {User("jane")})},
                           .cluster_role_bindings = {Binding("", "b", "ClusterRole/c", {Group("devs")})}});
  const PolicyRule nodes{.verbs = {"get"}, .api_groups = {""}, .resources = {"nodes"}};
  const PolicyRule pods{.verbs = {"get"}, .api_groups = {""}, .resources = {"pods"}};
  EXPECT_THAT(policy.RulesFor(kJaneOfDevs, "a").rules, ElementsAre(nodes, pods));
  EXPECT_THAT(policy.RulesFor(kJaneOfDevs, "").rules, ElementsAre(nodes));
  EXPECT_TRUE(policy.RulesFor({"joe", {}}, "a").rules.empty());
}

TEST(RbacPolicy, WhatIsMalformedAllowsNothing) {
  const RbacPolicy policy(
      {.cluster_roles = {ClusterRole("r", {{{"apiGroups", "*"}, {"resources", {1, nullptr}}, {"verbs", {"*"}}}, 5}),
                         RbacObject("ClusterRole", "", "s", {{"rules", "all"}, {"aggregationRule", 1}})},
       .cluster_role_bindings = {Binding("", "b", "ClusterRole/r", {User("jane"), 1, {{"kind", "Robot"}}}),
                                 Binding("", "c", "Nothing/r", {User("jane")}),
                                 RbacObject("ClusterRoleBinding", "", "d", {{"subjects", {User("jane")}}})}});
  ExpectAll(policy, kJaneOfDevs, {{"GET /api/v1/pods", false}, {"GET /", false}});
}

TEST(BootstrapRbac, GivesEverybodyWhatARealServerGives) {
  RbacObjects objects;
  for (const json& object : BootstrapRbacObjects()) {
    (object["kind"] == "ClusterRole" ? objects.cluster_roles : objects.cluster_role_bindings)
        .push_back(Object::FromJson(object).value());
  }
  objects.role_bindings = {Binding("a", "v", "ClusterRole/view", {User("viewer")}),
                           Binding("a", "e", "ClusterRole/edit", {User("editor")}),
                           Binding("a", "d", "ClusterRole/admin", {User("admin")})};
  const RbacPolicy policy(objects);
  ExpectAll(policy, Anonymous(), {{"GET /healthz", true}, {"GET /version", true}, {"GET /apis", false}});
  ExpectAll(policy, kJaneOfDevs,
            {{"GET /apis", true},
             {"GET /apis/apps/v1", true},
             {"POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews", true},
             {"POST /apis/authorization.k8s.io/v1/subjectaccessreviews", false},
             {"GET /metrics", false},
             {"GET /api/v1/namespaces/a/pods", false}});
  const std::string pods = " /api/v1/namespaces/a/pods";
  ExpectAll(policy, {"viewer", {}},
            {{"GET" + pods, true}, {"POST" + pods, false}, {"GET /api/v1/namespaces/a/secrets", false}});
  ExpectAll(policy, {"editor", {}},
            {{"GET" + pods, true},
             {"POST" + pods, true},
             {"GET /api/v1/namespaces/a/secrets", true},
             {"POST /apis/rbac.authorization.k8s.io/v1/namespaces/a/roles", false},
             {"PATCH /api/v1/namespaces/a/pods/p/status", false}});
  ExpectAll(policy, {"admin", {}},
            {{"POST" + pods, true},
             {"POST /apis/rbac.authorization.k8s.io/v1/namespaces/a/roles", true},
             {"POST /apis/rbac.authorization.k8s.io/v1/namespaces/b/roles", false}});
}

}  // namespace
}  // namespace kinformer::apiserver
