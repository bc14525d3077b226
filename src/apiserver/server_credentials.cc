#include "src/apiserver/server_credentials.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "src/apiserver/access/random_token.h"
#include "src/base/base64.h"

namespace kinformer::apiserver {
namespace {

constexpr const char* kAdministrator = "kinformer-admin";

/// The host part of a URL.
std::string HostFor(const std::string& address) {
  if (address == "0.0.0.0") return "127.0.0.1";
  if (address == "::") return "[::1]";
  return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

/// Hosts besides loopback.
ServerCertificateOptions CertificateFor(const std::string& bind_address) {
  const bool wildcard = bind_address == "0.0.0.0" || bind_address == "::";
  ServerCertificateOptions options;
  if (!wildcard) options.hosts.push_back(bind_address);
  return options;
}

Result<Secret> PrepareToken(const Secret& given) {
  if (given.empty()) {
    Result<std::string> random = RandomToken();
    if (!random) return std::move(random).error();
    return Secret(*std::move(random));
  }
  const std::string& text = given.Reveal();
  const bool good =
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127 && c != '"' && c != '\\'; });
  if (good) return given;
  return Error{.code = ErrorCode::kInvalidConfig,
               .message = "the token contains characters that are not allowed in an HTTP header"};
}

}  // namespace

Result<ServerCredentials> ServerCredentials::Prepare(const ApiServerOptions& options) {
  Result<Secret> token = PrepareToken(options.token);
  if (!token) return std::move(token).error();
  ServerCredentials credentials{.token = *std::move(token)};
  if (!options.tls) return credentials;
  const ServerCertificateOptions wanted = CertificateFor(options.bind_address);
  Result<ServingCertificates> certificates = options.tls_directory.empty()
                                                 ? MakeServingCertificates(wanted)
                                                 : LoadServingCertificates(options.tls_directory, wanted);
  if (!certificates) return Annotate(std::move(certificates).error(), "starting the API server");
  credentials.certificates = *std::move(certificates);
  return credentials;
}

Authenticator ServerCredentials::MakeAuthenticator(const ApiServerOptions& options) const {
  std::vector<StaticToken> tokens = {{token.Reveal(), {kAdministrator, {"system:masters"}}}};
  for (const ApiServerToken& one : options.tokens) {
    tokens.push_back({one.token.Reveal(), {one.user, one.groups, one.uid}});
  }
  return Authenticator(tokens);
}

Config ServerCredentials::ClientConfig(const std::string& url) const {
  Config config;
  config.server = url;
  config.ca_data = certificates.ca_pem;
  config.token = token;
  return config;
}

std::string ServerCredentials::Kubeconfig(const std::string& url) const {
  std::string text =
      "apiVersion: v1\n"
      "kind: Config\n"
      "current-context: kinformer\n"
      "clusters:\n"
      "- name: kinformer\n"
      "  cluster:\n"
      "    server: \"" +
      url + "\"\n";
  if (!certificates.ca_pem.empty()) {
    text += "    certificate-authority-data: " + internal::EncodeBase64(certificates.ca_pem) + "\n";
  }
  text +=
      "users:\n"
      "- name: kinformer-admin\n"
      "  user:\n"
      "    token: \"" +
      token.Reveal() +
      "\"\n"
      "contexts:\n"
      "- name: kinformer\n"
      "  context:\n"
      "    cluster: kinformer\n"
      "    user: kinformer-admin\n"
      "    namespace: default\n";
  return text;
}

Result<void> CheckEtcdTls(const ApiServerOptions& options) {
  const std::string& key = options.etcd_key_pem.Reveal();
  if (!options.etcd_ca_pem.empty()) {
    if (Result<void> good = CheckCertificates(options.etcd_ca_pem); !good) {
      return Annotate(std::move(good).error(), "etcd_ca_pem (--etcd-cafile)");
    }
  }
  if (options.etcd_certificate_pem.empty() && key.empty()) return {};
  if (options.etcd_certificate_pem.empty() || key.empty()) {
    return Error{.code = ErrorCode::kInvalidConfig,
                 .message =
                     "etcd_certificate_pem (--etcd-certfile) and etcd_key_pem (--etcd-keyfile) must be given "
                     "together"};
  }
  Result<void> good = CheckCertificateAndKey({options.etcd_certificate_pem, key});
  if (good) return {};
  return Annotate(std::move(good).error(), "etcd_certificate_pem (--etcd-certfile) and etcd_key_pem (--etcd-keyfile)");
}

std::string ServerUrl(const ApiServerOptions& options, std::uint16_t port) {
  return (options.tls ? "https://" : "http://") + HostFor(options.bind_address) + ":" + std::to_string(port);
}

}  // namespace kinformer::apiserver
