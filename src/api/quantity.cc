#include <kinformer/api/quantity.h>

#include <limits>
#include <utility>

#include "src/api/amount.h"

namespace kinformer::api {
namespace {

using internal::Amount;
using internal::Int128;
using internal::ParseAmount;

constexpr Int128 kUnit = 1000 * 1000 * 1000;

/// nanos / divisor, rounded away from zero.
std::optional<std::int64_t> Scaled(const std::optional<Amount>& amount, Int128 divisor) {
  if (!amount) return std::nullopt;
  Int128 value = amount->nanos / divisor;
  const Int128 remainder = amount->nanos % divisor;
  if (remainder != 0) value += remainder > 0 ? 1 : -1;
  using Limits = std::numeric_limits<std::int64_t>;
  if (value < Limits::min() || value > Limits::max()) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

Quantity FromAmount(const Amount& amount) {
  if (amount.nanos > internal::MaxNanos() || amount.nanos < -internal::MaxNanos()) return Quantity(std::string_view());
  return Quantity(FormatAmount(amount));
}

}  // namespace

Quantity::Quantity(Quantity&& other) noexcept : Quantity() {
  std::swap(text_, other.text_);
  std::swap(is_number_, other.is_number_);
}

Quantity& Quantity::operator=(Quantity&& other) noexcept {
  Quantity moved(std::move(other));
  std::swap(text_, moved.text_);
  std::swap(is_number_, moved.is_number_);
  return *this;
}

Quantity Quantity::FromNumber(std::string_view text) {
  Quantity quantity(text);
  quantity.is_number_ = true;
  return quantity;
}

bool Quantity::IsValid() const { return ParseAmount(text_.value).has_value(); }

std::optional<std::int64_t> Quantity::Value() const { return Scaled(ParseAmount(text_.value), kUnit); }
std::optional<std::int64_t> Quantity::MilliValue() const { return Scaled(ParseAmount(text_.value), kUnit / 1000); }

std::optional<double> Quantity::ToDouble() const {
  const auto amount = ParseAmount(text_.value);
  if (!amount) return std::nullopt;
  return static_cast<double>(amount->nanos) / static_cast<double>(kUnit);
}

int Quantity::Sign() const {
  const auto amount = ParseAmount(text_.value);
  if (!amount || amount->nanos == 0) return 0;
  return amount->nanos < 0 ? -1 : 1;
}

std::string Quantity::Canonical() const {
  const auto amount = ParseAmount(text_.value);
  return amount ? FormatAmount(*amount) : text_.value;
}

Quantity Quantity::Combine(const Quantity& a, const Quantity& b, bool subtract) {
  const auto left = ParseAmount(a.text_.value);
  const auto right = ParseAmount(b.text_.value);
  if (!left || !right) return Quantity(std::string_view());
  return FromAmount({.nanos = subtract ? left->nanos - right->nanos : left->nanos + right->nanos,
                     .notation = left->nanos == 0 ? right->notation : left->notation});
}

Quantity Quantity::operator-() const {
  const auto amount = ParseAmount(text_.value);
  if (!amount) return Quantity(std::string_view());
  return FromAmount({.nanos = -amount->nanos, .notation = amount->notation});
}

Quantity Quantity::operator*(std::int64_t factor) const {
  const auto amount = ParseAmount(text_.value);
  Int128 product = 0;
  if (!amount || __builtin_mul_overflow(amount->nanos, Int128{factor}, &product)) return Quantity(std::string_view());
  return FromAmount({.nanos = product, .notation = amount->notation});
}

bool Quantity::Equal(const Quantity& a, const Quantity& b) {
  if (a.text_.value == b.text_.value) return true;
  const auto left = ParseAmount(a.text_.value);
  const auto right = ParseAmount(b.text_.value);
  return left && right && left->nanos == right->nanos;
}

std::partial_ordering Quantity::Compare(const Quantity& a, const Quantity& b) {
  const auto left = ParseAmount(a.text_.value);
  const auto right = ParseAmount(b.text_.value);
  if (!left || !right) {
    return a.text_.value == b.text_.value ? std::partial_ordering::equivalent : std::partial_ordering::unordered;
  }
  if (left->nanos == right->nanos) return std::partial_ordering::equivalent;
  return left->nanos < right->nanos ? std::partial_ordering::less : std::partial_ordering::greater;
}

}  // namespace kinformer::api
