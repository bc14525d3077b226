#ifndef KINFORMER_SRC_CLIENT_REST_CLIENT_H_
#define KINFORMER_SRC_CLIENT_REST_CLIENT_H_

// In:     requests without credentials, from any thread
// Out:    successful responses, or the Error of the last attempt
// Thread: the caller's, which blocks (except in Start)
// Next:   ResourceClient, Discovery, LogStream, HttpListerWatcher; below it the Transport

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>
#include <kinformer/base/result.h>
#include <kinformer/transport/transport.h>

#include "src/base/rate_limiter.h"
#include "src/config/credentials.h"
#include "src/config/redactor.h"

namespace kinformer::internal {

struct RestClientOptions {
  double qps = 0;
  int burst = 10;
  int max_retries = 10;
  bool compression = false;
  std::size_t max_response_bytes = 64U << 20U;
  std::shared_ptr<const Clock> clock = Clock::System();
  Logger logger{};
};

/// A successful response whose head has arrived; the body is read from the stream.
struct OpenResponse {
  ResponseHead head;
  std::unique_ptr<ResponseStream> stream;
};

struct WholeResponse {
  ResponseHead head;
  std::string body;
};

/// Sends requests with credentials, rate limiting and retries, and turns server errors into Errors.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class RestClient {
 public:
  /// `credentials` may be null: requests are then sent without.
  RestClient(std::shared_ptr<Transport> transport, std::unique_ptr<Credentials> credentials, RestClientOptions options);

  /// Returns once the head of a 2xx response has arrived. `request.resumable` marks a watch, whose first attempt is
  /// exempt from the rate limit.
  Result<OpenResponse> Open(Request request, const std::stop_token& stop);
  /// Returns the whole response. `request.timeout` bounds the call including all attempts.
  Result<WholeResponse> Call(Request request, const std::stop_token& stop);

  /// Non-blocking and without retries, for callers with their own back-off. All errors, including error responses, are
  /// returned by the stream; a 2xx response is returned starting with its head. The rate limit does not apply. The
  /// stream shares ownership of `client`.
  ///
  /// If credentials must be reloaded or the exec plugin must run, the stream has no data until they are available; the
  /// next TryNext sends the request. After a 401 or a failed TLS handshake, the error is returned only once the
  /// credentials have been renewed, so that the caller's next attempt uses the new ones.
  static std::unique_ptr<ResponseStream> Start(std::shared_ptr<RestClient> client, Request request);

  const std::shared_ptr<const Clock>& clock() const { return options_.clock; }
  /// For errors that quote a response body. Errors of the functions above are already redacted.
  std::shared_ptr<const Redactor> redactor() const { return redactor_; }

 private:
  struct Attempt;
  class StartedStream;
  /// Adds the headers common to all requests.
  void AddHeaders(Request& request) const;
  void Authorize(Request& request, const CredentialsSnapshot& credentials) const;
  void LogWarnings(const ResponseHead& head, const std::string& method) const;
  Attempt TryOnce(const Request& request, const CredentialsSnapshot* credentials, const std::stop_token& stop);
  Result<void> AwaitTurn(const std::stop_token& stop);

  const std::shared_ptr<Transport> transport_;
  const std::unique_ptr<Credentials> credentials_;
  const RestClientOptions options_;
  const std::shared_ptr<Redactor> redactor_ = std::make_shared<Redactor>();
  RateLimiter limiter_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CLIENT_REST_CLIENT_H_
