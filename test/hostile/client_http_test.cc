// Clients with malformed HTTP or TLS, against the API server's HTTP server.

#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/http/raw_client.h"
#include "test/http/running_server.h"
#include "test/support/test_ca.h"

namespace kinformer::apiserver {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// The response to these bytes. A second request follows them, which must not be processed if they are refused.
std::string Answer(const RunningServer& server, std::string_view bytes) {
  RawClient client(server.port());
  client.Send(bytes);
  client.Send("GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
  client.ShutdownWrites();
  return client.ReadAll();
}

void ExpectRefused(const RunningServer& server, std::string_view bytes) {
  const std::string answer = Answer(server, bytes);
  EXPECT_THAT(answer,
              ::testing::AnyOf(StartsWith("HTTP/1.1 400 "), StartsWith("HTTP/1.1 501 "), StartsWith("HTTP/1.1 505 ")))
      << bytes;
  EXPECT_THAT(answer, Not(HasSubstr("smuggled"))) << bytes;
  EXPECT_EQ(answer.find("\r\nDate: "), answer.rfind("\r\nDate: ")) << bytes << " got two answers: " << answer;
}

TEST(HostileRequest, LengthsThatCanBeReadInTwoWaysAreRefused) {
  const RunningServer server(Echo);
  const auto put = [](const std::string& headers, const std::string& body) {
    return "PUT /a HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n" + body;
  };
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  for (const std::string& headers :
       {"Content-Length: 5\r\n" + chunked, chunked + "Content-Length: 5\r\n",
        std::string("Content-Length: 5\r\nContent-Length: 6\r\n"), std::string("Content-Length: +5\r\n"),
        std::string("Content-Length: -5\r\n"), std::string("Content-Length: 0x5\r\n"),
        std::string("Content-Length: 5, 6\r\n"), std::string("Content-Length: 5 5\r\n"),
        std::string("Content-Length:\r\n"), std::string("Content-Length: 99999999999999999999999\r\n"),
        std::string("Transfer-Encoding: chunked, identity\r\n"), std::string("Transfer-Encoding: identity\r\n"),
        std::string("Transfer-Encoding: xchunked\r\n"), std::string("Transfer-Encoding: gzip, chunked\r\n"),
        std::string("Transfer-Encoding: chunked, chunked\r\n"), chunked + chunked,
        std::string("Transfer-Encoding: \x0b"
                    "chunked\r\n"),
        std::string("Transfer-Encoding:\r\n"), std::string("Transfer-Encoding: gzip\r\n") + chunked}) {
    ExpectRefused(server, put(headers, "0\r\n\r\n"));
  }
  ExpectRefused(server, "PUT /a HTTP/1.0\r\nHost: a\r\n" + chunked + "\r\n0\r\n\r\n");
}

TEST(HostileRequest, ChunksThatCanBeReadInTwoWaysAreRefused) {
  const RunningServer server(Echo);
  for (const char* body : {"-1\r\n", "0x5\r\nhello\r\n0\r\n\r\n", "5\nhello\n0\n\n", " 5\r\nhello\r\n0\r\n\r\n",
                           "FFFFFFFFFFFFFFFFF\r\n", "5\r\nhelloworld\r\n0\r\n\r\n", "5;a=\"\n\"\r\nhello\r\n0\r\n\r\n",
                           "+5\r\nhello\r\n0\r\n\r\n", "5_0\r\nhello\r\n0\r\n\r\n", "\r\n"}) {
    ExpectRefused(server, "PUT /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(body));
  }
}

TEST(HostileRequest, HeadersThatCanBeReadInTwoWaysAreRefused) {
  using std::string_view_literals::operator""sv;
  const RunningServer server(Echo);
  for (const std::string_view head : {"GET /a HTTP/1.1\nHost: a\n\n"sv,
                                      "GET /a HTTP/1.1\r\nHost : a\r\n\r\n"sv,
                                      "GET /a HTTP/1.1\r\nHost: a\r\nContent-Length : 5\r\n\r\n"sv,
                                      "GET /a HTTP/1.1\r\n Host: a\r\n\r\n"sv,
                                      "GET /a HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n"sv,
                                      "GET /a HTTP/1.1\r\nHost: a\r\nX: a\rY: b\r\n\r\n"sv,
                                      "GET /a HTTP/1.1\r\nHost: a\r\nX: a\nY: b\r\n\r\n"sv,
                                      "GET /a HTTP/1.1\r\nHost: a\r\nX\0: b\r\n\r\n"sv,
                                      "GET /a HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n"sv,
                                      "GET /a HTTP/1.1\r\nHost: a\r\nX[]: b\r\n\r\n"sv,
                                      "GET /a HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n"sv,
                                      "GET /a\r\nHost: a\r\n\r\n"sv,
                                      "GET  /a HTTP/1.1\r\nHost: a\r\n\r\n"sv,
                                      "GET\t/a\tHTTP/1.1\r\nHost: a\r\n\r\n"sv,
                                      "GET /a HTTP/1.1 x\r\nHost: a\r\n\r\n"sv,
                                      "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"sv,
                                      "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n"sv,
                                      "G@T /a HTTP/1.1\r\nHost: a\r\n\r\n"sv,
                                      "GET /a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"sv,
                                      "GET /a HTTP/3.0\r\nHost: a\r\n\r\n"sv,
                                      "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n"sv}) {
    ExpectRefused(server, head);
  }
}

// A folded header line is part of one value; no part of it becomes a separate header.
TEST(HostileRequest, AFoldedHeaderIsOneValueOrRefused) {
  const RunningServer server([](const std::shared_ptr<HttpExchange>& exchange) {
    const std::string* evil = exchange->request().FindHeader("Evil");
    exchange->Respond(200, {}, evil == nullptr ? "none" : "header");
  });
  RawClient client(server.port());
  client.Send("GET /a HTTP/1.1\r\nHost: a\r\nX: a\r\n Evil: b\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.ReadAll(), Not(HasSubstr("header")));
}

TEST(HostileRequest, TheLengthOfABodyIsNotBelievedBeforeItComes) {
  // Nothing is allocated for a body that is only announced; one that is too long is refused immediately.
  const RunningServer server(Echo);
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 200; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.port()));
    clients.back()->Send("PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n");
  }
  RawClient huge(server.port());
  huge.Send("PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000000000000000\r\n\r\n");
  EXPECT_THAT(huge.ReadAll(), StartsWith("HTTP/1.1 413 "));
}

TEST(HostileRequest, TheHttp2PrefaceOnAnHttp1PortIsRefused) {
  const RunningServer server(Echo);
  RawClient client(server.port());
  client.Send(std::string_view("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33));
  client.ShutdownWrites();
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 505 "));
}

class HostileTls : public ::testing::Test {
 protected:
  // Writing to a connection that the server has closed must not kill the program.
  void SetUp() override { before_ = std::signal(SIGPIPE, SIG_IGN); }
  void TearDown() override { std::signal(SIGPIPE, before_); }

  static HttpServerOptions Options(HttpLimits limits = {}) {
    const testing_support::TestCa ca;
    const testing_support::CertificateAndKey made = ca.IssueServer();
    return {.tls = TlsOptions{.certificate_pem = made.cert_pem, .key_pem = made.key_pem}, .limits = limits};
  }

 private:
  void (*before_)(int) = SIG_DFL;
};

struct FreeSsl {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

/// A handshake with that TLS version, on a blocking connection.
std::unique_ptr<SSL, FreeSsl> Shake(const RawClient& client, int version) {
  const std::unique_ptr<SSL_CTX, FreeSsl> context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_min_proto_version(context.get(), version);
  SSL_CTX_set_max_proto_version(context.get(), version);
  std::unique_ptr<SSL, FreeSsl> ssl(SSL_new(context.get()));
  SSL_set_fd(ssl.get(), client.fd());
  EXPECT_EQ(SSL_connect(ssl.get()), 1);
  return ssl;
}

TEST_F(HostileTls, NobodyRenegotiates) {
  const RunningServer server(Echo, Options());
  const RawClient client(server.port());
  const auto ssl = Shake(client, TLS1_2_VERSION);
  SSL_renegotiate(ssl.get());
  std::array<char, 16> buffer{};
  const bool renegotiated = SSL_do_handshake(ssl.get()) == 1 && SSL_read(ssl.get(), buffer.data(), 1) > 0;
  EXPECT_FALSE(renegotiated);
}

bool ChangeKeys(SSL* ssl, int kind) { return SSL_key_update(ssl, kind) == 1 && SSL_do_handshake(ssl) == 1; }

// OpenSSL answers key-update requests by itself. The server stops reading from a client that keeps requesting them
// without reading the replies, once enough replies are pending.
TEST_F(HostileTls, NewKeysAreNotMadeForAClientThatDoesNotReadThem) {
  const RunningServer server(Echo, Options());
  constexpr int kReceiveBuffer = 4096;
  const RawClient client(server.port(), kReceiveBuffer);
  const auto ssl = Shake(client, TLS1_3_VERSION);
  const timeval patience{.tv_sec = 1, .tv_usec = 0};
  ::setsockopt(client.fd(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  constexpr std::size_t kRecord = 27;
  constexpr std::size_t kTooMuch = std::size_t{32} << 20U;
  std::size_t sent = 0;
  while (sent < kTooMuch && ChangeKeys(ssl.get(), SSL_KEY_UPDATE_REQUESTED)) sent += kRecord;
  EXPECT_GT(sent, 1000 * kRecord);
  EXPECT_LT(sent, kTooMuch);
}

// Other connections are served meanwhile, and so is the client itself when it finally sends a request.
TEST_F(HostileTls, AClientThatChangesItsKeysOnAndOnKeepsNobodyWaiting) {
  // A long header timeout, so that the server does not drop the client before the others are done.
  const RunningServer server(Echo, Options({.header_timeout = std::chrono::minutes(10)}));
  const RawClient client(server.port());
  const auto ssl = Shake(client, TLS1_3_VERSION);
  std::atomic<bool> enough = false;
  std::thread changing([&] {
    while (!enough && ChangeKeys(ssl.get(), SSL_KEY_UPDATE_NOT_REQUESTED)) {
    }
  });
  const auto ask = [](SSL* connection) {
    constexpr std::string_view kRequest = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    EXPECT_GT(SSL_write(connection, kRequest.data(), static_cast<int>(kRequest.size())), 0);
    std::array<char, 12> answer{};
    EXPECT_EQ(SSL_read(connection, answer.data(), static_cast<int>(answer.size())), static_cast<int>(answer.size()));
    EXPECT_EQ(std::string_view(answer.data(), answer.size()), "HTTP/1.1 200");
  };
  // More connections than the server has threads.
  for (int i = 0; i < 20; ++i) {
    const RawClient other(server.port());
    ask(Shake(other, TLS1_3_VERSION).get());
  }
  enough = true;
  changing.join();
  ask(ssl.get());
}

TEST_F(HostileTls, WhatIsNoHandshakeIsCutOffAndOthersAreServed) {
  const RunningServer server(Echo, Options({.header_timeout = milliseconds(500)}));
  using std::string_view_literals::operator""sv;
  for (const std::string_view bytes :
       {"GET / HTTP/1.1\r\nHost: a\r\n\r\n"sv, "\x16\x03\x01\xff\xff"sv, "\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00"sv,
        "\x80\x2e\x01\x00\x02"sv, "\0\0\0\0\0\0\0\0"sv, "\x15\x03\x03\x00\x02\x02\x28"sv, "\x17\x03\x03\x40\x00"sv}) {
    RawClient client(server.port());
    client.Send(bytes);
    const std::string answer = client.ReadAll();
    EXPECT_NE(client.end(), RawClient::End::kOpen);
    EXPECT_THAT(answer, Not(HasSubstr("HTTP/1.1 200")));
  }
  RawClient silent(server.port());
  EXPECT_EQ(silent.ReadAll(), "");
  EXPECT_NE(silent.end(), RawClient::End::kOpen);
}

}  // namespace
}  // namespace kinformer::apiserver
