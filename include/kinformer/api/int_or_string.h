#ifndef KINFORMER_API_INT_OR_STRING_H_
#define KINFORMER_API_INT_OR_STRING_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <kinformer/api/text.h>

namespace kinformer::api {

/// An integer or a text: a port's number or name, a count or a percentage.
class IntOrString {
 public:
  IntOrString() = default;
  template <internal::FitsInt64 I>
  IntOrString(I value) : number_(static_cast<std::int64_t>(value)) {}  // NOLINT(google-explicit-constructor)
  IntOrString(std::string_view text) : text_(text), is_text_(true) {}  // NOLINT(google-explicit-constructor)
  IntOrString(const char* text)                                        // NOLINT(google-explicit-constructor)
      : IntOrString(std::string_view(text)) {}
  IntOrString(const std::string& text) : IntOrString(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)
  IntOrString(std::nullptr_t) = delete;                                          // NOLINT(google-explicit-constructor)

  bool IsInt() const { return !is_text_; }
  bool IsText() const { return is_text_; }
  /// Empty if it is an integer.
  const std::string& text() const { return text_.value; }
  /// The integer, or the one that the text spells ("80"); nullopt for any other text.
  std::optional<std::int64_t> ToInt() const;
  /// A count out of `total`: the integer itself, or the percentage ("25%") of total, rounded up or down. nullopt for
  /// any other text.
  std::optional<std::int64_t> ScaledValue(std::int64_t total, bool round_up) const;
  std::string ToString() const;

  /// 80 and "80" differ.
  friend bool operator==(const IntOrString& a, const IntOrString& b) {
    return a.is_text_ == b.is_text_ && a.number_ == b.number_ && a.text_.value == b.text_.value;
  }

 private:
  internal::Text text_{};
  std::int64_t number_ = 0;
  bool is_text_ = false;
};

}  // namespace kinformer::api

#endif  // KINFORMER_API_INT_OR_STRING_H_
