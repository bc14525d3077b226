#include "src/apiserver/access/impersonation.h"

#include <gtest/gtest.h>

#include "src/apiserver/access/rbac_policy.h"
#include "test/apiserver/access/rbac_objects.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

const UserInfo kRoot{"root", {"system:masters"}};

HttpRequest With(std::vector<HttpHeader> headers) {
  HttpRequest request;
  request.headers = std::move(headers);
  return request;
}

Authorizer ByRules(const json& rules) {
  auto policy = std::make_shared<RbacPolicy>(
      RbacObjects{.cluster_roles = {ClusterRole("r", rules)},
                  .cluster_role_bindings = {Binding("", "b", "ClusterRole/r", {User("jane")})}});
  return [policy](const UserInfo& user, const RequestInfo& request) { return policy->Check(user, request); };
}

TEST(Impersonation, TheRequestRunsAsWhomTheHeadersName) {
  EXPECT_EQ(Impersonate(kRoot, With({{"Accept", "*/*"}}), AllowAuthenticated()).value(), std::nullopt);
  const auto jane = Impersonate(kRoot,
                                With({{"impersonate-user", "jane"},
                                      {"Impersonate-Group", "devs"},
                                      {"Impersonate-Group", "ops"},
                                      {"Impersonate-Uid", "u-1"},
                                      {"Impersonate-Extra-Example.com%2fScopes", "a"},
                                      {"Impersonate-Extra-example.com%2Fscopes", "b"}}),
                                AllowAuthenticated());
  EXPECT_EQ(jane.value(), (UserInfo{.name = "jane",
                                    .groups = {"devs", "ops", "system:authenticated"},
                                    .uid = "u-1",
                                    .extra = {{"example.com/scopes", {"a", "b"}}}}));
}

TEST(Impersonation, AServiceAccountBringsItsGroupsAndAnonymousItsOwn) {
  const auto as = [](const std::string& name) {
    return **Impersonate(kRoot, With({{"Impersonate-User", name}}), AllowAuthenticated());
  };
  EXPECT_EQ(as("system:serviceaccount:ci:bot").groups,
            (std::vector<std::string>{"system:serviceaccounts", "system:serviceaccounts:ci", "system:authenticated"}));
  EXPECT_EQ(as("system:anonymous"), Anonymous());
  EXPECT_EQ(as("jane").groups, std::vector<std::string>{"system:authenticated"});
}

TEST(Impersonation, EachThingMustBeAllowed) {
  const Authorizer authorizer = ByRules(
      {{{"apiGroups", {""}}, {"resources", {"users"}}, {"resourceNames", {"joe"}}, {"verbs", {"impersonate"}}},
       {{"apiGroups", {""}}, {"resources", {"groups"}}, {"resourceNames", {"devs"}}, {"verbs", {"impersonate"}}},
       {{"apiGroups", {"authentication.k8s.io"}},
        {"resources", {"userextras/scopes"}},
        {"resourceNames", {"a"}},
        {"verbs", {"impersonate"}}}});
  const auto refusal = [&](std::vector<HttpHeader> headers) {
    const auto result = Impersonate({"jane", {}}, With(std::move(headers)), authorizer);
    if (result) return std::string("allowed");
    EXPECT_EQ(result.error().http_status, 403);
    return result.error().message;
  };
  const HttpHeader joe{"Impersonate-User", "joe"};
  EXPECT_EQ(refusal({joe, {"Impersonate-Group", "devs"}, {"Impersonate-Extra-Scopes", "a"}}), "allowed");
  EXPECT_EQ(
      refusal({{"Impersonate-User", "root"}}),
      R"(users "root" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at the cluster scope)");
  EXPECT_EQ(
      refusal({joe, {"Impersonate-Group", "system:masters"}}),
      R"(groups "system:masters" is forbidden: User "jane" cannot impersonate resource "groups" in API group "" at the cluster scope)");
  EXPECT_EQ(
      refusal({joe, {"Impersonate-Uid", "1"}}),
      R"(uids.authentication.k8s.io "1" is forbidden: User "jane" cannot impersonate resource "uids" in API group "authentication.k8s.io" at the cluster scope)");
  EXPECT_EQ(
      refusal({joe, {"Impersonate-Extra-Scopes", "b"}}),
      R"(userextras.authentication.k8s.io "b" is forbidden: User "jane" cannot impersonate resource "userextras/scopes" in API group "authentication.k8s.io" at the cluster scope)");
  EXPECT_EQ(
      refusal({{"Impersonate-User", "system:serviceaccount:ci:bot"}}),
      R"(serviceaccounts "bot" is forbidden: User "jane" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "ci")");
}

TEST(Impersonation, GroupsWithoutAUserAreABadRequest) {
  const auto result = Impersonate(kRoot, With({{"Impersonate-Group", "devs"}}), AllowAuthenticated());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().http_status, 400);
  EXPECT_EQ(result.error().message, R"(requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"devs"}, )"
                                    R"(Extra:map[string][]string(nil)} without impersonating a user name)");
  EXPECT_FALSE(Impersonate(kRoot, With({{"Impersonate-Uid", "1"}}), AllowAuthenticated()));
  EXPECT_FALSE(Impersonate(kRoot, With({{"Impersonate-Extra-X", "1"}}), AllowAuthenticated()));
}

}  // namespace
}  // namespace kinformer::apiserver
