#include "src/http/certificates.h"

#include <arpa/inet.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "src/base/file_reader.h"
#include "src/base/file_writer.h"
#include "src/http/openssl_ptr.h"

namespace kinformer::apiserver {

namespace {

constexpr std::size_t kMaxHosts = 100;
constexpr std::size_t kMaxFile = 1024 * 1024;
constexpr std::size_t kMaxName = 64;  // X.520's bound on CN and O
constexpr auto kAuthorityLifetime = std::chrono::hours(24 * 3650);
// Tolerates clock skew between machines.
constexpr auto kBackdated = std::chrono::hours(1);

Error Failed(std::string message, ErrorCode code = ErrorCode::kInternal) {
  ERR_clear_error();
  return Error{.code = code, .message = std::move(message)};
}

std::string BioText(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

Result<CertificateAndKey> ToPem(X509* certificate, EVP_PKEY* key) {
  const BioPtr first(BIO_new(BIO_s_mem()));
  const BioPtr second(BIO_new(BIO_s_secmem()));
  if (!first || !second || PEM_write_bio_X509(first.get(), certificate) != 1 ||
      PEM_write_bio_PrivateKey(second.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return Failed("a certificate cannot be written as PEM");
  }
  return CertificateAndKey{BioText(first.get()), BioText(second.get())};
}

bool AddEntry(X509_NAME* name, const char* field, const std::string& value) {
  return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()), -1, 0) == 1;
}

bool AddExtension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

X509Ptr NewCertificate(EVP_PKEY* key, const X509_NAME* subject, const X509_NAME* issuer, std::chrono::hours lifetime) {
  X509Ptr certificate(X509_new());
  std::uint64_t serial = 0;
  if (!certificate || RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) != 1) return nullptr;
  serial = (serial & 0x7fffffffffffffffU) | 1U;
  const auto seconds = [](std::chrono::seconds time) { return static_cast<long>(time.count()); };
  const bool good = X509_set_version(certificate.get(), X509_VERSION_3) == 1 &&
                    ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), serial) == 1 &&
                    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -seconds(kBackdated)) != nullptr &&
                    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), seconds(lifetime)) != nullptr &&
                    X509_set_subject_name(certificate.get(), subject) == 1 &&
                    X509_set_issuer_name(certificate.get(), issuer) == 1 &&
                    X509_set_pubkey(certificate.get(), key) == 1;
  return good ? std::move(certificate) : nullptr;
}

bool IsAddress(const std::string& host) {
  std::array<unsigned char, 16> bytes{};
  return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 || inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

// Only characters that have no special meaning in the text of a subjectAltName.
bool IsDnsName(const std::string& host) {
  return !host.empty() && host.size() <= 253 &&
         host.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.*_") ==
             std::string::npos;
}

std::vector<std::string> AllHosts(const ServerCertificateOptions& options) {
  std::vector<std::string> hosts = {"localhost", "127.0.0.1", "::1"};
  for (const std::string& host : options.hosts) {
    if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
  }
  return hosts;
}

X509Ptr FirstCertificate(const std::string& pem) {
  const BioPtr bio = ReadOnlyBio(pem);
  return ReadCertificate(bio.get());
}

}  // namespace

struct CertificateAuthority::Authority {
  KeyPtr key;
  X509Ptr certificate;

  Result<CertificateAndKey> Issue(const X509_NAME* subject, std::chrono::hours lifetime, const char* usage,
                                  const std::string& alternative_names) const {
    const KeyPtr leaf_key(EVP_EC_gen("P-256"));
    if (!leaf_key) return Failed("a key cannot be made");
    const X509Ptr leaf = NewCertificate(leaf_key.get(), subject, X509_get_subject_name(certificate.get()), lifetime);
    if (!leaf || !AddExtension(leaf.get(), certificate.get(), NID_basic_constraints, "critical,CA:FALSE") ||
        !AddExtension(leaf.get(), certificate.get(), NID_key_usage, "critical,digitalSignature") ||
        !AddExtension(leaf.get(), certificate.get(), NID_ext_key_usage, usage) ||
        !AddExtension(leaf.get(), certificate.get(), NID_authority_key_identifier, "keyid") ||
        (!alternative_names.empty() &&
         !AddExtension(leaf.get(), certificate.get(), NID_subject_alt_name, alternative_names)) ||
        X509_sign(leaf.get(), key.get(), EVP_sha256()) <= 0) {
      return Failed("a certificate cannot be made");
    }
    return ToPem(leaf.get(), leaf_key.get());
  }
};

CertificateAuthority::CertificateAuthority(std::unique_ptr<Authority> authority, CertificateAndKey pem)
    : authority_(std::move(authority)), pem_(std::move(pem)) {}
CertificateAuthority::~CertificateAuthority() = default;
CertificateAuthority::CertificateAuthority(CertificateAuthority&&) noexcept = default;
CertificateAuthority& CertificateAuthority::operator=(CertificateAuthority&&) noexcept = default;

Result<CertificateAuthority> CertificateAuthority::Create() {
  auto authority = std::make_unique<Authority>();
  authority->key.reset(EVP_EC_gen("P-256"));
  const NamePtr name(X509_NAME_new());
  std::array<unsigned char, 4> id{};
  // The name must be unique: a chain to another CA with the same name fails with a misleading error.
  if (!authority->key || !name || RAND_bytes(id.data(), id.size()) != 1) return Failed("a CA's key cannot be made");
  std::string suffix;
  for (const unsigned char byte : id) {
    suffix += "0123456789abcdef"[byte >> 4U];
    suffix += "0123456789abcdef"[byte & 15U];
  }
  if (!AddEntry(name.get(), "CN", "kinformer-apiserver-ca-" + suffix)) return Failed("a CA cannot be named");
  authority->certificate = NewCertificate(authority->key.get(), name.get(), name.get(), kAuthorityLifetime);
  X509* certificate = authority->certificate.get();
  if (certificate == nullptr || !AddExtension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE") ||
      !AddExtension(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign,digitalSignature") ||
      !AddExtension(certificate, certificate, NID_subject_key_identifier, "hash") ||
      X509_sign(certificate, authority->key.get(), EVP_sha256()) <= 0) {
    return Failed("a CA's certificate cannot be made");
  }
  auto pem = ToPem(certificate, authority->key.get());
  if (!pem) return pem.error();
  return CertificateAuthority(std::move(authority), std::move(*pem));
}

Result<CertificateAuthority> CertificateAuthority::Load(const CertificateAndKey& pem) {
  auto authority = std::make_unique<Authority>();
  authority->certificate = FirstCertificate(pem.certificate_pem);
  if (!authority->certificate) return Failed("the CA's certificate cannot be read", ErrorCode::kInvalidConfig);
  authority->key = ReadPrivateKey(pem.key_pem);
  if (!authority->key) return Failed("the CA's private key cannot be read", ErrorCode::kInvalidConfig);
  if (X509_check_private_key(authority->certificate.get(), authority->key.get()) != 1) {
    return Failed("the CA's private key does not belong to its certificate", ErrorCode::kInvalidConfig);
  }
  if (X509_check_ca(authority->certificate.get()) < 1) {
    return Failed("ca.crt is not a CA certificate", ErrorCode::kInvalidConfig);
  }
  return CertificateAuthority(std::move(authority), pem);
}

Result<CertificateAndKey> CertificateAuthority::IssueServer(const ServerCertificateOptions& options) const {
  const std::vector<std::string> hosts = AllHosts(options);
  if (hosts.size() > kMaxHosts) return Failed("too many hosts for a certificate", ErrorCode::kInvalidArgument);
  std::string alternatives;
  for (const std::string& host : hosts) {
    if (!IsAddress(host) && !IsDnsName(host)) {
      return Failed("\"" + host + "\" is neither a DNS name nor an IP address", ErrorCode::kInvalidArgument);
    }
    if (!alternatives.empty()) alternatives += ',';
    alternatives += (IsAddress(host) ? "IP:" : "DNS:") + host;
  }
  const NamePtr name(X509_NAME_new());
  if (!name || !AddEntry(name.get(), "CN", "kinformer-apiserver")) return Failed("a certificate cannot be named");
  return authority_->Issue(name.get(), options.lifetime, "serverAuth", alternatives);
}

Result<CertificateAndKey> CertificateAuthority::IssueClient(const ClientCertificateOptions& options) const {
  const NamePtr name(X509_NAME_new());
  if (options.common_name.empty()) return Failed("a client certificate needs a name", ErrorCode::kInvalidArgument);
  bool good = name != nullptr;
  for (const std::string& organization : options.organizations) {
    good = good && organization.size() <= kMaxName && AddEntry(name.get(), "O", organization);
  }
  if (!good || !AddEntry(name.get(), "CN", options.common_name)) {
    return Failed("user or group name not allowed in a certificate: at most 64 characters of UTF-8",
                  ErrorCode::kInvalidArgument);
  }
  return authority_->Issue(name.get(), options.lifetime, "clientAuth", {});
}

Result<void> CheckCertificates(const std::string& pem) {
  const BioPtr bio = ReadOnlyBio(pem);
  std::size_t count = 0;
  while (ReadCertificate(bio.get())) ++count;
  // The end of the text has its own error code; any other error is in a certificate.
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (count == 0) return Failed("no PEM certificate in it", ErrorCode::kInvalidConfig);
  if (!at_end) return Failed("a PEM certificate in it cannot be read", ErrorCode::kInvalidConfig);
  return {};
}

Result<void> CheckCertificateAndKey(const CertificateAndKey& pem) {
  const X509Ptr certificate = FirstCertificate(pem.certificate_pem);
  if (!certificate) return Failed("no PEM certificate that can be read", ErrorCode::kInvalidConfig);
  const KeyPtr key = ReadPrivateKey(pem.key_pem);
  if (!key) return Failed("no PEM private key that can be read (it must not be encrypted)", ErrorCode::kInvalidConfig);
  const bool together = X509_check_private_key(certificate.get(), key.get()) == 1;
  if (!together) return Failed("the private key does not belong to the certificate", ErrorCode::kInvalidConfig);
  return {};
}

Result<ServingCertificates> MakeServingCertificates(const ServerCertificateOptions& options) {
  const auto authority = CertificateAuthority::Create();
  if (!authority) return authority.error();
  auto server = authority->IssueServer(options);
  if (!server) return server.error();
  return ServingCertificates{authority->pem().certificate_pem, std::move(*server), authority->pem().key_pem};
}

namespace {

Error FileError(const std::string& path, const std::string& what) {
  return Failed(path + ": " + what, ErrorCode::kInvalidConfig);
}

// nullopt if the file does not exist.
Result<std::optional<std::string>> ReadIfPresent(const std::string& path) {
  Result<std::string> text = internal::ReadFile(path, kMaxFile);
  if (text) return std::optional(*std::move(text));
  if (internal::IsFileNotFound(text.error())) return std::optional<std::string>();
  return FileError(path, text.error().message);
}

// Why a server certificate cannot be used; empty if it can. Null `authority`: it is managed externally, so its issuer
// and hosts are not checked.
std::string WhyUnusable(const CertificateAndKey& server, X509* authority, const std::vector<std::string>& hosts) {
  const X509Ptr certificate = FirstCertificate(server.certificate_pem);
  const KeyPtr key = ReadPrivateKey(server.key_pem);
  std::string why;
  if (!certificate) {
    why = "the certificate cannot be read";
  } else if (!key) {
    why = "its private key cannot be read";
  } else if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    why = "its private key does not belong to it";
  } else if (X509_cmp_current_time(X509_get0_notAfter(certificate.get())) <= 0) {
    why = "the certificate has expired";
  } else if (X509_cmp_current_time(X509_get0_notBefore(certificate.get())) > 0) {
    why = "the certificate is not valid yet";
  } else if (authority != nullptr && X509_check_issued(authority, certificate.get()) != X509_V_OK) {
    why = "the certificate was not issued by ca.crt";
  } else if (authority != nullptr) {
    for (const std::string& host : hosts) {
      const bool good = IsAddress(host) ? X509_check_ip_asc(certificate.get(), host.c_str(), 0) == 1
                                        : X509_check_host(certificate.get(), host.data(), host.size(), 0, nullptr) == 1;
      if (!good && why.empty()) why = "the certificate is not good for " + host;
    }
  }
  ERR_clear_error();
  return why;
}

}  // namespace

Result<ServingCertificates> LoadServingCertificates(const std::string& directory,
                                                    const ServerCertificateOptions& options) {
  const std::array<std::string, 4> paths = {directory + "/ca.crt", directory + "/ca.key", directory + "/server.crt",
                                            directory + "/server.key"};
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    return FileError(directory, std::generic_category().message(errno));
  std::array<std::optional<std::string>, 4> files;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    auto file = ReadIfPresent(paths.at(i));
    if (!file) return file.error();
    files.at(i) = std::move(*file);
  }
  ServingCertificates all;
  std::optional<CertificateAuthority> authority;
  if (!files[0] && !files[1]) {
    // A server certificate without its CA: clients would have nothing to trust.
    if (files[2] || files[3]) return FileError(paths[0], "missing, although server.crt or server.key exists");
    auto made = CertificateAuthority::Create();
    if (!made) return made.error();
    authority = std::move(*made);
    if (auto written = internal::WriteFile(paths[1], authority->pem().key_pem, 0600); !written) return written.error();
    if (auto written = internal::WriteFile(paths[0], authority->pem().certificate_pem, 0644); !written)
      return written.error();
  } else if (!files[0]) {
    return FileError(paths[0], "missing, although ca.key exists");
  } else if (files[1]) {
    auto loaded = CertificateAuthority::Load({*files[0], *files[1]});
    if (!loaded) return Annotate(loaded.error(), paths[1]);
    authority = std::move(*loaded);
  }
  all.ca_pem = authority ? authority->pem().certificate_pem : *files[0];
  if (authority) all.ca_key_pem = authority->pem().key_pem;

  std::string why = "missing";
  if (files[2] && files[3]) {
    all.server = {*files[2], *files[3]};
    const X509Ptr ours = authority ? FirstCertificate(all.ca_pem) : nullptr;
    why = WhyUnusable(all.server, ours.get(), AllHosts(options));
    if (why.empty()) return all;
  }
  if (!authority) return FileError(paths[2], why + "; cannot issue a new one without ca.key");
  auto issued = authority->IssueServer(options);
  if (!issued) return issued.error();
  all.server = std::move(*issued);
  if (auto written = internal::WriteFile(paths[3], all.server.key_pem, 0600); !written) return written.error();
  if (auto written = internal::WriteFile(paths[2], all.server.certificate_pem, 0644); !written) return written.error();
  return all;
}

}  // namespace kinformer::apiserver
