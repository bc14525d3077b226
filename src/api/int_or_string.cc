#include <kinformer/api/int_or_string.h>

#include <charconv>
#include <limits>
#include <system_error>

namespace kinformer::api {
namespace {

/// As Go's strconv.Atoi: a sign may come first, and nothing else beside digits.
std::optional<std::int64_t> ParseSignedInt(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::int64_t> IntOrString::ToInt() const {
  if (IsInt()) return number_;
  return ParseSignedInt(text_.value);
}

std::optional<std::int64_t> IntOrString::ScaledValue(std::int64_t total, bool round_up) const {
  if (IsInt()) return number_;
  const std::string_view text = text_.value;
  if (!text.ends_with('%')) return std::nullopt;
  const auto percent = ParseSignedInt(text.substr(0, text.size() - 1));
  if (!percent) return std::nullopt;
  __extension__ using Int128 = __int128;
  const Int128 product = Int128{*percent} * total;
  Int128 scaled = product / 100;
  const Int128 remainder = product % 100;
  if (round_up && remainder > 0) ++scaled;
  if (!round_up && remainder < 0) --scaled;
  using Limits = std::numeric_limits<std::int64_t>;
  if (scaled < Limits::min() || scaled > Limits::max()) return std::nullopt;
  return static_cast<std::int64_t>(scaled);
}

std::string IntOrString::ToString() const { return IsInt() ? std::to_string(number_) : text_.value; }

}  // namespace kinformer::api
