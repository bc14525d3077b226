#ifndef KINFORMER_SRC_BASE_TEXT_H_
#define KINFORMER_SRC_BASE_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

namespace kinformer::internal {

inline constexpr std::string_view kWhiteSpace = " \t\n\r\v\f";
/// What HTTP allows around the parts of a header value.
inline constexpr std::string_view kHeaderSpace = " \t";

/// Removes the characters of `blanks` at both ends.
std::string_view Trim(std::string_view text, std::string_view blanks = kWhiteSpace);

/// ASCII only, independent of the locale: other bytes are unchanged.
constexpr char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
std::string Lower(std::string text);
bool EqualsIgnoringCase(std::string_view a, std::string_view b);

std::string Joined(const std::vector<std::string>& parts, std::string_view separator);

/// Replaces every occurrence of `from`, left to right; replacements are not searched again. Precondition: `from` is not
/// empty.
std::string ReplaceAll(std::string_view text, std::string_view from, std::string_view to);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_BASE_TEXT_H_
