#include <kinformer/api/duration.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace kinformer::api {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t nanoseconds;
};
/// Both of Unicode's micro signs, as in Go.
constexpr std::array<Unit, 8> kUnits = {{{"ns", 1},
                                         {"us", 1000},
                                         {"\xC2\xB5s", 1000},
                                         {"\xCE\xBCs", 1000},
                                         {"ms", 1000 * 1000},
                                         {"s", 1000 * 1000 * 1000},
                                         {"m", 60ULL * 1000 * 1000 * 1000},
                                         {"h", 3600ULL * 1000 * 1000 * 1000}}};
/// The magnitude of the smallest duration.
constexpr std::uint64_t kLimit = std::uint64_t{1} << 63U;

bool IsDurationDigit(char c) { return c >= '0' && c <= '9'; }

/// Takes the digits at the front; false if they exceed the limit.
bool TakeWhole(std::string_view& text, std::uint64_t& value) {
  while (!text.empty() && IsDurationDigit(text.front())) {
    const auto digit = static_cast<std::uint64_t>(text.front() - '0');
    if (value > (kLimit - digit) / 10) return false;
    value = value * 10 + digit;
    text.remove_prefix(1);
  }
  return true;
}

/// Takes the digits after a point, as numerator and denominator; drops those that exceed 64 bits, as Go does.
void TakeFraction(std::string_view& text, std::uint64_t& value, double& scale) {
  bool full = false;
  while (!text.empty() && IsDurationDigit(text.front())) {
    const auto digit = static_cast<std::uint64_t>(text.front() - '0');
    text.remove_prefix(1);
    full = full || value > (kLimit - 1) / 10 || value * 10 + digit > kLimit;
    if (full) continue;
    value = value * 10 + digit;
    scale *= 10;
  }
}

/// Takes "1.5h" and adds it to the sum; false if it is malformed or too large.
bool TakeTerm(std::string_view& text, std::uint64_t& sum) {
  const std::size_t size = text.size();
  std::uint64_t whole = 0;
  if (!TakeWhole(text, whole)) return false;
  bool has_digits = text.size() != size;
  std::uint64_t fraction = 0;
  double scale = 1;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::size_t before = text.size();
    TakeFraction(text, fraction, scale);
    has_digits = has_digits || text.size() != before;
  }
  if (!has_digits) return false;
  std::size_t length = 0;
  while (length < text.size() && text[length] != '.' && !IsDurationDigit(text[length])) ++length;
  const auto unit = std::find_if(kUnits.begin(), kUnits.end(),
                                 [&](const Unit& candidate) { return candidate.name == text.substr(0, length); });
  if (unit == kUnits.end()) return false;
  text.remove_prefix(length);
  if (whole > kLimit / unit->nanoseconds) return false;
  std::uint64_t term = whole * unit->nanoseconds;
  if (fraction > 0) {
    // In floating point, for the same last digit as Go's.
    term +=
        static_cast<std::uint64_t>(static_cast<double>(fraction) * (static_cast<double>(unit->nanoseconds) / scale));
    if (term > kLimit) return false;
  }
  sum += term;
  return sum <= kLimit;
}

/// `value` / 10^digits, without trailing zeros.
std::string Decimal(std::uint64_t value, std::size_t digits) {
  std::uint64_t divisor = 1;
  for (std::size_t i = 0; i < digits; ++i) divisor *= 10;
  std::string text = std::to_string(value / divisor);
  std::string fraction = std::to_string(value % divisor);
  fraction.insert(0, digits - std::min(digits, fraction.size()), '0');
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  return fraction.empty() ? text : text + '.' + fraction;
}

}  // namespace

std::optional<std::chrono::nanoseconds> Duration::ToNanoseconds() const {
  std::string_view text = text_.value;
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return std::chrono::nanoseconds(0);
  if (text.empty()) return std::nullopt;
  std::uint64_t sum = 0;
  while (!text.empty()) {
    if (!TakeTerm(text, sum)) return std::nullopt;
  }
  if (is_negative) return std::chrono::nanoseconds(static_cast<std::int64_t>(0 - sum));
  if (sum > kLimit - 1) return std::nullopt;
  return std::chrono::nanoseconds(static_cast<std::int64_t>(sum));
}

std::string Duration::Format(std::chrono::nanoseconds duration) {
  constexpr std::uint64_t kSecond = 1000 * 1000 * 1000;
  const bool is_negative = duration.count() < 0;
  const auto bits = static_cast<std::uint64_t>(duration.count());
  const std::uint64_t magnitude = is_negative ? 0 - bits : bits;
  const std::string sign = is_negative ? "-" : "";
  if (magnitude == 0) return "0s";
  if (magnitude < 1000) return sign + std::to_string(magnitude) + "ns";
  if (magnitude < 1000 * 1000) return sign + Decimal(magnitude, 3) + "\xC2\xB5s";
  if (magnitude < kSecond) return sign + Decimal(magnitude, 6) + "ms";
  const std::uint64_t minutes = magnitude / (60 * kSecond);
  std::string text = sign;
  if (minutes >= 60) text += std::to_string(minutes / 60) + 'h';
  if (minutes > 0) text += std::to_string(minutes % 60) + 'm';
  return text + Decimal(magnitude % (60 * kSecond), 9) + 's';
}

bool Duration::Equal(const Duration& a, const Duration& b) {
  if (a.text_.value == b.text_.value) return true;
  const auto left = a.ToNanoseconds();
  return left && left == b.ToNanoseconds();
}

}  // namespace kinformer::api
