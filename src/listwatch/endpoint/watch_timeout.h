#ifndef KINFORMER_SRC_LISTWATCH_ENDPOINT_WATCH_TIMEOUT_H_
#define KINFORMER_SRC_LISTWATCH_ENDPOINT_WATCH_TIMEOUT_H_

#include <algorithm>
#include <chrono>
#include <cstdint>

#include <kinformer/base/clock.h>

namespace kinformer::apiserver {

/// kube-apiserver's --min-request-timeout: a watch without a timeout of its own ends after this plus up to 100 %
/// jitter, so that watches opened together do not end together.
inline constexpr std::chrono::seconds kMinRequestTimeout{1800};
/// Upper limit of timeoutSeconds; also keeps the deadline from overflowing.
inline constexpr std::chrono::seconds kMaxWatchTimeout = std::chrono::hours(366 * 24);

/// When a watch ends. `timeout_seconds`: what the client asks for; zero: the default, negative: at once. `jitter` in
/// [0, 1).
inline TimePoint WatchDeadline(TimePoint now, std::int64_t timeout_seconds, double jitter) {
  if (timeout_seconds == 0) return now + std::chrono::duration_cast<Duration>(kMinRequestTimeout * (1 + jitter));
  return now + std::chrono::seconds(
                   std::clamp<std::int64_t>(timeout_seconds, 0, std::chrono::seconds(kMaxWatchTimeout).count()));
}

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_ENDPOINT_WATCH_TIMEOUT_H_
