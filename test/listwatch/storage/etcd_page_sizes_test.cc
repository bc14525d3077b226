#include "src/listwatch/storage/etcd_page_sizes.h"

#include <string>

#include <gtest/gtest.h>

namespace kinformer::apiserver {
namespace {

constexpr const char* kPods = "/registry/pods/";

TEST(EtcdPageSizesTest, TheFirstPageIsSmallAndTheCallersLimitCounts) {
  const EtcdPageSizes sizes(4'000'000);
  EXPECT_EQ(sizes.For(kPods, 0), 16);
  EXPECT_EQ(sizes.For(kPods, 500), 16);
  EXPECT_EQ(sizes.For(kPods, 3), 3);
}

TEST(EtcdPageSizesTest, PagesOfSmallObjectsGrowStepByStepToTheTargetSize) {
  EtcdPageSizes sizes(4'000'000);
  std::int64_t page = 16;
  for (const std::int64_t next : {64, 256, 1024, 2000, 2000}) {
    sizes.Saw(kPods, static_cast<std::size_t>(page), static_cast<std::size_t>(page) * 2000);
    page = sizes.For(kPods, 0);
    EXPECT_EQ(page, next);
  }
}

TEST(EtcdPageSizesTest, APageNeverHasMoreThanTenThousandKeys) {
  EtcdPageSizes sizes(4'000'000);
  sizes.Saw(kPods, 9000, 9000);
  EXPECT_EQ(sizes.For(kPods, 0), 10'000);
}

TEST(EtcdPageSizesTest, PagesShrinkToTheTargetSizeAtOnceButNeverToNothing) {
  EtcdPageSizes sizes(4'000'000);
  sizes.Saw(kPods, 16, 16 * 1'000'000);
  EXPECT_EQ(sizes.For(kPods, 0), 4);
  sizes.Saw(kPods, 1, 50'000'000);
  EXPECT_EQ(sizes.For(kPods, 0), 1);
}

TEST(EtcdPageSizesTest, APageThatWasTooLargeIsHalved) {
  EtcdPageSizes sizes(4'000'000);
  sizes.TooLarge(kPods, 16);
  EXPECT_EQ(sizes.For(kPods, 0), 8);
  sizes.TooLarge(kPods, 1);
  EXPECT_EQ(sizes.For(kPods, 0), 1);
}

TEST(EtcdPageSizesTest, AnEmptyAnswerSaysNothing) {
  EtcdPageSizes sizes(4'000'000);
  sizes.Saw(kPods, 0, 100);
  EXPECT_EQ(sizes.For(kPods, 0), 16);
}

TEST(EtcdPageSizesTest, OnePrefixDoesNotChangeOthersButForAFewThatShareItsSlot) {
  EtcdPageSizes sizes(4'000'000);
  sizes.Saw(kPods, 16, 16 * 1'000'000);
  int changed = 0;
  for (int i = 0; i < 100; ++i) {
    if (sizes.For("/registry/example.com/kind" + std::to_string(i) + "/", 0) != 16) ++changed;
  }
  EXPECT_LT(changed, 10);
}

}  // namespace
}  // namespace kinformer::apiserver
