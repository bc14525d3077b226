// Runs the documentation's complete programs, verbatim, against a server.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/config/process.h"
#include "test/docs/world.h"
#include "test/support/temp_dir.h"

namespace docs {
namespace {

ki::internal::ProcessResult RunProgram(const std::string& program, const std::string& kubeconfig) {
  auto result = ki::internal::RunProcess(
      {.path = program, .argv = {program}, .environment = {"KUBECONFIG=" + kubeconfig}, .timeout = 30s},
      *ki::Clock::System(), {});
  EXPECT_TRUE(result.ok()) << ToString(result.error());
  return result.value_or(ki::internal::ProcessResult());
}

TEST(DocsPrograms, TheReadmesProgramPrintsThePodsOfANode) {
  World world;
  ki::testing_support::TempDir dir;
  const std::string kubeconfig = (dir.path() / "kubeconfig").string();
  ASSERT_TRUE(world.server.server().WriteKubeconfig(kubeconfig).ok());
  const auto result = RunProgram(README_PROGRAM, kubeconfig);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, ::testing::HasSubstr("default/web-0"));
}

TEST(DocsPrograms, TheReadmesProgramSaysWhatIsWrong) {
  const auto result = RunProgram(README_PROGRAM, "/nonexistent/kubeconfig");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, ::testing::Not(::testing::IsEmpty()));
}

}  // namespace
}  // namespace docs
