#include "test/chaos/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/chaos/watcher_probe.h"

namespace kinformer::chaos {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const State kOne{"u1", 1};
const State kTwo{"u1", 2};

TEST(NameLedgerTest, AnAcknowledgedWriteMustBeThere) {
  NameLedger ledger;
  EXPECT_EQ(ledger.Check(std::nullopt), "");
  EXPECT_THAT(ledger.Check(kOne), HasSubstr("where nothing was acknowledged"));
  ledger.Acknowledged(kTwo);
  EXPECT_EQ(ledger.Check(kTwo), "");
  EXPECT_THAT(ledger.Check(kOne), HasSubstr("has u1@1 where u1@2 was acknowledged"));
  EXPECT_THAT(ledger.Check(std::nullopt), HasSubstr("has nothing where u1@2"));
}

TEST(NameLedgerTest, AnAcknowledgedDeletionMustNotComeBack) {
  NameLedger ledger;
  ledger.Acknowledged(kOne);
  ledger.Acknowledged(std::nullopt);
  EXPECT_EQ(ledger.Check(std::nullopt), "");
  EXPECT_NE(ledger.Check(kOne), "");
}

TEST(NameLedgerTest, AnUnansweredWriteMayHaveHappenedButUndoesNothing) {
  NameLedger ledger;
  ledger.Acknowledged(kTwo);
  ledger.Unanswered(0);
  EXPECT_FALSE(ledger.Resolved());
  EXPECT_EQ(ledger.Check(kTwo), "");
  EXPECT_EQ(ledger.Check(State{"u1", 3}), "");
  EXPECT_EQ(ledger.Check(std::nullopt), "");
  EXPECT_THAT(ledger.Check(kOne), HasSubstr("after version 2 was acknowledged"));
}

TEST(NameLedgerTest, AReadResolvesForTheMomentAndEndsTheDoubtOnceTheServerThatGotTheWriteIsGone) {
  NameLedger ledger;
  ledger.Acknowledged(kOne);
  ledger.Unanswered(4);
  ledger.Read(kOne, 4);
  EXPECT_TRUE(ledger.Resolved());
  EXPECT_TRUE(ledger.InDoubt());
  EXPECT_EQ(ledger.Check(std::nullopt), "") << "it may still happen";
  ledger.Read(kOne, 5);
  EXPECT_FALSE(ledger.InDoubt());
  EXPECT_NE(ledger.Check(std::nullopt), "");
}

TEST(NameLedgerTest, AReadThatContradictsAnAcknowledgedWriteIsKeptEvenIfALaterOneDoesNot) {
  NameLedger ledger;
  ledger.Acknowledged(kTwo);
  ledger.Read(kOne, 0);
  ledger.Read(kTwo, 0);
  EXPECT_THAT(ledger.Check(kTwo), HasSubstr("has u1@1 where u1@2 was acknowledged"));
}

TEST(WatcherLifeTest, AcknowledgedWritesWithinItThatItDidNotShowAreMissing) {
  const WatcherLife life{.after = 10, .until = 20, .shown = {11, 15, 20}};
  EXPECT_THAT(Missing(life, {5, 10, 11, 15, 20, 21}), IsEmpty());
  EXPECT_THAT(Missing(life, {10, 11, 13, 19, 21}), ElementsAre(13, 19));
}

}  // namespace
}  // namespace kinformer::chaos
