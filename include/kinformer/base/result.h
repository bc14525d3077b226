#ifndef KINFORMER_BASE_RESULT_H_
#define KINFORMER_BASE_RESULT_H_

#include <cassert>
#include <concepts>
#include <functional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include <kinformer/base/error.h>

namespace kinformer {

template <typename T>
class Result;

namespace internal {

template <typename T>
inline constexpr bool kIsResult = false;
template <typename T>
inline constexpr bool kIsResult<Result<T>> = true;

/// What `and_then` returns: the function's own Result.
template <typename Function, typename... Value>
using AndThenResult = std::remove_cvref_t<std::invoke_result_t<Function, Value...>>;
/// What `transform` returns: the function's value in a Result.
template <typename Function, typename... Value>
using TransformResult = Result<std::remove_cv_t<std::invoke_result_t<Function, Value...>>>;

/// Returns Result<void> if the function returns void.
template <typename Function, typename... Value>
TransformResult<Function, Value...> Transformed(Function&& function, Value&&... value) {
  if constexpr (std::is_void_v<std::invoke_result_t<Function, Value...>>) {
    std::invoke(std::forward<Function>(function), std::forward<Value>(value)...);
    return {};
  } else {
    return std::invoke(std::forward<Function>(function), std::forward<Value>(value)...);
  }
}

}  // namespace internal

/// Thrown by Result::value() on an error. It indicates a bug in the caller, which did not check first.
class BadResultAccess : public std::logic_error {
 public:
  explicit BadResultAccess(const Error& error) : std::logic_error("Result has no value: " + ToString(error)) {}
};

/// A T or an Error: the interface of `std::expected`, for C++20.
///
///     auto pod = client.For<Pod>().Get({"default", "web-0"});
///     if (!pod) return pod.error();
///     Use(*pod);
///
/// Both constructors are implicit, so that functions can return a value or an Error directly. KI_TRY in base/try.h
/// returns an error to the caller in one line.
///
/// A Result<bool> does not convert to bool: `if (result)` could mean its success or its value. Use ok() and `*`.
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
  explicit operator bool() const noexcept requires(!std::same_as<T, bool>) { return ok(); }
  explicit operator bool() const noexcept requires(std::same_as<T, bool>) = delete;

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
  template <typename U>
  T value_or(U&& otherwise) && {
    return ok() ? *std::move(*this) : static_cast<T>(std::forward<U>(otherwise));
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

  /// Returns `function(value)`, which must be a Result; an error is returned unchanged.
  template <typename Function>
  auto and_then(Function&& function) & -> internal::AndThenResult<Function, T&> {
    return AndThen(*this, std::forward<Function>(function));
  }
  template <typename Function>
  auto and_then(Function&& function) const& -> internal::AndThenResult<Function, const T&> {
    return AndThen(*this, std::forward<Function>(function));
  }
  template <typename Function>
  auto and_then(Function&& function) && -> internal::AndThenResult<Function, T&&> {
    return AndThen(std::move(*this), std::forward<Function>(function));
  }

  /// Returns `function(value)` wrapped in a Result; an error is returned unchanged.
  template <typename Function>
  auto transform(Function&& function) & -> internal::TransformResult<Function, T&> {
    if (!ok()) return error();
    return internal::Transformed(std::forward<Function>(function), **this);
  }
  template <typename Function>
  auto transform(Function&& function) const& -> internal::TransformResult<Function, const T&> {
    if (!ok()) return error();
    return internal::Transformed(std::forward<Function>(function), **this);
  }
  template <typename Function>
  auto transform(Function&& function) && -> internal::TransformResult<Function, T&&> {
    if (!ok()) return std::move(*this).error();
    return internal::Transformed(std::forward<Function>(function), *std::move(*this));
  }

  /// Returns the value unchanged or `function(error)`, which must be a Result<T> or an Error.
  template <typename Function>
  Result or_else(Function&& function) const& {
    if (ok()) return *this;
    return std::invoke(std::forward<Function>(function), error());
  }
  template <typename Function>
  Result or_else(Function&& function) && {
    if (ok()) return std::move(*this);
    return std::invoke(std::forward<Function>(function), std::move(*this).error());
  }

 private:
  template <typename Self, typename Function>
  static auto AndThen(Self&& self, Function&& function) {
    using Next = internal::AndThenResult<Function, decltype(*std::forward<Self>(self))>;
    static_assert(internal::kIsResult<Next>, "the function given to and_then must return a Result");
    if (!self.ok()) return Next(std::forward<Self>(self).error());
    return Next(std::invoke(std::forward<Function>(function), *std::forward<Self>(self)));
  }

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

/// Success or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

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

  /// Like those of Result<T>, with functions that take no argument.
  template <typename Function>
  auto and_then(Function&& function) const& -> internal::AndThenResult<Function> {
    return AndThen(*this, std::forward<Function>(function));
  }
  template <typename Function>
  auto and_then(Function&& function) && -> internal::AndThenResult<Function> {
    return AndThen(std::move(*this), std::forward<Function>(function));
  }
  template <typename Function>
  auto transform(Function&& function) const& -> internal::TransformResult<Function> {
    if (!ok()) return error();
    return internal::Transformed(std::forward<Function>(function));
  }
  template <typename Function>
  auto transform(Function&& function) && -> internal::TransformResult<Function> {
    if (!ok()) return std::move(*this).error();
    return internal::Transformed(std::forward<Function>(function));
  }
  template <typename Function>
  Result or_else(Function&& function) const& {
    if (ok()) return {};
    return std::invoke(std::forward<Function>(function), error());
  }
  template <typename Function>
  Result or_else(Function&& function) && {
    if (ok()) return {};
    return std::invoke(std::forward<Function>(function), std::move(*this).error());
  }

 private:
  template <typename Self, typename Function>
  static auto AndThen(Self&& self, Function&& function) {
    using Next = internal::AndThenResult<Function>;
    static_assert(internal::kIsResult<Next>, "the function given to and_then must return a Result");
    if (!self.ok()) return Next(std::forward<Self>(self).error());
    return Next(std::invoke(std::forward<Function>(function)));
  }

  std::variant<std::monostate, Error> state_;
};

}  // namespace kinformer

#endif  // KINFORMER_BASE_RESULT_H_
