#include <gmock/gmock.h>

#include "bench/kinformer_load/command_line.h"

namespace kinformer::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Refused(const std::vector<std::string>& words) {
  const auto line = ParseLoadCommandLine(words);
  return line ? "taken" : line.error().message;
}

TEST(LoadCommandLine, WithoutAWordItWatches) {
  const auto line =
      ParseLoadCommandLine({"--kubeconfig", "f", "--watchers=100", "--server-pid", "7", "--server-pid=8"});
  ASSERT_TRUE(line) << line.error().message;
  EXPECT_EQ(line->mode, LoadMode::kWatch);
  EXPECT_EQ(line->kubeconfig, "f");
  EXPECT_EQ(line->watchers, 100U);
  EXPECT_EQ(line->creations, 2000U);
  EXPECT_THAT(line->server_pids, ElementsAre(7, 8));
}

TEST(LoadCommandLine, EachModeHasItsOwnOptions) {
  EXPECT_EQ(ParseLoadCommandLine({"list", "--kubeconfig=f", "--objects", "5"})->objects, 5U);
  EXPECT_EQ(ParseLoadCommandLine({"serve", "--kubeconfig-out=f", "--token-out=t"})->mode, LoadMode::kServe);
  EXPECT_EQ(ParseLoadCommandLine({"list", "--help"})->mode, LoadMode::kHelp);
  EXPECT_THAT(Refused({"list", "--kubeconfig=f", "--watchers=5"}), HasSubstr("unknown argument --watchers"));
  EXPECT_THAT(Refused({"serve", "--kubeconfig-out=f", "--writers=5"}), HasSubstr("unknown argument --writers"));
  EXPECT_THAT(Refused({"--kubeconfig=f", "--objects=5"}), HasSubstr("unknown argument --objects"));
}

TEST(LoadCommandLine, WhatIsWrongIsNamed) {
  EXPECT_THAT(Refused({}), HasSubstr("--kubeconfig is missing"));
  EXPECT_THAT(Refused({"serve"}), HasSubstr("needs --kubeconfig-out"));
  EXPECT_THAT(Refused({"store"}), HasSubstr("unknown argument store"));
  EXPECT_THAT(Refused({"--kubeconfig"}), HasSubstr("needs a value"));
  EXPECT_THAT(Refused({"--kubeconfig=f", "--watchers=0"}), HasSubstr("is not a number from 1"));
  EXPECT_THAT(Refused({"--kubeconfig=f", "--watchers=9x"}), HasSubstr("is not a number from 1"));
  EXPECT_THAT(Refused({"--kubeconfig=f", "--resource=nodes"}), HasSubstr("configmaps or pods"));
}

}  // namespace
}  // namespace kinformer::bench
