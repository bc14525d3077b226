#include "test/support/nghttpx.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <optional>
#include <system_error>

#include "test/support/curl_get.h"
#include "test/support/scripted_server.h"

namespace kinformer::testing_support {
namespace {

TEST(HelperProcessTest, AProgramThatIsNotThereIsAnErrorAndOneThatEndsIsNoticed) {
  const TempDir dir;
  const std::string log = dir.Write("log", "");
  EXPECT_THROW(HelperProcess({"/nowhere/such-a-program"}, log), std::system_error);
  HelperProcess sleeper({"sleep", "1000"}, log);
  EXPECT_FALSE(sleeper.AwaitExit(std::chrono::milliseconds(5)));
  kill(sleeper.pid(), SIGTERM);
  EXPECT_TRUE(sleeper.AwaitExit());
}

class Http2FrontTest : public ::testing::TestWithParam<bool> {
 protected:
  ScriptedServer server_{{.tls = GetParam()}};
  Http2Front front_{{.backend_port = server_.port(), .backend_tls = GetParam()}};
};
INSTANTIATE_TEST_SUITE_P(PlainAndTlsBackend, Http2FrontTest, ::testing::Bool());

TEST_P(Http2FrontTest, RequestsGoThroughAsHttp2OnOneConnection) {
  server_.Handle([](const ReceivedRequest& r) { return Reply::Json(r.target); });
  CurlClient client;
  const CurlOptions options{.ca_pem = front_.ca_pem(), .http_version = CURL_HTTP_VERSION_2TLS};
  for (int i = 0; i < 3; ++i) {
    const CurlResult result = client.Request(front_.url() + "/api/v1/pods?watch=1&a=b%2Cc", options);
    EXPECT_EQ(result.body, "/api/v1/pods?watch=1&a=b%2Cc");
    EXPECT_EQ(result.http_version, CURL_HTTP_VERSION_2_0);
  }
  EXPECT_EQ(front_.proxy().connections(), 1U);
}

TEST_P(Http2FrontTest, ManyStreamsShareOneConnectionUpToTheLimit) {
  constexpr std::size_t kStreams = 100;
  server_.Handle([](const ReceivedRequest&) { return Reply::Stream(StreamHandle()); });
  CURLM* multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, 1000L);
  std::vector<CURL*> handles;
  std::string ca = front_.ca_pem();
  for (std::size_t i = 0; i < kStreams; ++i) {
    CURL* handle = curl_easy_init();
    curl_easy_setopt(handle, CURLOPT_URL, front_.url().c_str());
    curl_easy_setopt(handle, CURLOPT_PROXY, "");
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_PIPEWAIT, 1L);
    curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
    curl_blob blob{ca.data(), ca.size(), CURL_BLOB_COPY};
    curl_easy_setopt(handle, CURLOPT_CAINFO_BLOB, &blob);
    curl_multi_add_handle(multi, handle);
    handles.push_back(handle);
  }
  int running = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (server_.Requests().size() < kStreams && std::chrono::steady_clock::now() < deadline) {
    curl_multi_perform(multi, &running);
    curl_multi_poll(multi, nullptr, 0, 20, nullptr);
  }
  EXPECT_EQ(server_.Requests().size(), kStreams);
  EXPECT_EQ(server_.connections(), kStreams);
  EXPECT_EQ(front_.proxy().connections(), 1U);
  for (CURL* handle : handles) {
    curl_multi_remove_handle(multi, handle);
    curl_easy_cleanup(handle);
  }
  curl_multi_cleanup(multi);
  EXPECT_TRUE(server_.AwaitOpenConnections(0));
}

TEST(Http2FrontLimitsTest, AfterSoManyRequestsTheConnectionGoesAwayWithItsLastStream) {
  ScriptedServer server;
  server.Handle([](const ReceivedRequest&) { return Reply::Json("{}"); });
  Http2Front front({.backend_port = server.port(), .max_requests_per_connection = 2});
  const CurlOptions options{.ca_pem = front.ca_pem(), .http_version = CURL_HTTP_VERSION_2TLS};
  CurlClient client;
  // nghttpx may serve a few more requests than the limit.
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.Request(front.url(), options).status, 200);
  EXPECT_GE(front.proxy().connections(), 2U);
}

TEST_P(Http2FrontTest, AKilledFrontRefusesOrResets) {
  front_.Kill();
  EXPECT_NE(CurlGet(front_.url(), {.ca_pem = front_.ca_pem()}).code, CURLE_OK);
}

}  // namespace
}  // namespace kinformer::testing_support
