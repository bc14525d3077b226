#ifndef KINFORMER_SRC_APISERVER_HTTP_CERTIFICATES_H_
#define KINFORMER_SRC_APISERVER_HTTP_CERTIFICATES_H_

// In:     the names of a server, of clients
// Out:    a CA made on the spot, and certificates of it
// Thread: none of its own
// Next:   TlsOptions; the kubeconfig that a server writes

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
  /// DNS names and IP addresses; "localhost", 127.0.0.1 and ::1 are always in it. At most 100.
  std::vector<std::string> hosts{};
  std::chrono::hours lifetime = std::chrono::hours(24 * 365);
};

struct ClientCertificateOptions {
  /// Kubernetes' user name, 64 bytes at the most...
  std::string common_name{};
  /// ... and groups.
  std::vector<std::string> organizations{};
  std::chrono::hours lifetime = std::chrono::hours(24 * 365);
};

/// A certificate authority with its key (ECDSA P-256; some hundred microseconds). Errors quote nothing of a key.
///
/// @par Thread Safety
/// Const after it was made: all functions may be called from any thread.
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

/// What a server needs to speak TLS.
struct ServingCertificates {
  std::string ca_pem{};
  CertificateAndKey server{};
  /// Without its key, no client certificates can be issued: empty where the directory has none.
  std::string ca_key_pem{};
};

/// Made anew, in memory alone.
Result<ServingCertificates> MakeServingCertificates(const ServerCertificateOptions& options);

/// From ca.crt, ca.key, server.crt and server.key of a directory. What is not there is made and written, keys readable
/// by their owner alone. Where ca.key is there, a server certificate that has expired, or is not of that CA or not good
/// for `hosts`, is made anew. Without it, the certificate is somebody else's: it must be there, belong to its key and
/// not have expired. Errors name the file.
Result<ServingCertificates> LoadServingCertificates(const std::string& directory,
                                                    const ServerCertificateOptions& options);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_HTTP_CERTIFICATES_H_
