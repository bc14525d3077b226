#ifndef KINFORMER_SRC_CLIENT_RETRY_POLICY_H_
#define KINFORMER_SRC_CLIENT_RETRY_POLICY_H_

#include <optional>
#include <string_view>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/error.h>
#include <kinformer/transport/transport.h>

namespace kinformer::internal {

/// The parts of a failed attempt that matter for a retry.
struct FailedAttempt {
  std::string_view method;
  bool is_watch = false;
  const Error* error = nullptr;
  /// From the Retry-After header; a delay given only in the body does not count.
  std::optional<std::chrono::seconds> retry_after_header;
};

/// The delay before the request is sent again; nullopt: do not retry. As in client-go, a 429 or 5xx is retried only if
/// it has a Retry-After header, and a broken connection only for a GET, after one second. Unlike client-go, a
/// Retry-After of more than ten minutes is not retried.
std::optional<Duration> RetryDelay(const FailedAttempt& attempt);

/// The header's value if it is a whole number of seconds, at most one day. Dates are not supported, as in client-go.
std::optional<std::chrono::seconds> RetryAfterHeader(const std::vector<Header>& headers);

/// The texts of `Warning: 299 - "..."` headers.
std::vector<std::string> WarningTexts(const std::vector<Header>& headers);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CLIENT_RETRY_POLICY_H_
