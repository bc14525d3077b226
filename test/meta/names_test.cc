#include <kinformer/meta/names.h>

#include <unordered_set>

#include <gtest/gtest.h>

namespace kinformer {
namespace {

TEST(NamesTest, AnApiVersionOfTheCoreGroupHasNoGroup) {
  auto gvk = GroupVersionKind::FromApiVersion("v1", "Pod");
  ASSERT_TRUE(gvk);
  EXPECT_EQ(*gvk, (GroupVersionKind{"", "v1", "Pod"}));
  EXPECT_EQ(gvk->ApiVersion(), "v1");
  EXPECT_EQ(ToString(*gvk), "Pod");
}

TEST(NamesTest, AnApiVersionWithAGroupComesApartAndTogether) {
  auto gvk = GroupVersionKind::FromApiVersion("apps/v1", "Deployment");
  ASSERT_TRUE(gvk);
  EXPECT_EQ(*gvk, (GroupVersionKind{"apps", "v1", "Deployment"}));
  EXPECT_EQ(gvk->ApiVersion(), "apps/v1");
  EXPECT_EQ(ToString(*gvk), "Deployment.apps");
}

TEST(NamesTest, AnApiVersionThatIsNoneIsAnErrorThatShowsIt) {
  for (const char* bad : {"", "/v1", "apps/", "a/b/c"}) {
    auto gvk = GroupVersionKind::FromApiVersion(bad, "X");
    ASSERT_FALSE(gvk) << bad;
    EXPECT_EQ(gvk.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(gvk.error().message.find(bad), std::string::npos);
  }
  EXPECT_FALSE(GroupVersionKind::FromApiVersion(std::string(5000, 'v'), "X"));
}

TEST(NamesTest, AResourceIsNamedWithItsGroupBehindIt) {
  EXPECT_EQ(ToString(GroupVersionResource{"apps", "v1", "deployments"}), "deployments.apps");
  EXPECT_EQ(ToString(GroupVersionResource{"", "v1", "pods"}), "pods");
  EXPECT_EQ((GroupVersionResource{"apps", "v1", "deployments"}).ApiVersion(), "apps/v1");
}

TEST(NamesTest, AKeyComesApartAndTogether) {
  EXPECT_EQ(*NamespacedName::Parse("default/web-0"), (NamespacedName{"default", "web-0"}));
  EXPECT_EQ(*NamespacedName::Parse("node-7"), (NamespacedName{"", "node-7"}));
  EXPECT_EQ(ToString(NamespacedName{"default", "web-0"}), "default/web-0");
  EXPECT_EQ(ToString(NamespacedName{"", "node-7"}), "node-7");
}

TEST(NamesTest, AKeyThatIsNoneIsAnError) {
  for (const char* bad : {"", "/", "a/", "/b", "a/b/c"}) {
    auto key = NamespacedName::Parse(bad);
    ASSERT_FALSE(key) << bad;
    EXPECT_EQ(key.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(NamesTest, AnErrorShowsOnlyTheBeginningOfALongKeyAndNoControlBytes) {
  auto key = NamespacedName::Parse("a\x01/b/" + std::string(2000, 'x'));
  ASSERT_FALSE(key);
  EXPECT_LT(key.error().message.size(), 200U);
  EXPECT_NE(key.error().message.find("a\\x01/b/"), std::string::npos);
}

TEST(NamesTest, NamesThatDifferInOnePartHaveDifferentHashes) {
  std::unordered_set<std::size_t> hashes;
  const std::hash<NamespacedName> hash;
  hashes.insert(hash({"a", "b"}));
  hashes.insert(hash({"b", "a"}));
  hashes.insert(hash({"", "ab"}));
  hashes.insert(hash({"ab", ""}));
  EXPECT_EQ(hashes.size(), 4U);
  EXPECT_EQ(hash({"a", "b"}), hash({"a", "b"}));

  EXPECT_NE((std::hash<GroupVersionKind>{}({"apps", "v1", "X"})), (std::hash<GroupVersionKind>{}({"apps", "v2", "X"})));
  EXPECT_NE((std::hash<GroupVersionResource>{}({"apps", "v1", "x"})),
            (std::hash<GroupVersionResource>{}({"", "v1", "x"})));
}

}  // namespace
}  // namespace kinformer
