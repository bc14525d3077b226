#include "src/client/request_target.h"

#include <gtest/gtest.h>

#include <optional>

namespace kinformer::internal {
namespace {

TEST(ResourceOfTest, IsTheResourceOfAnObjectItsCollectionAndItsSubresources) {
  const GroupVersionResource pods{"", "v1", "pods"};
  EXPECT_EQ(ResourceOf("/api/v1/pods?watch=true"), pods);
  EXPECT_EQ(ResourceOf("/api/v1/namespaces/default/pods"), pods);
  EXPECT_EQ(ResourceOf("/api/v1/namespaces/default/pods/web-0"), pods);
  EXPECT_EQ(ResourceOf("/api/v1/namespaces/default/pods/web-0/status"), pods);
  const GroupVersionResource webs{"example.com", "v1", "webs"};
  EXPECT_EQ(ResourceOf("/apis/example.com/v1/webs"), webs);
  EXPECT_EQ(ResourceOf("/apis/example.com/v1/namespaces/default/webs/a"), webs);
}

TEST(ResourceOfTest, ANamespaceIsAResourceToo) {
  const GroupVersionResource namespaces{"", "v1", "namespaces"};
  EXPECT_EQ(ResourceOf("/api/v1/namespaces"), namespaces);
  EXPECT_EQ(ResourceOf("/api/v1/namespaces/x"), namespaces);
  EXPECT_EQ(ResourceOf("/api/v1/namespaces/x/status"), namespaces);
  EXPECT_EQ(ResourceOf("/api/v1/namespaces/x/finalize?dryRun=All"), namespaces);
}

TEST(ResourceOfTest, OtherPathsHaveNone) {
  for (const char* target : {"", "/", "/version", "/api", "/api/v1", "/api/v1/", "/apis/apps", "/apis/apps/v1"}) {
    EXPECT_EQ(ResourceOf(target), std::nullopt) << target;
  }
}

}  // namespace
}  // namespace kinformer::internal
