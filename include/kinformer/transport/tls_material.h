#ifndef KINFORMER_TRANSPORT_TLS_MATERIAL_H_
#define KINFORMER_TRANSPORT_TLS_MATERIAL_H_

#include <memory>
#include <string>

#include <kinformer/base/secret.h>

namespace kinformer {

/// The TLS settings of a connection to the API server: the CAs to trust and the client certificate. All as PEM, loaded
/// and checked by the client.
///
/// Immutable. After a rotation (new files, a new certificate from the exec plugin), requests carry another object;
/// until then they carry the same one, so that a transport can compare pointers to know when to open new connections.
struct TlsMaterial {
  /// The only CAs to trust; empty: the system's CAs.
  std::string ca_pem{};
  /// The client certificate with its chain, and its private key (unencrypted). Both or neither.
  std::string client_certificate_pem{};
  Secret client_key_pem{};
  /// The name for SNI and for verification of the server's certificate; empty: the host of the server's URL.
  std::string server_name{};
  /// Accept any certificate. Set only if Config::insecure_skip_tls_verify is.
  bool insecure_skip_tls_verify = false;

  bool operator==(const TlsMaterial&) const = default;
};

using TlsMaterialPtr = std::shared_ptr<const TlsMaterial>;

}  // namespace kinformer

#endif  // KINFORMER_TRANSPORT_TLS_MATERIAL_H_
