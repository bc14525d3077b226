#ifndef KINFORMER_API_TEXT_H_
#define KINFORMER_API_TEXT_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace kinformer::api::internal {

/// A std::string whose copying and destruction are compiled once, in the library: generated structs have hundreds.
struct Text {
  Text() noexcept = default;
  explicit Text(std::string_view text);
  explicit Text(std::string&& text) noexcept;
  Text(const Text& other);
  Text(Text&& other) noexcept;
  Text& operator=(const Text& other);
  Text& operator=(Text&& other) noexcept;
  ~Text();

  std::string value{};
};

// What a field, a list or a map accepts for a text, an integer, a number or a bool. They exclude the standard
// conversions that turn a mistake into a value: a pointer into true, 1.5 into 1, nullptr into text.

/// Refers to the caller's text: a parameter type only.
class TextArg {
 public:
  TextArg(const char* text) : text_(text) {}           // NOLINT(google-explicit-constructor)
  TextArg(std::string_view text) : text_(text) {}      // NOLINT(google-explicit-constructor)
  TextArg(const std::string& text) : text_(text) {}    // NOLINT(google-explicit-constructor)
  TextArg(std::nullptr_t) = delete;                    // NOLINT(google-explicit-constructor)
  operator std::string_view() const { return text_; }  // NOLINT(google-explicit-constructor)

 private:
  std::string_view text_;
};

template <typename T>
concept Integer = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
                  !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

/// Not std::uint64_t and std::size_t, whose larger half would become negative.
template <typename T>
concept FitsInt64 = Integer<T> &&(std::signed_integral<T> || sizeof(T) < sizeof(std::int64_t));

class IntArg {
 public:
  template <FitsInt64 I>
  IntArg(I value) : value_(static_cast<std::int64_t>(value)) {}  // NOLINT(google-explicit-constructor)
  operator std::int64_t() const { return value_; }               // NOLINT(google-explicit-constructor)

 private:
  std::int64_t value_;
};

class DoubleArg {
 public:
  template <typename N>
  requires(Integer<N> || std::floating_point<N>) DoubleArg(N value)  // NOLINT(google-explicit-constructor)
      : value_(static_cast<double>(value)) {}
  operator double() const { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  double value_;
};

class BoolArg {
 public:
  template <std::same_as<bool> B>
  BoolArg(B value) : value_(value) {}       // NOLINT(google-explicit-constructor)
  operator bool() const { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  bool value_;
};

template <typename T>
struct ArgFor {
  using Type = T;
};
template <>
struct ArgFor<std::string> {
  using Type = TextArg;
};
template <>
struct ArgFor<std::int64_t> {
  using Type = IntArg;
};
template <>
struct ArgFor<double> {
  using Type = DoubleArg;
};
template <>
struct ArgFor<bool> {
  using Type = BoolArg;
};
template <typename T>
using Arg = typename ArgFor<T>::Type;

}  // namespace kinformer::api::internal

#endif  // KINFORMER_API_TEXT_H_
