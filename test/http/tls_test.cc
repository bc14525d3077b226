#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "src/http/certificates.h"
#include "src/http/http_server.h"
#include "src/http/openssl_ptr.h"
#include "test/http/raw_client.h"
#include "test/http/running_server.h"
#include "test/support/curl_get.h"
#include "test/support/temp_dir.h"
#include "test/support/test_ca.h"

namespace kinformer::apiserver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::CurlClient;
using testing_support::CurlGet;
using testing_support::TempDir;
using testing_support::TestCa;

struct Serving {
  CertificateAuthority authority;
  CertificateAndKey server;

  TlsOptions Options() const { return {server.certificate_pem, server.key_pem, authority.pem().certificate_pem}; }
};

Serving MakeServing() {
  auto authority = CertificateAuthority::Create();
  auto server = authority.value().IssueServer({});
  return {std::move(*authority), server.value()};
}

/// Answers with the client's identity.
void WhoAmI(const std::shared_ptr<HttpExchange>& exchange) {
  const HttpPeer& peer = exchange->request().peer;
  std::string text = peer.tls ? "tls" : "plain";
  if (peer.certificate) {
    text += " " + peer.certificate->common_name;
    for (const std::string& organization : peer.certificate->organizations) text += "," + organization;
  }
  exchange->Respond(200, {}, text + (peer.certificate_error.empty() ? "" : " error: " + peer.certificate_error));
}

/// A TLS connection that shows how it ended.
class TlsClient {
 public:
  TlsClient(std::uint16_t port, int min_version = 0, int max_version = 0, std::string_view alpn = {})
      : raw_(port), context_(SSL_CTX_new(TLS_client_method())) {
    SSL_CTX_set_min_proto_version(context_.get(), min_version);
    SSL_CTX_set_max_proto_version(context_.get(), max_version);
    SSL_CTX_set_security_level(context_.get(), 0);
    ssl_.reset(SSL_new(context_.get()));
    if (!alpn.empty()) {
      SSL_set_alpn_protos(ssl_.get(), reinterpret_cast<const unsigned char*>(alpn.data()),
                          static_cast<unsigned>(alpn.size()));
    }
    SSL_set_fd(ssl_.get(), raw_.fd());
    connected_ = SSL_connect(ssl_.get()) == 1;
  }

  bool connected() const { return connected_; }
  SSL* ssl() { return ssl_.get(); }
  RawClient& raw() { return raw_; }
  void Send(std::string_view bytes) { SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())); }
  /// The content of one record; empty at the end.
  std::string ReadSome() {
    std::string bytes(65536, '\0');
    const int size = SSL_read(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
    bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return bytes;
  }
  std::string ReadUntil(std::string_view mark) {
    std::string all;
    while (all.find(mark) == std::string::npos) {
      const std::string some = ReadSome();
      if (some.empty()) break;
      all += some;
    }
    return all;
  }

 private:
  RawClient raw_;
  SslContextPtr context_;
  SslPtr ssl_;
  bool connected_ = false;
};

TEST(TlsTest, ServesWithACertificateMadeAtStart) {
  const Serving serving = MakeServing();
  const RunningServer server(WhoAmI, {.tls = serving.Options()});
  EXPECT_EQ(CurlGet(server.Url("/"), {.ca_pem = serving.authority.pem().certificate_pem}).body, "tls");
  const std::string by_name = "https://localhost:" + std::to_string(server.port()) + "/";
  EXPECT_EQ(CurlGet(by_name, {.ca_pem = serving.authority.pem().certificate_pem}).body, "tls");
  const auto other = CertificateAuthority::Create();
  EXPECT_EQ(CurlGet(server.Url("/"), {.ca_pem = other->pem().certificate_pem}).code, CURLE_PEER_FAILED_VERIFICATION);
}

TEST(TlsTest, TellsTheUserAndGroupsOfAVerifiedClientCertificate) {
  const Serving serving = MakeServing();
  const RunningServer server(WhoAmI, {.tls = serving.Options()});
  const auto client =
      serving.authority.IssueClient({.common_name = "jane", .organizations = {"devs", "system:masters"}});
  ASSERT_TRUE(client.ok());
  CurlClient curl;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(curl.Request(server.Url("/"), {.ca_pem = serving.authority.pem().certificate_pem,
                                             .client_cert_pem = client->certificate_pem,
                                             .client_key_pem = client->key_pem})
                  .body,
              "tls jane,devs,system:masters");
  }
}

TEST(TlsTest, SaysOfACertificateThatIsNotToBeBelievedWhyAndStillAsksTheHandler) {
  const Serving serving = MakeServing();
  const RunningServer server(WhoAmI, {.tls = serving.Options()});
  const auto other = CertificateAuthority::Create();
  const auto stranger = other->IssueClient({.common_name = "admin"});
  const auto as = [&](const CertificateAndKey& pair) {
    return CurlGet(server.Url("/"), {.ca_pem = serving.authority.pem().certificate_pem,
                                     .client_cert_pem = pair.certificate_pem,
                                     .client_key_pem = pair.key_pem})
        .body;
  };
  EXPECT_THAT(as(*stranger), testing::StartsWith("tls error: "));
  EXPECT_THAT(as(*stranger), Not(HasSubstr("admin")));
  // A server certificate is not valid for clients.
  EXPECT_THAT(as(serving.server), testing::StartsWith("tls error: "));
  const auto expired = serving.authority.IssueClient({.common_name = "jane", .lifetime = std::chrono::hours(0)});
  ASSERT_TRUE(expired.ok());
  EXPECT_EQ(as(*expired), "tls error: certificate has expired");
}

TEST(TlsTest, AsksNobodyForACertificateWithoutAClientCa) {
  const Serving serving = MakeServing();
  TlsOptions options = serving.Options();
  options.client_ca_pem.clear();
  const RunningServer server(WhoAmI, {.tls = options});
  const auto client = serving.authority.IssueClient({.common_name = "jane"});
  EXPECT_EQ(CurlGet(server.Url("/"), {.ca_pem = serving.authority.pem().certificate_pem,
                                      .client_cert_pem = client->certificate_pem,
                                      .client_key_pem = client->key_pem})
                .body,
            "tls");
}

TEST(TlsTest, SpeaksTls12And13AndNothingOlder) {
  const Serving serving = MakeServing();
  const RunningServer server(WhoAmI, {.tls = serving.Options()});
  EXPECT_TRUE(TlsClient(server.port(), TLS1_2_VERSION, TLS1_2_VERSION).connected());
  EXPECT_TRUE(TlsClient(server.port(), TLS1_3_VERSION, TLS1_3_VERSION).connected());
  EXPECT_FALSE(TlsClient(server.port(), TLS1_1_VERSION, TLS1_1_VERSION).connected());
}

TEST(TlsTest, ChoosesHttp11ByAlpn) {
  const Serving serving = MakeServing();
  const RunningServer server(WhoAmI, {.tls = serving.Options()});
  TlsClient both(server.port(), 0, 0, "\x02h2\x08http/1.1");
  ASSERT_TRUE(both.connected());
  const unsigned char* chosen = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(both.ssl(), &chosen, &size);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(chosen), size), "http/1.1");
  EXPECT_FALSE(TlsClient(server.port(), 0, 0, "\x02h2").connected());
}

TEST(TlsTest, CutsOffWhoDoesNotFinishTheHandshake) {
  const Serving serving = MakeServing();
  const RunningServer server(WhoAmI,
                             {.tls = serving.Options(), .limits = {.header_timeout = std::chrono::milliseconds(100)}});
  RawClient client(server.port());
  client.Send(std::string_view("\x16\x03\x01", 3));
  EXPECT_EQ(client.ReadAll(), "");
  EXPECT_NE(client.end(), RawClient::End::kOpen);
  // A client that does not speak TLS is cut off, too.
  RawClient plain(server.port());
  plain.Send(Get("/"));
  plain.ReadAll();
  EXPECT_NE(plain.end(), RawClient::End::kOpen);
}

TEST(TlsTest, ManyMessagesThatWaitLeaveInFewRecords) {
  const Serving serving = MakeServing();
  Awaited<std::shared_ptr<HttpStream>> streams;
  const RunningServer server(
      [&](const std::shared_ptr<HttpExchange>& exchange) {
        // On the I/O thread: nothing is sent before all messages are queued.
        auto stream = exchange->BeginStream(200, {});
        const Buffer message(std::string(1000, 'x'));
        for (int i = 0; i < 100; ++i) stream->Write(message);
        stream->End();
      },
      {.tls = serving.Options()});
  TlsClient client(server.port());
  client.Send(Get("/"));
  std::string all;
  int records = 0;
  while (!all.ends_with("0\r\n\r\n")) {
    const std::string some = client.ReadSome();
    ASSERT_FALSE(some.empty());
    all += some;
    ++records;
  }
  EXPECT_LE(records, 8);  // 100 KB in records of 16 KB
}

TEST(TlsTest, ALargeAnswerComesWholeToASlowReader) {
  const Serving serving = MakeServing();
  std::string large;
  for (int i = 0; large.size() < (20U << 20U); ++i) large += std::to_string(i) + ",";
  const RunningServer server([&](const std::shared_ptr<HttpExchange>& exchange) { exchange->Respond(200, {}, large); },
                             {.tls = serving.Options()});
  const auto result = CurlGet(server.Url("/"), {.ca_pem = serving.authority.pem().certificate_pem,
                                                .on_data = [](const std::string&) { return true; }});
  EXPECT_EQ(result.code, CURLE_OK);
  EXPECT_TRUE(result.body == large);
}

TEST(TlsTest, AStreamEndsCleanlyWithCloseNotifyOrAbruptlyWithReset) {
  const Serving serving = MakeServing();
  Awaited<std::shared_ptr<HttpStream>> streams;
  const RunningServer server(
      [&](const std::shared_ptr<HttpExchange>& exchange) { streams.Set(exchange->BeginStream(200, {})); },
      {.tls = serving.Options()});
  for (const bool clean : {true, false}) {
    TlsClient client(server.port());
    client.Send(Get("/"));
    const auto stream = streams.Get();
    stream->Write(Buffer::Static("one"));
    if (clean) {
      stream->Raw().CloseCleanly();
    } else {
      stream->Raw().Reset();
    }
    EXPECT_THAT(client.ReadUntil("one\r\n"), HasSubstr("3\r\none\r\n"));
    char byte = 0;
    const int outcome = SSL_read(client.ssl(), &byte, 1);
    EXPECT_EQ(SSL_get_error(client.ssl(), outcome), clean ? SSL_ERROR_ZERO_RETURN : SSL_ERROR_SYSCALL);
  }
}

TEST(TlsTest, NoticesThatAStreamsPeerHasGone) {
  const Serving serving = MakeServing();
  Awaited<std::shared_ptr<HttpStream>> streams;
  const RunningServer server(
      [&](const std::shared_ptr<HttpExchange>& exchange) { streams.Set(exchange->BeginStream(200, {})); },
      {.tls = serving.Options()});
  auto client = std::make_unique<TlsClient>(server.port());
  client->Send(Get("/"));
  const auto stream = streams.Get();
  Awaited<bool> closed;
  stream->OnClosed([&] { closed.Set(true); });
  client.reset();
  EXPECT_TRUE(closed.Get());
}

TEST(TlsTest, SendsAByteAtATime) {
  const Serving serving = MakeServing();
  const RunningServer server(
      [&](const std::shared_ptr<HttpExchange>& exchange) {
        exchange->Raw().ByteByByte(true);
        exchange->Respond(200, {{"Connection", "close"}}, "0123456789");
      },
      {.tls = serving.Options()});
  TlsClient client(server.port());
  client.Send(Get("/"));
  std::string all;
  for (;;) {
    const std::string some = client.ReadSome();
    if (some.empty()) break;
    EXPECT_EQ(some.size(), 1U);
    all += some;
  }
  EXPECT_THAT(all, testing::EndsWith("\r\n\r\n0123456789"));
}

TEST(TlsTest, AnErrorQuotesNoKey) {
  const Serving serving = MakeServing();
  const auto message = [](const TlsOptions& options) {
    HttpServer server({.tls = options}, Echo);
    const auto port = server.Start();
    EXPECT_FALSE(port.ok());
    return port.ok() ? "" : ToString(port.error());
  };
  TlsOptions wrong_key = serving.Options();
  wrong_key.key_pem = serving.authority.pem().key_pem;
  EXPECT_THAT(message(wrong_key), HasSubstr("does not belong"));
  TlsOptions bad_key = serving.Options();
  bad_key.key_pem = "-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----\n";
  EXPECT_THAT(message(bad_key), testing::AllOf(HasSubstr("cannot be read"), Not(HasSubstr("SECRET"))));
  TlsOptions bad_ca = serving.Options();
  bad_ca.client_ca_pem = "nothing";
  EXPECT_THAT(message(bad_ca), HasSubstr("client CA"));
}

std::string ReadText(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(CertificatesTest, AServersIsGoodForLocalhostAndItsHosts) {
  const auto authority = CertificateAuthority::Create();
  const auto made = authority->IssueServer({.hosts = {"10.1.2.3", "api.example", "localhost"}});
  ASSERT_TRUE(made.ok());
  const BioPtr bio = ReadOnlyBio(made->certificate_pem);
  const X509Ptr certificate = ReadCertificate(bio.get());
  for (const char* name : {"localhost", "api.example"}) {
    EXPECT_EQ(X509_check_host(certificate.get(), name, 0, 0, nullptr), 1) << name;
  }
  for (const char* address : {"127.0.0.1", "::1", "10.1.2.3"}) {
    EXPECT_EQ(X509_check_ip_asc(certificate.get(), address, 0), 1) << address;
  }
  EXPECT_EQ(X509_check_host(certificate.get(), "other.example", 0, 0, nullptr), 0);
}

TEST(CertificatesTest, RefusesNamesThatCannotBe) {
  const auto authority = CertificateAuthority::Create();
  EXPECT_EQ(authority->IssueServer({.hosts = {"a,DNS:evil.example"}}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(authority->IssueClient({}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(authority->IssueClient({.common_name = std::string(65, 'x')}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(authority->IssueClient({.common_name = "a", .organizations = {"\xff"}}).error().code,
            ErrorCode::kInvalidArgument);
}

TEST(CertificatesTest, ADirectoryKeepsThemFromOneStartToTheNext) {
  const TempDir dir;
  const std::string path = dir.path() / "tls";
  const auto first = LoadServingCertificates(path, {});
  ASSERT_TRUE(first.ok()) << ToString(first.error());
  for (const char* key : {"ca.key", "server.key"}) {
    struct stat status {};
    ASSERT_EQ(::stat((path + "/" + key).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U) << key;
  }
  const auto second = LoadServingCertificates(path, {});
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->ca_pem, first->ca_pem);
  EXPECT_EQ(second->ca_key_pem, first->ca_key_pem);
  EXPECT_EQ(second->server.certificate_pem, first->server.certificate_pem);
  EXPECT_EQ(ReadText(path + "/server.key"), first->server.key_pem);

  // For another host: a new certificate from the same CA.
  const auto third = LoadServingCertificates(path, {.hosts = {"10.0.0.1"}});
  ASSERT_TRUE(third.ok());
  EXPECT_EQ(third->ca_pem, first->ca_pem);
  EXPECT_NE(third->server.certificate_pem, first->server.certificate_pem);
  const RunningServer server(WhoAmI, {.tls = TlsOptions{third->server.certificate_pem, third->server.key_pem, {}}});
  EXPECT_EQ(CurlGet(server.Url("/"), {.ca_pem = first->ca_pem}).body, "tls");
}

TEST(CertificatesTest, SomebodyElsesAreTakenAsTheyAreWhileTheyAreGood) {
  const TestCa theirs;
  const TempDir dir;
  const auto good = theirs.IssueServer({.dns = {"api.example"}, .ips = {}});
  dir.Write("ca.crt", theirs.CertPem());
  dir.Write("server.crt", good.cert_pem);
  dir.Write("server.key", good.key_pem);
  const auto loaded = LoadServingCertificates(dir.path(), {});
  ASSERT_TRUE(loaded.ok()) << ToString(loaded.error());
  EXPECT_EQ(loaded->server.certificate_pem, good.cert_pem);
  EXPECT_THAT(loaded->ca_key_pem, IsEmpty());

  const auto expired = theirs.IssueServer({.validity = {std::chrono::hours(-48), std::chrono::hours(-24)}});
  dir.Write("server.crt", expired.cert_pem);
  dir.Write("server.key", expired.key_pem);
  const auto refused = LoadServingCertificates(dir.path(), {});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("server.crt: the certificate has expired"));
}

TEST(CertificatesTest, ADirectoryThatIsHalfThereIsAnErrorThatNamesTheFile) {
  const TestCa theirs;
  const auto pair = theirs.IssueServer();
  {
    const TempDir dir;
    dir.Write("server.crt", pair.cert_pem);
    EXPECT_THAT(LoadServingCertificates(dir.path(), {}).error().message, HasSubstr("/ca.crt: missing"));
  }
  {
    const TempDir dir;
    dir.Write("ca.crt", theirs.CertPem());
    EXPECT_THAT(LoadServingCertificates(dir.path(), {}).error().message, HasSubstr("/server.crt: missing"));
  }
  {
    const TempDir dir;
    dir.Write("ca.crt", theirs.CertPem());
    dir.Write("ca.key", pair.key_pem);
    const Error error = LoadServingCertificates(dir.path(), {}).error();
    EXPECT_THAT(error.message, HasSubstr("/ca.key"));
    EXPECT_THAT(error.message, Not(HasSubstr("PRIVATE")));
  }
}

}  // namespace
}  // namespace kinformer::apiserver
