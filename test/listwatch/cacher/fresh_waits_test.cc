#include "src/listwatch/cacher/fresh_waits.h"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>

#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>

namespace kinformer::apiserver {
namespace {

using namespace std::chrono_literals;

class FreshWaitsTest : public testing::Test {
 protected:
  FreshWaitsTest() { pool_.Start(); }

  /// Adds a waiter. The future is ready when it has been called.
  std::future<void> Add(Revision revision, Duration timeout) {
    auto called = std::make_shared<std::promise<void>>();
    std::future<void> future = called->get_future();
    waits_.Add(revision, clock_->Now() + timeout, [called] { called->set_value(); });
    return future;
  }
  static bool IsCalled(const std::future<void>& waiter, Duration within = 10s) {
    return waiter.wait_for(within) == std::future_status::ready;
  }
  /// Waits until a thread of the pool sleeps until its next task.
  void AwaitIdlePool() { clock_->AwaitWaiters(1); }

  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  std::atomic<Revision> revision_ = 1;
  std::atomic<int> progress_requests_ = 0;
  TaskPool pool_{{.threads = 1, .clock = clock_}};
  FreshWaits waits_{pool_,
                    {.progress_interval = 100ms,
                     .request_progress = [this] { ++progress_requests_; },
                     .current = [this] { return revision_.load(); }}};
};

TEST_F(FreshWaitsTest, CallsAWaiterWhenTheRevisionIsReached) {
  const auto waiter = Add(5, 1h);
  waits_.Advance(4);
  EXPECT_FALSE(IsCalled(waiter, 0s));
  waits_.Advance(5);
  EXPECT_TRUE(IsCalled(waiter, 0s));
}

TEST_F(FreshWaitsTest, ADeadlineBeforeTheNextProgressRequestIsExact) {
  const auto patient = Add(5, 1h);
  AwaitIdlePool();
  const auto hasty = Add(5, 10ms);
  clock_->Advance(9ms);
  AwaitIdlePool();
  EXPECT_FALSE(IsCalled(hasty, 0s));
  clock_->Advance(1ms);
  EXPECT_TRUE(IsCalled(hasty));
  EXPECT_FALSE(IsCalled(patient, 0s));
}

TEST_F(FreshWaitsTest, DeadlinesDoNotCauseMoreProgressRequests) {
  const auto patient = Add(5, 1h);
  AwaitIdlePool();
  EXPECT_EQ(progress_requests_, 1);
  for (int i = 0; i < 9; ++i) {
    const auto hasty = Add(5, 10ms);
    clock_->Advance(10ms);
    ASSERT_TRUE(IsCalled(hasty));
    AwaitIdlePool();
  }
  EXPECT_EQ(progress_requests_, 1);
  clock_->Advance(10ms);
  const auto hasty = Add(5, 10ms);
  clock_->Advance(10ms);
  ASSERT_TRUE(IsCalled(hasty));
  AwaitIdlePool();
  EXPECT_EQ(progress_requests_, 2);
}

TEST_F(FreshWaitsTest, StopCallsAllWaiters) {
  const auto waiter = Add(5, 1h);
  waits_.Stop();
  EXPECT_TRUE(IsCalled(waiter, 0s));
  EXPECT_TRUE(IsCalled(Add(5, 1h), 0s));
}

}  // namespace
}  // namespace kinformer::apiserver
