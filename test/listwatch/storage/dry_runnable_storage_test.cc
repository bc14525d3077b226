#include "src/listwatch/storage/dry_runnable_storage.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <kinformer/meta/status_error.h>

#include "src/listwatch/storage/memory_backend.h"
#include "src/listwatch/storage/undecorated_storage.h"
#include "test/listwatch/storage/object_storage_testing.h"

namespace kinformer::apiserver {
namespace {

using namespace testing_support;

class DryRunnableStorageTest : public ::testing::Test {
 protected:
  Revision Written() { return backend_->CurrentRevision({}).value(); }

  const std::shared_ptr<MemoryBackend> backend_ = std::make_shared<MemoryBackend>();
  TaskPool pool_;
  UndecoratedStorage storage_{backend_, PodOptions("/pods/"), pool_};
  const DryRunnableStorage dry_{storage_, true};
  const DryRunnableStorage real_{storage_, false};
};

TEST_F(DryRunnableStorageTest, ADryCreateOnlyChecksTheName) {
  const ObjectPtr pod = Pod("default", "a");
  const auto dry = dry_.Create(pod, 0s, {});
  ASSERT_TRUE(dry);
  EXPECT_EQ(*dry, pod);
  EXPECT_EQ(Written(), 1);
  ASSERT_TRUE(real_.Create(pod, 0s, {}));
  const auto again = dry_.Create(pod, 0s, {});
  ASSERT_FALSE(again);
  EXPECT_TRUE(IsAlreadyExists(again.error()));
  EXPECT_EQ(again.error().message, real_.Create(pod, 0s, {}).error().message);
}

TEST_F(DryRunnableStorageTest, ADryUpdateReturnsWhatWouldBeWritten) {
  ASSERT_TRUE(real_.Create(Pod("default", "a"), 0s, {}));
  const Revision before = Written();
  const ObjectPtr wanted = Pod("default", "a", "db");
  const auto change = [&](const ObjectPtr&) -> Result<ObjectPtr> { return wanted; };
  EXPECT_EQ(dry_.GuaranteedUpdate("default", "a", {}, change, {}).value(), wanted);
  EXPECT_EQ(Written(), before);
  EXPECT_TRUE(real_.GuaranteedUpdate("default", "a", {}, change, {}));
  EXPECT_EQ(Written(), before + 1);
}

TEST_F(DryRunnableStorageTest, ADryDeletionReturnsTheObject) {
  ASSERT_TRUE(real_.Create(Pod("default", "a"), 0s, {}));
  const auto remove = [](const ObjectPtr&) -> Result<ObjectPtr> { return ObjectPtr(); };
  EXPECT_EQ(dry_.GuaranteedUpdate("default", "a", {}, remove, {}).value()->Name(), "a");
  EXPECT_TRUE(storage_.Get("default", "a", "", {}));
  EXPECT_TRUE(real_.GuaranteedUpdate("default", "a", {}, remove, {}));
  EXPECT_FALSE(storage_.Get("default", "a", "", {}));
}

TEST_F(DryRunnableStorageTest, ADryRunHasTheErrorsOfTheWrite) {
  const auto keep = [](const ObjectPtr& current) -> Result<ObjectPtr> { return current; };
  EXPECT_TRUE(IsNotFound(dry_.GuaranteedUpdate("default", "a", {}, keep, {}).error()));
  ASSERT_TRUE(real_.Create(Pod("default", "a"), 0s, {}));
  EXPECT_TRUE(IsConflict(dry_.GuaranteedUpdate("default", "a", {.uid = "another"}, keep, {}).error()));
  const auto refuse = [](const ObjectPtr&) -> Result<ObjectPtr> {
    return Error{.code = ErrorCode::kInvalidArgument, .message = "refused"};
  };
  EXPECT_EQ(dry_.GuaranteedUpdate("default", "a", {}, refuse, {}).error().message, "refused");
}

TEST_F(DryRunnableStorageTest, ADryRunDoesNotRewriteAnObjectStoredInAnotherVersion) {
  UndecoratedStorage webs(backend_,
                          {.resource = {.group = "example.com", .version = "v1", .resource = "webs"},
                           .kind = {.group = "example.com", .version = "v1", .kind = "Web"},
                           .prefix = "/webs/"},
                          pool_);
  const std::string stored =
      R"({"apiVersion":"example.com/v0","kind":"Web","metadata":{"name":"a","namespace":"default"}})";
  ASSERT_TRUE(backend_->Put("/webs/default/a", Text(stored), 0, 0s, {}));
  const Revision before = Written();
  const auto keep = [](const ObjectPtr& current) -> Result<ObjectPtr> { return current; };
  ASSERT_TRUE(DryRunnableStorage(webs, true).GuaranteedUpdate("default", "a", {}, keep, {}));
  EXPECT_EQ(Written(), before);
  ASSERT_TRUE(DryRunnableStorage(webs, false).GuaranteedUpdate("default", "a", {}, keep, {}));
  EXPECT_EQ(Written(), before + 1);
}

}  // namespace
}  // namespace kinformer::apiserver
