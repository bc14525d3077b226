#include "src/config/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kinformer/base/fake_clock.h>
#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "test/support/temp_dir.h"

namespace kinformer::internal {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using testing_support::TempDir;

ProcessSpec Shell(const std::string& script) {
  ProcessSpec spec;
  spec.path = "/bin/sh";
  spec.argv = {"sh", "-c", script};
  spec.environment = {"PATH=/usr/bin:/bin"};
  return spec;
}

Result<ProcessResult> RunToEnd(const ProcessSpec& spec) { return RunProcess(spec, *Clock::System(), {}); }

/// No child is left behind, neither running nor as a zombie.
void ExpectNoChildren() {
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

/// Blocks until the script has written its process id, i.e. until it is running.
pid_t AwaitPid(const std::string& path) {
  for (;;) {
    std::ifstream file(path);
    pid_t pid = 0;
    std::string end;
    if (file >> pid >> end && end == "end") return pid;
    std::this_thread::yield();
  }
}

/// A killed grandchild is reaped by init, so it may be a zombie for a moment.
bool IsGone(pid_t pid) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < give_up) {
    if (::kill(pid, 0) != 0 && errno == ESRCH) return true;
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    const std::string text((std::istreambuf_iterator<char>(stat)), {});
    if (text.empty() || text.find(") Z ") != std::string::npos) return true;
    std::this_thread::yield();
  }
  return false;
}

TEST(ProcessTest, OutputErrorsAndExitCodeComeBack) {
  const auto result = RunToEnd(Shell("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->out, "out\n");
  EXPECT_EQ(result->err, "err\n");
  EXPECT_EQ(result->exit_code, 3);
  EXPECT_EQ(result->signal, 0);
  ExpectNoChildren();
}

TEST(ProcessTest, ArgumentsAreNotInterpreted) {
  ProcessSpec spec;
  spec.path = "/usr/bin/printf";
  spec.argv = {"printf", "%s|%s", "$(id) `id`; rm *", "a b"};
  const auto result = RunToEnd(spec);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->out, "$(id) `id`; rm *|a b");
}

TEST(ProcessTest, TheEnvironmentIsWhatIsGiven) {
  ProcessSpec spec = Shell("env | grep -v -e '^PWD=' -e '^_=' -e '^SHLVL=' | sort");
  spec.environment = {"PATH=/usr/bin:/bin", "B=two words"};
  const auto result = RunToEnd(spec);
  ASSERT_TRUE(result.ok());
  EXPECT_THAT(result->out, HasSubstr("B=two words\n"));
  EXPECT_EQ(result->out.find("HOME="), std::string::npos);
}

TEST(ProcessTest, StandardInputIsEmptyAndNoOtherDescriptorIsInherited) {
  const TempDir dir;
  const std::string inheritable = dir.Write("f", "x");
  FILE* const file = std::fopen(inheritable.c_str(), "r");  // without close-on-exec, as a careless host might
  ASSERT_NE(file, nullptr);
  const auto result = RunToEnd(Shell("cat; ls -l /proc/self/fd | grep -c -e " + dir.path().string()));
  std::fclose(file);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->out, "0\n");
}

TEST(ProcessTest, SignalsOfTheHostAreNotInherited) {
  // The host ignores SIGPIPE; in the child it has its default action and is fatal.
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  ASSERT_EQ(::sigaction(SIGPIPE, &ignore, &before), 0);
  const auto result = RunToEnd(Shell("kill -PIPE $$; echo survived"));
  ::sigaction(SIGPIPE, &before, nullptr);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->signal, SIGPIPE);
  EXPECT_EQ(result->out, "");
}

TEST(ProcessTest, AMissingProgramIsAnError) {
  ProcessSpec spec;
  spec.path = "/does/not/exist";
  spec.argv = {"x"};
  const auto result = RunToEnd(spec);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kUnreachable);
  ExpectNoChildren();
}

TEST(ProcessTest, TooMuchOutputEndsIt) {
  ProcessSpec spec = Shell("yes");
  spec.max_stdout = 100000;
  const auto result = RunToEnd(spec);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kTooLarge);
  ExpectNoChildren();
}

TEST(ProcessTest, OfTooManyErrorsTheLastAreKept) {
  ProcessSpec spec = Shell("i=0; while [ $i -lt 20000 ]; do echo line $i >&2; i=$((i+1)); done; echo out");
  const auto result = RunToEnd(spec);
  ASSERT_TRUE(result.ok());
  EXPECT_LE(result->err.size(), spec.max_stderr);
  EXPECT_THAT(result->err, HasSubstr("line 19999\n"));
  EXPECT_EQ(result->out, "out\n");
}

TEST(ProcessTest, AMegabyteOfOutputArrivesWhole) {
  const auto result = RunToEnd(Shell("head -c 1000000 /dev/zero | tr '\\0' x"));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->out, std::string(1000000, 'x'));
}

TEST(ProcessTest, AStopKillsTheWholeGroupWithinFiftyMilliseconds) {
  const TempDir dir;
  const std::string file = dir.path().string() + "/pid";
  std::stop_source stop;
  std::chrono::steady_clock::time_point stopped;
  pid_t grandchild = 0;
  std::jthread stopper([&] {
    grandchild = AwaitPid(file);
    stopped = std::chrono::steady_clock::now();
    stop.request_stop();
  });
  const auto result = RunProcess(Shell("trap '' TERM; sleep 1000 & echo $! end > " + file + "; wait"), *Clock::System(),
                                 stop.get_token());
  const auto returned = std::chrono::steady_clock::now();
  stopper.join();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
  EXPECT_LT(returned - stopped, milliseconds(50));
  ExpectNoChildren();
  EXPECT_TRUE(IsGone(grandchild));
}

TEST(ProcessTest, TheTimeLimitIsTheClocks) {
  FakeClock clock;
  ProcessSpec spec = Shell("sleep 1000");
  std::jthread advance([&] {
    clock.AwaitWaiters(1);
    clock.Advance(std::chrono::seconds(60));
  });
  const auto result = RunProcess(spec, clock, {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(result.error().message, "timed out after 60 s");
  ExpectNoChildren();
}

TEST(ProcessTest, WhatItLeavesInTheBackgroundIsNotWaitedFor) {
  const TempDir dir;
  const std::string file = dir.path().string() + "/pid";
  const auto result = RunToEnd(Shell("sleep 1000 & echo $! end > " + file + "; echo done"));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->out, "done\n");
  ::kill(AwaitPid(file), SIGKILL);
}

TEST(ProcessTest, OneThatClosesItsOutputsIsStillWaitedFor) {
  const TempDir dir;
  const std::string file = dir.path().string() + "/done";
  const auto result = RunToEnd(Shell("exec >&- 2>&-; sleep 0.05; echo 1 end > " + file));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(AwaitPid(file), 1);
}

TEST(ProcessTest, AHostThatIgnoresItsChildrenGetsTheOutput) {
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  ASSERT_EQ(::sigaction(SIGCHLD, &ignore, &before), 0);
  const auto result = RunToEnd(Shell("echo out"));
  ::sigaction(SIGCHLD, &before, nullptr);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->out, "out\n");
}

TEST(FindInPathTest, TakesTheFirstExecutableAndSkipsRelativeFolders) {
  const TempDir dir;
  dir.Write("a/tool", "", 0600);
  const std::string wanted = dir.Write("b/tool", "", 0700);
  dir.Write("c/tool", "", 0700);
  const std::string root = dir.path().string();
  EXPECT_EQ(FindInPath("tool", ".::rel:" + root + "/a:" + root + "/b:" + root + "/c"), wanted);
  EXPECT_EQ(FindInPath("tool", ""), std::nullopt);
  EXPECT_EQ(FindInPath("other", root + "/b"), std::nullopt);
}

}  // namespace
}  // namespace kinformer::internal
