#include "test/e2e/e2e_testing.h"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <thread>

#include <kinformer/meta/status_error.h>
#include <kinformer/views/core_v1.h>

namespace kinformer::e2e {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

std::string GivenKubeconfig() {
  const char* file = std::getenv("E2E_KUBECONFIG");
  return file == nullptr ? "" : file;
}

std::string RandomName(const std::string& prefix) {
  std::random_device random;
  std::string name = prefix;
  for (int i = 0; i < 6; ++i) name += "bcdfghjklmnpqrstvwxz"[random() % 20];
  return name;
}

std::string ValueOf(const ObjectPtr& object) {
  const std::string data = object->At("/data/value").StringOr("");
  return data.empty() ? object->At("/spec/value").StringOr("") : data;
}

}  // namespace

// --- EventLog ---

EventHandler EventLog::Handler() {
  return {.on_add = [this](const ObjectPtr& o, bool initial) { Add((initial ? "initial " : "add ") + Text(o)); },
          .on_update = [this](const ObjectPtr& a, const ObjectPtr& b) { Add("update " + Text(a) + " to " + Text(b)); },
          .on_delete =
              [this](const Deleted<ObjectPtr>& gone) {
                Add(std::string("delete ") + (gone.final_state_unknown ? "unseen " : "") + Text(gone.last_known));
              }};
}

std::string EventLog::Text(const ObjectPtr& object) { return std::string(object->Name()) + "=" + ValueOf(object); }

void EventLog::Add(std::string line) {
  {
    const MutexLock lock(mutex_);
    lines_.push_back(std::move(line));
  }
  changed_.NotifyAll();
}

std::vector<std::string> EventLog::Lines() const {
  const MutexLock lock(mutex_);
  return lines_;
}

bool EventLog::AwaitThat(const std::function<bool()>& holds) const {
  MutexLock lock(mutex_);
  return changed_.Wait(lock, *Clock::System(), Clock::System()->Now() + kPatience, {}, holds);
}

void EventLog::Await(const std::string& line) const {
  const bool came = AwaitThat([&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS {
    return std::find(lines_.begin(), lines_.end(), line) != lines_.end();
  });
  EXPECT_TRUE(came) << "no \"" << line << "\" among " << ::testing::PrintToString(Lines());
}

void EventLog::AwaitSize(std::size_t lines) const {
  EXPECT_TRUE(AwaitThat([&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return lines_.size() >= lines; }))
      << "only " << Lines().size() << " of " << lines;
}

// --- Objects ---

ObjectPtr ParseObject(const json& json) { return Object::Parse(json.dump()).value(); }

ObjectPtr ConfigMap(const std::string& namespace_name, const std::string& name, const std::string& value,
                    const json& labels) {
  return ParseObject({{"apiVersion", "v1"},
                      {"kind", "ConfigMap"},
                      {"metadata", {{"namespace", namespace_name}, {"name", name}, {"labels", labels}}},
                      {"data", {{"value", value}}}});
}

ObjectPtr Pod(const std::string& namespace_name, const std::string& name, const std::string& node, const json& labels) {
  json spec = {{"containers", {{{"name", "main"}, {"image", "example.invalid/main:1"}}}},
               {"automountServiceAccountToken", false}};
  if (!node.empty()) spec["nodeName"] = node;
  return ParseObject({{"apiVersion", "v1"},
                      {"kind", "Pod"},
                      {"metadata", {{"namespace", namespace_name}, {"name", name}, {"labels", labels}}},
                      {"spec", spec}});
}

::testing::AssertionResult Eventually(const std::function<bool()>& holds, std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) {
      return ::testing::AssertionFailure() << "not within " << timeout.count() << " ms";
    }
    std::this_thread::sleep_for(10ms);
  }
  return ::testing::AssertionSuccess();
}

// --- The fixture ---

std::map<Target, std::unique_ptr<Cluster>> E2eTest::cluster_of_;

/// Ends the servers before the program exits, on the thread that started them.
class EndOfClusters final : public ::testing::Environment {
 public:
  void TearDown() override { E2eTest::cluster_of_.clear(); }
};
const auto* const kEndOfClusters = ::testing::AddGlobalTestEnvironment(new EndOfClusters);

void E2eTest::SetUp() {
  if (GetParam() != Target::kGivenCluster) {
    auto& own = cluster_of_[GetParam()];
    if (own == nullptr || own->server_pid() == 0) {  // server_pid() is 0 if a test failed while the server was down
      own.reset();
      own = std::make_unique<Cluster>(
          GetParam() == Target::kKubeApiserver ? ServerKind::kKubeApiserver : ServerKind::kKinformerApiserver,
          Programs::FromEnvironment());
    }
  }
  admin_ = std::make_unique<Client>(Client::Create(AdminConfig()).value());
  namespace_ = RandomName("kinformer-e2e-");
  CreateNamespace(namespace_);
}

void E2eTest::TearDown() {
  // Only a cluster that outlives the tests needs cleaning up. Its controllers delete the contents.
  if (GetParam() != Target::kGivenCluster || admin_ == nullptr) return;
  for (const std::string& name : namespaces_) (void)admin_->For<core::v1::Namespace>().Delete({"", name});
}

Config E2eTest::AdminConfig() const {
  if (cluster() != nullptr) return cluster()->Admin();
  return Config::Load({.kubeconfig = GivenKubeconfig()}).value();
}

ResourceClient E2eTest::ConfigMaps() const { return admin_->For<core::v1::ConfigMap>().Untyped(); }

void E2eTest::CreateNamespace(const std::string& name) {
  namespaces_.push_back(name);
  const auto created = admin_->For<core::v1::Namespace>().Create(
      *ParseObject({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}}));
  ASSERT_TRUE(Ok(created));
}

void E2eTest::Put(const std::string& name, const std::string& value, const json& labels) {
  const ObjectPtr object = ConfigMap(ns(), name, value, labels);
  auto created = ConfigMaps().Create(*object);
  if (!created && IsAlreadyExists(created.error())) created = ConfigMaps().Update(*object);
  ASSERT_TRUE(Ok(created));
}

void E2eTest::Remove(const std::string& name) { ASSERT_TRUE(Ok(ConfigMaps().Delete({ns(), name}))); }

std::vector<std::string> E2eTest::OnServer() const {
  const auto list = ConfigMaps().List({.namespace_name = ns()});
  EXPECT_TRUE(Ok(list));
  std::vector<std::string> lines;
  if (list) {
    for (const ObjectPtr& object : list->items) lines.push_back(EventLog::Text(object));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::vector<std::string> E2eTest::InCache(const Lister& lister) {
  std::vector<std::string> lines;
  for (const ObjectPtr& object : lister.List()) lines.push_back(EventLog::Text(object));
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::vector<Target> Targets() {
  if (!GivenKubeconfig().empty()) return {Target::kGivenCluster};
  return {Target::kKubeApiserver, Target::kKinformerApiserver};
}

std::string TargetName(const ::testing::TestParamInfo<Target>& info) {
  switch (info.param) {
    case Target::kKubeApiserver:
      return "KubeApiserver";
    case Target::kKinformerApiserver:
      return "KinformerApiserver";
    case Target::kGivenCluster:
      return "GivenCluster";
  }
  return "";
}

}  // namespace kinformer::e2e
