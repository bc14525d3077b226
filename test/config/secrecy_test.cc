#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kinformer/base/fake_clock.h>
#include <kinformer/config/config.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "src/base/base64.h"
#include "src/config/credentials.h"
#include "src/config/text.h"
#include "test/support/temp_dir.h"
#include "test/support/test_ca.h"

namespace kinformer::internal {
namespace {

using namespace std::chrono_literals;
using testing_support::TempDir;
using testing_support::TestCa;

/// Contained in every secret of these tests, plain or base64-encoded as the secret is.
constexpr const char* kMark = "hunter2";

void ExpectNoSecret(const std::string& text, const std::string& about) {
  EXPECT_EQ(text.find(kMark), std::string::npos) << about << ": " << text;
  EXPECT_EQ(text.find(EncodeBase64(kMark).substr(0, 8)), std::string::npos) << about << ": " << text;
}

/// Fields of a working kubeconfig, with a recognizable secret in each one that can hold a secret. Tests break one field
/// at a time.
std::map<std::string, std::string> SecretFields() {
  return {
      {"token", "hunter2-token"},
      {"password", "hunter2-password"},
      {"client-key-data", EncodeBase64("hunter2-key hunter2-key")},
      {"client-certificate-data", EncodeBase64("hunter2-cert")},
      {"auth-provider", "{name: oidc, config: {id-token: hunter2-id, refresh-token: hunter2-refresh}}"},
      {"exec",
       "{command: /no/such, args: [--secret, hunter2-arg], env: [{name: A, value: hunter2-env}], apiVersion: "
       "client.authentication.k8s.io/v1, interactiveMode: Never}"},
  };
}

TEST(SecrecyTest, NoMistakeInAKubeconfigBringsASecretIntoTheError) {
  const std::vector<std::function<std::string(const std::string&)>> breakages = {
      [](const std::string& value) { return value; },
      [](const std::string& value) { return "[" + value + "]"; },
      [](const std::string& value) { return "{x: " + value + "}"; },
      [](const std::string& value) { return "\"" + value; },
      [](const std::string& value) { return "*" + value; },
      [](const std::string& value) { return "&" + value + " &" + value; },
      [](const std::string& value) { return "!<" + value; },
      [](const std::string& value) { return "\"" + value + "\\q\""; },
      [](const std::string& value) { return "\"" + value + "\\n\""; },
      [](const std::string& value) { return value + ": " + value + ": x"; },
      [](const std::string& value) { return "|\n" + value; },
      [](const std::string& value) { return "@" + value; },
      [](const std::string& value) { return "%" + value + "%"; },
      [](const std::string& value) { return "{" + value; },
  };
  int errors = 0;
  for (const auto& [field, value] : SecretFields()) {
    for (std::size_t i = 0; i < breakages.size(); ++i) {
      for (const char* more : {"", "username: u", "token: other", "token: hunter2-twice", "client-key: /no/such"}) {
        const std::string text =
            "current-context: c\nclusters:\n- name: k\n  cluster: {server: 'https://h'}\n"
            "contexts:\n- name: c\n  context: {cluster: k, user: u}\nusers:\n- name: u\n  user:\n    " +
            field + ": " + breakages[i](value) + "\n    " + more + "\n";
        const auto config = Config::FromKubeconfigText(text);
        if (config) continue;
        ++errors;
        ExpectNoSecret(ToString(config.error()), field + " broken in way " + std::to_string(i));
      }
    }
  }
  EXPECT_GT(errors, 200);
}

TEST(SecrecyTest, NoUrlBringsItsPasswordIntoTheError) {
  int errors = 0;
  for (const char* url : {"https://u:hunter2@h", "ftp://u:hunter2@h", "u:hunter2@h", "https://u:hunter2@",
                          "https://hunter2 x", "https://h:hunter2", "hunter2://h", "https://u:hunter2@[::1"}) {
    for (const char* field : {"server", "proxy-url"}) {
      Config config;
      config.server = "https://h";
      (std::string(field) == "server" ? config.server = url : (config.proxy_url = Secret(url), config.server));
      const auto valid = config.Validate();
      if (valid.ok()) continue;
      ++errors;
      ExpectNoSecret(ToString(valid.error()), std::string(field) + " " + url);
    }
  }
  EXPECT_GE(errors, 14);
}

TEST(SecrecyTest, NoBrokenRotationBringsASecretIntoErrorOrLog) {
  const TempDir dir;
  const TestCa ca;
  const auto clock = std::make_shared<FakeClock>();
  std::vector<std::string> log;
  const Logger logger(
      [&](const LogRecord& record) {
        std::string line(record.message);
        for (const LogField& field : record.fields) line += " " + field.value;
        log.push_back(line);
      },
      LogLevel::kDebug);

  const auto pair = ca.IssueClient({.common_name = "x"});
  Config files;
  files.server = "https://h";
  files.token_file = dir.Write("tok", "hunter2-token");
  files.ca_file = dir.Write("ca", ca.CertPem());
  files.client_certificate_file = dir.Write("crt", pair.cert_pem);
  files.client_key_file = dir.Write("key", pair.key_pem);
  auto credentials = Credentials::Create(files, clock, logger);
  ASSERT_TRUE(credentials.ok());
  ASSERT_TRUE((*credentials)->Current({}).ok());
  for (const char* content : {"hunter2\nhunter2", "hunter2\x01", "-----BEGIN CERTIFICATE-----\nhunter2",
                              "-----BEGIN PRIVATE KEY-----\nhunter2hunter2\n-----END PRIVATE KEY-----\n"}) {
    for (const char* file : {"tok", "ca", "crt", "key"}) dir.Write(file, content);
    clock->Advance(10min);
    EXPECT_TRUE((*credentials)->Current({}).ok());
  }
  EXPECT_GE(log.size(), 3U);
  auto fresh = Credentials::Create(files, clock, logger);
  ASSERT_TRUE(fresh.ok());
  const auto failed = (*fresh)->Current({});
  ASSERT_FALSE(failed.ok());
  ExpectNoSecret(ToString(failed.error()), "files");

  Config exec;
  exec.server = "https://h";
  exec.exec = ExecConfig{};
  exec.exec->args = {"--password=hunter2", "--token", "hunter2"};
  exec.exec->env = {{"SECRET", Secret("hunter2-env")}};
  const std::vector<std::string> scripts = {
      "echo hunter2-env >&2; exit 1",
      "echo \"$*\" >&2; exit 1",
      "echo '{\"kind\":\"ExecCredential\",\"status\":{\"token\":\"hunter2\"}}'",
      "echo '{\"kind\":\"ExecCredential\",\"status\":{\"token\":\"hunter2'",
      "echo hunter2",
      "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\","
      "\"status\":{\"clientKeyData\":\"hunter2\"}}'",
      "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\","
      "\"status\":{\"clientCertificateData\":\"hunter2\",\"clientKeyData\":\"hunter2\"}}'",
      "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\","
      "\"status\":{\"token\":\"hunter2\\nhunter2\"}}'",
      "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\","
      "\"status\":{\"token\":\"hunter2\",\"expirationTimestamp\":\"hunter2\"}}'",
  };
  for (const std::string& script : scripts) {
    exec.exec->command = dir.Write("plugin", "#!/bin/sh\n" + script + "\n", 0700);
    auto plugin = Credentials::Create(exec, clock, logger);
    ASSERT_TRUE(plugin.ok());
    const auto current = (*plugin)->Current({});
    ASSERT_FALSE(current.ok()) << script;
    ExpectNoSecret(ToString(current.error()), script);
  }
  for (const std::string& line : log) ExpectNoSecret(line, "log");
}

}  // namespace
}  // namespace kinformer::internal
