#include "test/support/slow_resolver.h"

#include <gtest/gtest.h>

#include <future>

#include "test/support/curl_get.h"
#include "test/support/scripted_server.h"

namespace kinformer::testing_support {
namespace {

TEST(SlowResolverTest, ALookUpInsideLibcurlTakesTheDelayAndFails) {
  SetSlowResolverDelay(std::chrono::milliseconds(150));
  const std::size_t before = SlowResolverCalls();
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(CurlGet("http://a.slow.test:1/").code, CURLE_COULDNT_RESOLVE_HOST);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(150));
  EXPECT_GT(SlowResolverCalls(), before);
}

TEST(SlowResolverTest, AWaitingLookUpCanBeReleased) {
  SetSlowResolverDelay(std::chrono::hours(1));
  const std::size_t before = SlowResolverCalls();
  auto result = std::async(std::launch::async, [] { return CurlGet("http://b.slow.test:1/"); });
  ASSERT_TRUE(AwaitSlowResolverCalls(before + 1));
  SetSlowResolverDelay(std::chrono::milliseconds(0));
  ReleaseSlowResolver();
  EXPECT_EQ(result.get().code, CURLE_COULDNT_RESOLVE_HOST);
  EXPECT_EQ(SlowResolverWaiting(), 0U);
}

TEST(SlowResolverTest, OtherNamesGoToTheRealOne) {
  ScriptedServer server;
  server.Enqueue(Reply::Json("found"));
  const std::size_t before = SlowResolverCalls();
  EXPECT_EQ(CurlGet("http://localhost:" + std::to_string(server.port())).body, "found");
  EXPECT_EQ(SlowResolverCalls(), before);
}

}  // namespace
}  // namespace kinformer::testing_support
