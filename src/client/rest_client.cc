#include "src/client/rest_client.h"

#include <algorithm>
#include <functional>
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

/// Of an answer that is not 2xx.
Error Refusal(const ResponseHead& head, std::string_view body) {
  Error error = ErrorFromResponse(head.status, body);
  if (head.status >= 300 && head.status < 400) {
    error.message = "the server redirects, which is not followed (is the server's URL right?)";
  }
  if (const auto retry_after = RetryAfterHeader(head.headers)) error.retry_after = retry_after;
  return error;
}

bool IsSuccess(const ResponseHead& head) { return head.status >= 200 && head.status < 300; }

/// Other credentials might have been taken.
bool CredentialsRefused(const Error& error) { return error.http_status == 401 || error.code == ErrorCode::kTls; }

/// In place of a request that could not even be sent.
class FailedStream final : public ResponseStream {
 public:
  explicit FailedStream(Error error) : error_(std::move(error)) {}
  Result<std::optional<ResponsePart>> TryNext() override { return error_; }
  void NotifyWhenReady(std::function<void()> ready) override {
    if (ready) ready();
  }

 private:
  const Error error_;
};

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

void RestClient::AddHeaders(Request& request) const {
  if (options_.compression && !request.resumable) request.headers.emplace_back("Accept-Encoding", "gzip");
  if (!FindHeader(request.headers, "Accept")) request.headers.emplace_back("Accept", "application/json");
}

void RestClient::Authorize(Request& request, const CredentialsSnapshot& credentials) const {
  redactor_->Learn(credentials.headers);
  request.headers.insert(request.headers.end(), credentials.headers.begin(), credentials.headers.end());
  request.tls = credentials.tls;
}

void RestClient::LogWarnings(const ResponseHead& head, const std::string& method) const {
  for (const std::string& warning : WarningTexts(head.headers)) {
    options_.logger.Warning("client", "the server warns", {{"text", redactor_->Hide(warning)}, {"request", method}});
  }
}

RestClient::Attempt RestClient::TryOnce(const Request& request, const CredentialsSnapshot* credentials,
                                        const std::stop_token& stop) {
  Request sent = request;
  if (credentials != nullptr) Authorize(sent, *credentials);
  std::unique_ptr<ResponseStream> stream = transport_->Start(std::move(sent));
  Result<ResponsePart> part = Next(*stream, stop);
  if (!part) return {.outcome = redactor_->Hide(std::move(part).error())};
  auto* head = std::get_if<ResponseHead>(&*part);
  if (head == nullptr) {
    return {.outcome = Error{.code = ErrorCode::kMalformed, .message = "the answer has no head"}};
  }
  LogWarnings(*head, request.method);
  if (IsSuccess(*head)) return {.outcome = OpenResponse{.head = std::move(*head), .stream = std::move(stream)}};
  return {.outcome = redactor_->Hide(Refusal(*head, ReadErrorBody(*stream, stop))),
          .retry_after_header = RetryAfterHeader(head->headers)};
}

Result<OpenResponse> RestClient::Open(Request request, const std::stop_token& stop) {
  AddHeaders(request);
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
    if (CredentialsRefused(*last) && credentials && !refreshed) {
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

/// An answer on its way, whose refusals are errors.
class RestClient::StartedStream final : public ResponseStream {
 public:
  StartedStream(std::shared_ptr<RestClient> client, std::string method, std::optional<CredentialsSnapshot> credentials,
                std::unique_ptr<ResponseStream> stream)
      : client_(std::move(client)),
        method_(std::move(method)),
        credentials_(std::move(credentials)),
        stream_(std::move(stream)) {}

  Result<std::optional<ResponsePart>> TryNext() override {
    for (;;) {
      Result<std::optional<ResponsePart>> part = stream_->TryNext();
      // Of a refusal that breaks off, what we have must do.
      if (!part) return refusal_ ? Refused() : Failed(std::move(part).error());
      if (!*part) return part;
      if (refusal_) {
        const auto* chunk = std::get_if<std::string>(&**part);
        if (chunk == nullptr) return Refused();
        body_.append(*chunk, 0, kErrorBodyLimit - body_.size());
        if (body_.size() >= kErrorBodyLimit) return Refused();
      } else if (auto* head = std::get_if<ResponseHead>(&**part)) {
        client_->LogWarnings(*head, method_);
        if (IsSuccess(*head)) return part;
        refusal_ = std::move(*head);
      } else {
        return part;
      }
    }
  }

  void NotifyWhenReady(std::function<void()> ready) override { stream_->NotifyWhenReady(std::move(ready)); }
  void Recycle(std::string chunk) override { stream_->Recycle(std::move(chunk)); }

 private:
  Error Refused() { return Failed(Refusal(*refusal_, body_)); }

  Error Failed(Error said) {
    Error error = client_->redactor_->Hide(std::move(said));
    if (!credentials_ || !CredentialsRefused(error)) return error;
    const Result<bool> changed = client_->credentials_->Refresh(*credentials_, {});
    if (changed) return error;
    return Annotate(std::move(error),
                    "the credentials were refused and could not be renewed (" + changed.error().message + ")");
  }

  // First, so that it goes last: it may own the thread that feeds the stream.
  const std::shared_ptr<RestClient> client_;
  const std::string method_;
  const std::optional<CredentialsSnapshot> credentials_;
  const std::unique_ptr<ResponseStream> stream_;
  std::optional<ResponseHead> refusal_;
  std::string body_;
};

std::unique_ptr<ResponseStream> RestClient::Start(std::shared_ptr<RestClient> client, Request request) {
  client->AddHeaders(request);
  std::optional<CredentialsSnapshot> credentials;
  if (client->credentials_) {
    Result<CredentialsSnapshot> current = client->credentials_->Current({});
    if (!current) return std::make_unique<FailedStream>(std::move(current).error());
    credentials = *std::move(current);
    client->Authorize(request, *credentials);
  }
  std::string method = request.method;
  std::unique_ptr<ResponseStream> stream = client->transport_->Start(std::move(request));
  return std::make_unique<StartedStream>(std::move(client), std::move(method), std::move(credentials),
                                         std::move(stream));
}

Result<WholeResponse> RestClient::Call(Request request, const std::stop_token& stop) {
  Result<OpenResponse> open = Open(std::move(request), stop);
  if (!open) return std::move(open).error();
  Result<std::string> body = ReadBody(*open->stream, options_.max_response_bytes, stop);
  if (!body) return std::move(body).error();
  return WholeResponse{.head = std::move(open->head), .body = *std::move(body)};
}

}  // namespace kinformer::internal
