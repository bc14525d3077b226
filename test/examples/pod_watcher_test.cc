// The program that users run first, as they run it: its command line is a contract.

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "src/base/base64.h"
#include "src/client/process.h"
#include "test/support/scripted_server.h"
#include "test/support/temp_dir.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using internal::ProcessResult;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing_support::ReceivedRequest;
using testing_support::Reply;
using testing_support::ScriptedServer;
using testing_support::StreamHandle;
using testing_support::TempDir;

#if defined(__clang__)  // of the sanitized builds: they look for leaks at the end, which takes its time
constexpr auto kAtOnce = 5s;
#else
constexpr auto kAtOnce = 200ms;
#endif

json PodJson(const std::string& name, const std::string& version, const std::string& phase) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", name}, {"namespace", "default"}, {"uid", "u-" + name}, {"resourceVersion", version}}},
          {"spec", {{"nodeName", "n1"}, {"containers", json::array({{{"name", "c"}, {"image", "nginx:1"}}})}}},
          {"status", {{"phase", phase}}}};
}

std::string Line(const std::string& type, const json& object) {
  return json{{"type", type}, {"object", object}}.dump() + "\n";
}

/// The program on a terminal of its own.
class OnATerminal {
 public:
  explicit OnATerminal(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), POD_WATCHER);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    winsize size{.ws_row = 30, .ws_col = 120, .ws_xpixel = 0, .ws_ypixel = 0};
    process_ = forkpty(&terminal_, nullptr, nullptr, &size);
    if (process_ == 0) {
      execv(POD_WATCHER, argv.data());
      _exit(127);
    }
  }
  ~OnATerminal() {
    if (process_ > 0) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    if (terminal_ >= 0) close(terminal_);
  }
  OnATerminal(const OnATerminal&) = delete;
  OnATerminal& operator=(const OnATerminal&) = delete;

  /// Everything that was shown, up to the first time that `words` are in it.
  std::string ReadUntil(const std::string& words) {
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (shown_.find(words) == std::string::npos && std::chrono::steady_clock::now() < deadline) {
      pollfd ready{.fd = terminal_, .events = POLLIN, .revents = 0};
      if (poll(&ready, 1, 100) <= 0) continue;
      std::array<char, 4096> buffer{};
      const ssize_t n = read(terminal_, buffer.data(), buffer.size());
      if (n <= 0) break;
      shown_.append(buffer.data(), static_cast<std::size_t>(n));
    }
    return shown_;
  }
  /// Ctrl-C, as typed. The exit code, and how long it took.
  std::pair<int, std::chrono::milliseconds> Interrupt() {
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(write(terminal_, "\x03", 1), 1);
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun)};
  }

 private:
  int terminal_ = -1;
  pid_t process_ = 0;
  std::string shown_;
};

class PodWatcherTest : public ::testing::Test {
 protected:
  PodWatcherTest() : server_({.tls = true}) {
    kubeconfig_ =
        dir_.Write("config",
                   "apiVersion: v1\nkind: Config\ncurrent-context: test\n"
                   "clusters: [{name: c, cluster: {server: '" +
                       server_.url() + "', certificate-authority-data: " + internal::EncodeBase64(server_.ca_pem()) +
                       "}}]\n"
                       "users: [{name: u, user: {token: sesame}}]\n"
                       "contexts: [{name: test, context: {cluster: c, user: u}}]\n");
  }

  ProcessResult Run(std::vector<std::string> arguments, const std::stop_token& stop = {}) {
    arguments.insert(arguments.begin(), POD_WATCHER);
    auto result = internal::RunProcess({.path = POD_WATCHER, .argv = arguments, .environment = {}, .timeout = 30s},
                                       *Clock::System(), stop);
    EXPECT_TRUE(result.ok()) << ToString(result.error());
    return result ? *result : ProcessResult{};
  }
  ProcessResult RunHere(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--kubeconfig", kubeconfig_});
    return Run(std::move(arguments));
  }

  void ServePods() {
    server_.Handle([](const ReceivedRequest& request) -> Reply {
      const StreamHandle events;
      if (request.Query("sendInitialEvents") == "true") {
        const bool elsewhere = request.path.find("/namespaces/kube-system/") != std::string::npos;
        json running = PodJson("web-1", "5", "Running");
        json pending = PodJson("web-0", "6", "Pending");
        for (json* pod : {&running, &pending}) {
          if (elsewhere) (*pod)["metadata"]["namespace"] = "kube-system";
          events.Send(Line("ADDED", *pod));
        }
        events.Send(
            Line("BOOKMARK",
                 {{"apiVersion", "v1"},
                  {"kind", "Pod"},
                  {"metadata", {{"resourceVersion", "7"}, {"annotations", {{"k8s.io/initial-events-end", "true"}}}}}}));
      }
      return Reply::Stream(events);
    });
  }

  TempDir dir_;
  ScriptedServer server_;
  std::string kubeconfig_;
};

TEST_F(PodWatcherTest, OncePrintsTheSyncedCacheAndExitsWithZero) {
  ServePods();
  const ProcessResult result = RunHere({"--once"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_LT(result.out.find("NAMESPACE"), result.out.find("web-0"));
  EXPECT_LT(result.out.find("web-0"), result.out.find("web-1")) << "sorted";
  EXPECT_THAT(result.out, HasSubstr("Pending"));
  EXPECT_THAT(server_.Requests().at(0).target, HasSubstr("/api/v1/namespaces/default/pods?"));
  EXPECT_EQ(server_.Requests().at(0).Header("Authorization"), "Bearer sesame");
}

TEST_F(PodWatcherTest, FlagsChooseNamespaceSelectorsAndOutput) {
  ServePods();
  EXPECT_EQ(RunHere({"--once", "-n", "kube-system", "-l", "app=web", "--field-selector=spec.nodeName=n1"}).exit_code,
            0);
  const ReceivedRequest request = server_.Requests().back();
  EXPECT_EQ(request.path, "/api/v1/namespaces/kube-system/pods");
  EXPECT_EQ(request.Query("labelSelector"), "app=web");
  EXPECT_EQ(request.Query("fieldSelector"), "spec.nodeName=n1");
  EXPECT_EQ(RunHere({"--once", "-A", "-o", "name"}).out, "pod/web-0\npod/web-1\n");
  EXPECT_EQ(server_.Requests().back().path, "/api/v1/pods");
  EXPECT_THAT(RunHere({"--once", "-o", "wide"}).out, HasSubstr("nginx:1"));
}

TEST_F(PodWatcherTest, JsonHasAllItsFieldsOnEveryLine) {
  ServePods();
  std::istringstream lines(RunHere({"--once", "-o", "json"}).out);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const json event = json::parse(line);
    EXPECT_EQ(event.at("event"), "ADDED");
    EXPECT_EQ(event.at("namespace"), "default");
    EXPECT_EQ(event.at("node"), "n1");
    EXPECT_EQ(event.at("finalStateUnknown"), false);
    EXPECT_TRUE(event.contains("name") && event.contains("resourceVersion") && event.contains("phase"));
  }
  EXPECT_EQ(count, 2U);
}

TEST_F(PodWatcherTest, AForbiddenListIsOneClearLineAndExitOne) {
  server_.Handle([](const ReceivedRequest&) {
    return Reply::Status(403, "Forbidden", "pods is forbidden: User alice cannot list resource pods");
  });
  const ProcessResult result = RunHere({"--once"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("User alice cannot list"));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

TEST_F(PodWatcherTest, WhatCannotBeReachedOrFoundIsOneClearLineAndExitOne) {
  const std::string nowhere = dir_.Write("nowhere",
                                         "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n"
                                         "contexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x\n");
  for (const auto& [arguments, words] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--kubeconfig", nowhere}, "cannot connect to 127.0.0.1:1: Connection refused"},
           {{"--kubeconfig", "/nonexistent/config"}, "/nonexistent/config"},
           {{"--kubeconfig", kubeconfig_, "--context", "nope"}, "no context \"nope\""}}) {
    const ProcessResult result = Run(arguments);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr(words));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

TEST_F(PodWatcherTest, AListThatDoesNotComeEndsAtTheTimeout) {
  server_.Handle([](const ReceivedRequest&) { return Reply::Stream(StreamHandle()); });
  const ProcessResult result = RunHere({"--once", "--timeout", "300ms"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("not synced"));
}

TEST_F(PodWatcherTest, WrongUsageExitsWithTwo) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"--nonsense"}, {"-o", "yaml"}, {"-n"}, {"-n", "a", "-A"}, {"-l", "a in ("}, {"--timeout", "5"}}) {
    const ProcessResult result = Run(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr("usage: pod-watcher"));
  }
  EXPECT_EQ(Run({"--help"}).exit_code, 0);
}

TEST_F(PodWatcherTest, OnATerminalABarShowsTheListThenATableAndCtrlCEndsItAtOnce) {
  const auto page = [](const json& item, json metadata) {
    return json{{"apiVersion", "v1"}, {"kind", "PodList"}, {"metadata", std::move(metadata)}, {"items", {item}}}.dump();
  };
  const StreamHandle second_page;
  const StreamHandle watch;
  server_.Handle([&](const ReceivedRequest& request) -> Reply {
    if (request.Query("watch") == "true") return Reply::Stream(watch);
    if (request.Query("continue") == "more") return Reply::Stream(second_page);
    EXPECT_EQ(request.Query("resourceVersion"), "") << "else the server would ignore the limit";
    return Reply::Json(page(PodJson("web-0", "5", "Running"),
                            {{"resourceVersion", "9"}, {"continue", "more"}, {"remainingItemCount", 1}}));
  });
  OnATerminal program({"--kubeconfig", kubeconfig_});
  EXPECT_THAT(program.ReadUntil("/s"),
              ::testing::ContainsRegex(R"(listing  \[#+\.+\] 1 of 2 pods, 0\.0 MB, [0-9]+/s)"));
  second_page.Send(page(PodJson("web-1", "6", "Pending"), {{"resourceVersion", "9"}}));
  second_page.Close();
  EXPECT_THAT(program.ReadUntil("events"), HasSubstr("web-1"));
  watch.Send(Line("MODIFIED", PodJson("web-1", "10", "Succeeded")));
  EXPECT_THAT(program.ReadUntil("Succeeded"), HasSubstr("Succeeded"));
  const auto [code, took] = program.Interrupt();
  EXPECT_EQ(code, 0);
  EXPECT_LT(took, kAtOnce);
}

}  // namespace
}  // namespace kinformer
