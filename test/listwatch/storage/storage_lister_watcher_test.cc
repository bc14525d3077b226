// The same Reflector that clients use over HTTP, on top of a storage.

#include "src/listwatch/storage/storage_lister_watcher.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/meta/status_error.h>

#include "src/base/mutex.h"
#include "src/listwatch/storage/continue_token.h"
#include "src/listwatch/storage/memory_backend.h"
#include "src/listwatch/storage/undecorated_storage.h"
#include "src/reflector/reflector.h"
#include "src/reflector/reflector_target.h"
#include "test/listwatch/storage/object_storage_testing.h"

namespace kinformer::apiserver {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A reflector target: the objects by name, and the calls it received.
class Mirror final : public ReflectorTarget {
 public:
  void Put(internal::Delta delta) override {
    {
      const MutexLock lock(mutex_);
      version_ = delta.object ? std::string(delta.object->ResourceVersion()) : std::move(delta.resource_version);
      if (delta.kind == internal::Delta::Kind::kReplaceAll) {
        ++replaces_;
        objects_.clear();
        for (ObjectPtr& object : delta.objects) objects_[std::string(object->Name())] = std::move(object);
      } else if (Removes(delta)) {
        objects_.erase(std::string(delta.object->Name()));
        deleted_ = std::move(delta.object);
      } else if (delta.object) {
        objects_[std::string(delta.object->Name())] = std::move(delta.object);
      }
    }
    changed_.NotifyAll();
  }

  template <typename Condition>
  bool Await(Condition condition) {
    MutexLock lock(mutex_);
    return changed_.Wait(lock, *Clock::System(), Clock::System()->Now() + kPatience, {},
                         [&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return condition(*this); });
  }
  bool AwaitVersion(Revision revision) {
    return Await([&](const Mirror& mirror) KINFORMER_NO_THREAD_SAFETY_ANALYSIS {
      return !mirror.version_.empty() && std::stoll(mirror.version_) >= revision;
    });
  }
  std::vector<std::string> Names() {
    const MutexLock lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [name, object] : objects_) names.push_back(name);
    return names;
  }
  std::size_t Size() {
    const MutexLock lock(mutex_);
    return objects_.size();
  }
  int Replaces() {
    const MutexLock lock(mutex_);
    return replaces_;
  }
  ObjectPtr LastDeleted() {
    const MutexLock lock(mutex_);
    return deleted_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::map<std::string, ObjectPtr> objects_ KINFORMER_GUARDED_BY(mutex_);
  std::string version_ KINFORMER_GUARDED_BY(mutex_);
  ObjectPtr deleted_ KINFORMER_GUARDED_BY(mutex_);
  int replaces_ KINFORMER_GUARDED_BY(mutex_) = 0;
};

class StorageListerWatcherTest : public ::testing::TestWithParam<BackendKind> {
 protected:
  StorageListerWatcherTest() { pool_.Start(); }

  Backend& backend() { return under_test_->backend(); }
  Revision Create(const std::string& name) {
    const auto created = storage_.Create(*Pod("ns", name), 0s, {});
    EXPECT_TRUE(created) << created.error().message;
    return created ? std::stoll(std::string((*created)->ResourceVersion())) : 0;
  }
  Revision Remove(const std::string& name) {
    const auto removed = storage_.GuaranteedUpdate(
        "ns", name, false, {}, [](const ObjectPtr&) -> Result<ObjectPtr> { return ObjectPtr(); }, {});
    EXPECT_TRUE(removed);
    return removed ? std::stoll(std::string((*removed)->ResourceVersion())) : 0;
  }
  std::unique_ptr<internal::Reflector> Reflect(Mirror& mirror) {
    auto reflector =
        std::make_unique<internal::Reflector>(pool_, lister_watcher_, mirror,
                                              internal::ReflectorOptions{.name = "test",
                                                                         .expected = kPodKind,
                                                                         .backoff = {.initial = 10ms, .cap = 100ms},
                                                                         .streaming_lists = false,
                                                                         .page_size = kStoragePageSize},
                                              [](const Error&) {});
    reflector->Start();
    return reflector;
  }
  /// The items of a page and its end.
  std::pair<std::vector<ObjectPtr>, ListMeta> Page(const ListRequest& request) {
    const auto stream = lister_watcher_->List(request);
    std::pair<std::vector<ObjectPtr>, ListMeta> page;
    for (;;) {
      auto part = TakeNext(*stream);
      EXPECT_TRUE(part && *part) << (part ? part->error().message : "nothing");
      if (!part || !*part) return page;
      if (auto* end = std::get_if<ListMeta>(&**part)) {
        page.second = *end;
        return page;
      }
      for (ObjectPtr& object : std::get<std::vector<ObjectPtr>>(**part)) page.first.push_back(std::move(object));
    }
  }

  const std::unique_ptr<BackendUnderTest> under_test_ = GetParam().make();
  const std::string prefix_ = FreshPrefix();
  TaskPool pool_{{.threads = 2}};
  UndecoratedStorage storage_{under_test_->shared(), PodOptions(prefix_), pool_};
  const std::shared_ptr<StorageListerWatcher> lister_watcher_ =
      std::make_shared<StorageListerWatcher>(under_test_->shared(), PodOptions(prefix_), pool_);
};

TEST_P(StorageListerWatcherTest, PagesGoOnWhereTheLastEndedAsOfTheFirst) {
  for (const char* name : {"a", "b", "c"}) Create(name);
  const auto [first, first_end] = Page({.resource_version = "0", .limit = 2});
  EXPECT_THAT(Names(first), ElementsAre("ns/a", "ns/b"));
  EXPECT_EQ(first_end.remaining_item_count, 1);
  Create("d");
  const auto [second, second_end] = Page({.limit = 2, .continue_token = first_end.continue_token});
  EXPECT_THAT(Names(second), ElementsAre("ns/c"));
  EXPECT_EQ(second_end.resource_version, first_end.resource_version);
  EXPECT_EQ(second_end.continue_token, "");
}

TEST_P(StorageListerWatcherTest, APageThatCannotGoOnIs410) {
  for (const char* name : {"a", "b", "c"}) Create(name);
  const auto [first, end] = Page({.limit = 1});
  Create("d");
  ASSERT_TRUE(backend().Compact(backend().CurrentRevision({}).value(), {}));
  const auto stream = lister_watcher_->List({.limit = 1, .continue_token = end.continue_token});
  const auto part = TakeNext(*stream);
  ASSERT_TRUE(part && !*part);
  EXPECT_TRUE(IsResourceExpired(part->error()));
}

TEST_P(StorageListerWatcherTest, AReflectorMirrorsWhatHappens) {
  Create("a");
  Mirror mirror;
  const auto reflector = Reflect(mirror);
  EXPECT_TRUE(mirror.AwaitVersion(Create("b")));
  EXPECT_THAT(mirror.Names(), ElementsAre("a", "b"));
  const Revision gone = Remove("a");
  EXPECT_TRUE(mirror.AwaitVersion(gone));
  EXPECT_THAT(mirror.Names(), ElementsAre("b"));
  EXPECT_EQ(mirror.LastDeleted()->Uid(), "uid-a");
  EXPECT_EQ(mirror.LastDeleted()->ResourceVersion(), std::to_string(gone));
}

TEST_P(StorageListerWatcherTest, AnOutageCostsNoNewListAndLosesNothing) {
  Create("a");
  Mirror mirror;
  const auto reflector = Reflect(mirror);
  ASSERT_TRUE(mirror.AwaitVersion(Create("b")));
  under_test_->Break();
  under_test_->Mend();
  ASSERT_TRUE(mirror.AwaitVersion(Create("c")));
  EXPECT_THAT(mirror.Names(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(mirror.Replaces(), 1);
}

TEST_P(StorageListerWatcherTest, AWatchFromBeforeACompactionSaysSo) {
  const Revision a = Create("a");
  Create("b");
  Create("c");
  ASSERT_TRUE(backend().Compact(backend().CurrentRevision({}).value(), {}));
  WatchReader reader(lister_watcher_->Watch({.resource_version = std::to_string(a)}));
  EXPECT_THAT(reader.Lines(2), ElementsAre("ERROR 410", "END"));
}

TEST_P(StorageListerWatcherTest, AWatchWithoutAVersionIsRefused) {
  const auto watch = lister_watcher_->Watch({});
  const auto part = TakeNext(*watch);
  ASSERT_TRUE(part && !*part);
  EXPECT_EQ(part->error().http_status, 400);
  EXPECT_FALSE(lister_watcher_->SupportsStreamingLists());
}

INSTANTIATE_TEST_SUITE_P(Backends, StorageListerWatcherTest, ::testing::ValuesIn(BackendKinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST(StorageSeedTest, TwentyFiveThousandObjectsSeedInThreePages) {
  TaskPool pool({.threads = 1});
  const auto backend = std::make_shared<MemoryBackend>();
  const std::string text = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ns"}})";
  for (int i = 0; i < 25'000; ++i) {
    ASSERT_TRUE(backend->Put("/registry/pods/ns/p" + std::to_string(i), Text(text), 0, 0s, {}));
  }
  StorageListerWatcher lister_watcher(backend, PodOptions("/registry/pods/"), pool);
  ListRequest request{.limit = kStoragePageSize};
  int pages = 0;
  std::size_t objects = 0;
  do {
    ++pages;
    const auto stream = lister_watcher.List(request);
    for (;;) {
      auto part = TakeNext(*stream);
      ASSERT_TRUE(part && *part);
      if (const auto* end = std::get_if<ListMeta>(&**part)) {
        request.continue_token = end->continue_token;
        break;
      }
      objects += std::get<std::vector<ObjectPtr>>(**part).size();
    }
  } while (!request.continue_token.empty());
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(objects, 25'000U);
}

TEST(StorageSeedTest, ProgressOfTheBackendIsABookmark) {
  TaskPool pool({.threads = 1});
  const auto backend = std::make_shared<MemoryBackend>();
  StorageListerWatcher lister_watcher(backend, PodOptions("/registry/pods/"), pool);
  WatchReader watch(lister_watcher.Watch({.resource_version = "1"}));
  EXPECT_TRUE(watch.Idle());
  const auto other = backend->Put("/registry/other/a", Text("{}"), 0, 0s, {});
  ASSERT_TRUE(other);
  EXPECT_TRUE(watch.Idle());
  backend->RequestProgress();
  const Seen bookmark = watch.Next();
  EXPECT_EQ(bookmark.line, "BOOKMARK");
  EXPECT_EQ(bookmark.event.object->ResourceVersion(), std::to_string(other->revision));
  backend->RequestProgress();
  EXPECT_TRUE(watch.Idle());
}

TEST(StorageSeedTest, AWatchIsAnnouncedAsAcceptedEvenIfOldProgressComesFirst) {
  TaskPool pool({.threads = 1});
  const auto backend = std::make_shared<MemoryBackend>();
  StorageListerWatcher lister_watcher(backend, PodOptions("/registry/pods/"), pool);
  const auto written = backend->Put("/registry/other/a", Text("{}"), 0, 0s, {});
  ASSERT_TRUE(written);
  const auto watch = lister_watcher.Watch({.resource_version = std::to_string(written->revision)});
  backend->RequestProgress();  // Nothing newer than where the watch starts: no bookmark.
  const Result<std::optional<WatchPart>> part = watch->TryNext();
  ASSERT_TRUE(part.ok() && part->has_value());
  const auto* const events = std::get_if<std::vector<WatchEvent>>(&**part);
  ASSERT_NE(events, nullptr);
  EXPECT_TRUE(events->empty());
}

}  // namespace
}  // namespace kinformer::apiserver
