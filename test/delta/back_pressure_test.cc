// A reflector in front of a full queue: nothing is taken, nothing is lost, nothing waits on a thread.

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>

#include "src/base/task_pool.h"
#include "src/delta/delta_fifo.h"
#include "src/reflector/reflector.h"
#include "test/reflector/scripted_lister_watcher.h"
#include "test/support/await.h"

namespace kinformer::internal {
namespace {

using namespace std::chrono_literals;
using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::size_t kBound = 64 * 1024;
constexpr std::size_t kPayload = 1024;

ObjectPtr BigPod(const std::string& name, int version) {
  return MakePod(name, std::to_string(version), "", R"(,"x":")" + std::string(kPayload, 'x') + "\"");
}

class BackPressureTest : public ::testing::Test {
 protected:
  BackPressureTest() { pool_.Start(); }

  /// Begins a watch with an empty list, which is taken from the queue.
  std::shared_ptr<ScriptedWatch> BeginWatch() {
    reflector_.Start();
    source_->AwaitList(0)->End("1");
    auto watch = source_->AwaitWatch(0);
    EXPECT_TRUE(testing_support::Await([&] { return !fifo_.TakeBatch().empty(); }));
    return watch;
  }
  void Flood(ScriptedWatch& watch, int count) {
    for (int i = 0; i < count; ++i) watch.Send(AddedEvent(BigPod("p" + std::to_string(i), 10 + i)));
  }
  /// Waits until the reflector has filled the queue and all its tasks are done.
  void AwaitPaused() {
    ASSERT_TRUE(testing_support::Await([&] { return fifo_.IsFull(); }));
    ASSERT_TRUE(testing_support::Await([&] { return !reflector_.Busy(); }));
  }

  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  TaskPool pool_{{.threads = 1, .clock = clock_}};
  const std::shared_ptr<ScriptedListerWatcher> source_ = std::make_shared<ScriptedListerWatcher>();
  DeltaFifo fifo_{[] {}, kBound};
  DeltaScope target_{fifo_, 1};
  Reflector reflector_{pool_, source_, target_, {.expected = {"", "v1", "Pod"}, .seed = 1}};
};

TEST_F(BackPressureTest, AFloodBeforeAStalledReaderStaysBoundedAndLosesNothing) {
  const auto watch = BeginWatch();
  constexpr int kEvents = 1000;
  Flood(*watch, kEvents);
  AwaitPaused();
  std::size_t most = 0;
  for (int i = 0; i < 20; ++i) {
    most = std::max(most, fifo_.Bytes());
    std::this_thread::sleep_for(1ms);
  }
  constexpr std::size_t kOnePart = 2 * kPayload;
  EXPECT_LE(most, kBound + kOnePart);
  int next = 0;
  ASSERT_TRUE(testing_support::Await([&] {
    for (const Delta& delta : fifo_.TakeBatch(7)) {
      EXPECT_EQ(delta.object->Name(), "p" + std::to_string(next)) << "the order is kept";
      ++next;
    }
    EXPECT_LE(fifo_.Bytes(), kBound + kOnePart);
    return next == kEvents;
  })) << next;
  EXPECT_EQ(source_->watches(), 1u);
  EXPECT_EQ(source_->lists(), 1u);
}

TEST_F(BackPressureTest, AStopWhilePausedEndsAtOnce) {
  const auto watch = BeginWatch();
  Flood(*watch, 200);
  AwaitPaused();
  reflector_.Stop();
  EXPECT_EQ(watch->cancellations(), 1);
  const std::size_t left = fifo_.Depth();
  while (!fifo_.TakeBatch().empty()) {
  }
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(fifo_.Depth(), 0u) << "the stopped run does not go on";
  // A new run begins behind what was taken before.
  reflector_.Start();
  EXPECT_EQ(source_->AwaitList(1)->request().resource_version, std::to_string(10 + left - 1));
}

TEST_F(BackPressureTest, AListLargerThanTheBoundPassesAndTheWatchWaitsForIt) {
  reflector_.Start();
  const auto list = source_->AwaitList(0);
  std::vector<ObjectPtr> pods;
  for (int i = 0; i < 200; ++i) pods.push_back(BigPod("p" + std::to_string(i), i + 1));
  list->Items(pods);
  list->End("300");
  const auto watch = source_->AwaitWatch(0);
  watch->Send(AddedEvent(BigPod("late", 301)));
  AwaitPaused();
  EXPECT_GT(fifo_.Bytes(), 3 * kBound);
  EXPECT_EQ(fifo_.Depth(), 200u) << "nothing was taken from the watch";
  const std::vector<Delta> batch = fifo_.TakeBatch();
  ASSERT_EQ(batch.size(), 1u);
  EXPECT_EQ(batch.front().objects.size(), 200u);
  EXPECT_TRUE(testing_support::Await([&] { return fifo_.Depth() == 1; }));
}

TEST_F(BackPressureTest, DeadlinesOfTheWatchExcludeThePause) {
  const auto watch = BeginWatch();
  Flood(*watch, 200);
  AwaitPaused();
  const Duration timeout = watch->request().timeout;
  clock_->Advance(timeout + 1h);
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(watch->cancellations(), 0);
  int taken = 0;
  ASSERT_TRUE(testing_support::Await([&] {
    taken += static_cast<int>(fifo_.TakeBatch().size());
    return taken == 200;
  })) << taken;
  EXPECT_EQ(watch->cancellations(), 0) << "still the same watch";
  ASSERT_TRUE(testing_support::Await([&] { return !reflector_.Busy(); }));
  clock_->Advance(timeout + 1h);
  EXPECT_TRUE(watch->AwaitCancelled()) << "the watchdog is not lost";
  EXPECT_NE(source_->AwaitWatch(1), nullptr);
}

TEST(DeltaFifoBound, AFullQueueResumesItsWritersOnceAtHalf) {
  DeltaFifo fifo([] {}, 4 * kPayload);
  DeltaScope one(fifo, 1);
  DeltaScope two(fifo, 2);
  std::vector<std::string> resumed;
  one.NotifyWhenNotFull([&] { resumed.push_back("at once"); });
  EXPECT_THAT(resumed, ElementsAre("at once"));
  resumed.clear();
  for (int i = 0; i < 4; ++i) one.Add(BigPod("p" + std::to_string(i), i + 1));
  ASSERT_TRUE(two.IsFull());
  one.NotifyWhenNotFull([&] { resumed.push_back("replaced"); });
  one.NotifyWhenNotFull([&] { resumed.push_back("one"); });
  two.NotifyWhenNotFull([&] { resumed.push_back("two"); });
  (void)fifo.TakeBatch(1);
  EXPECT_FALSE(fifo.Bytes() > 4 * kPayload);
  EXPECT_TRUE(fifo.IsFull()) << "below the bound, above half of it";
  EXPECT_THAT(resumed, IsEmpty());
  (void)fifo.TakeBatch(2);
  EXPECT_FALSE(fifo.IsFull());
  EXPECT_THAT(resumed, ElementsAre("one", "two"));
  (void)fifo.TakeBatch();
  EXPECT_EQ(fifo.Bytes(), 0u);
  EXPECT_EQ(resumed.size(), 2u);
}

TEST(DeltaFifoBound, CloseDropsPausedWriters) {
  DeltaFifo fifo([] {}, 0);
  fifo.Add(BigPod("a", 1));
  const auto held = std::make_shared<int>();
  bool resumed = false;
  fifo.NotifyWhenNotFull([held, &resumed] { resumed = true; });
  fifo.Close();
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_FALSE(resumed);
  EXPECT_EQ(fifo.Bytes(), 0u);
}

}  // namespace
}  // namespace kinformer::internal
