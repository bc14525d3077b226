#include "src/http/tls_context.h"

#include <openssl/err.h>
#include <openssl/x509_vfy.h>

#include <array>
#include <string>
#include <utility>

namespace kinformer::apiserver {

namespace {

Error ConfigError(std::string message) {
  ERR_clear_error();
  Error error;
  error.code = ErrorCode::kInvalidConfig;
  error.message = std::move(message);
  return error;
}

Result<void> UseCertificate(SSL_CTX* context, const std::string& pem) {
  const BioPtr bio = ReadOnlyBio(pem);
  const X509Ptr leaf = ReadCertificate(bio.get());
  if (!leaf || SSL_CTX_use_certificate(context, leaf.get()) != 1) {
    return ConfigError("TLS: the server certificate cannot be read");
  }
  while (X509Ptr next = ReadCertificate(bio.get())) {
    if (SSL_CTX_add1_chain_cert(context, next.get()) != 1) {
      return ConfigError("TLS: the server certificate's chain cannot be used");
    }
  }
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) {
    return ConfigError("TLS: a certificate in the server certificate's chain cannot be read");
  }
  ERR_clear_error();
  return {};
}

Result<void> AskForClientCertificates(SSL_CTX* context, const std::string& pem) {
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  const BioPtr bio = ReadOnlyBio(pem);
  bool any = false;
  while (X509Ptr authority = ReadCertificate(bio.get())) {
    // The list of names tells clients which certificate to present.
    if (X509_STORE_add_cert(store, authority.get()) != 1 || SSL_CTX_add_client_CA(context, authority.get()) != 1) {
      return ConfigError("TLS: a client CA certificate cannot be used");
    }
    any = true;
  }
  if (!any || ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) {
    return ConfigError("TLS: the client CA certificates cannot be read");
  }
  ERR_clear_error();
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  // A failed verification does not end the handshake: the result is kept, and the request gets 401, as with
  // kube-apiserver.
  SSL_CTX_set_cert_verify_callback(
      context,
      [](X509_STORE_CTX* verification, void*) {
        if (X509_verify_cert(verification) <= 0 && X509_STORE_CTX_get_error(verification) == X509_V_OK) {
          X509_STORE_CTX_set_error(verification, X509_V_ERR_UNSPECIFIED);
        }
        ERR_clear_error();
        return 1;
      },
      nullptr);
  return {};
}

int ChooseProtocol(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in,
                   unsigned int in_size, void*) {
  static constexpr std::array<unsigned char, 9> kOurs = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kOurs.data(), kOurs.size(), in, in_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

std::string EntryText(const X509_NAME_ENTRY* entry) {
  unsigned char* text = nullptr;
  const int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry));
  if (size < 0) return {};
  std::string value(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
  OPENSSL_free(text);
  return value;
}

}  // namespace

Result<SslContextPtr> MakeTlsContext(const TlsOptions& options) {
  ERR_clear_error();
  SslContextPtr context(SSL_CTX_new(TLS_server_method()));
  if (!context || SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1) {
    return ConfigError("TLS: no context can be made");
  }
  SSL_CTX_set_options(
      context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_NO_TICKET);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE);
  SSL_CTX_set_read_ahead(context.get(), 1);
  // No resumption: the client certificate is verified on every connection.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_alpn_select_cb(context.get(), &ChooseProtocol, nullptr);

  if (auto used = UseCertificate(context.get(), options.certificate_pem); !used) return used.error();
  const KeyPtr key = ReadPrivateKey(options.key_pem);
  if (!key) return ConfigError("TLS: the server's private key cannot be read");
  if (SSL_CTX_use_PrivateKey(context.get(), key.get()) != 1 || SSL_CTX_check_private_key(context.get()) != 1) {
    return ConfigError("TLS: the server's private key does not belong to its certificate");
  }
  if (!options.client_ca_pem.empty()) {
    if (auto asked = AskForClientCertificates(context.get(), options.client_ca_pem); !asked) return asked.error();
  }
  return context;
}

void ReadClientCertificate(const SSL* ssl, HttpPeer& peer) {
  const X509* given = SSL_get0_peer_certificate(ssl);
  if (given == nullptr) return;
  const long outcome = SSL_get_verify_result(ssl);
  if (outcome != X509_V_OK) {
    peer.certificate_error = X509_verify_cert_error_string(outcome);
    return;
  }
  ClientCertificate certificate;
  const X509_NAME* subject = X509_get_subject_name(given);
  for (int i = 0; i < X509_NAME_entry_count(subject); ++i) {
    const X509_NAME_ENTRY* entry = X509_NAME_get_entry(subject, i);
    const int kind = OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry));
    if (kind == NID_commonName) certificate.common_name = EntryText(entry);
    if (kind == NID_organizationName) certificate.organizations.push_back(EntryText(entry));
  }
  peer.certificate = std::move(certificate);
}

}  // namespace kinformer::apiserver
