#include <kinformer/base/clock.h>

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>
#include <kinformer/base/mutex.h>

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
