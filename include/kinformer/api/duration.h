#ifndef KINFORMER_API_DURATION_H_
#define KINFORMER_API_DURATION_H_

#include <chrono>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <kinformer/api/text.h>

namespace kinformer::api {

/// A length of time in Go's notation: "1h30m", "1.5s", "-20ms". The text is kept as it was given.
class Duration {
 public:
  Duration() = default;
  Duration(std::string_view text) : text_(text) {}                      // NOLINT(google-explicit-constructor)
  Duration(const char* text) : text_(std::string_view(text)) {}         // NOLINT(google-explicit-constructor)
  Duration(const std::string& text) : text_(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)
  /// As Go prints it: 90 s is "1m30s".
  template <typename Rep, typename Period>
  requires(std::convertible_to<std::chrono::duration<Rep, Period>, std::chrono::nanoseconds>)
      Duration(std::chrono::duration<Rep, Period> duration)  // NOLINT(google-explicit-constructor)
      : text_(Format(duration)) {}
  Duration(std::nullptr_t) = delete;  // NOLINT(google-explicit-constructor)

  const std::string& text() const { return text_.value; }
  /// nullopt if the text is not a duration, or exceeds 64 bits of nanoseconds (292 years).
  std::optional<std::chrono::nanoseconds> ToNanoseconds() const;

  /// The same length; the same text if one of them is not valid.
  friend bool operator==(const Duration& a, const Duration& b) { return Equal(a, b); }

 private:
  static std::string Format(std::chrono::nanoseconds duration);
  static bool Equal(const Duration& a, const Duration& b);

  internal::Text text_{};
};

}  // namespace kinformer::api

#endif  // KINFORMER_API_DURATION_H_
