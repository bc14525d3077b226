#ifndef KINFORMER_SRC_CONFIG_PEM_H_
#define KINFORMER_SRC_CONFIG_PEM_H_

#include <chrono>
#include <string_view>

#include <kinformer/base/result.h>

namespace kinformer::internal {

using WallTime = std::chrono::system_clock::time_point;

/// Requires at least one certificate, all of them readable. Errors quote nothing of the text.
Result<void> CheckCertificates(std::string_view pem);

/// Requires a readable, unencrypted private key that matches the first certificate. Returns when that certificate
/// expires. Never asks for a passphrase; errors quote nothing of either text.
Result<WallTime> CheckKeyPair(std::string_view certificate_pem, std::string_view key_pem);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CONFIG_PEM_H_
