#ifndef KINFORMER_BASE_RESULT_H_
#define KINFORMER_BASE_RESULT_H_

#include <cassert>
#include <concepts>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include <kinformer/base/error.h>

namespace kinformer {

/// Thrown by Result::value() on an error: a mistake of the caller, who did not look first.
class BadResultAccess : public std::logic_error {
 public:
  explicit BadResultAccess(const Error& error) : std::logic_error("Result has no value: " + ToString(error)) {}
};

/// A T, or the Error that stands in its place. `std::expected` in shape, for C++20.
///
///     auto pod = client.For<Pod>().Get("default", "web-0");
///     if (!pod) return pod.error();
///     Use(*pod);
///
/// Both constructors are implicit, so that functions return a value or an Error as they are.
template <typename T>
class [[nodiscard]] Result {
  static_assert(!std::is_reference_v<T> && !std::is_same_v<std::remove_cv_t<T>, Error>);

 public:
  using value_type = T;

  template <typename U = T>
  requires(std::constructible_from<T, U&&>&& std::convertible_to<U&&, T> &&
           !std::same_as<std::remove_cvref_t<U>, Result> && !std::same_as<std::remove_cvref_t<U>, Error>)
      Result(U&& value)
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}            // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  T& value() & {
    if (!ok()) throw BadResultAccess(error());
    return std::get<0>(state_);
  }
  const T& value() const& {
    if (!ok()) throw BadResultAccess(error());
    return std::get<0>(state_);
  }
  T&& value() && {
    if (!ok()) throw BadResultAccess(error());
    return std::get<0>(std::move(state_));
  }
  template <typename U>
  T value_or(U&& otherwise) const& {
    return ok() ? **this : static_cast<T>(std::forward<U>(otherwise));
  }

  /// Precondition: ok().
  T& operator*() & { return *Get(); }
  const T& operator*() const& { return *Get(); }
  T&& operator*() && { return std::move(*Get()); }
  T* operator->() { return Get(); }
  const T* operator->() const { return Get(); }

  /// Precondition: !ok().
  const Error& error() const& {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }
  Error&& error() && {
    assert(!ok());
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  T* Get() {
    assert(ok());
    return std::get_if<0>(&state_);
  }
  const T* Get() const {
    assert(ok());
    return std::get_if<0>(&state_);
  }

  std::variant<T, Error> state_;
};

/// Success, or the Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }
  void value() const {
    if (!ok()) throw BadResultAccess(error());
  }

  /// Precondition: !ok().
  const Error& error() const& {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }
  Error&& error() && {
    assert(!ok());
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  std::variant<std::monostate, Error> state_;
};

}  // namespace kinformer

#endif  // KINFORMER_BASE_RESULT_H_
