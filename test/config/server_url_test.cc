#include "src/config/server_url.h"

#include <gtest/gtest.h>

namespace kinformer::internal {
namespace {

TEST(ServerUrlTest, IsPutIntoOneForm) {
  EXPECT_EQ(*NormalizeServerUrl("HTTPS://host:6443"), "https://host:6443");
  EXPECT_EQ(*NormalizeServerUrl("https://host/"), "https://host");
  EXPECT_EQ(*NormalizeServerUrl("https://host/k8s/clusters/c-1/?x=1#y"), "https://host/k8s/clusters/c-1");
  EXPECT_EQ(*NormalizeServerUrl("https://[fd00::1]:443"), "https://[fd00::1]:443");
  EXPECT_EQ(*NormalizeServerUrl("http://127.0.0.1:8080"), "http://127.0.0.1:8080");
}

TEST(ServerUrlTest, MistakesAreNamedWithoutQuoting) {
  for (const char* url : {"host:6443", "ftp://host", "https://", "https://:443", "https://host:0", "https://host:65536",
                          "https://host:x", "https://user:hunter2@host", "https://ho st", "https://[::1", "://x",
                          "https://[::1]x", "https://a\nb", "https://h%00st"}) {
    const auto checked = NormalizeServerUrl(url);
    ASSERT_FALSE(checked.ok()) << url;
    EXPECT_EQ(checked.error().message.find("hunter2"), std::string::npos);
  }
}

}  // namespace
}  // namespace kinformer::internal
