#include "test/chaos/chaos_proxy.h"

#include <gtest/gtest.h>

#include "test/support/curl_get.h"
#include "test/support/scripted_server.h"

namespace kinformer::chaos {
namespace {

using namespace std::chrono_literals;
using testing_support::CurlGet;
using testing_support::CurlResult;
using testing_support::ReceivedRequest;
using testing_support::Reply;
using testing_support::ScriptedServer;

class ChaosProxyTest : public ::testing::Test {
 protected:
  ChaosProxyTest() {
    server_.Handle([](const ReceivedRequest& request) { return Reply::Json(request.body); });
  }
  std::string Echo(const ChaosProxy& proxy, const std::string& body) {
    last_ = CurlGet("http://127.0.0.1:" + std::to_string(proxy.port()), {.method = "POST", .body = body});
    return last_.body;
  }
  static ChaosProxy::HarmsOfConnection ToClient(const Harm& harm) {
    return [harm](std::uint64_t) { return ConnectionHarms{.to_client = {harm}}; };
  }

  ScriptedServer server_;
  CurlResult last_{};
};

TEST_F(ChaosProxyTest, WithoutHarmManyBytesPassBothWays) {
  const ChaosProxy proxy(server_.port(), [](std::uint64_t) { return ConnectionHarms{}; });
  const std::string big(3U << 20U, 'b');
  EXPECT_TRUE(Echo(proxy, big) == big);
  EXPECT_GT(proxy.bytes(), 2 * big.size());
  EXPECT_EQ(proxy.connections(), 1U);
  EXPECT_TRUE(proxy.harms().empty());
}

TEST_F(ChaosProxyTest, EachConnectionHasTheHarmsOfItsNumber) {
  const ChaosProxy proxy(server_.port(), [](std::uint64_t connection) {
    if (connection != 1) return ConnectionHarms{};
    return ConnectionHarms{.to_client = {{.kind = HarmKind::kReset, .at = 10}}};
  });
  EXPECT_EQ(Echo(proxy, "first"), "first");
  EXPECT_EQ(Echo(proxy, "second"), "");
  EXPECT_NE(last_.code, CURLE_OK);
  EXPECT_EQ(Echo(proxy, "third"), "third");
  EXPECT_EQ(proxy.harms(), (std::map<HarmKind, std::uint64_t>{{HarmKind::kReset, 1}}));
}

TEST_F(ChaosProxyTest, AnEndInTheMiddleOfAnAnswerIsSeenAsOne) {
  for (const HarmKind kind : {HarmKind::kCut, HarmKind::kReset, HarmKind::kTruncate, HarmKind::kHalfClose}) {
    const ChaosProxy proxy(server_.port(), ToClient({.kind = kind, .at = 500, .length = 100}));
    Echo(proxy, std::string(10'000, 'x'));
    EXPECT_NE(last_.code, CURLE_OK) << NameOf(kind);
  }
}

TEST_F(ChaosProxyTest, AChangedByteGetsThroughWhereNothingGuardsIt) {
  // Without TLS the client cannot detect the corruption, which is why the run's connections use TLS.
  const ChaosProxy proxy(server_.port(), ToClient({.kind = HarmKind::kFlip, .at = 5'000}));
  const std::string sent(10'000, 'x');
  const std::string got = Echo(proxy, sent);
  EXPECT_EQ(last_.code, CURLE_OK);
  EXPECT_EQ(got.size(), sent.size());
  EXPECT_NE(got, sent);
}

TEST_F(ChaosProxyTest, WhatIsHeldUpComesInTheEnd) {
  for (const HarmKind kind : {HarmKind::kStall, HarmKind::kDelay, HarmKind::kTrickle}) {
    const ChaosProxy proxy(server_.port(), ToClient({.kind = kind, .at = 20, .length = 100, .duration = 30ms}));
    const std::string sent(10'000, 'x');
    EXPECT_TRUE(Echo(proxy, sent) == sent) << NameOf(kind);
  }
}

TEST_F(ChaosProxyTest, RefusedConnectionsAreRefusedUntilCalm) {
  ChaosProxy proxy(server_.port(), ToClient({.kind = HarmKind::kReset, .at = 0}));
  proxy.Refuse(1h);
  Echo(proxy, "refused");
  EXPECT_EQ(last_.code, CURLE_COULDNT_CONNECT);
  EXPECT_EQ(proxy.connections(), 0U);
  proxy.Calm();
  EXPECT_EQ(Echo(proxy, "calm"), "calm");
}

TEST_F(ChaosProxyTest, WhatIsStalledGoesOnWithCalm) {
  ChaosProxy proxy(server_.port(), [](std::uint64_t) { return ConnectionHarms{}; });
  proxy.StallAll(1h);
  last_ = CurlGet("http://127.0.0.1:" + std::to_string(proxy.port()), {.timeout_ms = 100});
  EXPECT_EQ(last_.code, CURLE_OPERATION_TIMEDOUT);
  proxy.Calm();
  EXPECT_EQ(Echo(proxy, "calm"), "calm");
}

TEST_F(ChaosProxyTest, ConnectionsThatRunAreCutResetAndHalfClosed) {
  for (void (ChaosProxy::*const harm)() : {&ChaosProxy::CutAll, &ChaosProxy::ResetAll, &ChaosProxy::HalfCloseAll}) {
    ChaosProxy proxy(server_.port(), [](std::uint64_t) { return ConnectionHarms{}; });
    const testing_support::StreamHandle stream;
    server_.Handle([&](const ReceivedRequest&) { return Reply::Stream(stream); });
    stream.Send("first");
    const CurlResult result =
        CurlGet("http://127.0.0.1:" + std::to_string(proxy.port()), {.on_data = [&](const std::string&) {
                  (proxy.*harm)();
                  return true;
                }});
    EXPECT_NE(result.code, CURLE_OK);
    EXPECT_EQ(result.body, "first");
    EXPECT_TRUE(stream.AwaitClientGone());
  }
}

}  // namespace
}  // namespace kinformer::chaos
