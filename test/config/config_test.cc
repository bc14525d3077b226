#include <kinformer/config/config.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <type_traits>

#include "test/support/temp_dir.h"
#include "test/support/test_ca.h"

namespace kinformer {
namespace {

using ::testing::HasSubstr;
using testing_support::TempDir;
using testing_support::TestCa;

std::string OneContext(const std::string& context, const std::string& server, const std::string& user = "{}") {
  return "{current-context: " + context + ", clusters: [{name: k-" + context + ", cluster: {server: '" + server +
         "'}}], users: [{name: u-" + context + ", user: " + user + "}], contexts: [{name: " + context +
         ", context: {cluster: k-" + context + ", user: u-" + context + "}}]}";
}

/// Load options that are independent of the machine the test runs on.
LoadOptions Isolated(const TempDir& dir, std::map<std::string, std::string> environment = {}) {
  LoadOptions options;
  options.environment = [environment = std::move(environment)](const std::string& name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    if (found == environment.end()) return std::nullopt;
    return found->second;
  };
  options.home_directory = (dir.path() / "home").string();
  options.service_account_directory = (dir.path() / "sa").string();
  return options;
}

TEST(SecretTest, CanBeComparedAndRevealedButNotPrinted) {
  const Secret secret("hunter2");
  EXPECT_EQ(secret.Reveal(), "hunter2");
  EXPECT_TRUE(secret == Secret("hunter2"));
  static_assert(!std::is_convertible_v<Secret, std::string>);
  static_assert(!std::is_convertible_v<std::string, Secret>);
}

TEST(ConfigLoadTest, TheExplicitFileIsTheOnlyOne) {
  const TempDir dir;
  LoadOptions options = Isolated(dir, {{"KUBECONFIG", dir.Write("env", OneContext("env", "https://env"))}});
  options.kubeconfig = dir.Write("explicit", OneContext("mine", "https://mine"));
  const auto config = Config::Load(options);
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->server, "https://mine");

  options.context = "env";
  const auto missing = Config::Load(options);
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr("no context \"env\"; available: \"mine\""));
}

TEST(ConfigLoadTest, TheExplicitFileMustExist) {
  const TempDir dir;
  LoadOptions options = Isolated(dir);
  options.kubeconfig = "/does/not/exist";
  const auto config = Config::Load(options);
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.error().message, "/does/not/exist: No such file or directory");
  EXPECT_EQ(config.error().code, ErrorCode::kInvalidConfig);
  EXPECT_EQ(config.error().reason, "");
}

TEST(ConfigLoadTest, ADirectoryIsNotAFile) {
  const TempDir dir;
  LoadOptions options = Isolated(dir);
  options.kubeconfig = dir.path().string();
  const auto config = Config::Load(options);
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.error().message, HasSubstr("Is a directory"));
}

TEST(ConfigLoadTest, AHugeFileIsRefused) {
  const TempDir dir;
  LoadOptions options = Isolated(dir);
  options.kubeconfig = dir.Write("huge", "");
  std::filesystem::resize_file(options.kubeconfig, (std::size_t{16} << 20) + 1);
  const auto config = Config::Load(options);
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.error().message, HasSubstr("huge: larger than 16777216 bytes"));
}

TEST(ConfigLoadTest, TheFilesOfTheListAreMergedAndMissingOnesSkipped) {
  const TempDir dir;
  const std::string one = dir.Write("one", "{current-context: b, clusters: [], users: []}");
  const std::string two = dir.Write("two", OneContext("a", "https://a"));
  const std::string three = dir.Write("three", OneContext("b", "https://b"));
  const auto config =
      Config::Load(Isolated(dir, {{"KUBECONFIG", "/missing:" + one + "::" + two + ":" + three + ":" + two}}));
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->server, "https://b");
  EXPECT_EQ(config->cluster_origin, three + ": clusters[0] \"k-b\"");
}

TEST(ConfigLoadTest, AMistakeNamesTheFileOfTheListThatHasIt) {
  const TempDir dir;
  const std::string good = dir.Write("good", OneContext("a", "https://a"));
  const std::string bad = dir.Write("bad", "users: [{name: dev, user: {client-key-data: '%'}}]");
  const auto config = Config::Load(Isolated(dir, {{"KUBECONFIG", good + ":" + bad}}));
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.error().message, HasSubstr(bad + ": users[0] \"dev\": client-key-data: not valid base64"));
}

TEST(ConfigLoadTest, RelativePathsCountFromTheirOwnFile) {
  const TempDir dir;
  const TestCa ca;
  const auto client = ca.IssueClient({.common_name = "dev"});
  dir.Write("x/pki/ca.crt", ca.CertPem());
  dir.Write("y/c.crt", client.cert_pem);
  dir.Write("y/c.key", client.key_pem);
  dir.Write("y/tok", "t");
  const std::string x = dir.Write(
      "x/config", "{clusters: [{name: k, cluster: {server: 'https://h', certificate-authority: pki/ca.crt}}]}");
  const std::string y = dir.Write(
      "y/config",
      "{current-context: c, users: [{name: u, user: {client-certificate: ./c.crt, client-key: ../y/c.key, tokenFile: "
      "tok, exec: {command: ../bin/p, apiVersion: client.authentication.k8s.io/v1beta1}}}], contexts: [{name: c, "
      "context: {cluster: k, user: u}}]}");
  const auto config = Config::Load(Isolated(dir, {{"KUBECONFIG", x + ":" + y}}));
  ASSERT_TRUE(config.ok()) << config.error().message;
  const std::string root = dir.path().string();
  EXPECT_EQ(config->ca_file, root + "/x/pki/ca.crt");
  EXPECT_EQ(config->client_certificate_file, root + "/y/c.crt");
  EXPECT_EQ(config->client_key_file, root + "/y/c.key");
  EXPECT_EQ(config->token_file, root + "/y/tok");
  EXPECT_EQ(config->exec->command, root + "/bin/p");
}

TEST(ConfigLoadTest, TheHomeDirectoryIsTheDefault) {
  const TempDir dir;
  dir.Write("home/.kube/config", OneContext("a", "https://home"));
  const auto config = Config::Load(Isolated(dir));
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->server, "https://home");
}

TEST(ConfigLoadTest, NothingAnywhereNamesWhereWeLooked) {
  const TempDir dir;
  const auto config = Config::Load(Isolated(dir));
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.error().message,
              HasSubstr("no configuration found: " + dir.path().string() + "/home/.kube/config does not exist"));
  const auto listed = Config::Load(Isolated(dir, {{"KUBECONFIG", "/m1:/m2"}}));
  ASSERT_FALSE(listed.ok());
  EXPECT_THAT(listed.error().message, HasSubstr("/m1, /m2 do not exist"));
}

class InClusterTest : public ::testing::Test {
 protected:
  InClusterTest() {
    dir_.Write("sa/token", "tok\n");
    dir_.Write("sa/ca.crt", ca_.CertPem());
    dir_.Write("sa/namespace", "team\n");
  }
  LoadOptions Options(std::map<std::string, std::string> environment = {}) const {
    environment.emplace("KUBERNETES_SERVICE_HOST", "10.0.0.1");
    environment.emplace("KUBERNETES_SERVICE_PORT", "443");
    return Isolated(dir_, std::move(environment));
  }

  TempDir dir_;
  TestCa ca_;
};

TEST_F(InClusterTest, TheServiceAccountIsUsedWhereNoKubeconfigApplies) {
  for (const std::string& list : {std::string(), std::string("/missing"), dir_.Write("empty", "")}) {
    const auto config = Config::Load(Options({{"KUBECONFIG", list}}));
    ASSERT_TRUE(config.ok()) << config.error().message;
    EXPECT_EQ(config->server, "https://10.0.0.1:443");
    EXPECT_EQ(config->token_file, dir_.path().string() + "/sa/token");
    EXPECT_EQ(config->ca_file, dir_.path().string() + "/sa/ca.crt");
    EXPECT_EQ(config->namespace_name, "team");
  }
}

TEST_F(InClusterTest, AKubeconfigIsPreferred) {
  dir_.Write("home/.kube/config", OneContext("a", "https://home"));
  const auto config = Config::Load(Options());
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->server, "https://home");
}

TEST_F(InClusterTest, AWantedContextIsNotReplacedByThePod) {
  LoadOptions options = Options();
  options.context = "prod";
  const auto config = Config::Load(options);
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.error().message, HasSubstr("wanted: context \"prod\""));
}

TEST_F(InClusterTest, Ipv6AndTheDownwardNamespace) {
  const auto config =
      Config::InCluster(Options({{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"POD_NAMESPACE", "from-env"}}));
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->server, "https://[fd00::1]:443");
  EXPECT_EQ(config->namespace_name, "from-env");
}

TEST_F(InClusterTest, WithoutACaTheSystemsRootsAreTrusted) {
  std::filesystem::remove(dir_.path() / "sa/ca.crt");
  const auto config = Config::InCluster(Options());
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->ca_file, "");
}

TEST_F(InClusterTest, BadFilesAreNamed) {
  dir_.Write("sa/ca.crt", "rubbish");
  const auto bad_ca = Config::InCluster(Options());
  ASSERT_FALSE(bad_ca.ok());
  EXPECT_THAT(bad_ca.error().message, HasSubstr("/sa/ca.crt: contains no PEM certificate"));
  dir_.Write("sa/ca.crt", ca_.CertPem());
  dir_.Write("sa/token", " \n");
  const auto empty_token = Config::InCluster(Options());
  ASSERT_FALSE(empty_token.ok());
  EXPECT_THAT(empty_token.error().message, HasSubstr("/sa/token: is empty"));
}

TEST_F(InClusterTest, OutsideOfAClusterItSaysSo) {
  const auto config = Config::InCluster(Isolated(dir_));
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.error().code, ErrorCode::kFailedPrecondition);
}

TEST(ConfigValidateTest, HandMadeConfigurationsAreCheckedToo) {
  EXPECT_EQ(Config{}.Validate().error().message, "configuration: server: missing");
  Config config;
  config.server = "https://h";
  EXPECT_TRUE(config.Validate().ok());
  config.username = "a:b";
  EXPECT_THAT(config.Validate().error().message, HasSubstr("username: contains a colon"));
}

}  // namespace
}  // namespace kinformer
