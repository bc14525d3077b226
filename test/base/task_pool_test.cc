
#include <atomic>
#include <functional>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>

#include "src/base/task_pool.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;

TEST(TaskPoolTest, RunsWhatWasPostedBeforeTheStartOnceStarted) {
  TaskPool pool;
  std::promise<void> ran;
  EXPECT_TRUE(pool.Post([&] { ran.set_value(); }));
  pool.Start();
  ran.get_future().get();
}

TEST(TaskPoolTest, RunsATimedTaskWhenTheClockReachesIt) {
  const auto clock = std::make_shared<FakeClock>();
  TaskPool pool({.threads = 1, .clock = clock});
  pool.Start();
  std::vector<int> order;
  std::promise<void> done;
  pool.PostAt(clock->Now() + 2s, [&] {
    order.push_back(2);
    done.set_value();
  });
  pool.PostAt(clock->Now() + 1s, [&] { order.push_back(1); });
  clock->AwaitWaiters(1);
  clock->Advance(2s);
  done.get_future().get();
  EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST(TaskPoolTest, ReportsATaskThatThrowsAndGoesOn) {
  std::promise<std::string> reported;
  TaskPool pool({.threads = 1, .logger = Logger([&](const LogRecord& record) {
                                 reported.set_value(std::string(record.message) + " " + record.fields[0].value);
                               })});
  pool.Start();
  std::promise<void> after;
  pool.Post([] { throw std::runtime_error("boom"); });
  pool.Post([&] { after.set_value(); });
  EXPECT_EQ(reported.get_future().get(), "a task threw boom");
  after.get_future().get();
}

TEST(TaskPoolTest, TakesNothingAfterItWasStopped) {
  TaskPool pool;
  pool.Start();
  pool.Stop();
  EXPECT_FALSE(pool.Post([] {}));
  EXPECT_FALSE(pool.PostAt(pool.clock()->Now(), [] {}));
}

TEST(SerialTasksTest, RunsInOrderAndNeverTwoAtATime) {
  TaskPool pool({.threads = 4});
  pool.Start();
  SerialTasks tasks(pool);
  std::atomic<int> inside = 0;
  std::vector<int> order;
  std::promise<void> done;
  constexpr int kTasks = 2'000;
  for (int i = 0; i < kTasks; ++i) {
    tasks.Post([&, i] {
      EXPECT_EQ(inside.fetch_add(1), 0);
      order.push_back(i);
      inside.fetch_sub(1);
      if (i == kTasks - 1) done.set_value();
    });
  }
  done.get_future().get();
  ASSERT_EQ(order.size(), static_cast<std::size_t>(kTasks));
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(SerialTasksTest, TwoQueuesRunSideBySide) {
  TaskPool pool({.threads = 2});
  pool.Start();
  SerialTasks slow(pool);
  SerialTasks quick(pool);
  std::promise<void> release;
  std::promise<void> ran;
  slow.Post([&] { release.get_future().get(); });
  quick.Post([&] { ran.set_value(); });
  ran.get_future().get();
  release.set_value();
}

TEST(SerialTasksTest, CloseWaitsForTheTaskUnderWayAndDropsTheRest) {
  TaskPool pool({.threads = 1});
  pool.Start();
  SerialTasks tasks(pool);
  std::promise<void> started;
  std::promise<void> release;
  std::atomic<bool> finished = false;
  std::atomic<bool> second = false;
  tasks.Post([&] {
    started.set_value();
    release.get_future().get();
    finished = true;
  });
  tasks.Post([&] { second = true; });
  started.get_future().get();
  std::jthread releaser([&] {
    while (tasks.Post([] {})) std::this_thread::yield();  // refused once Close has begun
    release.set_value();
  });
  tasks.Close();
  EXPECT_TRUE(finished);
  EXPECT_FALSE(second);
  EXPECT_FALSE(tasks.Post([] {}));
}

TEST(SerialTasksTest, ATaskMayCloseItsOwnQueue) {
  TaskPool pool({.threads = 1});
  pool.Start();
  SerialTasks tasks(pool);
  std::promise<void> done;
  tasks.Post([&] {
    EXPECT_TRUE(tasks.RunningHere());
    tasks.Close();
    done.set_value();
  });
  done.get_future().get();
  EXPECT_FALSE(tasks.RunningHere());
}

TEST(SerialTasksTest, ATimedTaskJoinsTheQueueWhenItsTimeHasCome) {
  const auto clock = std::make_shared<FakeClock>();
  TaskPool pool({.threads = 1, .clock = clock});
  pool.Start();
  SerialTasks tasks(pool);
  std::promise<void> ran;
  tasks.PostAt(clock->Now() + 30s, [&] { ran.set_value(); });
  clock->AwaitWaiters(1);
  clock->Advance(30s);
  ran.get_future().get();
}

TEST(SerialTasksTest, GoesOnAfterATaskThatThrew) {
  TaskPool pool({.threads = 1});
  pool.Start();
  SerialTasks tasks(pool);
  std::promise<void> ran;
  tasks.Post([] { throw std::runtime_error("boom"); });
  tasks.Post([&] { ran.set_value(); });
  ran.get_future().get();
}

TEST(LoggerTest, WithoutASinkPrintsWarningsAndErrorsToStandardErrorOncePerLine) {
  const Logger logger;
  EXPECT_FALSE(logger.Enabled(LogLevel::kInfo));
  ::testing::internal::CaptureStderr();
  logger.Info("base", "not shown");
  for (int i = 0; i < 3; ++i) logger.Warning("base", "forbidden", {{"user", "alice"}});
  Logger().Warning("base", "forbidden", {{"user", "alice"}});
  logger.Warning("base", "forbidden", {{"user", "bob"}});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::MatchesRegex("[^ ]*Z warning .base. forbidden user=alice\n"
                                      "[^ ]*Z warning .base. forbidden user=bob\n"));
}

TEST(LoggerTest, NonePrintsNothing) {
  const Logger logger = Logger::None();
  EXPECT_FALSE(logger.Enabled(LogLevel::kError));
  ::testing::internal::CaptureStderr();
  logger.Error("base", "not shown");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(LoggerTest, PassesOnWhatReachesItsLevelAndSurvivesASinkThatThrows) {
  int calls = 0;
  const Logger logger(
      [&](const LogRecord& record) {
        ++calls;
        EXPECT_EQ(record.component, "base");
        throw std::runtime_error("sink");
      },
      LogLevel::kWarning);
  logger.Info("base", "too quiet");
  logger.Warning("base", "heard", {{"key", "value"}});
  EXPECT_EQ(calls, 1);
}

TEST(LoggerTest, TheStderrSinkWritesOneLineWithTimeAndFields) {
  const Logger logger(StderrSink());
  ::testing::internal::CaptureStderr();
  logger.Warning("transport", "slow", {{"host", "a"}, {"ms", "7"}});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::MatchesRegex("[0-9-]+T[0-9:]+\\.[0-9]+Z warning .transport. slow host=a ms=7\n"));
}

TEST(TaskPoolTest, WhatTasksPostIsRunHoweverMuchTheyPost) {
  TaskPool pool({.threads = 2});
  pool.Start();
  std::atomic<int> runs = 0;
  std::promise<void> all;
  // A tree of tasks: each posts two more, seven levels deep.
  std::function<void(int)> grow = [&](int level) {
    if (++runs == 255) all.set_value();
    if (level == 7) return;
    for (int i = 0; i < 2; ++i) {
      pool.Post([&grow, level] { grow(level + 1); });
    }
  };
  pool.Post([&] { grow(0); });
  all.get_future().get();
  EXPECT_EQ(runs, 255);
}

TEST(TaskPoolTest, ATaskMayStartThePoolThatIsBeingStopped) {
  TaskPool pool({.threads = 1});
  pool.Start();
  std::promise<void> running;
  std::promise<void> go_on;
  pool.Post([&, gate = go_on.get_future().share()] {
    running.set_value();
    gate.wait();
    pool.Start();
  });
  running.get_future().wait();
  std::jthread stopper([&] { pool.Stop(); });
  while (pool.Post([] {})) std::this_thread::yield();  // refused once Stop has begun
  go_on.set_value();
}

}  // namespace
}  // namespace kinformer
