#include "src/config/exec_plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include <kinformer/meta/time.h>

#include "test/support/temp_dir.h"
#include "test/support/test_ca.h"

namespace kinformer::internal {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using testing_support::ScopedEnv;
using testing_support::TempDir;
using testing_support::TestCa;

constexpr const char* kExecV1 = "client.authentication.k8s.io/v1";
constexpr const char* kV1beta1 = "client.authentication.k8s.io/v1beta1";

std::string Output(const json& status, const std::string& version = kExecV1) {
  return json{{"kind", "ExecCredential"}, {"apiVersion", version}, {"status", status}}.dump();
}

std::string ParseError(const std::string& output) {
  const auto credential = ParseExecCredential(output, kExecV1);
  EXPECT_FALSE(credential.ok()) << output;
  return credential ? "" : credential.error().message;
}

TEST(ExecCredentialTest, ATokenWithItsExpiry) {
  const auto credential =
      ParseExecCredential(Output({{"token", "t"}, {"expirationTimestamp", "2026-01-01T01:00:00+01:00"}}), kExecV1);
  ASSERT_TRUE(credential.ok()) << credential.error().message;
  EXPECT_EQ(credential->token, "t");
  EXPECT_EQ(credential->expiry, ParseTimestamp("2026-01-01T00:00:00Z"));
}

TEST(ExecCredentialTest, ACertificateExpiresAtItsOwnEndAtTheLatest) {
  const TestCa ca;
  const auto client = ca.IssueClient({.common_name = "x"});
  const json status = {{"clientCertificateData", client.cert_pem},
                       {"clientKeyData", client.key_pem},
                       {"expirationTimestamp", "2200-01-01T00:00:00Z"}};
  const auto credential = ParseExecCredential(Output(status, kV1beta1), kV1beta1);
  ASSERT_TRUE(credential.ok()) << credential.error().message;
  EXPECT_EQ(credential->certificate_pem, client.cert_pem);
  EXPECT_EQ(credential->key_pem, client.key_pem);
  EXPECT_LT(*credential->expiry, std::chrono::system_clock::now() + std::chrono::hours(25));
}

TEST(ExecCredentialTest, MistakesOfThePluginAreNamed) {
  const TestCa ca;
  const auto client = ca.IssueClient({.common_name = "x"});
  const auto other = ca.IssueClient({.common_name = "x"});
  EXPECT_THAT(ParseError(""), HasSubstr("not valid JSON"));
  EXPECT_THAT(ParseError("{\"token\": \"hunter2"), Not(HasSubstr("hunter2")));
  EXPECT_THAT(ParseError("[]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(ParseError(std::string(100, '[')), HasSubstr("nested too deeply"));
  EXPECT_THAT(ParseError("{}"), HasSubstr("kind: expected ExecCredential"));
  EXPECT_THAT(ParseError(Output({{"token", "t"}}, kV1beta1)),
              HasSubstr("configured is client.authentication.k8s.io/v1, the plugin returned "
                        "\"client.authentication.k8s.io/v1beta1\""));
  EXPECT_THAT(ParseError(Output(nullptr)), HasSubstr("no status"));
  EXPECT_THAT(ParseError(Output(json::object())), HasSubstr("neither a token nor a certificate and key"));
  EXPECT_THAT(ParseError(Output({{"token", 5}})), HasSubstr("status.token: expected a string"));
  EXPECT_THAT(ParseError(Output({{"token", "a\nb"}})), HasSubstr("status.token: contains a line break"));
  EXPECT_THAT(ParseError(Output({{"token", "t"}, {"expirationTimestamp", "soon"}})), HasSubstr("RFC 3339"));
  EXPECT_THAT(ParseError(Output({{"clientCertificateData", client.cert_pem}})), HasSubstr("without a key"));
  EXPECT_THAT(ParseError(Output({{"clientKeyData", client.key_pem}})), HasSubstr("without a certificate"));
  EXPECT_THAT(ParseError(Output({{"clientCertificateData", client.cert_pem}, {"clientKeyData", other.key_pem}})),
              HasSubstr("the key does not belong to the certificate"));
}

TEST(ExecCredentialTest, TheExpiryIsAnRfc3339TimeAsInOtherApiObjects) {
  const auto expiry = [](const char* text) {
    return ParseExecCredential(Output({{"token", "t"}, {"expirationTimestamp", text}}), kExecV1);
  };
  EXPECT_EQ(expiry("2026-06-01T12:00:00.5-02:30")->expiry, ParseTimestamp("2026-06-01T14:30:00.5Z"));
  // As for client-go, which parses it like any other time: no lower case, no leap second, no date that does not exist.
  for (const char* text : {"2026-01-01", "2026-01-01T00:00:00", "9999-01-01T00:00:00Z", "2026-01-01t00:00:00z",
                           "2026-12-31T23:59:60Z", "2026-02-30T00:00:00Z"}) {
    EXPECT_THAT(ParseError(Output({{"token", "t"}, {"expirationTimestamp", text}})), HasSubstr("RFC 3339")) << text;
  }
}

TEST(ExecInfoTest, TheClusterIsToldOnlyOnRequest) {
  Config config;
  config.server = "https://h";
  config.tls_server_name = "inner";
  config.proxy_url = Secret("http://p");
  config.exec = ExecConfig{};
  config.exec->cluster_config = Secret(R"({"audience":"x"})");
  EXPECT_EQ(json::parse(MakeExecInfo(config, "PEM")),
            (json{{"kind", "ExecCredential"}, {"apiVersion", kExecV1}, {"spec", {{"interactive", false}}}}));
  config.exec->provide_cluster_info = true;
  EXPECT_EQ(json::parse(MakeExecInfo(config, "PEM"))["spec"]["cluster"], (json{{"server", "https://h"},
                                                                               {"tls-server-name", "inner"},
                                                                               {"certificate-authority-data", "UEVN"},
                                                                               {"proxy-url", "http://p"},
                                                                               {"config", {{"audience", "x"}}}}));
}

class ExecPluginTest : public ::testing::Test {
 protected:
  Config WithScript(const std::string& script) const {
    Config config;
    config.server = "https://h";
    config.user_origin = "F: users[0] \"dev\"";
    config.exec = ExecConfig{};
    config.exec->command = dir_.Write("plugin", "#!/bin/sh\n" + script, 0700);
    return config;
  }
  static Result<ExecCredential> RunPlugin(const Config& config) {
    return RunExecPlugin(config, "", *Clock::System(), std::stop_token());
  }
  static std::string ErrorOf(const Config& config) {
    const auto credential = RunPlugin(config);
    EXPECT_FALSE(credential.ok());
    return credential ? "" : credential.error().message;
  }

  TempDir dir_;
};

TEST_F(ExecPluginTest, ArgumentsAndEnvironmentReachIt) {
  const ScopedEnv inherited("KINFORMER_TEST_INHERITED", "parent");
  const ScopedEnv overridden("KINFORMER_TEST_OVERRIDDEN", "parent");
  const std::string seen = dir_.path().string() + "/seen";
  Config config = WithScript(
      "{ printf '%s|' \"$@\"; echo $KINFORMER_TEST_INHERITED $KINFORMER_TEST_OVERRIDDEN;"
      " echo \"$KUBERNETES_EXEC_INFO\"; } > " +
      seen + "\ncat <<E\n" + Output({{"token", "t"}}) + "\nE\n");
  config.exec->args = {"a b", "$HOME"};
  config.exec->env = {{"KINFORMER_TEST_OVERRIDDEN", Secret("mine")}};
  const auto credential = RunPlugin(config);
  ASSERT_TRUE(credential.ok()) << credential.error().message;
  EXPECT_EQ(credential->token, "t");
  std::ifstream file(seen);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "a b|$HOME|parent mine");
  std::getline(file, line);
  EXPECT_EQ(json::parse(line)["spec"]["interactive"], false);
}

TEST_F(ExecPluginTest, ABareNameIsFoundInPath) {
  Config config = WithScript("cat <<E\n" + Output({{"token", "t"}}) + "\nE\n");
  config.exec->command = "plugin";
  const ScopedEnv path("PATH", dir_.path().string() + ":/usr/bin:/bin");
  const auto credential = RunPlugin(config);
  ASSERT_TRUE(credential.ok()) << credential.error().message;
}

TEST_F(ExecPluginTest, AMissingOneShowsTheInstallHint) {
  Config config = WithScript("");
  config.exec->command = "no-such-plugin";
  config.exec->install_hint = "Install it with\n  \x1b[1mcloud\x1b[0m install plugin";
  EXPECT_EQ(
      ErrorOf(config),
      "F: users[0] \"dev\": exec plugin \"no-such-plugin\": not found in PATH; Install it with cloud install plugin");
  config.exec->command = "/no/such/plugin";
  EXPECT_THAT(ErrorOf(config), HasSubstr("exec plugin \"/no/such/plugin\": not found; Install it"));
}

TEST_F(ExecPluginTest, OneThatIsNotExecutableSaysSo) {
  Config config = WithScript("");
  config.exec->command = dir_.Write("data", "x", 0600);
  EXPECT_THAT(ErrorOf(config), HasSubstr("cannot be run: Permission denied"));
}

TEST_F(ExecPluginTest, AFailureShowsTheEndOfWhatItSaid) {
  EXPECT_THAT(ErrorOf(WithScript("echo first >&2; printf '\\033[31mlogin expired\\033[0m\\n' >&2; exit 7")),
              HasSubstr("failed with exit code 7: first login expired"));
  EXPECT_THAT(ErrorOf(WithScript("kill -9 $$")), HasSubstr("ended by signal 9"));
  EXPECT_THAT(ErrorOf(WithScript("exit 1")), ::testing::EndsWith("failed with exit code 1"));
}

TEST_F(ExecPluginTest, WhatItWasToldInConfidenceIsNotRepeated) {
  Config config = WithScript("echo \"bad $SECRET_VALUE for $1 $2 $3\" >&2; exit 1");
  config.exec->env = {{"SECRET_VALUE", Secret("hunter2")}};
  config.exec->args = {"--client-secret=hunter3", "--token", "hunter4"};
  const std::string error = ErrorOf(config);
  EXPECT_THAT(error, Not(HasSubstr("hunter")));
  EXPECT_THAT(error, HasSubstr("bad [redacted] for --client-secret=[redacted] --token [redacted]"));
}

TEST_F(ExecPluginTest, EndlessOutputIsCutOff) { EXPECT_THAT(ErrorOf(WithScript("yes")), HasSubstr("wrote more than")); }

}  // namespace
}  // namespace kinformer::internal
