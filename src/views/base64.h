#ifndef KINFORMER_SRC_VIEWS_BASE64_H_
#define KINFORMER_SRC_VIEWS_BASE64_H_

#include <optional>
#include <string>
#include <string_view>

namespace kinformer::internal {

/// The standard alphabet, padded; line ends are skipped. Nothing for any other text.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_VIEWS_BASE64_H_
