// /readyz of a server whose watch caches cannot follow their storage.

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>

#include "src/apiserver/kind_installer.h"
#include "src/apiserver/registry/served_kind.h"
#include "src/listwatch/storage/memory_backend.h"
#include "test/apiserver/server/raw_client.h"
#include "test/apiserver/server/server_fixture.h"
#include "test/listwatch/storage/etcd_testing.h"
#include "test/support/test_ca.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class ReadinessTest : public ServerTest {
 protected:
  /// The status and the body of the response.
  std::pair<int, std::string> Get(const std::string& path, bool anonymous = false) const {
    RawClient connection(server_->Url(), tls_.get());
    connection.Send("GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" +
                    (anonymous ? "" : "Authorization: Bearer " + server_->Token().Reveal() + "\r\n") + "\r\n");
    std::string answer;
    for (std::string part = connection.Receive(); !part.empty(); part = connection.Receive()) answer += part;
    const std::size_t head = answer.find("\r\n\r\n");
    if (head == std::string::npos) return {0, answer};
    return {std::stoi(answer.substr(answer.find(' ') + 1)), answer.substr(head + 4)};
  }
  int Status(const std::string& path) const { return Get(path).first; }
  /// Advances the clock until the server answers with this status.
  bool AwaitStatus(const std::string& path, int status) {
    return Await([&] {
      clock_->Advance(200ms);
      std::this_thread::sleep_for(1ms);  // etcd runs on real time
      return Status(path) == status;
    });
  }
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> tls_{SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
};

TEST_F(ReadinessTest, EveryCheckIsListedAndCanBeAskedForAlone) {
  StartServer();
  EXPECT_EQ(Get("/readyz?verbose").second, "[+]ping ok\n[+]storage ok\n[+]storage-readiness ok\nreadyz check passed\n");
  EXPECT_EQ(Get("/healthz?verbose").second,
            "[+]ping ok\n[+]storage ok\n[+]storage-readiness ok\nhealthz check passed\n");
  EXPECT_EQ(Get("/livez?verbose").second, "[+]ping ok\nlivez check passed\n");
  EXPECT_EQ(Get("/readyz/storage-readiness").second, "ok");
  EXPECT_EQ(Status("/livez/storage-readiness"), 404);
  EXPECT_EQ(Get("/readyz", /*anonymous=*/true).first, 200);
  EXPECT_EQ(Get("/readyz/storage-readiness", /*anonymous=*/true).first, 401);
}

TEST_F(ReadinessTest, ACacheThatCannotFollowItsStorageFailsReadinessAndSaysWhy) {
  StartServer({.clock = clock_});
  ASSERT_TRUE(server_->faults().Add("list:secrets=storage-down,1h"));
  ASSERT_TRUE(client_->For<core::v1::Secret>().List({}, {.resource_version = "0"})) << "the storage goes down with it";
  // The caches notice it one after the other; more than are named must have.
  ASSERT_TRUE(Await([&] {
    clock_->Advance(200ms);
    const std::string why = Get("/readyz/storage-readiness").second;
    return why.starts_with("internal server error: watch cache of configmaps: ") &&
           why.find(" more") != std::string::npos;
  }));
  EXPECT_EQ(Status("/readyz"), 500);
  EXPECT_EQ(Status("/healthz"), 500);
  EXPECT_EQ(Status("/livez"), 200) << "a restart would not help";
  EXPECT_THAT(Get("/readyz").second,
              MatchesRegex("\\[\\+\\]ping ok\n"
                           "\\[-\\]storage failed: the storage is interrupted\n"
                           "\\[-\\]storage-readiness failed: watch cache of configmaps: stale for [0-9]+s: "
                           "the storage is interrupted; .*; and [0-9]+ more\n"
                           "readyz check failed\n"));
  // Anonymous clients do not see the reason.
  EXPECT_EQ(Get("/readyz", /*anonymous=*/true).second,
            "[+]ping ok\n[-]storage failed: reason withheld\n[-]storage-readiness failed: reason withheld\n"
            "readyz check failed\n");

  clock_->Advance(1h);
  EXPECT_TRUE(AwaitStatus("/readyz", 200)) << Get("/readyz").second << Get("/readyz/storage-readiness").second;
}

TEST(KindInstallerTest, AKindWhoseCacheHasNotBeenFilledYetDoesNotCount) {
  const auto pool = std::make_shared<TaskPool>();
  pool->Start();
  const auto backend = std::make_shared<apiserver::MemoryBackend>();
  apiserver::KindInstaller installer(
      {.pool = pool, .backend = backend, .resources = std::make_shared<apiserver::ResourceTable>()});
  (void)installer.Make(apiserver::BuiltInKinds().front());
  EXPECT_TRUE(installer.CheckCaches());
  ASSERT_TRUE(installer.StartCaches({}));
  EXPECT_TRUE(installer.CheckCaches());
  installer.cachers().front()->Stop();
  ASSERT_FALSE(installer.CheckCaches());
  EXPECT_THAT(installer.CheckCaches().error().message, HasSubstr("it has been stopped"));
  installer.Stop();
  pool->Stop();
}

TEST_F(ReadinessTest, AnEtcdThatDiesFailsReadinessUntilItIsBack) {
  const testing_support::TestCa ca;
  const auto certificate = ca.IssueClient({.common_name = "kinformer"});
  apiserver::testing_support::EtcdProcesses etcd(1, /*durable=*/true, &ca);
  StartServer({.etcd_endpoints = etcd.urls(),
               .etcd_ca_pem = ca.CertPem(),
               .etcd_certificate_pem = certificate.cert_pem,
               .etcd_key_pem = Secret(certificate.key_pem),
               .clock = clock_});
  ASSERT_TRUE(ConfigMaps().Create(*ConfigMap("a")));
  EXPECT_EQ(Status("/readyz"), 200);
  etcd.KillAll();
  ASSERT_TRUE(AwaitStatus("/readyz", 500));
  EXPECT_THAT(Get("/readyz").second, HasSubstr("etcd: "));
  etcd.RestartAll();
  EXPECT_TRUE(AwaitStatus("/readyz", 200));
  EXPECT_TRUE(ConfigMaps().Get({"default", "a"}));
}

TEST(EtcdOptionsTest, CertificatesThatCannotBeUsedAreToldAtStart) {
  const testing_support::TestCa ca;
  const auto one = ca.IssueClient({.common_name = "one"});
  const auto two = ca.IssueClient({.common_name = "two"});
  const auto failure = [](ApiServerOptions options) {
    options.etcd_endpoints = {"https://127.0.0.1:1"};
    ApiServer server(std::move(options));
    const Result<void> started = server.Start();
    EXPECT_FALSE(started);
    if (started) return std::string();
    EXPECT_EQ(started.error().code, ErrorCode::kInvalidConfig);
    return started.error().message;
  };
  EXPECT_THAT(failure({.etcd_ca_pem = "nonsense"}), HasSubstr("etcd_ca_pem (--etcd-cafile): no PEM certificate in it"));
  EXPECT_THAT(failure({.etcd_ca_pem = ca.CertPem() + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"}),
              HasSubstr("a PEM certificate in it cannot be read"));
  EXPECT_THAT(failure({.etcd_certificate_pem = one.cert_pem}), HasSubstr("must be given together"));
  EXPECT_THAT(failure({.etcd_key_pem = Secret(one.key_pem)}), HasSubstr("must be given together"));
  EXPECT_THAT(failure({.etcd_certificate_pem = one.cert_pem, .etcd_key_pem = Secret("nonsense")}),
              HasSubstr("no PEM private key that can be read"));
  EXPECT_THAT(failure({.etcd_certificate_pem = one.cert_pem, .etcd_key_pem = Secret(two.key_pem)}),
              HasSubstr("the private key does not belong to the certificate"));
}

}  // namespace
}  // namespace kinformer
