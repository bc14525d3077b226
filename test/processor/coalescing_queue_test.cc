#include "src/processor/coalescing_queue.h"

#include <map>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/processor/processor_testing.h"

namespace kinformer::internal {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Drain(CoalescingQueue& queue) {
  std::vector<std::string> calls;
  while (queue.Size() > 0) calls.push_back(Describe(queue.Pop()));
  return calls;
}

// The notifications after coalescing, with a queue that coalesces from the first one on.
std::vector<std::string> Folded(const std::vector<Notification>& notifications) {
  CoalescingQueue queue(0);
  for (const Notification& notification : notifications) queue.Push(notification);
  return Drain(queue);
}

TEST(CoalescingQueueTest, FoldsNothingUpToItsMaximum) {
  CoalescingQueue queue(4);
  queue.Push(Added(Pod("a", 1)));
  queue.Push(Updated(Pod("a", 1), Pod("a", 2)));
  queue.Push(Gone(Pod("a", 2)));
  queue.Push(Added(Pod("a", 3)));
  EXPECT_EQ(queue.Size(), 4u);
  EXPECT_EQ(queue.Coalesced(), 0u);
  EXPECT_THAT(Drain(queue), ElementsAre("+a1", "~a1>a2", "-a2", "+a3"));
}

TEST(CoalescingQueueTest, BeyondItsMaximumFoldsIntoTheLastOfTheSameObject) {
  CoalescingQueue queue(3);
  queue.Push(Updated(Pod("a", 1), Pod("a", 2)));
  queue.Push(Updated(Pod("b", 1), Pod("b", 2)));
  queue.Push(Updated(Pod("a", 2), Pod("a", 3)));
  queue.Push(Updated(Pod("a", 3), Pod("a", 4)));
  queue.Push(Updated(Pod("c", 1), Pod("c", 2)));
  queue.Push(Updated(Pod("b", 2), Pod("b", 3)));
  EXPECT_EQ(queue.Size(), 4u);
  EXPECT_EQ(queue.Coalesced(), 2u);
  EXPECT_THAT(Drain(queue), ElementsAre("~a1>a2", "~b1>b3", "~a2>a4", "~c1>c2"));
}

TEST(CoalescingQueueTest, FoldsNothingAgainOnceItIsShort) {
  CoalescingQueue queue(2);
  for (int i = 1; i < 6; ++i) queue.Push(Updated(Pod("a", i), Pod("a", i + 1)));
  EXPECT_THAT(Drain(queue), ElementsAre("~a1>a2", "~a2>a6"));
  queue.Push(Updated(Pod("a", 6), Pod("a", 7)));
  queue.Push(Updated(Pod("a", 7), Pod("a", 8)));
  EXPECT_THAT(Drain(queue), ElementsAre("~a6>a7", "~a7>a8"));
}

TEST(CoalescingQueueTest, WhatTheHandlerHasTakenIsNotFoldedInto) {
  CoalescingQueue queue(0);
  queue.Push(Added(Pod("a", 1)));
  EXPECT_EQ(Describe(queue.Pop()), "+a1");
  queue.Push(Gone(Pod("a", 2)));
  EXPECT_THAT(Drain(queue), ElementsAre("-a2"));
}

TEST(CoalescingQueueTest, AnAddThatIsUpdatedIsAnAddOfTheNewest) {
  EXPECT_THAT(Folded({Added(Pod("a", 1)), Updated(Pod("a", 1), Pod("a", 2)), Updated(Pod("a", 2), Pod("a", 3))}),
              ElementsAre("+a3"));
}

TEST(CoalescingQueueTest, AnAddOfTheInitialListStaysOne) {
  EXPECT_THAT(Folded({Added(Pod("a", 1), true), Updated(Pod("a", 1), Pod("a", 2))}), ElementsAre("+a2!"));
}

TEST(CoalescingQueueTest, AnAddThatIsDeletedBeforeTheHandlerSawItIsNothing) {
  CoalescingQueue queue(0);
  queue.Push(Added(Pod("a", 1)));
  queue.Push(Gone(Pod("a", 2)));
  EXPECT_EQ(queue.Size(), 0u);
  EXPECT_EQ(queue.Coalesced(), 2u);
  queue.Push(Added(Pod("a", 3)));
  EXPECT_THAT(Drain(queue), ElementsAre("+a3"));
}

TEST(CoalescingQueueTest, UpdatesBecomeOneFromWhatTheHandlerSawToTheNewest) {
  EXPECT_THAT(Folded({Updated(Pod("a", 1), Pod("a", 2)), Updated(Pod("a", 2), Pod("a", 3))}), ElementsAre("~a1>a3"));
}

TEST(CoalescingQueueTest, AnUpdateThatIsDeletedIsADeleteOfTheLastKnownState) {
  EXPECT_THAT(Folded({Updated(Pod("a", 1), Pod("a", 2)), Gone(Pod("a", 3))}), ElementsAre("-a3"));
  EXPECT_THAT(Folded({Updated(Pod("a", 1), Pod("a", 2)), Gone(Pod("a", 2), true)}), ElementsAre("-a2?"));
}

TEST(CoalescingQueueTest, ADeleteIsKeptBeforeTheObjectThatTakesTheName) {
  EXPECT_THAT(Folded({Gone(Pod("a", 2, "x")), Added(Pod("a", 3, "y")), Updated(Pod("a", 3, "y"), Pod("a", 4, "y"))}),
              ElementsAre("-a2", "+a4"));
}

TEST(CoalescingQueueTest, ADeleteIsKeptWhenTheNewOneGoesToo) {
  EXPECT_THAT(Folded({Gone(Pod("a", 2, "x")), Added(Pod("a", 3, "y")), Gone(Pod("a", 4, "y"))}), ElementsAre("-a2"));
  EXPECT_THAT(
      Folded({Gone(Pod("a", 2, "x")), Added(Pod("a", 3, "y")), Gone(Pod("a", 4, "y")), Added(Pod("a", 5, "z"))}),
      ElementsAre("-a2", "+a5"));
}

TEST(CoalescingQueueTest, TheDeleteAndTheAddAreTwoCalls) {
  CoalescingQueue queue(0);
  queue.Push(Gone(Pod("a", 2, "x")));
  queue.Push(Added(Pod("a", 3, "y")));
  EXPECT_EQ(queue.Size(), 2u);
  EXPECT_EQ(Describe(queue.Pop()), "-a2");
  EXPECT_EQ(queue.Size(), 1u);
  queue.Push(Updated(Pod("a", 3, "y"), Pod("a", 4, "y")));
  EXPECT_THAT(Drain(queue), ElementsAre("+a4"));
}

TEST(CoalescingQueueTest, ASyncFoldsIntoAnythingThatWaits) {
  EXPECT_THAT(Folded({Added(Pod("a", 1)), Synced(Pod("a", 1))}), ElementsAre("+a1"));
  EXPECT_THAT(Folded({Updated(Pod("a", 1), Pod("a", 2)), Synced(Pod("a", 2))}), ElementsAre("~a1>a2"));
  EXPECT_THAT(Folded({Synced(Pod("a", 1)), Synced(Pod("a", 1))}), ElementsAre("*a1"));
  EXPECT_THAT(Folded({Gone(Pod("a", 1, "x")), Added(Pod("a", 2, "y")), Synced(Pod("a", 2, "y"))}),
              ElementsAre("-a1", "+a2"));
}

TEST(CoalescingQueueTest, ASyncThatIsFollowedByAChangeIsThatChange) {
  EXPECT_THAT(Folded({Synced(Pod("a", 1)), Updated(Pod("a", 1), Pod("a", 2))}), ElementsAre("~a1>a2"));
  EXPECT_THAT(Folded({Synced(Pod("a", 1)), Gone(Pod("a", 2))}), ElementsAre("-a2"));
}

TEST(CoalescingQueueTest, ARecreationSeenAsAnUpdateStaysVisible) {
  CoalescingQueue queue(0);
  queue.Push(Updated(Pod("a", 1, "x"), Pod("a", 2, "x")));
  queue.Push(Updated(Pod("a", 2, "x"), Pod("a", 3, "y")));
  const Notification update = queue.Pop();
  EXPECT_EQ(Describe(update), "~a1>a3");
  EXPECT_EQ(update.before->Uid(), "x");
  EXPECT_EQ(update.after->Uid(), "y");
}

TEST(CoalescingQueueTest, AnObjectReplacedUnseenAndThenDeletedIsDeletedAsTheHandlerKnewIt) {
  CoalescingQueue queue(0);
  queue.Push(Updated(Pod("a", 1, "x"), Pod("a", 3, "y")));
  queue.Push(Gone(Pod("a", 4, "y")));
  const Notification deletion = queue.Pop();
  EXPECT_EQ(Describe(deletion), "-a1?");
  EXPECT_EQ(deletion.before->Uid(), "x");
  EXPECT_EQ(queue.Size(), 0u);
}

TEST(CoalescingQueueTest, CountsAdditionsOfTheInitialListAlsoWhenTheyAreFoldedAway) {
  CoalescingQueue queue(0);
  queue.Push(Added(Pod("a", 1), true));
  queue.Push(Added(Pod("b", 1), true));
  EXPECT_EQ(queue.Initial(), 2u);
  queue.Push(Updated(Pod("a", 1), Pod("a", 2)));
  EXPECT_EQ(queue.Initial(), 2u);
  queue.Push(Gone(Pod("a", 2)));
  EXPECT_EQ(queue.Initial(), 1u);
  queue.Pop();
  EXPECT_EQ(queue.Initial(), 0u);
}

TEST(CoalescingQueueTest, ObjectsThatComeAndGoUnseenLeaveNothingBehind) {
  CoalescingQueue queue(1);
  queue.Push(Added(Pod("stuck")));
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "job-" + std::to_string(i);
    queue.Push(Added(Pod(name, 1)));
    queue.Push(Gone(Pod(name, 2)));
  }
  EXPECT_EQ(queue.Size(), 1u);
}

// The guarantees a handler relies on, checked against a store that changes at random.
class Model {
 public:
  Model(std::uint32_t seed, std::size_t max_pending) : random_(seed), max_pending_(max_pending), queue_(max_pending) {}

  void Run() {
    for (int step = 0; step < 300 && !::testing::Test::HasFailure(); ++step) {
      if (Pick(3) == 0) {
        if (queue_.Size() > 0) Handle(queue_.Pop());
      } else {
        Change();
      }
      EXPECT_LE(queue_.Size(), max_pending_ + 2 * kNames);
      EXPECT_EQ(pushed_, handled_ + queue_.Size() + queue_.Coalesced());
    }
    while (queue_.Size() > 0) Handle(queue_.Pop());
    EXPECT_EQ(queue_.Initial(), 0u);
    std::map<std::string, std::string> store;
    for (const auto& [name, pod] : store_) store[name] = State(pod);
    EXPECT_EQ(seen_, store);
  }

 private:
  static constexpr std::size_t kNames = 4;

  static std::string State(const ObjectPtr& pod) {
    return std::string(pod->Uid()) + "@" + std::string(pod->ResourceVersion());
  }
  static std::string UidOf(const std::string& state) { return state.substr(0, state.find('@')); }
  std::size_t Pick(std::size_t below) { return random_() % below; }
  ObjectPtr Make(const std::string& name, const std::string& uid) { return Pod(name, ++version_, uid); }

  void Push(Notification notification) {
    ++pushed_;
    queue_.Push(std::move(notification));
  }

  void Change() {
    const std::string name(1, static_cast<char>('a' + Pick(kNames)));
    const auto found = store_.find(name);
    if (found == store_.end()) {
      const ObjectPtr pod = Make(name, std::to_string(++uid_));
      store_[name] = pod;
      Push(Added(pod, Pick(4) == 0));
      return;
    }
    const ObjectPtr before = found->second;
    const std::string uid(before->Uid());
    switch (Pick(6)) {
      case 0:
        store_.erase(found);
        Push(Gone(before, true));
        break;
      case 1:
        store_.erase(found);
        Push(Gone(Make(name, uid)));
        break;
      case 2:
        Push(Synced(before));
        break;
      case 3:
        found->second = Make(name, std::to_string(++uid_));  // deleted and recreated during a gap in the watch
        Push(Updated(before, found->second));
        break;
      default:
        found->second = Make(name, uid);
        Push(Updated(before, found->second));
    }
  }

  void Handle(const Notification& n) {
    ++handled_;
    const std::string name(Subject(n)->Name());
    const auto known = seen_.find(name);
    switch (n.kind) {
      case Notification::Kind::kAdd:
        EXPECT_EQ(known, seen_.end()) << "added twice";
        seen_[name] = State(n.after);
        break;
      case Notification::Kind::kUpdate:
        ASSERT_NE(known, seen_.end()) << "updated before it was added";
        EXPECT_EQ(known->second, State(n.before)) << "not from the state that was shown last";
        known->second = State(n.after);
        break;
      case Notification::Kind::kSync:
        ASSERT_NE(known, seen_.end()) << "synced before it was added";
        EXPECT_EQ(known->second, State(n.after));
        break;
      case Notification::Kind::kDelete:
        ASSERT_NE(known, seen_.end()) << "deleted before it was added";
        EXPECT_EQ(UidOf(known->second), n.before->Uid()) << "another object than the one that was shown";
        seen_.erase(known);
        break;
    }
  }

  std::mt19937 random_;
  std::size_t max_pending_;
  CoalescingQueue queue_;
  std::map<std::string, ObjectPtr> store_;
  std::map<std::string, std::string> seen_;
  int version_ = 0;
  int uid_ = 0;
  std::uint64_t pushed_ = 0;
  std::uint64_t handled_ = 0;
};

TEST(CoalescingQueueTest, AHandlerEndsWithTheStoreAndMissesNoDeleteWhateverHappens) {
  for (std::uint32_t seed = 0; seed < 600; ++seed) {
    const std::size_t max_pending = seed % 4 == 0 ? 0 : seed % 17;
    SCOPED_TRACE("seed " + std::to_string(seed) + ", max_pending " + std::to_string(max_pending));
    Model(seed, max_pending).Run();
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace kinformer::internal
