#include "src/apiserver/lifecycle/garbage_collector.h"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/base/fake_clock.h>
#include <kinformer/meta/status_error.h>

#include "src/base/task_pool.h"
#include "src/listwatch/storage/memory_backend.h"
#include "src/listwatch/storage/undecorated_storage.h"
#include "test/listwatch/storage/hooked_storage.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using StorageCall = HookedStorage::Call;

/// A collector whose graph the test feeds by hand, over objects that may have changed since.
class GarbageCollectorTest : public ::testing::Test {
 protected:
  GarbageCollectorTest() {
    pool_.Start();
    for (const char* kind : {"ConfigMap", "Secret", "Node", "Event"}) {
      const ServedKind& served = KindOf(kind);
      auto hooked =
          std::make_shared<HookedStorage>(std::make_shared<UndecoratedStorage>(backend_, served.ForStorage(), pool_));
      storages_.push_back(hooked);
      stores_.push_back(std::make_shared<ResourceStore>(served, hooked, RegistryContext{.clock = clock_}));
    }
  }

  static const ServedKind& KindOf(const std::string& kind) {
    for (const ServedKind& served : BuiltInKinds()) {
      if (served.kind == kind) return served;
    }
    throw std::out_of_range(kind);
  }
  StorePtr Of(const std::string& kind) const {
    for (const StorePtr& store : stores_) {
      if (store->kind().kind == kind) return store;
    }
    throw std::out_of_range(kind);
  }
  HookedStorage& configmaps() { return *storages_.front(); }

  static json Reference(const Object& owner, bool blocks = false) {
    return {{"apiVersion", owner.ApiVersion()},
            {"kind", owner.Kind()},
            {"name", owner.Name()},
            {"uid", owner.Uid()},
            {"blockOwnerDeletion", blocks}};
  }
  ObjectPtr Make(const std::string& kind, const std::string& namespace_name, const std::string& name,
                 const std::vector<json>& owners = {}, const std::vector<std::string>& finalizers = {}) {
    const StorePtr store = Of(kind);
    json metadata = {{"name", name}};
    if (!owners.empty()) metadata["ownerReferences"] = owners;
    if (!finalizers.empty()) metadata["finalizers"] = finalizers;
    const json body = {
        {"apiVersion", store->kind().resource.ApiVersion()}, {"kind", kind}, {"metadata", std::move(metadata)}};
    const Result<ObjectPtr> made = store->Create(namespace_name, body.dump(), {}, {});
    EXPECT_TRUE(made) << ToString(made.error());
    return made ? *made : nullptr;
  }
  ObjectPtr MakeMap(const std::string& name, const std::vector<json>& owners = {}) {
    return Make("ConfigMap", "default", name, owners);
  }
  /// Changes the object without telling the collector.
  void SetOwners(const std::string& name, const std::vector<json>& owners) {
    const json patch = {{"metadata", {{"ownerReferences", owners}}}};
    const auto patched =
        Of("ConfigMap")->Patch("default", name, Subresource::kNone, PatchKind::kMerge, patch.dump(), {}, {});
    ASSERT_TRUE(patched) << ToString(patched.error());
  }
  void Remove(const Object& object) {
    const auto deleted =
        Of(std::string(object.Kind()))->Delete(std::string(object.Namespace()), std::string(object.Name()), {}, {});
    ASSERT_TRUE(deleted) << ToString(deleted.error());
  }
  Result<ObjectPtr> Live(const std::string& name, const std::string& namespace_name = "default",
                         const std::string& kind = "ConfigMap") const {
    return Of(kind)->Get(namespace_name, name, "", {});
  }
  std::vector<ObjectPtr> Events() const { return Of("Event")->List({}, {}).value().items; }

  /// Runs the collector a minute after the last run. True if nothing is left to do.
  bool Work() {
    now_ += std::chrono::minutes(1);
    return !collector_.Work(now_, {});
  }
  void Tell(const ObjectPtr& object, bool gone = false) {
    collector_.Take({.store = Of(std::string(object->Kind())), .object = object, .gone = gone});
  }

  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  TaskPool pool_{{.threads = 1, .clock = clock_}};
  const std::shared_ptr<MemoryBackend> backend_ =
      std::make_shared<MemoryBackend>(MemoryBackendOptions{.clock = clock_});
  std::vector<std::shared_ptr<HookedStorage>> storages_;
  std::vector<StorePtr> stores_;
  TimePoint now_{};
  GarbageCollector collector_{{.find = [this](const GroupVersionResource& resource) -> StorePtr {
                                 for (const StorePtr& store : stores_) {
                                   if (store->kind().resource == resource) return store;
                                 }
                                 return nullptr;
                               },
                               .find_kind = [this](std::string_view api_version, std::string_view kind) -> StorePtr {
                                 for (const StorePtr& store : stores_) {
                                   const ServedKind& served = store->kind();
                                   if (served.kind == kind && served.resource.ApiVersion() == api_version) return store;
                                 }
                                 return nullptr;
                               }},
                              {},
                              clock_};
};

TEST_F(GarbageCollectorTest, AnObjectThatAnotherOwnerAdoptedStaysThoughTheGraphDoesNotKnow) {
  const ObjectPtr a = MakeMap("a");
  const ObjectPtr b = MakeMap("b");
  const ObjectPtr child = MakeMap("child", {Reference(*a)});
  for (const ObjectPtr& object : {a, b, child}) Tell(object);
  ASSERT_TRUE(Work());
  SetOwners("child", {Reference(*b)});
  Remove(*a);
  Tell(a, /*gone=*/true);
  EXPECT_TRUE(Work());
  const Result<ObjectPtr> live = Live("child");
  ASSERT_TRUE(live) << ToString(live.error());
  ASSERT_THAT((*live)->OwnerReferences(), SizeIs(1));
  EXPECT_EQ((*live)->OwnerReferences().front().uid, b->Uid());
}

TEST_F(GarbageCollectorTest, AnObjectThatIsAdoptedWhileItIsBeingDeletedStays) {
  const ObjectPtr a = MakeMap("a");
  const ObjectPtr b = MakeMap("b");
  const ObjectPtr child = MakeMap("child", {Reference(*a)});
  for (const ObjectPtr& object : {a, b, child}) Tell(object);
  Remove(*a);
  Tell(a, /*gone=*/true);
  bool adopted = false;
  // After the collector has read the object, but before its delete takes effect.
  configmaps().SetHook([&](StorageCall call, const std::string& name) {
    if (call != StorageCall::kUpdate || name != "child") return;
    if (!std::exchange(adopted, true)) SetOwners("child", {Reference(*b)});
  });
  EXPECT_TRUE(Work());
  configmaps().SetHook({});
  EXPECT_TRUE(adopted);
  EXPECT_TRUE(Live("child"));
}

TEST_F(GarbageCollectorTest, AnObjectWhoseOtherFieldsChangeWhileItIsBeingDeletedGoes) {
  const ObjectPtr a = MakeMap("a");
  const ObjectPtr child = MakeMap("child", {Reference(*a)});
  for (const ObjectPtr& object : {a, child}) Tell(object);
  Remove(*a);
  Tell(a, /*gone=*/true);
  int changes = 0;
  configmaps().SetHook([&](StorageCall call, const std::string&) {
    if (call != StorageCall::kUpdate || ++changes > 3) return;
    const std::string patch = R"({"data":{"n":")" + std::to_string(changes) + R"("}})";
    ASSERT_TRUE(Of("ConfigMap")->Patch("default", "child", Subresource::kNone, PatchKind::kMerge, patch, {}, {}));
  });
  EXPECT_TRUE(Work());
  configmaps().SetHook({});
  EXPECT_TRUE(IsNotFound(Live("child").error()));
}

TEST_F(GarbageCollectorTest, AnObjectThatChangesBeforeEachDeleteIsTriedAgainLater) {
  const ObjectPtr a = MakeMap("a");
  const ObjectPtr child = MakeMap("child", {Reference(*a)});
  for (const ObjectPtr& object : {a, child}) Tell(object);
  Remove(*a);
  Tell(a, /*gone=*/true);
  int changes = 0;
  configmaps().SetHook([&](StorageCall call, const std::string&) {
    if (call != StorageCall::kUpdate) return;
    const std::string patch = R"({"data":{"n":")" + std::to_string(++changes) + R"("}})";
    ASSERT_TRUE(Of("ConfigMap")->Patch("default", "child", Subresource::kNone, PatchKind::kMerge, patch, {}, {}));
  });
  EXPECT_FALSE(Work());
  EXPECT_TRUE(Live("child"));
  configmaps().SetHook({});
  EXPECT_TRUE(Work());
  EXPECT_TRUE(IsNotFound(Live("child").error()));
}

TEST_F(GarbageCollectorTest, AnOwnerIsDroppedFromWhatTheObjectIsNow) {
  const ObjectPtr a = MakeMap("a");
  const ObjectPtr b = MakeMap("b");
  const ObjectPtr c = MakeMap("c");
  const ObjectPtr child = MakeMap("child", {Reference(*a), Reference(*b)});
  for (const ObjectPtr& object : {a, b, c, child}) Tell(object);
  Remove(*a);
  Tell(a, /*gone=*/true);
  bool changed = false;
  // The other owner is replaced concurrently: the patch must not be based on the earlier read.
  configmaps().SetHook([&](StorageCall call, const std::string& name) {
    if (call != StorageCall::kUpdate || name != "child") return;
    if (!std::exchange(changed, true)) SetOwners("child", {Reference(*a), Reference(*c)});
  });
  EXPECT_TRUE(Work());
  configmaps().SetHook({});
  const Result<ObjectPtr> live = Live("child");
  ASSERT_TRUE(live) << ToString(live.error());
  ASSERT_THAT((*live)->OwnerReferences(), SizeIs(1));
  EXPECT_EQ((*live)->OwnerReferences().front().uid, c->Uid());
}

TEST_F(GarbageCollectorTest, AnObjectOfTheSameNameMadeSinceIsAnother) {
  const ObjectPtr a = MakeMap("a");
  const ObjectPtr child = MakeMap("child", {Reference(*a)});
  for (const ObjectPtr& object : {a, child}) Tell(object);
  Remove(*a);
  Remove(*child);
  MakeMap("child", {Reference(*a)});
  Tell(a, /*gone=*/true);
  EXPECT_TRUE(Work());
  EXPECT_TRUE(Live("child")) << "the graph does not know this one yet";
}

TEST_F(GarbageCollectorTest, AnOwnerInAnotherNamespaceDoesNotExist) {
  const ObjectPtr owner = Make("ConfigMap", "other", "owner");
  const ObjectPtr child = MakeMap("child", {Reference(*owner)});
  Tell(owner);
  Tell(child);
  EXPECT_TRUE(Work());
  EXPECT_TRUE(IsNotFound(Live("child").error()));
  EXPECT_TRUE(Live("owner", "other"));
  const std::vector<ObjectPtr> events = Events();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0]->Namespace(), "default");
  EXPECT_EQ(events[0]->At("/type").StringOr(""), "Warning");
  EXPECT_EQ(events[0]->At("/reason").StringOr(""), "OwnerRefInvalidNamespace");
  EXPECT_EQ(events[0]->At("/message").StringOr(""),
            "ownerRef [v1/ConfigMap, namespace: default, name: owner, uid: " + std::string(owner->Uid()) +
                "] does not exist in namespace \"default\"");
  EXPECT_EQ(events[0]->At("/involvedObject/name").StringOr(""), "child");
  EXPECT_EQ(events[0]->At("/involvedObject/uid").StringOr(""), child->Uid());
  EXPECT_EQ(events[0]->At("/source/component").StringOr(""), "garbage-collector-controller");
}

TEST_F(GarbageCollectorTest, AReferenceToAnotherNamespaceIsDroppedFromAnObjectWithAGoodOwner) {
  const ObjectPtr other = Make("ConfigMap", "other", "owner");
  const ObjectPtr owner = MakeMap("owner");
  const ObjectPtr child = MakeMap("child", {Reference(*other), Reference(*owner)});
  for (const ObjectPtr& object : {other, owner, child}) Tell(object);
  EXPECT_TRUE(Work());
  const Result<ObjectPtr> live = Live("child");
  ASSERT_TRUE(live) << ToString(live.error());
  ASSERT_THAT((*live)->OwnerReferences(), SizeIs(1));
  EXPECT_EQ((*live)->OwnerReferences().front().uid, owner->Uid());
}

TEST_F(GarbageCollectorTest, AReferenceThatNamesAnotherObjectThanItsUidIsOfNoOwner) {
  const ObjectPtr owner = MakeMap("owner");
  json wrong = Reference(*owner);
  wrong["kind"] = "Secret";
  const ObjectPtr child = MakeMap("child", {wrong});
  Tell(owner);
  Tell(child);
  EXPECT_TRUE(Work());
  EXPECT_TRUE(IsNotFound(Live("child").error()));
}

TEST_F(GarbageCollectorTest, AnObjectInANamespaceMayBelongToOneInNone) {
  const ObjectPtr node = Make("Node", "", "node");
  const ObjectPtr child = MakeMap("child", {Reference(*node)});
  Tell(node);
  Tell(child);
  EXPECT_TRUE(Work());
  EXPECT_TRUE(Live("child"));
  EXPECT_THAT(Events(), IsEmpty());
  Remove(*node);
  Tell(node, /*gone=*/true);
  EXPECT_TRUE(Work());
  EXPECT_TRUE(IsNotFound(Live("child").error()));
}

TEST_F(GarbageCollectorTest, AClusterScopedObjectWithANamespacedOwnerIsLeftAlone) {
  const ObjectPtr owner = MakeMap("owner");
  const ObjectPtr node = Make("Node", "", "node", {Reference(*owner)});
  Tell(owner);
  Tell(node);
  EXPECT_TRUE(Work()) << "it is not tried again";
  Remove(*owner);
  Tell(owner, /*gone=*/true);
  EXPECT_TRUE(Work());
  EXPECT_TRUE(Live("node", "", "Node"));
  const std::vector<ObjectPtr> events = Events();
  ASSERT_THAT(events, SizeIs(1)) << "once for each reference";
  EXPECT_EQ(events[0]->Namespace(), "default");
  EXPECT_THAT(events[0]->At("/message").StringOr(""), HasSubstr("does not exist in namespace \"\""));
}

TEST_F(GarbageCollectorTest, AnInvalidReferenceDoesNotBlockTheDeletionOfItsOwner) {
  const ObjectPtr owner = Make("ConfigMap", "default", "owner", {}, {"foregroundDeletion"});
  const ObjectPtr node = Make("Node", "", "node", {Reference(*owner, /*blocks=*/true)});
  ASSERT_TRUE(Of("ConfigMap")->Delete("default", "owner", {.propagation_policy = "Foreground"}, {}));
  Tell(Live("owner").value());
  Tell(node);
  EXPECT_TRUE(Work());
  EXPECT_TRUE(IsNotFound(Live("owner").error()));
  EXPECT_TRUE(Live("node", "", "Node"));
}

TEST_F(GarbageCollectorTest, AnOrphanFinalizerOfTheObjectItselfIsKeptWhenItIsDeleted) {
  const ObjectPtr a = MakeMap("a");
  const ObjectPtr child = Make("ConfigMap", "default", "child", {Reference(*a)}, {"orphan"});
  Tell(a);
  Tell(child);
  Remove(*a);
  Tell(a, /*gone=*/true);
  EXPECT_TRUE(Work());
  const Result<ObjectPtr> live = Live("child");
  ASSERT_TRUE(live) << "its own dependents are to be orphaned first";
  EXPECT_TRUE((*live)->DeletionTimestamp());
  Tell(*live);
  EXPECT_TRUE(Work());
  EXPECT_TRUE(IsNotFound(Live("child").error()));
}

TEST_F(GarbageCollectorTest, AnUpdateOfAnObjectWithGoodOwnersCostsNoRead) {
  const ObjectPtr a = MakeMap("a");
  const ObjectPtr child = MakeMap("child", {Reference(*a)});
  Tell(a);
  Tell(child);
  ASSERT_TRUE(Work());
  const std::uint64_t before = backend_->Stats().gets;
  for (int i = 0; i < 10; ++i) Tell(Live("child").value());
  const std::uint64_t own = backend_->Stats().gets - before;
  EXPECT_TRUE(Work());
  EXPECT_EQ(backend_->Stats().gets - before, own);
}

TEST_F(GarbageCollectorTest, OneObjectThatThrowsDoesNotKeepTheOthers) {
  const ObjectPtr a = MakeMap("a");
  std::vector<ObjectPtr> all = {a};
  for (const char* name : {"good", "odd", "other"}) all.push_back(MakeMap(name, {Reference(*a)}));
  for (const ObjectPtr& object : all) Tell(object);
  Remove(*a);
  Tell(a, /*gone=*/true);
  configmaps().SetHook([](StorageCall call, const std::string& name) {
    if (call == StorageCall::kGet && name == "odd") throw std::runtime_error("a storage that throws");
  });
  EXPECT_FALSE(Work());
  configmaps().SetHook({});
  EXPECT_TRUE(IsNotFound(Live("good").error()));
  EXPECT_TRUE(IsNotFound(Live("other").error()));
  EXPECT_TRUE(Live("odd"));
  EXPECT_TRUE(Work());
  EXPECT_TRUE(IsNotFound(Live("odd").error()));
}

TEST_F(GarbageCollectorTest, FailuresAreTriedAgainAtGrowingIntervals) {
  const ObjectPtr a = MakeMap("a");
  const ObjectPtr child = MakeMap("child", {Reference(*a)});
  Tell(a);
  Tell(child);
  Remove(*a);
  Tell(a, /*gone=*/true);
  int reads = 0;
  configmaps().SetHook([&](StorageCall call, const std::string&) {
    if (call != StorageCall::kGet) return;
    ++reads;
    throw std::runtime_error("a storage that throws");
  });
  TimePoint now = now_;
  std::vector<std::chrono::milliseconds> waits;
  for (int i = 0; i < 9; ++i) {
    const std::optional<TimePoint> next = collector_.Work(now, {});
    ASSERT_TRUE(next);
    waits.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(*next - now));
    EXPECT_EQ(collector_.Work(now, {}), next) << "not before its time";
    now = *next;
  }
  EXPECT_EQ(reads, 9);
  using std::chrono::milliseconds;
  EXPECT_THAT(
      waits, ElementsAre(milliseconds(100), milliseconds(200), milliseconds(400), milliseconds(800), milliseconds(1600),
                         milliseconds(3200), milliseconds(6400), milliseconds(10'000), milliseconds(10'000)));
}

TEST_F(GarbageCollectorTest, ADependentOfAnUnknownKindIsCheckedWhenTheKindIsServed) {
  const ObjectPtr child = MakeMap("child", {{{"apiVersion", "v1"}, {"kind", "Secret"}, {"name", "s"}, {"uid", "u-1"}}});
  const StorePtr secrets = Of("Secret");
  std::erase(stores_, secrets);
  Tell(child);
  EXPECT_TRUE(Work());
  EXPECT_TRUE(Live("child"));
  stores_.push_back(secrets);
  collector_.KindsChanged();
  EXPECT_TRUE(Work());
  EXPECT_TRUE(IsNotFound(Live("child").error()));
}

TEST_F(GarbageCollectorTest, AnOwnerThatTheGraphHasNotSeenIsLookedForUntilItHas) {
  const ObjectPtr owner = MakeMap("owner");
  const ObjectPtr child = MakeMap("child", {Reference(*owner)});
  Tell(child);
  EXPECT_FALSE(Work()) << "its owner may be gone before the graph knows of it";
  Remove(*owner);
  EXPECT_TRUE(Work());
  EXPECT_TRUE(IsNotFound(Live("child").error()));
}

TEST_F(GarbageCollectorTest, AnOwnerThatWaitsGoesWhenItsDependentMovesToAnother) {
  const ObjectPtr a = MakeMap("a");
  const ObjectPtr b = MakeMap("b");
  const ObjectPtr child = MakeMap("child", {Reference(*a, /*blocks=*/true), Reference(*b)});
  for (const ObjectPtr& object : {a, b, child}) Tell(object);
  ASSERT_TRUE(Of("ConfigMap")->Delete("default", "a", {.propagation_policy = "Foreground"}, {}));
  SetOwners("child", {Reference(*b)});
  Tell(Live("a").value());
  Tell(Live("child").value());
  EXPECT_TRUE(Work());
  EXPECT_TRUE(IsNotFound(Live("a").error()));
  EXPECT_TRUE(Live("child"));
}

}  // namespace
}  // namespace kinformer::apiserver
