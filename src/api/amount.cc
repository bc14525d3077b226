#include "src/api/amount.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <system_error>

namespace kinformer::api::internal {
namespace {

constexpr int kNanoDigits = 9;
constexpr Int128 kNanosPerUnit = 1000 * 1000 * 1000;
/// Decimal digits of MaxNanos.
constexpr std::size_t kMaxDigits = 37;

struct Suffix {
  int base = 10;
  int exponent = 0;
  Notation notation = Notation::kDecimal;
};

struct NamedSuffix {
  std::string_view name;
  Suffix suffix;
};
constexpr std::array<NamedSuffix, 16> kSuffixes = {{{"", {10, 0, Notation::kDecimal}},
                                                    {"n", {10, -9, Notation::kDecimal}},
                                                    {"u", {10, -6, Notation::kDecimal}},
                                                    {"m", {10, -3, Notation::kDecimal}},
                                                    {"k", {10, 3, Notation::kDecimal}},
                                                    {"M", {10, 6, Notation::kDecimal}},
                                                    {"G", {10, 9, Notation::kDecimal}},
                                                    {"T", {10, 12, Notation::kDecimal}},
                                                    {"P", {10, 15, Notation::kDecimal}},
                                                    {"E", {10, 18, Notation::kDecimal}},
                                                    {"Ki", {2, 10, Notation::kBinary}},
                                                    {"Mi", {2, 20, Notation::kBinary}},
                                                    {"Gi", {2, 30, Notation::kBinary}},
                                                    {"Ti", {2, 40, Notation::kBinary}},
                                                    {"Pi", {2, 50, Notation::kBinary}},
                                                    {"Ei", {2, 60, Notation::kBinary}}}};

std::string_view TakeDigits(std::string_view& text) {
  const std::string_view digits = text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
  text.remove_prefix(digits.size());
  return digits;
}

std::optional<Suffix> ParseSuffix(std::string_view text) {
  for (const NamedSuffix& candidate : kSuffixes) {
    if (candidate.name == text) return candidate.suffix;
  }
  if (text.size() < 2 || (text.front() != 'e' && text.front() != 'E')) return std::nullopt;
  text.remove_prefix(1);
  if (text.front() == '+') {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  Suffix suffix{.notation = Notation::kExponent};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), suffix.exponent);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  // Far beyond what is representable, and safe to calculate with.
  suffix.exponent = std::clamp(suffix.exponent, -1000000, 1000000);
  return suffix;
}

/// Precondition: at most kMaxDigits digits.
Int128 ToInteger(std::string_view digits) {
  Int128 value = 0;
  for (const char c : digits) value = value * 10 + (c - '0');
  return value;
}

/// digits * 10^exponent in nanos, rounded up.
std::optional<Int128> DecimalNanos(std::string digits, std::int64_t exponent) {
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return Int128{0};
  const std::int64_t shift = exponent + kNanoDigits;
  bool round_up = false;
  if (shift < 0) {
    const auto dropped = std::min(static_cast<std::size_t>(-shift), digits.size());
    const std::string_view tail = std::string_view(digits).substr(digits.size() - dropped);
    // All of them, and maybe zeros in front: the number is not zero.
    round_up = tail.find_first_not_of('0') != std::string_view::npos;
    digits.resize(digits.size() - dropped);
  } else {
    if (digits.size() + static_cast<std::size_t>(shift) > kMaxDigits) return std::nullopt;
    digits.append(static_cast<std::size_t>(shift), '0');
  }
  if (digits.size() > kMaxDigits) return std::nullopt;
  return ToInteger(digits) + (round_up ? 1 : 0);
}

/// whole.fraction * 2^exponent in nanos, rounded up and at most 2^63-1 units.
Int128 BinaryNanos(std::string_view whole, std::string_view fraction, int exponent) {
  constexpr Int128 kMax = Int128{std::numeric_limits<std::int64_t>::max()} * kNanosPerUnit;
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
  if (whole.size() > 19) return kMax;
  const Int128 multiplier = (Int128{1} << exponent) * kNanosPerUnit;
  const Int128 integer = ToInteger(whole);
  if (integer > kMax / multiplier) return kMax;
  // fraction * multiplier, from the last digit: each step's quotient is exact but for its remainder.
  Int128 product = 0;
  bool round_up = false;
  for (std::size_t i = fraction.size(); i > 0; --i) {
    product += (fraction[i - 1] - '0') * multiplier;
    round_up = round_up || product % 10 != 0;
    product /= 10;
  }
  return std::min(kMax, integer * multiplier + product + (round_up ? 1 : 0));
}

std::string ToText(Int128 value) {
  std::string text;
  const bool is_negative = value < 0;
  do {
    const int digit = static_cast<int>(value % 10);
    text += static_cast<char>('0' + (digit < 0 ? -digit : digit));
    value /= 10;
  } while (value != 0);
  if (is_negative) text += '-';
  std::reverse(text.begin(), text.end());
  return text;
}

std::string SuffixName(int base, int exponent) {
  for (const NamedSuffix& candidate : kSuffixes) {
    if (candidate.suffix.base == base && candidate.suffix.exponent == exponent) return std::string(candidate.name);
  }
  return "";
}

/// A mantissa that is not a multiple of 1000, or has the largest suffix, and an exponent that is a multiple of 3.
std::string FormatDecimal(Int128 nanos, Notation notation) {
  int exponent = -kNanoDigits;
  while (nanos % 1000 == 0 && (notation == Notation::kExponent || exponent < 18)) {
    nanos /= 1000;
    exponent += 3;
  }
  if (notation == Notation::kDecimal) return ToText(nanos) + SuffixName(10, exponent);
  return exponent == 0 ? ToText(nanos) : ToText(nanos) + 'e' + std::to_string(exponent);
}

}  // namespace

Int128 MaxNanos() {
  static const Int128 max = ToInteger(std::string(kMaxDigits, '9'));
  return max;
}

std::optional<Amount> ParseAmount(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const bool is_negative = text.front() == '-';
  if (is_negative || text.front() == '+') text.remove_prefix(1);
  const std::string_view whole = TakeDigits(text);
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = TakeDigits(text);
  }
  const auto suffix = ParseSuffix(text);
  if (!suffix) return std::nullopt;

  Amount amount{.notation = suffix->notation};
  if (suffix->base == 2) {
    amount.nanos = BinaryNanos(whole, fraction, suffix->exponent);
    if (amount.nanos > 0 && amount.nanos < kNanosPerUnit) amount.notation = Notation::kDecimal;
  } else {
    const auto nanos = DecimalNanos(std::string(whole) + std::string(fraction),
                                    suffix->exponent - static_cast<std::int64_t>(fraction.size()));
    if (!nanos) return std::nullopt;
    amount.nanos = *nanos;
  }
  if (is_negative) amount.nanos = -amount.nanos;
  return amount;
}

std::string FormatAmount(const Amount& amount) {
  if (amount.nanos == 0) return "0";
  constexpr Int128 kSmallestBinary = 1024 * kNanosPerUnit;
  const bool is_small = amount.nanos > -kSmallestBinary && amount.nanos < kSmallestBinary;
  if (amount.notation != Notation::kBinary) return FormatDecimal(amount.nanos, amount.notation);
  if (is_small || amount.nanos % kNanosPerUnit != 0) return FormatDecimal(amount.nanos, Notation::kDecimal);
  Int128 units = amount.nanos / kNanosPerUnit;
  // A larger one would be read as 2^63-1.
  constexpr Int128 kLargestBinary = std::numeric_limits<std::int64_t>::max();
  if (units > kLargestBinary || units < -kLargestBinary) return FormatDecimal(amount.nanos, Notation::kDecimal);
  int exponent = 0;
  while (units % 1024 == 0 && exponent < 60) {
    units /= 1024;
    exponent += 10;
  }
  return exponent == 0 ? ToText(units) : ToText(units) + SuffixName(2, exponent);
}

}  // namespace kinformer::api::internal
