#include "test/support/leak_check.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "test/support/fd.h"
#include "test/support/temp_dir.h"

namespace kinformer::testing_support {
namespace {

const bool kLeakChecked = InstallLeakCheck();

TEST(LeakCheckTest, ARunningThreadIsCountedAndAJoinedOneIsNot) {
  ASSERT_TRUE(kLeakChecked);
  const std::size_t before = ThreadCount();
  std::latch end(1);
  std::thread thread([&] { end.wait(); });
  EXPECT_EQ(ThreadCount(), before + 1);
  EXPECT_FALSE(AwaitThreadCount(before, std::chrono::milliseconds(5)));
  end.count_down();
  thread.join();
  EXPECT_TRUE(AwaitThreadCount(before));
}

TEST(LeakCheckTest, AnOpenFileIsCountedAndAClosedOneIsNot) {
  const std::size_t before = OpenFdCount();
  Fd fd(open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(OpenFdCount(), before + 1);
  EXPECT_FALSE(AwaitOpenFdCount(before, std::chrono::milliseconds(5)));
  fd.Reset();
  EXPECT_TRUE(AwaitOpenFdCount(before));
}

TEST(TempDirTest, FilesHaveTheirModeAndAreGoneAtTheEnd) {
  std::string path;
  {
    const TempDir dir;
    path = dir.Write("folder/token", "one", 0640);
    EXPECT_EQ(dir.Write("folder/token", "two", 0640), path);
    EXPECT_EQ(static_cast<unsigned>(std::filesystem::status(path).permissions()), 0640U);
    EXPECT_EQ(std::filesystem::file_size(path), 3U);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(ScopedEnvTest, PutsBackWhatWasThere) {
  const ScopedEnv outer("KINFORMER_SUPPORT_TEST", "outer");
  {
    const ScopedEnv inner("KINFORMER_SUPPORT_TEST", std::nullopt);
    EXPECT_EQ(std::getenv("KINFORMER_SUPPORT_TEST"), nullptr);
  }
  EXPECT_STREQ(std::getenv("KINFORMER_SUPPORT_TEST"), "outer");
}

}  // namespace
}  // namespace kinformer::testing_support
