// Authorization through HTTP.

#include <gmock/gmock.h>

#include <kinformer/meta/status_error.h>

#include "test/apiserver/server/server_fixture.h"

namespace kinformer {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;

const std::string kRbac = "/apis/rbac.authorization.k8s.io/v1/";

class RbacTest : public ServerTest {
 protected:
  void StartWithRules(ApiServerOptions options = {}) {
    options.rbac = true;
    options.tokens = {{Secret("jane-token"), "jane", {"devs"}, "uid-of-jane"}, {Secret("joe-token"), "joe", {}}};
    StartServer(std::move(options));
    jane_ = As("jane-token");
    joe_ = As("joe-token");
  }
  std::unique_ptr<Client> As(const std::string& token) const {
    Config config = server_->ClientConfig();
    config.token = Secret(token);
    return std::make_unique<Client>(Client::Create(config, {.max_retries = 0}).value());
  }
  void TearDown() override {
    jane_.reset();
    joe_.reset();
    ServerTest::TearDown();
  }

  using Headers = std::vector<std::pair<std::string, std::string>>;
  /// The status, and the body as JSON or text.
  static std::pair<int, json> Ask(const Client& client, const std::string& method, const std::string& target,
                                  const json& body = nullptr, Headers headers = {}) {
    Request request{.method = method, .target = target};
    request.headers = std::move(headers);
    if (!body.is_null()) {
      request.headers.emplace_back("Content-Type", "application/json");
      request.body = body.dump();
    }
    const Result<RawResponse> response = client.Raw(std::move(request));
    if (!response) return {response.error().http_status, {{"message", response.error().message}}};
    json answer = json::parse(response->body, nullptr, false);
    if (answer.is_discarded()) answer = response->body;
    return {response->head.status, answer};
  }
  void Make(const std::string& target, const json& object) const {
    const auto [status, answer] = Ask(*client_, "POST", target, object);
    ASSERT_EQ(status, 201) << answer;
  }
  static json RoleOf(const std::string& name, const json& rules) {
    return {{"apiVersion", "rbac.authorization.k8s.io/v1"},
            {"kind", "Role"},
            {"metadata", {{"name", name}}},
            {"rules", rules}};
  }
  static json BindingOf(const std::string& name, const std::string& kind, const std::string& role,
                        const std::string& user) {
    return {{"apiVersion", "rbac.authorization.k8s.io/v1"},
            {"kind", "RoleBinding"},
            {"metadata", {{"name", name}}},
            {"roleRef", {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", kind}, {"name", role}}},
            {"subjects", {{{"kind", "User"}, {"apiGroup", "rbac.authorization.k8s.io"}, {"name", user}}}}};
  }
  /// Waits until a rule just written takes effect.
  static bool AwaitStatus(const Client& client, const std::string& target, int status) {
    return Await([&] { return Ask(client, "GET", target).first == status; });
  }

  std::unique_ptr<Client> jane_;
  std::unique_ptr<Client> joe_;
};

const std::string kPods = "/api/v1/namespaces/default/pods";

TEST_F(RbacTest, ABindingAllowsAndItsDeletionForbids) {
  StartWithRules();
  EXPECT_EQ(Ask(*client_, "GET", kPods).first, 200) << "the administrator may do everything";
  const auto [status, refused] = Ask(*jane_, "GET", kPods);
  EXPECT_EQ(status, 403);
  EXPECT_THAT(refused["message"].get<std::string>(),
              HasSubstr(R"(User "jane" cannot list resource "pods" in API group "" in the namespace "default")"));
  Make(kRbac + "namespaces/default/rolebindings", BindingOf("jane", "ClusterRole", "view", "jane"));
  EXPECT_TRUE(AwaitStatus(*jane_, kPods, 200));
  EXPECT_EQ(Ask(*jane_, "GET", "/api/v1/namespaces/kube-system/pods").first, 403);
  EXPECT_EQ(Ask(*jane_, "DELETE", kPods).first, 403) << "view reads";
  EXPECT_EQ(Ask(*joe_, "GET", kPods).first, 403);
  EXPECT_EQ(Ask(*client_, "DELETE", kRbac + "namespaces/default/rolebindings/jane").first, 200);
  EXPECT_TRUE(AwaitStatus(*jane_, kPods, 403));
}

TEST_F(RbacTest, EverybodyKnownDiscoversAndAsksForHisOwnRights) {
  StartWithRules();
  for (const char* path : {"/api", "/apis", "/apis/apps/v1", "/version", "/healthz"}) {
    EXPECT_EQ(Ask(*jane_, "GET", path).first, 200) << path;
  }
  EXPECT_EQ(Ask(*jane_, "GET", "/metrics").first, 403);
}

TEST_F(RbacTest, ABindingToARoleThatIsMissingIsTheReasonOfTheRefusal) {
  StartWithRules();
  Make(kRbac + "namespaces/default/rolebindings", BindingOf("b", "ClusterRole", "nothing", "jane"));
  EXPECT_TRUE(Await([&] {
    return Ask(*jane_, "GET", kPods)
               .second["message"]
               .get<std::string>()
               .find("RBAC: clusterrole.rbac.authorization.k8s.io \"nothing\" not found") != std::string::npos;
  }));
}

TEST_F(RbacTest, NobodyGrantsMoreThanHeHolds) {
  StartWithRules();
  Make(kRbac + "namespaces/default/rolebindings", BindingOf("admins", "ClusterRole", "admin", "jane"));
  ASSERT_TRUE(AwaitStatus(*jane_, kPods, 200));
  const std::string roles = kRbac + "namespaces/default/roles";
  const json pods = {{{"apiGroups", {""}}, {"resources", {"pods"}}, {"verbs", {"get"}}}};
  const json nodes = {{{"apiGroups", {""}}, {"resources", {"nodes"}}, {"verbs", {"get", "list"}}}};
  EXPECT_EQ(Ask(*jane_, "POST", roles, RoleOf("weak", pods)).first, 201);
  const auto [status, refused] = Ask(*jane_, "POST", roles, RoleOf("strong", nodes));
  EXPECT_EQ(status, 403);
  EXPECT_THAT(refused["message"].get<std::string>(),
              HasSubstr("roles.rbac.authorization.k8s.io \"strong\" is forbidden: user \"jane\" (groups=[\"devs\" "
                        "\"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n"
                        "{APIGroups:[\"\"], Resources:[\"nodes\"], Verbs:[\"get\" \"list\"]}"));
  // Neither can an update, a patch, or a dry run.
  EXPECT_EQ(Ask(*jane_, "PUT", roles + "/weak", RoleOf("weak", nodes)).first, 403);
  EXPECT_EQ(Ask(*jane_, "PUT", roles + "/other", RoleOf("other", nodes)).first, 403) << "which would create it";
  EXPECT_EQ(Ask(*jane_, "POST", roles + "?dryRun=All", RoleOf("strong", nodes)).first, 403);
  Request patch{.method = "PATCH", .target = roles + "/weak"};
  patch.headers = {{"Content-Type", "application/merge-patch+json"}};
  patch.body = json({{"rules", nodes}}).dump();
  const Result<RawResponse> patched = jane_->Raw(std::move(patch));
  EXPECT_EQ(patched ? patched->head.status : patched.error().http_status, 403);
  const std::string bindings = kRbac + "namespaces/default/rolebindings";
  EXPECT_EQ(Ask(*jane_, "POST", bindings, BindingOf("b", "ClusterRole", "cluster-admin", "jane")).first, 403);
  EXPECT_EQ(Ask(*jane_, "POST", bindings, BindingOf("b", "ClusterRole", "edit", "joe")).first, 201);
  EXPECT_EQ(Ask(*jane_, "POST", bindings, BindingOf("c", "Role", "none", "joe")).first, 404);
  EXPECT_EQ(Ask(*client_, "POST", roles, RoleOf("strong", nodes)).first, 201) << "the administrator may";
}

TEST_F(RbacTest, APutThatCreatesTakesTheRightToCreateToo) {
  const json update = {
      {{"apiGroups", {"coordination.k8s.io"}}, {"resources", {"leases"}}, {"verbs", {"update", "patch"}}}};
  StartWithRules({.rbac_objects = json({{"apiVersion", "v1"},
                                        {"kind", "List"},
                                        {"items", {RoleOf("w", update), BindingOf("jane", "Role", "w", "jane")}}})
                                      .dump()});
  const json lease = {{"apiVersion", "coordination.k8s.io/v1"}, {"kind", "Lease"}, {"metadata", {{"name", "x"}}}};
  const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  const auto [status, refused] = Ask(*jane_, "PUT", leases + "/x", lease);
  EXPECT_EQ(status, 403);
  EXPECT_THAT(refused["message"].get<std::string>(),
              HasSubstr(R"(leases.coordination.k8s.io "x" is forbidden: User "jane" cannot create resource "leases")"));
  Request apply{.method = "PATCH", .target = leases + "/x?fieldManager=test"};
  apply.headers = {{"Content-Type", "application/apply-patch+yaml"}};
  apply.body = lease.dump();
  const Result<RawResponse> applied = jane_->Raw(apply);
  EXPECT_EQ(applied ? applied->head.status : applied.error().http_status, 403);
  EXPECT_EQ(Ask(*client_, "PUT", leases + "/x", lease).first, 201);
  const Result<RawResponse> there = jane_->Raw(apply);
  EXPECT_EQ(there ? there->head.status : there.error().http_status, 200);
}

TEST_F(RbacTest, WithoutRulesWhoeverIsKnownMayDoEverything) {
  StartServer({.tokens = {{Secret("jane-token"), "jane", {}}}});
  const auto jane = As("jane-token");
  EXPECT_EQ(Ask(*jane, "GET", "/metrics").first, 200);
  EXPECT_EQ(Ask(*jane, "GET", kPods).first, 200);
  EXPECT_EQ(Ask(*jane, "GET", kRbac + "clusterroles").second["items"], json::array());
}

TEST_F(RbacTest, ObjectsComeFromYamlWithSeveralDocumentsOrFromAList) {
  const std::string yaml = R"(# who may
apiVersion: v1
kind: Namespace
metadata: {name: team}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: jane
  namespace: team
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects:
- {kind: User, apiGroup: rbac.authorization.k8s.io, name: jane}
---
kind: Role
apiVersion: rbac.authorization.k8s.io/v1
metadata: {name: reader, namespace: team}
rules:
- apiGroups: [""]
  resources: [configmaps]
  verbs: [get, list]
)";
  StartWithRules({.rbac_objects = yaml});
  EXPECT_EQ(Ask(*jane_, "GET", "/api/v1/namespaces/team/configmaps").first, 200);
  EXPECT_EQ(Ask(*jane_, "GET", "/api/v1/namespaces/team/secrets").first, 403);

  json binding = BindingOf("joe", "ClusterRole", "view", "joe");
  StartWithRules(
      {.rbac_objects = json({{"apiVersion", "v1"}, {"kind", "List"}, {"items", json::array({binding})}}).dump()});
  EXPECT_EQ(Ask(*joe_, "GET", kPods).first, 200);
}

TEST_F(RbacTest, ObjectsThatCannotBeAreAnErrorAtStart) {
  const auto start = [](ApiServerOptions options) {
    ApiServer server(std::move(options));
    const Result<void> started = server.Start();
    return started ? "started" : started.error().message;
  };
  EXPECT_THAT(start({.rbac_objects = "kind: Pod\napiVersion: v1\n"}), HasSubstr("\"Pod\" is none of Role"));
  EXPECT_THAT(start({.rbac_objects = "{\"kind\":"}), HasSubstr("RBAC objects"));
  EXPECT_THAT(start({.rbac_objects = "a: [b"}), HasSubstr("RBAC objects"));
  EXPECT_THAT(start({.rbac_objects = "text"}), HasSubstr("not an object"));
  EXPECT_THAT(start({.rbac_objects = RoleOf("x", {{{"verbs", json::array()}}}).dump()}),
              HasSubstr("creating the Role \"x\""));
  EXPECT_THAT(start({.authorize = [](const AccessRequest&) { return AccessAnswer{}; }, .rbac = true}),
              HasSubstr("are mutually exclusive"));
}

TEST_F(RbacTest, WhoSendsNoCredentialsReadsHealthAndVersionAlone) {
  for (const bool rbac : {false, true}) {
    StartServer({.rbac = rbac});
    const auto nobody = As("");
    for (const char* path : {"/healthz", "/livez", "/readyz", "/version"}) {
      EXPECT_EQ(Ask(*nobody, "GET", path).first, 200) << path;
    }
    for (const char* path : {"/", "/api", "/apis", "/metrics", "/api/v1/pods", "/healthz/x"}) {
      EXPECT_EQ(Ask(*nobody, "GET", path).first, 401) << path;
    }
    EXPECT_EQ(Ask(*nobody, "POST", "/version").first, 401);
    EXPECT_EQ(Ask(*nobody, "GET", "/api/v1/pods", nullptr, {{"Impersonate-User", "jane"}}).first, 401);
    EXPECT_EQ(Ask(*As("wrong"), "GET", "/healthz").first, 401) << "a wrong token is not none";
  }
  StartServer({.authorize = [](const AccessRequest&) { return AccessAnswer{.allowed = true}; }});
  EXPECT_EQ(Ask(*As(""), "GET", "/version").first, 200);
  EXPECT_EQ(Ask(*As(""), "GET", "/api/v1/pods").first, 401) << "no review for an unauthenticated request";
}

TEST_F(RbacTest, ARequestRunsAsWhomItsSenderMayImpersonate) {
  StartWithRules();
  Make(kRbac + "namespaces/default/rolebindings", BindingOf("joe", "ClusterRole", "view", "joe"));
  ASSERT_TRUE(AwaitStatus(*joe_, kPods, 200));
  EXPECT_EQ(Ask(*client_, "GET", kPods, nullptr, {{"Impersonate-User", "joe"}}).first, 200);
  const auto [status, refused] = Ask(*client_, "GET", "/api/v1/nodes", nullptr, {{"Impersonate-User", "joe"}});
  EXPECT_EQ(status, 403);
  EXPECT_THAT(refused["message"].get<std::string>(), HasSubstr("User \"joe\" cannot list resource \"nodes\""));
  const auto [own, mine] = Ask(*jane_, "GET", kPods, nullptr, {{"Impersonate-User", "joe"}});
  EXPECT_EQ(own, 403);
  EXPECT_THAT(
      mine["message"].get<std::string>(),
      HasSubstr(R"(users "joe" is forbidden: User "jane" cannot impersonate resource "users" in API group "")"));
  EXPECT_EQ(Ask(*client_, "GET", kPods, nullptr, {{"Impersonate-Group", "devs"}}).first, 400);
  const auto [made, who] = Ask(*client_, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", json::object(),
                               {{"Impersonate-User", "system:serviceaccount:ci:bot"},
                                {"Impersonate-Uid", "7"},
                                {"Impersonate-Extra-scopes", "all"}});
  EXPECT_EQ(made, 201);
  EXPECT_EQ(who["status"]["userInfo"],
            json({{"username", "system:serviceaccount:ci:bot"},
                  {"uid", "7"},
                  {"groups", {"system:serviceaccounts", "system:serviceaccounts:ci", "system:authenticated"}},
                  {"extra", {{"scopes", {"all"}}}}}));
}

const std::string kAuthorization = "/apis/authorization.k8s.io/v1/";
const std::string kAuthentication = "/apis/authentication.k8s.io/v1/";

json AccessQuestion(const std::string& verb, const std::string& resource, const std::string& namespace_name) {
  return {{"resourceAttributes", {{"verb", verb}, {"resource", resource}, {"namespace", namespace_name}}}};
}

TEST_F(RbacTest, MalformedReviewsAreBadRequests) {
  StartWithRules({});
  for (const char* review :
       {"authorization.k8s.io/v1/selfsubjectaccessreviews", "authorization.k8s.io/v1/subjectaccessreviews",
        "authorization.k8s.io/v1/selfsubjectrulesreviews",
        "authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews", "authentication.k8s.io/v1/tokenreviews",
        "authentication.k8s.io/v1/selfsubjectreviews"}) {
    for (const char* body : {R"([])", R"("text")", R"({"apiVersion":1})", R"({"kind":[]})", R"({"metadata":7})",
                             R"({"metadata":{"labels":[1]}})", R"({"status":"text"})"}) {
      const auto [status, answer] = Ask(*client_, "POST", "/apis/" + std::string(review), json::parse(body));
      EXPECT_EQ(status, 400) << review << " " << body << " " << answer;
      EXPECT_FALSE(answer.value("message", "").empty()) << review << " " << body;
    }
  }
  const std::vector<std::pair<std::string, std::string>> specs = {
      {"authorization.k8s.io/v1/subjectaccessreviews", R"([])"},
      {"authorization.k8s.io/v1/subjectaccessreviews", R"({"user":5})"},
      {"authorization.k8s.io/v1/subjectaccessreviews", R"({"user":"u","groups":"g"})"},
      {"authorization.k8s.io/v1/subjectaccessreviews", R"({"user":"u","extra":{"k":1}})"},
      {"authorization.k8s.io/v1/subjectaccessreviews", R"({"user":"u","resourceAttributes":[1]})"},
      {"authorization.k8s.io/v1/subjectaccessreviews",
       R"({"user":"u","resourceAttributes":{"fieldSelector":{"requirements":[{"values":1}]}}})"},
      {"authorization.k8s.io/v1/selfsubjectrulesreviews", R"({"namespace":{}})"},
      {"authentication.k8s.io/v1/tokenreviews", R"({"token":["t"]})"},
      {"authentication.k8s.io/v1/tokenreviews", R"({"token":"t","audiences":{"a":1}})"}};
  for (const auto& [review, spec] : specs) {
    const auto [status, answer] = Ask(*client_, "POST", "/apis/" + review, {{"spec", json::parse(spec)}});
    EXPECT_EQ(status, 400) << review << " " << spec << " " << answer;
    EXPECT_THAT(answer.value("message", ""), HasSubstr("cannot unmarshal")) << review << " " << spec;
  }
}

TEST_F(RbacTest, AccessReviewsAnswerAsTheServerWouldDecide) {
  StartWithRules({.rbac_objects = BindingOf("jane", "ClusterRole", "view", "jane").dump()});
  const auto self = [&](const json& spec) {
    return Ask(*jane_, "POST", kAuthorization + "selfsubjectaccessreviews",
               {{"apiVersion", "authorization.k8s.io/v1"}, {"kind", "SelfSubjectAccessReview"}, {"spec", spec}});
  };
  const auto [status, yes] = self(AccessQuestion("list", "pods", "default"));
  EXPECT_EQ(status, 201);
  EXPECT_EQ(yes["kind"], "SelfSubjectAccessReview");
  EXPECT_EQ(yes["apiVersion"], "authorization.k8s.io/v1");
  EXPECT_EQ(yes["spec"], AccessQuestion("list", "pods", "default"));
  EXPECT_EQ(yes["status"],
            json({{"allowed", true},
                  {"reason", R"(RBAC: allowed by RoleBinding "jane/default" of ClusterRole "view" to User "jane")"}}));
  EXPECT_EQ(self(AccessQuestion("delete", "pods", "default")).second["status"], json({{"allowed", false}}));
  EXPECT_EQ(self({{"nonResourceAttributes", {{"verb", "get"}, {"path", "/apis"}}}}).second["status"]["allowed"], true);
  EXPECT_EQ(self({{"nonResourceAttributes", {{"verb", "get"}, {"path", "/metrics"}}}}).second["status"]["allowed"],
            false);
  EXPECT_EQ(self(json::object()).first, 422);
  json both = AccessQuestion("get", "pods", "");
  both["nonResourceAttributes"] = {{"path", "/"}};
  EXPECT_EQ(self(both).first, 422);
  EXPECT_EQ(self("text").first, 400);

  // Reviews about other users need permission.
  json other = AccessQuestion("list", "pods", "default");
  other["user"] = "jane";
  EXPECT_EQ(Ask(*jane_, "POST", kAuthorization + "subjectaccessreviews", {{"spec", other}}).first, 403);
  const auto [asked, answer] = Ask(*client_, "POST", kAuthorization + "subjectaccessreviews", {{"spec", other}});
  EXPECT_EQ(asked, 201);
  EXPECT_EQ(answer["status"]["allowed"], true);
  other["user"] = "joe";
  EXPECT_EQ(Ask(*client_, "POST", kAuthorization + "subjectaccessreviews", {{"spec", other}}).second["status"],
            json({{"allowed", false}}));
  other["groups"] = {"system:masters"};
  EXPECT_EQ(Ask(*client_, "POST", kAuthorization + "subjectaccessreviews", {{"spec", other}}).second["status"],
            json({{"allowed", true}}));
  other.erase("user");
  other.erase("groups");
  EXPECT_EQ(Ask(*client_, "POST", kAuthorization + "subjectaccessreviews", {{"spec", other}}).first, 422);

  other["user"] = "jane";
  const std::string local = kAuthorization + "namespaces/default/localsubjectaccessreviews";
  const auto [here, local_answer] = Ask(*client_, "POST", local, {{"spec", other}});
  EXPECT_EQ(here, 201);
  EXPECT_EQ(local_answer["status"]["allowed"], true);
  EXPECT_EQ(local_answer["metadata"]["namespace"], "default");
  other["resourceAttributes"]["namespace"] = "kube-system";
  EXPECT_EQ(Ask(*client_, "POST", local, {{"spec", other}}).first, 422);
}

TEST_F(RbacTest, ARulesReviewTellsAllThatOneMay) {
  StartWithRules({.rbac_objects = BindingOf("jane", "ClusterRole", "view", "jane").dump()});
  const auto review = [](const Client& client, const json& spec) {
    return Ask(client, "POST", kAuthorization + "selfsubjectrulesreviews", {{"spec", spec}});
  };
  const auto [status, answer] = review(*jane_, {{"namespace", "default"}});
  EXPECT_EQ(status, 201);
  EXPECT_EQ(answer["status"]["incomplete"], false);
  EXPECT_THAT(
      answer["status"]["resourceRules"],
      Contains(json({{"apiGroups", {""}}, {"resources", {"namespaces"}}, {"verbs", {"get", "list", "watch"}}})));
  EXPECT_FALSE(answer["status"]["nonResourceRules"].empty());
  EXPECT_EQ(review(*jane_, json::object()).first, 400);
  const json elsewhere = review(*jane_, {{"namespace", "kube-system"}}).second;
  EXPECT_LT(elsewhere["status"]["resourceRules"].size(), answer["status"]["resourceRules"].size());
  StartServer();
  EXPECT_EQ(review(*client_, {{"namespace", "default"}}).second["status"]["resourceRules"],
            json({{{"apiGroups", {"*"}}, {"resources", {"*"}}, {"verbs", {"*"}}}}));
  StartServer({.authorize = [](const AccessRequest&) { return AccessAnswer{}; }});
  EXPECT_EQ(review(*client_, {{"namespace", "default"}}).second["status"]["incomplete"], true);
}

TEST_F(RbacTest, TokensAndUsersAreToldToWhoMayAsk) {
  StartWithRules();
  const auto token = [&](const json& spec) {
    return Ask(*client_, "POST", kAuthentication + "tokenreviews", {{"spec", spec}});
  };
  const auto [status, known] = token({{"token", "jane-token"}});
  EXPECT_EQ(status, 201);
  EXPECT_EQ(known["status"]["authenticated"], true);
  EXPECT_EQ(known["status"]["user"],
            json({{"username", "jane"}, {"uid", "uid-of-jane"}, {"groups", {"devs", "system:authenticated"}}}));
  EXPECT_EQ(token({{"token", "wrong"}}).second["status"],
            json({{"user", json::object()}, {"error", "invalid bearer token"}}));
  EXPECT_EQ(token({{"token", "jane-token"}, {"audiences", {"vault"}}}).second["status"],
            json({{"user", json::object()}}));
  EXPECT_EQ(token(json::object()).first, 400);
  EXPECT_EQ(Ask(*jane_, "POST", kAuthentication + "tokenreviews", {{"spec", {{"token", "x"}}}}).first, 403);
  const json self = Ask(*jane_, "POST", kAuthentication + "selfsubjectreviews", json::object()).second;
  EXPECT_EQ(self["kind"], "SelfSubjectReview");
  EXPECT_EQ(self["status"]["userInfo"]["username"], "jane");
}

TEST_F(RbacTest, ReviewsAreCreatedAndNothingElse) {
  StartServer();
  for (const char* path : {"/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                           "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews?watch=1",
                           "/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews",
                           "/apis/authentication.k8s.io/v1/tokenreviews"}) {
    EXPECT_EQ(Ask(*client_, "GET", path).first, 405) << path;
    EXPECT_EQ(Ask(*client_, "DELETE", path).first, 405) << path;
  }
  EXPECT_EQ(Ask(*client_, "GET", kAuthentication + "tokenreviews/x").first, 404);
  EXPECT_EQ(Ask(*client_, "POST", kAuthentication + "namespaces/default/tokenreviews", json::object()).first, 404);
  EXPECT_EQ(Ask(*client_, "POST", kAuthorization + "localsubjectaccessreviews", json::object()).first, 404);
  EXPECT_EQ(Ask(*client_, "POST", kAuthentication + "tokenreviews", json::array()).first, 400);
  EXPECT_EQ(Ask(*client_, "POST", kAuthentication + "tokenreviews",
                {{"apiVersion", "v1"}, {"kind", "Pod"}, {"spec", {{"token", "x"}}}})
                .first,
            400);
  EXPECT_EQ(Ask(*client_, "POST", kAuthentication + "tokenreviews",
                {{"metadata", {{"name", "x"}}}, {"spec", {{"token", "x"}}}})
                .first,
            422);
  std::vector<std::string> names;
  const json discovered = RawJson("/apis/authorization.k8s.io/v1");
  for (const json& resource : discovered["resources"]) {
    names.push_back(resource["name"]);
    EXPECT_EQ(resource["verbs"], json({"create"}));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"localsubjectaccessreviews", "selfsubjectaccessreviews",
                                             "selfsubjectrulesreviews", "subjectaccessreviews"}));
  EXPECT_EQ(RawJson("/apis/authentication.k8s.io/v1")["resources"].size(), 2U);
  const auto [status, aggregated] =
      Ask(*client_, "GET", "/apis", nullptr,
          {{"Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}});
  EXPECT_EQ(status, 200);
  EXPECT_THAT(aggregated.dump(), HasSubstr(R"("singularResource":"tokenreview","verbs":["create"])"));
  const json paths = RawJson("/openapi/v3/apis/authentication.k8s.io/v1")["paths"];
  EXPECT_TRUE(paths["/apis/authentication.k8s.io/v1/tokenreviews"].contains("post"));
  EXPECT_FALSE(paths["/apis/authentication.k8s.io/v1/tokenreviews"].contains("get"));
}

}  // namespace
}  // namespace kinformer
