#include <gtest/gtest.h>

#include "src/apiserver/access/authenticator.h"
#include "src/apiserver/access/authorizer.h"

namespace kinformer::apiserver {
namespace {

HttpRequest WithAuthorization(const std::string& value) {
  HttpRequest request;
  request.headers.push_back({"authorization", value});
  return request;
}

TEST(AuthenticatorTest, ABearerTokenSaysWhoItIs) {
  const Authenticator authenticator({{"secret-1", {"jane", {"devs"}}}, {"secret-2", {"joe", {}}}});
  const Result<UserInfo> jane = authenticator.Authenticate(WithAuthorization("Bearer secret-1"));
  ASSERT_TRUE(jane);
  EXPECT_EQ(*jane, (UserInfo{"jane", {"devs", "system:authenticated"}}));
  EXPECT_EQ(authenticator.Authenticate(WithAuthorization("bearer  secret-2 "))->name, "joe");
}

TEST(AuthenticatorTest, NobodyIsAnonymous) {
  const Authenticator authenticator({{"secret", {"jane", {}}}, {"", {"nobody", {}}}});
  for (const char* value : {"", "Bearer", "Bearer ", "Bearer secre", "Bearer secrets", "Basic secret", "secret"}) {
    const Result<UserInfo> user = authenticator.Authenticate(WithAuthorization(value));
    ASSERT_FALSE(user) << value;
    EXPECT_EQ(user.error().http_status, 401);
    EXPECT_EQ(user.error().message, "Unauthorized");
  }
  EXPECT_FALSE(authenticator.Authenticate({}));
}

TEST(AuthenticatorTest, ACertificateCountsOnlyIfItIsGood) {
  const Authenticator authenticator(std::vector<StaticToken>{});
  HttpRequest request;
  request.peer.certificate = ClientCertificate{"system:node:n1", {"system:nodes"}};
  const Result<UserInfo> node = authenticator.Authenticate(request);
  ASSERT_TRUE(node);
  EXPECT_EQ(*node, (UserInfo{"system:node:n1", {"system:nodes", "system:authenticated"}}));
  request.peer.certificate.reset();
  request.peer.certificate_error = "expired";
  EXPECT_FALSE(authenticator.Authenticate(request));
}

TEST(AuthorizerTest, ARefusalIsInTheWordsOfARealServer) {
  const UserInfo user{"x", {}};
  const auto message = [&](const char* method, const char* path) {
    return ForbiddenError(user, ParseRequestInfo(method, path, "").value(), "").message;
  };
  EXPECT_EQ(message("GET", "/api/v1/namespaces/y/pods"),
            R"(pods is forbidden: User "x" cannot list resource "pods" in API group "" in the namespace "y")");
  EXPECT_EQ(
      message("PATCH", "/apis/apps/v1/namespaces/y/deployments/web/scale"),
      R"(deployments.apps "web" is forbidden: User "x" cannot patch resource "deployments/scale" in API group "apps" in the namespace "y")");
  EXPECT_EQ(message("GET", "/api/v1/nodes"),
            R"(nodes is forbidden: User "x" cannot list resource "nodes" in API group "" at the cluster scope)");
  EXPECT_EQ(message("GET", "/metrics"), R"(forbidden: User "x" cannot get path "/metrics")");
  const Error error = ForbiddenError(user, ParseRequestInfo("GET", "/api/v1/namespaces/y/pods/p", "").value(), "no");
  EXPECT_EQ(error.http_status, 403);
  EXPECT_EQ(error.details.name, "p");
  EXPECT_EQ(error.details.kind, "pods");
  EXPECT_TRUE(error.message.ends_with(": no"));
}

}  // namespace
}  // namespace kinformer::apiserver
