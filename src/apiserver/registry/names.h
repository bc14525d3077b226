#ifndef KINFORMER_SRC_APISERVER_REGISTRY_NAMES_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_NAMES_H_

#include <string>
#include <string_view>

namespace kinformer::apiserver {

/// A random (version 4) UUID.
std::string NewUid();
/// `base`, cut to 58 bytes, and five characters that cannot spell a word.
std::string GeneratedName(std::string_view base);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_NAMES_H_
