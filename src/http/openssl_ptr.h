#ifndef KINFORMER_SRC_HTTP_OPENSSL_PTR_H_
#define KINFORMER_SRC_HTTP_OPENSSL_PTR_H_

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string_view>

namespace kinformer::apiserver {

template <auto kFree>
struct OpenSslFree {
  template <typename T>
  void operator()(T* pointer) const {
    kFree(pointer);
  }
};

using BioPtr = std::unique_ptr<BIO, OpenSslFree<BIO_free>>;
using BioMethodPtr = std::unique_ptr<BIO_METHOD, OpenSslFree<BIO_meth_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, OpenSslFree<EVP_PKEY_free>>;
using NamePtr = std::unique_ptr<X509_NAME, OpenSslFree<X509_NAME_free>>;
using SslContextPtr = std::unique_ptr<SSL_CTX, OpenSslFree<SSL_CTX_free>>;
using SslPtr = std::unique_ptr<SSL, OpenSslFree<SSL_free>>;
using X509Ptr = std::unique_ptr<X509, OpenSslFree<X509_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, OpenSslFree<X509_EXTENSION_free>>;

inline BioPtr ReadOnlyBio(std::string_view text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}
/// Never prompts for a passphrase: encrypted keys cannot be read.
inline KeyPtr ReadPrivateKey(std::string_view pem) {
  const BioPtr bio = ReadOnlyBio(pem);
  return KeyPtr(PEM_read_bio_PrivateKey(
      bio.get(), nullptr, [](char*, int, int, void*) { return 0; }, nullptr));
}
/// The next certificate of a PEM text; null at its end, or if it cannot be read.
inline X509Ptr ReadCertificate(BIO* bio) {
  return X509Ptr(PEM_read_bio_X509(
      bio, nullptr, [](char*, int, int, void*) { return 0; }, nullptr));
}

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_HTTP_OPENSSL_PTR_H_
