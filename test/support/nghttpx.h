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

/// A child process that ends with the test: the destructor kills and reaps it, and the kernel kills it when the thread
/// that started it ends.
class HelperProcess {
 public:
  /// Appends standard output and error to `log_file`. Throws std::system_error if the program does not exist.
  HelperProcess(const std::vector<std::string>& command, const std::string& log_file);
  ~HelperProcess();
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;

  int pid() const { return pid_; }
  bool Running();
  /// False if it is still running after the timeout.
  bool AwaitExit(std::chrono::milliseconds timeout = std::chrono::seconds(10));

 private:
  int pid_ = -1;
};

struct Http2FrontOptions {
  int backend_port = 0;
  /// The backend speaks TLS (its certificate is not checked).
  bool backend_tls = false;
  /// Signs the front's certificate. Null: a new CA, see ca_pem().
  const TestCa* ca = nullptr;
  ServerCertificateOptions certificate = {};
  /// kube-apiserver's limit per connection.
  std::size_t max_concurrent_streams = 100;
  /// Sends GOAWAY after that many requests on a connection; its running streams continue. 0: never.
  std::size_t max_requests_per_connection = 0;
  std::vector<std::string> extra_arguments = {};
  /// Required by BeginShutdown; nghttpx then runs as two processes.
  bool can_shut_down = false;
};

/// An nghttpx on 127.0.0.1 that terminates HTTP/2 over TLS in front of a ScriptedServer. Clients connect to it through
/// a FaultProxy, which counts their connections and can break them.
///
/// Accepts connections once the constructor returns. Throws std::runtime_error if nghttpx is not installed or does not
/// start. Opens one HTTP/1.1 connection to the backend per running request.
class Http2Front {
 public:
  explicit Http2Front(const Http2FrontOptions& options);
  ~Http2Front();

  /// "https://127.0.0.1:port", through the proxy.
  std::string url() const;
  int port() const { return proxy_->port(); }
  const std::string& ca_pem() const { return ca_pem_; }
  FaultProxy& proxy() { return *proxy_; }
  /// Kills nghttpx, as a crash would.
  void Kill() { process_.reset(); }
  /// Graceful shutdown: GOAWAY on all connections, running streams continue, new connections are refused. Requires
  /// Http2FrontOptions::can_shut_down.
  void BeginShutdown();
  /// Waits until it has exited, which it does with its last stream. False on timeout.
  bool AwaitExit() { return process_->AwaitExit(); }

 private:
  TempDir dir_;
  std::string ca_pem_;
  std::unique_ptr<HelperProcess> process_;
  std::unique_ptr<FaultProxy> proxy_;
};

}  // namespace kinformer::testing_support

#endif  // KINFORMER_TEST_SUPPORT_NGHTTPX_H_
