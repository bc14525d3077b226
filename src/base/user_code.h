#ifndef KINFORMER_SRC_BASE_USER_CODE_H_
#define KINFORMER_SRC_BASE_USER_CODE_H_

// The exception barrier: the only way to call user code. The caller decides what a thrown exception means.

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <kinformer/base/result.h>

namespace kinformer::internal {

/// The text of the exception being handled. Call it only inside a catch block.
std::string ThrownText() noexcept;

/// Runs user code. Returns the text of an exception; nullopt if it threw none.
template <typename Call>
std::optional<std::string> Contain(Call&& call) noexcept {
  try {
    std::forward<Call>(call)();
    return std::nullopt;
  } catch (...) {
    return ThrownText();
  }
}

/// Result<T> of a call that returns a T or a Result<T>.
template <typename Call, typename Returned = std::invoke_result_t<Call>>
using ContainedResult =
    std::conditional_t<kIsResult<Returned>, std::type_identity<Returned>, std::type_identity<Result<Returned>>>;

/// Runs user code that returns a T or a Result<T>. After an exception, returns the Error that `on_throw` makes of its
/// text.
template <typename Call, typename OnThrow>
typename ContainedResult<Call>::type ContainResult(Call&& call, OnThrow&& on_throw) {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Call>>) {
      std::forward<Call>(call)();
      return {};
    } else {
      return std::forward<Call>(call)();
    }
  } catch (...) {
    return Error(std::forward<OnThrow>(on_throw)(ThrownText()));
  }
}

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_BASE_USER_CODE_H_
