#include "src/listwatch/storage/compactor.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>

#include "src/listwatch/storage/memory_backend.h"
#include "test/listwatch/storage/storage_testing.h"

namespace kinformer::apiserver {
namespace {

using namespace testing_support;

class CompactorTest : public ::testing::TestWithParam<BackendKind> {
 protected:
  Revision Write(Revision replaces = 0) {
    return backend_->Put(prefix_ + "a", Text("x"), replaces, 0s, {}).value().revision;
  }
  int StatusOfRange(Revision revision) {
    const auto range = backend_->Range({.prefix = prefix_, .revision = revision}, {});
    return range ? 200 : range.error().http_status;
  }

  const std::unique_ptr<BackendUnderTest> under_test_ = GetParam().make();
  const std::shared_ptr<Backend> backend_ = under_test_->shared();
  const std::string prefix_ = FreshPrefix();
};

TEST_P(CompactorTest, CompactsToWhereTheBackendWasOneTurnAgo) {
  Compactor compactor(backend_);
  const Revision a1 = Write();
  // The first run may find that another server owns the key.
  ASSERT_TRUE(compactor.RunOnce({}));
  ASSERT_TRUE(compactor.RunOnce({}));
  const Revision a2 = Write(a1);
  ASSERT_TRUE(compactor.RunOnce({}));
  EXPECT_EQ(StatusOfRange(a2), 200);
  const Revision a3 = Write(a2);
  ASSERT_TRUE(compactor.RunOnce({}));
  EXPECT_EQ(StatusOfRange(a2), 410);
  EXPECT_EQ(StatusOfRange(a3), 200);
}

TEST_P(CompactorTest, OfTwoServersOneCompacts) {
  Compactor ours(backend_);
  Compactor theirs(backend_);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(ours.RunOnce({}));
  const Revision a1 = Write();
  ASSERT_TRUE(theirs.RunOnce({}));
  // The key has not changed: our compactor still owns it.
  ASSERT_TRUE(ours.RunOnce({}));
  EXPECT_EQ(StatusOfRange(a1), 200);
  ASSERT_TRUE(theirs.RunOnce({}));
  EXPECT_EQ(StatusOfRange(a1), 200);
  const Revision a2 = Write(a1);
  ASSERT_TRUE(ours.RunOnce({}));
  EXPECT_EQ(StatusOfRange(a1), 410);
  EXPECT_EQ(StatusOfRange(a2), 200);
}

INSTANTIATE_TEST_SUITE_P(Backends, CompactorTest, ::testing::ValuesIn(BackendKinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST(CompactorClockTest, TurnsComeWithTheClock) {
  const auto clock = std::make_shared<FakeClock>();
  const auto backend = std::make_shared<MemoryBackend>();
  const auto watch = backend->Watch("compact_rev_key", backend->CurrentRevision({}).value());
  Compactor compactor(backend, {.clock = clock});
  compactor.Start();
  for (int turn = 0; turn < 3; ++turn) {
    clock->AwaitWaiters(1);
    clock->Advance(5min);
    const auto part = TakeNext(*watch);
    ASSERT_TRUE(part && *part);
  }
}

}  // namespace
}  // namespace kinformer::apiserver
