#include "src/schema/formats.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>

#include <kinformer/meta/time.h>

namespace kinformer::apiserver {
namespace {

__extension__ using Wide = __int128;

constexpr int kMaxDigits = 18;
constexpr int kMaxTen = 36;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsAddress(int family, std::string_view text) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return inet_pton(family, std::string(text).c_str(), address.data()) == 1;
}

bool IsCidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view bits = text.substr(slash + 1);
  int value = 0;
  const auto [end, failed] = std::from_chars(bits.data(), bits.data() + bits.size(), value);
  if (failed != std::errc() || end != bits.data() + bits.size() || bits.size() > 3 || value < 0) return false;
  const std::string_view address = text.substr(0, slash);
  return (IsAddress(AF_INET, address) && value <= 32) || (IsAddress(AF_INET6, address) && value <= 128);
}

bool IsUuid(std::string_view text) {
  std::size_t digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '-' && (i == 8 || i == 13 || i == 18 || i == 23)) continue;
    if (std::isxdigit(static_cast<unsigned char>(text[i])) == 0) return false;
    ++digits;
  }
  return digits == 32 && (text.size() == 36 || text.size() == 32);
}

Wide Ten(int exponent) {
  Wide power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

std::string Decimal(Wide value) {
  if (value == 0) return "0";
  std::string text;
  const bool negative = value < 0;
  for (Wide rest = negative ? -value : value; rest > 0; rest /= 10)
    text += static_cast<char>('0' + static_cast<int>(rest % 10));
  if (negative) text += '-';
  std::reverse(text.begin(), text.end());
  return text;
}

/// Normalizes mantissa * 10^exponent: the exponent is a multiple of three, the mantissa as short as possible.
std::string CanonicalDecimal(Wide mantissa, int exponent, bool scientific) {
  if (mantissa == 0) return "0";
  while (mantissa % 10 == 0) {
    mantissa /= 10;
    ++exponent;
  }
  // The finest unit is one billionth: round away from zero.
  while (exponent < -9) {
    mantissa = mantissa > 0 ? (mantissa + 9) / 10 : (mantissa - 9) / 10;
    ++exponent;
  }
  while (mantissa % 10 == 0) {
    mantissa /= 10;
    ++exponent;
  }
  while (exponent % 3 != 0 || exponent > 18) {
    mantissa *= 10;
    --exponent;
  }
  std::string text = Decimal(mantissa);
  if (exponent == 0) return text;
  if (scientific) return text + "e" + std::to_string(exponent);
  constexpr std::string_view suffixes = "num kMGTPE";
  return text + suffixes[static_cast<std::size_t>(exponent / 3 + 3)];
}

std::string CanonicalBinary(Wide value) {
  int shift = 0;
  while (value != 0 && value % 1024 == 0 && shift < 6) {
    value /= 1024;
    ++shift;
  }
  constexpr std::string_view suffixes = " KMGTPE";
  return Decimal(value) + (shift == 0 ? "" : std::string(1, suffixes[static_cast<std::size_t>(shift)]) + "i");
}

}  // namespace

bool IsBase64(std::string_view text) {
  if (text.size() % 4 != 0) return false;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  return std::all_of(text.begin(), text.end() - static_cast<std::ptrdiff_t>(padding),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '/'; });
}

bool HasFormat(std::string_view format, std::string_view text) {
  if (format == "date-time") return ParseTimestamp(text).has_value();
  if (format == "date") return text.size() == 10 && ParseTimestamp(std::string(text) + "T00:00:00Z").has_value();
  if (format == "byte") return IsBase64(text);
  if (format == "ipv4") return IsAddress(AF_INET, text);
  if (format == "ipv6") return IsAddress(AF_INET6, text);
  if (format == "cidr") return IsCidr(text);
  if (format == "uuid") return IsUuid(text);
  return true;
}

std::optional<std::string> CanonicalQuantity(std::string_view text) {
  std::size_t at = 0;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) ++at;
  std::string digits;
  int fraction = 0;
  bool point = false;
  for (; at < text.size() && (IsDigit(text[at]) || (text[at] == '.' && !point)); ++at) {
    if (text[at] == '.') {
      point = true;
      continue;
    }
    digits += text[at];
    if (point) ++fraction;
  }
  if (digits.empty()) return std::nullopt;
  const std::string_view suffix = text.substr(at);
  int exponent = 0;
  int binary = 0;
  bool scientific = false;
  if (suffix.size() == 2 && suffix[1] == 'i') {
    const std::size_t found = std::string_view("KMGTPE").find(suffix[0]);
    if (found == std::string_view::npos) return std::nullopt;
    binary = static_cast<int>(found) + 1;
  } else if (suffix.size() == 1) {
    const std::size_t found = std::string_view("num kMGTPE").find(suffix[0]);
    if (found == std::string_view::npos || suffix[0] == ' ') return std::nullopt;
    exponent = 3 * (static_cast<int>(found) - 3);
  } else if (!suffix.empty()) {
    if (suffix[0] != 'e' && suffix[0] != 'E') return std::nullopt;
    std::string_view number = suffix.substr(1);
    if (number.starts_with('+')) number.remove_prefix(1);
    const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), exponent);
    if (failed != std::errc() || end != number.data() + number.size()) return std::nullopt;
    scientific = true;
  }
  const std::size_t first = digits.find_first_not_of('0');
  digits = first == std::string::npos ? "0" : digits.substr(first);
  const bool countable =
      digits.size() <= kMaxDigits && fraction <= kMaxDigits && exponent < kMaxTen - kMaxDigits && exponent > -kMaxTen;
  if (!countable) return std::string(text);
  Wide mantissa = 0;
  for (const char digit : digits) mantissa = mantissa * 10 + (digit - '0');
  if (negative) mantissa = -mantissa;
  if (binary == 0) return CanonicalDecimal(mantissa, exponent - fraction, scientific);
  const Wide scaled = mantissa * (Wide{1} << (10 * binary));
  const Wide unit = Ten(fraction);
  const bool small = scaled > -1024 * unit && scaled < 1024 * unit;
  // Below 1 Ki, use decimal form to avoid rounding.
  if (small) return CanonicalDecimal(scaled, -fraction, false);
  const Wide whole = scaled / unit;
  const Wide rest = scaled % unit;
  return CanonicalBinary(rest == 0 ? whole : rest > 0 ? whole + 1 : whole - 1);
}

}  // namespace kinformer::apiserver
