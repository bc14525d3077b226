#include "src/base/block_cache.h"

#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace kinformer::internal {
namespace {

/// False under AddressSanitizer, where blocks are not recycled.
bool Recycles() { return BlockBytes(5000) != 5000; }

/// The cache outlives each test: Take may first return blocks that other tests gave back.
class BlockCacheTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kBytes = 30'001;

  ~BlockCacheTest() override {
    for (void* const block : blocks_) GiveBlock(block, kBytes);
  }
  void* Take() { return blocks_.emplace_back(TakeBlock(kBytes)); }
  void GiveLast() {
    GiveBlock(blocks_.back(), kBytes);
    blocks_.pop_back();
  }

  std::vector<void*> blocks_;
};

TEST_F(BlockCacheTest, ABlockThatWasGivenBackIsTakenNext) {
  void* const block = Take();
  GiveLast();
  if (!Recycles()) return;
  EXPECT_EQ(Take(), block);
}

TEST_F(BlockCacheTest, ABlockIsAsLargeAsItWasAskedFor) {
  for (const std::size_t bytes : {1U, 1023U, 1024U, 1025U, 7'777U, 32'768U, 32'769U, 1'000'000U}) {
    void* const block = TakeBlock(bytes);
    std::memset(block, 1, bytes);
    EXPECT_GE(BlockBytes(bytes), bytes);
    EXPECT_LT(BlockBytes(bytes), bytes + 128);
    GiveBlock(block, bytes);
  }
}

TEST_F(BlockCacheTest, WhatLiesIdleIsBounded) {
  for (std::size_t taken = 0; taken < 2 * kMaxIdleBlockBytes; taken += kBytes) Take();
  while (!blocks_.empty()) GiveLast();
  EXPECT_LE(IdleBlockBytes(), kMaxIdleBlockBytes);
  if (Recycles()) {
    EXPECT_GT(IdleBlockBytes(), kMaxIdleBlockBytes / 2);
  }
}

TEST_F(BlockCacheTest, ThreadsMayGiveBackWhatOthersTook) {
  constexpr int kRounds = 300;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < kRounds; ++i) {
        const std::size_t bytes = 2000 + static_cast<std::size_t>(i % 7) * 128;
        auto* const block = static_cast<char*>(TakeBlock(bytes));
        std::memset(block, i, bytes);
        std::jthread([block, bytes, i] {
          EXPECT_EQ(block[bytes - 1], static_cast<char>(i));
          if (i % 100 == 0) GiveBlock(block, bytes);
        }).join();
        if (i % 100 != 0) GiveBlock(block, bytes);
      }
    });
  }
}

TEST_F(BlockCacheTest, AnAllocatorGivesRoomBehindWhatIsShared) {
  std::byte* behind = nullptr;
  const auto text = std::allocate_shared<std::string>(BlockAllocator<std::string>(3000, &behind), "in front");
  ASSERT_NE(behind, nullptr);
  std::memset(behind, 7, 3000);
  EXPECT_EQ(*text, "in front");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(behind) % 8, 0U);
}

}  // namespace
}  // namespace kinformer::internal
