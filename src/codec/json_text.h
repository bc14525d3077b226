#ifndef KINFORMER_SRC_CODEC_JSON_TEXT_H_
#define KINFORMER_SRC_CODEC_JSON_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kinformer::internal {

/// The maximum nesting of objects and arrays. Kubernetes itself stays far below it; a DOM of this depth can be copied
/// and serialized recursively without a stack overflow.
inline constexpr std::size_t kMaxJsonDepth = 512;

/// Far longer than any server's resourceVersion. A longer one would not fit into the URL of a request.
inline constexpr std::size_t kMaxResourceVersionBytes = 1024;

inline bool IsJsonSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/// The characters that may follow a number, true, false or null.
inline bool EndsJsonScalar(char c) { return IsJsonSpace(c) || c == ',' || c == ']' || c == '}' || c == ':'; }

/// The value of four hexadecimal digits; nullopt if they are not digits. Precondition: `text` has four characters.
std::optional<std::uint32_t> ParseHex4(const char* text);

/// The length of the escape sequence that begins with the backslash at `text[0]`; 0 if it is invalid: an unknown
/// letter, too few hexadecimal digits, or a lone surrogate, which has no UTF-8 form.
std::size_t EscapeLength(std::string_view text);

/// The length of the JSON number at the start of `text`; 0 if there is none, or if it exceeds the range of a double.
std::size_t NumberLength(std::string_view text);

/// Appends the contents of a valid JSON string (without its quotes), unescaped.
void AppendUnescaped(std::string_view inside, std::string& out);
std::string Unescape(std::string_view inside);

/// Appends `text` (UTF-8) as a JSON string, with quotes.
void AppendQuoted(std::string_view text, std::string& out);

/// Appends "/" and the member's name, escaped, to a JSON pointer.
void AppendPointerToken(std::string_view name, std::string& pointer);

/// True if a raw key (the contents of a valid JSON string), unescaped, equals `name`.
bool KeyEquals(std::string_view inside, std::string_view name);

/// The position after the closing quote of the string that opens at `begin`; text.size() if it is not closed.
std::size_t StringEnd(std::string_view text, std::size_t begin);

/// A bounded excerpt that is safe to print: control characters become spaces, runs of spaces are collapsed, and invalid
/// UTF-8 becomes '?'.
std::string PrintableSnippet(std::string_view text, std::size_t max_bytes);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CODEC_JSON_TEXT_H_
