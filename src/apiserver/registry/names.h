#ifndef KINFORMER_SRC_APISERVER_REGISTRY_NAMES_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_NAMES_H_

#include <string>
#include <string_view>

namespace kinformer::apiserver {

/// A random (version 4) UUID.
std::string NewUid();
/// `base`, truncated to 58 bytes, plus five random characters without vowels.
std::string GeneratedName(std::string_view base);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_NAMES_H_
