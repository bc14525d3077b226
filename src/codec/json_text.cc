#include "src/codec/json_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <system_error>

#include "src/base/utf8.h"

namespace kinformer::internal {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::size_t SkipDigits(std::string_view text, std::size_t pos) {
  while (pos < text.size() && IsDigit(text[pos])) ++pos;
  return pos;
}

/// Precondition: `number` follows the grammar. Avoids strtod, whose decimal point depends on the locale.
bool OverflowsDouble(std::string_view number) {
  double value = 0;
  if (std::from_chars(number.data(), number.data() + number.size(), value).ec != std::errc::result_out_of_range) {
    return std::isinf(value);
  }
  // Out of range at either end: the power of ten of the first nonzero digit tells which.
  const std::size_t exponent_at = std::min(number.find_first_of("eE"), number.size());
  const std::string_view mantissa = number.substr(0, exponent_at);
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  long long exponent = 0;
  if (exponent_at < number.size()) {
    std::string_view digits = number.substr(exponent_at + 1);
    const bool negative = digits.front() == '-';
    if (negative || digits.front() == '+') digits.remove_prefix(1);
    if (std::from_chars(digits.data(), digits.data() + digits.size(), exponent).ec != std::errc()) return !negative;
    if (negative) exponent = -exponent;
  }
  return exponent > static_cast<long long>(first) - static_cast<long long>(point);
}

bool IsHighSurrogate(std::uint32_t code) { return code >= 0xD800U && code <= 0xDBFFU; }
bool IsLowSurrogate(std::uint32_t code) { return code >= 0xDC00U && code <= 0xDFFFU; }

void AppendUtf8(std::uint32_t code, std::string& out) {
  const auto byte = [&out](std::uint32_t value) { out.push_back(static_cast<char>(value)); };
  if (code < 0x80U) {
    byte(code);
  } else if (code < 0x800U) {
    byte(0xC0U | (code >> 6U));
    byte(0x80U | (code & 0x3FU));
  } else if (code < 0x10000U) {
    byte(0xE0U | (code >> 12U));
    byte(0x80U | ((code >> 6U) & 0x3FU));
    byte(0x80U | (code & 0x3FU));
  } else {
    byte(0xF0U | (code >> 18U));
    byte(0x80U | ((code >> 12U) & 0x3FU));
    byte(0x80U | ((code >> 6U) & 0x3FU));
    byte(0x80U | (code & 0x3FU));
  }
}

}  // namespace

std::optional<std::uint32_t> ParseHex4(const char* text) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = text[i];
    std::uint32_t digit = 0;
    if (IsDigit(c)) {
      digit = static_cast<std::uint32_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<std::uint32_t>(c - 'a') + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = static_cast<std::uint32_t>(c - 'A') + 10;
    } else {
      return std::nullopt;
    }
    value = value * 16 + digit;
  }
  return value;
}

std::size_t EscapeLength(std::string_view text) {
  if (text.size() < 2) return 0;
  switch (text[1]) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
      return 2;
    case 'u':
      break;
    default:
      return 0;
  }
  if (text.size() < 6) return 0;
  const auto first = ParseHex4(text.data() + 2);
  if (!first || IsLowSurrogate(*first)) return 0;
  if (!IsHighSurrogate(*first)) return 6;
  if (text.size() < 12 || text[6] != '\\' || text[7] != 'u') return 0;
  const auto second = ParseHex4(text.data() + 8);
  return second && IsLowSurrogate(*second) ? 12 : 0;
}

std::size_t NumberLength(std::string_view text) {
  std::size_t pos = 0;
  if (pos < text.size() && text[pos] == '-') ++pos;
  if (pos == text.size() || !IsDigit(text[pos])) return 0;
  if (text[pos] == '0') {
    ++pos;
  } else {
    pos = SkipDigits(text, pos);
  }
  bool may_overflow = pos > 300;
  if (pos < text.size() && text[pos] == '.') {
    const std::size_t digits = pos + 1;
    pos = SkipDigits(text, digits);
    if (pos == digits) return 0;
  }
  if (pos < text.size() && (text[pos] == 'e' || text[pos] == 'E')) {
    ++pos;
    if (pos < text.size() && (text[pos] == '+' || text[pos] == '-')) ++pos;
    const std::size_t digits = pos;
    pos = SkipDigits(text, digits);
    if (pos == digits) return 0;
    may_overflow = true;
  }
  return may_overflow && OverflowsDouble(text.substr(0, pos)) ? 0 : pos;
}

void AppendUnescaped(std::string_view inside, std::string& out) {
  std::size_t pos = 0;
  while (pos < inside.size()) {
    const std::size_t escape = inside.find('\\', pos);
    if (escape == std::string_view::npos || escape + 1 >= inside.size()) {
      out.append(inside.substr(pos));
      return;
    }
    out.append(inside.substr(pos, escape - pos));
    pos = escape + 2;
    switch (const char c = inside[escape + 1]; c) {
      case 'b':
        out.push_back('\b');
        break;
      case 'f':
        out.push_back('\f');
        break;
      case 'n':
        out.push_back('\n');
        break;
      case 'r':
        out.push_back('\r');
        break;
      case 't':
        out.push_back('\t');
        break;
      case 'u': {
        const std::size_t length = EscapeLength(inside.substr(escape));
        if (length < 6) break;
        std::uint32_t code = ParseHex4(inside.data() + escape + 2).value_or(0);
        if (length == 12) {
          const std::uint32_t low = ParseHex4(inside.data() + escape + 8).value_or(0);
          code = 0x10000U + ((code - 0xD800U) << 10U) + (low - 0xDC00U);
        }
        AppendUtf8(code, out);
        pos = escape + length;
        break;
      }
      default:
        out.push_back(c);
    }
  }
}

std::string Unescape(std::string_view inside) {
  std::string out;
  out.reserve(inside.size());
  AppendUnescaped(inside, out);
  return out;
}

void AppendQuoted(std::string_view text, std::string& out) {
  static constexpr char kHex[] = "0123456789abcdef";
  out.push_back('"');
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20U) {
      out.append("\\u00");
      out.push_back(kHex[static_cast<unsigned char>(c) >> 4U]);
      out.push_back(kHex[static_cast<unsigned char>(c) & 0xFU]);
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

void AppendPointerToken(std::string_view name, std::string& pointer) {
  pointer += '/';
  for (const char c : name) {
    if (c == '~' || c == '/') {
      pointer += c == '~' ? "~0" : "~1";
    } else {
      pointer += c;
    }
  }
}

bool KeyEquals(std::string_view inside, std::string_view name) {
  // A backslash in the raw text never stands for itself.
  if (inside == name) return name.find('\\') == std::string_view::npos;
  // Unescaping never makes a string longer, so only a longer raw text can be equal.
  if (inside.size() <= name.size() || inside.find('\\') == std::string_view::npos) return false;
  return Unescape(inside) == name;
}

std::size_t StringEnd(std::string_view text, std::size_t begin) {
  std::size_t pos = begin + 1;
  while (pos < text.size()) {
    const void* found = std::memchr(text.data() + pos, '"', text.size() - pos);
    if (found == nullptr) return text.size();
    const auto quote = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    std::size_t backslashes = 0;
    while (quote - backslashes > begin + 1 && text[quote - backslashes - 1] == '\\') ++backslashes;
    if (backslashes % 2 == 0) return quote + 1;
    pos = quote + 1;
  }
  return text.size();
}

std::string PrintableSnippet(std::string_view text, std::size_t max_bytes) {
  std::string out;
  std::size_t pos = 0;
  while (pos < text.size()) {
    const std::size_t length = Utf8Length(text.substr(pos));
    const auto byte = static_cast<unsigned char>(text[pos]);
    const bool blank = byte <= 0x20U || byte == 0x7FU || (length == 2 && byte == 0xC2U && text[pos + 1] < '\xA0');
    const std::string_view piece = length == 0 ? "?" : blank ? " " : text.substr(pos, length);
    pos += length == 0 ? 1 : length;
    if (blank && (out.empty() || out.back() == ' ')) continue;
    if (out.size() + piece.size() > max_bytes) {
      while (!out.empty() && out.back() == ' ') out.pop_back();
      return out + "...";
    }
    out.append(piece);
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

}  // namespace kinformer::internal
