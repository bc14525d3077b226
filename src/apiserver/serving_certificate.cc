#include "src/apiserver/serving_certificate.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "src/apiserver/file_writer.h"
#include "src/apiserver/http/openssl_ptr.h"

namespace kinformer::apiserver {
namespace {

constexpr long kHour = 3600;
constexpr long kYear = 365L * 24 * kHour;

Error OpenSslError(const char* what) {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_get_error(), text.data(), text.size());
  ERR_clear_error();
  return {.code = ErrorCode::kInternal, .message = std::string(what) + ": " + text.data()};
}

bool SetSerial(X509* certificate) {
  std::array<unsigned char, 8> random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) return false;
  std::uint64_t serial = 0;
  for (const unsigned char byte : random) serial = serial << 8U | byte;
  return ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1U) == 1;
}

bool AddExtension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

X509Ptr BeginCertificate(EVP_PKEY* key, const std::string& common_name) {
  X509Ptr certificate(X509_new());
  if (certificate == nullptr) return nullptr;
  X509_NAME* name = X509_get_subject_name(certificate.get());
  const bool good =
      X509_set_version(certificate.get(), X509_VERSION_3) == 1 && SetSerial(certificate.get()) &&
      X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kHour) != nullptr &&
      X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kYear) != nullptr &&
      X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(common_name.c_str()),
                                 -1, -1, 0) == 1 &&
      X509_set_pubkey(certificate.get(), key) == 1;
  return good ? std::move(certificate) : nullptr;
}

template <typename Write>
std::string PemOf(Write write) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  if (bio == nullptr || write(bio.get()) != 1) return {};
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string CertificatePem(X509* certificate) {
  return PemOf([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate); });
}

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Error ConfigError(std::string message) { return {.code = ErrorCode::kInvalidConfig, .message = std::move(message)}; }

}  // namespace

Result<std::string> RandomHex(std::size_t bytes) {
  std::vector<unsigned char> random(bytes);
  if (RAND_bytes(random.data(), static_cast<int>(bytes)) != 1) return OpenSslError("no random bytes");
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : random) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

Result<ServingCertificate> MakeServingCertificate(const std::vector<std::string>& addresses) {
  const KeyPtr ca_key(EVP_EC_gen("P-256"));
  const KeyPtr key(EVP_EC_gen("P-256"));
  if (ca_key == nullptr || key == nullptr) return OpenSslError("cannot make a key");
  // Each CA has another name: one that is trusted from earlier is then seen to be the wrong one.
  Result<std::string> mark = RandomHex(8);
  if (!mark) return std::move(mark).error();

  const X509Ptr ca = BeginCertificate(ca_key.get(), "kinformer-apiserver-ca@" + *mark);
  const bool ca_good = ca != nullptr && X509_set_issuer_name(ca.get(), X509_get_subject_name(ca.get())) == 1 &&
                       AddExtension(ca.get(), ca.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
                       AddExtension(ca.get(), ca.get(), NID_key_usage, "critical,keyCertSign,cRLSign") &&
                       AddExtension(ca.get(), ca.get(), NID_subject_key_identifier, "hash") &&
                       X509_sign(ca.get(), ca_key.get(), EVP_sha256()) > 0;
  if (!ca_good) return OpenSslError("cannot make a CA");

  std::string names =
      "DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,"
      "DNS:kubernetes.default.svc.cluster.local";
  for (const std::string& address : addresses) names += ",IP:" + address;
  const X509Ptr certificate = BeginCertificate(key.get(), "kinformer-apiserver");
  const bool good = certificate != nullptr &&
                    X509_set_issuer_name(certificate.get(), X509_get_subject_name(ca.get())) == 1 &&
                    AddExtension(certificate.get(), ca.get(), NID_basic_constraints, "critical,CA:FALSE") &&
                    AddExtension(certificate.get(), ca.get(), NID_key_usage, "critical,digitalSignature") &&
                    AddExtension(certificate.get(), ca.get(), NID_ext_key_usage, "serverAuth") &&
                    AddExtension(certificate.get(), ca.get(), NID_subject_key_identifier, "hash") &&
                    AddExtension(certificate.get(), ca.get(), NID_authority_key_identifier, "keyid:always") &&
                    AddExtension(certificate.get(), ca.get(), NID_subject_alt_name, names) &&
                    X509_sign(certificate.get(), ca_key.get(), EVP_sha256()) > 0;
  if (!good) return OpenSslError("cannot make a certificate");

  ServingCertificate made;
  made.ca_pem = CertificatePem(ca.get());
  made.certificate_pem = CertificatePem(certificate.get());
  made.key_pem = PemOf(
      [&](BIO* bio) { return PEM_write_bio_PKCS8PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
  if (made.ca_pem.empty() || made.certificate_pem.empty() || made.key_pem.empty()) {
    return OpenSslError("cannot write a certificate");
  }
  return made;
}

Result<ServingCertificate> LoadOrMakeServingCertificate(const std::string& directory,
                                                        const std::vector<std::string>& addresses) {
  namespace fs = std::filesystem;
  const fs::path ca = fs::path(directory) / "ca.crt";
  const fs::path certificate = fs::path(directory) / "tls.crt";
  const fs::path key = fs::path(directory) / "tls.key";
  std::error_code failed;
  const int there = static_cast<int>(fs::exists(ca, failed)) + static_cast<int>(fs::exists(certificate, failed)) +
                    static_cast<int>(fs::exists(key, failed));
  if (there == 3) {
    ServingCertificate read{.ca_pem = ReadAll(ca), .certificate_pem = ReadAll(certificate), .key_pem = ReadAll(key)};
    if (read.ca_pem.empty() || read.certificate_pem.empty() || read.key_pem.empty()) {
      return ConfigError(directory + ": ca.crt, tls.crt or tls.key cannot be read, or is empty");
    }
    return read;
  }
  if (there != 0) return ConfigError(directory + ": of ca.crt, tls.crt and tls.key some are there and some are not");
  Result<ServingCertificate> made = MakeServingCertificate(addresses);
  if (!made) return made;
  fs::create_directories(directory, failed);
  if (failed) return ConfigError(directory + ": cannot be created: " + failed.message());
  if (Result<void> written = WriteFile(key, made->key_pem, 0600); !written) return std::move(written).error();
  if (Result<void> written = WriteFile(certificate, made->certificate_pem, 0644); !written) {
    return std::move(written).error();
  }
  if (Result<void> written = WriteFile(ca, made->ca_pem, 0644); !written) return std::move(written).error();
  return made;
}

}  // namespace kinformer::apiserver
