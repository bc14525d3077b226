#ifndef KINFORMER_CLIENT_RETRY_ON_CONFLICT_H_
#define KINFORMER_CLIENT_RETRY_ON_CONFLICT_H_

#include <chrono>
#include <memory>
#include <stop_token>

#include <kinformer/base/backoff.h>
#include <kinformer/base/clock.h>
#include <kinformer/base/result.h>
#include <kinformer/meta/status_error.h>

namespace kinformer {

/// The defaults are client-go's DefaultRetry: five attempts, 10 ms apart, 10 % jitter.
struct RetryOnConflictOptions {
  int tries = 5;
  BackoffOptions backoff{.initial = std::chrono::milliseconds(10), .factor = 1.0, .jitter = 0.1};
  std::shared_ptr<const Clock> clock = Clock::System();
};

/// Calls `change` until it does not fail with a conflict, at most `tries` times. Each call of `change` must read the
/// object, modify it and write it back. Returns the last Result of `change`; if `stop` interrupts a delay, that is the
/// conflict.
///
///     auto updated = ki::RetryOnConflict([&]() -> ki::Result<Pod> {
///       KI_TRY_ASSIGN(const Pod pod, client.For<Pod>().Get({"default", "web-0"}));
///       nlohmann::json change = pod.ToJson();
///       change["metadata"]["labels"]["seen"] = "yes";
///       return client.For<Pod>().Update(change);
///     });
template <typename Change>
auto RetryOnConflict(Change&& change, const RetryOnConflictOptions& options = {}, const std::stop_token& stop = {})
    -> decltype(change()) {
  Backoff backoff(options.backoff);
  for (int tries_left = options.tries;; --tries_left) {
    auto result = change();
    if (result.ok() || !IsConflict(result.error()) || tries_left <= 1) return result;
    if (!options.clock->SleepFor(backoff.Next(options.clock->Now()), stop)) return result;
  }
}

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_RETRY_ON_CONFLICT_H_
