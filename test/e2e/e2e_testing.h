#ifndef KINFORMER_TEST_E2E_E2E_TESTING_H_
#define KINFORMER_TEST_E2E_E2E_TESTING_H_

// What the tests of this folder have in common: a server, given by the parameter, and a namespace for each test.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/base/mutex.h>
#include <kinformer/client/client.h>
#include <kinformer/codec/object.h>
#include <kinformer/informer/shared_informer_factory.h>

#include "test/e2e/cluster.h"

namespace kinformer::e2e {

inline constexpr std::chrono::seconds kPatience{60};

/// Against what the tests run. kGivenCluster: one that is there already, by E2E_KUBECONFIG.
enum class Target { kKubeApiserver, kKinformerApiserver, kGivenCluster };

/// What handlers were told, one line each, to be awaited: "add a=1", "update a=1 to a=2", "delete a=2",
/// "delete unseen a=2"; objects of the initial list as "initial a=1". The value is data.value, or .spec.value.
class EventLog {
 public:
  EventHandler Handler();
  std::vector<std::string> Lines() const;
  /// Until one of the lines is this one; the patience's end is a failed test.
  void Await(const std::string& line) const;
  void AwaitSize(std::size_t lines) const;
  static std::string Text(const ObjectPtr& object);

 private:
  void Add(std::string line);
  bool AwaitThat(const std::function<bool()>& holds) const;

  mutable Mutex mutex_;
  mutable CondVar changed_;
  std::vector<std::string> lines_ KINFORMER_GUARDED_BY(mutex_);
};

ObjectPtr ParseObject(const nlohmann::json& json);
ObjectPtr ConfigMap(const std::string& namespace_name, const std::string& name, const std::string& value,
                    const nlohmann::json& labels = nlohmann::json::object());
ObjectPtr Pod(const std::string& namespace_name, const std::string& name, const std::string& node = "",
              const nlohmann::json& labels = nlohmann::json::object());

/// Waits for what nobody announces.
::testing::AssertionResult Eventually(const std::function<bool()>& holds,
                                      std::chrono::milliseconds timeout = kPatience);

template <typename T>
::testing::AssertionResult Ok(const Result<T>& result) {
  if (result.ok()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << ToString(result.error());
}

class E2eTest : public ::testing::TestWithParam<Target> {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// Null where the cluster is not ours to kill.
  static Cluster* cluster() { return cluster_of_.contains(GetParam()) ? cluster_of_[GetParam()].get() : nullptr; }
  Config AdminConfig() const;
  const std::string& ns() const { return namespace_; }
  /// The administrator's, for writing.
  const Client& admin() const { return *admin_; }
  ResourceClient ConfigMaps() const;
  /// Creates it or replaces it.
  void Put(const std::string& name, const std::string& value, const nlohmann::json& labels = nlohmann::json::object());
  void Remove(const std::string& name);
  void CreateNamespace(const std::string& name);
  /// As the server has them: name=value, sorted.
  std::vector<std::string> OnServer() const;
  static std::vector<std::string> InCache(const Lister& lister);

 private:
  friend class EndOfClusters;
  static std::map<Target, std::unique_ptr<Cluster>> cluster_of_;

  std::string namespace_;
  std::unique_ptr<Client> admin_;
  std::vector<std::string> namespaces_;
};

/// The parameters: both servers, or the given cluster alone.
std::vector<Target> Targets();
std::string TargetName(const ::testing::TestParamInfo<Target>& info);

#define KINFORMER_E2E(suite)                                                                 \
  INSTANTIATE_TEST_SUITE_P(Against, suite, ::testing::ValuesIn(::kinformer::e2e::Targets()), \
                           ::kinformer::e2e::TargetName)

/// For a test that has to kill, restart or re-key the server.
#define KINFORMER_E2E_NEEDS_CONTROL() \
  if (cluster() == nullptr) GTEST_SKIP() << "needs a server that may be killed; this one is somebody else's"

}  // namespace kinformer::e2e

#endif  // KINFORMER_TEST_E2E_E2E_TESTING_H_
