// The generated table of resources.

#include "src/schema/built_in_resources.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>

#include "src/schema/built_in_schemas.h"

namespace kinformer::apiserver {
namespace {

const BuiltInResource* FindResource(std::string_view group, std::string_view version, std::string_view resource) {
  for (const BuiltInResource& one : AllBuiltInResources()) {
    if (one.group == group && one.version == version && one.resource == resource) return &one;
  }
  return nullptr;
}

TEST(BuiltInResources, AreSortedAndEachHasASchema) {
  const auto all = AllBuiltInResources();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](const BuiltInResource& a, const BuiltInResource& b) {
    return std::tie(a.group, a.version, a.resource) < std::tie(b.group, b.version, b.resource);
  }));
  for (const BuiltInResource& one : all) {
    EXPECT_NE(FindBuiltInSchema({std::string(one.group), std::string(one.version), std::string(one.kind)}), nullptr)
        << one.resource;
    EXPECT_FALSE(one.verbs.empty()) << one.resource;
    EXPECT_TRUE(std::is_sorted(one.subresources.begin(), one.subresources.end(), [](const auto& a, const auto& b) {
      return a.name < b.name;
    })) << one.resource;
  }
}

TEST(BuiltInResources, SubresourcesBelongToTheirResource) {
  const BuiltInResource* const deployments = FindResource("apps", "v1", "deployments");
  ASSERT_NE(deployments, nullptr);
  ASSERT_EQ(deployments->subresources.size(), 2U);
  EXPECT_EQ(deployments->subresources[0].name, "scale");
  EXPECT_EQ(deployments->subresources[0].group, "autoscaling");
  EXPECT_EQ(deployments->subresources[1].name, "status");
  EXPECT_EQ(deployments->subresources[1].kind, "Deployment");

  const BuiltInResource* const nodes = FindResource("", "v1", "nodes");
  ASSERT_NE(nodes, nullptr);
  EXPECT_FALSE(nodes->namespaced);
  EXPECT_EQ(nodes->short_names, "no");
  EXPECT_EQ(FindResource("", "v1", "webs"), nullptr);
}

}  // namespace
}  // namespace kinformer::apiserver
