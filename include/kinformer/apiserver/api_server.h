#ifndef KINFORMER_APISERVER_API_SERVER_H_
#define KINFORMER_APISERVER_API_SERVER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/apiserver/faults/faults.h>
#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>
#include <kinformer/base/result.h>
#include <kinformer/config/config.h>

namespace kinformer {

/// A bearer token and the user that it authenticates. Every authenticated user is also in the group
/// system:authenticated.
struct ApiServerToken {
  Secret token{};
  std::string user{};
  std::vector<std::string> groups{};
  std::string uid{};
};

/// The action to authorize.
struct AccessRequest {
  std::string user{};
  std::vector<std::string> groups{};
  /// get, list, watch, create, update, patch, delete or deletecollection; for a non-resource path, the HTTP method in
  /// lower case.
  std::string verb{};
  std::string group{};
  /// Empty for a non-resource request: `path` says what is requested.
  std::string resource{};
  std::string subresource{};
  std::string namespace_name{};
  std::string name{};
  std::string path{};
};

struct AccessAnswer {
  bool allowed = true;
  /// Included in the 403 response; may be empty.
  std::string reason{};
};

/// CustomResourceDefinitions to install.
struct ApiServerCrds {
  /// Definitions (apiextensions.k8s.io/v1) in YAML or JSON: one or more documents, an array or a List.
  std::string text{};
  /// The origin of the text, for example a file name. Error messages start with it; may be empty.
  std::string source{};
};

struct ApiServerOptions {
  /// A local IP address, not a host name.
  std::string bind_address = "127.0.0.1";
  /// Zero: an ephemeral port.
  std::uint16_t port = 0;
  bool tls = true;
  /// The directory of ca.crt, ca.key, server.crt and server.key. Missing files are generated and saved there. Empty:
  /// generated for this server and kept in memory.
  std::string tls_directory{};
  /// The administrator's bearer token (group system:masters). Empty: a random token, see ApiServer::Token.
  Secret token{};
  /// Additional users.
  std::vector<ApiServerToken> tokens{};
  /// CAs for client certificates, as PEM. A certificate that one of them issued authenticates the client: CN is the
  /// user, O the groups. Empty: client certificates are not requested.
  std::string client_ca_pem{};
  /// Authorizes the requests of authenticated users. May be called concurrently; must be fast. Unset: authenticated
  /// users may do everything. Not called for anonymous requests, which may read health and version only.
  std::function<AccessAnswer(const AccessRequest&)> authorize{};
  /// Authorize requests by RBAC: only what the stored Roles, ClusterRoles and their bindings allow. The server starts
  /// with the default roles of a cluster (cluster-admin, admin, edit, view, ...). Mutually exclusive with `authorize`.
  bool rbac = false;
  /// Additional RBAC objects (and Namespaces for them), as YAML documents or JSON. Created at start if they do not
  /// exist. If not empty, `rbac` is implied.
  std::string rbac_objects{};
  /// Receives one line of JSON (an Event of audit.k8s.io/v1) per completed request; a watch produces one line when it
  /// starts and one when it ends. Never called concurrently; must be fast. Mutually exclusive with `audit_file`.
  std::function<void(std::string_view line)> audit{};
  /// Append the audit log to this file.
  std::string audit_file{};
  /// Store objects in this etcd ("https://127.0.0.1:2379"; several endpoints are members of one cluster), under the
  /// same keys as kube-apiserver. Certificates of https endpoints are verified. Empty: store objects in memory.
  std::vector<std::string> etcd_endpoints{};
  /// CAs for https endpoints, as PEM; empty: the system's CAs. An error with http endpoints.
  std::string etcd_ca_pem{};
  /// Client certificate and private key for etcd, as PEM; both or neither. An error with http endpoints.
  std::string etcd_certificate_pem{};
  Secret etcd_key_pem{};
  /// Serve lists and watches from a cache in memory. If false, the storage serves every read.
  bool watch_cache = true;
  /// Run the controllers that a cluster runs for the API itself: delete dependents with their owner (or orphan them),
  /// and delete the contents of a terminating namespace. If false, the server behaves like a bare kube-apiserver:
  /// namespaces, and objects deleted in the foreground, remain until another controller completes the deletion.
  bool garbage_collection = true;
  /// Definitions to install at start; Start fails if one is invalid. A definition that etcd already holds is replaced.
  std::vector<ApiServerCrds> crds{};
  std::size_t io_threads = 2;
  /// Threads for caches and watches.
  std::size_t task_threads = 2;
  /// Threads for requests that may block on the storage. The server adds a quarter of this number (at least one) for
  /// requests served from memory, and two for health checks, so that a hanging storage delays neither.
  std::size_t request_threads = 16;
  /// Time source for metrics, watches, caches and timeouts. Socket timeouts use the system clock.
  std::shared_ptr<const Clock> clock = Clock::System();
  Logger logger{};
  /// The faults to inject; may be changed at any time. Null: the server creates an empty set, see ApiServer::faults.
  std::shared_ptr<Faults> faults{};
};

/// A Kubernetes API server in this process, with its objects in memory or in etcd. For tests and demos.
///
///     ki::ApiServer server;
///     if (auto started = server.Start(); !started) return started.error();
///     auto client = ki::Client::Create(server.ClientConfig());
///
/// By default it serves HTTP/1.1 over TLS on loopback, accepts one administrator with a random token, and starts with
/// the namespaces of a new cluster. It reads and writes no files unless the options name them.
///
/// @par Thread Safety
/// Start and Stop must not be called concurrently. Once started, all other functions may be called from any thread.
class ApiServer {
 public:
  explicit ApiServer(ApiServerOptions options = {});
  /// Calls Stop.
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  /// Returns when the server accepts requests. May be called only once.
  Result<void> Start();
  /// Closes all connections, joins all threads and discards objects stored in memory.
  void Stop();

  /// "https://127.0.0.1:41234".
  const std::string& Url() const&;
  const std::string& Url() const&& = delete;
  /// The CA certificate for clients to trust, as PEM; empty without TLS.
  const std::string& CaPem() const&;
  const std::string& CaPem() const&& = delete;
  /// The administrator's bearer token.
  const Secret& Token() const&;
  const Secret& Token() const&& = delete;
  /// The administrator's configuration for a Client...
  Config ClientConfig() const;
  /// ... and for kubectl. Contains the token.
  std::string Kubeconfig() const;
  /// Replaces the file atomically, readable by its owner only.
  Result<void> WriteKubeconfig(const std::string& path) const;

  /// Creates or replaces the CustomResourceDefinitions in `text` (see ApiServerCrds). Returns when their kinds are
  /// served.
  Result<void> InstallCrds(const std::string& text);

  /// The faults that the server injects.
  Faults& faults() &;
  /// The number of watches being served.
  std::size_t WatchCount() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_APISERVER_API_SERVER_H_
