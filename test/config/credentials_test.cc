#include "src/config/credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kinformer/base/fake_clock.h>
#include <sys/wait.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "test/support/leak_check.h"
#include "test/support/temp_dir.h"
#include "test/support/test_ca.h"

namespace kinformer::internal {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using testing_support::TempDir;
using testing_support::TestCa;

constexpr const char* kV1 = "client.authentication.k8s.io/v1";

class CredentialsTest : public ::testing::Test {
 protected:
  std::unique_ptr<Credentials> Make(Config config) {
    if (config.server.empty()) config.server = "https://h";
    auto made = Credentials::Create(std::move(config), clock_, logger_);
    EXPECT_TRUE(made.ok()) << made.error().message;
    return made ? *std::move(made) : nullptr;
  }

  static Credentials::Snapshot Get(Credentials& credentials) {
    auto snapshot = credentials.Current({});
    EXPECT_TRUE(snapshot.ok()) << snapshot.error().message;
    return snapshot ? *std::move(snapshot) : Credentials::Snapshot{};
  }

  static std::string Authorization(const Credentials::Snapshot& snapshot) {
    for (const auto& [name, value] : snapshot.headers) {
      if (name == "Authorization") return value;
    }
    return "";
  }
  static std::string Authorization(Credentials& credentials) { return Authorization(Get(credentials)); }

  std::vector<std::string> Logged() {
    const std::lock_guard lock(log_mutex_);
    return log_;
  }

  TempDir dir_;
  TestCa ca_;
  std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  std::mutex log_mutex_;
  std::vector<std::string> log_;
  Logger logger_{[this](const LogRecord& record) {
                   std::string line(record.message);
                   for (const LogField& field : record.fields) line += " " + field.value;
                   const std::lock_guard lock(log_mutex_);
                   log_.push_back(line);
                 },
                 LogLevel::kDebug};
};

TEST_F(CredentialsTest, AnInlineTokenIsABearerHeader) {
  const auto credentials = Make({.token = Secret("abc")});
  EXPECT_THAT(Get(*credentials).headers, ElementsAre(Pair("Authorization", "Bearer abc")));
  EXPECT_EQ(*Get(*credentials).tls, TlsMaterial{});
}

TEST_F(CredentialsTest, BasicAuthentication) {
  const auto credentials = Make({.username = "user", .password = Secret("pass")});
  EXPECT_EQ(Authorization(*credentials), "Basic dXNlcjpwYXNz");
}

TEST_F(CredentialsTest, ImpersonationHeaders) {
  Config config;
  config.impersonate = {.user = "jane", .uid = "7", .groups = {"a", "b"}, .extra = {{"acme.io/sc%pe", {"x", "y"}}}};
  EXPECT_THAT(Get(*Make(config)).headers, ElementsAre(Pair("Impersonate-User", "jane"), Pair("Impersonate-Uid", "7"),
                                                      Pair("Impersonate-Group", "a"), Pair("Impersonate-Group", "b"),
                                                      Pair("Impersonate-Extra-acme.io%2Fsc%25pe", "x"),
                                                      Pair("Impersonate-Extra-acme.io%2Fsc%25pe", "y")));
}

TEST_F(CredentialsTest, TlsMaterialHasWhatTheConfigurationSays) {
  const auto client = ca_.IssueClient({.common_name = "dev"});
  Config config;
  config.ca_data = ca_.CertPem();
  config.tls_server_name = "inner";
  config.client_certificate_data = client.cert_pem;
  config.client_key_file = dir_.Write("key", client.key_pem);
  const auto tls = Get(*Make(config)).tls;
  EXPECT_EQ(*tls, (TlsMaterial{.ca_pem = ca_.CertPem(),
                               .client_certificate_pem = client.cert_pem,
                               .client_key_pem = Secret(client.key_pem),
                               .server_name = "inner"}));
}

TEST_F(CredentialsTest, WhatIsAtHandNeedsNoThread) {
  const auto client = ca_.IssueClient({.common_name = "dev"});
  Config config;
  config.ca_data = ca_.CertPem();
  config.client_certificate_data = client.cert_pem;
  config.client_key_data = Secret(client.key_pem);
  const std::size_t threads = testing_support::ThreadCount();
  const auto credentials = Make(config);
  CredentialsWait wait;
  EXPECT_TRUE(credentials->TryCurrent(wait).has_value());
  const auto changed = credentials->TryRefresh(Get(*credentials), wait);
  ASSERT_TRUE(changed.has_value());
  EXPECT_FALSE(changed->value());
  EXPECT_EQ(testing_support::ThreadCount(), threads);
}

TEST_F(CredentialsTest, AContradictionIsRefusedAtOnce) {
  const auto made = Credentials::Create({.server = "https://h", .token = Secret("t"), .username = "u"}, clock_, {});
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message, HasSubstr("cannot be set together"));
}

// The token file.

TEST_F(CredentialsTest, ATokenFileIsReadAgainAfterFiftySeconds) {
  const auto credentials = Make({.token_file = dir_.Write("tok", " one\n")});
  const auto first = Get(*credentials);
  EXPECT_EQ(Authorization(first), "Bearer one");
  dir_.Write("tok", "two");
  clock_->Advance(49s);
  EXPECT_EQ(Authorization(*credentials), "Bearer one");
  clock_->Advance(1s);
  const auto second = Get(*credentials);
  EXPECT_EQ(Authorization(second), "Bearer two");
  EXPECT_GT(second.generation, first.generation);
  EXPECT_EQ(second.tls, first.tls);
}

TEST_F(CredentialsTest, ATokenFileIsReadAtOnceAfterARefusal) {
  const auto credentials = Make({.token_file = dir_.Write("tok", "one")});
  const auto first = Get(*credentials);
  const auto unchanged = credentials->Refresh(first, {});
  ASSERT_TRUE(unchanged.ok());
  EXPECT_FALSE(*unchanged);
  dir_.Write("tok", "two");
  const auto changed = credentials->Refresh(Get(*credentials), {});
  ASSERT_TRUE(changed.ok());
  EXPECT_TRUE(*changed);
  EXPECT_EQ(Authorization(*credentials), "Bearer two");
}

TEST_F(CredentialsTest, ABrokenTokenFileKeepsTheOldTokenAndIsLoggedOnce) {
  const std::string path = dir_.Write("tok", "one");
  const auto credentials = Make({.token_file = path});
  EXPECT_EQ(Authorization(*credentials), "Bearer one");
  dir_.Write("tok", "\n");
  for (int i = 0; i < 5; ++i) {
    clock_->Advance(60s);
    EXPECT_EQ(Authorization(*credentials), "Bearer one");
  }
  EXPECT_THAT(Logged(), ElementsAre(HasSubstr("cannot use the rotated token")));
  std::filesystem::remove(path);
  clock_->Advance(60s);
  EXPECT_EQ(Authorization(*credentials), "Bearer one");
  EXPECT_THAT(Logged(), SizeIs(2));
  dir_.Write("tok", "two");
  clock_->Advance(10s);
  EXPECT_EQ(Authorization(*credentials), "Bearer two");
  EXPECT_THAT(Logged(), ElementsAre(HasSubstr("is empty"), HasSubstr("No such file"), "rotated: token"));
}

TEST_F(CredentialsTest, AReadableFileCountsBeforeTheInlineToken) {
  const std::string path = dir_.path().string() + "/tok";
  const auto credentials = Make({.token = Secret("inline"), .token_file = path});
  EXPECT_EQ(Authorization(*credentials), "Bearer inline");
  dir_.Write("tok", "file");
  clock_->Advance(10s);
  EXPECT_EQ(Authorization(*credentials), "Bearer file");
}

TEST_F(CredentialsTest, WithoutAnyTokenAMissingFileIsAnErrorUntilItIsThere) {
  const std::string path = dir_.path().string() + "/tok";
  const auto credentials = Make({.token_file = path, .user_origin = "F: users[0] \"dev\""});
  const auto missing = credentials->Current({});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message, "F: users[0] \"dev\": tokenFile: " + path + ": No such file or directory");
  dir_.Write("tok", "one");
  EXPECT_EQ(Authorization(*credentials), "Bearer one");
}

TEST_F(CredentialsTest, APipeInPlaceOfATokenFileDoesNotHang) {
  const std::string path = dir_.path().string() + "/fifo";
  ASSERT_EQ(::system(("mkfifo " + path).c_str()), 0);
  const auto current = Make({.token_file = path})->Current({});
  ASSERT_FALSE(current.ok());
  EXPECT_THAT(current.error().message, HasSubstr("not a regular file"));
}

// Certificate, key and CA files.

class CertificateFilesTest : public CredentialsTest {
 protected:
  void WritePair(const testing_support::CertificateAndKey& pair) const {
    dir_.Write("crt", pair.cert_pem);
    dir_.Write("key", pair.key_pem);
  }
  Config FileConfig() const {
    Config config;
    config.ca_file = dir_.Write("ca", ca_.CertPem());
    WritePair(one_);
    config.client_certificate_file = dir_.path().string() + "/crt";
    config.client_key_file = dir_.path().string() + "/key";
    return config;
  }

  const testing_support::CertificateAndKey one_ = ca_.IssueClient({.common_name = "one"});
  const testing_support::CertificateAndKey two_ = ca_.IssueClient({.common_name = "two"});
};

TEST_F(CertificateFilesTest, ANewPairIsFoundWithinFiveMinutes) {
  const auto credentials = Make(FileConfig());
  const auto first = Get(*credentials);
  EXPECT_EQ(first.tls->client_certificate_pem, one_.cert_pem);
  clock_->Advance(5min);
  EXPECT_EQ(Get(*credentials).tls, first.tls) << "the same content is the same pointer";
  WritePair(two_);
  clock_->Advance(4min);
  EXPECT_EQ(Get(*credentials).tls, first.tls);
  clock_->Advance(1min);
  const auto second = Get(*credentials);
  EXPECT_EQ(second.tls->client_certificate_pem, two_.cert_pem);
  EXPECT_EQ(second.tls->client_key_pem.Reveal(), two_.key_pem);
  EXPECT_GT(second.generation, first.generation);
  EXPECT_THAT(Logged(), ElementsAre("rotated: client certificate"));
}

TEST_F(CertificateFilesTest, ANewPairIsFoundAtOnceAfterARefusal) {
  const auto credentials = Make(FileConfig());
  const auto first = Get(*credentials);
  WritePair(two_);
  EXPECT_TRUE(*credentials->Refresh(first, {}));
  EXPECT_EQ(Get(*credentials).tls->client_certificate_pem, two_.cert_pem);
}

TEST_F(CertificateFilesTest, HalfAPairKeepsTheOldOneUntilTheOtherHalfIsThere) {
  const auto credentials = Make(FileConfig());
  const auto first = Get(*credentials);
  dir_.Write("crt", two_.cert_pem);
  clock_->Advance(5min);
  EXPECT_EQ(Get(*credentials).tls, first.tls);
  EXPECT_THAT(Logged(), ElementsAre(HasSubstr("the key does not belong to the certificate")));
  dir_.Write("key", two_.key_pem);
  clock_->Advance(10s);
  EXPECT_EQ(Get(*credentials).tls->client_certificate_pem, two_.cert_pem);
}

TEST_F(CertificateFilesTest, EveryBrokenPairKeepsTheOldOne) {
  const auto credentials = Make(FileConfig());
  const auto first = Get(*credentials);
  // The fake clock starts at 2026-01-01, when this certificate has been expired for more than a year.
  const auto expired =
      ca_.IssueClient({.common_name = "x", .validity = {.not_before = -100000h, .not_after = -50000h}});
  const std::vector<testing_support::CertificateAndKey> broken = {
      {"", ""}, {one_.cert_pem, ""}, {"rubbish", one_.key_pem}, {one_.cert_pem, two_.key_pem}, expired};
  for (const auto& pair : broken) {
    WritePair(pair);
    clock_->Advance(5min);
    EXPECT_EQ(Get(*credentials).tls, first.tls);
  }
  std::filesystem::remove(dir_.path() / "crt");
  clock_->Advance(5min);
  EXPECT_EQ(Get(*credentials).tls, first.tls);
}

TEST_F(CertificateFilesTest, ARotatedCaIsUsedAndABrokenOneKeepsTheOld) {
  const auto credentials = Make(FileConfig());
  const auto first = Get(*credentials);
  EXPECT_EQ(first.tls->ca_pem, ca_.CertPem());
  for (const char* broken : {"", "rubbish", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"}) {
    dir_.Write("ca", broken);
    clock_->Advance(5min);
    EXPECT_EQ(Get(*credentials).tls, first.tls);
  }
  const TestCa next;
  dir_.Write("ca", ca_.CertPem() + next.CertPem());
  clock_->Advance(10s);
  const auto second = Get(*credentials);
  EXPECT_NE(second.tls, first.tls);
  EXPECT_EQ(second.tls->ca_pem, ca_.CertPem() + next.CertPem());
}

TEST_F(CertificateFilesTest, AMissingFileAtTheStartIsAnError) {
  Config config = FileConfig();
  config.ca_file = "/does/not/exist";
  config.cluster_origin = "F: clusters[0] \"prod\"";
  const auto current = Make(config)->Current({});
  ASSERT_FALSE(current.ok());
  EXPECT_EQ(current.error().message,
            "F: clusters[0] \"prod\": certificate-authority: /does/not/exist: No such file or directory");
}

// The exec plugin.

class ExecCredentialsTest : public CredentialsTest {
 protected:
  /// Each run appends a line to the file "runs", then executes the script.
  Config WithScript(const std::string& script) const {
    Config config;
    config.exec = ExecConfig{};
    config.exec->command =
        dir_.Write("plugin", "#!/bin/sh\ncd " + dir_.path().string() + "\necho run >> runs\n" + script, 0700);
    return config;
  }
  /// Prints the file "answer".
  Config WithAnswers() const { return WithScript("cat answer\n"); }
  void Answer(const std::string& status) const {
    dir_.Write("answer",
               "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" + std::string(kV1) + "\",\"status\":{" + status + "}}");
  }
  std::size_t Runs() const {
    std::ifstream file(dir_.path() / "runs");
    return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
  }
  void AwaitRuns(std::size_t count) const {
    while (Runs() < count) std::this_thread::yield();
  }
};

TEST_F(ExecCredentialsTest, TheResultIsCachedUntilItExpires) {
  Answer(R"("token":"one","expirationTimestamp":"2026-01-01T01:00:00Z")");
  const auto credentials = Make(WithAnswers());
  EXPECT_EQ(Authorization(*credentials), "Bearer one");
  clock_->Advance(59min);
  EXPECT_EQ(Authorization(*credentials), "Bearer one");
  EXPECT_EQ(Runs(), 1U);
  Answer(R"("token":"two","expirationTimestamp":"2026-01-01T02:00:00Z")");
  clock_->Advance(1min);
  EXPECT_EQ(Authorization(*credentials), "Bearer two");
  EXPECT_EQ(Runs(), 2U);
}

TEST_F(ExecCredentialsTest, WithoutAnExpiryItIsGoodUntilRefused) {
  Answer(R"("token":"one")");
  const auto credentials = Make(WithAnswers());
  const auto first = Get(*credentials);
  clock_->Advance(1000h);
  EXPECT_EQ(Authorization(*credentials), "Bearer one");
  EXPECT_EQ(Runs(), 1U);
  Answer(R"("token":"two")");
  const auto changed = credentials->Refresh(first, {});
  ASSERT_TRUE(changed.ok());
  EXPECT_TRUE(*changed);
  EXPECT_EQ(Authorization(*credentials), "Bearer two");
  EXPECT_EQ(Runs(), 2U);
  EXPECT_TRUE(*credentials->Refresh(first, {})) << "refused with the old one, which has been replaced since";
  EXPECT_EQ(Runs(), 2U);
}

TEST_F(ExecCredentialsTest, ARotatedCertificateMakesNewTlsMaterial) {
  const auto one = ca_.IssueClient({.common_name = "one"});
  const auto two = ca_.IssueClient({.common_name = "two"});
  const auto escape = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.replace(at, 1, "\\n");
    return text;
  };
  const auto answer = [&](const testing_support::CertificateAndKey& pair) {
    Answer("\"clientCertificateData\":\"" + escape(pair.cert_pem) + "\",\"clientKeyData\":\"" + escape(pair.key_pem) +
           "\"");
  };
  answer(one);
  const auto credentials = Make(WithAnswers());
  const auto first = Get(*credentials);
  EXPECT_EQ(first.tls->client_certificate_pem, one.cert_pem);
  EXPECT_EQ(first.tls->client_key_pem.Reveal(), one.key_pem);
  EXPECT_THAT(first.headers, IsEmpty());
  EXPECT_FALSE(*credentials->Refresh(first, {}));
  EXPECT_EQ(Get(*credentials).tls, first.tls);
  answer(two);
  EXPECT_TRUE(*credentials->Refresh(Get(*credentials), {}));
  EXPECT_EQ(Get(*credentials).tls->client_certificate_pem, two.cert_pem);
}

TEST_F(ExecCredentialsTest, AFailedRerunKeepsWhatHasNotExpired) {
  Answer(R"("token":"one","expirationTimestamp":"2026-01-01T01:00:00Z")");
  const auto credentials = Make(WithAnswers());
  const auto first = Get(*credentials);
  dir_.Write("answer", "rubbish");
  const auto refreshed = credentials->Refresh(first, {});
  ASSERT_FALSE(refreshed.ok());
  EXPECT_THAT(refreshed.error().message, HasSubstr("not valid JSON"));
  EXPECT_EQ(Authorization(*credentials), "Bearer one");
  const auto again = credentials->Refresh(first, {});
  ASSERT_FALSE(again.ok()) << "the same refusal again: no other run, the same answer";
  EXPECT_EQ(Runs(), 2U);
  EXPECT_THAT(Logged(), ElementsAre(HasSubstr("cannot use the rotated exec credential")));

  clock_->Advance(1h);
  const auto expired = credentials->Current({});
  ASSERT_FALSE(expired.ok());
  EXPECT_THAT(expired.error().message, HasSubstr("not valid JSON"));
  Answer(R"("token":"two")");
  EXPECT_EQ(Authorization(*credentials), "Bearer two");
}

TEST_F(ExecCredentialsTest, OneThatHandsOutExpiredCredentialsIsRunOncePerRequest) {
  Answer(R"("token":"old","expirationTimestamp":"2020-01-01T00:00:00Z")");
  const auto credentials = Make(WithAnswers());
  EXPECT_EQ(Authorization(*credentials), "Bearer old");
  EXPECT_EQ(Runs(), 1U);
  EXPECT_EQ(Authorization(*credentials), "Bearer old");
  EXPECT_EQ(Runs(), 2U);
}

TEST_F(ExecCredentialsTest, ItIsNotRunWhereOtherCredentialsAreConfigured) {
  Config config = WithScript("exit 1\n");
  config.token = Secret("static");
  const auto credentials = Make(config);
  EXPECT_EQ(Authorization(*credentials), "Bearer static");
  ASSERT_TRUE(credentials->Refresh(Get(*credentials), {}).ok());
  EXPECT_EQ(Runs(), 0U);
}

TEST_F(ExecCredentialsTest, FiftyCallersShareOneRun) {
  Answer(R"("token":"one")");
  // The plugin blocks until the test creates "go", so that all callers arrive while it is running.
  const auto credentials = Make(WithScript("while [ ! -e go ]; do sleep 0.01; done\ncat answer\n"));
  std::atomic<int> good{0};
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 50; ++i) {
      callers.emplace_back([&] {
        const auto snapshot = credentials->Current({});
        if (snapshot && Authorization(*snapshot) == "Bearer one") ++good;
      });
    }
    AwaitRuns(1);
    dir_.Write("go", "");
  }
  EXPECT_EQ(good, 50);
  EXPECT_EQ(Runs(), 1U);
}

TEST_F(ExecCredentialsTest, FiftyRefusalsCauseOneRunEvenIfNothingChanges) {
  Answer(R"("token":"one")");
  const auto credentials = Make(WithAnswers());
  const auto seen = Get(*credentials);
  for (const char* next : {"one", "two"}) {
    Answer("\"token\":\"" + std::string(next) + "\"");
    const auto refused = Get(*credentials);
    const std::size_t before = Runs();
    std::atomic<int> changed{0};
    {
      std::vector<std::jthread> callers;
      for (int i = 0; i < 50; ++i) {
        callers.emplace_back([&] {
          const auto result = credentials->Refresh(refused, {});
          if (result.ok() && *result) ++changed;
        });
      }
    }
    EXPECT_EQ(Runs(), before + 1);
    EXPECT_EQ(changed, std::string(next) == "two" ? 50 : 0);
  }
}

TEST_F(ExecCredentialsTest, AFailureReachesEveryCaller) {
  const auto credentials = Make(WithScript("while [ ! -e go ]; do sleep 0.01; done\nexit 4\n"));
  std::atomic<int> failed{0};
  {
    std::jthread leader([&] { failed += credentials->Current({}).ok() ? 0 : 1; });
    AwaitRuns(1);
    std::atomic<int> started{0};
    std::vector<std::jthread> callers;
    for (int i = 0; i < 10; ++i) {
      callers.emplace_back([&] {
        ++started;
        failed += credentials->Current({}).ok() ? 0 : 1;
      });
    }
    while (started < 10) std::this_thread::yield();
    dir_.Write("go", "");
  }
  EXPECT_EQ(failed, 11);
}

TEST_F(ExecCredentialsTest, WhileItRunsAgainTheOldCredentialsAreAtHand) {
  Answer(R"("token":"one")");
  const auto credentials = Make(WithScript("[ -e slow ] && while [ ! -e go ]; do sleep 0.01; done\ncat answer\n"));
  const auto first = Get(*credentials);
  dir_.Write("slow", "");
  std::jthread refresher([&] { EXPECT_TRUE(credentials->Refresh(first, {}).ok()); });
  AwaitRuns(2);
  EXPECT_EQ(Authorization(*credentials), "Bearer one");
  dir_.Write("go", "");
}

TEST_F(ExecCredentialsTest, AStoppedCallerLeavesAtOnceAndTheOthersGoOn) {
  Answer(R"("token":"one")");
  const auto credentials = Make(WithScript("while [ ! -e go ]; do sleep 0.01; done\ncat answer\n"));
  std::stop_source leader_stop;
  std::stop_source waiter_stop;
  ErrorCode leader_code{};
  ErrorCode waiter_code{};
  std::jthread leader([&] {
    const auto result = credentials->Current(leader_stop.get_token());
    if (!result) leader_code = result.error().code;
  });
  AwaitRuns(1);
  std::jthread waiter([&] {
    const auto result = credentials->Current(waiter_stop.get_token());
    if (!result) waiter_code = result.error().code;
  });
  std::string authorization;
  std::jthread patient([&] { authorization = Authorization(*credentials); });

  waiter_stop.request_stop();
  waiter.join();
  EXPECT_EQ(waiter_code, ErrorCode::kCancelled);
  leader_stop.request_stop();
  leader.join();
  EXPECT_EQ(leader_code, ErrorCode::kCancelled);
  // The run continues for the callers still waiting, and for later ones.
  dir_.Write("go", "");
  patient.join();
  EXPECT_EQ(authorization, "Bearer one");
  EXPECT_EQ(Runs(), 1U);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(ExecCredentialsTest, ACallerThatDoesNotBlockIsToldWhenTheyAreThere) {
  Answer(R"("token":"one","expirationTimestamp":"2026-01-01T01:00:00Z")");
  const auto credentials = Make(WithScript("while [ ! -e go ]; do sleep 0.01; done\ncat answer\n"));
  CredentialsWait wait;
  CredentialsWait replaced;
  CredentialsWait left;
  std::promise<std::thread::id> ready;
  EXPECT_FALSE(credentials->TryCurrent(wait).has_value());
  EXPECT_TRUE(wait.waiting());
  EXPECT_FALSE(credentials->TryCurrent(replaced).has_value());
  credentials->NotifyWhenReady(replaced, [] { ADD_FAILURE() << "it was replaced"; });
  credentials->NotifyWhenReady(replaced, nullptr);
  {
    CredentialsWait gone;
    EXPECT_FALSE(credentials->TryCurrent(gone).has_value());
    credentials->NotifyWhenReady(gone, [] { ADD_FAILURE() << "nothing waits for it"; });
  }
  credentials->NotifyWhenReady(wait, [&] { ready.set_value(std::this_thread::get_id()); });
  EXPECT_FALSE(credentials->TryCurrent(wait).has_value());
  AwaitRuns(1);
  dir_.Write("go", "");
  EXPECT_NE(ready.get_future().get(), std::this_thread::get_id());
  const auto current = credentials->TryCurrent(wait);
  ASSERT_TRUE(current.has_value());
  EXPECT_EQ(Authorization(**current), "Bearer one");
  EXPECT_FALSE(wait.waiting());
  EXPECT_TRUE(credentials->TryCurrent(replaced).has_value());
  // Cached credentials are returned immediately.
  EXPECT_TRUE(credentials->TryCurrent(left).has_value());
  int calls = 0;
  credentials->NotifyWhenReady(left, [&] { ++calls; });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(Runs(), 1U);
}

TEST_F(ExecCredentialsTest, ARefreshThatDoesNotBlockSaysWhetherTheyAreOthers) {
  Answer(R"("token":"one")");
  const auto credentials = Make(WithScript("[ -e slow ] && while [ ! -e go ]; do sleep 0.01; done\ncat answer\n"));
  const auto first = Get(*credentials);
  dir_.Write("slow", "");
  Answer(R"("token":"two")");
  CredentialsWait wait;
  std::promise<void> ready;
  EXPECT_FALSE(credentials->TryRefresh(first, wait).has_value());
  credentials->NotifyWhenReady(wait, [&] { ready.set_value(); });
  AwaitRuns(2);
  dir_.Write("go", "");
  ready.get_future().wait();
  const auto changed = credentials->TryRefresh(first, wait);
  ASSERT_TRUE(changed.has_value());
  ASSERT_TRUE(changed->ok());
  EXPECT_TRUE(**changed);
  EXPECT_EQ(Runs(), 2U);
}

TEST_F(ExecCredentialsTest, DestroyingThemEndsThePluginWithItsProcessGroup) {
  auto credentials = Make(WithScript("sleep 1000 & echo $! > child\nsleep 1000\n"));
  CredentialsWait wait;
  EXPECT_FALSE(credentials->TryCurrent(wait).has_value());
  while (!std::filesystem::exists(dir_.path() / "child") || std::filesystem::file_size(dir_.path() / "child") == 0) {
    std::this_thread::sleep_for(1ms);
  }
  int child = 0;
  std::ifstream(dir_.path() / "child") >> child;
  ASSERT_GT(child, 0);
  const auto before = std::chrono::steady_clock::now();
  credentials = nullptr;
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "the plugin is reaped";
  // The plugin's child is reaped by init a moment later.
  const auto runs = [&] {
    std::ifstream status("/proc/" + std::to_string(child) + "/stat");
    std::string pid;
    std::string name;
    std::string state;
    return static_cast<bool>(status >> pid >> name >> state) && state != "Z" && state != "X";
  };
  for (int i = 0; i < 1000 && runs(); ++i) std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(runs());
}

TEST_F(ExecCredentialsTest, MayBeDestroyedInsideANotification) {
  Answer(R"("token":"one")");
  auto credentials = Make(WithScript("while [ ! -e go ]; do sleep 0.01; done\ncat answer\n"));
  const std::size_t threads = testing_support::ThreadCount();
  auto wait = std::make_unique<CredentialsWait>();
  EXPECT_FALSE(credentials->TryCurrent(*wait).has_value());
  std::promise<void> done;
  credentials->NotifyWhenReady(*wait, [&] {
    wait = nullptr;
    credentials = nullptr;
    done.set_value();
  });
  dir_.Write("go", "");
  ASSERT_EQ(done.get_future().wait_for(10s), std::future_status::ready);
  EXPECT_TRUE(testing_support::AwaitThreadCount(threads));
}

TEST_F(ExecCredentialsTest, ACallerWithADeadlineIsReleasedByIt) {
  const auto credentials = Make(WithScript("sleep 1000\n"));
  std::jthread advance([&] {
    clock_->AwaitWaiters(2);  // two waiters: this caller's deadline and the plugin's own one-minute limit
    clock_->Advance(5s);
  });
  const auto current = credentials->Current({}, clock_->After(5s));
  ASSERT_FALSE(current.ok());
  EXPECT_EQ(current.error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_THAT(current.error().message, HasSubstr("timed out waiting for credentials: exec plugin \""));
  EXPECT_THAT(current.error().message, HasSubstr("is still running"));
}

TEST_F(ExecCredentialsTest, AHangingOneIsEndedByTheTimeLimit) {
  const auto credentials = Make(WithScript("sleep 1000\n"));
  std::jthread advance([&] {
    clock_->AwaitWaiters(1);
    clock_->Advance(60s);
  });
  const auto current = credentials->Current({});
  ASSERT_FALSE(current.ok());
  EXPECT_EQ(current.error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_THAT(current.error().message, HasSubstr("timed out after 60 s"));
}

TEST_F(ExecCredentialsTest, ItIsToldTheCaThatIsInUse) {
  Answer(R"("token":"one")");
  Config config = WithScript("printf '%s' \"$KUBERNETES_EXEC_INFO\" > info\ncat answer\n");
  config.exec->provide_cluster_info = true;
  config.ca_file = dir_.Write("ca", ca_.CertPem());
  EXPECT_EQ(Authorization(*Make(config)), "Bearer one");
  std::ifstream file(dir_.path() / "info");
  const std::string info((std::istreambuf_iterator<char>(file)), {});
  EXPECT_THAT(info, HasSubstr("\"certificate-authority-data\":\"LS0tLS1CRUdJTiBD"));
}

}  // namespace
}  // namespace kinformer::internal
