#include "src/client/rest_client.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "src/base/text.h"
#include "src/client/request_target.h"
#include "src/client/retry_policy.h"
#include "src/codec/status_reader.h"
#include "src/config/text.h"

namespace kinformer::internal {
namespace {

// Enough for any Status; longer error pages are truncated.
constexpr std::size_t kErrorBodyLimit = 1U << 20U;

Error Cancelled(const std::optional<Error>& last) {
  Error error{.code = ErrorCode::kCancelled, .message = "stopped"};
  if (last) error.message += " while waiting to try again after: " + ToString(*last);
  return error;
}

/// True for the 404 of the server's router, as opposed to one from a Kubernetes API.
bool IsNoSuchPath(const ResponseHead& head, std::string_view body) {
  return head.status == 404 && Trim(body) == "404 page not found";
}

Error NoSuchResource(const GroupVersionResource& gvr, Error error) {
  const bool may_be_custom = gvr.group.find('.') != std::string::npos;
  error.message = "the server does not have the resource " + gvr.resource + " in " + gvr.ApiVersion() +
                  ": check the version, and " +
                  (may_be_custom ? "that its CustomResourceDefinition is installed" : "the URL of the server");
  return error;
}

/// The error for a non-2xx response to `target`.
Error Refusal(const ResponseHead& head, std::string_view body, std::string_view target) {
  Error error = ErrorFromResponse(head.status, body);
  if (head.status >= 300 && head.status < 400) {
    error.message = "the server redirects, which is not followed (is the server's URL right?)";
  }
  if (IsNoSuchPath(head, body)) {
    if (const std::optional<GroupVersionResource> gvr = ResourceOf(target)) {
      error = NoSuchResource(*gvr, std::move(error));
    }
  }
  if (const auto retry_after = RetryAfterHeader(head.headers)) error.retry_after = retry_after;
  return error;
}

bool IsSuccess(const ResponseHead& head) { return head.status >= 200 && head.status < 300; }

/// True if other credentials might be accepted.
bool CredentialsRefused(const Error& error) { return error.http_status == 401 || error.code == ErrorCode::kTls; }

Error NotRenewed(Error refusal, const Error& why) {
  return Annotate(std::move(refusal), "the credentials were refused and could not be renewed (" + why.message + ")");
}

/// For a user-supplied Transport that returns null.
Error NoStream() { return {.code = ErrorCode::kInternal, .message = "the transport returned no stream"}; }

/// A response of which only a 2xx one is passed on; from any other one an error is made.
class CheckedStream final : public ResponseStream {
 public:
  /// `on_head` is called at most once.
  CheckedStream(std::unique_ptr<ResponseStream> stream, std::string target,
                std::function<void(const ResponseHead&)> on_head)
      : stream_(std::move(stream)), target_(std::move(target)), on_head_(std::move(on_head)) {}

  Result<std::optional<ResponsePart>> TryNext() override {
    for (;;) {
      Result<std::optional<ResponsePart>> part = stream_->TryNext();
      // If an error response breaks off, use what arrived.
      if (!part) return refusal_ ? Refusal(*refusal_, body_, target_) : std::move(part).error();
      if (!*part) return part;
      if (refusal_) {
        const auto* chunk = std::get_if<std::string>(&**part);
        if (chunk != nullptr) body_.append(*chunk, 0, kErrorBodyLimit - body_.size());
        if (chunk == nullptr || body_.size() >= kErrorBodyLimit) return Refusal(*refusal_, body_, target_);
        continue;
      }
      auto* head = std::get_if<ResponseHead>(&**part);
      if (head == nullptr || !on_head_) return part;
      std::exchange(on_head_, nullptr)(*head);
      if (IsSuccess(*head)) return part;
      refusal_ = std::move(*head);
    }
  }

  void NotifyWhenReady(std::function<void()> ready) override { stream_->NotifyWhenReady(std::move(ready)); }
  void Recycle(std::string chunk) override { stream_->Recycle(std::move(chunk)); }

  /// The head of a response that is not 2xx.
  const std::optional<ResponseHead>& refusal() const { return refusal_; }

 private:
  const std::unique_ptr<ResponseStream> stream_;
  const std::string target_;
  std::function<void(const ResponseHead&)> on_head_;
  std::optional<ResponseHead> refusal_;
  std::string body_;
};

}  // namespace

/// The outcome of one attempt: a response, or an error with the server's Retry-After.
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
    options_.logger.Warning("client", "server warning", {{"text", redactor_->Hide(warning)}, {"request", method}});
  }
}

RestClient::Attempt RestClient::TryOnce(const Request& request, const CredentialsSnapshot* credentials,
                                        const std::stop_token& stop) {
  Request sent = request;
  if (credentials != nullptr) Authorize(sent, *credentials);
  std::unique_ptr<ResponseStream> response = transport_->Start(std::move(sent));
  if (response == nullptr) return {.outcome = NoStream()};
  auto stream = std::make_unique<CheckedStream>(std::move(response), request.target,
                                                [&](const ResponseHead& head) { LogWarnings(head, request.method); });
  Result<ResponsePart> part = Next(*stream, stop);
  if (!part) {
    return {.outcome = redactor_->Hide(std::move(part).error()),
            .retry_after_header = stream->refusal() ? RetryAfterHeader(stream->refusal()->headers) : std::nullopt};
  }
  auto* head = std::get_if<ResponseHead>(&*part);
  if (head == nullptr) {
    return {.outcome = Error{.code = ErrorCode::kMalformed, .message = "the response stream has no head"}};
  }
  return {.outcome = OpenResponse{.head = std::move(*head), .stream = std::move(stream)}};
}

Result<OpenResponse> RestClient::Open(Request request, const std::stop_token& stop) {
  AddHeaders(request);
  const TimePoint deadline = request.timeout.count() > 0 ? options_.clock->After(request.timeout) : Clock::kNever;

  std::optional<Error> last;
  bool refreshed = false;
  for (int retries = 0;;) {
    if (!request.resumable || last) {
      if (Result<void> turn = AwaitTurn(stop); !turn) return Cancelled(last);
    }
    std::optional<CredentialsSnapshot> credentials;
    if (credentials_) {
      Result<CredentialsSnapshot> current = credentials_->Current(stop, deadline);
      if (!current) return std::move(current).error();
      credentials = *std::move(current);
    }
    if (deadline != Clock::kNever) {
      // The time left for this attempt.
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - options_.clock->Now());
      request.timeout = std::max(left, std::chrono::milliseconds(1));
    }
    Attempt attempt = TryOnce(request, credentials ? &*credentials : nullptr, stop);
    if (attempt.outcome) return std::move(attempt.outcome);
    last = attempt.outcome.error();

    // Credentials may have been rotated in the meantime: retry once with fresh ones.
    if (CredentialsRefused(*last) && credentials && !refreshed) {
      refreshed = true;
      const Result<bool> changed = credentials_->Refresh(*credentials, stop, deadline);
      if (changed.ok() && *changed) continue;
      if (!changed.ok() && changed.error().code != ErrorCode::kCancelled) return NotRenewed(*last, changed.error());
    }

    const std::optional<Duration> delay = RetryDelay({.method = request.method,
                                                      .is_watch = request.resumable,
                                                      .error = &*last,
                                                      .retry_after_header = attempt.retry_after_header});
    if (!delay || retries >= options_.max_retries) return *last;
    if (options_.clock->After(*delay) >= deadline && deadline != Clock::kNever) return *last;
    ++retries;
    options_.logger.Debug("client", "trying again", {{"after", ToString(*last)}, {"retry", std::to_string(retries)}});
    if (!options_.clock->SleepFor(*delay, stop)) return Cancelled(last);
  }
}

/// A CheckedStream that waits for credentials before sending the request, and for new ones after they were refused.
class RestClient::StartedStream final : public ResponseStream {
 public:
  StartedStream(std::shared_ptr<RestClient> client, Request request)
      : client_(std::move(client)), request_(std::move(request)) {
    TrySend();
  }

  Result<std::optional<ResponsePart>> TryNext() override {
    if (stream_ == nullptr) TrySend();
    if (failed_) return *failed_;
    if (refused_) return TryRenew();
    if (stream_ == nullptr) return std::optional<ResponsePart>();
    Result<std::optional<ResponsePart>> part = stream_->TryNext();
    if (!part) return Fail(std::move(part).error());
    return part;
  }

  void NotifyWhenReady(std::function<void()> ready) override {
    // `ready` may run at once and destroy this stream, and with it the client.
    const std::shared_ptr<RestClient> client = client_;
    if (wait_.waiting()) {
      if (stream_ != nullptr) stream_->NotifyWhenReady(nullptr);
      return client->credentials_->NotifyWhenReady(wait_, std::move(ready));
    }
    wait_.Cancel();
    if (!failed_) return stream_->NotifyWhenReady(std::move(ready));
    if (ready) ready();
  }

  void Recycle(std::string chunk) override {
    if (stream_ != nullptr) stream_->Recycle(std::move(chunk));
  }

 private:
  /// Sends the request if the credentials are available.
  void TrySend() {
    if (failed_) return;
    if (client_->credentials_) {
      std::optional<Result<CredentialsSnapshot>> current = client_->credentials_->TryCurrent(wait_);
      if (!current) return;
      if (!*current) {
        failed_ = std::move(*current).error();
        return;
      }
      credentials_ = **std::move(current);
      client_->Authorize(request_, *credentials_);
    }
    const std::string method = request_.method;
    std::string target = request_.target;
    std::unique_ptr<ResponseStream> response = client_->transport_->Start(std::move(request_));
    if (response == nullptr) {
      failed_ = NoStream();
      return;
    }
    stream_ = std::make_unique<CheckedStream>(
        std::move(response), std::move(target),
        [client = client_.get(), method](const ResponseHead& head) { client->LogWarnings(head, method); });
  }

  Result<std::optional<ResponsePart>> Fail(Error said) {
    Error error = client_->redactor_->Hide(std::move(said));
    if (credentials_ && CredentialsRefused(error)) {
      refused_ = std::move(error);
      return TryRenew();
    }
    failed_ = std::move(error);
    return *failed_;
  }

  /// Returns the error once the credentials have been renewed or could not be.
  Result<std::optional<ResponsePart>> TryRenew() {
    const std::optional<Result<bool>> changed = client_->credentials_->TryRefresh(*credentials_, wait_);
    if (!changed) return std::optional<ResponsePart>();
    failed_ = *std::exchange(refused_, std::nullopt);
    if (!changed->ok()) failed_ = NotRenewed(*std::move(failed_), changed->error());
    return *failed_;
  }

  // First, so that it is destroyed last: it may own the thread that feeds the stream.
  const std::shared_ptr<RestClient> client_;
  Request request_;  ///< Moved from once sent.
  CredentialsWait wait_;
  std::optional<CredentialsSnapshot> credentials_;
  std::unique_ptr<ResponseStream> stream_;  ///< Null until the request is sent.
  std::optional<Error> refused_;            ///< The server's refusal of the credentials, kept while they are renewed.
  std::optional<Error> failed_;
};

std::unique_ptr<ResponseStream> RestClient::Start(std::shared_ptr<RestClient> client, Request request) {
  client->AddHeaders(request);
  return std::make_unique<StartedStream>(std::move(client), std::move(request));
}

Result<WholeResponse> RestClient::Call(Request request, const std::stop_token& stop) {
  Result<OpenResponse> open = Open(std::move(request), stop);
  if (!open) return std::move(open).error();
  Result<std::string> body = ReadBody(*open->stream, options_.max_response_bytes, stop);
  if (!body) return std::move(body).error();
  return WholeResponse{.head = std::move(open->head), .body = *std::move(body)};
}

}  // namespace kinformer::internal
