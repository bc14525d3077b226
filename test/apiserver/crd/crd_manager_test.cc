#include "src/apiserver/crd/crd_manager.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "src/apiserver/crd/crd_rules.h"
#include "src/base/mutex.h"
#include "src/base/task_pool.h"
#include "src/listwatch/storage/memory_backend.h"
#include "src/listwatch/storage/undecorated_storage.h"
#include "test/apiserver/crd/definitions.h"
#include "test/listwatch/storage/hooked_storage.h"
#include "test/support/await.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

using kinformer::testing_support::Await;

/// Records what it serves; can be made to throw.
class FakeHost final : public KindHost {
 public:
  explicit FakeHost(std::function<std::shared_ptr<ObjectStorage>(const ServedKind&)> make) : make_(std::move(make)) {}

  std::atomic<int> opens_to_throw = 0;
  std::atomic<int> opens = 0;

  Result<std::shared_ptr<ObjectStorage>> Open(const ServedKind& kind, const std::stop_token&) override {
    ++opens;
    if (opens_to_throw > 0) {
      --opens_to_throw;
      throw std::runtime_error("a host that throws");
    }
    return make_(kind);
  }
  void Drain(const std::shared_ptr<ObjectStorage>&, const std::stop_token&) override {}
  void Close(const std::shared_ptr<ObjectStorage>&) override {}
  void Install(const ServedKind& kind, std::shared_ptr<ObjectStorage> storage) override {
    const MutexLock lock(mutex_);
    served_[ToString(kind.resource)] = std::move(storage);
  }
  void Remove(const GroupVersionResource& resource) override {
    const MutexLock lock(mutex_);
    served_.erase(ToString(resource));
  }
  void KindsChanged() override {}

  bool Serves(const GroupVersionResource& resource) const {
    const MutexLock lock(mutex_);
    return served_.contains(ToString(resource));
  }

 private:
  const std::function<std::shared_ptr<ObjectStorage>(const ServedKind&)> make_;
  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<ObjectStorage>> served_ KINFORMER_GUARDED_BY(mutex_);
};

using StorageCall = HookedStorage::Call;

class CrdManagerTest : public ::testing::Test {
 protected:
  CrdManagerTest() { pool_->Start(); }
  ~CrdManagerTest() override { manager_.Stop(); }

  /// Stores it directly, bypassing the API, as another program might have.
  void Store(const json& definition) {
    const std::string key =
        DefinitionKind().ForStorage().prefix + definition.at("metadata").at("name").get<std::string>();
    ASSERT_TRUE(backend_->Put(key, MakeBytes(definition.dump()), 0, {}, {}));
  }
  json Stored(const std::string& name) const { return definitions_->Get("", name, "", {}).value()->ToJson(); }
  static json Definition(const std::string& plural, const std::string& kind) {
    json definition = WebDefinition();
    definition["metadata"] = {{"name", plural + ".example.com"}, {"uid", "u-" + plural}};
    definition["spec"]["names"] = {
        {"plural", plural}, {"singular", plural.substr(0, 3)}, {"kind", kind}, {"listKind", kind + "List"}};
    return definition;
  }
  static bool IsTrue(const json& definition, const std::string& type) { return IsConditionTrue(definition, type); }

  const std::shared_ptr<TaskPool> pool_ = std::make_shared<TaskPool>(TaskPoolOptions{.threads = 1});
  const std::shared_ptr<MemoryBackend> backend_ = std::make_shared<MemoryBackend>();
  std::atomic<int> watches_to_throw_ = 0;
  std::atomic<int> updates_to_throw_ = 0;
  const std::shared_ptr<HookedStorage> storage_ = std::make_shared<HookedStorage>(
      std::make_shared<UndecoratedStorage>(backend_, DefinitionKind().ForStorage(), *pool_),
      [this](StorageCall call, const std::string&) {
        std::atomic<int>& left = call == StorageCall::kWatch ? watches_to_throw_ : updates_to_throw_;
        if ((call != StorageCall::kWatch && call != StorageCall::kUpdate) || left <= 0) return;
        --left;
        throw std::runtime_error("a storage that throws");
      });
  const StorePtr definitions_ = std::make_shared<ResourceStore>(DefinitionKind(), storage_, RegistryContext{});
  FakeHost host_{[this](const ServedKind& kind) {
    return std::make_shared<UndecoratedStorage>(backend_, kind.ForStorage(), *pool_);
  }};
  CrdManager manager_{{.definitions = definitions_, .host = &host_}};
};

TEST_F(CrdManagerTest, AStoredDefinitionWithoutAStatusIsEstablished) {
  Store(Definition("webs", "Web"));
  manager_.Start();
  ASSERT_TRUE(manager_.AwaitSynced(std::chrono::seconds(10)));
  EXPECT_TRUE(host_.Serves({"example.com", "v1", "webs"}));
  const json stored = Stored("webs.example.com");
  EXPECT_TRUE(IsTrue(stored, "NamesAccepted")) << stored;
  EXPECT_TRUE(IsTrue(stored, "Established")) << stored;
  EXPECT_EQ(stored["status"]["acceptedNames"]["plural"], "webs");
}

TEST_F(CrdManagerTest, AStoredDefinitionWithAStatusOfTheWrongTypeIsEstablished) {
  const std::vector<std::pair<std::string, json>> odd = {{"as", 1}, {"bs", "text"}, {"cs", json::array({1})}};
  for (const auto& [plural, status] : odd) {
    json definition = Definition(plural, "Kind" + plural);
    definition["status"] = status;
    Store(definition);
  }
  json conditions = Definition("ds", "Kindds");
  conditions["status"] = {{"conditions", "none"}, {"acceptedNames", 3}};
  Store(conditions);
  manager_.Start();
  ASSERT_TRUE(manager_.AwaitSynced(std::chrono::seconds(10)));
  for (const char* plural : {"as", "bs", "cs", "ds"}) {
    EXPECT_TRUE(host_.Serves({"example.com", "v1", plural})) << plural;
    EXPECT_TRUE(IsTrue(Stored(std::string(plural) + ".example.com"), "Established")) << plural;
  }
}

TEST_F(CrdManagerTest, ADefinitionThatMakesNoSenseDoesNotKeepTheOthers) {
  const json empty = {{"apiVersion", "apiextensions.k8s.io/v1"},
                      {"kind", "CustomResourceDefinition"},
                      {"metadata", {{"name", "a-nothing.example.com"}, {"uid", "u-1"}}}};
  Store(empty);
  json odd = empty;
  odd["metadata"]["name"] = "b-odd.example.com";
  odd["spec"] = {{"group", 1}, {"names", json::array()}, {"versions", "v1"}, {"scope", json::object()}};
  Store(odd);
  json versions = Definition("cs", "Kindcs");
  versions["spec"]["versions"] = {1, nullptr, {{"name", 3}, {"storage", "yes"}, {"schema", json::array()}}};
  Store(versions);
  Store(Definition("webs", "Web"));
  manager_.Start();
  ASSERT_TRUE(manager_.AwaitSynced(std::chrono::seconds(10)));
  EXPECT_TRUE(host_.Serves({"example.com", "v1", "webs"}));
}

TEST_F(CrdManagerTest, AStoredDefinitionThatIsBeingDeletedWithoutAStatusGoes) {
  json definition = Definition("webs", "Web");
  definition["metadata"]["finalizers"] = {kCleanupFinalizer};
  definition["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  definition["metadata"]["deletionGracePeriodSeconds"] = 0;
  Store(definition);
  manager_.Start();
  EXPECT_TRUE(Await([&] { return !definitions_->Get("", "webs.example.com", "", {}); }));
}

TEST_F(CrdManagerTest, AHostThatThrowsIsAskedAgain) {
  host_.opens_to_throw = 2;
  manager_.Start();
  ASSERT_TRUE(definitions_->Create("", WebDefinition().dump(), {}, {}));
  EXPECT_TRUE(Await([&] { return host_.Serves({"example.com", "v1", "webs"}); }));
  EXPECT_EQ(host_.opens, 3);
}

TEST_F(CrdManagerTest, OneThatInstallsADefinitionIsToldThatTheHostThrew) {
  host_.opens_to_throw = 1'000'000;
  manager_.Start();
  const Result<void> applied = manager_.Apply(WebDefinition().dump(), std::chrono::seconds(10));
  ASSERT_FALSE(applied);
  EXPECT_THAT(applied.error().message, HasSubstr("a host that throws"));
}

TEST_F(CrdManagerTest, AWatchThatThrowsIsBegunAnew) {
  watches_to_throw_ = 3;
  Store(Definition("webs", "Web"));
  manager_.Start();
  EXPECT_TRUE(manager_.AwaitSynced(std::chrono::seconds(10)));
  EXPECT_TRUE(host_.Serves({"example.com", "v1", "webs"}));
}

TEST_F(CrdManagerTest, AWriteThatThrowsIsTriedAgain) {
  updates_to_throw_ = 2;
  Store(Definition("webs", "Web"));
  manager_.Start();
  EXPECT_TRUE(Await([&] { return IsTrue(Stored("webs.example.com"), "Established"); }));
}

}  // namespace
}  // namespace kinformer::apiserver
