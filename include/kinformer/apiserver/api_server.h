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
#include <kinformer/client/config.h>

namespace kinformer {

/// Whom a bearer token stands for. Everybody known is in the group system:authenticated besides.
struct ApiServerToken {
  Secret token{};
  std::string user{};
  std::vector<std::string> groups{};
  std::string uid{};
};

/// What somebody wants to do, for who decides whether he may.
struct AccessRequest {
  std::string user{};
  std::vector<std::string> groups{};
  /// get, list, watch, create, update, patch, delete, deletecollection; of a path that is no resource the method.
  std::string verb{};
  std::string group{};
  /// Empty: the request is about `path`.
  std::string resource{};
  std::string subresource{};
  std::string namespace_name{};
  std::string name{};
  std::string path{};
};

struct AccessAnswer {
  bool allowed = true;
  /// Told to who is refused; may be empty.
  std::string reason{};
};

/// Kinds that a server shall serve besides its own.
struct ApiServerCrds {
  /// YAML or JSON: CustomResourceDefinitions (apiextensions.k8s.io/v1), as documents, an array or a List.
  std::string text{};
  /// Where it comes from, a file for example: errors begin with it.
  std::string source{};
};

struct ApiServerOptions {
  /// An address of this machine, not a name.
  std::string bind_address = "127.0.0.1";
  /// Zero: a free one.
  std::uint16_t port = 0;
  bool tls = true;
  /// Where ca.crt, ca.key, server.crt and server.key are, or will be: what is missing is made there. Empty: made for
  /// this server, and kept in memory.
  std::string tls_directory{};
  /// Of the administrator (group system:masters). Empty: a random one.
  Secret token{};
  /// Other users.
  std::vector<ApiServerToken> tokens{};
  /// Clients with a certificate of these CAs are who it says: CN is the user, O are the groups.
  std::string client_ca_pem{};
  /// Called on many threads at a time; must be quick. Unset: whoever is known may do everything. Who sends no
  /// credentials is not asked for: he reads health and version, and nothing else.
  std::function<AccessAnswer(const AccessRequest&)> authorize{};
  /// Only what Roles and ClusterRoles allow, which the server keeps as any other objects; it begins with those that
  /// every cluster has (cluster-admin, admin, edit, view, ...). Not together with `authorize`.
  bool rbac = false;
  /// More of these and their bindings (and Namespaces for them), as YAML documents or JSON, created at start where they
  /// are not there yet. Not empty: `rbac` is on.
  std::string rbac_objects{};
  /// Called with one line of JSON per answered request (an Event of audit.k8s.io/v1), by one thread at a time; must be
  /// quick. Watches have one when they begin and one when they end.
  std::function<void(std::string_view line)> audit{};
  /// A file to which these lines are appended.
  std::string audit_file{};
  /// Keep the objects in this etcd ("http://127.0.0.1:2379"; several are members of one cluster). Empty: in memory.
  std::vector<std::string> etcd_endpoints{};
  /// Lists and watches from memory, beside the storage; without it the storage answers all by itself.
  bool watch_cache = true;
  /// Does what a cluster's controllers do for the API itself: dependents are deleted with their owners (or forget
  /// them), and contents with their namespace. Off, it is as with a bare kube-apiserver: what is deleted in the
  /// foreground, and namespaces, stay until somebody else has done that.
  bool garbage_collection = true;
  /// Definitions that are there from the start; Start fails where one is not good. One that is in the etcd already is
  /// replaced.
  std::vector<ApiServerCrds> crds{};
  std::size_t io_threads = 2;
  /// For caches and watches.
  std::size_t task_threads = 2;
  /// For requests, which may have to wait.
  std::size_t request_threads = 16;
  /// What /metrics, watches, caches and timeouts go by. The sockets' own time limits go by the machine's.
  std::shared_ptr<const Clock> clock = Clock::System();
  Logger logger{};
  /// What goes wrong by intent; may be added to at any time. Null: the server's own, see ApiServer::faults.
  std::shared_ptr<Faults> faults{};
};

/// A Kubernetes API server in this process, with its objects in memory or in an etcd: for tests, demos and the like.
///
///     ki::ApiServer server;
///     if (auto started = server.Start(); !started) return started.error();
///     auto client = ki::Client::Create(server.ClientConfig());
///
/// It speaks HTTP/1.1 over TLS on loopback, knows one administrator by a random token, and has the namespaces that a
/// cluster begins with. Nothing is read from or written to disk, unless `tls_directory` says so.
///
/// @par Thread Safety
/// Start and Stop one at a time, all else from any thread once started.
class ApiServer {
 public:
  explicit ApiServer(ApiServerOptions options = {});
  /// Stops it.
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  /// Returns when requests can be answered. Once.
  Result<void> Start();
  /// Ends all connections and joins all threads; the objects are gone.
  void Stop();

  /// "https://127.0.0.1:41234".
  const std::string& Url() const;
  /// Whom clients must trust; empty without TLS.
  const std::string& CaPem() const;
  /// The administrator's.
  const Secret& Token() const;
  /// For a Client in this process...
  Config ClientConfig() const;
  /// ... and for kubectl. It holds the token.
  std::string Kubeconfig() const;
  /// Replaces the file at once, readable by its owner only.
  Result<void> WriteKubeconfig(const std::string& path) const;

  /// Creates the CustomResourceDefinitions of the text (see ApiServerCrds), or replaces them; returns when their kinds
  /// are served.
  Result<void> InstallCrds(const std::string& text);

  /// What is to go wrong; nothing, until you add something.
  Faults& faults();
  /// Watches that are being served.
  std::size_t WatchCount() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_APISERVER_API_SERVER_H_
