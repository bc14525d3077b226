#include "src/delta/delta_fifo.h"
#include "src/base/mutex.h"

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinformer::internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ObjectPtr Pod(const std::string& name, int version = 1, const std::string& namespace_name = "default") {
  return *Object::Parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name + R"(","namespace":")" +
                        namespace_name + R"(","resourceVersion":")" + std::to_string(version) + R"("}})");
}

// The deltas of a batch in order, as in "+a1 ~a2 -a2 =[a1,b1]@7 * #9".
std::string Describe(const Delta& delta) {
  const auto object = [](const ObjectPtr& o) { return std::string(o->Name()) + std::string(o->ResourceVersion()); };
  switch (delta.kind) {
    case Delta::Kind::kAdd:
      return "+" + object(delta.object);
    case Delta::Kind::kUpdate:
      return "~" + object(delta.object);
    case Delta::Kind::kDelete:
      return "-" + object(delta.object);
    case Delta::Kind::kDrop:
      return "/" + object(delta.object);
    case Delta::Kind::kReplaceAll: {
      std::string all;
      for (const ObjectPtr& o : delta.objects) all += (all.empty() ? "" : ",") + object(o);
      return "=[" + all + "]@" + delta.resource_version;
    }
    case Delta::Kind::kForget:
      return "!";
    case Delta::Kind::kResync:
      return "*";
    case Delta::Kind::kBookmark:
      return "#" + delta.resource_version;
  }
  return "?";
}

std::vector<std::string> Take(DeltaFifo& fifo, std::size_t max = 1000) {
  std::vector<std::string> described;
  for (const Delta& delta : fifo.TakeBatch(max)) described.push_back(Describe(delta));
  return described;
}

class DeltaFifoTest : public ::testing::Test {
 protected:
  int wakes_ = 0;
  DeltaFifo fifo_{[this] { ++wakes_; }};
};

TEST_F(DeltaFifoTest, KeepsTheOrderOfTheServerAcrossObjects) {
  fifo_.Add(Pod("b"));
  fifo_.Update(Pod("a", 2));
  fifo_.Delete(Pod("c", 3));
  fifo_.Add(Pod("a", 4, "other"));
  EXPECT_THAT(Take(fifo_), ElementsAre("+b1", "~a2", "-c3", "+a4"));
  EXPECT_THAT(Take(fifo_), IsEmpty());
}

TEST_F(DeltaFifoTest, QueuesTheVeryObjectsItIsGiven) {
  const ObjectPtr pod = Pod("a");
  fifo_.Add(pod);
  fifo_.Replace({pod}, "7");
  EXPECT_EQ(fifo_.TakeBatch().at(0).object, pod);
  EXPECT_THAT(fifo_.TakeBatch().at(0).objects, ElementsAre(pod));
}

TEST_F(DeltaFifoTest, NeverMergesEventsOfOneObject) {
  fifo_.Add(Pod("a", 1));
  fifo_.Update(Pod("a", 2));
  fifo_.Delete(Pod("a", 3));
  fifo_.Delete(Pod("a", 3));
  fifo_.Add(Pod("a", 4));
  EXPECT_EQ(fifo_.Depth(), 5u);
  EXPECT_THAT(Take(fifo_), ElementsAre("+a1"));
  EXPECT_THAT(Take(fifo_), ElementsAre("~a2"));
  EXPECT_THAT(Take(fifo_), ElementsAre("-a3"));
  EXPECT_THAT(Take(fifo_), ElementsAre("-a3"));
  EXPECT_THAT(Take(fifo_), ElementsAre("+a4"));
  EXPECT_THAT(Take(fifo_), IsEmpty());
}

TEST_F(DeltaFifoTest, ABatchEndsAtASecondEventOfAnObject) {
  fifo_.Add(Pod("a", 1));
  fifo_.Add(Pod("b", 2));
  fifo_.Update(Pod("a", 3));
  fifo_.Add(Pod("c", 4));
  EXPECT_THAT(Take(fifo_), ElementsAre("+a1", "+b2"));
  EXPECT_THAT(Take(fifo_), ElementsAre("~a3", "+c4"));
}

TEST_F(DeltaFifoTest, TheSameNameInTwoNamespacesIsTwoObjects) {
  fifo_.Add(Pod("a", 1, "x"));
  fifo_.Add(Pod("a", 2, "y"));
  fifo_.Add(Pod("a", 3, ""));
  EXPECT_THAT(Take(fifo_), ElementsAre("+a1", "+a2", "+a3"));
}

TEST_F(DeltaFifoTest, ABatchHoldsNoMoreThanItsMaximum) {
  for (const char* name : {"a", "b", "c", "d", "e"}) fifo_.Add(Pod(name));
  EXPECT_THAT(Take(fifo_, 2), ElementsAre("+a1", "+b1"));
  EXPECT_THAT(Take(fifo_, 2), ElementsAre("+c1", "+d1"));
  EXPECT_THAT(Take(fifo_, 2), ElementsAre("+e1"));
}

TEST_F(DeltaFifoTest, TheDefaultMaximumIsAThousand) {
  for (int i = 0; i < 1001; ++i) fifo_.Add(Pod("p" + std::to_string(i)));
  EXPECT_EQ(fifo_.TakeBatch().size(), 1000u);
  EXPECT_EQ(fifo_.TakeBatch().size(), 1u);
}

TEST_F(DeltaFifoTest, AMaximumOfNothingStillMakesProgress) {
  fifo_.Add(Pod("a"));
  fifo_.Add(Pod("b"));
  EXPECT_THAT(Take(fifo_, 0), ElementsAre("+a1"));
}

TEST_F(DeltaFifoTest, ReplaceIsOneEntryAndABatchOfItsOwn) {
  fifo_.Add(Pod("z"));
  fifo_.Replace({Pod("a"), Pod("b"), Pod("a", 2)}, "7");
  fifo_.Add(Pod("c"));
  EXPECT_THAT(Take(fifo_), ElementsAre("+z1"));
  EXPECT_THAT(Take(fifo_, 1), ElementsAre("=[a1,b1,a2]@7")) << "however many objects";
  EXPECT_THAT(Take(fifo_), ElementsAre("+c1"));
}

TEST_F(DeltaFifoTest, TwoReplacesStayTwo) {
  fifo_.Replace({Pod("a")}, "7");
  fifo_.Replace({}, "8");
  EXPECT_THAT(Take(fifo_), ElementsAre("=[a1]@7"));
  EXPECT_THAT(Take(fifo_), ElementsAre("=[]@8"));
}

TEST_F(DeltaFifoTest, AResyncIsOneEntryAndABatchOfItsOwn) {
  fifo_.Add(Pod("a"));
  fifo_.Resync();
  fifo_.Add(Pod("b"));
  EXPECT_THAT(Take(fifo_), ElementsAre("+a1"));
  EXPECT_THAT(Take(fifo_), ElementsAre("*"));
  EXPECT_THAT(Take(fifo_), ElementsAre("+b1"));
}

TEST_F(DeltaFifoTest, AResyncWaitsBehindNewerEventsAndSoOverridesNone) {
  fifo_.Update(Pod("a", 2));
  fifo_.Resync();
  EXPECT_THAT(Take(fifo_), ElementsAre("~a2"));
  EXPECT_THAT(Take(fifo_), ElementsAre("*"));
}

TEST_F(DeltaFifoTest, AQueuedResyncIsNotDoubledButATakenOneDoesNotCount) {
  fifo_.Resync();
  fifo_.Add(Pod("a"));
  fifo_.Resync();
  EXPECT_EQ(fifo_.Depth(), 2u);
  EXPECT_THAT(Take(fifo_), ElementsAre("*"));
  fifo_.Resync();
  EXPECT_THAT(Take(fifo_), ElementsAre("+a1"));
  EXPECT_THAT(Take(fifo_), ElementsAre("*"));
  EXPECT_THAT(Take(fifo_), IsEmpty());
}

TEST_F(DeltaFifoTest, ABookmarkIsTheLastOfItsBatchAndTheOnlyOne) {
  fifo_.Add(Pod("a"));
  fifo_.Bookmark("5");
  fifo_.Add(Pod("b"));
  fifo_.Bookmark("6");
  fifo_.Bookmark("7");
  EXPECT_THAT(Take(fifo_), ElementsAre("+a1", "#5"));
  EXPECT_THAT(Take(fifo_), ElementsAre("+b1", "#6"));
  EXPECT_THAT(Take(fifo_), ElementsAre("#7"));
}

TEST_F(DeltaFifoTest, ABookmarkCountsTowardsTheMaximum) {
  fifo_.Add(Pod("a"));
  fifo_.Bookmark("5");
  EXPECT_THAT(Take(fifo_, 1), ElementsAre("+a1"));
  EXPECT_THAT(Take(fifo_, 1), ElementsAre("#5"));
}

TEST_F(DeltaFifoTest, DepthCountsTheObjectsOfAReplaceAndAnEmptyOneAsOne) {
  EXPECT_EQ(fifo_.Depth(), 0u);
  fifo_.Replace({Pod("a"), Pod("b")}, "7");
  EXPECT_EQ(fifo_.Depth(), 2u);
  fifo_.Replace({}, "8");
  EXPECT_EQ(fifo_.Depth(), 3u);
  fifo_.Add(Pod("c"));
  fifo_.Bookmark("9");
  EXPECT_EQ(fifo_.Depth(), 5u);
  fifo_.TakeBatch();
  EXPECT_EQ(fifo_.Depth(), 3u);
  fifo_.TakeBatch();
  EXPECT_EQ(fifo_.Depth(), 2u);
  fifo_.TakeBatch();
  EXPECT_EQ(fifo_.Depth(), 0u);
}

TEST_F(DeltaFifoTest, CloseForgetsWhatWaitsAndTakesNothingMore) {
  const ObjectPtr pod = Pod("a");
  fifo_.Add(pod);
  fifo_.Resync();
  EXPECT_EQ(wakes_, 1);
  fifo_.Close();
  EXPECT_EQ(pod.use_count(), 1);
  EXPECT_EQ(fifo_.Depth(), 0u);
  EXPECT_THAT(Take(fifo_), IsEmpty());
  fifo_.Add(pod);
  fifo_.Replace({pod}, "7");
  fifo_.Resync();
  EXPECT_THAT(Take(fifo_), IsEmpty());
  EXPECT_EQ(fifo_.Depth(), 0u);
  EXPECT_EQ(wakes_, 1);
}

TEST_F(DeltaFifoTest, WakesTheReaderOnlyWhenThereWasNothing) {
  fifo_.Add(Pod("a"));
  EXPECT_EQ(wakes_, 1);
  fifo_.Update(Pod("a", 2));
  fifo_.Bookmark("5");
  EXPECT_EQ(wakes_, 1);
  EXPECT_THAT(Take(fifo_), ElementsAre("+a1"));
  fifo_.Resync();
  EXPECT_EQ(wakes_, 1) << "the reader has not seen the end yet";
  EXPECT_THAT(Take(fifo_), ElementsAre("~a2", "#5"));
  EXPECT_THAT(Take(fifo_), ElementsAre("*"));
  fifo_.Replace({}, "7");
  EXPECT_EQ(wakes_, 2);
}

TEST(DeltaFifoWakeTest, CallsTheReaderWithoutTheLock) {
  std::vector<std::string> taken;
  DeltaFifo* reader = nullptr;
  DeltaFifo fifo([&] {
    taken = Take(*reader);
    EXPECT_EQ(reader->Depth(), 0u);
  });
  reader = &fifo;
  fifo.Add(Pod("a"));
  EXPECT_THAT(taken, ElementsAre("+a1"));
}

TEST(DeltaFifoWakeTest, NoWakeUpIsLostBetweenAReaderThatFindsNothingAndAWriter) {
  constexpr int kEvents = 5000;
  Mutex mutex;
  CondVar woken;
  int wakes = 0;
  DeltaFifo fifo([&] {
    {
      const MutexLock lock(mutex);
      ++wakes;
    }
    woken.NotifyAll();
  });
  std::vector<int> versions;
  std::atomic<bool> lost{false};
  std::thread reader([&] {
    while (versions.size() < kEvents) {
      {
        MutexLock lock(mutex);
        const bool called = woken.Wait(lock, *Clock::System(), Clock::System()->Now() + std::chrono::seconds(30), {},
                                       [&] { return wakes > 0; });
        if (!called) {
          lost = true;
          return;
        }
        wakes = 0;
      }
      for (;;) {
        const std::vector<Delta> batch = fifo.TakeBatch(3);
        if (batch.empty()) break;
        for (const Delta& delta : batch) versions.push_back(std::stoi(std::string(delta.object->ResourceVersion())));
      }
    }
  });
  std::vector<ObjectPtr> pods;
  for (int i = 0; i < kEvents; ++i) pods.push_back(Pod("p" + std::to_string(i % 7), i));
  for (ObjectPtr& pod : pods) fifo.Update(std::move(pod));
  reader.join();
  EXPECT_FALSE(lost);
  ASSERT_EQ(versions.size(), static_cast<std::size_t>(kEvents));
  for (int i = 0; i < kEvents; ++i) ASSERT_EQ(versions[static_cast<std::size_t>(i)], i);
}

TEST_F(DeltaFifoTest, AWritersLastWordStandsAlone) {
  DeltaScope one(fifo_, 1);
  one.Add(Pod("a"));
  fifo_.Forget(1);
  fifo_.Add(Pod("b"));
  EXPECT_THAT(Take(fifo_), ElementsAre("+a1"));
  EXPECT_THAT(Take(fifo_), ElementsAre("!"));
  EXPECT_THAT(Take(fifo_), ElementsAre("+b1"));
}

TEST(DeltaScopeTest, WhatCameTogetherIsQueuedTogetherAndWakesTheReaderOnce) {
  int wakes = 0;
  DeltaFifo fifo([&] { ++wakes; });
  DeltaScope scope(fifo, 1);
  scope.BeginBatch();
  scope.Add(Pod("a"));
  scope.Update(Pod("b", 2));
  scope.Bookmark("3");
  EXPECT_EQ(wakes, 0);
  EXPECT_EQ(fifo.Depth(), 0U);
  scope.EndBatch();
  EXPECT_EQ(wakes, 1);
  EXPECT_THAT(Take(fifo), ElementsAre("+a1", "~b2", "#3"));
  scope.BeginBatch();
  scope.EndBatch();
  EXPECT_EQ(wakes, 1) << "nothing came";
  scope.Delete(Pod("a"));
  EXPECT_EQ(wakes, 2) << "alone, it is queued at once";
}

}  // namespace
}  // namespace kinformer::internal
