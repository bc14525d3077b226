#include "src/config/pem.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <memory>
#include <string>

namespace kinformer::internal {
namespace {

template <auto Free>
struct Freer {
  template <typename T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
using BioPtr = std::unique_ptr<BIO, Freer<BIO_free>>;
using X509Ptr = std::unique_ptr<X509, Freer<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;

/// OpenSSL keeps a per-thread error queue; our errors must not be left in it.
struct ErrorQueueGuard {
  ErrorQueueGuard() { ERR_set_mark(); }
  ~ErrorQueueGuard() { ERR_pop_to_mark(); }
};

Error Bad(std::string message) { return {.code = ErrorCode::kInvalidConfig, .message = std::move(message)}; }

BioPtr Open(std::string_view pem) {
  if (pem.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return nullptr;
  return BioPtr(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

/// Replaces OpenSSL's default callback, which would prompt on the terminal.
int RefusePassphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

bool EndedCleanly() {
  const unsigned long last = ERR_peek_last_error();
  return ERR_GET_LIB(last) == ERR_LIB_PEM && ERR_GET_REASON(last) == PEM_R_NO_START_LINE;
}

std::string CountedName(int index) { return "certificate " + std::to_string(index + 1); }

}  // namespace

Result<void> CheckCertificates(std::string_view pem) {
  const ErrorQueueGuard guard;
  const BioPtr bio = Open(pem);
  if (!bio) return Bad("too large for a PEM file");
  int count = 0;
  for (;;) {
    const X509Ptr certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (certificate) {
      ++count;
      continue;
    }
    if (!EndedCleanly()) return Bad(CountedName(count) + " is unreadable");
    if (count == 0) return Bad("contains no PEM certificate");
    return {};
  }
}

Result<WallTime> CheckKeyPair(std::string_view certificate_pem, std::string_view key_pem) {
  const ErrorQueueGuard guard;
  if (auto certificates = CheckCertificates(certificate_pem); !certificates) {
    return Annotate(std::move(certificates).error(), "the certificate");
  }
  const X509Ptr leaf(PEM_read_bio_X509(Open(certificate_pem).get(), nullptr, nullptr, nullptr));
  if (!leaf) return Bad("the certificate: cannot be read");

  const BioPtr key_bio = Open(key_pem);
  if (!key_bio) return Bad("the key: too large for a PEM file");
  bool encrypted = false;
  const KeyPtr key(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, RefusePassphrase, &encrypted));
  if (!key) {
    return Bad(encrypted ? "the key: encrypted with a passphrase, which is not supported"
                         : "the key: no PEM private key that can be read");
  }
  if (X509_check_private_key(leaf.get(), key.get()) != 1) return Bad("the key does not belong to the certificate");

  std::tm broken_down{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(leaf.get()), &broken_down) != 1) {
    return Bad("the certificate: its expiry cannot be read");
  }
  // A certificate may be valid until the year 9999, which a nanosecond clock cannot represent.
  const std::time_t latest = std::chrono::system_clock::to_time_t(WallTime::max());
  return std::chrono::system_clock::from_time_t(std::min(timegm(&broken_down), latest - 1));
}

}  // namespace kinformer::internal
