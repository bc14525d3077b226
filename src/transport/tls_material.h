#ifndef KINFORMER_SRC_TRANSPORT_TLS_MATERIAL_H_
#define KINFORMER_SRC_TRANSPORT_TLS_MATERIAL_H_

#include <memory>
#include <string>

namespace kinformer::internal {

/// Whom to trust and who we are, as PEM. Immutable; a rotation makes a new one, and new connections use it.
struct TlsMaterial {
  /// If empty, the system's roots are trusted; if not, these alone.
  std::string ca_pem{};
  std::string client_cert_pem{};
  std::string client_key_pem{};
  /// Verify nothing. Only for insecure-skip-tls-verify.
  bool insecure_skip_verify = false;
  /// The name in the server's certificate where it differs from the URL's host.
  std::string server_name{};

  bool operator==(const TlsMaterial&) const = default;
};

using TlsMaterialPtr = std::shared_ptr<const TlsMaterial>;

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_TRANSPORT_TLS_MATERIAL_H_
