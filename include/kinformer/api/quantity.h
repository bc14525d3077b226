#ifndef KINFORMER_API_QUANTITY_H_
#define KINFORMER_API_QUANTITY_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <kinformer/api/text.h>

namespace kinformer::api {

/// An amount of a resource: "500m", "1.5Gi", "12e6". The text is kept as it was given, even a bare number ("cpu": 2),
/// and interpreted on demand, as apimachinery's resource.Quantity does: exact to a billionth, finer amounts are rounded
/// up (away from zero). Magnitudes of 10^28 and more are not valid.
class Quantity {
 public:
  /// Zero.
  Quantity() : Quantity(std::string_view("0")) {}
  Quantity(std::string_view text) : text_(text) {}                      // NOLINT(google-explicit-constructor)
  Quantity(const char* text) : text_(std::string_view(text)) {}         // NOLINT(google-explicit-constructor)
  Quantity(const std::string& text) : text_(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)
  template <internal::Integer I>
  Quantity(I value) : text_(std::to_string(value)) {}  // NOLINT(google-explicit-constructor)
  Quantity(std::nullptr_t) = delete;                   // NOLINT(google-explicit-constructor)
  Quantity(const Quantity& other) = default;
  /// Leaves zero behind.
  Quantity(Quantity&& other) noexcept;
  Quantity& operator=(const Quantity& other) = default;
  Quantity& operator=(Quantity&& other) noexcept;
  ~Quantity() = default;
  /// Written as a JSON number, not as text. Precondition: `text` is a JSON number.
  static Quantity FromNumber(std::string_view text);

  const std::string& text() const { return text_.value; }
  /// True if it came as a JSON number, and is written as one.
  bool IsNumber() const { return is_number_; }
  bool IsValid() const;

  /// The amount, or a thousand times the amount ("500m" is 500), rounded away from zero to an integer. nullopt if the
  /// text is not valid or the result exceeds 64 bits.
  std::optional<std::int64_t> Value() const;
  std::optional<std::int64_t> MilliValue() const;
  /// May lose precision. nullopt if the text is not valid.
  std::optional<double> ToDouble() const;
  /// -1, 0 or 1; 0 if the text is not valid.
  int Sign() const;
  /// The form that Kubernetes writes: "1000m" is "1", "0.5" is "500m", "1024Mi" is "1Gi". The text itself if it is not
  /// valid.
  std::string Canonical() const;

  /// Exact, in canonical form. The result has the left side's notation (binary, decimal, exponent), or the right
  /// side's if the left is zero; beyond 2^63-1, where the binary notation ends, it is decimal. An amount that is not
  /// valid makes the result not valid: its text is "".
  friend Quantity operator+(const Quantity& a, const Quantity& b) { return Combine(a, b, false); }
  friend Quantity operator-(const Quantity& a, const Quantity& b) { return Combine(a, b, true); }
  Quantity operator-() const;
  Quantity operator*(std::int64_t factor) const;
  Quantity& operator+=(const Quantity& other) { return *this = *this + other; }
  Quantity& operator-=(const Quantity& other) { return *this = *this - other; }

  /// By amount: "1000m" equals "1". One that is not valid is unordered, and equal only to the same text.
  friend bool operator==(const Quantity& a, const Quantity& b) { return Equal(a, b); }
  friend std::partial_ordering operator<=>(const Quantity& a, const Quantity& b) { return Compare(a, b); }

 private:
  static Quantity Combine(const Quantity& a, const Quantity& b, bool subtract);
  static bool Equal(const Quantity& a, const Quantity& b);
  static std::partial_ordering Compare(const Quantity& a, const Quantity& b);

  internal::Text text_{};
  bool is_number_ = false;
};

}  // namespace kinformer::api

#endif  // KINFORMER_API_QUANTITY_H_
