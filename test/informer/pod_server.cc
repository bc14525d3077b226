#include "test/informer/pod_server.h"

#include <atomic>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <kinformer/testing/api_server.h>
#include <kinformer/views/core_v1.h>

#include "src/base/mutex.h"
#include "test/informer/await.h"
#include "test/support/scripted_server.h"

namespace kinformer {
namespace {

using core::v1::Pod;
using nlohmann::json;
using testing_support::ReceivedRequest;
using testing_support::Reply;
using testing_support::ScriptedServer;
using testing_support::StreamHandle;

constexpr const char* kPodServerToken = "a-token-of-alice";
const std::map<std::string, std::string> kNodeOf = {{"a", "n1"}, {"b", "n2"}};

json PodJson(const std::string& name) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", name}, {"namespace", "default"}, {"labels", {{"app", "web"}}}}},
          {"spec", {{"nodeName", kNodeOf.at(name)}, {"containers", json::array({{{"name", "c"}, {"image", "i"}}})}}}};
}

std::string Line(const std::string& type, const json& object) {
  return json{{"type", type}, {"object", object}}.dump() + "\n";
}

class ScriptedPodServer final : public PodServer {
 public:
  ScriptedPodServer() {
    server_.Handle([this](const ReceivedRequest& request) -> Reply {
      if (request.Query("watch") != "true") return Reply::Status(404, "NotFound");
      StreamHandle handle;
      if (request.path.find("/namespaces/") == std::string::npos ||
          request.path.find("/namespaces/default/") != std::string::npos) {
        handle.Send(Line("ADDED", PodAt("a", "5", "Pending")));
        handle.Send(Line("ADDED", PodAt("b", "6", "Pending")));
      }
      handle.Send(
          Line("BOOKMARK",
               {{"apiVersion", "v1"},
                {"kind", "Pod"},
                {"metadata", {{"resourceVersion", "7"}, {"annotations", {{"k8s.io/initial-events-end", "true"}}}}}}));
      const MutexLock lock(mutex_);
      last_watch_ = handle;
      return Reply::Stream(handle);
    });
  }

  Config ClientConfig() const override { return {.server = server_.url(), .ca_data = server_.ca_pem()}; }
  std::string SetPhase(const std::string& name, const std::string& phase) override {
    const std::string version = std::to_string(++version_);
    LastWatch().Send(Line("MODIFIED", PodAt(name, version, phase)));
    return version;
  }
  void Delete(const std::string& name) override {
    LastWatch().Send(Line("DELETED", PodAt(name, std::to_string(++version_), "Pending")));
  }
  void Forbid() override {
    server_.Handle([](const ReceivedRequest&) {
      return Reply::Status(403, "Forbidden", "pods is forbidden: User alice cannot list resource pods");
    });
  }
  std::vector<std::string> WatchTargets() const override {
    std::vector<std::string> targets;
    for (const ReceivedRequest& request : server_.Requests()) {
      if (request.Query("watch") == "true") targets.push_back(request.target);
    }
    return targets;
  }
  bool AwaitLastWatchGone() override { return LastWatch().AwaitClientGone(); }

 private:
  static json PodAt(const std::string& name, const std::string& version, const std::string& phase) {
    json pod = PodJson(name);
    pod["metadata"]["uid"] = "u-" + name;
    pod["metadata"]["resourceVersion"] = version;
    pod["status"]["phase"] = phase;
    return pod;
  }
  StreamHandle LastWatch() const {
    const MutexLock lock(mutex_);
    return last_watch_.value();
  }

  std::atomic<int> version_ = 7;
  mutable Mutex mutex_;
  std::optional<StreamHandle> last_watch_ KINFORMER_GUARDED_BY(mutex_);
  ScriptedServer server_{{.tls = true}};  // Last, so that it is destroyed first.
};

/// Extracts the watches from an audit log.
class WatchLog {
 public:
  void Add(std::string_view line) {
    const json event = json::parse(line, nullptr, false);
    if (event.is_discarded() || event["verb"] != "watch" || event["stage"] != "ResponseStarted") return;
    const MutexLock lock(mutex_);
    targets_.push_back(event["requestURI"]);
  }
  std::vector<std::string> Targets() const {
    const MutexLock lock(mutex_);
    return targets_;
  }

 private:
  mutable Mutex mutex_;
  std::vector<std::string> targets_ KINFORMER_GUARDED_BY(mutex_);
};

class ApiPodServer final : public PodServer {
 public:
  ApiPodServer() {
    for (const auto& [name, node] : kNodeOf) {
      const auto made = server_.Create(PodJson(name).dump());
      EXPECT_TRUE(made.ok()) << ToString(made.error());
    }
  }

  Config ClientConfig() const override {
    Config config = server_.server().ClientConfig();
    config.token = Secret(kPodServerToken);
    return config;
  }
  std::string SetPhase(const std::string& name, const std::string& phase) override {
    const json patch = {{"status", {{"phase", phase}}}};
    const auto patched =
        administrator_.For<Pod>().Patch({"default", name}, PatchType::kMerge, patch.dump(), {.subresource = "status"});
    EXPECT_TRUE(patched.ok()) << ToString(patched.error());
    return std::string(patched->ResourceVersion());
  }
  void Delete(const std::string& name) override {
    const auto gone = administrator_.For<Pod>().Delete({"default", name}, {.grace_period = std::chrono::seconds(0)});
    EXPECT_TRUE(gone.ok()) << ToString(gone.error());
  }
  void Forbid() override { forbidden_ = true; }
  std::vector<std::string> WatchTargets() const override { return watches_.Targets(); }
  bool AwaitLastWatchGone() override {
    return Await([&] { return server_.server().WatchCount() == 0; });
  }

 private:
  ApiServerOptions ServerOptions() {
    return {.tokens = {{.token = Secret(kPodServerToken), .user = "alice"}},
            .authorize = [this](const AccessRequest& request) -> AccessAnswer {
              return {.allowed = request.user != "alice" || !forbidden_};
            },
            .audit = [this](std::string_view line) { watches_.Add(line); }};
  }

  std::atomic<bool> forbidden_ = false;
  WatchLog watches_;
  // Last, so that they are destroyed first.
  mutable testing::ApiServer server_{ServerOptions()};
  const Client administrator_ = server_.Client();
};

}  // namespace

void PrintTo(PodServerKind kind, std::ostream* out) {
  *out << (kind == PodServerKind::kApiServer ? "an API server" : "a script");
}

std::unique_ptr<PodServer> MakePodServer(PodServerKind kind) {
  if (kind == PodServerKind::kApiServer) return std::make_unique<ApiPodServer>();
  return std::make_unique<ScriptedPodServer>();
}

}  // namespace kinformer
