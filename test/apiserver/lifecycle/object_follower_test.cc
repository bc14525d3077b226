#include "src/apiserver/lifecycle/object_follower.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/task_pool.h"
#include "src/listwatch/storage/memory_backend.h"
#include "src/listwatch/storage/undecorated_storage.h"
#include "test/listwatch/storage/hooked_storage.h"

namespace kinformer::apiserver {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A stream whose TryNext throws.
class ThrowingStream final : public WatchEventStream {
 public:
  Result<std::optional<WatchPart>> TryNext() override { throw std::runtime_error("a stream that throws"); }
  void NotifyWhenReady(std::function<void()> /*ready*/) override {}
};

/// A storage whose first watches are ThrowingStreams.
class ThrowingWatches final : public ObjectStorage {
 public:
  ThrowingWatches(std::shared_ptr<ObjectStorage> storage, int times) : storage_(std::move(storage)), times_(times) {}

  const StorageOptions& options() const override { return storage_->options(); }
  Result<ObjectPtr> Create(const Object& object, std::chrono::seconds ttl, const std::stop_token& stop) override {
    return storage_->Create(object, ttl, stop);
  }
  Result<ObjectPtr> Get(const std::string& namespace_name, const std::string& name, const std::string& version,
                        const std::stop_token& stop) override {
    return storage_->Get(namespace_name, name, version, stop);
  }
  Result<ObjectList> List(const ListQuery& query, const std::stop_token& stop) override {
    return storage_->List(query, stop);
  }
  Result<ObjectPtr> GuaranteedUpdate(const std::string& namespace_name, const std::string& name, bool create_if_missing,
                                     const Preconditions& preconditions, const Change& change,
                                     const std::stop_token& stop) override {
    return storage_->GuaranteedUpdate(namespace_name, name, create_if_missing, preconditions, change, stop);
  }
  Result<std::unique_ptr<WatchEventStream>> Watch(const WatchQuery& query, const std::stop_token& stop) override {
    if (times_-- > 0) return std::make_unique<ThrowingStream>();
    return storage_->Watch(query, stop);
  }
  Result<void> Ready() const override { return storage_->Ready(); }

 private:
  const std::shared_ptr<ObjectStorage> storage_;
  int times_;
};

class ObjectFollowerTest : public ::testing::Test {
 protected:
  ObjectFollowerTest() { pool_.Start(); }

  StorePtr Store(const std::string& kind, int throwing_watches = 0) {
    for (const ServedKind& served : BuiltInKinds()) {
      if (served.kind != kind) continue;
      auto storage = std::make_shared<UndecoratedStorage>(backend_, served.ForStorage(), pool_);
      return std::make_shared<ResourceStore>(
          served, std::make_shared<ThrowingWatches>(std::move(storage), throwing_watches), RegistryContext{});
    }
    throw std::out_of_range(kind);
  }

  TaskPool pool_{{.threads = 1}};
  const std::shared_ptr<MemoryBackend> backend_ = std::make_shared<MemoryBackend>();
};

TEST_F(ObjectFollowerTest, AStreamThatThrowsIsBegunAnewWhileTheOthersGoOn) {
  const StorePtr good = Store("Secret");
  const StorePtr odd = Store("ConfigMap", 2);
  ASSERT_TRUE(good->Create("default", R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}})", {}, {}));
  ASSERT_TRUE(odd->Create("default", R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}})", {}, {}));
  ObjectFollower follower([] {});
  follower.SetStores({good, odd});
  TimePoint now{};
  EXPECT_THAT(follower.Next(now, {}), SizeIs(1)) << "of the good one";
  EXPECT_FALSE(follower.Complete());
  EXPECT_EQ(follower.NextTry(), now + std::chrono::milliseconds(50));
  EXPECT_THAT(follower.Next(now, {}), IsEmpty()) << "not before its time";

  now = *follower.NextTry();
  EXPECT_THAT(follower.Next(now, {}), IsEmpty());
  EXPECT_EQ(follower.NextTry(), now + std::chrono::milliseconds(100));

  now = *follower.NextTry();
  EXPECT_THAT(follower.Next(now, {}), SizeIs(1));
  EXPECT_TRUE(follower.Complete());
  EXPECT_EQ(follower.NextTry(), std::nullopt);
}

}  // namespace
}  // namespace kinformer::apiserver
