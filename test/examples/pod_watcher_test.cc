// Runs the example program as users run it: its command line is a contract.

#include <algorithm>
#include <chrono>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "src/config/process.h"
#include "test/examples/on_a_terminal.h"
#include "test/examples/pod_watcher_testing.h"
#include "test/support/scripted_server.h"
#include "test/support/temp_dir.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using internal::ProcessResult;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing_support::EventLine;
using testing_support::OnATerminal;
using testing_support::PodJson;
using testing_support::ReceivedRequest;
using testing_support::Reply;
using testing_support::ScriptedServer;
using testing_support::StreamHandle;
using testing_support::TempDir;

class PodWatcherTest : public ::testing::Test {
 protected:
  PodWatcherTest() : server_({.tls = true}), kubeconfig_(testing_support::WriteKubeconfig(dir_, server_)) {}

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
          events.Send(EventLine("ADDED", *pod));
        }
        events.Send(EventLine(
            "BOOKMARK",
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

TEST_F(PodWatcherTest, PipedOutputIsAContractByteForByte) {
  ServePods();
  EXPECT_EQ(RunHere({"--once"}).out,
            "NAMESPACE   NAME    READY   STATUS    RESTARTS\n"
            "default     web-0   0/1     Pending   0\n"
            "default     web-1   0/1     Running   0\n");
  EXPECT_EQ(RunHere({"--once", "-o", "wide"}).out,
            "NAMESPACE   NAME    READY   STATUS    RESTARTS   IP   NODE   IMAGES\n"
            "default     web-0   0/1     Pending   0               n1     nginx:1\n"
            "default     web-1   0/1     Running   0               n1     nginx:1\n");
  EXPECT_EQ(RunHere({"--once", "-o", "json"}).out,
            R"({"event":"ADDED","namespace":"default","name":"web-0","resourceVersion":"6","phase":"Pending",)"
            R"("node":"n1","finalStateUnknown":false})"
            "\n"
            R"({"event":"ADDED","namespace":"default","name":"web-1","resourceVersion":"5","phase":"Running",)"
            R"("node":"n1","finalStateUnknown":false})"
            "\n");
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
}

TEST_F(PodWatcherTest, HelpNamesTheOptionsAndTheKeys) {
  const ProcessResult result = Run({"--help"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("--field-selector"));
  EXPECT_THAT(result.out, HasSubstr("next sort order"));
  EXPECT_THAT(result.out, HasSubstr("NO_COLOR"));
}

TEST_F(PodWatcherTest, OnATerminalABarShowsTheListThenATableAndCtrlCEndsItAtOnce) {
  const auto page = [](const json& pod, json metadata) {
    return testing_support::PodListJson({pod}, std::move(metadata)).dump();
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
  OnATerminal program(POD_WATCHER, {"--kubeconfig", kubeconfig_});
  EXPECT_THAT(program.ReadUntil("1 of 2 pods, 0.0 MB, "),
              ::testing::ContainsRegex(R"(listing  \[#+\.+\] 1 of 2 pods, 0\.0 MB, [0-9]+/s)"));
  second_page.Send(page(PodJson("web-1", "6", "Pending"), {{"resourceVersion", "9"}}));
  second_page.Close();
  EXPECT_THAT(program.ReadUntil("events"), HasSubstr("web-1"));
  watch.Send(EventLine("MODIFIED", PodJson("web-1", "10", "Succeeded")));
  EXPECT_THAT(program.ReadUntil("Succeeded"), HasSubstr("Succeeded"));
  const auto [code, took] = program.Interrupt();
  EXPECT_EQ(code, 0);
  EXPECT_LT(took, testing_support::kAtOnce);
}

}  // namespace
}  // namespace kinformer
