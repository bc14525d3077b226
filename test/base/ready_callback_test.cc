#include "src/base/ready_callback.h"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

namespace kinformer::internal {
namespace {

TEST(ReadyCallbackTest, CallsTheFunctionOnce) {
  ReadyCallback callback;
  callback.Call();
  int calls = 0;
  callback.Set([&] { ++calls; });
  callback.Call();
  callback.Call();
  EXPECT_EQ(calls, 1);
  callback.Set([&] { ++calls; });
  callback.Set(nullptr);
  callback.Call();
  EXPECT_EQ(calls, 1);
}

TEST(ReadyCallbackTest, TheFunctionMayReplaceItselfAndDestroyTheCallback) {
  auto callback = std::make_unique<ReadyCallback>();
  int calls = 0;
  callback->Set([&] {
    ++calls;
    callback->Set([&] {
      ++calls;
      callback->Set(nullptr);
      callback = nullptr;
    });
  });
  callback->Call();
  EXPECT_EQ(calls, 1);
  callback->Call();
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(callback, nullptr);
}

TEST(ReadyCallbackTest, ReplacingItWaitsForACallOnAnotherThread) {
  ReadyCallback callback;
  std::promise<void> entered;
  std::promise<void> leave;
  std::atomic<bool> left = false;
  callback.Set([&] {
    entered.set_value();
    leave.get_future().wait();
    left = true;
  });
  std::jthread caller([&] { callback.Call(); });
  entered.get_future().wait();
  std::jthread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    leave.set_value();
  });
  callback.Set(nullptr);
  EXPECT_TRUE(left);
}

TEST(ReadyCallbackTest, WhatTheFunctionOwnsIsGoneWhenItIsReplaced) {
  ReadyCallback callback;
  const auto owned = std::make_shared<int>();
  callback.Set([owned] {});
  EXPECT_EQ(owned.use_count(), 2);
  callback.Set(nullptr);
  EXPECT_EQ(owned.use_count(), 1);
  callback.Set([owned] {});
  callback.Call();
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(ReadyCallbackTest, WhatTheFunctionThrowsGoesNoFurther) {
  ReadyCallback callback;
  callback.Set([] { throw std::runtime_error("no"); });
  EXPECT_NO_THROW(callback.Call());
  callback.Set(nullptr);
}

TEST(ReadyCallbackTest, OfManyCallersOneCalls) {
  ReadyCallback callback;
  std::atomic<int> calls = 0;
  for (int i = 0; i < 200; ++i) {
    callback.Set([&] { ++calls; });
    {
      std::jthread one([&] { callback.Call(); });
      std::jthread other([&] { callback.Call(); });
    }
    ASSERT_EQ(calls, i + 1);
  }
}

}  // namespace
}  // namespace kinformer::internal
