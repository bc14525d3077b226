#include "src/transport/url.h"

#include <gtest/gtest.h>

namespace kinformer::internal {
namespace {

TEST(CheckProxyUrlTest, HttpHttpsAndSocksAreKnown) {
  EXPECT_TRUE(CheckProxyUrl("http://user:pass@proxy:3128").ok());
  EXPECT_TRUE(CheckProxyUrl("https://proxy").ok());
  EXPECT_TRUE(CheckProxyUrl("socks5://proxy:1080").ok());
  EXPECT_TRUE(CheckProxyUrl("socks5h://[::1]:1080").ok());
}

TEST(CheckProxyUrlTest, MistakesAreNamedWithoutQuoting) {
  for (const char* url : {"proxy:3128", "socks4://proxy", "ftp://u:hunter2@proxy", "http://", "http://:3128",
                          "http://u:hunter2@proxy:0", "http://proxy:65536", "http://proxy:hunter2", "http://pro xy"}) {
    const Result<void> checked = CheckProxyUrl(url);
    ASSERT_FALSE(checked.ok()) << url;
    EXPECT_EQ(checked.error().code, ErrorCode::kInvalidConfig) << url;
    EXPECT_EQ(checked.error().message.find("hunter2"), std::string::npos) << url;
  }
}

}  // namespace
}  // namespace kinformer::internal
