#include "src/yaml/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

template <std::size_t N>
bool IsOneOf(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 11> kTrue = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                    "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalse = {"n",     "N",     "no",  "No",  "NO", "false",
                                                     "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 3> kNan = {".nan", ".NaN", ".NAN"};
constexpr std::array<std::string_view, 6> kInfinite = {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"};
constexpr std::array<std::string_view, 3> kMinusInfinite = {"-.inf", "-.Inf", "-.INF"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// "2001-1-1", "2001-01-01T12:00:00Z": dates stay strings. Anything that starts like one is not parsed as a number.
bool LooksLikeDate(std::string_view text) {
  return text.size() > 4 && std::all_of(text.begin(), text.begin() + 4, IsDigit) && text[4] == '-';
}

/// Parsed like Go with base 0: prefixes for hexadecimal, octal ("0o7" and "07") and binary.
std::optional<json> WholeNumber(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char kind = text[1];
    base = kind == 'x' || kind == 'X' ? 16 : kind == 'b' || kind == 'B' ? 2 : 8;
    text.remove_prefix(base != 8 || kind == 'o' || kind == 'O' ? 2 : 1);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!negative) return value <= kMost ? json(static_cast<std::int64_t>(value)) : json(value);
  if (value > kMost + 1) return std::nullopt;
  return json(static_cast<std::int64_t>(~value + 1));
}

/// [-+]?(.digits | digits[.digits])[(e|E)[-+]digits]
bool IsFloat(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t begin = i;
    while (i < text.size() && IsDigit(text[i])) ++i;
    return i > begin;
  };
  const auto sign = [&] {
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  };
  sign();
  const bool whole = digits();
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (!digits() && !whole) return false;
  } else if (!whole) {
    return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    sign();
    if (!digits()) return false;
  }
  return i == text.size();
}

std::optional<json> Float(std::string_view text) {
  if (!IsFloat(text)) return std::nullopt;
  if (text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return json(value);
}

}  // namespace

json ResolveYamlScalar(std::string_view text) {
  if (IsOneOf(text, kNull)) return {};
  if (IsOneOf(text, kTrue)) return true;
  if (IsOneOf(text, kFalse)) return false;
  if (IsOneOf(text, kNan)) return std::numeric_limits<double>::quiet_NaN();
  if (IsOneOf(text, kInfinite)) return std::numeric_limits<double>::infinity();
  if (IsOneOf(text, kMinusInfinite)) return -std::numeric_limits<double>::infinity();
  const char first = text.front();
  if (first == '.') {
    if (std::optional<json> number = Float(text)) return *std::move(number);
  } else if ((IsDigit(first) || first == '-' || first == '+') && !LooksLikeDate(text)) {
    std::string plain(text);
    std::erase(plain, '_');
    if (std::optional<json> number = WholeNumber(plain)) return *std::move(number);
    if (std::optional<json> number = Float(plain)) return *std::move(number);
  }
  return text;
}

}  // namespace kinformer::apiserver
