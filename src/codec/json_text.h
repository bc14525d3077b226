#ifndef KINFORMER_SRC_CODEC_JSON_TEXT_H_
#define KINFORMER_SRC_CODEC_JSON_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kinformer::internal {

/// How deep objects and arrays may nest. Kubernetes itself stays far below; a DOM of this depth can be copied and
/// written recursively without endangering a thread's stack.
inline constexpr std::size_t kMaxJsonDepth = 512;

/// No server's resourceVersion is near that long; what is longer could not come back in the URL of a request.
inline constexpr std::size_t kMaxResourceVersionBytes = 1024;

inline bool IsJsonSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/// What may follow a number, true, false or null.
inline bool EndsJsonScalar(char c) { return IsJsonSpace(c) || c == ',' || c == ']' || c == '}' || c == ':'; }

/// The value of four hexadecimal digits, or nullopt. Precondition: four characters are there.
std::optional<std::uint32_t> ParseHex4(const char* text);

/// Length of the escape sequence that begins with the backslash at `text[0]`, or 0 if it is none: an unknown letter,
/// too few hexadecimal digits, or half of a surrogate pair (which has no UTF-8 form, so it is refused).
std::size_t EscapeLength(std::string_view text);

/// Length of the JSON number at the beginning of `text`, or 0 if there is none, or if it is beyond a double's range.
std::size_t NumberLength(std::string_view text);

/// Appends a valid JSON string's inside (without its quotes) with the escapes resolved.
void AppendUnescaped(std::string_view inside, std::string& out);
std::string Unescape(std::string_view inside);

/// Appends `text` (UTF-8) as a JSON string, with its quotes.
void AppendQuoted(std::string_view text, std::string& out);

/// True if a raw key (a valid JSON string's inside) means `name`.
bool KeyEquals(std::string_view inside, std::string_view name);

/// Position after the closing quote of the string whose opening quote is at `begin`; text.size() if it never ends.
std::size_t StringEnd(std::string_view text, std::size_t begin);

/// A bounded piece of somebody's text that is safe to print: control characters become spaces, runs of spaces one,
/// and what is not UTF-8 becomes '?'.
std::string PrintableSnippet(std::string_view text, std::size_t max_bytes);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CODEC_JSON_TEXT_H_
