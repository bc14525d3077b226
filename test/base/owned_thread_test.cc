#include "src/base/owned_thread.h"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>

#include <gtest/gtest.h>

#include "test/support/leak_check.h"

namespace kinformer::internal {
namespace {

using namespace std::chrono_literals;

void AwaitStop(const std::stop_token& stop) {
  std::promise<void> stopped;
  const std::stop_callback on_stop(stop, [&] { stopped.set_value(); });
  stopped.get_future().wait();
}

TEST(OwnedThreadTest, IsStoppedAndJoinedByItsOwner) {
  std::atomic<bool> ended = false;
  {
    OwnedThread thread;
    EXPECT_FALSE(thread.started());
    thread.Start([&](const std::stop_token& stop) {
      AwaitStop(stop);
      ended = true;
    });
    EXPECT_TRUE(thread.started());
  }
  EXPECT_TRUE(ended);
}

TEST(OwnedThreadTest, MayDestroyItsOwnerAndIsJoinedLater) {
  const std::size_t threads = testing_support::ThreadCount();
  auto owner = std::make_unique<OwnedThread>();
  std::promise<void> destroyed;
  std::promise<void> go_on;
  std::promise<void> ready;
  owner->Start([&](const std::stop_token& stop) {
    ready.get_future().wait();
    owner = nullptr;
    EXPECT_TRUE(stop.stop_requested());
    destroyed.set_value();
    go_on.get_future().wait();
  });
  ready.set_value();
  ASSERT_EQ(destroyed.get_future().wait_for(10s), std::future_status::ready);
  // Starting and joining another thread does not wait for the orphaned one, which is still running.
  std::atomic<bool> ran = false;
  {
    OwnedThread next;
    next.Start([&](const std::stop_token&) { ran = true; });
  }
  EXPECT_TRUE(ran);
  go_on.set_value();
  EXPECT_TRUE(testing_support::AwaitThreadCount(threads));
  OwnedThread another;
  another.Start([](const std::stop_token&) {});
}

TEST(OwnedThreadTest, WhatItRunsIsDestroyedOnItBeforeItEnds) {
  auto token = std::make_shared<int>();
  const std::weak_ptr<int> watched = token;
  OwnedThread thread;
  thread.Start([token = std::move(token)](const std::stop_token&) {});
  thread.Stop();
  EXPECT_TRUE(watched.expired());
  EXPECT_FALSE(thread.started());
}

}  // namespace
}  // namespace kinformer::internal
