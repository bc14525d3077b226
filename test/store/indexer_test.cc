
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/store/indexer.h"
#include "test/store/store_test_objects.h"

namespace kinformer {
namespace {

using ::testing::AllOf;
using testing::Bookmark;
using testing::ByNode;
using testing::ByParts;
using ::testing::ElementsAre;
using testing::Erase;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakePod;
using testing::Set;
using testing::Shown;
using ::testing::SizeIs;

class IndexerTest : public ::testing::Test {
 protected:
  std::vector<std::string> Apply(const std::vector<internal::Delta>& deltas) {
    auto previous = indexer_.Apply(deltas);
    EXPECT_TRUE(previous) << (previous ? "" : previous.error().message);
    return previous ? Shown(deltas, *previous) : std::vector<std::string>{"failed"};
  }
  std::vector<std::string> Replace(std::vector<ObjectPtr> objects, std::string version) {
    auto replaced = indexer_.Replace(std::move(objects), std::move(version));
    EXPECT_TRUE(replaced) << (replaced ? "" : replaced.error().message);
    return replaced ? Shown(*replaced) : std::vector<std::string>{"failed"};
  }
  std::vector<std::string> By(std::string_view index, std::string_view value) {
    return Shown(indexer_.ByIndex(index, value).value());
  }

  Indexer indexer_;
};

TEST_F(IndexerTest, AnEmptyOneHasNothing) {
  EXPECT_EQ(indexer_.Get("default", "a"), nullptr);
  EXPECT_THAT(indexer_.List(), IsEmpty());
  EXPECT_THAT(indexer_.ListNamespace("default"), IsEmpty());
  EXPECT_EQ(indexer_.Size(), 0U);
  EXPECT_EQ(indexer_.ResourceVersion(), "");
  EXPECT_THAT(indexer_.IndexNames(), ElementsAre("namespace"));
  EXPECT_THAT(indexer_.IndexValues("namespace").value(), IsEmpty());
  EXPECT_THAT(Apply({}), IsEmpty());
  EXPECT_THAT(Replace({}, "5"), IsEmpty());
  EXPECT_EQ(indexer_.ResourceVersion(), "5");
}

TEST_F(IndexerTest, GetFindsByNamespaceAndName) {
  const ObjectPtr pod = MakePod({.namespace_name = "ab", .name = "c"});
  const ObjectPtr other = MakePod({.namespace_name = "a", .name = "bc"});
  const ObjectPtr cluster_wide = MakePod({.namespace_name = "", .name = "abc"});
  Apply({Set(pod), Set(other), Set(cluster_wide)});
  EXPECT_EQ(indexer_.Get("ab", "c"), pod);
  EXPECT_EQ(indexer_.Get("a", "bc"), other);
  EXPECT_EQ(indexer_.Get("", "abc"), cluster_wide);
  EXPECT_EQ(indexer_.Get("abc", ""), nullptr);
  EXPECT_EQ(indexer_.Size(), 3U);
  EXPECT_THAT(indexer_.ListNamespace(""), ElementsAre(cluster_wide));
}

TEST_F(IndexerTest, ApplySaysWhatEachWriteChanged) {
  const ObjectPtr a1 = MakePod({.name = "a", .version = "1"});
  const ObjectPtr a2 = MakePod({.name = "a", .version = "2"});
  EXPECT_THAT(Apply({Set(a1), Set(a2), Erase(a2), Erase(a2), Set(a1), Set(a1)}),
              ElementsAre("+default/a@1", "default/a@1>default/a@2", "-default/a@2", ".", "+default/a@1",
                          "default/a@1>default/a@1"));
  EXPECT_EQ(indexer_.Get("default", "a"), a1);
}

TEST_F(IndexerTest, AnEraseGivesBackWhatWasStored) {
  const ObjectPtr stored = MakePod({.name = "a", .version = "1"});
  Apply({Set(stored)});
  EXPECT_THAT(indexer_.Apply(std::array{Erase(MakePod({.name = "a", .version = "2"}))}).value(), ElementsAre(stored));
  EXPECT_EQ(indexer_.Get("default", "a"), nullptr);
}

TEST_F(IndexerTest, TheStoreKeepsNoObjectThatWasReplaced) {
  ObjectPtr old = MakePod({.name = "a", .version = "1"});
  const std::weak_ptr<const Object> watched = old;
  Apply({Set(std::exchange(old, nullptr))});
  EXPECT_FALSE(watched.expired());
  Apply({Set(MakePod({.name = "a", .version = "2"}))});
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(indexer_.Get("default", "a")->ResourceVersion(), "2");
}

TEST_F(IndexerTest, ReplaceTellsRemovalsFirstThenTheListInItsOrder) {
  Replace({MakePod({.name = "gone"}), MakePod({.name = "kept"}), MakePod({.name = "reborn", .uid = "first"}),
           MakePod({.name = "changed"})},
          "10");
  EXPECT_THAT(
      Replace({MakePod({.name = "new", .version = "2"}), MakePod({.name = "reborn", .version = "2", .uid = "second"}),
               MakePod({.name = "changed", .version = "2"}), MakePod({.name = "kept"})},
              "20"),
      ElementsAre("-default/gone@1", "-default/reborn@1", "+default/new@2", "+default/reborn@2",
                  "default/changed@1>default/changed@2", "default/kept@1>default/kept@1"));
  EXPECT_EQ(indexer_.Size(), 4U);
  EXPECT_EQ(indexer_.Get("default", "gone"), nullptr);
  EXPECT_THAT(By("namespace", "default"),
              ElementsAre("default/changed@2", "default/kept@1", "default/new@2", "default/reborn@2"));
}

TEST_F(IndexerTest, ReplaceBySamePointersIsAnUpdateOfEach) {
  const ObjectPtr a = MakePod({.name = "a"});
  Replace({a}, "1");
  const auto replaced = indexer_.Replace({a}, "2").value();
  EXPECT_THAT(replaced.removed, IsEmpty());
  EXPECT_THAT(replaced.previous, ElementsAre(a));
  EXPECT_THAT(replaced.objects, ElementsAre(a));
}

TEST_F(IndexerTest, OfDuplicatesInAReplaceTheLastWins) {
  ASSERT_TRUE(indexer_.AddIndexer("node", ByNode));
  EXPECT_THAT(Replace({MakePod({.name = "a", .node = "n1", .version = "1"}), MakePod({.name = "b", .version = "2"}),
                       MakePod({.name = "a", .node = "n2", .version = "3"})},
                      "9"),
              ElementsAre("+default/b@2", "+default/a@3"));
  EXPECT_EQ(indexer_.Size(), 2U);
  EXPECT_THAT(indexer_.IndexValues("node").value(), ElementsAre("n2"));
}

TEST_F(IndexerTest, ResourceVersionFollowsEveryWriteInOrder) {
  Replace({MakePod({.name = "a", .version = "7"})}, "10");
  EXPECT_EQ(indexer_.ResourceVersion(), "10");
  Apply({Set(MakePod({.name = "b", .version = "11"}))});
  EXPECT_EQ(indexer_.ResourceVersion(), "11");
  Apply({Set(MakePod({.name = "b", .version = "12"}))});
  EXPECT_EQ(indexer_.ResourceVersion(), "12");
  Apply({Erase(MakePod({.name = "b", .version = "13"}))});
  EXPECT_EQ(indexer_.ResourceVersion(), "13");
  Apply({Erase(MakePod({.name = "never-seen", .version = "14"}))});
  EXPECT_EQ(indexer_.ResourceVersion(), "14");
  Apply({Bookmark("20")});
  EXPECT_EQ(indexer_.ResourceVersion(), "20");
  Apply({Set(MakePod({.name = "c", .version = "21"})), Set(MakePod({.name = "d", .version = "22"})), Bookmark("30")});
  EXPECT_EQ(indexer_.ResourceVersion(), "30");
  Apply({Set(MakePod({.name = "e", .version = "31"})), Set(MakePod({.name = "f", .version = ""})), Bookmark("")});
  EXPECT_EQ(indexer_.ResourceVersion(), "31");
  Replace({}, "29");
  EXPECT_EQ(indexer_.ResourceVersion(), "29");
}

TEST_F(IndexerTest, AnIndexStaysCorrectAcrossUpdateAndDelete) {
  ASSERT_TRUE(indexer_.AddIndexer("node", ByNode));
  Apply({Set(MakePod({.name = "a", .node = "n1"})), Set(MakePod({.name = "b", .node = "n1"})),
         Set(MakePod({.name = "unscheduled"}))});
  EXPECT_THAT(By("node", "n1"), ElementsAre("default/a@1", "default/b@1"));
  EXPECT_THAT(By("node", ""), IsEmpty());

  Apply({Set(MakePod({.name = "a", .node = "n2", .version = "2"})),
         Set(MakePod({.name = "unscheduled", .node = "n2", .version = "3"}))});
  EXPECT_THAT(By("node", "n1"), ElementsAre("default/b@1"));
  EXPECT_THAT(By("node", "n2"), ElementsAre("default/a@2", "default/unscheduled@3"));

  Apply({Erase(MakePod({.name = "a"})), Set(MakePod({.name = "unscheduled", .version = "4"}))});
  EXPECT_THAT(By("node", "n2"), IsEmpty());
  EXPECT_THAT(By("node", "n1"), ElementsAre("default/b@1"));
}

TEST_F(IndexerTest, AnUpdateThatKeepsItsValuesShowsTheNewObject) {
  ASSERT_TRUE(indexer_.AddIndexer("node", ByNode));
  Apply({Set(MakePod({.name = "a", .node = "n1"}))});
  Apply({Set(MakePod({.name = "a", .node = "n1", .version = "2"}))});
  EXPECT_THAT(By("node", "n1"), ElementsAre("default/a@2"));
}

TEST_F(IndexerTest, AnObjectIsFiledUnderEachOfItsValuesOnce) {
  ASSERT_TRUE(indexer_.AddIndexer("parts", ByParts));
  Apply({Set(MakePod({.name = "a", .node = "x,y,x,z,y"})), Set(MakePod({.name = "b", .node = "y"}))});
  EXPECT_THAT(indexer_.IndexValues("parts").value(), ElementsAre("x", "y", "z"));
  EXPECT_THAT(By("parts", "x"), ElementsAre("default/a@1"));
  EXPECT_THAT(By("parts", "y"), ElementsAre("default/a@1", "default/b@1"));
  Apply({Set(MakePod({.name = "a", .node = "w,z", .version = "2"}))});
  EXPECT_THAT(indexer_.IndexValues("parts").value(), ElementsAre("w", "y", "z"));
  EXPECT_THAT(By("parts", "y"), ElementsAre("default/b@1"));
  EXPECT_THAT(By("parts", "z"), ElementsAre("default/a@2"));
}

TEST_F(IndexerTest, AValueWithoutObjectsIsForgotten) {
  ASSERT_TRUE(indexer_.AddIndexer("node", ByNode));
  Apply({Set(MakePod({.namespace_name = "one", .name = "a", .node = "n1"})),
         Set(MakePod({.namespace_name = "two", .name = "b", .node = "n2"}))});
  Apply({Set(MakePod({.namespace_name = "one", .name = "a", .node = "n2"})),
         Erase(MakePod({.namespace_name = "two", .name = "b"}))});
  EXPECT_THAT(indexer_.IndexValues("node").value(), ElementsAre("n2"));
  EXPECT_THAT(indexer_.IndexValues("namespace").value(), ElementsAre("one"));
  Replace({}, "9");
  EXPECT_THAT(indexer_.IndexValues("node").value(), IsEmpty());
  EXPECT_THAT(indexer_.IndexValues("namespace").value(), IsEmpty());
}

TEST_F(IndexerTest, ALateIndexIsFilledInAndKept) {
  Replace({MakePod({.name = "a", .node = "n1"}), MakePod({.name = "b", .node = "n2"}), MakePod({.name = "c"})}, "1");
  Apply({Erase(MakePod({.name = "b"}))});
  ASSERT_TRUE(indexer_.AddIndexer("node", ByNode));
  EXPECT_THAT(indexer_.IndexNames(), ElementsAre("namespace", "node"));
  EXPECT_THAT(indexer_.IndexValues("node").value(), ElementsAre("n1"));
  Apply({Set(MakePod({.name = "d", .node = "n1"}))});
  EXPECT_THAT(By("node", "n1"), ElementsAre("default/a@1", "default/d@1"));
  Replace({MakePod({.name = "e", .node = "n3"})}, "2");
  EXPECT_THAT(indexer_.IndexValues("node").value(), ElementsAre("n3"));
}

TEST_F(IndexerTest, ANameIsTakenOnce) {
  ASSERT_TRUE(indexer_.AddIndexer("node", ByNode));
  for (const char* const name : {"node", "namespace"}) {
    const auto again = indexer_.AddIndexer(name, ByNode);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(again.error().message, HasSubstr(name));
  }
  EXPECT_EQ(indexer_.AddIndexer("nothing", nullptr).error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(indexer_.IndexNames(), ElementsAre("namespace", "node"));
}

TEST_F(IndexerTest, AnUnknownIndexIsAnErrorThatNamesIt) {
  EXPECT_EQ(indexer_.ByIndex("zone", "a").error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(indexer_.ByIndex("zone", "a").error().message, HasSubstr("\"zone\""));
  EXPECT_EQ(indexer_.IndexValues("zone").error().code, ErrorCode::kInvalidArgument);
  const std::array lookups{IndexLookup{"namespace", "default"}, IndexLookup{"zone", "a"}};
  EXPECT_EQ(indexer_.ByIndexes(lookups).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(IndexerTest, ByIndexesGivesTheIntersection) {
  ASSERT_TRUE(indexer_.AddIndexer("parts", ByParts));
  Apply({Set(MakePod({.namespace_name = "one", .name = "a", .node = "x,y"})),
         Set(MakePod({.namespace_name = "one", .name = "b", .node = "x"})),
         Set(MakePod({.namespace_name = "two", .name = "c", .node = "x,y"})),
         Set(MakePod({.namespace_name = "one", .name = "d"}))});
  const auto by = [&](std::vector<IndexLookup> lookups) { return Shown(indexer_.ByIndexes(lookups).value()); };
  EXPECT_THAT(by({{"namespace", "one"}, {"parts", "x"}}), ElementsAre("one/a@1", "one/b@1"));
  EXPECT_THAT(by({{"parts", "x"}, {"parts", "y"}}), ElementsAre("one/a@1", "two/c@1"));
  EXPECT_THAT(by({{"parts", "x"}, {"parts", "y"}, {"namespace", "two"}}), ElementsAre("two/c@1"));
  EXPECT_THAT(by({{"parts", "x"}, {"parts", "z"}}), IsEmpty());
  EXPECT_THAT(by({{"parts", "y"}}), ElementsAre("one/a@1", "two/c@1"));
  EXPECT_EQ(by({}).size(), 4U);
}

TEST_F(IndexerTest, ADeltaWithoutAnObjectOrOfManyIsRefused) {
  using Kind = internal::Delta::Kind;
  const ObjectPtr a = MakePod({.name = "a"});
  for (const Kind kind : {Kind::kReplaceAll, Kind::kForget, Kind::kResync}) {
    EXPECT_EQ(indexer_.Apply(std::array{Set(a), internal::Delta{.kind = kind}}).error().code,
              ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(indexer_.Apply(std::array{Set(a), Set(nullptr)}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(indexer_.Replace({a, nullptr}, "2").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(indexer_.Size(), 0U);
  EXPECT_EQ(indexer_.ResourceVersion(), "");
}

Keys ThrowingOnBad(const ObjectPtr& pod) {
  if (pod->Name() == "bad") throw std::runtime_error("no such thing");
  if (pod->Name() == "worse") throw 7;  // NOLINT(hicpp-exception-baseclass)
  return ByNode(pod);
}

TEST(IndexerErrorTest, AnObjectForWhichAnIndexFunctionThrowsIsStoredButNotFiledAndItsOldValueGoes) {
  std::vector<Error> errors;
  Indexer indexer([&](const Error& error) { errors.push_back(error); });
  ASSERT_TRUE(indexer.AddIndexer("fragile", [](const ObjectPtr& pod) {
    return pod->ResourceVersion() == "1" ? ByNode(pod) : ThrowingOnBad(pod);
  }));
  ASSERT_TRUE(
      indexer.Replace({MakePod({.name = "bad", .node = "n1"}), MakePod({.name = "a", .node = "n1"})}, "10").ok());
  EXPECT_TRUE(errors.empty());

  for (const char* const name : {"bad", "worse"}) {
    const auto applied = indexer.Apply(std::array{Set(MakePod({.name = name, .version = "11"}))});
    ASSERT_TRUE(applied.ok());
    EXPECT_EQ(indexer.Get("default", name)->ResourceVersion(), "11");
  }
  EXPECT_THAT(Shown(*indexer.ByIndex("fragile", "n1")), ElementsAre("default/a@1"));
  EXPECT_EQ(indexer.ResourceVersion(), "11");
  ASSERT_THAT(errors, SizeIs(2));
  EXPECT_EQ(errors[0].code, ErrorCode::kInternal);
  EXPECT_THAT(errors[0].message, AllOf(HasSubstr("\"fragile\""), HasSubstr("default/bad"), HasSubstr("no such thing")));

  // One report per write and index function, however many objects it fails for.
  ASSERT_TRUE(indexer
                  .Replace({MakePod({.name = "bad", .version = "12"}), MakePod({.name = "worse", .version = "12"}),
                            MakePod({.name = "c", .node = "n2", .version = "12"})},
                           "12")
                  .ok());
  ASSERT_THAT(errors, SizeIs(3));
  EXPECT_THAT(errors[2].message, HasSubstr("1 more"));
  EXPECT_EQ(indexer.Size(), 3U);
  EXPECT_THAT(Shown(*indexer.ByIndex("fragile", "n2")), ElementsAre("default/c@12"));
}

TEST_F(IndexerTest, AnIndexWhoseFunctionThrowsIsNotAdded) {
  Replace({MakePod({.name = "a"}), MakePod({.name = "bad"})}, "10");
  const auto added = indexer_.AddIndexer("fragile", ThrowingOnBad);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, ErrorCode::kInternal);
  EXPECT_THAT(added.error().message, HasSubstr("\"fragile\""));
  EXPECT_THAT(indexer_.IndexNames(), ElementsAre("namespace"));
  EXPECT_THAT(Apply({Set(MakePod({.name = "worse", .version = "11"}))}), ElementsAre("+default/worse@11"));
  EXPECT_TRUE(indexer_.AddIndexer("fragile", ByNode)) << "its name is free again";
}

TEST_F(IndexerTest, AnIndexFunctionMayReadTheStore) {
  const auto is_new = [&](const ObjectPtr& pod) {
    EXPECT_LE(indexer_.List().size(), 2U);
    return Keys{indexer_.Get(pod->Namespace(), pod->Name()) == nullptr ? "new" : "known"};
  };
  Apply({Set(MakePod({.name = "a"}))});
  ASSERT_TRUE(indexer_.AddIndexer("age", is_new));
  EXPECT_THAT(By("age", "known"), ElementsAre("default/a@1"));
  Apply({Set(MakePod({.name = "b"}))});
  EXPECT_THAT(By("age", "new"), ElementsAre("default/b@1"));
  Replace({MakePod({.name = "b"}), MakePod({.name = "c"})}, "2");
  EXPECT_THAT(By("age", "known"), ElementsAre("default/b@1"));
  EXPECT_THAT(By("age", "new"), ElementsAre("default/c@1"));
}

TEST_F(IndexerTest, AnIndexFunctionMayAddAnIndex) {
  const auto add_when = [&](const std::string& trigger, const std::string& index) {
    return [&, trigger, index](const ObjectPtr& pod) {
      if (pod->Name() == trigger) {
        EXPECT_TRUE(indexer_.AddIndexer(index, ByNode));
      }
      return Keys{};
    };
  };
  ASSERT_TRUE(indexer_.AddIndexer("first", add_when("a", "in-apply")));
  Apply({Set(MakePod({.name = "a", .node = "n1"}))});
  EXPECT_THAT(By("in-apply", "n1"), ElementsAre("default/a@1"));

  ASSERT_TRUE(indexer_.AddIndexer("second", add_when("b", "in-replace")));
  Replace({MakePod({.name = "b", .node = "n2"})}, "2");
  EXPECT_THAT(By("in-replace", "n2"), ElementsAre("default/b@1"));
  EXPECT_THAT(By("in-apply", "n2"), ElementsAre("default/b@1"));

  ASSERT_TRUE(indexer_.AddIndexer("third", add_when("b", "in-add")));
  EXPECT_THAT(By("in-add", "n2"), ElementsAre("default/b@1"));
}

TEST_F(IndexerTest, AnIndexThatIsBeingFilledHoldsItsName) {
  Apply({Set(MakePod({.name = "a"}))});
  ErrorCode seen = ErrorCode::kUnknown;
  ASSERT_TRUE(indexer_.AddIndexer("x", [&](const ObjectPtr&) {
    EXPECT_EQ(indexer_.ByIndex("x", "").error().code, ErrorCode::kInvalidArgument);
    seen = indexer_.AddIndexer("x", ByNode).error().code;
    return Keys{};
  }));
  EXPECT_EQ(seen, ErrorCode::kInvalidArgument);
}

TEST_F(IndexerTest, WhatChangesWhileAnIndexIsFilledIsFiledAsItIsNow) {
  const ObjectPtr a = MakePod({.name = "a", .node = "n1"});
  Replace({a, MakePod({.name = "b", .node = "n1"}), MakePod({.name = "c", .node = "n1"})}, "1");
  int calls = 0;
  ASSERT_TRUE(indexer_.AddIndexer("node", [&](const ObjectPtr& pod) {
    if (++calls == 1) {  // Simulates concurrent writes, on this thread.
      Apply({Set(MakePod({.name = "b", .node = "n2", .version = "2"})), Erase(MakePod({.name = "c"})),
             Set(MakePod({.name = "d", .node = "n3"})), Set(MakePod({.name = "b", .node = "n4", .version = "3"}))});
    }
    return ByNode(pod);
  }));
  EXPECT_EQ(calls, 5) << "three, and of the changed ones b and d";
  EXPECT_THAT(indexer_.IndexValues("node").value(), ElementsAre("n1", "n3", "n4"));
  EXPECT_THAT(By("node", "n1"), ElementsAre("default/a@1"));
  EXPECT_THAT(By("node", "n4"), ElementsAre("default/b@3"));
}

TEST_F(IndexerTest, AReplaceWhileAnIndexIsFilledIsFiledWhole) {
  Replace({MakePod({.name = "a", .node = "n1"}), MakePod({.name = "b", .node = "n2"})}, "1");
  int calls = 0;
  ASSERT_TRUE(indexer_.AddIndexer("node", [&](const ObjectPtr& pod) {
    if (++calls == 1) {
      Replace({MakePod({.name = "c", .node = "n3"}), MakePod({.name = "b", .node = "n2"})}, "2");
      Apply({Set(MakePod({.name = "d", .node = "n4"}))});
    }
    return ByNode(pod);
  }));
  EXPECT_THAT(indexer_.IndexValues("node").value(), ElementsAre("n2", "n3", "n4"));
  EXPECT_THAT(By("node", "n3"), ElementsAre("default/c@1"));
}

}  // namespace
}  // namespace kinformer
