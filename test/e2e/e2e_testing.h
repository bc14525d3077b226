#ifndef KINFORMER_TEST_E2E_E2E_TESTING_H_
#define KINFORMER_TEST_E2E_E2E_TESTING_H_

// Shared by the tests of this folder: a server, chosen by the test parameter, and a namespace per test.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/client/client.h>
#include <kinformer/codec/object.h>
#include <kinformer/informer/shared_informer_factory.h>

#include "src/base/mutex.h"
#include "test/e2e/cluster.h"

namespace kinformer::e2e {

inline constexpr std::chrono::seconds kPatience{60};

/// What the tests run against. kGivenCluster: an existing cluster, named by E2E_KUBECONFIG.
enum class Target { kKubeApiserver, kKinformerApiserver, kGivenCluster };

/// A log of handler calls, one line each: "add a=1", "update a=1 to a=2", "delete a=2", "delete unseen a=2"; objects of
/// the initial list as "initial a=1". The value is data.value, or .spec.value.
class EventLog {
 public:
  EventHandler Handler();
  std::vector<std::string> Lines() const;
  /// Waits until the log contains this line; fails the test on timeout.
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

/// Polls until `holds` returns true or the timeout passes.
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

  /// Null if the tests run against an existing cluster, which they must not kill.
  static Cluster* cluster() { return cluster_of_.contains(GetParam()) ? cluster_of_[GetParam()].get() : nullptr; }
  Config AdminConfig() const;
  const std::string& ns() const { return namespace_; }
  /// The administrator's client, for writing.
  const Client& admin() const { return *admin_; }
  ResourceClient ConfigMaps() const;
  /// Creates or replaces the configmap.
  void Put(const std::string& name, const std::string& value, const nlohmann::json& labels = nlohmann::json::object());
  void Remove(const std::string& name);
  void CreateNamespace(const std::string& name);
  /// The configmaps on the server as name=value, sorted.
  std::vector<std::string> OnServer() const;
  static std::vector<std::string> InCache(const Lister& lister);

 private:
  friend class EndOfClusters;
  static std::map<Target, std::unique_ptr<Cluster>> cluster_of_;

  std::string namespace_;
  std::unique_ptr<Client> admin_;
  std::vector<std::string> namespaces_;
};

/// The test parameters: both servers, or only the given cluster.
std::vector<Target> Targets();
std::string TargetName(const ::testing::TestParamInfo<Target>& info);

#define KINFORMER_E2E(suite)                                                                 \
  INSTANTIATE_TEST_SUITE_P(Against, suite, ::testing::ValuesIn(::kinformer::e2e::Targets()), \
                           ::kinformer::e2e::TargetName)

/// Skips a test that has to kill, restart or re-key the server if it cannot.
#define KINFORMER_E2E_NEEDS_CONTROL() \
  if (cluster() == nullptr) GTEST_SKIP() << "needs a server that may be killed; this one was given"

}  // namespace kinformer::e2e

#endif  // KINFORMER_TEST_E2E_E2E_TESTING_H_
