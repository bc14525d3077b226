#ifndef KINFORMER_SRC_BASE_UTF8_H_
#define KINFORMER_SRC_BASE_UTF8_H_

#include <cstddef>
#include <string_view>

namespace kinformer::internal {

/// The number of bytes of the UTF-8 character at the start of `text` (RFC 3629: no overlong forms, no surrogates,
/// nothing above U+10FFFF); 0 if there is no valid one.
std::size_t Utf8Length(std::string_view text);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_BASE_UTF8_H_
