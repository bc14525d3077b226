#ifndef KINFORMER_SRC_CLIENT_REST_CLIENT_H_
#define KINFORMER_SRC_CLIENT_REST_CLIENT_H_

// In:     requests without credentials, from any thread
// Out:    successful answers, or one Error that says what the last attempt met
// Thread: the caller's, which blocks (but for Start)
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

#include "src/client/credentials.h"
#include "src/client/rate_limiter.h"
#include "src/client/redactor.h"

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

/// A successful answer whose head has arrived; the body comes out of the stream.
struct OpenResponse {
  ResponseHead head;
  std::unique_ptr<ResponseStream> stream;
};

struct WholeResponse {
  ResponseHead head;
  std::string body;
};

/// Requests with credentials, the rate limit, retries, and server errors as Errors.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class RestClient {
 public:
  /// `credentials` may be null: nothing is added then.
  RestClient(std::shared_ptr<Transport> transport, std::unique_ptr<Credentials> credentials, RestClientOptions options);

  /// Up to the head of a 2xx answer. `request.resumable` marks a watch, whose first attempt no rate limit delays.
  Result<OpenResponse> Open(Request request, const std::stop_token& stop);
  /// The whole answer. `request.timeout` bounds the call with all its attempts.
  Result<WholeResponse> Call(Request request, const std::stop_token& stop);

  /// The same without waiting and without retries, for callers who must not block and back off by themselves: errors,
  /// refusals of the server among them, come out of the stream; a 2xx answer comes out from its head on. The rate limit
  /// does not apply. The stream keeps `client`.
  ///
  /// Blocks all the same where credentials must be read anew or the exec plugin has to run, which is rare: before the
  /// request, and in TryNext after a 401 or a failed handshake, so that the caller's next attempt has the new ones.
  static std::unique_ptr<ResponseStream> Start(std::shared_ptr<RestClient> client, Request request);

  const std::shared_ptr<const Clock>& clock() const { return options_.clock; }
  /// For errors that quote an answer's body. Those of the functions above are without secrets already.
  std::shared_ptr<const Redactor> redactor() const { return redactor_; }

 private:
  struct Attempt;
  class StartedStream;
  /// What every request carries, whichever way it is sent.
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
