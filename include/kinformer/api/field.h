#ifndef KINFORMER_API_FIELD_H_
#define KINFORMER_API_FIELD_H_

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <kinformer/api/bytes.h>
#include <kinformer/api/duration.h>
#include <kinformer/api/int_or_string.h>
#include <kinformer/api/quantity.h>
#include <kinformer/api/raw_json.h>
#include <kinformer/api/text.h>
#include <kinformer/api/time.h>

namespace kinformer::api {

/// The type of kNull. Not constructible from {}, which means absent.
struct Null {
  explicit constexpr Null(int /*unused*/) {}
};
/// The type of kEmpty.
struct EmptyValue {
  explicit constexpr EmptyValue(int /*unused*/) {}
};

/// A member that is written as null. In a merge patch, this removes the member.
inline constexpr Null kNull(0);
/// A part, list or map that is present without contents: {} or [].
inline constexpr EmptyValue kEmpty(0);

namespace internal {

enum class State : std::uint8_t { kAbsent, kNull, kValue };

template <typename T>
struct StoredAs {
  using Type = T;
};
template <>
struct StoredAs<std::string> {
  using Type = Text;
};

/// What the interpreters see of a Field<T>. A moved one is absent.
template <typename T>
struct FieldData {
  using Value = typename StoredAs<T>::Type;

  FieldData() = default;
  explicit FieldData(State state_in) : state(state_in) {}
  explicit FieldData(Value&& present) : value(static_cast<Value&&>(present)), state(State::kValue) {}
  FieldData(const FieldData& other) = default;
  FieldData(FieldData&& other) noexcept { Take(other); }
  FieldData& operator=(const FieldData& other) = default;
  FieldData& operator=(FieldData&& other) noexcept {
    FieldData moved(static_cast<FieldData&&>(other));
    value = static_cast<Value&&>(moved.value);
    state = moved.state;
    return *this;
  }
  ~FieldData() = default;

  Value value{};
  State state = State::kAbsent;

 private:
  /// Precondition: this one is absent.
  void Take(FieldData& other) noexcept {
    if (other.state == State::kAbsent) return;
    value = std::exchange(other.value, Value{});
    state = std::exchange(other.state, State::kAbsent);
  }
};

inline const std::string& Stored(const Text& text) { return text.value; }
template <typename T>
const T& Stored(const T& value) {
  return value;
}

/// Numbers that JSON cannot express are equal: all of them are written as null.
bool SameValue(double a, double b);
template <typename T>
bool SameValue(const T& a, const T& b) {
  return a == b;
}

}  // namespace internal

/// A member of a struct that is a text (std::string), std::int64_t, double, bool, Time, MicroTime, Duration, Quantity,
/// IntOrString, Bytes or RawJson: absent, null or a value. Absent by default; `field = {}` makes it absent again, and
/// moving from it leaves it absent.
///
/// Accepts what converts to T without surprises: text from string_view, string and literals; no bool from text or
/// integers, no integer from a double, no text from nullptr.
///
/// @par Thread Safety
/// As an int: const access from any thread, changes by one thread alone.
template <typename T>
class Field {
 public:
  using value_type = T;

  Field() = default;
  Field(Null /*null*/) : data_(internal::State::kNull) {}  // NOLINT(google-explicit-constructor)
  template <typename U>
  requires(!std::same_as<std::remove_cvref_t<U>, Field> && !std::same_as<std::remove_cvref_t<U>, Null> &&
           std::convertible_to<U&&, internal::Arg<T>>) Field(U&& value)  // NOLINT(google-explicit-constructor)
      : data_(Store(std::forward<U>(value))) {}

  bool has_value() const { return data_.state == internal::State::kValue; }
  bool is_null() const { return data_.state == internal::State::kNull; }
  /// has_value(). Not for a bool, where `if (field)` could mean its presence or its value.
  explicit operator bool() const requires(!std::same_as<T, bool>) { return has_value(); }
  explicit operator bool() const requires(std::same_as<T, bool>) = delete;

  /// T{} if there is no value.
  const T& operator*() const { return internal::Stored(data_.value); }
  const T* operator->() const { return &**this; }
  T value_or(internal::Arg<T> otherwise) const {
    if (has_value()) return **this;
    return T(otherwise);
  }

  friend bool operator==(const Field& a, const Field& b) {
    return a.data_.state == b.data_.state && (!a.has_value() || internal::SameValue(*a, *b));
  }
  template <typename U>
  requires(std::same_as<T, std::string> && !std::same_as<U, Field> &&
           std::convertible_to<const U&, internal::TextArg>) friend bool
  operator==(const Field& field, const U& text) {
    return field.has_value() && std::string_view(*field) == std::string_view(internal::TextArg(text));
  }

 private:
  template <typename U>
  static typename internal::StoredAs<T>::Type Store(U&& value) {
    // Not a constructor for std::string&&, which would take {"a", "b"} as a pair of iterators.
    if constexpr (std::same_as<T, std::string> && std::same_as<U, std::string>) {
      return internal::Text(std::forward<U>(value));
    } else {
      return typename internal::StoredAs<T>::Type(static_cast<internal::Arg<T>>(std::forward<U>(value)));
    }
  }

  internal::FieldData<T> data_{};
};

}  // namespace kinformer::api

namespace kinformer {
using api::kEmpty;
using api::kNull;
}  // namespace kinformer

#endif  // KINFORMER_API_FIELD_H_
