#include "src/apiserver/lifecycle/lifecycle_manager.h"

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "src/base/task_pool.h"
#include "src/listwatch/storage/memory_backend.h"
#include "src/listwatch/storage/undecorated_storage.h"
#include "test/listwatch/storage/hooked_storage.h"
#include "test/support/await.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

using kinformer::testing_support::Await;

class LifecycleManagerTest : public ::testing::Test {
 protected:
  LifecycleManagerTest() {
    pool_->Start();
    for (const ServedKind& kind : BuiltInKinds()) {
      if (kind.kind != "ConfigMap" && kind.kind != "Namespace" && kind.kind != "Secret") continue;
      auto storage = std::make_shared<UndecoratedStorage>(backend_, kind.ForStorage(), *pool_);
      // The stores that the test itself uses do not throw.
      StorePtr& own = kind.kind == "ConfigMap" ? configmaps_ : kind.kind == "Secret" ? secrets_ : namespaces_;
      own = std::make_shared<ResourceStore>(kind, storage, RegistryContext{});
      auto hooked =
          std::make_shared<HookedStorage>(storage, [this](HookedStorage::Call, const std::string&) { MaybeThrow(); });
      stores_.push_back(std::make_shared<ResourceStore>(kind, std::move(hooked), RegistryContext{}));
    }
  }

  /// Makes the next `times` calls of stores and of the callback throw.
  void ThrowTimes(int times) { throws_ = times; }
  void MaybeThrow() {
    if (throws_ <= 0) return;
    --throws_;
    throw std::runtime_error("a storage that throws");
  }
  std::string Make(const std::string& name, const std::string& owner_uid = "") {
    json body = {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", name}}}};
    if (!owner_uid.empty()) {
      body["metadata"]["ownerReferences"] = {
          {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", "owner"}, {"uid", owner_uid}}};
    }
    return std::string(configmaps_->Create("default", body.dump(), {}, {}).value()->Uid());
  }
  bool IsThere(const std::string& name) const { return configmaps_->Get("default", name, "", {}).ok(); }

  const std::shared_ptr<TaskPool> pool_ = std::make_shared<TaskPool>(TaskPoolOptions{.threads = 1});
  const std::shared_ptr<MemoryBackend> backend_ = std::make_shared<MemoryBackend>();
  std::atomic<int> throws_ = 0;
  std::atomic<int> asked_ = 0;
  StorePtr configmaps_;
  StorePtr secrets_;
  StorePtr namespaces_;
  std::vector<StorePtr> stores_;
};

TEST_F(LifecycleManagerTest, WhatThrowsIsTriedAgain) {
  ThrowTimes(2);
  LifecycleManager manager({.stores = [this] {
    ++asked_;
    MaybeThrow();
    return stores_;
  }});
  manager.Start();
  const std::string owner = Make("owner");
  Make("child", owner);
  ASSERT_TRUE(Await([&] { return throws_ == 0; }));
  EXPECT_GT(asked_, 1) << "the kinds must not be forgotten";
  ThrowTimes(2);
  ASSERT_TRUE(configmaps_->Delete("default", "owner", {}, {}));
  EXPECT_TRUE(Await([&] { return !IsThere("child"); }));
  EXPECT_EQ(throws_, 0);
  manager.Stop();
}

TEST_F(LifecycleManagerTest, ANamespaceWhoseContentsThrowIsTriedAgain) {
  LifecycleManager manager({.stores = [this] { return stores_; }});
  manager.Start();
  ASSERT_TRUE(namespaces_->Create("", R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"team"}})", {}, {}));
  ThrowTimes(2);
  ASSERT_TRUE(namespaces_->Delete("", "team", {}, {}));
  EXPECT_TRUE(Await([&] { return !namespaces_->Get("", "team", "", {}); }));
  manager.Stop();
}

TEST_F(LifecycleManagerTest, ItStopsWhileEverythingThrows) {
  ThrowTimes(1'000'000);
  LifecycleManager manager({.stores = [this] {
    ++asked_;
    return stores_;
  }});
  manager.Start();
  ASSERT_TRUE(Await([&] { return throws_ < 999'998; }));
  manager.Stop();
  const int left = throws_;
  EXPECT_GT(left, 999'000) << "it waits between its tries";
}

TEST_F(LifecycleManagerTest, AnObjectThatWasAdoptedIsNeverDeletedWithItsFirstOwner) {
  constexpr int kThreads = 3;
  constexpr int kRounds = 100;
  LifecycleManager manager({.stores = [this] { return stores_; }});
  manager.Start();
  const auto reference = [](const Object& owner) {
    return json{{"apiVersion", "v1"}, {"kind", "Secret"}, {"name", owner.Name()}, {"uid", owner.Uid()}};
  };
  const auto make = [](const ResourceStore& store, const std::string& name, const json& owners) {
    json body = {{"apiVersion", "v1"}, {"kind", store.kind().kind}, {"metadata", {{"name", name}}}};
    if (!owners.is_null()) body["metadata"]["ownerReferences"] = json::array({owners});
    return store.Create("default", body.dump(), {}, {}).value();
  };
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int round = 0; round < kRounds; ++round) {
        const std::string name = std::to_string(thread) + "-" + std::to_string(round);
        // Of another kind than their dependents, so that the collector may see the two in either order.
        const ObjectPtr first = make(*secrets_, "first-" + name, {});
        const ObjectPtr second = make(*secrets_, "second-" + name, {});
        make(*configmaps_, "child-" + name, reference(*first));
        make(*configmaps_, "left-" + name, reference(*first));
        const json patch = {{"metadata", {{"ownerReferences", json::array({reference(*second)})}}}};
        ASSERT_TRUE(configmaps_->Patch("default", "child-" + name, Subresource::kNone, PatchKind::kMerge, patch.dump(),
                                       {}, {}));
        ASSERT_TRUE(secrets_->Delete("default", "first-" + name, {}, {}));
      }
    });
  }
  threads.clear();
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int round = 0; round < kRounds; ++round) {
      const std::string name = std::to_string(thread) + "-" + std::to_string(round);
      EXPECT_TRUE(Await([&] { return !IsThere("left-" + name); })) << name;
    }
  }
  // Work that the collector still had pending is done before this object is collected.
  Make("last", "no-such-owner");
  ASSERT_TRUE(Await([&] { return !IsThere("last"); }));
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int round = 0; round < kRounds; ++round) {
      const std::string name = "child-" + std::to_string(thread) + "-" + std::to_string(round);
      EXPECT_TRUE(IsThere(name)) << name;
    }
  }
  manager.Stop();
}

}  // namespace
}  // namespace kinformer::apiserver
