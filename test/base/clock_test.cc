#include <kinformer/base/clock.h>

#include <atomic>
#include <ctime>
#include <limits>
#include <thread>

#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>

#include "src/base/mutex.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;

TEST(FakeClockTest, StandsStillUntilAdvanced) {
  FakeClock clock;
  const TimePoint start = clock.Now();
  const auto wall = clock.WallNow();
  clock.Advance(90s);
  EXPECT_EQ(clock.Now() - start, 90s);
  EXPECT_EQ(clock.WallNow() - wall, 90s);
}

TEST(FakeClockTest, WakesASleeperWhenItsTimeHasComeAndNotBefore) {
  FakeClock clock;
  std::atomic<bool> woke = false;
  std::jthread sleeper([&] { woke = clock.SleepFor(10min, {}); });
  clock.AwaitWaiters(1);
  clock.Advance(9min);
  clock.AwaitWaiters(1);  // still (or again) asleep
  EXPECT_FALSE(woke);
  clock.Advance(1min);
  sleeper.join();
  EXPECT_TRUE(woke);
}

TEST(FakeClockTest, NextDeadlineIsTheEarliestThatSomebodyWaitsFor) {
  FakeClock clock;
  EXPECT_FALSE(clock.NextDeadline());
  const TimePoint start = clock.Now();
  std::stop_source stop;
  std::jthread late([&] { clock.SleepUntil(start + 2h, stop.get_token()); });
  std::jthread early([&] { clock.SleepUntil(start + 1h, stop.get_token()); });
  clock.AwaitWaiters(2);
  EXPECT_EQ(clock.NextDeadline(), start + 1h);
  stop.request_stop();
}

TEST(ClockTest, AStopEndsASleepOnEitherClock) {
  FakeClock fake;
  for (const Clock* clock : {static_cast<const Clock*>(&fake), Clock::System().get()}) {
    std::stop_source stop;
    std::jthread sleeper([&] { EXPECT_FALSE(clock->SleepFor(24h, stop.get_token())); });
    stop.request_stop();
  }
}

TEST(ClockTest, AStopThatCameBeforeEndsASleepAtOnce) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(Clock::System()->SleepFor(24h, stop.get_token()));
}

TEST(ClockTest, ADeadlineThatAClockCannotTellIsNever) {
  FakeClock clock;
  EXPECT_EQ(clock.After(1s), clock.Now() + 1s);
  EXPECT_EQ(clock.After(0s), clock.Now());
  EXPECT_EQ(clock.After(-1s), clock.Now() - 1s);
  EXPECT_EQ(clock.After(1.5s), clock.Now() + 1500ms);
  EXPECT_EQ(clock.After(Duration::max()), Clock::kNever);
  EXPECT_EQ(clock.After(std::chrono::milliseconds::max()), Clock::kNever) << "more than a Duration can count";
  EXPECT_EQ(clock.After(std::chrono::hours::max()), Clock::kNever);
  EXPECT_EQ(clock.After(std::chrono::duration<double>(1e300)), Clock::kNever);
  EXPECT_LT(clock.After(std::chrono::hours::min()), clock.Now());
  EXPECT_EQ(SaturatingAdd(Clock::kNever, 1s), Clock::kNever);
  EXPECT_EQ(SaturatingAdd(Clock::kNever, -1s), Clock::kNever) << "never is not a time to count from";
  EXPECT_EQ(SaturatingAdd(TimePoint::min(), -1s), TimePoint::min());
  EXPECT_EQ(SaturatingAdd(TimePoint::min() + 1s, -2s), TimePoint::min());
  EXPECT_EQ(SaturatingCast(std::chrono::hours::max()), Duration::max());
  EXPECT_EQ(SaturatingCast(std::chrono::hours::min()), Duration::min());
  EXPECT_EQ(SaturatingCast(std::chrono::milliseconds(5)), Duration(5ms));
  EXPECT_EQ(SaturatingCast(std::chrono::duration<double>(std::numeric_limits<double>::quiet_NaN())), Duration::max());
}

TEST(ClockTest, SleepingForTheLongestDurationLastsUntilStoppedAndBurnsNoCpu) {
  FakeClock fake;
  for (const Clock* clock : {static_cast<const Clock*>(&fake), Clock::System().get()}) {
    for (const Duration duration : {Duration::max(), Duration::max() - Duration(1h), Duration(24h * 365 * 250)}) {
      std::stop_source stop;
      std::atomic<bool> ended = false;
      auto cpu = 0ms;
      std::jthread sleeper([&] {
        EXPECT_FALSE(clock->SleepFor(duration, stop.get_token()));
        ended = true;
        timespec used{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
        cpu = std::chrono::seconds(used.tv_sec) + std::chrono::milliseconds(used.tv_nsec / 1'000'000);
      });
      std::this_thread::sleep_for(100ms);
      EXPECT_FALSE(ended);
      stop.request_stop();
      sleeper.join();
      EXPECT_LT(cpu, 50ms) << "the wait returns at once and is repeated";
    }
  }
}

TEST(FakeClockTest, AWaitForEverWaitsForNoTime) {
  FakeClock clock;
  std::stop_source stop;
  std::jthread sleeper([&] { clock.SleepUntil(Clock::kNever, stop.get_token()); });
  std::jthread other([&] { clock.SleepFor(1h, stop.get_token()); });
  clock.AwaitWaiters(1);
  EXPECT_EQ(clock.NextDeadline(), clock.Now() + 1h);
  stop.request_stop();
}

TEST(FakeClockTest, AdvancesNoFurtherThanTimeCanBeTold) {
  FakeClock clock;
  clock.Advance(Duration::max());
  clock.Advance(1h);
  EXPECT_GE(clock.Now(), FakeClock().Now() + 24h * 365 * 100);
  EXPECT_TRUE(clock.SleepFor(0s, {}));
}

TEST(CondVarTest, ADeadlineOfNeverIsNone) {
  FakeClock fake;
  for (const Clock* clock : {static_cast<const Clock*>(&fake), Clock::System().get()}) {
    Mutex mutex;
    CondVar changed;
    bool done = false;
    std::jthread setter([&] {
      std::this_thread::sleep_for(20ms);
      {
        const MutexLock lock(mutex);
        done = true;
      }
      changed.NotifyAll();
    });
    MutexLock lock(mutex);
    EXPECT_TRUE(changed.Wait(lock, *clock, Clock::kNever, std::stop_token(), [&] { return done; }));
  }
}

TEST(CondVarTest, ReturnsTrueWhenThePredicateHolds) {
  Mutex mutex;
  CondVar changed;
  bool done = false;
  std::jthread setter([&] {
    {
      const MutexLock lock(mutex);
      done = true;
    }
    changed.NotifyAll();
  });
  MutexLock lock(mutex);
  EXPECT_TRUE(changed.Wait(lock, std::stop_token(), [&] { return done; }));
}

TEST(CondVarTest, ReturnsFalseAtTheDeadlineOfAFakeClock) {
  FakeClock clock;
  Mutex mutex;
  CondVar changed;
  std::jthread waiter([&] {
    MutexLock lock(mutex);
    EXPECT_FALSE(changed.Wait(lock, clock, clock.Now() + 5s, std::stop_token(), [] { return false; }));
  });
  clock.AwaitWaiters(1);
  clock.Advance(5s);
}

TEST(CondVarTest, ReturnsFalseWhenStopped) {
  Mutex mutex;
  CondVar changed;
  std::stop_source stop;
  std::jthread waiter([&] {
    MutexLock lock(mutex);
    EXPECT_FALSE(changed.Wait(lock, stop.get_token(), [] { return false; }));
  });
  stop.request_stop();
}

// The notifier holds no lock; a wake-up between the predicate and the wait must not be lost.
TEST(CondVarTest, LosesNoWakeUpUnderContention) {
  Mutex mutex;
  CondVar changed;
  std::atomic<int> turn = 0;
  constexpr int kTurns = 20'000;
  const auto play = [&](int parity) {
    for (int i = parity; i < kTurns; i += 2) {
      MutexLock lock(mutex);
      changed.Wait(lock, std::stop_token(), [&] { return turn.load() == i; });
      lock.Unlock();
      turn.store(i + 1);
      changed.NotifyAll();
      lock.Lock();
    }
  };
  {
    std::jthread even(play, 0);
    std::jthread odd(play, 1);
  }
  EXPECT_EQ(turn.load(), kTurns);
}

}  // namespace
}  // namespace kinformer
