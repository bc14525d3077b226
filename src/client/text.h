#ifndef KINFORMER_SRC_CLIENT_TEXT_H_
#define KINFORMER_SRC_CLIENT_TEXT_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace kinformer::internal {

/// Without white space at both ends.
std::string_view Trim(std::string_view text);

/// Whether the text can be the value of an HTTP header: no control characters but tab.
bool IsHeaderValue(std::string_view text);

/// Foreign text made fit for one line of an error or a log: control characters and escape sequences become blanks,
/// invalid UTF-8 becomes '?', and what is longer than `limit` bytes loses its beginning or its end.
enum class Keep { kBeginning, kEnd };
std::string OneLine(std::string_view text, std::size_t limit, Keep keep);

/// Replaces every occurrence of each secret, and whatever looks like a token by itself (long unbroken runs, JWTs), by
/// "[redacted]".
std::string Redact(std::string text, std::span<const std::string> secrets);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CLIENT_TEXT_H_
