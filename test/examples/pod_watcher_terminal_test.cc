// The live table of pod-watcher, on a real pseudo terminal.

#include <signal.h>

#include <atomic>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "test/examples/on_a_terminal.h"
#include "test/examples/pod_watcher_testing.h"
#include "test/support/scripted_server.h"
#include "test/support/temp_dir.h"

namespace kinformer {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using testing_support::EventLine;
using testing_support::kAtOnce;
using testing_support::OnATerminal;
using testing_support::PodJson;
using testing_support::PodListJson;
using testing_support::ProgramEnd;
using testing_support::ReceivedRequest;
using testing_support::Reply;
using testing_support::SameAttributes;
using testing_support::Screen;
using testing_support::ScriptedServer;
using testing_support::StreamHandle;
using testing_support::TempDir;

class PodWatcherTerminalTest : public ::testing::Test {
 protected:
  PodWatcherTerminalTest() : server_({.tls = true}), kubeconfig_(testing_support::WriteKubeconfig(dir_, server_)) {
    // web-0 is the newest.
    for (int i = 0; i < 30; ++i) {
      pods_.push_back(PodJson("web-" + std::to_string(i), std::to_string(100 - i), i == 7 ? "Failed" : "Running"));
    }
    server_.Handle([this](const ReceivedRequest& request) -> Reply {
      if (down_) return Reply::Status(503, "ServiceUnavailable", "down for a moment");
      if (request.Query("watch") != "true") return Reply::Json(PodListJson(pods_, {{"resourceVersion", "100"}}).dump());
      return Reply::Stream(first_.exchange(false) ? watch_ : StreamHandle());
    });
  }

  std::vector<std::string> Arguments(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--kubeconfig", kubeconfig_});
    return more;
  }

  TempDir dir_;
  StreamHandle watch_;  // the first one
  std::atomic<bool> first_ = true;
  std::atomic<bool> down_ = false;
  std::vector<json> pods_;
  ScriptedServer server_;
  std::string kubeconfig_;
};

/// The footer is the last of a frame.
bool HasFooter(const Screen& screen) { return screen.Lines().back().find("q quit") != std::string::npos; }

TEST_F(PodWatcherTerminalTest, KeysScrollSortFilterAndQuit) {
  OnATerminal program(POD_WATCHER, Arguments(), {.width = 100, .height = 20});
  EXPECT_THAT(program.AwaitScreen(HasFooter), StartsWith("30 pods in default  29 Running  29 not ready  1 Failed"));
  EXPECT_THAT(program.screen().Lines()[2], StartsWith("> web-0 "));
  EXPECT_TRUE(program.screen().alternate());
  EXPECT_FALSE(program.screen().cursor_visible());

  program.Type("j\033[B");
  EXPECT_THAT(program.AwaitScreen("> web-2 "), HasSubstr("3/30"));
  program.Type("\033[");
  program.Type("F");  // End, in two parts
  EXPECT_THAT(program.AwaitScreen("> web-29 "), HasSubstr("30/30"));
  program.Type("s");
  EXPECT_THAT(program.AwaitScreen("sort:name"), HasSubstr("NAME↓"));
  program.Type("/FAIL");
  EXPECT_THAT(program.AwaitScreen("filter: FAIL"), HasSubstr("> web-7 "));
  program.Type("\r");
  EXPECT_THAT(program.AwaitScreen("/ FAIL"), HasSubstr("1/1"));
  program.Type("\033");
  EXPECT_THAT(program.AwaitScreen("/ filter"), HasSubstr("1/30"));
  program.Type("?");
  EXPECT_THAT(program.AwaitScreen("next sort order"), HasSubstr("any key: back"));
  program.Type("q");
  EXPECT_EQ(program.AwaitEnd().code, 0);
  EXPECT_FALSE(program.screen().overflowed());
}

TEST_F(PodWatcherTerminalTest, EventsMoveAPodToTheTop) {
  OnATerminal program(POD_WATCHER, Arguments(), {.width = 80, .height = 24});
  program.AwaitScreen(HasFooter);
  watch_.Send(EventLine("MODIFIED", PodJson("web-20", "101", "Succeeded")));
  EXPECT_THAT(program.AwaitScreen(">*web-20 "), HasSubstr("1 Succeeded"));
  watch_.Send(EventLine("DELETED", PodJson("web-20", "102", "Succeeded")));
  EXPECT_THAT(program.AwaitScreen("29 pods"), Not(HasSubstr("web-20")));
}

TEST_F(PodWatcherTerminalTest, AResizeRedrawsToTheNewSize) {
  OnATerminal program(POD_WATCHER, Arguments(), {.width = 80, .height = 24});
  program.AwaitScreen(HasFooter);
  for (const auto& [width, height] : {std::pair<std::size_t, std::size_t>{40, 10}, {200, 50}, {20, 4}, {80, 24}}) {
    program.Resize(width, height);
    program.AwaitScreen(HasFooter);
    const std::vector<std::string> lines = program.screen().Lines();
    EXPECT_THAT(lines.front(), StartsWith("30 pods in default"));
    EXPECT_THAT(lines.at(lines.size() - 2), HasSubstr(height > 33 ? "" : "web-")) << "rows down to the footer";
    EXPECT_FALSE(program.screen().overflowed()) << width << "x" << height;
  }
  program.Type("q");
  EXPECT_EQ(program.AwaitEnd().code, 0);
}

TEST_F(PodWatcherTerminalTest, TheTerminalIsRestoredHoweverTheProgramEnds) {
  struct Way {
    std::string name;
    void (*end)(OnATerminal& program);
  };
  for (const auto& [name, end] : {Way{"q", [](OnATerminal& program) { program.Type("q"); }},
                                  Way{"Ctrl-C", [](OnATerminal& program) { program.Type("\x03"); }},
                                  Way{"SIGTERM", [](OnATerminal& program) { program.Send(SIGTERM); }},
                                  Way{"SIGHUP", [](OnATerminal& program) { program.Send(SIGHUP); }}}) {
    SCOPED_TRACE(name);
    OnATerminal program(POD_WATCHER, Arguments());
    const termios before = program.Attributes();
    program.AwaitScreen(HasFooter);
    EXPECT_FALSE(SameAttributes(program.Attributes(), before)) << "keys are read one by one";
    end(program);
    const ProgramEnd ended = program.AwaitEnd();
    EXPECT_EQ(ended.code, 0);
    EXPECT_LT(ended.took, kAtOnce);
    EXPECT_TRUE(SameAttributes(program.Attributes(), before));
    EXPECT_FALSE(program.screen().alternate());
    EXPECT_TRUE(program.screen().cursor_visible());
  }
}

TEST_F(PodWatcherTerminalTest, TheTerminalIsRestoredByACrash) {
  for (const int signal : {SIGQUIT, SIGABRT, SIGSEGV}) {
    OnATerminal program(POD_WATCHER, Arguments());
    const termios before = program.Attributes();
    program.AwaitScreen(HasFooter);
    program.Send(signal);
    EXPECT_NE(program.AwaitEnd().code, 0) << "the signal still ends it";
    EXPECT_TRUE(SameAttributes(program.Attributes(), before));
    EXPECT_FALSE(program.screen().alternate());
    EXPECT_TRUE(program.screen().cursor_visible());
  }
}

TEST_F(PodWatcherTerminalTest, CtrlZSuspendsItWithTheTerminalRestoredAndItComesBack) {
  OnATerminal program(POD_WATCHER, Arguments());
  const termios before = program.Attributes();
  program.AwaitScreen(HasFooter);
  program.Type("\x1a");
  ASSERT_TRUE(program.AwaitStopped());
  EXPECT_TRUE(SameAttributes(program.Attributes(), before));
  EXPECT_FALSE(program.screen().alternate());
  program.Send(SIGCONT);
  EXPECT_THAT(program.AwaitScreen(HasFooter), StartsWith("30 pods"));
  program.Type("q");
  EXPECT_EQ(program.AwaitEnd().code, 0);
  EXPECT_TRUE(SameAttributes(program.Attributes(), before));
}

TEST_F(PodWatcherTerminalTest, AnOutageIsShownUntilTheWatchIsBack) {
  OnATerminal program(POD_WATCHER, Arguments());
  program.AwaitScreen(HasFooter);
  down_ = true;
  watch_.Abort();
  EXPECT_THAT(program.AwaitScreen("down for a moment"), HasSubstr("trying again"));
  down_ = false;
  EXPECT_THAT(
      program.AwaitScreen([](const Screen& screen) { return screen.Text().find("trying again") == std::string::npos; }),
      Not(HasSubstr("down for a moment")));
}

TEST_F(PodWatcherTerminalTest, NoColorTurnsColoursOffUnlessItIsEmpty) {
  for (const bool colours : {true, false}) {
    OnATerminal program(POD_WATCHER, Arguments(),
                        {.environment = {"TERM=xterm", colours ? "NO_COLOR=" : "NO_COLOR=1"}});
    program.AwaitScreen(HasFooter);
    const auto coloured = ContainsRegex("\033\\[3[1-3]m");
    EXPECT_THAT(program.written(), colours ? ::testing::Matcher<std::string>(coloured) : Not(coloured));
  }
}

TEST_F(PodWatcherTerminalTest, ADumbTerminalGetsTheLinesOfAPipe) {
  server_.Handle([this](const ReceivedRequest& request) -> Reply {
    if (request.Query("sendInitialEvents") == "true") return Reply::Status(400, "BadRequest", "no streaming lists");
    if (request.Query("watch") != "true") return Reply::Json(PodListJson(pods_, {{"resourceVersion", "100"}}).dump());
    return Reply::Stream(watch_);
  });
  OnATerminal program(POD_WATCHER, Arguments(), {.environment = {"TERM=dumb"}});
  EXPECT_THAT(program.ReadUntil("SYNCED"), HasSubstr("ADDED     default/web-0  0/1  Running  0"));
  EXPECT_EQ(program.Interrupt().code, 0);
  EXPECT_THAT(program.written(), Not(HasSubstr("\033")));
}

TEST_F(PodWatcherTerminalTest, WithoutATerminalForInputItStillDraws) {
  OnATerminal program(POD_WATCHER, Arguments(), {.stdin_is_terminal = false});
  const termios before = program.Attributes();
  EXPECT_THAT(program.AwaitScreen("Ctrl-C quit"), StartsWith("30 pods"));
  EXPECT_TRUE(SameAttributes(program.Attributes(), before)) << "input is left alone";
  EXPECT_EQ(program.Interrupt().code, 0);
}

}  // namespace
}  // namespace kinformer
