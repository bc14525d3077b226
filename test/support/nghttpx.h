#ifndef KINFORMER_TEST_SUPPORT_NGHTTPX_H_
#define KINFORMER_TEST_SUPPORT_NGHTTPX_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "test/support/proxy.h"
#include "test/support/temp_dir.h"
#include "test/support/test_ca.h"

namespace kinformer::testing_support {

/// A program that runs beside the test and ends with it: killed and reaped by the destructor, and killed by the kernel
/// when the thread that started it ends.
class HelperProcess {
 public:
  /// Standard output and error go to `log_file`. Throws std::system_error when there is no such program.
  HelperProcess(const std::vector<std::string>& command, const std::string& log_file);
  ~HelperProcess();
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;

  int pid() const { return pid_; }
  bool Running();
  /// False: it still runs after that time.
  bool AwaitExit(std::chrono::milliseconds timeout = std::chrono::seconds(10));

 private:
  int pid_ = -1;
};

struct Http2FrontOptions {
  int backend_port = 0;
  /// The backend speaks TLS (its certificate is not checked).
  bool backend_tls = false;
  /// Who signs the front's certificate. Null: an own one, see ca_pem().
  const TestCa* ca = nullptr;
  ServerCertificateOptions certificate = {};
  /// What kube-apiserver allows on one connection.
  std::size_t max_concurrent_streams = 100;
  /// GOAWAY after so many requests of a connection; its running streams go on. 0: never.
  std::size_t max_requests_per_connection = 0;
  std::vector<std::string> extra_arguments = {};
  /// For BeginShutdown: nghttpx then runs as two processes.
  bool can_shut_down = false;
};

/// HTTP/2 over TLS in front of a ScriptedServer, by nghttpx, on 127.0.0.1. Clients come to it through a FaultProxy,
/// which counts their connections and can break them.
///
/// Accepts connections when the constructor returns. Throws std::runtime_error when nghttpx is not installed or does
/// not start. The backend gets one HTTP/1.1 connection for each running request.
class Http2Front {
 public:
  explicit Http2Front(const Http2FrontOptions& options);
  ~Http2Front();

  /// "https://127.0.0.1:port", through the proxy.
  std::string url() const;
  int port() const { return proxy_->port(); }
  const std::string& ca_pem() const { return ca_pem_; }
  FaultProxy& proxy() { return *proxy_; }
  /// Ends nghttpx as a crash would.
  void Kill() { process_.reset(); }
  /// Ends it gracefully: GOAWAY on all connections, running streams go on, and new connections are refused. Needs
  /// Http2FrontOptions::can_shut_down.
  void BeginShutdown();
  /// True once it has ended: with its last stream.
  bool AwaitExit() { return process_->AwaitExit(); }

 private:
  TempDir dir_;
  std::string ca_pem_;
  std::unique_ptr<HelperProcess> process_;
  std::unique_ptr<FaultProxy> proxy_;
};

}  // namespace kinformer::testing_support

#endif  // KINFORMER_TEST_SUPPORT_NGHTTPX_H_
