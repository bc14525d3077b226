// Runs kinformer-apiserver as users do: its command line is a contract.

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/client/client.h>
#include <kinformer/config/config.h>
#include <kinformer/meta/status_error.h>
#include <kinformer/version.h>
#include <kinformer/views/core_v1.h>

#include "src/config/process.h"
#include "test/support/temp_dir.h"
#include "test/support/test_ca.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The running program. The destructor ends it.
class Program {
 public:
  Program(std::vector<std::string> arguments, const std::string& output) {
    arguments.insert(arguments.begin(), APISERVER);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    process_ = fork();
    if (process_ == 0) {
      (void)!freopen(output.c_str(), "w", stdout);
      execv(APISERVER, argv.data());
      _exit(127);
    }
  }
  ~Program() {
    if (process_ > 0) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  int End(int signal) {
    kill(process_, signal);
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t process_ = 0;
};

class ProgramTest : public ::testing::Test {
 protected:
  static internal::ProcessResult Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), APISERVER);
    auto result = internal::RunProcess({.path = APISERVER, .argv = arguments, .environment = {}, .timeout = 30s},
                                       *Clock::System(), {});
    EXPECT_TRUE(result.ok()) << ToString(result.error());
    return result ? *result : internal::ProcessResult{};
  }
  /// Waits up to ten seconds until the output contains `words`, then returns all of it.
  std::string AwaitOutput(const std::string& words) const {
    for (int i = 0; i < 1000; ++i) {
      std::ifstream file(output_);
      std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
      if (text.find(words) != std::string::npos) return text;
      std::this_thread::sleep_for(10ms);  // polls: another process writes the file
    }
    return "nothing with " + words;
  }
  Client Connect() const {
    const auto config = Config::Load({.kubeconfig = kubeconfig_});
    EXPECT_TRUE(config.ok()) << ToString(config.error());
    return Client::Create(*config).value();
  }

  testing_support::TempDir dir_;
  const std::string kubeconfig_ = (dir_.path() / "kubeconfig").string();
  const std::string output_ = (dir_.path() / "output").string();
};

TEST_F(ProgramTest, PrintsItsUrlAndServesWhoeverHasTheKubeconfig) {
  Program program({"--kubeconfig-out", kubeconfig_}, output_);
  const std::string printed = AwaitOutput("kubeconfig: ");
  EXPECT_THAT(printed, HasSubstr("serving on https://127.0.0.1:"));
  EXPECT_THAT(printed, HasSubstr("kubeconfig: " + kubeconfig_));
  struct stat status {};
  ASSERT_EQ(::stat(kubeconfig_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_TRUE(Connect().For<core::v1::Namespace>().Get({"", "default"}).ok());
  const auto config = Config::Load({.kubeconfig = kubeconfig_});
  EXPECT_THAT(printed, ::testing::Not(HasSubstr(config->token.Reveal()))) << "the token is in the file alone";
  EXPECT_EQ(program.End(SIGTERM), 0);
}

TEST_F(ProgramTest, SimulatesPods) {
  Program program({"--kubeconfig-out", kubeconfig_, "--simulate-pods", "30", "--simulate-rate", "200"}, output_);
  AwaitOutput("simulating 30 pods");
  const Client client = Connect();
  const auto pods = client.For<core::v1::Pod>().List();
  ASSERT_TRUE(pods.ok()) << ToString(pods.error());
  EXPECT_GE(pods->items.size(), 29U);
  EXPECT_FALSE(client.For<core::v1::Node>().List()->items.empty());
  auto watch = client.For<core::v1::Pod>().Watch({}, {.resource_version = pods->metadata.resource_version});
  ASSERT_TRUE(watch.ok());
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(watch->Next().ok()) << "they live";
  EXPECT_EQ(program.End(SIGINT), 0);
}

TEST_F(ProgramTest, FaultsComeFromTheCommandLine) {
  Program program({"--kubeconfig-out=" + kubeconfig_, "--fault=get:configmaps:nth=1=error,503"}, output_);
  AwaitOutput("kubeconfig: ");
  const Client client = Connect();
  EXPECT_EQ(client.For<core::v1::ConfigMap>().Get({"default", "a"}).error().http_status, 503);
  EXPECT_EQ(client.For<core::v1::ConfigMap>().Get({"default", "a"}).error().http_status, 404);
}

TEST_F(ProgramTest, AGivenTokenIsTheOneThatCounts) {
  Program program({"--kubeconfig-out", kubeconfig_, "--token", "sesame"}, output_);
  AwaitOutput("kubeconfig: ");
  auto config = Config::Load({.kubeconfig = kubeconfig_}).value();
  EXPECT_EQ(config.token.Reveal(), "sesame");
  config.token = Secret("wrong");
  const auto refused = Client::Create(config)->For<core::v1::Pod>().List();
  EXPECT_TRUE(IsUnauthorized(refused.error())) << ToString(refused.error());
}

TEST_F(ProgramTest, RulesComeFromAFileAndRequestsAreWrittenDown) {
  const std::string rules = (dir_.path() / "rules.yaml").string();
  const std::string audit = (dir_.path() / "audit.log").string();
  std::ofstream(rules) << "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: jane}\n"
                          "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}\nsubjects:\n"
                          "- {kind: User, apiGroup: rbac.authorization.k8s.io, name: jane}\n";
  Program program({"--kubeconfig-out", kubeconfig_, "--rbac", rules, "--audit-log", audit}, output_);
  AwaitOutput("kubeconfig: ");
  const Client client = Connect();
  const auto as_jane = [&](const std::string& target) {
    const auto response = client.Raw({.target = target, .headers = {{"Impersonate-User", "jane"}}});
    return response ? response->head.status : response.error().http_status;
  };
  EXPECT_EQ(as_jane("/api/v1/pods"), 200);
  EXPECT_EQ(as_jane("/api/v1/secrets"), 403);
  EXPECT_EQ(program.End(SIGTERM), 0);
  std::ifstream file(audit);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_THAT(text, HasSubstr(R"("impersonatedUser":{"username":"jane")"));
}

TEST_F(ProgramTest, KindsComeFromFiles) {
  const std::string good = (dir_.path() / "webs.yaml").string();
  const std::string definition =
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: webs.example.com}\n"
      "spec:\n  group: example.com\n  scope: Namespaced\n  names: {plural: webs, kind: Web}\n  versions:\n"
      "  - name: v1\n    served: true\n    storage: true\n"
      "    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object}}}}\n";
  std::ofstream(good) << definition;
  Program program({"--kubeconfig-out", kubeconfig_, "--crd", good}, output_);
  AwaitOutput("kubeconfig: ");
  const Client client = Connect();
  const auto webs = client.DynamicFor({"example.com", "v1", "Web"});
  ASSERT_TRUE(webs.ok()) << ToString(webs.error());
  EXPECT_TRUE(webs->List().ok());
  EXPECT_EQ(program.End(SIGTERM), 0);

  const std::string bad = (dir_.path() / "bad.yaml").string();
  std::ofstream(bad) << definition << "  conversion: {strategy: Webhook}\n";
  const auto refused = Run({"--kubeconfig-out", kubeconfig_, "--crd", bad});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr(bad));
  EXPECT_THAT(refused.err, HasSubstr("spec.conversion.strategy: Forbidden"));
  EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
}

TEST_F(ProgramTest, WhatCannotBeIsOneClearLineAndExitOne) {
  const testing_support::TestCa ca;
  const auto client = ca.IssueClient({.common_name = "a"});
  const std::string client_certificate = dir_.Write("client.crt", client.cert_pem);
  const std::string client_key = dir_.Write("client.key", client.key_pem);
  const std::string other_key = dir_.Write("other.key", ca.IssueClient({.common_name = "b"}).key_pem);
  for (const auto& [arguments, words] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--bind", "203.0.113.1"}, "203.0.113.1"},
           {{"--client-ca", "/nonexistent/ca.crt"}, "/nonexistent/ca.crt"},
           {{"--rbac", "/nonexistent/rules.yaml"}, "/nonexistent/rules.yaml"},
           {{"--crd", "/nonexistent/webs.yaml"}, "/nonexistent/webs.yaml"},
           {{"--audit-log", "/nonexistent/audit.log"}, "/nonexistent/audit.log"},
           {{"--kubeconfig-out", "/nonexistent/folder/kubeconfig"}, "/nonexistent/folder"},
           {{"--etcd", "http://127.0.0.1:1", "--kubeconfig-out", kubeconfig_}, "127.0.0.1:1"},
           {{"--etcd", "https://127.0.0.1:1", "--etcd-cafile", "/nonexistent/ca.crt"},
            "--etcd-cafile: cannot read /nonexistent/ca.crt: No such file or directory"},
           {{"--etcd", "https://127.0.0.1:1", "--etcd-certfile", client_certificate, "--etcd-keyfile",
             "/nonexistent/client.key"},
            "--etcd-keyfile: cannot read /nonexistent/client.key: No such file or directory"},
           {{"--etcd", "https://127.0.0.1:1", "--etcd-cafile", client_key}, "--etcd-cafile): no PEM certificate in it"},
           {{"--etcd", "https://127.0.0.1:1", "--etcd-certfile", client_certificate, "--etcd-keyfile", other_key},
            "the private key does not belong to the certificate"},
           {{"--etcd", "http://127.0.0.1:1", "--etcd-cafile", client_certificate},
            "etcd endpoint http://127.0.0.1:1: must be https://"}}) {
    const auto result = Run(arguments);
    EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
    EXPECT_THAT(result.err, HasSubstr(words));
    EXPECT_THAT(result.err, ::testing::Not(HasSubstr("PRIVATE KEY")));
  }
}

TEST_F(ProgramTest, WrongUsageExitsWithTwo) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--nonsense"},
                                             {"--port", "70000"},
                                             {"--port"},
                                             {"--simulate-rate", "5"},
                                             {"--simulate-pods", "many"},
                                             {"--fault", "nonsense"},
                                             {"--etcd", ","},
                                             {"--etcd-cafile", "ca.crt"},
                                             {"--etcd", "https://a", "--etcd-certfile", "a.crt"},
                                             {"--etcd", "https://a", "--etcd-keyfile", "a.key"},
                                             {"--crd"}}) {
    const auto result = Run(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments[0] << result.err;
    EXPECT_THAT(result.err, HasSubstr("kinformer-apiserver: "));
  }
  const auto help = Run({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* flag : {"--simulate-pods", "--etcd-cafile", "--etcd-certfile", "--etcd-keyfile"}) {
    EXPECT_THAT(help.out, HasSubstr(flag));
  }
  EXPECT_THAT(help.err, IsEmpty());
}

TEST_F(ProgramTest, ItTellsItsVersion) {
  const auto version = Run({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.out, "kinformer-apiserver " + std::string(kVersion) + "\n");
  EXPECT_THAT(version.err, IsEmpty());
}

}  // namespace
}  // namespace kinformer
