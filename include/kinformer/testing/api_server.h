#ifndef KINFORMER_TESTING_API_SERVER_H_
#define KINFORMER_TESTING_API_SERVER_H_

#include <memory>
#include <string>

#include <kinformer/apiserver/api_server.h>
#include <kinformer/base/result.h>
#include <kinformer/client/client.h>

namespace kinformer::testing {

/// An API server for a test, running from its construction to its destruction:
///
///     kinformer::testing::ApiServer server;
///     auto client = server.Client();
///     client.For<core::v1::ConfigMap>().Create(...);
///
/// It listens on loopback, on a port of its own, so tests may run side by side. Objects that the test begins with are
/// given by Create. Where it cannot start it throws std::runtime_error, which a test framework reports: there is
/// nothing that a test could do about it.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class ApiServer {
 public:
  explicit ApiServer(ApiServerOptions options = {});
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  /// The administrator's; each call makes another, with connections of its own.
  kinformer::Client Client() const;
  /// Creates each of the objects, in their order: a JSON object, or a JSON array of them. Kinds that the server serves.
  Result<void> Create(const std::string& json) const;
  /// Serves the kinds of the CustomResourceDefinitions in the text, YAML or JSON.
  Result<void> InstallCrds(const std::string& text) const { return server_->InstallCrds(text); }
  /// What it is made of: faults, URL, kubeconfig.
  kinformer::ApiServer& server() { return *server_; }

 private:
  const std::unique_ptr<kinformer::ApiServer> server_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TESTING_API_SERVER_H_
