#ifndef KINFORMER_API_TIME_H_
#define KINFORMER_API_TIME_H_

#include <chrono>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <kinformer/api/text.h>
#include <kinformer/meta/time.h>

namespace kinformer::api {

namespace internal {
bool SameInstant(std::string_view a, std::string_view b);
}  // namespace internal

/// A point in time, as RFC 3339 text. The text is kept as it was given, so that writing an object back changes neither
/// its fraction nor its time zone; it is converted on demand.
class Time {
 public:
  Time() = default;
  Time(std::string_view text) : text_(text) {}                      // NOLINT(google-explicit-constructor)
  Time(const char* text) : text_(std::string_view(text)) {}         // NOLINT(google-explicit-constructor)
  Time(const std::string& text) : text_(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)
  /// "2024-05-01T12:30:00Z"; fractions of a second are truncated.
  template <typename Duration>
  requires(std::convertible_to<std::chrono::sys_time<Duration>, Timestamp>)
      Time(std::chrono::sys_time<Duration> time)  // NOLINT(google-explicit-constructor)
      : text_(FormatTimestamp(time)) {}
  Time(std::nullptr_t) = delete;  // NOLINT(google-explicit-constructor)

  const std::string& text() const { return text_.value; }
  /// nullopt if the text is not RFC 3339.
  std::optional<Timestamp> ToTimestamp() const { return ParseTimestamp(text_.value); }

  /// The same instant; the same text if one of them is not valid.
  friend bool operator==(const Time& a, const Time& b) { return internal::SameInstant(a.text(), b.text()); }

 private:
  internal::Text text_{};
};

/// A Time that is written with microseconds: "2024-05-01T12:30:00.123456Z", as in a Lease.
class MicroTime {
 public:
  MicroTime() = default;
  MicroTime(std::string_view text) : text_(text) {}                      // NOLINT(google-explicit-constructor)
  MicroTime(const char* text) : text_(std::string_view(text)) {}         // NOLINT(google-explicit-constructor)
  MicroTime(const std::string& text) : text_(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)
  template <typename Duration>
  requires(std::convertible_to<std::chrono::sys_time<Duration>, Timestamp>)
      MicroTime(std::chrono::sys_time<Duration> time)  // NOLINT(google-explicit-constructor)
      : text_(FormatMicroTime(time)) {}
  MicroTime(std::nullptr_t) = delete;  // NOLINT(google-explicit-constructor)

  const std::string& text() const { return text_.value; }
  std::optional<Timestamp> ToTimestamp() const { return ParseTimestamp(text_.value); }

  friend bool operator==(const MicroTime& a, const MicroTime& b) { return internal::SameInstant(a.text(), b.text()); }

 private:
  internal::Text text_{};
};

}  // namespace kinformer::api

#endif  // KINFORMER_API_TIME_H_
