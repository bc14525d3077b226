#ifndef KINFORMER_SRC_CLIENT_RETRY_POLICY_H_
#define KINFORMER_SRC_CLIENT_RETRY_POLICY_H_

#include <optional>
#include <string_view>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/error.h>
#include <kinformer/transport/transport.h>

namespace kinformer::internal {

/// A failed attempt, as far as trying again is concerned.
struct FailedAttempt {
  std::string_view method;
  bool is_watch = false;
  const Error* error = nullptr;
  /// From the Retry-After header; a delay in the body alone does not count.
  std::optional<std::chrono::seconds> retry_after_header;
};

/// How long to wait before the request is sent again; nullopt: not at all. As client-go does it:
/// a server's 429 or 5xx is retried only where it says when, a broken connection only under a GET (after a second).
/// Unlike there, a server that wants a client to wait for more than ten minutes is not obeyed.
std::optional<Duration> RetryDelay(const FailedAttempt& attempt);

/// The header's value where it is a whole number of seconds, a day at the most; dates are not understood, as in
/// client-go.
std::optional<std::chrono::seconds> RetryAfterHeader(const std::vector<Header>& headers);

/// The texts of `Warning: 299 - "..."` headers.
std::vector<std::string> WarningTexts(const std::vector<Header>& headers);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CLIENT_RETRY_POLICY_H_
