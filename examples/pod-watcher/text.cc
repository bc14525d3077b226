#include "text.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <utility>

namespace {

struct Character {
  std::size_t bytes = 1;
  std::size_t width = 1;
  bool valid = true;
};

bool IsIn(char32_t code, const std::pair<char32_t, char32_t>* first, const std::pair<char32_t, char32_t>* last) {
  return std::any_of(first, last, [&](const auto& range) { return range.first <= code && code <= range.second; });
}

/// The blocks that matter in practice, not all of Unicode's tables.
std::size_t WidthOf(char32_t code) {
  static constexpr std::pair<char32_t, char32_t> kZero[] = {
      {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f}, {0x1ab0, 0x1aff},
      {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef}};
  static constexpr std::pair<char32_t, char32_t> kWide[] = {
      {0x1100, 0x115f}, {0x231a, 0x231b},   {0x23e9, 0x23ec},   {0x26a1, 0x26a1},   {0x2705, 0x2705},  {0x274c, 0x274c},
      {0x2e80, 0x303e}, {0x3041, 0xa4cf},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},  {0xff00, 0xff60},
      {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1faff}, {0x20000, 0x3fffd}};
  if (code < 0x300) return 1;
  if (IsIn(code, std::begin(kZero), std::end(kZero))) return 0;
  return IsIn(code, std::begin(kWide), std::end(kWide)) ? 2 : 1;
}

/// Precondition: `text` is not empty. Control characters and broken sequences are not valid, one byte long and one
/// column wide.
Character FirstOf(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {.valid = byte(0) >= 0x20 && byte(0) != 0x7f};
  const std::size_t bytes = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  const Character broken{.valid = false};
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < bytes) return broken;
  char32_t code = byte(0) & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return broken;
    code = code << 6U | (byte(i) & 0x3fU);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  // C1 controls, line separators, marks that turn the direction of text.
  const bool control = code < 0xa0 || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  if (overlong || control || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return broken;
  return {.bytes = bytes, .width = WidthOf(code)};
}

/// Bytes of `text` that fill at most `width` columns.
std::size_t BytesThatFit(std::string_view text, std::size_t width) {
  std::size_t bytes = 0;
  for (std::size_t used = 0; bytes < text.size();) {
    const Character next = FirstOf(text.substr(bytes));
    used += next.width;
    if (used > width) break;
    bytes += next.bytes;
  }
  return bytes;
}

std::string TwoParts(std::int64_t large, char large_unit, std::int64_t small, char small_unit) {
  std::string text = std::to_string(large) + large_unit;
  if (small != 0) text += std::to_string(small) + small_unit;
  return text;
}

}  // namespace

std::size_t DisplayWidth(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    if (text.starts_with("\033[")) {
      const std::size_t end = text.find('m');
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      continue;
    }
    const Character next = FirstOf(text);
    width += next.width;
    text.remove_prefix(next.bytes);
  }
  return width;
}

std::string Printable(std::string_view text) {
  std::string printable;
  while (!text.empty()) {
    const Character next = FirstOf(text);
    printable += next.valid ? text.substr(0, next.bytes) : "?";
    text.remove_prefix(next.bytes);
  }
  return printable;
}

std::string Cut(std::string_view text, std::size_t width) {
  if (const std::size_t all = BytesThatFit(text, width); all == text.size() || width == 0) {
    return std::string(text.substr(0, all));
  }
  return std::string(text.substr(0, BytesThatFit(text, width - 1))) + "…";
}

std::string Fit(std::string_view text, std::size_t width) {
  std::string fitted = Cut(text, width);
  fitted.append(width - std::min(width, DisplayWidth(fitted)), ' ');
  return fitted;
}

std::vector<std::string> Wrap(std::string_view text, std::size_t width, std::size_t max_lines) {
  std::vector<std::string> lines;
  while (!text.empty() && width > 0 && lines.size() < max_lines) {
    // At least one character, even where a wide one does not fit: no endless loop.
    std::size_t bytes = std::max(BytesThatFit(text, width), FirstOf(text).bytes);
    if (lines.size() + 1 == max_lines) bytes = text.size();
    const std::size_t space = text.rfind(' ', bytes);
    if (bytes < text.size() && space != std::string_view::npos && space > 0) bytes = space;
    lines.push_back(Cut(text.substr(0, bytes), width));
    text.remove_prefix(bytes);
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ')));
  }
  return lines;
}

bool ContainsIgnoringCase(std::string_view text, std::string_view lower_case_part) {
  return std::search(text.begin(), text.end(), lower_case_part.begin(), lower_case_part.end(),
                     [](char a, char b) {
                       return std::tolower(static_cast<unsigned char>(a)) == static_cast<unsigned char>(b);
                     }) != text.end() ||
         lower_case_part.empty();
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

std::string_view WithoutFirstCharacter(std::string_view text) {
  return text.empty() ? text : text.substr(FirstOf(text).bytes);
}

std::string_view WithoutLastCharacter(std::string_view text) {
  while (!text.empty()) {
    const bool continues = (static_cast<unsigned char>(text.back()) & 0xc0U) == 0x80;
    text.remove_suffix(1);
    if (!continues) break;
  }
  return text;
}

std::string HumanDuration(std::chrono::nanoseconds duration) {
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return std::to_string(seconds) + "s";
  const std::int64_t minutes = seconds / 60;
  if (minutes < 10) return TwoParts(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return std::to_string(minutes) + "m";
  const std::int64_t hours = minutes / 60;
  if (hours < 8) return TwoParts(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return std::to_string(hours) + "h";
  const std::int64_t days = hours / 24;
  if (days < 8) return TwoParts(days, 'd', hours % 24, 'h');
  if (days < 2 * 365) return std::to_string(days) + "d";
  if (days < 8 * 365) return TwoParts(days / 365, 'y', days % 365, 'd');
  return std::to_string(days / 365) + "y";
}
