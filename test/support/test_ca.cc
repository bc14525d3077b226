#include "test/support/test_ca.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <stdexcept>

namespace kinformer::testing_support {

namespace {

template <auto kFree>
struct Freed {
  template <typename T>
  void operator()(T* pointer) const {
    kFree(pointer);
  }
};
using KeyPtr = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using X509Ptr = std::unique_ptr<X509, Freed<X509_free>>;
using MemoryBio = std::unique_ptr<BIO, Freed<BIO_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;
using NamePtr = std::unique_ptr<X509_NAME, Freed<X509_NAME_free>>;

void Check(bool good, const char* what) {
  if (good) return;
  const unsigned long code = ERR_get_error();
  std::array<char, 256> reason{};
  ERR_error_string_n(code, reason.data(), reason.size());
  throw std::runtime_error(std::string("TestCa: ") + what + ": " + reason.data());
}

std::string BioText(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

std::string ToPem(X509* cert) {
  const MemoryBio bio(BIO_new(BIO_s_mem()));
  Check(bio && PEM_write_bio_X509(bio.get(), cert) == 1, "write certificate");
  return BioText(bio.get());
}

std::string ToPem(EVP_PKEY* key) {
  const MemoryBio bio(BIO_new(BIO_s_mem()));
  Check(bio && PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1, "write key");
  return BioText(bio.get());
}

KeyPtr NewKey() {
  KeyPtr key(EVP_EC_gen("P-256"));
  Check(key != nullptr, "make key");
  return key;
}

void AddEntry(X509_NAME* name, const char* field, const std::string& value) {
  Check(X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(value.data()),
                                   static_cast<int>(value.size()), -1, 0) == 1,
        "name");
}

void AddExtension(X509* cert, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, cert, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  Check(extension && X509_add_ext(cert, extension.get(), -1) == 1, value.c_str());
}

X509Ptr NewCertificate(EVP_PKEY* key, X509_NAME* subject, X509_NAME* issuer, const Validity& validity) {
  X509Ptr cert(X509_new());
  Check(cert != nullptr, "new certificate");
  std::array<unsigned char, 8> serial{};
  Check(RAND_bytes(serial.data(), static_cast<int>(serial.size())) == 1, "serial");
  std::uint64_t number = 1;
  for (const unsigned char byte : serial) number = (number << 8 | byte) & 0x7fffffffffffffffU;
  Check(X509_set_version(cert.get(), X509_VERSION_3) == 1 &&
            ASN1_INTEGER_set_uint64(X509_get_serialNumber(cert.get()), number) == 1 &&
            X509_gmtime_adj(X509_getm_notBefore(cert.get()), static_cast<long>(validity.not_before.count())) &&
            X509_gmtime_adj(X509_getm_notAfter(cert.get()), static_cast<long>(validity.not_after.count())) &&
            X509_set_subject_name(cert.get(), subject) == 1 && X509_set_issuer_name(cert.get(), issuer) == 1 &&
            X509_set_pubkey(cert.get(), key) == 1,
        "fill certificate");
  return cert;
}

void Sign(X509* cert, EVP_PKEY* key) { Check(X509_sign(cert, key, EVP_sha256()) > 0, "sign"); }

}  // namespace

struct TestCa::Authority {
  KeyPtr key;
  X509Ptr cert;

  CertificateAndKey Issue(X509_NAME* subject, const Validity& validity, const char* usage,
                          const std::string& alternative_names) const {
    const KeyPtr leaf_key = NewKey();
    const X509Ptr leaf = NewCertificate(leaf_key.get(), subject, X509_get_subject_name(cert.get()), validity);
    AddExtension(leaf.get(), cert.get(), NID_basic_constraints, "critical,CA:FALSE");
    AddExtension(leaf.get(), cert.get(), NID_key_usage, "critical,digitalSignature");
    AddExtension(leaf.get(), cert.get(), NID_ext_key_usage, usage);
    AddExtension(leaf.get(), cert.get(), NID_authority_key_identifier, "keyid");
    if (!alternative_names.empty()) AddExtension(leaf.get(), cert.get(), NID_subject_alt_name, alternative_names);
    Sign(leaf.get(), key.get());
    return {ToPem(leaf.get()), ToPem(leaf_key.get())};
  }
};

TestCa::TestCa() : authority_(std::make_unique<Authority>()) {
  static std::atomic<unsigned> made{0};
  authority_->key = NewKey();
  const NamePtr name(X509_NAME_new());
  AddEntry(name.get(), "CN", "kinformer test CA " + std::to_string(getpid()) + "-" + std::to_string(++made));
  authority_->cert = NewCertificate(authority_->key.get(), name.get(), name.get(), Validity{});
  X509* cert = authority_->cert.get();
  AddExtension(cert, cert, NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(cert, cert, NID_key_usage, "critical,keyCertSign,cRLSign");
  AddExtension(cert, cert, NID_subject_key_identifier, "hash");
  Sign(cert, authority_->key.get());
  cert_pem_ = ToPem(cert);
}

TestCa::~TestCa() = default;

CertificateAndKey TestCa::IssueServer(const ServerCertificateOptions& options) const {
  const NamePtr name(X509_NAME_new());
  AddEntry(name.get(), "CN", "kinformer test server");
  std::string alternatives;
  for (const std::string& dns : options.dns) alternatives += (alternatives.empty() ? "DNS:" : ",DNS:") + dns;
  for (const std::string& ip : options.ips) alternatives += (alternatives.empty() ? "IP:" : ",IP:") + ip;
  return authority_->Issue(name.get(), options.validity,
                           options.also_for_clients ? "serverAuth,clientAuth" : "serverAuth", alternatives);
}

CertificateAndKey TestCa::IssueClient(const ClientCertificateOptions& options) const {
  const NamePtr name(X509_NAME_new());
  for (const std::string& organization : options.organizations) AddEntry(name.get(), "O", organization);
  AddEntry(name.get(), "CN", options.common_name);
  return authority_->Issue(name.get(), options.validity, "clientAuth", "");
}

}  // namespace kinformer::testing_support
