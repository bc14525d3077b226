#include "test/support/proxy.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "test/support/curl_get.h"
#include "test/support/scripted_server.h"

namespace kinformer::testing_support {
namespace {

class FaultProxyTest : public ::testing::Test {
 protected:
  std::string Url() const { return "http://127.0.0.1:" + std::to_string(proxy_.port()); }

  // A stream through the proxy that runs until the test or a fault ends it.
  std::future<CurlResult> Stream(const StreamHandle& stream) {
    server_.Enqueue(Reply::Stream(stream));
    stream.Send("first");
    std::promise<void> first;
    std::future<void> arrived = first.get_future();
    auto result = std::async(std::launch::async, [url = Url(), got = std::move(first)]() mutable {
      return CurlGet(url, {.on_data = [&](const std::string& body) {
                       if (body == "first") got.set_value();
                       return true;
                     }});
    });
    EXPECT_EQ(arrived.wait_for(kPatience), std::future_status::ready);
    return result;
  }

  ScriptedServer server_;
  FaultProxy proxy_{server_.port()};
};

TEST_F(FaultProxyTest, ForwardsBothWaysAndCounts) {
  server_.Handle([](const ReceivedRequest& r) { return Reply::Json(r.body); });
  const std::string big(3U << 20U, 'b');
  EXPECT_TRUE(CurlGet(Url(), {.method = "POST", .body = big}).body == big);
  EXPECT_GT(proxy_.bytes_to_server(), big.size());
  EXPECT_GT(proxy_.bytes_to_clients(), big.size());
  EXPECT_EQ(proxy_.connections(), 1U);
  EXPECT_TRUE(proxy_.AwaitOpenConnections(0));
}

TEST_F(FaultProxyTest, AStalledConnectionIsSilentWhileNewOnesWorkAndResumesWithWhatWasHeld) {
  const StreamHandle stream;
  auto result = Stream(stream);
  proxy_.StallExisting();
  const std::uint64_t before = proxy_.bytes_to_clients();
  stream.Send(" second");
  stream.Close();
  ASSERT_TRUE(stream.AwaitEnd());
  EXPECT_EQ(proxy_.bytes_to_clients(), before);
  server_.Enqueue(Reply::Json("new"));
  EXPECT_EQ(CurlGet(Url()).body, "new");
  EXPECT_EQ(result.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  proxy_.Resume();
  EXPECT_EQ(result.get().body, "first second");
}

TEST_F(FaultProxyTest, WithEverythingStalledANewConnectionIsAcceptedAndSilent) {
  proxy_.StallAll();
  EXPECT_EQ(CurlGet(Url(), {.timeout_ms = 100}).code, CURLE_OPERATION_TIMEDOUT);
  EXPECT_EQ(proxy_.connections(), 1U);
  EXPECT_TRUE(proxy_.AwaitOpenConnections(0));
  EXPECT_TRUE(server_.Requests().empty());
  proxy_.Resume();
  server_.Handle([](const ReceivedRequest&) { return Reply::Json("ok"); });
  EXPECT_EQ(CurlGet(Url()).body, "ok");
}

TEST_F(FaultProxyTest, CutAndResetEndTheStream) {
  const StreamHandle cut;
  auto cut_result = Stream(cut);
  proxy_.CutExisting();
  EXPECT_NE(cut_result.get().code, CURLE_OK);
  EXPECT_TRUE(cut.AwaitClientGone());
  const StreamHandle reset;
  auto reset_result = Stream(reset);
  proxy_.ResetExisting();
  EXPECT_EQ(reset_result.get().code, CURLE_RECV_ERROR);
  EXPECT_TRUE(reset.AwaitClientGone());
  EXPECT_EQ(proxy_.open_connections(), 0U);
}

TEST_F(FaultProxyTest, HalfClosedTowardsTheClientTheStreamEndsThere) {
  const StreamHandle stream;
  auto result = Stream(stream);
  proxy_.HalfCloseToClients();
  EXPECT_NE(result.get().code, CURLE_OK);
  EXPECT_TRUE(stream.AwaitClientGone());
}

TEST_F(FaultProxyTest, HalfClosedTowardsTheServerItSeesTheClientGo) {
  const StreamHandle stream;
  auto result = Stream(stream);
  proxy_.HalfCloseToServer();
  EXPECT_TRUE(stream.AwaitClientGone());
  EXPECT_NE(result.get().code, CURLE_OK);
}

TEST_F(FaultProxyTest, RefusesNewConnectionsAndTakesThemAgainOnTheSamePort) {
  const StreamHandle stream;
  auto result = Stream(stream);
  proxy_.RefuseNew(true);
  EXPECT_EQ(CurlGet(Url()).code, CURLE_COULDNT_CONNECT);
  proxy_.RefuseNew(false);
  server_.Enqueue(Reply::Json("ok"));
  EXPECT_EQ(CurlGet(Url()).body, "ok");
  stream.Close();
  EXPECT_EQ(result.get().body, "first");
}

TEST_F(FaultProxyTest, ADelayHoldsBytesBack) {
  server_.Enqueue(Reply::Json("late"));
  proxy_.SetDelay(std::chrono::milliseconds(60));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(CurlGet(Url()).body, "late");
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(120));
}

TEST_F(FaultProxyTest, AServerThatIsNotThereIsAReset) {
  int port = 0;
  {
    const ScriptedServer gone;
    port = gone.port();
  }
  const FaultProxy proxy(port);
  // The exact error depends on timing.
  EXPECT_NE(CurlGet("http://127.0.0.1:" + std::to_string(proxy.port())).code, CURLE_OK);
  EXPECT_TRUE(proxy.AwaitOpenConnections(0));
}

}  // namespace
}  // namespace kinformer::testing_support
