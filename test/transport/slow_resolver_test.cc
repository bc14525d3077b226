// Slow name lookups delay only the requests that need them.

#include <chrono>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "src/transport/curl_transport.h"
#include "test/support/scripted_server.h"
#include "test/support/slow_resolver.h"

namespace kinformer::internal {
namespace {

using namespace std::chrono_literals;
using testing_support::ReceivedRequest;
using testing_support::Reply;
using testing_support::ScriptedServer;
using testing_support::StreamHandle;

class SlowLookupTest : public ::testing::Test {
 protected:
  ~SlowLookupTest() override {
    // Nothing joins libcurl's lookup threads; this lets them end.
    testing_support::SetSlowResolverDelay(0ms);
    testing_support::ReleaseSlowResolver();
  }
};

TEST_F(SlowLookupTest, CancellingARequestInTheMiddleOfALookupHoldsUpNoOtherWatch) {
  ScriptedServer server;
  const StreamHandle events;
  server.Enqueue(Reply::Stream(events));
  testing_support::SetSlowResolverDelay(0ms);
  auto transport = CurlTransport::Create({.server = "http://here.slow.test:" + std::to_string(server.port()),
                                          .user_agent = "kinformer-test",
                                          .dns_cache = 0s})
                       .value();
  const auto watch = transport->Start({.target = "/watch", .resumable = true});
  ASSERT_TRUE(std::holds_alternative<ResponseHead>(*Next(*watch, {})));

  testing_support::SetSlowResolverDelay(1h);
  const std::size_t before = testing_support::SlowResolverCalls();
  auto looking_up = transport->Start({.target = "/get"});
  ASSERT_TRUE(testing_support::AwaitSlowResolverCalls(before + 1));
  for (int i = 0; i < 3; ++i) {
    events.Send("event");
    ASSERT_EQ(std::get<std::string>(*Next(*watch, {})), "event") << "while the lookup goes on";
  }
  const auto begun = std::chrono::steady_clock::now();
  looking_up.reset();
  events.Send("after");
  ASSERT_EQ(std::get<std::string>(*Next(*watch, {})), "after");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 1s) << "the loop did not wait for the lookup";
}

TEST_F(SlowLookupTest, TheTransportEndsWithoutWaitingForALookup) {
  testing_support::SetSlowResolverDelay(1h);
  const std::size_t before = testing_support::SlowResolverCalls();
  auto transport = CurlTransport::Create({.server = "http://there.slow.test:80"}).value();
  const auto stream = transport->Start({.target = "/"});
  ASSERT_TRUE(testing_support::AwaitSlowResolverCalls(before + 1));
  const auto begun = std::chrono::steady_clock::now();
  transport.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 1s);
  const auto part = Next(*stream, {});
  ASSERT_FALSE(part.ok());
  EXPECT_EQ(part.error().code, ErrorCode::kCancelled);
}

TEST_F(SlowLookupTest, ANameThatIsNotFoundIsUnreachable) {
  testing_support::SetSlowResolverDelay(0ms);
  const auto transport = CurlTransport::Create({.server = "http://there.slow.test:80"}).value();
  const auto stream = transport->Start({.target = "/"});
  const auto part = Next(*stream, {});
  ASSERT_FALSE(part.ok());
  EXPECT_EQ(part.error().code, ErrorCode::kUnreachable);
  EXPECT_NE(part.error().message.find("there.slow.test"), std::string::npos);
}

}  // namespace
}  // namespace kinformer::internal
