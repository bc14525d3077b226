#ifndef KINFORMER_SRC_CLIENT_PEM_H_
#define KINFORMER_SRC_CLIENT_PEM_H_

#include <chrono>
#include <string_view>

#include <kinformer/base/result.h>

namespace kinformer::internal {

using WallTime = std::chrono::system_clock::time_point;

/// At least one certificate, and every one in it can be read. The error quotes nothing of the text.
Result<void> CheckCertificates(std::string_view pem);

/// The private key is readable, unencrypted, and belongs to the first certificate. Returns when that one expires.
/// Never asks for a passphrase; the error quotes nothing of either.
Result<WallTime> CheckKeyPair(std::string_view certificate_pem, std::string_view key_pem);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CLIENT_PEM_H_
