// Objects directly from a backend: the rules of lists, updates and watches, over each kind of backend.

#include "src/listwatch/storage/undecorated_storage.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>
#include <kinformer/meta/status_error.h>

#include "src/listwatch/storage/continue_token.h"
#include "src/listwatch/storage/memory_backend.h"
#include "test/listwatch/storage/object_storage_testing.h"

namespace kinformer::apiserver {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class UndecoratedStorageTest : public ::testing::TestWithParam<BackendKind> {
 protected:
  UndecoratedStorageTest() { pool_.Start(); }

  Backend& backend() { return under_test_->backend(); }
  ObjectPtr Create(const ObjectPtr& pod) {
    Result<ObjectPtr> created = storage_.Create(*pod, 0s, {});
    EXPECT_TRUE(created) << created.error().message;
    return created ? *created : nullptr;
  }
  ObjectPtr Set(const ObjectPtr& pod) {
    Result<ObjectPtr> updated =
        storage_.GuaranteedUpdate(std::string(pod->Namespace()), std::string(pod->Name()), false, {},
                                  [&](const ObjectPtr&) -> Result<ObjectPtr> { return pod; }, {});
    EXPECT_TRUE(updated) << updated.error().message;
    return updated ? *updated : nullptr;
  }
  ObjectPtr Remove(const std::string& namespace_name, const std::string& name) {
    Result<ObjectPtr> removed = storage_.GuaranteedUpdate(
        namespace_name, name, false, {}, [](const ObjectPtr&) -> Result<ObjectPtr> { return ObjectPtr(); }, {});
    EXPECT_TRUE(removed) << removed.error().message;
    return removed ? *removed : nullptr;
  }
  ObjectList List(const ListQuery& query = {}) {
    Result<ObjectList> result = storage_.List(query, {});
    EXPECT_TRUE(result) << result.error().message;
    return result ? *result : ObjectList{};
  }
  Error ListError(const ListQuery& query) {
    const Result<ObjectList> result = storage_.List(query, {});
    return result ? Error{.message = "no error"} : result.error();
  }
  WatchReader Watch(const WatchQuery& query) {
    Result<std::unique_ptr<WatchEventStream>> stream = storage_.Watch(query, {});
    EXPECT_TRUE(stream) << stream.error().message;
    return WatchReader(*std::move(stream));
  }
  static SelectionPredicate Labels(std::string_view text) { return {.labels = LabelSelector::Parse(text).value()}; }
  static SelectionPredicate Fields(std::string_view text) { return {.fields = FieldSelector::Parse(text).value()}; }
  static std::string Version(const ObjectPtr& object) { return std::string(object->ResourceVersion()); }
  std::string Beyond() { return std::to_string(backend().CurrentRevision({}).value() + 1000); }

  const std::unique_ptr<BackendUnderTest> under_test_ = GetParam().make();
  const std::string prefix_ = FreshPrefix();
  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  TaskPool pool_{{.threads = 1, .clock = clock_}};
  UndecoratedStorage storage_{under_test_->shared(), PodOptions(prefix_), pool_};
};

TEST_P(UndecoratedStorageTest, WhatIsCreatedIsFoundUnderItsKeyWithTheVersionOfItsWrite) {
  const ObjectPtr created = Create(Pod("default", "a"));
  const auto raw = backend().Get(prefix_ + "default/a", {});
  ASSERT_TRUE(raw && raw->first);
  EXPECT_EQ(created->ResourceVersion(), std::to_string(raw->first->mod_revision));
  EXPECT_THAT(*raw->first->value, ::testing::Not(HasSubstr("resourceVersion")));
  const Result<ObjectPtr> got = storage_.Get("default", "a", "", {});
  ASSERT_TRUE(got);
  EXPECT_EQ((*got)->Json(), created->Json());
}

TEST_P(UndecoratedStorageTest, CreatingTwiceIs409AndWithAVersionIs500) {
  const ObjectPtr created = Create(Pod("default", "a"));
  const Result<ObjectPtr> again = storage_.Create(*Pod("default", "a"), 0s, {});
  ASSERT_FALSE(again);
  EXPECT_TRUE(IsAlreadyExists(again.error()));
  EXPECT_EQ(again.error().http_status, 409);
  EXPECT_EQ(again.error().message, "pods \"a\" already exists");
  EXPECT_EQ(again.error().details.kind, "pods");
  const Result<ObjectPtr> versioned = storage_.Create(*created, 0s, {});
  ASSERT_FALSE(versioned);
  EXPECT_EQ(versioned.error().http_status, 500);
}

TEST_P(UndecoratedStorageTest, WhatIsNotThereIs404) {
  const Result<ObjectPtr> got = storage_.Get("default", "a", "", {});
  ASSERT_FALSE(got);
  EXPECT_TRUE(IsNotFound(got.error()));
  EXPECT_EQ(got.error().message, "pods \"a\" not found");
  EXPECT_EQ(got.error().details.name, "a");
}

TEST_P(UndecoratedStorageTest, NamesThatLeadElsewhereAre400) {
  for (const char* name : {"..", ".", "a/b", "", "a%2fb"}) {
    const Result<ObjectPtr> got = storage_.Get("default", name, "", {});
    ASSERT_FALSE(got) << name;
    EXPECT_EQ(got.error().http_status, 400) << name;
  }
  EXPECT_EQ(ListError({.namespace_name = "a/../b"}).http_status, 400);
}

TEST_P(UndecoratedStorageTest, AGetOfAFutureVersionIs504AtOnce) {
  const ObjectPtr created = Create(Pod("default", "a"));
  EXPECT_TRUE(storage_.Get("default", "a", Version(created), {}));
  EXPECT_TRUE(storage_.Get("default", "a", "0", {}));
  const Result<ObjectPtr> future = storage_.Get("default", "a", Beyond(), {});
  ASSERT_FALSE(future);
  EXPECT_TRUE(IsTooLargeResourceVersion(future.error()));
  const Error no_number = storage_.Get("default", "a", "x", {}).error();
  EXPECT_EQ(no_number.http_status, 500);
  EXPECT_EQ(no_number.message,
            R"(resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax)");
}

TEST_P(UndecoratedStorageTest, ListsAreInTheOrderOfKeysAndOfOneNamespaceOrAll) {
  Create(Pod("ns2", "a"));
  Create(Pod("ns1", "b"));
  const ObjectPtr last = Create(Pod("ns1", "a"));
  const ObjectList all = List();
  EXPECT_THAT(Names(all.items), ElementsAre("ns1/a", "ns1/b", "ns2/a"));
  EXPECT_EQ(all.metadata.resource_version, last->ResourceVersion());
  EXPECT_THAT(Names(List({.namespace_name = "ns1"}).items), ElementsAre("ns1/a", "ns1/b"));
  EXPECT_THAT(Names(List({.namespace_name = "ns1", .name = "b"}).items), ElementsAre("ns1/b"));
  EXPECT_THAT(List({.namespace_name = "ns"}).items, IsEmpty());
  EXPECT_THAT(List({.namespace_name = "ns1", .name = "c"}).items, IsEmpty());
}

TEST_P(UndecoratedStorageTest, AListByVersionIsAtLeastAsNewOrExactlyThatOld) {
  const ObjectPtr a = Create(Pod("ns", "a"));
  const ObjectPtr b = Create(Pod("ns", "b"));
  EXPECT_THAT(List({.resource_version = Version(a)}).items, SizeIs(2));
  EXPECT_THAT(List({.resource_version = Version(a), .match = VersionMatch::kNotOlderThan}).items, SizeIs(2));
  EXPECT_THAT(List({.resource_version = "0"}).items, SizeIs(2));
  const ObjectList exact = List({.resource_version = Version(a), .match = VersionMatch::kExact});
  EXPECT_THAT(Names(exact.items), ElementsAre("ns/a"));
  EXPECT_EQ(exact.metadata.resource_version, Version(a));
  // The legacy form of an exact version.
  EXPECT_THAT(Names(List({.resource_version = Version(a), .limit = 10}).items), ElementsAre("ns/a"));
  EXPECT_THAT(List({.resource_version = Version(a), .match = VersionMatch::kNotOlderThan, .limit = 10}).items,
              SizeIs(2));
  // Not for a single name.
  EXPECT_THAT(Names(List({.namespace_name = "ns", .name = "b", .resource_version = Version(a), .limit = 10}).items),
              ElementsAre("ns/b"));
}

TEST_P(UndecoratedStorageTest, AListOfAFutureVersionIs504AndOfACompactedOne410) {
  const ObjectPtr a = Create(Pod("ns", "a"));
  const ObjectPtr b = Create(Pod("ns", "b"));
  for (const VersionMatch match : {VersionMatch::kUnset, VersionMatch::kNotOlderThan, VersionMatch::kExact}) {
    const Error error = ListError({.resource_version = Beyond(), .match = match});
    EXPECT_EQ(error.http_status, 504) << error.message;
    EXPECT_TRUE(IsTooLargeResourceVersion(error));
  }
  ASSERT_TRUE(backend().Compact(std::stoll(Version(b)), {}));
  const Error error = ListError({.resource_version = Version(a), .match = VersionMatch::kExact});
  EXPECT_EQ(error.http_status, 410);
  EXPECT_TRUE(IsResourceExpired(error));
}

TEST_P(UndecoratedStorageTest, OptionsThatContradictEachOtherAreRefused) {
  for (int i = 0; i < 3; ++i) Create(Pod("ns", "p" + std::to_string(i)));
  const std::string token = List({.limit = 1}).metadata.continue_token;
  EXPECT_EQ(ListError({.match = VersionMatch::kExact}).http_status, 422);
  EXPECT_EQ(ListError({.resource_version = "0", .match = VersionMatch::kExact}).http_status, 422);
  EXPECT_EQ(
      ListError({.resource_version = "1", .match = VersionMatch::kNotOlderThan, .continue_token = token}).http_status,
      422);
  EXPECT_EQ(ListError({.resource_version = "1", .continue_token = token}).http_status, 400);
  EXPECT_EQ(ListError({.resource_version = "abc"}).http_status, 400);
  EXPECT_EQ(ListError({.resource_version = "abc"}).message,
            R"(invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": )"
            "invalid syntax");
  EXPECT_EQ(ListError({.resource_version = "-1"}).http_status, 400);
  EXPECT_EQ(ListError({.limit = -1}).http_status, 400);
  EXPECT_EQ(ListError({.continue_token = "nonsense"}).http_status, 400);
  EXPECT_THAT(List({.resource_version = "0", .continue_token = token}).items, SizeIs(2));
}

TEST_P(UndecoratedStorageTest, PagesAreAllAsOfTheFirst) {
  for (int i = 0; i < 5; ++i) Create(Pod("ns", "p" + std::to_string(i)));
  const ObjectList first = List({.limit = 2});
  EXPECT_THAT(Names(first.items), ElementsAre("ns/p0", "ns/p1"));
  EXPECT_EQ(first.metadata.remaining_item_count, 3);
  Create(Pod("ns", "p11"));
  Remove("ns", "p3");
  const ObjectList second = List({.limit = 2, .continue_token = first.metadata.continue_token});
  EXPECT_THAT(Names(second.items), ElementsAre("ns/p2", "ns/p3"));
  EXPECT_EQ(second.metadata.resource_version, first.metadata.resource_version);
  EXPECT_EQ(second.metadata.remaining_item_count, 1);
  const ObjectList third = List({.limit = 2, .continue_token = second.metadata.continue_token});
  EXPECT_THAT(Names(third.items), ElementsAre("ns/p4"));
  EXPECT_EQ(third.metadata.continue_token, "");
  EXPECT_EQ(third.metadata.remaining_item_count, std::nullopt);
  EXPECT_EQ(third.metadata.resource_version, first.metadata.resource_version);
}

TEST_P(UndecoratedStorageTest, AContinueOfACompactedListSaysHowToGoOnAsOfNow) {
  for (int i = 0; i < 4; ++i) Create(Pod("ns", "p" + std::to_string(i)));
  const ObjectList first = List({.limit = 2});
  Create(Pod("ns", "p9"));
  ASSERT_TRUE(backend().Compact(backend().CurrentRevision({}).value(), {}));
  Error error = ListError({.limit = 2, .continue_token = first.metadata.continue_token});
  EXPECT_EQ(error.http_status, 410);
  EXPECT_TRUE(IsResourceExpired(error));
  const std::optional<std::string> token = TakeContinue(error);
  ASSERT_TRUE(token);
  const ObjectList rest = List({.continue_token = *token});
  EXPECT_THAT(Names(rest.items), ElementsAre("ns/p2", "ns/p3", "ns/p9"));
}

TEST_P(UndecoratedStorageTest, ALimitCountsWhatMatches) {
  for (int i = 0; i < 40; ++i) {
    Create(Pod("ns", (i < 10 ? "p0" : "p") + std::to_string(i), i % 10 == 3 ? "rare" : "web"));
  }
  const ObjectList first = List({.predicate = Labels("app=rare"), .limit = 3});
  EXPECT_THAT(Names(first.items), ElementsAre("ns/p03", "ns/p13", "ns/p23"));
  EXPECT_NE(first.metadata.continue_token, "");
  EXPECT_EQ(first.metadata.remaining_item_count, std::nullopt);
  const ObjectList second =
      List({.predicate = Labels("app=rare"), .limit = 3, .continue_token = first.metadata.continue_token});
  EXPECT_THAT(Names(second.items), ElementsAre("ns/p33"));
  EXPECT_EQ(second.metadata.continue_token, "");
  EXPECT_THAT(Names(List({.predicate = Fields("metadata.name=p07")}).items), ElementsAre("ns/p07"));
}

TEST_P(UndecoratedStorageTest, AnUpdateStartsFromWhatIsThere) {
  const ObjectPtr created = Create(Pod("ns", "a"));
  const Result<ObjectPtr> updated = storage_.GuaranteedUpdate("ns", "a", false, {},
                                                              [&](const ObjectPtr& current) -> Result<ObjectPtr> {
                                                                EXPECT_EQ(current->Json(), created->Json());
                                                                return Pod("ns", "a", "other");
                                                              },
                                                              {});
  ASSERT_TRUE(updated);
  EXPECT_NE((*updated)->ResourceVersion(), created->ResourceVersion());
  EXPECT_EQ((*storage_.Get("ns", "a", "", {}))->Json(), (*updated)->Json());
}

TEST_P(UndecoratedStorageTest, AnUpdateThatChangesNothingIsNoWrite) {
  const ObjectPtr created = Create(Pod("ns", "a"));
  const ObjectPtr same = Set(Pod("ns", "a"));
  EXPECT_EQ(same->ResourceVersion(), created->ResourceVersion());
  EXPECT_EQ(Set(created)->ResourceVersion(), created->ResourceVersion());
  EXPECT_EQ(std::to_string(backend().Get(prefix_ + "ns/a", {})->first->mod_revision), Version(created));
}

TEST_P(UndecoratedStorageTest, AnUpdateOfWhatIsNotThereIs404OrMakesIt) {
  const auto make = [](const ObjectPtr& current) -> Result<ObjectPtr> {
    EXPECT_EQ(current, nullptr);
    return Pod("ns", "a");
  };
  const Result<ObjectPtr> missing = storage_.GuaranteedUpdate("ns", "a", false, {}, make, {});
  ASSERT_FALSE(missing);
  EXPECT_TRUE(IsNotFound(missing.error()));
  const Result<ObjectPtr> made = storage_.GuaranteedUpdate("ns", "a", true, {}, make, {});
  ASSERT_TRUE(made);
  EXPECT_NE((*made)->ResourceVersion(), "");
}

TEST_P(UndecoratedStorageTest, TheChangesErrorIsTheUpdates) {
  Create(Pod("ns", "a"));
  const Result<ObjectPtr> refused = storage_.GuaranteedUpdate(
      "ns", "a", false, {}, [](const ObjectPtr&) -> Result<ObjectPtr> { return Error{.message = "no"}; }, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "no");
}

TEST_P(UndecoratedStorageTest, PreconditionsThatAreNotMetAre409) {
  const ObjectPtr created = Create(Pod("ns", "a"));
  const auto update = [&](const Preconditions& preconditions) {
    return storage_.GuaranteedUpdate("ns", "a", false, preconditions,
                                     [](const ObjectPtr&) -> Result<ObjectPtr> { return Pod("ns", "a", "other"); }, {});
  };
  for (const Preconditions& wrong : {Preconditions{.uid = "another"}, Preconditions{.resource_version = "1"}}) {
    const Result<ObjectPtr> refused = update(wrong);
    ASSERT_FALSE(refused);
    EXPECT_TRUE(IsConflict(refused.error()));
    EXPECT_EQ(refused.error().http_status, 409);
    EXPECT_THAT(refused.error().message, HasSubstr("Operation cannot be fulfilled on pods \"a\""));
  }
  EXPECT_TRUE(update({.uid = "uid-a", .resource_version = Version(created)}));
}

TEST_P(UndecoratedStorageTest, WhoeverWasQuickerIsSeenByTheChangeAgain) {
  Create(Pod("ns", "a", "0"));
  int calls = 0;
  const Result<ObjectPtr> updated =
      storage_.GuaranteedUpdate("ns", "a", false, {},
                                [&](const ObjectPtr& current) -> Result<ObjectPtr> {
                                  if (++calls == 1) Set(Pod("ns", "a", "quicker"));
                                  return Pod("ns", "a", std::string(*current->Labels().Find("app")) + "-and-me");
                                },
                                {});
  ASSERT_TRUE(updated);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ((*updated)->Labels().Find("app"), "quicker-and-me");
}

TEST_P(UndecoratedStorageTest, CountersThatManyRaiseLoseNothing) {
  constexpr int kThreads = 4;
  constexpr int kEach = 10;
  Create(Pod("ns", "a", "0"));
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < kEach; ++i) {
          const Result<ObjectPtr> raised =
              storage_.GuaranteedUpdate("ns", "a", false, {},
                                        [](const ObjectPtr& current) -> Result<ObjectPtr> {
                                          const int count = std::stoi(std::string(*current->Labels().Find("app")));
                                          return Pod("ns", "a", std::to_string(count + 1));
                                        },
                                        {});
          EXPECT_TRUE(raised);
        }
      });
    }
  }
  EXPECT_EQ((*storage_.Get("ns", "a", "", {}))->Labels().Find("app"), std::to_string(kThreads * kEach));
}

TEST_P(UndecoratedStorageTest, ADeletionGivesTheLastStateWithItsOwnVersion) {
  const ObjectPtr created = Create(Pod("ns", "a"));
  const ObjectPtr removed = Remove("ns", "a");
  EXPECT_EQ(removed->Uid(), "uid-a");
  EXPECT_GT(std::stoll(Version(removed)), std::stoll(Version(created)));
  EXPECT_TRUE(IsNotFound(storage_.Get("ns", "a", "", {}).error()));
}

TEST_P(UndecoratedStorageTest, AWatchTellsWhatHappensAfterItsVersion) {
  const ObjectPtr a = Create(Pod("ns", "a"));
  WatchReader watch = Watch({.resource_version = Version(a)});
  const ObjectPtr b = Create(Pod("ns", "b"));
  Set(Pod("ns", "a", "other"));
  const ObjectPtr removed = Remove("ns", "b");
  EXPECT_THAT(watch.Lines(2), ElementsAre("ADDED b", "MODIFIED a"));
  const Seen last = watch.Next();
  EXPECT_EQ(last.line, "DELETED b");
  // The last state, with the version of the deletion.
  EXPECT_EQ(last.event.object->Json(), removed->Json());
}

TEST_P(UndecoratedStorageTest, ASelectorTurnsChangesIntoComingAndGoing) {
  const ObjectPtr before = Create(Pod("ns", "z"));
  WatchReader pending = Watch({.predicate = Fields("spec.nodeName="), .resource_version = Version(before)});
  WatchReader node = Watch({.predicate = Fields("spec.nodeName=n1"), .resource_version = Version(before)});
  Create(Pod("ns", "a"));
  const ObjectPtr bound = Set(Pod("ns", "a", "web", "n1"));
  Set(Pod("ns", "a", "changed", "n1"));
  Set(Pod("ns", "a", "changed", "n2"));
  Create(Pod("ns", "end"));
  Create(Pod("ns", "end-on-node", "web", "n1"));

  EXPECT_EQ(pending.Next().line, "ADDED a");
  const Seen gone = pending.Next();
  EXPECT_EQ(gone.line, "DELETED a");
  EXPECT_EQ(gone.event.object->At("/spec/nodeName").StringOr("?"), "");
  EXPECT_EQ(gone.event.object->ResourceVersion(), bound->ResourceVersion());
  EXPECT_THAT(pending.Lines(1), ElementsAre("ADDED end"));
  EXPECT_THAT(node.Lines(4), ElementsAre("ADDED a", "MODIFIED a", "DELETED a", "ADDED end-on-node"));
}

TEST_P(UndecoratedStorageTest, AWatchWithoutAVersionBeginsWithWhatIsThere) {
  Create(Pod("ns", "b"));
  Create(Pod("ns", "a"));
  Create(Pod("ns", "c", "other"));
  for (const char* version : {"", "0"}) {
    WatchReader watch = Watch({.predicate = Labels("app=web"), .resource_version = version});
    EXPECT_THAT(watch.Lines(2), ElementsAre("ADDED a", "ADDED b"));
    Create(Pod("ns", std::string("late") + version));
    EXPECT_THAT(watch.Lines(1), ElementsAre(std::string("ADDED late") + version));
    Remove("ns", std::string("late") + version);
  }
}

TEST_P(UndecoratedStorageTest, TheEndOfInitialEventsIsMarkedForThoseWhoTakeBookmarks) {
  Create(Pod("ns", "a"));
  const ObjectPtr b = Create(Pod("ns", "b"));
  WatchReader watch =
      Watch({.match = VersionMatch::kNotOlderThan, .send_initial_events = true, .allow_bookmarks = true});
  EXPECT_THAT(watch.Lines(2), ElementsAre("ADDED a", "ADDED b"));
  const Seen end = watch.Next();
  EXPECT_EQ(end.line, "INITIAL-END");
  EXPECT_GE(std::stoll(Version(end.event.object)), std::stoll(Version(b)));
  EXPECT_EQ(end.event.object->Kind(), "Pod");
  WatchReader legacy = Watch({.allow_bookmarks = true});
  EXPECT_THAT(legacy.Lines(3), ElementsAre("ADDED a", "ADDED b", "INITIAL-END"));
  WatchReader empty = Watch({.namespace_name = "none", .allow_bookmarks = true});
  EXPECT_THAT(empty.Lines(1), ElementsAre("INITIAL-END"));
}

TEST_P(UndecoratedStorageTest, AWatchThatWantsNoInitialEventsBeginsNow) {
  Create(Pod("ns", "a"));
  WatchReader watch = Watch({.match = VersionMatch::kNotOlderThan, .send_initial_events = false});
  Create(Pod("ns", "b"));
  EXPECT_THAT(watch.Lines(1), ElementsAre("ADDED b"));
}

TEST_P(UndecoratedStorageTest, AWatchOfOneObjectTellsOfThatAlone) {
  const ObjectPtr a = Create(Pod("ns", "a"));
  WatchReader watch = Watch({.namespace_name = "ns", .name = "a", .resource_version = Version(a)});
  Create(Pod("ns", "ab"));
  Set(Pod("ns", "a", "other"));
  EXPECT_THAT(watch.Lines(1), ElementsAre("MODIFIED a"));
}

TEST_P(UndecoratedStorageTest, AWatchFromACompactedVersionIsAnErrorEventAndTheEnd) {
  const ObjectPtr a = Create(Pod("ns", "a"));
  Create(Pod("ns", "b"));
  Create(Pod("ns", "c"));
  ASSERT_TRUE(backend().Compact(backend().CurrentRevision({}).value(), {}));
  WatchReader watch = Watch({.resource_version = Version(a)});
  const Seen error = watch.Next();
  EXPECT_EQ(error.line, "ERROR 410");
  EXPECT_TRUE(IsResourceExpired(error.event.error));
  EXPECT_EQ(watch.Next().line, "END");
}

TEST_P(UndecoratedStorageTest, AFutureVersionIsAnErrorEventOnlyWithInitialEvents) {
  WatchReader watch =
      Watch({.resource_version = Beyond(), .match = VersionMatch::kNotOlderThan, .send_initial_events = true});
  EXPECT_THAT(watch.Lines(2), ElementsAre("ERROR 504", "END"));
  WatchReader silent = Watch({.resource_version = Beyond()});
  EXPECT_TRUE(silent.Idle());
}

TEST_P(UndecoratedStorageTest, WatchOptionsThatMeanNothingAreRefused) {
  const auto status = [&](const WatchQuery& query) {
    const auto stream = storage_.Watch(query, {});
    return stream ? 200 : stream.error().http_status;
  };
  EXPECT_EQ(status({.send_initial_events = true}), 422);
  EXPECT_EQ(status({.match = VersionMatch::kExact, .send_initial_events = true}), 422);
  EXPECT_EQ(status({.match = VersionMatch::kNotOlderThan}), 422);
  EXPECT_EQ(status({.resource_version = "abc"}), 500);
}

TEST_P(UndecoratedStorageTest, AWatchEndsAtItsDeadline) {
  WatchReader watch = Watch({.resource_version = List().metadata.resource_version, .deadline = clock_->Now() + 30s});
  EXPECT_TRUE(watch.Idle());
  clock_->Advance(30s);
  EXPECT_THAT(watch.Lines(1), ElementsAre("END"));
}

TEST_P(UndecoratedStorageTest, ExpiryIsADeletionWithTheLastState) {
  ASSERT_TRUE(storage_.Create(*Pod("ns", "a"), 2s, {}));
  WatchReader watch = Watch({});
  EXPECT_THAT(watch.Lines(1), ElementsAre("ADDED a"));
  under_test_->Elapse(10s);
  const Seen gone = watch.Next();
  EXPECT_EQ(gone.line, "DELETED a");
  EXPECT_EQ(gone.event.object->Uid(), "uid-a");
}

TEST_P(UndecoratedStorageTest, WhatIsStoredButNoObjectIs500) {
  ASSERT_TRUE(backend().Put(prefix_ + "ns/broken", Text("{"), 0, 0s, {}));
  EXPECT_EQ(storage_.Get("ns", "broken", "", {}).error().http_status, 500);
  EXPECT_EQ(ListError({}).http_status, 500);
  WatchReader watch = Watch({});
  EXPECT_THAT(watch.Lines(2), ElementsAre("ERROR 500", "END"));
}

TEST_P(UndecoratedStorageTest, AnOutageIsAnOrdinaryEndOfAWatch) {
  WatchReader watch = Watch({.resource_version = List().metadata.resource_version});
  EXPECT_TRUE(watch.Idle());
  under_test_->Break();
  EXPECT_EQ(watch.Next().line, "END");
  under_test_->Mend();
}

INSTANTIATE_TEST_SUITE_P(Backends, UndecoratedStorageTest, ::testing::ValuesIn(BackendKinds()),
                         [](const auto& kind) { return kind.param.name; });

/// On a fake clock.
class TimedStorageTest : public ::testing::Test {
 protected:
  TimedStorageTest() { pool_.Start(); }

  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  TaskPool pool_{{.threads = 1, .clock = clock_}};
  const std::shared_ptr<MemoryBackend> backend_ =
      std::make_shared<MemoryBackend>(MemoryBackendOptions{.clock = clock_, .compaction_interval = 0ms});
};

TEST_F(TimedStorageTest, AnIdleWatchGetsABookmarkEachMinuteAndOneBeforeItsEnd) {
  UndecoratedStorage storage(backend_, PodOptions("/registry/pods/"), pool_);
  WatchReader with(
      storage.Watch({.resource_version = "1", .allow_bookmarks = true, .deadline = clock_->Now() + 150s}, {}).value());
  WatchReader without(storage.Watch({.resource_version = "1", .deadline = clock_->Now() + 150s}, {}).value());
  const auto other = backend_->Put("/registry/other/a", Text("{}"), 0, 0s, {});
  ASSERT_TRUE(other);
  EXPECT_TRUE(with.Idle());
  for (const auto step : {60s, 60s, 28s}) {
    clock_->AwaitWaiters(1);
    clock_->Advance(step);
    const Seen bookmark = with.Next();
    EXPECT_EQ(bookmark.line, "BOOKMARK");
    EXPECT_EQ(bookmark.event.object->ResourceVersion(), std::to_string(other->revision));
    EXPECT_TRUE(with.Idle());
  }
  clock_->Advance(2s);
  EXPECT_THAT(with.Lines(1), ElementsAre("END"));
  EXPECT_THAT(without.Lines(1), ElementsAre("END"));
}

TEST_F(TimedStorageTest, ABookmarkThatSaysNothingNewIsNotSent) {
  UndecoratedStorage storage(backend_, PodOptions("/registry/pods/"), pool_);
  WatchReader watch(
      storage.Watch({.resource_version = "1", .allow_bookmarks = true, .deadline = clock_->Now() + 62s}, {}).value());
  EXPECT_TRUE(watch.Idle());
  clock_->AwaitWaiters(1);
  clock_->Advance(62s);
  EXPECT_THAT(watch.Lines(1), ElementsAre("END"));
}

TEST_F(TimedStorageTest, UpdatesRenewTheTimeToLiveOfAResourceThatHasOne) {
  StorageOptions options = PodOptions("/registry/events/");
  options.update_ttl = 60s;
  UndecoratedStorage storage(backend_, options, pool_);
  ASSERT_TRUE(storage.Create(*Pod("ns", "a"), 60s, {}));
  clock_->Advance(50s);
  ASSERT_TRUE(storage.GuaranteedUpdate(
      "ns", "a", false, {}, [](const ObjectPtr&) -> Result<ObjectPtr> { return Pod("ns", "a", "more"); }, {}));
  clock_->Advance(50s);
  EXPECT_TRUE(storage.Get("ns", "a", "", {}));
  clock_->Advance(10s);
  EXPECT_FALSE(storage.Get("ns", "a", "", {}));
}

TEST_F(TimedStorageTest, FilteringAsksForMoreAtATimeAsItFindsLittle) {
  UndecoratedStorage storage(backend_, PodOptions("/registry/pods/"), pool_);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(storage.Create(*Pod("ns", "p" + std::to_string(1000 + i)), 0s, {}));
  const std::uint64_t before = backend_->Stats().ranges;
  const auto list = storage.List({.predicate = {.labels = LabelSelector::Parse("app=none").value()}, .limit = 1}, {});
  ASSERT_TRUE(list);
  EXPECT_THAT(list->items, IsEmpty());
  // 1 + 2 + 4 + … + 512 reach the thousandth.
  EXPECT_EQ(backend_->Stats().ranges - before, 10U);
}

}  // namespace
}  // namespace kinformer::apiserver
