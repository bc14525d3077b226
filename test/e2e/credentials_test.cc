// The forms of credentials that clusters issue, and what happens when they change.

#include <kinformer/meta/status_error.h>
#include <kinformer/views/core_v1.h>

#include "test/e2e/e2e_testing.h"
#include "test/support/temp_dir.h"

namespace kinformer::e2e {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::HasSubstr;

class CredentialsTest : public E2eTest {
 protected:
  void SetUp() override {
    E2eTest::SetUp();
    KINFORMER_E2E_NEEDS_CONTROL();
  }

  /// An informer of this test's configmaps that uses the given configuration.
  struct Observer {
    Observer(const CredentialsTest& test, const Config& config)
        : factory(Client::Create(config).value()),
          informer(factory.ForResource(Resource::Of(core::v1::ConfigMap::kInfo), {.namespace_name = test.ns()},
                                       {.backoff = BackoffOptions{.initial = 100ms, .cap = 1s}})),
          registration(informer.AddEventHandler(log.Handler()).value()) {
      informer.Start();
    }
    EventLog log;
    SharedInformerFactory factory;
    SharedInformer informer;
    InformerRegistration registration;
  };

  /// An exec plugin that prints the token in the file, as a cloud provider's tool would.
  Config ConfigWithPlugin(const std::string& token_file) {
    const std::string plugin = files_.Write(
        "cloud-auth",
        "#!/bin/sh\n"
        "printf '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":"
        "{\"token\":\"%s\"}}' \"$(cat '" +
            token_file + "')\"\necho run >> '" + runs_ + "'\n",
        0700);
    const json kubeconfig = {
        {"apiVersion", "v1"},
        {"kind", "Config"},
        {"clusters",
         {{{"name", "cloud_project_zone_cluster"},
           {"cluster",
            {{"server", cluster()->url()}, {"certificate-authority", files_.Write("ca.crt", cluster()->ca_pem())}}}}}},
        {"users",
         {{{"name", "cloud_project_zone_cluster"},
           {"user",
            {{"exec",
              {{"apiVersion", "client.authentication.k8s.io/v1"},
               {"command", plugin},
               {"args", {"--cluster", "cluster"}},
               {"installHint", "Install cloud-auth."},
               {"interactiveMode", "IfAvailable"},
               {"provideClusterInfo", true}}}}}}}},
        {"contexts",
         {{{"name", "cloud_project_zone_cluster"},
           {"context", {{"cluster", "cloud_project_zone_cluster"}, {"user", "cloud_project_zone_cluster"}}}}}},
        {"current-context", "cloud_project_zone_cluster"}};
    return Config::Load({.kubeconfig = files_.Write("cloud.kubeconfig", kubeconfig.dump())}).value();
  }

  testing_support::TempDir files_;
  const std::string runs_ = (files_.path() / "runs").string();
};
KINFORMER_E2E(CredentialsTest);

TEST_P(CredentialsTest, AKubeconfigAsKindWritesItIsAllThatIsNeeded) {
  Put("a", "1");
  const auto config = Config::Load({.kubeconfig = files_.Write("config", cluster()->KindKubeconfig())});
  ASSERT_TRUE(Ok(config));
  EXPECT_EQ(config->context_name, "kind-kind");
  Observer observer(*this, *config);
  ASSERT_TRUE(Ok(observer.informer.WaitForCacheSync(kPatience)));
  EXPECT_EQ(InCache(observer.informer.Lister()), OnServer());
}

TEST_P(CredentialsTest, AKubeconfigAsACloudWritesItRunsItsPlugin) {
  Put("a", "1");
  Observer observer(*this, ConfigWithPlugin(files_.Write("token", cluster()->token())));
  ASSERT_TRUE(Ok(observer.informer.WaitForCacheSync(kPatience)));
  EXPECT_EQ(InCache(observer.informer.Lister()), OnServer());
}

TEST_P(CredentialsTest, APluginIsAskedAgainWhenItsTokenIsNoLongerTaken) {
  const std::string token_file = files_.Write("token", cluster()->token());
  Observer observer(*this, ConfigWithPlugin(token_file));
  ASSERT_TRUE(Ok(observer.informer.WaitForCacheSync(kPatience)));
  cluster()->SetToken("another-" + cluster()->token());
  files_.Write("token", cluster()->token());
  cluster()->RestartServer();
  Put("a", "1");
  observer.log.Await("add a=1");
}

TEST_P(CredentialsTest, ATokenFileThatRotatesIsReadAgain) {
  Config config = cluster()->AdminByToken();
  config.token = {};
  config.token_file = files_.Write("token", cluster()->token());
  Observer observer(*this, config);
  ASSERT_TRUE(Ok(observer.informer.WaitForCacheSync(kPatience)));
  cluster()->SetToken("another-" + cluster()->token());
  cluster()->RestartServer();
  // The server answers the old token with 401, which the informer's status reports.
  EXPECT_TRUE(Eventually([&] {
    const auto status = observer.informer.Status();
    return status.last_error && IsUnauthorized(*status.last_error);
  }));
  files_.Write("token", cluster()->token());
  Put("a", "1");
  observer.log.Await("add a=1");
}

TEST_P(CredentialsTest, ANewServerCertificateOfTheSameAuthorityGoesUnnoticed) {
  Put("a", "1");
  Observer observer(*this, cluster()->Admin());
  ASSERT_TRUE(Ok(observer.informer.WaitForCacheSync(kPatience)));
  cluster()->RotateServerCertificate();
  cluster()->RestartServer();
  Put("a", "2");
  observer.log.Await("update a=1 to a=2");
}

TEST_P(CredentialsTest, CertificatesThatRotateOnDiskAreReadAgainTheAuthoritysToo) {
  const auto write = [&] {
    const auto mine = cluster()->IssueClient({.common_name = "kubernetes-admin", .organizations = {"system:masters"}});
    files_.Write("client.key", mine.key_pem);
    files_.Write("client.crt", mine.cert_pem);
    files_.Write("ca.crt", cluster()->ca_pem());
  };
  write();
  Observer observer(*this, {.server = cluster()->url(),
                            .ca_file = (files_.path() / "ca.crt").string(),
                            .client_certificate_file = (files_.path() / "client.crt").string(),
                            .client_key_file = (files_.path() / "client.key").string()});
  ASSERT_TRUE(Ok(observer.informer.WaitForCacheSync(kPatience)));
  cluster()->RotateCa();
  cluster()->RestartServer();
  EXPECT_TRUE(Eventually([&] {
    const auto status = observer.informer.Status();
    return status.last_error && status.last_error->code == ErrorCode::kTls;
  })) << "a client with the old CA must not trust the new server";
  write();
  const auto as_admin = Client::Create(cluster()->Admin()).value();
  ASSERT_TRUE(Ok(as_admin.For<core::v1::ConfigMap>().Create(*ConfigMap(ns(), "a", "1"))));
  observer.log.Await("add a=1");
}

TEST_P(CredentialsTest, WhoMayNotListIsToldSoAndSyncsOnceHeMay) {
  Put("a", "1");
  Observer observer(*this, cluster()->User("alice"));
  const auto refused = observer.informer.WaitForCacheSync(3s);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().http_status, 403) << ToString(refused.error());
  EXPECT_THAT(refused.error().message, HasSubstr("configmaps is forbidden: User \"alice\" cannot"));
  EXPECT_THAT(refused.error().message, HasSubstr(ns()));
  const Resource roles{.gvr = {"rbac.authorization.k8s.io", "v1", "roles"}, .kind = "Role"};
  const Resource bindings{.gvr = {"rbac.authorization.k8s.io", "v1", "rolebindings"}, .kind = "RoleBinding"};
  ASSERT_TRUE(Ok(admin().Dynamic(roles).Create(*ParseObject(
      {{"apiVersion", "rbac.authorization.k8s.io/v1"},
       {"kind", "Role"},
       {"metadata", {{"name", "reader"}, {"namespace", ns()}}},
       {"rules", {{{"apiGroups", {""}}, {"resources", {"configmaps"}}, {"verbs", {"list", "watch"}}}}}}))));
  ASSERT_TRUE(Ok(admin().Dynamic(bindings).Create(*ParseObject(
      {{"apiVersion", "rbac.authorization.k8s.io/v1"},
       {"kind", "RoleBinding"},
       {"metadata", {{"name", "alice"}, {"namespace", ns()}}},
       {"roleRef", {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "Role"}, {"name", "reader"}}},
       {"subjects", {{{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "User"}, {"name", "alice"}}}}}))));
  ASSERT_TRUE(Ok(observer.informer.WaitForCacheSync(kPatience)));
  EXPECT_EQ(InCache(observer.informer.Lister()), OnServer());
}

TEST_P(CredentialsTest, AnUnknownTokenIsRefusedWithoutBeingRepeatedInTheError) {
  Config config = cluster()->AdminByToken();
  config.token = Secret("not-the-token-at-all");
  Observer observer(*this, config);
  const auto refused = observer.informer.WaitForCacheSync(3s);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().http_status, 401) << ToString(refused.error());
  EXPECT_THAT(ToString(refused.error()), ::testing::Not(HasSubstr("not-the-token-at-all")));
}

}  // namespace
}  // namespace kinformer::e2e
