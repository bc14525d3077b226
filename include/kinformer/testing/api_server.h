#ifndef KINFORMER_TESTING_API_SERVER_H_
#define KINFORMER_TESTING_API_SERVER_H_

#include <memory>
#include <string>

#include <kinformer/apiserver/api_server.h>
#include <kinformer/base/result.h>
#include <kinformer/client/client.h>

namespace kinformer::testing {

/// An API server for a test. It runs from construction to destruction:
///
///     ki::testing::ApiServer server;
///     ki::Client client = server.Client();
///     KI_TRY(server.Create(R"({"apiVersion": "v1", "kind": "ConfigMap",
///                              "metadata": {"name": "settings", "namespace": "default"}})"));
///
/// It listens on loopback on an ephemeral port, so tests can run in parallel. Set up the initial objects with Create.
/// If the server cannot start, the constructor throws std::runtime_error, which test frameworks report.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class ApiServer {
 public:
  explicit ApiServer(ApiServerOptions options = {});
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  /// A client for the administrator. Each call creates a new one with its own connections; throws if that fails.
  kinformer::Client Client() const;
  /// Creates objects in order: one JSON object, or a JSON array of objects. The server must serve their kinds.
  Result<void> Create(const std::string& json) const;
  /// Installs the CustomResourceDefinitions in `text`, which is YAML or JSON.
  Result<void> InstallCrds(const std::string& text) const { return server_->InstallCrds(text); }
  /// The underlying server, for faults, URL and kubeconfig.
  kinformer::ApiServer& server() & { return *server_; }

 private:
  const std::unique_ptr<kinformer::ApiServer> server_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TESTING_API_SERVER_H_
