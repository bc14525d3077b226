#ifndef KINFORMER_BASE_TRY_H_
#define KINFORMER_BASE_TRY_H_

#include <utility>

#include <kinformer/base/result.h>

/// Macros that return an error from the enclosing function, whose return type must be constructible from an Error, for
/// example any Result.
///
///     ki::Result<void> Restart(const ki::Client& client, const ki::NamespacedName& name) {
///       KI_TRY_ASSIGN(auto pod, client.For<Pod>().Get(name));
///       KI_TRY(client.For<Pod>().Delete(pod.Key()));
///       return {};
///     }
///
/// The expression is evaluated once and may contain commas. An error is moved out of a temporary Result and copied out
/// of a named one.

/// `KI_TRY(expression);` returns the error if the expression, a Result, holds one. A value is discarded.
#define KI_TRY(...) KINFORMER_TRY(KINFORMER_TRY_NAME(__COUNTER__), __VA_ARGS__)

/// `KI_TRY_ASSIGN(auto pod, expression);` also assigns the value to `pod`; without a type, to an existing variable. It
/// expands to several statements: use it only where a declaration is allowed. The first argument must not contain a
/// comma.
#define KI_TRY_ASSIGN(target, ...) KINFORMER_TRY_ASSIGN(KINFORMER_TRY_NAME(__COUNTER__), target, __VA_ARGS__)

// Implementation. The names are unique, so that uses can share a scope or a line, and can be nested.
#define KINFORMER_TRY_JOIN(a, b) a##b
#define KINFORMER_TRY_NAME(number) KINFORMER_TRY_JOIN(kinformer_try_, number)
#define KINFORMER_TRY(result, ...)                                                                          \
  do {                                                                                                      \
    if (auto&& result = (__VA_ARGS__); !result.ok()) return std::forward<decltype(result)>(result).error(); \
  } while (false)
#define KINFORMER_TRY_ASSIGN(result, target, ...)                          \
  auto&& result = (__VA_ARGS__);                                           \
  if (!result.ok()) return std::forward<decltype(result)>(result).error(); \
  target = *std::forward<decltype(result)>(result)

#endif  // KINFORMER_BASE_TRY_H_
