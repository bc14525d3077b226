#include "src/config/kubeconfig.h"
#include "src/base/base64.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "src/config/text.h"
#include "test/support/temp_dir.h"
#include "test/support/test_ca.h"

namespace kinformer::internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing_support::TempDir;
using testing_support::TestCa;

const TestCa& Ca() {
  static const TestCa ca;
  return ca;
}

/// A kubeconfig with one context and the given lines in the cluster and user entries.
std::string WithLines(const std::string& cluster, const std::string& user = "", const std::string& context = "") {
  const auto indent = [](const std::string& lines) {
    std::string out;
    for (std::size_t begin = 0; begin < lines.size();) {
      const std::size_t end = std::min(lines.find('\n', begin), lines.size());
      out += "    " + lines.substr(begin, end - begin) + "\n";
      begin = end + 1;
    }
    return out;
  };
  return "apiVersion: v1\nkind: Config\ncurrent-context: main\n"
         "clusters:\n- name: prod\n  cluster:\n" +
         indent(cluster) + "users:\n- name: dev\n  user:\n" + indent(user.empty() ? "{}" : user) +
         "contexts:\n- name: main\n  context:\n    cluster: prod\n    user: dev\n" + indent(context);
}

Result<Config> Resolve(const std::string& text, const std::string& context = "") {
  return Config::FromKubeconfigText(text, "/base", context);
}

std::string ErrorOf(const std::string& text, const std::string& context = "") {
  const auto config = Resolve(text, context);
  EXPECT_FALSE(config.ok()) << text;
  if (config) return "";
  EXPECT_EQ(config.error().code, ErrorCode::kInvalidConfig);
  return config.error().message;
}

const char* const kServer = "server: https://host:6443";

TEST(KubeconfigTest, EveryFieldArrives) {
  const auto client = Ca().IssueClient({.common_name = "dev"});
  const auto config = Resolve(WithLines(
      "server: https://host:6443/prefix/\n"
      "tls-server-name: inner\n"
      "certificate-authority-data: " +
          EncodeBase64(Ca().CertPem()) +
          "\n"
          "proxy-url: http://u:p@proxy:3128\n"
          "disable-compression: true\n"
          "extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: x, n: 3}}, {name: other}]",
      "client-certificate-data: " + EncodeBase64(client.cert_pem) +
          "\n"
          "client-key-data: " +
          EncodeBase64(client.key_pem) +
          "\n"
          "token: abc\n"
          "as: root\nas-uid: '7'\nas-groups: [a, b]\nas-user-extra: {scopes: [s1, s2]}\n"
          "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./bin/plug, args: [a, '1'], interactiveMode: "
          "Never,"
          " env: [{name: X, value: y}], installHint: get it, provideClusterInfo: true}",
      "namespace: team-a"));
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->server, "https://host:6443/prefix");
  EXPECT_EQ(config->tls_server_name, "inner");
  EXPECT_EQ(config->ca_data, Ca().CertPem());
  EXPECT_EQ(config->proxy_url.Reveal(), "http://u:p@proxy:3128");
  EXPECT_TRUE(config->disable_compression);
  EXPECT_EQ(config->client_certificate_data, client.cert_pem);
  EXPECT_EQ(config->client_key_data.Reveal(), client.key_pem);
  EXPECT_EQ(config->token.Reveal(), "abc");
  EXPECT_EQ(config->impersonate.user, "root");
  EXPECT_EQ(config->impersonate.uid, "7");
  EXPECT_THAT(config->impersonate.groups, ElementsAre("a", "b"));
  EXPECT_THAT(config->impersonate.extra.at("scopes"), ElementsAre("s1", "s2"));
  ASSERT_TRUE(config->exec.has_value());
  EXPECT_EQ(config->exec->command, "/base/bin/plug");
  EXPECT_THAT(config->exec->args, ElementsAre("a", "1"));
  EXPECT_EQ(config->exec->env.at(0).first, "X");
  EXPECT_EQ(config->exec->env.at(0).second.Reveal(), "y");
  EXPECT_EQ(config->exec->install_hint, "get it");
  EXPECT_TRUE(config->exec->provide_cluster_info);
  EXPECT_EQ(config->exec->cluster_config.Reveal(), R"({"audience":"x","n":3})");
  EXPECT_EQ(config->namespace_name, "team-a");
  EXPECT_EQ(config->context_name, "main");
  EXPECT_EQ(config->cluster_name, "prod");
  EXPECT_EQ(config->user_name, "dev");
  EXPECT_EQ(config->user_origin, "kubeconfig: users[0] \"dev\"");
}

TEST(KubeconfigTest, DefaultsAreKubectls) {
  const auto config = Resolve(WithLines(kServer));
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->namespace_name, "default");
  EXPECT_FALSE(config->insecure_skip_tls_verify);
  EXPECT_FALSE(config->exec.has_value());
}

TEST(KubeconfigTest, AContextWithoutAUserIsAnonymous) {
  const auto config = Resolve(
      "{current-context: c, clusters: [{name: k, cluster: {server: 'https://h'}}],"
      " contexts: [{name: c, context: {cluster: k}}]}");
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_TRUE(config->token.empty());
}

TEST(KubeconfigTest, UnknownFieldsAreSkipped) {
  EXPECT_TRUE(Resolve(WithLines(std::string(kServer) + "\nshiny: {new: [1]}", "future: true\ntoken: t") +
                      "preferences: {colors: true}\nnovelty: 1\n")
                  .ok());
}

TEST(KubeconfigTest, ABareCommandStaysForPath) {
  const auto config =
      Resolve(WithLines(kServer, "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: plug}"));
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->exec->command, "plug");
}

TEST(KubeconfigTest, CredentialsDoNotTravelInTheClear) {
  const auto config = Resolve(WithLines("server: http://host:8080", "token: abc\nas: root"));
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_TRUE(config->token.empty());
  EXPECT_EQ(config->impersonate.user, "root");
  EXPECT_EQ(config->server, "http://host:8080");
}

TEST(KubeconfigTest, DataCountsBeforeFiles) {
  const auto client = Ca().IssueClient({.common_name = "dev"});
  EXPECT_TRUE(
      Resolve(WithLines(std::string(kServer) +
                            "\ncertificate-authority: /does/not/exist\n"
                            "certificate-authority-data: " +
                            EncodeBase64(Ca().CertPem()),
                        "client-certificate: /does/not/exist\nclient-key: /does/not/exist\n"
                        "client-certificate-data: " +
                            EncodeBase64(client.cert_pem) + "\nclient-key-data: " + EncodeBase64(client.key_pem)))
          .ok());
}

struct Mistake {
  const char* name;
  std::string text;
  std::string message;
};

class KubeconfigMistakeTest : public ::testing::TestWithParam<Mistake> {};

TEST_P(KubeconfigMistakeTest, NamesEntryAndField) {
  EXPECT_THAT(ErrorOf(GetParam().text), HasSubstr(GetParam().message));
}

std::vector<Mistake> Mistakes() {
  const std::string user = "kubeconfig: users[0] \"dev\": ";
  const std::string cluster = "kubeconfig: clusters[0] \"prod\": ";
  const auto client = Ca().IssueClient({.common_name = "dev"});
  const auto other = Ca().IssueClient({.common_name = "dev"});
  const std::string cert64 = EncodeBase64(client.cert_pem);
  const std::string key64 = EncodeBase64(client.key_pem);
  const std::string exec = "exec: {apiVersion: client.authentication.k8s.io/v1, ";
  return {
      {"EmptyText", "", "kubeconfig: is empty"},
      {"OnlyComment", "# nothing\n", "kubeconfig: is empty"},
      {"AList", "[1]", "kubeconfig: expected a map, found a list (line 1)"},
      {"PlainText", "hello", "kubeconfig: expected a map, found a string"},
      {"OtherKind", "kind: Pod", "kubeconfig: kind: expected Config, found \"Pod\""},
      {"OtherVersion", "apiVersion: v2", "kubeconfig: apiVersion: expected v1, found \"v2\""},
      {"NotYaml", "a: [", "kubeconfig: line "},
      {"ClustersNotAList", "clusters: {a: b}", "kubeconfig: clusters: expected a list, found a map (line 1)"},
      {"UserNotAMap", "users: [5]", "kubeconfig: users[0]: expected a map, found a number"},
      {"UserBodyNotAMap", "users: [{name: a, user: b}]", "users[0] \"a\": user: expected a map, found a string"},
      {"NameMissing", "users: [{user: {}}]", "kubeconfig: users[0]: name: missing"},
      {"SameNameTwice", "users: [{name: a}, {name: b}, {name: a}]", "users[2] \"a\": name: already used by users[0]"},
      {"SameKeyTwice", "users: []\nusers: []\n", "line 2, column 1: duplicate key"},
      {"NumberAsToken", WithLines(kServer, "token: 12345"),
       user + "token: expected a string, found a number; put it in quotes"},
      {"TextAsBool", WithLines("server: https://h\ninsecure-skip-tls-verify: 'true'"),
       cluster + "insecure-skip-tls-verify: expected a boolean, found a string"},
      {"MapAsToken", WithLines(kServer, "token: {a: b}"), user + "token: expected a string, found a map"},
      {"GroupNotText", WithLines(kServer, "as: x\nas-groups: [a, 5]"), user + "as-groups[1]: expected a string"},
      {"ExtraNotAList", WithLines(kServer, "as: x\nas-user-extra: {k: v}"),
       user + "as-user-extra: \"k\": expected a list"},
      {"BadBase64", WithLines(kServer, "client-certificate-data: 'Zm9v!'"),
       user + "client-certificate-data: not valid base64: a character outside of the alphabet at character 5"},
      {"CaNotPem", WithLines("server: https://h\ncertificate-authority-data: Zm9v"),
       cluster + "certificate-authority-data: contains no PEM certificate"},
      {"CertificateNotPem", WithLines(kServer, "client-certificate-data: Zm9v\nclient-key-data: " + key64),
       user + "client-certificate-data: contains no PEM certificate"},
      {"KeyNotPem", WithLines(kServer, "client-certificate-data: " + cert64 + "\nclient-key-data: Zm9v"),
       user + "client-key-data: the key: no PEM private key"},
      {"KeyOfAnother",
       WithLines(kServer, "client-certificate-data: " + cert64 + "\nclient-key-data: " + EncodeBase64(other.key_pem)),
       user + "client-key-data: the key does not belong to the certificate"},
      {"CertificateWithoutKey", WithLines(kServer, "client-certificate-data: " + cert64),
       user + "client-certificate: no client-key or client-key-data"},
      {"KeyWithoutCertificate", WithLines(kServer, "client-key-data: " + key64),
       user + "client-key: no client-certificate"},
      {"CaFileMissing", WithLines("server: https://h\ncertificate-authority: ca.crt"),
       cluster + "certificate-authority: /base/ca.crt: No such file"},
      {"CertificateFileMissing", WithLines(kServer, "client-certificate: c.crt\nclient-key: c.key"),
       user + "client-certificate: /base/c.crt: No such file"},
      {"TokenFileMissing", WithLines(kServer, "tokenFile: tok"), user + "tokenFile: /base/tok: No such file"},
      {"CaAndInsecure",
       WithLines("server: https://h\ninsecure-skip-tls-verify: true\ncertificate-authority-data: " +
                 EncodeBase64(Ca().CertPem())),
       cluster + "insecure-skip-tls-verify: cannot be set together"},
      {"ServerMissing", WithLines("tls-server-name: x"), cluster + "server: missing"},
      {"ServerWithoutScheme", WithLines("server: host:6443"), cluster + "server: missing scheme"},
      {"ServerWithPassword", WithLines("server: https://u:p@h"), cluster + "server: user name or password"},
      {"ProxyScheme", WithLines("server: https://h\nproxy-url: ftp://p"), cluster + "proxy-url: unsupported scheme"},
      {"BasicAndToken", WithLines(kServer, "token: t\nusername: u\npassword: p"),
       user + "token: cannot be set together with username"},
      {"BasicAndTokenFile", WithLines(kServer, "tokenFile: t\nusername: u\npassword: p"),
       user + "tokenFile: cannot be set together with username"},
      {"PasswordAlone", WithLines(kServer, "password: p"), user + "username: missing beside password"},
      {"TokenWithLineBreak", WithLines(kServer, "token: \"a\\nb\""), user + "token: contains a line break"},
      {"GroupsWithoutUser", WithLines(kServer, "as-groups: [g]"), user + "as: missing beside"},
      {"AuthProvider", WithLines(kServer, "auth-provider: {name: gcp, config: {access-token: x}}"),
       user + "auth-provider: \"gcp\" is not supported"},
      {"ExecWithoutCommand", WithLines(kServer, exec + "interactiveMode: Never}"), user + "exec: command: missing"},
      {"ExecWithoutMode", WithLines(kServer, exec + "command: x}"), user + "exec: interactiveMode: missing"},
      {"ExecAlways", WithLines(kServer, exec + "command: x, interactiveMode: Always}"),
       user + "exec: interactiveMode: Always is not supported"},
      {"ExecOtherMode", WithLines(kServer, exec + "command: x, interactiveMode: Often}"),
       user + "exec: interactiveMode: expected Never"},
      {"ExecOldVersion",
       WithLines(kServer,
                 "exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x, interactiveMode: Never}"),
       user + "exec: apiVersion: \"client.authentication.k8s.io/v1alpha1\" is not supported"},
      {"ExecWithoutVersion", WithLines(kServer, "exec: {command: x, interactiveMode: Never}"),
       user + "exec: apiVersion: missing"},
      {"ExecEnvWithoutName", WithLines(kServer, exec + "command: x, interactiveMode: Never, env: [{value: v}]}"),
       user + "exec: env[0]: name: missing"},
      {"ExecArgsNotText", WithLines(kServer, exec + "command: x, args: [1]}"),
       user + "exec: args[0]: expected a string, found a number"},
      {"BadNamespace", WithLines(kServer, "", "namespace: Not/Good"),
       "kubeconfig: contexts[0] \"main\": namespace: \"Not/Good\" is not a valid"},
      {"NoCurrentContext", "contexts: [{name: a}, {name: b}]", "current-context: not set; available: \"a\", \"b\""},
      {"UnknownContext", "{current-context: z, contexts: [{name: a}]}",
       "kubeconfig: current-context: no context \"z\"; available: \"a\""},
      {"UnknownCluster", "{current-context: a, clusters: [{name: k}], contexts: [{name: a, context: {cluster: q}}]}",
       "kubeconfig: contexts[0] \"a\": cluster: no cluster \"q\"; available: \"k\""},
      {"ClusterMissing", "{current-context: a, contexts: [{name: a, context: {user: u}}]}",
       "kubeconfig: contexts[0] \"a\": cluster: missing"},
      {"UnknownUser",
       "{current-context: a, clusters: [{name: k}], contexts: [{name: a, context: {cluster: k, user: u}}]}",
       "kubeconfig: contexts[0] \"a\": user: no user \"u\"; none available"},
  };
}

INSTANTIATE_TEST_SUITE_P(All, KubeconfigMistakeTest, ::testing::ValuesIn(Mistakes()),
                         [](const auto& mistake) { return mistake.param.name; });

TEST(KubeconfigTest, AMistakeInAnUnusedEntryIsStillNamed) {
  EXPECT_THAT(ErrorOf(WithLines(kServer) + "extra: 1\n" + "", "nope"), StartsWith("kubeconfig: no context \"nope\""));
  const std::string text =
      "{current-context: c, clusters: [{name: k, cluster: {server: 'https://h'}}],"
      " contexts: [{name: c, context: {cluster: k}}], users: [{name: u, user: {client-key-data: '*'}}]}";
  EXPECT_THAT(ErrorOf(text), HasSubstr("users[0] \"u\": client-key-data: not valid base64"));
}

TEST(KubeconfigTest, AnUnusedUserMayHaveWhatWeDoNotSupport) {
  const std::string text =
      "{current-context: c, clusters: [{name: k, cluster: {server: 'https://h'}}],"
      " contexts: [{name: c, context: {cluster: k}}], users: [{name: u, user: {auth-provider: {name: gcp}}}]}";
  EXPECT_TRUE(Resolve(text).ok());
}

TEST(KubeconfigTest, AnEncryptedKeyIsNamedAndNobodyIsAsked) {
  const auto client = Ca().IssueClient({.common_name = "dev"});
  const std::string encrypted =
      "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,"
      "00112233445566778899AABBCCDDEEFF\n\nAAAAAAAAAAAAAAAAAAAAAA==\n-----END EC PRIVATE KEY-----\n";
  EXPECT_THAT(ErrorOf(WithLines(kServer, "client-certificate-data: " + EncodeBase64(client.cert_pem) +
                                             "\nclient-key-data: " + EncodeBase64(encrypted))),
              HasSubstr("client-key-data: the key: encrypted with a passphrase"));
}

TEST(KubeconfigMergeTest, TheFirstEntryOfANameCountsAsAWhole) {
  auto first = ParseKubeconfig(
      "{clusters: [{name: red, cluster: {server: 'https://first'}}], users: [{name: u, user: {username: one}}]}", "A",
      "/a");
  auto second = ParseKubeconfig(
      "{current-context: c2, clusters: [{name: red, cluster: {server: 'https://second', tls-server-name: x}},"
      " {name: blue}], users: [{name: u, user: {password: two}}], contexts: [{name: c2, context: {cluster: red}}]}",
      "B", "/b");
  auto third = ParseKubeconfig("{current-context: c3}", "C", "/c");
  ASSERT_TRUE(first.ok() && second.ok() && third.ok());
  Kubeconfig merged;
  MergeKubeconfig(merged, *first);
  MergeKubeconfig(merged, *second);
  MergeKubeconfig(merged, *third);
  EXPECT_EQ(merged.current_context, "c2");
  ASSERT_EQ(merged.clusters.size(), 2U);
  EXPECT_EQ(merged.clusters[0].server, "https://first");
  EXPECT_EQ(merged.clusters[0].tls_server_name, "");
  ASSERT_EQ(merged.users.size(), 1U);
  EXPECT_EQ(merged.users[0].username, "one");
  EXPECT_TRUE(merged.users[0].password.empty());
  EXPECT_EQ(merged.contexts.size(), 1U);
}

}  // namespace
}  // namespace kinformer::internal
