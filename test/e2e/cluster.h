#ifndef KINFORMER_TEST_E2E_CLUSTER_H_
#define KINFORMER_TEST_E2E_CLUSTER_H_

// In:     the programs of a cluster: etcd, and kube-apiserver or kinformer-apiserver
// Out:    a cluster on loopback that can be killed, restarted, compacted, and given other credentials
// Thread: none of its own; all calls from the thread that made it, with which its processes end
// Next:   the tests of this folder, the chaos run, and scripts through cluster_main.cc

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/client/config.h>

#include "test/support/nghttpx.h"
#include "test/support/temp_dir.h"
#include "test/support/test_ca.h"

namespace kinformer::e2e {

enum class ServerKind { kKubeApiserver, kKinformerApiserver };

std::string_view NameOf(ServerKind kind);

/// Where the programs are. Throws std::runtime_error where the environment does not say (test/e2e/run does).
struct Programs {
  std::string etcd{};
  std::string kube_apiserver{};
  std::string kinformer_apiserver{};

  static Programs FromEnvironment();
};

/// An etcd and one API server on it: TLS, RBAC, an administrator with a token and one with a certificate. Both servers
/// are run alike; what is asked of the one can be asked of the other.
///
/// Everything listens on 127.0.0.1 and is gone with the object. What does not work throws std::runtime_error with the
/// end of the log that tells why.
class Cluster {
 public:
  Cluster(ServerKind kind, Programs programs);
  ~Cluster();

  ServerKind kind() const { return kind_; }
  /// Of the API server, the same after each restart.
  int port() const { return server_port_; }
  std::string url() const;
  /// Whom clients must trust.
  const std::string& ca_pem() const { return ca_->CertPem(); }
  /// Of the administrator.
  const std::string& token() const { return token_; }
  testing_support::CertificateAndKey IssueClient(const testing_support::ClientCertificateOptions& options) const;

  /// By certificate, group system:masters; through another port of 127.0.0.1 where one is given (a proxy's).
  Config Admin(int port = 0) const;
  /// By certificate, with no rights but those given to him by RBAC objects.
  Config User(const std::string& name, int port = 0) const;
  /// By token.
  Config AdminByToken(int port = 0) const;
  /// As `kind get kubeconfig` prints it: all data in the file, base64.
  std::string KindKubeconfig(int port = 0) const;

  /// kill -9; nothing answers until RestartServer.
  void KillServer();
  /// With what it had, and what was set since. Returns when it is ready.
  void RestartServer();
  /// Count from the next start of the server on.
  void SetToken(std::string token) { token_ = std::move(token); }
  void RotateServerCertificate();
  /// Another CA, for the server's certificate and for those of clients: everybody else's are then worth nothing.
  void RotateCa();

  void KillEtcd();
  void RestartEtcd();
  /// Forgets all versions before the present one.
  void Compact();

  int server_pid() const { return server_ ? server_->pid() : 0; }
  std::string server_log_file() const { return (dir_.path() / "server.log").string(); }

 private:
  std::string EtcdUrl() const;
  void StartEtcd();
  void WriteServerFiles();
  std::vector<std::string> ServerCommand() const;
  void AwaitServer();
  std::string File(const std::string& name) const { return (dir_.path() / name).string(); }

  const ServerKind kind_;
  const Programs programs_;
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
