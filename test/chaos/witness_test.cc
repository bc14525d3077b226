#include "test/chaos/witness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinformer::chaos {
namespace {

using ::testing::HasSubstr;

Fact At(std::uint64_t version, const std::string& uid = "u1", const std::string& key = "ns/a") {
  return {.key = key, .state = {.uid = uid, .version = version}};
}

Fact Damaged(std::uint64_t version) {
  Fact fact = At(version);
  fact.sound = false;
  return fact;
}

class WitnessTest : public ::testing::Test {
 protected:
  /// "" if there is no breach.
  std::string Breach() const { return witness_.breach().value_or(""); }
  Witness witness_{{.name = "handler"}};
};

TEST_F(WitnessTest, ALifeInOrderIsNoBreachAndTheWorldIsWhatWasTold) {
  witness_.Added(At(1));
  witness_.Updated(At(1), At(2));
  witness_.Deleted(At(3), false);
  witness_.Added(At(4, "u2"));
  witness_.Updated(At(4, "u2"), At(9, "u2"));
  witness_.Deleted(At(9, "u2"), true);
  witness_.Added(At(12, "u3"));
  witness_.Added(At(11, "u4", "ns/b"));
  EXPECT_EQ(Breach(), "");
  EXPECT_EQ(witness_.events(), 8U);
  EXPECT_EQ(witness_.world(), (World{{"ns/a", {"u3", 12}}, {"ns/b", {"u4", 11}}}));
}

TEST_F(WitnessTest, AnAdditionOfWhatIsThereIsABreach) {
  witness_.Added(At(1));
  witness_.Added(At(2));
  EXPECT_THAT(Breach(), HasSubstr("ns/a was added twice"));
}

TEST_F(WitnessTest, AnUpdateOrADeletionOfWhatIsNotThereIsABreach) {
  witness_.Updated(At(1), At(2));
  EXPECT_THAT(Breach(), HasSubstr("was updated while it was not there"));
  Witness other({.name = "other"});
  other.Deleted(At(1), false);
  EXPECT_THAT(other.breach().value_or(""), HasSubstr("was deleted while it was not there"));
}

TEST_F(WitnessTest, AnEventAfterADeletionNeedsAnAddition) {
  witness_.Added(At(1));
  witness_.Deleted(At(2), false);
  witness_.Updated(At(1), At(3));
  EXPECT_THAT(Breach(), HasSubstr("was updated while it was not there"));
}

TEST_F(WitnessTest, AnUpdateFromAStateThatWasNotTheLastOneShownIsABreach) {
  witness_.Added(At(1));
  witness_.Updated(At(1), At(2));
  witness_.Updated(At(1), At(3));
  EXPECT_THAT(Breach(), HasSubstr("from a state that was not the last one shown"));
}

TEST_F(WitnessTest, AVersionThatGoesBackIsABreachInEachKindOfEvent) {
  witness_.Added(At(5));
  witness_.Updated(At(5), At(4));
  EXPECT_THAT(Breach(), HasSubstr("went back"));

  Witness deletion({.name = "deletion"});
  deletion.Added(At(5));
  deletion.Deleted(At(4), false);
  EXPECT_THAT(deletion.breach().value_or(""), HasSubstr("went back when it was deleted"));

  Witness addition({.name = "addition"});
  addition.Added(At(5));
  addition.Deleted(At(7), false);
  addition.Added(At(6, "u2"));
  EXPECT_THAT(addition.breach().value_or(""), HasSubstr("came back at an old version"));
}

TEST_F(WitnessTest, TheSameVersionTwiceIsABreachUnlessTheHandlerResyncs) {
  witness_.Added(At(1));
  witness_.Updated(At(1), At(1));
  EXPECT_THAT(Breach(), HasSubstr("the same version twice"));

  Witness resyncing({.name = "resyncing", .resyncs = true});
  resyncing.Added(At(1));
  resyncing.Updated(At(1), At(1));
  EXPECT_FALSE(resyncing.breach());
}

TEST_F(WitnessTest, WhatCameBackUnchangedIsABreachUnlessTheInformerLookedAway) {
  witness_.Added(At(1));
  witness_.Deleted(At(1), true);
  witness_.Added(At(1));
  EXPECT_THAT(Breach(), HasSubstr("came back at an old version"));

  Witness set({.name = "set", .looks_away = true});
  set.Added(At(2));
  set.Deleted(At(2), true);
  set.Added(At(2));
  EXPECT_FALSE(set.breach());
  set.Deleted(At(2), true);
  set.Added(At(1));
  EXPECT_TRUE(set.breach()) << "older than before it may not be";
}

TEST_F(WitnessTest, AnotherObjectUnderTheSameNameNeedsADeletionBetween) {
  witness_.Added(At(1));
  witness_.Updated(At(1), At(2, "u2"));
  EXPECT_THAT(Breach(), HasSubstr("became another object without a deletion"));

  Witness deletion({.name = "deletion"});
  deletion.Added(At(1));
  deletion.Deleted(At(2, "u2"), false);
  EXPECT_THAT(deletion.breach().value_or(""), HasSubstr("was deleted as another object"));
}

TEST_F(WitnessTest, ALastKnownStateMustBeTheOneThatWasShownUnlessEventsAreFolded) {
  witness_.Added(At(1));
  witness_.Deleted(At(2), true);
  EXPECT_THAT(Breach(), HasSubstr("a last known state that was not shown"));

  Witness folding({.name = "folding", .folds = true});
  folding.Added(At(1));
  folding.Deleted(At(2), true);
  EXPECT_FALSE(folding.breach());
  folding.Added(At(4));
  folding.Deleted(At(3), true);
  EXPECT_TRUE(folding.breach()) << "older than what was shown it may not be";
}

TEST_F(WitnessTest, AContentThatNobodyWroteIsABreach) {
  witness_.Added(Damaged(1));
  EXPECT_THAT(Breach(), HasSubstr("content that was never written"));
}

TEST_F(WitnessTest, TheFirstBreachIsToldWithTheLastEventsOfItsObjectAndStays) {
  witness_.Added(At(1));
  witness_.Added(At(2, "u2", "ns/other"));
  witness_.Updated(At(1), At(3));
  witness_.Updated(At(3), At(2));
  const std::string first = Breach();
  EXPECT_EQ(first,
            "handler: ns/a went back; its last events:\n"
            "  add u1@1\n"
            "  update u1@1 to u1@3\n"
            "  update u1@3 to u1@2");
  witness_.Added(At(9));
  EXPECT_EQ(Breach(), first);
}

TEST(DifferenceTest, NamesWhatIsMissingWhatIsLeftAndWhatIsAnother) {
  EXPECT_EQ(Difference({{"ns/a", {"u1", 1}}}, {{"ns/a", {"u1", 1}}}), "");
  EXPECT_EQ(Difference({{"ns/left", {"u1", 1}}, {"ns/old", {"u2", 2}}, {"ns/same", {"u3", 3}}},
                       {{"ns/missing", {"u4", 4}}, {"ns/old", {"u2", 5}}, {"ns/same", {"u3", 3}}}),
            "\n  ns/missing is missing: u4@4"
            "\n  ns/old is u2@2 and should be u2@5"
            "\n  ns/left is still there: u1@1");
}

ObjectPtr Sealed(const std::string& seal, const std::string& data) {
  return Object::Parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"ns","name":"a","uid":"u",)"
                       R"("resourceVersion":"7","annotations":{"chaos.example/sequence":"w.1","chaos.example/seal":")" +
                       seal + R"("}},"data":{"sequence":")" + data + "\"}}")
      .value();
}

TEST(FactTest, AnObjectIsSoundIfItsSealAndItsContentAgree) {
  const Fact fact = FactOf(*Sealed(SealOf("ns/a", "w.1"), "w.1"));
  EXPECT_TRUE(fact.sound);
  EXPECT_EQ(fact.key, "ns/a");
  EXPECT_EQ(fact.state, (State{"u", 7}));
  EXPECT_FALSE(FactOf(*Sealed(SealOf("ns/a", "w.2"), "w.1")).sound);
  EXPECT_FALSE(FactOf(*Sealed(SealOf("ns/b", "w.1"), "w.1")).sound) << "another object's";
  EXPECT_FALSE(FactOf(*Sealed(SealOf("ns/a", "w.1"), "w.2")).sound);
}

}  // namespace
}  // namespace kinformer::chaos
