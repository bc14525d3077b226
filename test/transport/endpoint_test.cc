#include "src/transport/endpoint.h"

#include <gtest/gtest.h>

namespace kinformer::internal {
namespace {

TEST(EndpointTest, TakesAUrlApart) {
  const auto endpoint = Endpoint::Parse("https://api.example.com:6443/k8s/clusters/c-1/");
  ASSERT_TRUE(endpoint.ok());
  EXPECT_EQ(endpoint->scheme, "https");
  EXPECT_EQ(endpoint->host, "api.example.com");
  EXPECT_EQ(endpoint->port, "6443");
  EXPECT_EQ(endpoint->prefix, "/k8s/clusters/c-1");
  EXPECT_EQ(endpoint->Authority(), "api.example.com:6443");
}

TEST(EndpointTest, KnowsTheDefaultPorts) {
  EXPECT_EQ(Endpoint::Parse("https://a")->port, "443");
  EXPECT_EQ(Endpoint::Parse("http://a/")->port, "80");
  EXPECT_EQ(Endpoint::Parse("https://a/")->prefix, "");
}

TEST(EndpointTest, KeepsTheBracketsOfIpv6) {
  EXPECT_EQ(Endpoint::Parse("https://[::1]:6443")->Authority(), "[::1]:6443");
}

TEST(EndpointTest, RefusesWhatIsNoServerAndNeverRepeatsAPassword) {
  for (const char* url : {"", "ftp://a", "https://", "https://user:hunter2@a", "https://a?x=1", "https://a#f",
                          "https://a:99999", "unix:///run/x"}) {
    const auto endpoint = Endpoint::Parse(url);
    ASSERT_FALSE(endpoint.ok()) << url;
    EXPECT_EQ(endpoint.error().code, ErrorCode::kInvalidConfig) << url;
    EXPECT_EQ(endpoint.error().message.find("hunter2"), std::string::npos);
  }
}

TEST(EndpointTest, KnowsLoopback) {
  EXPECT_TRUE(Endpoint::Parse("https://127.0.0.1:1")->IsLoopback());
  EXPECT_TRUE(Endpoint::Parse("https://localhost:1")->IsLoopback());
  EXPECT_FALSE(Endpoint::Parse("https://example.com:1")->IsLoopback());
}

}  // namespace
}  // namespace kinformer::internal
