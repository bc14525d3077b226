#ifndef KINFORMER_SRC_CODEC_UTF8_H_
#define KINFORMER_SRC_CODEC_UTF8_H_

#include <cstddef>
#include <string_view>

namespace kinformer::internal {

/// Bytes of the UTF-8 character at the beginning of `text` (RFC 3629: no overlong forms, no surrogates, nothing above
/// U+10FFFF), or 0 if there is no valid one.
std::size_t Utf8Length(std::string_view text);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CODEC_UTF8_H_
