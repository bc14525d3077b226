#include "bench/kinformer_load/target.h"

#include <netdb.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

namespace kinformer::bench {
namespace {

/// Read size per connection: several TLS records, if they have arrived.
constexpr std::size_t kReadAheadBytes = 64U << 10U;

Error Wrong(std::string what) { return {.code = ErrorCode::kInvalidConfig, .message = std::move(what)}; }

Result<std::string> TextOf(const std::string& data, const std::string& file) {
  if (!data.empty() || file.empty()) return data;
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in || text.empty()) return Wrong("cannot read " + file);
  return text;
}

struct BioFree {
  void operator()(BIO* bio) const { BIO_free(bio); }
};

/// Calls `each` with every certificate of a PEM text. False if there is none or if `each` returns false.
template <typename Each>
bool ForEachCertificate(const std::string& pem, Each each) {
  const std::unique_ptr<BIO, BioFree> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  bool any = false;
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    const bool taken = each(certificate, any);
    X509_free(certificate);
    if (!taken) return false;
    any = true;
  }
  ERR_clear_error();
  return any;
}

Result<void> Trust(const Config& config, SSL_CTX* context) {
  if (config.insecure_skip_tls_verify) return {};
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  const auto ca = TextOf(config.ca_data, config.ca_file);
  if (!ca) return ca.error();
  if (ca->empty()) {
    if (SSL_CTX_set_default_verify_paths(context) == 1) return {};
    return Wrong("no roots of the system's to trust");
  }
  const bool added = ForEachCertificate(*ca, [context](X509* certificate, bool) {
    return X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate) == 1;
  });
  if (!added) return Wrong("the cluster's certificate authority is no PEM");
  return {};
}

Result<void> Present(const Config& config, SSL_CTX* context) {
  const auto certificates = TextOf(config.client_certificate_data, config.client_certificate_file);
  if (!certificates) return certificates.error();
  const auto key = TextOf(config.client_key_data.Reveal(), config.client_key_file);
  if (!key) return key.error();
  if (certificates->empty()) return {};
  const bool added = ForEachCertificate(*certificates, [context](X509* certificate, bool follows) {
    return (follows ? SSL_CTX_add1_chain_cert(context, certificate)
                    : static_cast<long>(SSL_CTX_use_certificate(context, certificate))) == 1;
  });
  const std::unique_ptr<BIO, BioFree> bio(BIO_new_mem_buf(key->data(), static_cast<int>(key->size())));
  EVP_PKEY* private_key = PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr);
  const bool used = added && private_key != nullptr && SSL_CTX_use_PrivateKey(context, private_key) == 1;
  EVP_PKEY_free(private_key);
  if (!used) return Wrong("the client certificate and its key cannot be used");
  return {};
}

Result<void> Resolve(const std::string& host, const std::string& port, Target& target) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found); error != 0) {
    return Error{.code = ErrorCode::kUnreachable, .message = host + ": " + ::gai_strerror(error)};
  }
  std::memcpy(&target.address, found->ai_addr, found->ai_addrlen);
  target.address_size = found->ai_addrlen;
  ::freeaddrinfo(found);
  return {};
}

}  // namespace

std::string Target::Request(std::string_view method, std::string_view path, std::string_view body) const {
  std::string text;
  text.reserve(256 + authorization.size() + body.size());
  text.append(method).append(" ").append(path).append(" HTTP/1.1\r\nHost: ").append(host).append("\r\n");
  text.append(authorization).append("Accept: application/json\r\nUser-Agent: kinformer-load\r\n");
  if (!body.empty()) {
    text.append("Content-Type: application/json\r\nContent-Length: ").append(std::to_string(body.size()));
    text.append("\r\n");
  }
  return text.append("\r\n").append(body);
}

Result<Target> MakeTarget(const Config& config, const std::string& token_file) {
  Target target;
  std::string_view url = config.server;
  const bool tls = url.starts_with("https://");
  if (!tls && !url.starts_with("http://")) return Wrong("the server's URL is neither http:// nor https://");
  url.remove_prefix(tls ? 8 : 7);
  if (const std::size_t slash = url.find('/'); slash != std::string_view::npos) {
    if (slash + 1 < url.size()) return Wrong("a server behind a path is not known here");
    url = url.substr(0, slash);
  }
  target.host = url;
  const std::size_t colon = url.rfind(':');
  const bool has_port = colon != std::string_view::npos && url.find(']', colon) == std::string_view::npos;
  std::string host(url.substr(0, has_port ? colon : url.size()));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const std::string port(has_port ? url.substr(colon + 1) : std::string_view(tls ? "443" : "80"));
  if (auto resolved = Resolve(host, port, target); !resolved) return std::move(resolved).error();
  target.server_name = config.tls_server_name.empty() ? host : config.tls_server_name;

  auto token = TextOf("", token_file.empty() ? config.token_file : token_file);
  if (!token) return token.error();
  while (!token->empty() && (token->back() == '\n' || token->back() == '\r')) token->pop_back();
  if (token->empty()) *token = config.token.Reveal();
  if (!token->empty()) target.authorization = "Authorization: Bearer " + *token + "\r\n";
  if (config.exec || !config.username.empty())
    return Wrong("of credentials, only tokens and certificates are known here");
  if (!tls) return target;

  target.tls.reset(SSL_CTX_new(TLS_client_method()));
  if (!target.tls) return Error{.code = ErrorCode::kInternal, .message = "no context for TLS"};
  SSL_CTX* context = target.tls.get();
  // OpenSSL servers follow the client's cipher order, Go servers their own. With this order both choose the same
  // cipher, so the load is comparable.
  SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256");
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_default_read_buffer_len(context, kReadAheadBytes);
  SSL_CTX_set_mode(context,
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  if (auto trusted = Trust(config, context); !trusted) return std::move(trusted).error();
  if (auto presented = Present(config, context); !presented) return std::move(presented).error();
  return target;
}

}  // namespace kinformer::bench
