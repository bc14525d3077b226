#include "test/support/scripted_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "test/support/curl_get.h"
#include "test/support/test_ca.h"

namespace kinformer::testing_support {
namespace {

using ::testing::HasSubstr;

TEST(TestCaTest, TwoAuthoritiesDoNotTrustEachOther) {
  ScriptedServer server({.tls = true});
  server.Enqueue(Reply::Json("{}"));
  EXPECT_EQ(CurlGet(server.url(), {.ca_pem = TestCa().CertPem()}).code, CURLE_PEER_FAILED_VERIFICATION);
  EXPECT_EQ(CurlGet(server.url(), {.ca_pem = server.ca_pem()}).status, 200);
}

TEST(TestCaTest, AnExpiredCertificateIsRefused) {
  const TestCa ca;
  using std::chrono::hours;
  ScriptedServer server(
      {.tls = true, .ca = &ca, .certificate = {.validity = {.not_before = hours(-48), .not_after = hours(-24)}}});
  EXPECT_EQ(CurlGet(server.url(), {.ca_pem = ca.CertPem()}).code, CURLE_PEER_FAILED_VERIFICATION);
}

TEST(TestCaTest, ACertificateForAnotherAddressIsRefused) {
  const TestCa ca;
  ScriptedServer server({.tls = true, .ca = &ca, .certificate = {.dns = {"example.test"}, .ips = {}}});
  EXPECT_EQ(CurlGet(server.url(), {.ca_pem = ca.CertPem()}).code, CURLE_PEER_FAILED_VERIFICATION);
}

TEST(ScriptedServerTest, ARequestIsRecordedAsItCameIn) {
  ScriptedServer server;
  server.Handle([](const ReceivedRequest& r) { return Reply::Json("echo " + r.body, 201); });
  const CurlResult result = CurlGet(server.url() + "/api/v1/pods?labelSelector=a%3Db&limit=5",
                                    {.method = "POST", .body = "{\"a\":1}", .headers = {"X-Thing: yes"}});
  EXPECT_EQ(result.status, 201);
  EXPECT_EQ(result.body, "echo {\"a\":1}");
  const auto requests = server.Requests();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].method, "POST");
  EXPECT_EQ(requests[0].target, "/api/v1/pods?labelSelector=a%3Db&limit=5");
  EXPECT_EQ(requests[0].path, "/api/v1/pods");
  EXPECT_EQ(requests[0].Query("labelSelector"), "a=b");
  EXPECT_EQ(requests[0].Header("x-thing"), "yes");
  EXPECT_EQ(requests[0].Header("REMOTE_ADDR"), "");
}

TEST(ScriptedServerTest, EveryMethodIsAnsweredOverOneConnection) {
  ScriptedServer server;
  server.Handle([](const ReceivedRequest& r) { return Reply::Json(r.method); });
  CurlClient client;
  for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
    EXPECT_EQ(client.Request(server.url() + "/x", {.method = method}).body, method);
  }
  for (const char* method : {"PUT", "DELETE"}) {
    EXPECT_EQ(client.Request(server.url() + "/x", {.method = method, .body = "b"}).body, method);
  }
  EXPECT_EQ(server.connections(), 1U);
}

TEST(ScriptedServerTest, EnqueuedRepliesGoFirstAndThenNothingIsFound) {
  ScriptedServer server;
  Reply slow_down = Reply::Status(429, "TooManyRequests");
  slow_down.headers = {{"Retry-After", "7"}};
  server.Enqueue(slow_down);
  server.Enqueue(Reply::Json("second"));
  EXPECT_EQ(CurlGet(server.url()).status, 429);
  EXPECT_EQ(CurlGet(server.url()).body, "second");
  const CurlResult third = CurlGet(server.url());
  EXPECT_EQ(third.status, 404);
  EXPECT_THAT(third.body, HasSubstr("\"reason\":\"NotFound\""));
}

TEST(ScriptedServerTest, AClientThatAcceptsGzipStillGetsTheBytesAsSaid) {
  ScriptedServer server;
  server.Enqueue(Reply::Json(std::string(5000, 'x')));
  EXPECT_EQ(CurlGet(server.url(), {.headers = {"Accept-Encoding: gzip"}}).body, std::string(5000, 'x'));
  EXPECT_EQ(server.Requests().at(0).Header("Accept-Encoding"), "gzip");
}

TEST(ScriptedServerTest, TheClientCertificatesNameIsSeen) {
  const TestCa ca;
  ScriptedServer server({.tls = true, .client_ca_pem = ca.CertPem(), .require_client_certificate = true});
  server.Handle([](const ReceivedRequest& r) { return Reply::Json(r.client_cn); });
  const CertificateAndKey alice = ca.IssueClient({.common_name = "alice", .organizations = {"system:masters"}});
  const CertificateAndKey mallory = TestCa().IssueClient({.common_name = "alice"});
  EXPECT_EQ(CurlGet(server.url(),
                    {.ca_pem = server.ca_pem(), .client_cert_pem = alice.cert_pem, .client_key_pem = alice.key_pem})
                .body,
            "alice");
  EXPECT_NE(CurlGet(server.url(), {.ca_pem = server.ca_pem()}).code, CURLE_OK);
  EXPECT_NE(CurlGet(server.url(),
                    {.ca_pem = server.ca_pem(), .client_cert_pem = mallory.cert_pem, .client_key_pem = mallory.key_pem})
                .code,
            CURLE_OK);
}

class StreamTest : public ::testing::TestWithParam<bool> {
 protected:
  ScriptedServer server_{{.tls = GetParam()}};
  CurlOptions With(std::function<bool(const std::string&)> on_data = {}) const {
    CurlOptions options;
    options.ca_pem = server_.ca_pem();
    options.on_data = std::move(on_data);
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(PlainAndTls, StreamTest, ::testing::Bool());

TEST_P(StreamTest, WhatTheTestSendsArrivesPieceByPieceAndTheConnectionStays) {
  const StreamHandle stream;
  server_.Enqueue(Reply::Stream(stream));
  server_.Enqueue(Reply::Json("next"));
  stream.Send("one ");
  CurlClient client;
  int pieces = 0;
  const CurlResult result = client.Request(server_.url(), With([&](const std::string& body) {
                                             ++pieces;
                                             if (body == "one ") stream.Send("two");
                                             if (body == "one two") stream.Close();
                                             return true;
                                           }));
  EXPECT_EQ(result.code, CURLE_OK);
  EXPECT_EQ(result.body, "one two");
  EXPECT_EQ(pieces, 2);
  EXPECT_EQ(client.Request(server_.url(), With()).body, "next");
  EXPECT_EQ(server_.connections(), 1U);
}

TEST_P(StreamTest, ACutStreamIsAnErrorForTheClient) {
  const StreamHandle cut;
  const StreamHandle inside;
  const StreamHandle reset;
  for (const StreamHandle& stream : {cut, inside, reset}) server_.Enqueue(Reply::Stream(stream));
  for (const StreamHandle& stream : {cut, inside, reset}) stream.Send("some ");
  cut.Cut();
  inside.CutInsideChunk("half", 100);
  const CurlResult first = CurlGet(server_.url(), With());
  EXPECT_NE(first.code, CURLE_OK);
  EXPECT_EQ(first.body, "some ");
  const CurlResult second = CurlGet(server_.url(), With());
  EXPECT_NE(second.code, CURLE_OK);
  EXPECT_EQ(second.body, "some half");
  const CurlResult third = CurlGet(server_.url(), With([&](const std::string&) {
                                     reset.Abort();
                                     return true;
                                   }));
  EXPECT_EQ(third.code, CURLE_RECV_ERROR);
}

TEST_P(StreamTest, AClientThatGoesAwayIsNoticed) {
  const StreamHandle stream;
  server_.Enqueue(Reply::Stream(stream));
  stream.Send("x");
  EXPECT_EQ(CurlGet(server_.url(), With([](const std::string&) { return false; })).code, CURLE_WRITE_ERROR);
  EXPECT_TRUE(stream.AwaitClientGone());
  EXPECT_TRUE(server_.AwaitOpenConnections(0));
}

TEST_P(StreamTest, ResettingTheConnectionsEndsARunningStream) {
  const StreamHandle stream;
  server_.Enqueue(Reply::Stream(stream));
  stream.Send("x");
  std::thread resetter;
  const CurlResult result = CurlGet(server_.url(), With([&](const std::string&) {
                                      resetter = std::thread([&] { server_.ResetConnections(); });
                                      return true;
                                    }));
  resetter.join();
  EXPECT_EQ(result.code, CURLE_RECV_ERROR);
  EXPECT_EQ(server_.open_connections(), 0U);
}

TEST_P(StreamTest, AServerWithTwoHundredOpenStreamsStopsAtOnce) {
  constexpr std::size_t kStreams = 200;
  std::optional<ScriptedServer> server(std::in_place, ScriptedServerOptions{.tls = GetParam()});
  server->Handle([](const ReceivedRequest&) { return Reply::Stream(StreamHandle()); });
  CURLM* multi = curl_multi_init();
  std::vector<CURL*> handles;
  std::string ca = server->ca_pem();
  for (std::size_t i = 0; i < kStreams; ++i) {
    CURL* handle = curl_easy_init();
    curl_easy_setopt(handle, CURLOPT_URL, server->url().c_str());
    curl_easy_setopt(handle, CURLOPT_PROXY, "");
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_blob blob{ca.data(), ca.size(), CURL_BLOB_COPY};
    if (!ca.empty()) curl_easy_setopt(handle, CURLOPT_CAINFO_BLOB, &blob);
    curl_multi_add_handle(multi, handle);
    handles.push_back(handle);
  }
  int running = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (server->Requests().size() < kStreams && std::chrono::steady_clock::now() < deadline) {
    curl_multi_perform(multi, &running);
    curl_multi_poll(multi, nullptr, 0, 20, nullptr);
  }
  EXPECT_EQ(server->Requests().size(), kStreams);
  EXPECT_EQ(server->connections(), kStreams);
  const auto start = std::chrono::steady_clock::now();
  server.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  for (CURL* handle : handles) {
    curl_multi_remove_handle(multi, handle);
    curl_easy_cleanup(handle);
  }
  curl_multi_cleanup(multi);
}

TEST(ScriptedServerTest, AServerWhoseClientDoesNotReadStopsToo) {
  std::optional<ScriptedServer> server(std::in_place);
  const StreamHandle stream;
  server->Enqueue(Reply::Stream(stream));
  stream.Send(std::string(16U << 20U, 'x'));
  const CurlResult result = CurlGet(server->url(), {.on_data = [&](const std::string&) {
                                      server.reset();
                                      return true;
                                    }});
  EXPECT_NE(result.code, CURLE_OK);
  EXPECT_TRUE(stream.AwaitEnd());
}

TEST(ScriptedServerTest, AReplyBehindAGateWaitsForTheTestOrForTheClientToGoAway) {
  ScriptedServer server;
  const Gate gate;
  server.Handle([gate](const ReceivedRequest&) { return Reply::Json("late").Behind(gate); });
  EXPECT_EQ(CurlGet(server.url(), {.timeout_ms = 30}).code, CURLE_OPERATION_TIMEDOUT);
  EXPECT_TRUE(server.AwaitOpenConnections(0));
  std::thread opener([&] {
    EXPECT_TRUE(gate.AwaitWaiting(1));
    gate.Open();
  });
  EXPECT_EQ(CurlGet(server.url()).body, "late");
  opener.join();
}

TEST(ScriptedServerTest, BytesThatAreNotHttpAndNoAnswerAtAll) {
  ScriptedServer server;
  Reply garbage;
  garbage.raw = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc";
  server.Enqueue(garbage);
  server.Enqueue(Reply::Nothing());
  server.Enqueue(Reply::Nothing(true));
  EXPECT_EQ(CurlGet(server.url()).code, CURLE_PARTIAL_FILE);
  EXPECT_EQ(CurlGet(server.url()).code, CURLE_GOT_NOTHING);
  EXPECT_EQ(CurlGet(server.url()).code, CURLE_RECV_ERROR);
}

}  // namespace
}  // namespace kinformer::testing_support
