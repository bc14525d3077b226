#include "src/client/rest_client.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "src/client/retry_policy.h"
#include "src/codec/status_reader.h"

namespace kinformer::internal {
namespace {

// Enough for any Status; a longer error page is cut.
constexpr std::size_t kErrorBodyLimit = 1U << 20U;

Error Cancelled(const std::optional<Error>& last) {
  Error error{.code = ErrorCode::kCancelled, .message = "stopped"};
  if (last) error.message += " while waiting to try again after: " + ToString(*last);
  return error;
}

std::string ReadErrorBody(ResponseStream& stream, const std::stop_token& stop) {
  std::string body;
  for (;;) {
    Result<ResponsePart> part = Next(stream, stop);
    if (!part) return body;  // what we have must do; the status line tells the rest
    const auto* chunk = std::get_if<std::string>(&*part);
    if (chunk == nullptr) return body;
    body.append(*chunk, 0, kErrorBodyLimit - body.size());
    if (body.size() >= kErrorBodyLimit) return body;
  }
}

}  // namespace

/// What one attempt came to: an answer, or an error and what the server said about trying again.
struct RestClient::Attempt {
  Result<OpenResponse> outcome;
  std::optional<std::chrono::seconds> retry_after_header{};
};

RestClient::RestClient(std::shared_ptr<Transport> transport, std::unique_ptr<Credentials> credentials,
                       RestClientOptions options)
    : transport_(std::move(transport)),
      credentials_(std::move(credentials)),
      options_(std::move(options)),
      limiter_(options_.qps, options_.burst) {}

Result<void> RestClient::AwaitTurn(const std::stop_token& stop) {
  const Duration wait = limiter_.Reserve(options_.clock->Now());
  if (wait > Duration::zero() && !options_.clock->SleepFor(wait, stop)) return Cancelled({});
  return {};
}

RestClient::Attempt RestClient::TryOnce(const Request& request, const CredentialsSnapshot* credentials,
                                        const std::stop_token& stop) {
  Request sent = request;
  if (credentials != nullptr) {
    sent.headers.insert(sent.headers.end(), credentials->headers.begin(), credentials->headers.end());
    sent.tls = credentials->tls;
  }
  std::unique_ptr<ResponseStream> stream = transport_->Start(std::move(sent));
  Result<ResponsePart> part = Next(*stream, stop);
  if (!part) return {.outcome = std::move(part).error()};
  auto* head = std::get_if<ResponseHead>(&*part);
  if (head == nullptr) {
    return {.outcome = Error{.code = ErrorCode::kMalformed, .message = "the answer has no head"}};
  }
  for (const std::string& warning : WarningTexts(head->headers)) {
    options_.logger.Warning("client", "the server warns", {{"text", warning}, {"request", request.method}});
  }
  if (head->status >= 200 && head->status < 300) {
    return {.outcome = OpenResponse{.head = std::move(*head), .stream = std::move(stream)}};
  }
  Error error = ErrorFromResponse(head->status, ReadErrorBody(*stream, stop));
  if (head->status >= 300 && head->status < 400) {
    error.message = "the server redirects, which is not followed (is the server's URL right?)";
  }
  const auto retry_after = RetryAfterHeader(head->headers);
  if (retry_after) error.retry_after = retry_after;
  return {.outcome = std::move(error), .retry_after_header = retry_after};
}

Result<OpenResponse> RestClient::Open(Request request, const std::stop_token& stop) {
  if (options_.compression && !request.resumable) request.headers.emplace_back("Accept-Encoding", "gzip");
  if (!FindHeader(request.headers, "Accept")) request.headers.emplace_back("Accept", "application/json");
  const std::optional<TimePoint> deadline =
      request.timeout.count() > 0 ? std::optional(options_.clock->Now() + request.timeout) : std::nullopt;

  std::optional<Error> last;
  bool refreshed = false;
  for (int retries = 0;;) {
    if (!request.resumable || last) {
      if (Result<void> turn = AwaitTurn(stop); !turn) return Cancelled(last);
    }
    std::optional<CredentialsSnapshot> credentials;
    if (credentials_) {
      Result<CredentialsSnapshot> current = credentials_->Current(stop);
      if (!current) return std::move(current).error();
      credentials = *std::move(current);
    }
    if (deadline) {
      // What is left for this attempt.
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - options_.clock->Now());
      request.timeout = std::max(left, std::chrono::milliseconds(1));
    }
    Attempt attempt = TryOnce(request, credentials ? &*credentials : nullptr, stop);
    if (attempt.outcome) return std::move(attempt.outcome);
    last = attempt.outcome.error();

    // Credentials may have been rotated under us: once, with whatever there is now.
    const bool refused = last->http_status == 401 || last->code == ErrorCode::kTls;
    if (refused && credentials && !refreshed) {
      refreshed = true;
      const Result<bool> changed = credentials_->Refresh(*credentials, stop);
      if (changed && *changed) continue;
      if (!changed && changed.error().code != ErrorCode::kCancelled) {
        return Annotate(*last,
                        "the credentials were refused and could not be renewed (" + changed.error().message + ")");
      }
    }

    const std::optional<Duration> delay = RetryDelay({.method = request.method,
                                                      .is_watch = request.resumable,
                                                      .error = &*last,
                                                      .retry_after_header = attempt.retry_after_header});
    if (!delay || retries >= options_.max_retries) return *last;
    if (deadline && options_.clock->Now() + *delay >= *deadline) return *last;
    ++retries;
    options_.logger.Debug("client", "trying again", {{"after", ToString(*last)}, {"retry", std::to_string(retries)}});
    if (!options_.clock->SleepFor(*delay, stop)) return Cancelled(last);
  }
}

Result<WholeResponse> RestClient::Call(Request request, const std::stop_token& stop) {
  Result<OpenResponse> open = Open(std::move(request), stop);
  if (!open) return std::move(open).error();
  Result<std::string> body = ReadBody(*open->stream, options_.max_response_bytes, stop);
  if (!body) return std::move(body).error();
  return WholeResponse{.head = std::move(open->head), .body = *std::move(body)};
}

}  // namespace kinformer::internal
