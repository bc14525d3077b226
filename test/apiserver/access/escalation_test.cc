#include "src/apiserver/access/escalation.h"

#include <gmock/gmock.h>

#include "test/apiserver/access/rbac_objects.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const UserInfo kJane{"jane", {"devs", "system:authenticated"}};

PolicyRule Rule(std::vector<std::string> verbs, std::vector<std::string> resources,
                std::vector<std::string> names = {}) {
  return {.verbs = std::move(verbs),
          .api_groups = {""},
          .resources = std::move(resources),
          .resource_names = std::move(names)};
}

TEST(MissingRights, AreThoseThatNoHeldRuleCovers) {
  const std::vector<PolicyRule> held = {Rule({"get", "list"}, {"pods"}),
                                        Rule({"*"}, {"*/scale"}),
                                        Rule({"get"}, {"secrets"}, {"x"}),
                                        {.verbs = {"get"}, .non_resource_urls = {"/apis/*"}}};
  EXPECT_THAT(MissingRights(held, {Rule({"get"}, {"pods"}), Rule({"list"}, {"pods"}, {"p"})}).value(), IsEmpty());
  EXPECT_THAT(MissingRights(held, {Rule({"update"}, {"pods/scale"}), Rule({"get"}, {"secrets"}, {"x"})}).value(),
              IsEmpty());
  EXPECT_THAT(MissingRights(held, {{.verbs = {"get"}, .non_resource_urls = {"/apis/apps", "/apis/*"}}}).value(),
              IsEmpty());
  EXPECT_THAT(MissingRights(held, {Rule({"get", "update", "watch"}, {"pods"})}).value(),
              ElementsAre(Rule({"update", "watch"}, {"pods"})));
  EXPECT_THAT(MissingRights(held, {Rule({"get"}, {"secrets"})}).value(), ElementsAre(Rule({"get"}, {"secrets"})));
  EXPECT_THAT(MissingRights(held, {Rule({"get"}, {"secrets"}, {"x", "y"})}).value(),
              ElementsAre(Rule({"get"}, {"secrets"}, {"y"})));
  EXPECT_THAT(MissingRights(held, {{.verbs = {"get"}, .non_resource_urls = {"/apis", "*"}}}).value().size(), 2U);
  EXPECT_THAT(MissingRights(held, {Rule({"*"}, {"pods"})}).value(), ElementsAre(Rule({"*"}, {"pods"})));
}

TEST(MissingRights, MoreThanCanBeComparedAreAnError) {
  std::vector<std::string> many;
  for (int i = 0; i < 400; ++i) many.push_back("r" + std::to_string(i));
  const Result<std::vector<PolicyRule>> missing = MissingRights({}, {Rule(many, many)});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kTooLarge);
  EXPECT_TRUE(MissingRights({Rule({"*"}, {"*"})}, {Rule(many, many)}).value().empty());
}

class EscalationTest : public ::testing::Test {
 protected:
  /// Jane may write roles and bindings in namespace a, read pods there, and do `more`.
  static RbacPolicy Policy(const json& more = json::array()) {
    json rules = {{{"apiGroups", {"rbac.authorization.k8s.io"}}, {"resources", {"*"}}, {"verbs", {"create", "update"}}},
                  {{"apiGroups", {""}}, {"resources", {"pods"}}, {"verbs", {"get", "list"}}}};
    for (const json& rule : more) rules.push_back(rule);
    return RbacPolicy({.roles = {Role("a", "own", rules), Role("a", "pods", Pods({"get"}))},
                       .cluster_roles = {ClusterRole(
                           "secrets", {{{"apiGroups", {""}}, {"resources", {"secrets"}}, {"verbs", {"get"}}}})},
                       .role_bindings = {Binding("a", "own", "Role/own", {User("jane")})}});
  }
  static json Pods(const json& verbs) { return {{{"apiGroups", {""}}, {"resources", {"pods"}}, {"verbs", verbs}}}; }
  static Result<void> Write(const RbacPolicy& policy, const ObjectPtr& after, const ObjectPtr& before = nullptr,
                            const UserInfo& user = kJane) {
    const std::string resource = after->Kind() == "Role"          ? "namespaces/a/roles"
                                 : after->Kind() == "RoleBinding" ? "namespaces/a/rolebindings"
                                 : after->Kind() == "ClusterRole" ? "clusterroles"
                                                                  : "clusterrolebindings";
    return CheckEscalation(policy, user, Asked("POST /apis/rbac.authorization.k8s.io/v1/" + resource), before.get(),
                           *after);
  }
};

TEST_F(EscalationTest, NobodyGrantsWhatHeDoesNotHold) {
  EXPECT_TRUE(Write(Policy(), Role("a", "new", Pods({"get"}))));
  const Result<void> refused = Write(Policy(), Role("a", "new", Pods({"get", "delete", "create"})));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().http_status, 403);
  EXPECT_EQ(refused.error().reason, "Forbidden");
  EXPECT_EQ(refused.error().message,
            "roles.rbac.authorization.k8s.io \"new\" is forbidden: user \"jane\" (groups=[\"devs\" "
            "\"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n"
            "{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"delete\" \"create\"]}");
  EXPECT_EQ(refused.error().details.kind, "roles");
  EXPECT_FALSE(Write(Policy(), ClusterRole("new", Pods({"get"})))) << "no rights cluster-wide";
  EXPECT_TRUE(Write(Policy(), Role("a", "new", Pods({"*"})), nullptr, {"root", {"system:masters"}}));
}

TEST_F(EscalationTest, WhoMayEscalateARoleGrantsWhatHeLikes) {
  const json escalate = {{{"apiGroups", {"rbac.authorization.k8s.io"}},
                          {"resources", {"roles"}},
                          {"resourceNames", {"new"}},
                          {"verbs", {"escalate"}}}};
  EXPECT_TRUE(Write(Policy(escalate), Role("a", "new", Pods({"delete"}))));
  EXPECT_FALSE(Write(Policy(escalate), Role("a", "other", Pods({"delete"}))));
}

TEST_F(EscalationTest, ABindingGrantsTheRulesOfItsRole) {
  EXPECT_TRUE(Write(Policy(), Binding("a", "b", "Role/pods", {User("joe")})));
  const Result<void> refused = Write(Policy(), Binding("a", "b", "ClusterRole/secrets", {User("jane")}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().http_status, 403);
  EXPECT_THAT(refused.error().message, ::testing::EndsWith("held:\n{APIGroups:[\"\"], Resources:[\"secrets\"], "
                                                           "Verbs:[\"get\"]}"));
  const Result<void> missing = Write(Policy(), Binding("a", "b", "Role/none", {User("jane")}));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().http_status, 404);
  EXPECT_EQ(missing.error().message, "role.rbac.authorization.k8s.io \"none\" not found");
}

TEST_F(EscalationTest, WhoMayBindARoleBindsItToAnybody) {
  const json bind = {{{"apiGroups", {"rbac.authorization.k8s.io"}},
                      {"resources", {"clusterroles"}},
                      {"resourceNames", {"secrets"}},
                      {"verbs", {"bind"}}}};
  EXPECT_TRUE(Write(Policy(bind), Binding("a", "b", "ClusterRole/secrets", {User("joe")})));
  EXPECT_FALSE(Write(Policy(bind), Binding("", "b", "ClusterRole/secrets", {User("joe")}))) << "only in that namespace";
}

TEST_F(EscalationTest, AnAggregationRuleTakesAClusterAdministrator) {
  const ObjectPtr aggregated =
      RbacObject("ClusterRole", "", "all", {{"aggregationRule", {{"clusterRoleSelectors", {json::object()}}}}});
  const Result<void> refused = Write(Policy(), aggregated);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "clusterroles.rbac.authorization.k8s.io \"all\" is forbidden: must have cluster-admin privileges to use an "
            "aggregationRule");
  const RbacPolicy admin(
      {.cluster_roles = {ClusterRole("all", {{{"apiGroups", {"*"}}, {"resources", {"*"}}, {"verbs", {"*"}}},
                                             {{"nonResourceURLs", {"*"}}, {"verbs", {"*"}}}})},
       .cluster_role_bindings = {Binding("", "b", "ClusterRole/all", {User("jane")})}});
  EXPECT_TRUE(Write(admin, aggregated));
}

TEST_F(EscalationTest, WhatGrantsNoMoreThanBeforeMayBeChanged) {
  const ObjectPtr before = Role("a", "strong", Pods({"delete"}));
  json collected = before->ToJson();
  collected["metadata"]["finalizers"] = {"example.com/x"};
  EXPECT_TRUE(Write(Policy(), Object::FromJson(collected).value(), before));
  collected["metadata"]["labels"] = {{"a", "b"}};
  EXPECT_FALSE(Write(Policy(), Object::FromJson(collected).value(), before)) << "a label may make it part of another";
}

}  // namespace
}  // namespace kinformer::apiserver
