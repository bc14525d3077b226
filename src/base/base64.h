#ifndef KINFORMER_SRC_BASE_BASE64_H_
#define KINFORMER_SRC_BASE_BASE64_H_

#include <string>
#include <string_view>

#include <kinformer/base/result.h>

namespace kinformer::internal {

std::string EncodeBase64(std::string_view bytes);

/// Standard alphabet with padding; white space is skipped. The error (kMalformed) gives the position and never quotes
/// the text.
Result<std::string> DecodeBase64(std::string_view text);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_BASE_BASE64_H_
