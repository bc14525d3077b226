#ifndef KINFORMER_TEST_E2E_CLUSTER_H_
#define KINFORMER_TEST_E2E_CLUSTER_H_

// In:     the binaries of etcd, and of kube-apiserver or kinformer-apiserver
// Out:    a cluster on loopback that can be killed, restarted, compacted and given other credentials
// Thread: none of its own. Call it only on the thread that created it: its processes end when that thread does
// Next:   the tests of this folder, the chaos run, and scripts (through cluster_main.cc)

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/config/config.h>

#include "test/support/nghttpx.h"
#include "test/support/temp_dir.h"
#include "test/support/test_ca.h"

namespace kinformer::e2e {

enum class ServerKind { kKubeApiserver, kKinformerApiserver };

std::string_view NameOf(ServerKind kind);

/// Paths of the binaries. FromEnvironment throws std::runtime_error if a variable is missing (test/e2e/run sets them).
struct Programs {
  std::string etcd{};
  std::string kube_apiserver{};
  std::string kinformer_apiserver{};

  static Programs FromEnvironment();
};

/// An etcd and one API server on it: TLS, RBAC, and an administrator with a token or a certificate. Both kinds of
/// server are run with equivalent settings.
///
/// Everything listens on 127.0.0.1 and ends with the object. Failures throw std::runtime_error with the tail of the
/// relevant log.
class Cluster {
 public:
  /// `kube_apiserver_arguments`: additional flags for kube-apiserver; kinformer-apiserver does not get them.
  Cluster(ServerKind kind, Programs programs, std::vector<std::string> kube_apiserver_arguments = {});
  ~Cluster();

  ServerKind kind() const { return kind_; }
  /// The API server's port; stays the same across restarts.
  int port() const { return server_port_; }
  std::string url() const;
  /// The CA that clients must trust.
  const std::string& ca_pem() const { return ca_->CertPem(); }
  /// The administrator's token.
  const std::string& token() const { return token_; }
  testing_support::CertificateAndKey IssueClient(const testing_support::ClientCertificateOptions& options) const;

  /// Authenticates by certificate, in group system:masters. `port`: connects there instead (a proxy), unless 0.
  Config Admin(int port = 0) const;
  /// Authenticates by certificate; has only the permissions that RBAC objects grant.
  Config User(const std::string& name, int port = 0) const;
  /// Authenticates as the administrator by token.
  Config AdminByToken(int port = 0) const;
  /// As printed by `kind get kubeconfig`: all data inline, base64-encoded.
  std::string KindKubeconfig(int port = 0) const;

  /// kill -9; the server stays down until RestartServer.
  void KillServer();
  /// Restarts with the current settings. Returns when the server is ready.
  void RestartServer();
  /// Replaces the server by the other kind, on the same etcd, port and credentials.
  void SwitchServer(ServerKind kind);
  /// These take effect at the next start of the server.
  void SetToken(std::string token) { token_ = std::move(token); }
  void RotateServerCertificate();
  /// A new CA for the server's and the clients' certificates. All certificates issued before become invalid.
  void RotateCa();

  void KillEtcd();
  void RestartEtcd();
  /// Compacts etcd at its current revision.
  void Compact();
  /// All keys below /registry/, sorted.
  std::vector<std::string> EtcdKeys() const;

  int server_pid() const { return server_ ? server_->pid() : 0; }
  std::string server_log_file() const { return (dir_.path() / "server.log").string(); }

 private:
  std::string EtcdUrl() const;
  void StartEtcd();
  void WriteServerFiles();
  std::vector<std::string> ServerCommand() const;
  void AwaitServer();
  std::string File(const std::string& name) const { return (dir_.path() / name).string(); }

  ServerKind kind_;
  const Programs programs_;
  const std::vector<std::string> kube_apiserver_arguments_;
  testing_support::TempDir dir_;
  std::unique_ptr<testing_support::TestCa> ca_;
  std::string token_;
  int etcd_port_ = 0;
  int etcd_peer_port_ = 0;
  int server_port_ = 0;
  std::unique_ptr<testing_support::HelperProcess> etcd_;
  std::unique_ptr<testing_support::HelperProcess> server_;
};

}  // namespace kinformer::e2e

#endif  // KINFORMER_TEST_E2E_CLUSTER_H_
