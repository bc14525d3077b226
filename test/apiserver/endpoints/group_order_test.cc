#include "src/apiserver/endpoints/group_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinformer::apiserver {
namespace {

TEST(GroupOrder, KubernetesOwnGroupsComeFirstInTheirOrderAndTheOthersByName) {
  const auto kind = [](const char* group) { return ServedKind{.resource = {group, "v1", "things"}, .kind = "Thing"}; };
  EXPECT_THAT(GroupsInOrder({kind("zoo.example.com"), kind("batch"), kind(""), kind("ant.example.com"), kind("apps"),
                             kind("batch"), kind("discovery.k8s.io"), kind("events.k8s.io")}),
              ::testing::ElementsAre("apps", "events.k8s.io", "batch", "discovery.k8s.io", "ant.example.com",
                                     "zoo.example.com"));
}

}  // namespace
}  // namespace kinformer::apiserver
