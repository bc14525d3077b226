#ifndef KINFORMER_TEST_SUPPORT_TEST_CA_H_
#define KINFORMER_TEST_SUPPORT_TEST_CA_H_

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace kinformer::testing_support {

struct CertificateAndKey {
  std::string cert_pem;
  std::string key_pem;
};

/// Validity period relative to now. Expired: `{.not_before = -48h, .not_after = -24h}`.
struct Validity {
  std::chrono::seconds not_before = -std::chrono::hours(1);
  std::chrono::seconds not_after = std::chrono::hours(24);
};

struct ServerCertificateOptions {
  std::vector<std::string> dns = {"localhost"};
  std::vector<std::string> ips = {"127.0.0.1"};
  Validity validity = {};
  /// Also valid for client authentication, as required by a server that connects to itself (etcd's gateway).
  bool also_for_clients = false;
};

struct ClientCertificateOptions {
  std::string common_name;
  std::vector<std::string> organizations = {};
  Validity validity = {};
};

/// A certificate authority generated in the process, with a new EC P-256 key (takes about a millisecond).
///
/// Each has a unique subject, so that verification against the wrong CA fails on the issuer's name, as it does in
/// practice. Throws std::runtime_error on OpenSSL errors. Thread-safe: const after construction.
class TestCa {
 public:
  TestCa();
  ~TestCa();
  TestCa(const TestCa&) = delete;
  TestCa& operator=(const TestCa&) = delete;

  const std::string& CertPem() const { return cert_pem_; }

  CertificateAndKey IssueServer(const ServerCertificateOptions& options = {}) const;
  CertificateAndKey IssueClient(const ClientCertificateOptions& options) const;

 private:
  struct Authority;
  std::unique_ptr<Authority> authority_;
  std::string cert_pem_;
};

}  // namespace kinformer::testing_support

#endif  // KINFORMER_TEST_SUPPORT_TEST_CA_H_
