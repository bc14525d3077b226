#include <sys/stat.h>

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "src/base/file_reader.h"
#include "src/base/file_writer.h"
#include "test/support/temp_dir.h"

namespace kinformer::internal {
namespace {

using testing_support::TempDir;

TEST(FileTest, AWriteReplacesTheFileAndSetsItsMode) {
  const TempDir dir;
  const std::string path = dir.Write("file", "old");
  const mode_t before = ::umask(0077);
  const Result<void> written = WriteFile(path, "new", 0644);
  ::umask(before);
  ASSERT_TRUE(written.ok()) << ToString(written.error());
  EXPECT_EQ(ReadFile(path, 3).value(), "new");
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0644));
}

TEST(FileTest, AWriteThatFailsLeavesNothingBehind) {
  const TempDir dir;
  const std::string path = dir.path().string() + "/directory";
  std::filesystem::create_directory(path);
  const Result<void> written = WriteFile(path, "hunter2", 0600);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().message, path + ": cannot be written: Is a directory");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1);
}

TEST(FileTest, OnlyRegularFilesUpToTheLimitAreRead) {
  const TempDir dir;
  const std::string path = dir.Write("file", "four");
  EXPECT_EQ(ReadFile(path, 4).value(), "four");
  EXPECT_EQ(ReadFile(path, 3).error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(ReadFile(dir.path().string(), 4).error().message, "Is a directory");
  EXPECT_TRUE(IsFileNotFound(ReadFile(path + "2", 4).error()));
  const std::string pipe = dir.path().string() + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(ReadFile(pipe, 4).error().message, "not a regular file");
}

}  // namespace
}  // namespace kinformer::internal
