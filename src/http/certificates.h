#ifndef KINFORMER_SRC_HTTP_CERTIFICATES_H_
#define KINFORMER_SRC_HTTP_CERTIFICATES_H_

// In:     names of servers and clients
// Out:    a newly generated CA, and certificates issued by it
// Thread: none of its own
// Next:   TlsOptions; the server's kubeconfig

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <kinformer/base/result.h>

namespace kinformer::apiserver {

struct CertificateAndKey {
  std::string certificate_pem{};
  std::string key_pem{};
};

struct ServerCertificateOptions {
  /// DNS names and IP addresses; "localhost", 127.0.0.1 and ::1 are always included. At most 100.
  std::vector<std::string> hosts{};
  std::chrono::hours lifetime = std::chrono::hours(24 * 365);
};

struct ClientCertificateOptions {
  /// Kubernetes' user name, at most 64 bytes...
  std::string common_name{};
  /// ... and groups.
  std::vector<std::string> organizations{};
  std::chrono::hours lifetime = std::chrono::hours(24 * 365);
};

/// A certificate authority with its key (ECDSA P-256, which takes some hundred microseconds to generate). Errors never
/// quote a key.
///
/// @par Thread Safety
/// Immutable: all functions may be called from any thread.
class CertificateAuthority {
 public:
  static Result<CertificateAuthority> Create();
  static Result<CertificateAuthority> Load(const CertificateAndKey& pem);
  ~CertificateAuthority();
  CertificateAuthority(CertificateAuthority&&) noexcept;
  CertificateAuthority& operator=(CertificateAuthority&&) noexcept;

  const CertificateAndKey& pem() const { return pem_; }
  Result<CertificateAndKey> IssueServer(const ServerCertificateOptions& options) const;
  Result<CertificateAndKey> IssueClient(const ClientCertificateOptions& options) const;

 private:
  struct Authority;
  CertificateAuthority(std::unique_ptr<Authority> authority, CertificateAndKey pem);

  std::unique_ptr<Authority> authority_;
  CertificateAndKey pem_;
};

/// Checks that the text contains at least one certificate, and that all of them can be read.
Result<void> CheckCertificates(const std::string& pem);
/// Checks that both can be read and belong together.
Result<void> CheckCertificateAndKey(const CertificateAndKey& pem);

/// The certificates of a TLS server.
struct ServingCertificates {
  std::string ca_pem{};
  CertificateAndKey server{};
  /// Needed to issue client certificates. Empty if the directory has none.
  std::string ca_key_pem{};
};

/// Newly generated, in memory only.
Result<ServingCertificates> MakeServingCertificates(const ServerCertificateOptions& options);

/// From ca.crt, ca.key, server.crt and server.key in a directory. Missing files are generated and written, keys
/// readable by their owner only. If ca.key exists, a server certificate that is expired, not issued by that CA, or not
/// valid for `hosts` is replaced. Without ca.key the server certificate is managed externally: it must exist, match its
/// key and not be expired. Errors name the file.
Result<ServingCertificates> LoadServingCertificates(const std::string& directory,
                                                    const ServerCertificateOptions& options);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_HTTP_CERTIFICATES_H_
