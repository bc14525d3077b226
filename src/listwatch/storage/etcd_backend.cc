#include "src/listwatch/storage/etcd_backend.h"

#include <atomic>
#include <optional>
#include <utility>
#include <variant>

#include "src/base/await_ready.h"
#include "src/codec/frame_splitter.h"
#include "src/listwatch/storage/etcd_page_sizes.h"
#include "src/listwatch/storage/etcd_wire.h"
#include "src/listwatch/storage/storage_errors.h"
#include "src/transport/curl_transport.h"

namespace kinformer::apiserver {
namespace {

constexpr const char* kRange = "/v3/kv/range";
constexpr const char* kTxn = "/v3/kv/txn";
constexpr const char* kCompaction = "/v3/kv/compaction";
constexpr const char* kWatch = "/v3/watch";
constexpr const char* kGrant = "/v3/lease/grant";
constexpr const char* kRevoke = "/v3/lease/revoke";
constexpr const char* kStatus = "/v3/maintenance/status";

/// Blocks until the next part of the stream.
template <typename Part>
Result<Part> Await(PullStream<Part>& stream, const std::stop_token& stop) {
  for (;;) {
    if (stop.stop_requested()) return CancelledError();
    Result<std::optional<Part>> part = stream.TryNext();
    if (!part) return std::move(part).error();
    if (*part) return **std::move(part);
    internal::AwaitReady(stream, stop);
  }
}

/// Whether a request that failed with this error never reached the server.
bool NeverSent(const Error& error) { return error.code == ErrorCode::kUnreachable || error.code == ErrorCode::kTls; }

}  // namespace

/// The members of an etcd, and the one to try first.
class EtcdBackend::Cluster {
 public:
  enum class Progress { kUnknown, kTrue, kNotTrusted };
  struct Endpoint {
    std::unique_ptr<Transport> transport{};
    std::atomic<Progress> progress = Progress::kUnknown;
  };

  explicit Cluster(EtcdBackendOptions o)
      : options(std::move(o)),
        tls(std::make_shared<const TlsMaterial>(TlsMaterial{.ca_pem = options.tls.ca,
                                                            .client_certificate_pem = options.tls.certificate,
                                                            .client_key_pem = Secret(options.tls.key)})) {}

  std::size_t size() const { return endpoints.size(); }
  std::size_t preferred() const { return preferred_; }
  /// That endpoint failed: makes the next one preferred, and returns it.
  std::size_t After(std::size_t endpoint) {
    const std::size_t next = (endpoint + 1) % size();
    preferred_.compare_exchange_strong(endpoint, next);
    return next;
  }

  std::unique_ptr<ResponseStream> Start(std::size_t endpoint, const char* path, std::string body, bool is_watch) {
    Request request;
    request.method = "POST";
    request.target = path;
    // A member without a leader fails, instead of hanging or returning stale data.
    request.headers = {{"Content-Type", "application/json"}, {"Grpc-Metadata-hasleader", "true"}};
    request.body = std::move(body);
    request.resumable = is_watch;
    if (!is_watch) request.timeout = options.request_timeout;
    request.tls = tls;
    return endpoints[endpoint]->transport->Start(std::move(request));
  }

  void Saw(Revision revision) {
    Revision before = seen_;
    while (before < revision && !seen_.compare_exchange_weak(before, revision)) {
    }
  }
  Revision seen() const { return seen_; }

  const EtcdBackendOptions options;
  const TlsMaterialPtr tls;
  std::vector<std::unique_ptr<Endpoint>> endpoints{};
  EtcdPageSizes page_sizes{options.page_bytes};

 private:
  std::atomic<std::size_t> preferred_ = 0;
  std::atomic<Revision> seen_ = 0;
};

/// One request and its response, from the first endpoint that answers. The only part is the response body.
class EtcdBackend::Call final : public PullStream<std::string> {
 public:
  Call(std::shared_ptr<Cluster> cluster, const char* path, std::string body, bool is_write, Revision asked)
      : cluster_(std::move(cluster)),
        path_(path),
        body_(std::move(body)),
        is_write_(is_write),
        asked_(asked),
        endpoint_(cluster_->preferred()) {
    Begin();
  }

  Result<std::optional<std::string>> TryNext() override {
    while (stream_ != nullptr) {
      Result<std::optional<ResponsePart>> part = stream_->TryNext();
      if (!part) {
        if (std::optional<Error> error = Broke(std::move(part).error())) return *std::move(error);
        continue;
      }
      if (!*part) return std::optional<std::string>();
      if (auto* head = std::get_if<ResponseHead>(&**part)) {
        status_ = head->status;
      } else if (auto* chunk = std::get_if<std::string>(&**part)) {
        if (answer_.size() + chunk->size() > cluster_->options.max_reply_bytes) {
          stream_.reset();
          return Error{
              .code = ErrorCode::kTooLarge,
              .message = "etcd's answer exceeds " + std::to_string(cluster_->options.max_reply_bytes) + " bytes"};
        }
        answer_ += *chunk;
      } else if (std::optional<Result<std::string>> outcome = Ended()) {
        stream_.reset();
        if (!*outcome) return std::move(*outcome).error();
        return std::optional(**std::move(outcome));
      }
    }
    return std::optional<std::string>();
  }
  void NotifyWhenReady(std::function<void()> ready) override {
    if (stream_ != nullptr) stream_->NotifyWhenReady(std::move(ready));
  }

 private:
  void Begin() {
    ++tries_;
    status_ = 0;
    answer_.clear();
    stream_ = cluster_->Start(endpoint_, path_, body_, /*is_watch=*/false);
  }

  /// False if all endpoints have been tried.
  bool TryAnother() {
    endpoint_ = cluster_->After(endpoint_);
    if (tries_ == cluster_->size()) return false;
    Begin();
    return true;
  }

  /// The final error; nullopt if another endpoint is being tried.
  std::optional<Error> Broke(Error error) {
    const bool safe = NeverSent(error) || !is_write_;
    const bool ours = error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kCancelled;
    if (!ours && safe && TryAnother()) return std::nullopt;
    if (!ours && !safe) cluster_->After(endpoint_);
    stream_.reset();
    if (ours) return error;
    return Error{.code = NeverSent(error) ? ErrorCode::kUnreachable : ErrorCode::kDisconnected,
                 .message = "etcd: " + error.message};
  }

  std::optional<Result<std::string>> Ended() {
    if (status_ == 200) return Result<std::string>(std::move(answer_));
    etcd::ErrorResponse refusal = etcd::ReadErrorResponse(status_, answer_, asked_, cluster_->seen());
    const bool again = refusal.kind == etcd::ErrorResponse::Kind::kNotHere ||
                       (refusal.kind == etcd::ErrorResponse::Kind::kUncertain && !is_write_);
    if (again && TryAnother()) return std::nullopt;
    if (refusal.kind == etcd::ErrorResponse::Kind::kUncertain && is_write_) cluster_->After(endpoint_);
    return Result<std::string>(std::move(refusal.error));
  }

  const std::shared_ptr<Cluster> cluster_;
  const char* const path_;
  const std::string body_;
  const bool is_write_;
  const Revision asked_;
  std::size_t endpoint_;
  std::size_t tries_ = 0;
  std::unique_ptr<ResponseStream> stream_;
  int status_ = 0;
  std::string answer_;
};

/// One page of a range, sized by EtcdPageSizes.
class EtcdBackend::RangeCall final : public PullStream<RangeResult> {
 public:
  RangeCall(std::shared_ptr<Cluster> cluster, RangeQuery query)
      : cluster_(std::move(cluster)), query_(std::move(query)), is_one_key_(!query_.prefix.ends_with('/')) {
    if (!is_one_key_) query_.limit = cluster_->page_sizes.For(query_.prefix, query_.limit);
    Begin();
  }

  Result<std::optional<RangeResult>> TryNext() override {
    for (;;) {
      Result<std::optional<std::string>> body = call_->TryNext();
      if (!body) {
        if (body.error().code != ErrorCode::kTooLarge) return std::move(body).error();
        if (is_one_key_ || query_.limit == 1) return Annotate(std::move(body).error(), "reading " + query_.prefix);
        cluster_->page_sizes.TooLarge(query_.prefix, query_.limit);
        query_.limit /= 2;
        Begin();
        continue;
      }
      if (!*body) return std::optional<RangeResult>();
      Result<RangeResult> result = etcd::ReadRange(**body, query_.revision);
      if (!result) return std::move(result).error();
      cluster_->Saw(result->revision);
      if (!is_one_key_) cluster_->page_sizes.Saw(query_.prefix, result->items.size(), (*body)->size());
      return std::optional(*std::move(result));
    }
  }
  void NotifyWhenReady(std::function<void()> ready) override { call_->NotifyWhenReady(std::move(ready)); }

 private:
  void Begin() { call_.emplace(cluster_, kRange, etcd::RangeBody(query_), /*is_write=*/false, query_.revision); }

  const std::shared_ptr<Cluster> cluster_;
  RangeQuery query_;
  const bool is_one_key_;
  std::optional<Call> call_;
};

/// A watch that moves on to the next endpoint when it breaks.
class EtcdBackend::WatchCall final : public BackendWatch {
 public:
  WatchCall(std::shared_ptr<Cluster> cluster, std::string key, Revision after)
      : cluster_(std::move(cluster)), key_(std::move(key)), delivered_(after), endpoint_(cluster_->preferred()) {
    Begin();
  }

  Result<std::optional<BackendEvents>> TryNext() override {
    while (!end_) {
      // A chunk may contain several lines; return them one at a time.
      const Result<std::optional<std::string_view>> line = splitter_.Next();
      if (!line) {
        End(ExpiredError("The changes since resourceVersion " + std::to_string(delivered_) + " exceed " +
                         std::to_string(cluster_->options.max_frame_bytes) + " bytes: list again."));
      } else if (*line) {
        if (std::optional<BackendEvents> events = TakeLine(**line)) return events;
      } else if (!Pull()) {
        return std::optional<BackendEvents>();
      }
    }
    return *end_;
  }
  void NotifyWhenReady(std::function<void()> ready) override {
    if (!end_) return stream_->NotifyWhenReady(std::move(ready));
    if (ready) ready();
  }
  bool Accepted() const override { return accepted_; }

 private:
  void Begin() {
    ++tries_;
    status_ = 0;
    chunk_.clear();
    answer_.clear();
    splitter_ = internal::FrameSplitter({.max_frame_bytes = cluster_->options.max_frame_bytes});
    // Whether this etcd's progress reports are reliable must be known before the first one arrives.
    asks_version_ = cluster_->endpoints[endpoint_]->progress == Cluster::Progress::kUnknown;
    stream_ = asks_version_ ? cluster_->Start(endpoint_, kStatus, "{}", /*is_watch=*/false)
                            : cluster_->Start(endpoint_, kWatch, etcd::WatchBody(key_, delivered_), /*is_watch=*/true);
  }

  /// False: no data yet.
  bool Pull() {
    Result<std::optional<ResponsePart>> part = stream_->TryNext();
    if (!part) {
      Broke(part.error().message, NeverSent(part.error()));
      return true;
    }
    if (!*part) return false;
    if (auto* head = std::get_if<ResponseHead>(&**part)) {
      status_ = head->status;
    } else if (auto* chunk = std::get_if<std::string>(&**part)) {
      TakeChunk(std::move(*chunk));
    } else if (asks_version_ && status_ == 200) {
      TakeVersion();
    } else if (status_ == 200) {
      Broke("the watch was closed");
    } else {
      Broke(etcd::ReadErrorResponse(status_, answer_, delivered_, cluster_->seen()).error.message);
    }
    return true;
  }

  void TakeChunk(std::string chunk) {
    if (status_ == 200 && !asks_version_) {
      chunk_ = std::move(chunk);
      splitter_.Feed(chunk_);
    } else if (answer_.size() < kMaxAnswerBytes) {
      answer_ += chunk;
    }
  }

  void TakeVersion() {
    const Result<std::string> version = etcd::ReadVersion(answer_);
    const bool is_true = version && etcd::ProgressIsReliableIn(*version);
    cluster_->endpoints[endpoint_]->progress = is_true ? Cluster::Progress::kTrue : Cluster::Progress::kNotTrusted;
    --tries_;
    Begin();
  }

  std::optional<BackendEvents> TakeLine(std::string_view line) {
    Result<etcd::WatchFrame> frame = etcd::ReadWatchFrame(line);
    if (!frame) {
      Broke(frame.error().message);
      return std::nullopt;
    }
    // etcd leaves the connection open in either case; End and Broke close it.
    if (frame->compact_revision > 0 || frame->lacks_before) {
      End(ExpiredError("The resourceVersion for the provided watch is too old."));
      return std::nullopt;
    }
    if (frame->canceled) {
      Broke(frame->why.empty() ? "the watch was cancelled" : frame->why);
      return std::nullopt;
    }
    cluster_->Saw(frame->events.revision);
    accepted_ = true;
    if (frame->created) return std::nullopt;
    tries_ = 0;
    BackendEvents& events = frame->events;
    if (events.events.empty()) {
      const bool trusted = cluster_->endpoints[endpoint_]->progress == Cluster::Progress::kTrue;
      if (!trusted || events.revision <= delivered_) return std::nullopt;
    } else {
      // Drop events that were already delivered before a reconnect.
      std::erase_if(events.events, [&](const BackendEvent& event) { return event.now.mod_revision <= delivered_; });
      if (events.events.empty()) return std::nullopt;
      events.revision = events.events.back().now.mod_revision;
    }
    delivered_ = events.revision;
    return std::move(events);
  }

  void Broke(const std::string& why, bool never_sent = false) {
    cluster_->endpoints[endpoint_]->progress = Cluster::Progress::kUnknown;
    endpoint_ = cluster_->After(endpoint_);
    if (tries_ >= cluster_->size()) {
      End({.code = never_sent ? ErrorCode::kUnreachable : ErrorCode::kDisconnected, .message = "etcd: " + why});
      return;
    }
    cluster_->options.logger.Info("apiserver", "etcd watch moved to another endpoint", {{"why", why}});
    Begin();
  }

  void End(Error error) {
    end_ = std::move(error);
    stream_.reset();
  }

  static constexpr std::size_t kMaxAnswerBytes = 65536;

  const std::shared_ptr<Cluster> cluster_;
  const std::string key_;
  Revision delivered_;
  std::size_t endpoint_;
  std::size_t tries_ = 0;  ///< Since data was last received.
  bool asks_version_ = false;
  bool accepted_ = false;
  std::unique_ptr<ResponseStream> stream_;
  int status_ = 0;
  std::string answer_;
  std::string chunk_;
  internal::FrameSplitter splitter_;
  std::optional<Error> end_;
};

EtcdBackend::EtcdBackend(std::shared_ptr<Cluster> cluster) : cluster_(std::move(cluster)) {}

EtcdBackend::~EtcdBackend() = default;

Result<std::unique_ptr<EtcdBackend>> EtcdBackend::Create(EtcdBackendOptions options) {
  if (options.endpoints.empty())
    return Error{.code = ErrorCode::kInvalidConfig, .message = "no etcd endpoint is given"};
  if (options.tls.certificate.empty() != options.tls.key.empty()) {
    return Error{.code = ErrorCode::kInvalidConfig,
                 .message = "a client certificate for etcd and its key must be given together"};
  }
  for (const std::string& url : options.endpoints) {
    if (options.tls.IsEmpty() || url.starts_with("https://")) continue;
    return Error{.code = ErrorCode::kInvalidConfig,
                 .message = "etcd endpoint " + url + ": must be https://, since a CA or a client certificate is given"};
  }
  auto cluster = std::make_shared<Cluster>(std::move(options));
  for (const std::string& url : cluster->options.endpoints) {
    Result<std::unique_ptr<internal::CurlTransport>> transport =
        internal::CurlTransport::Create({.server = url,
                                         .user_agent = "kinformer-apiserver",
                                         .connect_timeout = cluster->options.connect_timeout,
                                         .logger = cluster->options.logger});
    if (!transport) return Annotate(std::move(transport).error(), "etcd endpoint");
    cluster->endpoints.push_back(std::make_unique<Cluster::Endpoint>());
    cluster->endpoints.back()->transport = *std::move(transport);
  }
  return std::unique_ptr<EtcdBackend>(new EtcdBackend(std::move(cluster)));
}

Result<std::string> EtcdBackend::Send(const char* path, std::string body, bool is_write, Revision asked,
                                      const std::stop_token& stop) {
  if (stop.stop_requested()) return CancelledError();
  Call call(cluster_, path, std::move(body), is_write, asked);
  return Await(call, stop);
}

Result<WriteOutcome> EtcdBackend::Put(const std::string& key, Bytes value, Revision replaces, std::chrono::seconds ttl,
                                      const std::stop_token& stop) {
  if (key.empty() || value == nullptr) {
    return Error{.code = ErrorCode::kInvalidArgument, .message = "a write needs a key and a value"};
  }
  std::int64_t lease = 0;
  if (ttl > std::chrono::seconds(0)) {
    const Result<std::string> granted = Send(kGrant, etcd::GrantBody(ttl), /*is_write=*/true, 0, stop);
    if (!granted) return granted.error();
    const Result<std::int64_t> id = etcd::ReadLease(*granted);
    if (!id) return id.error();
    lease = *id;
  }
  const Result<std::string> body =
      Send(kTxn, etcd::WriteBody(key, value, replaces, lease), /*is_write=*/true, replaces, stop);
  if (!body) return body.error();
  Result<WriteOutcome> outcome = etcd::ReadWrite(*body, key);
  if (outcome && outcome->Written()) cluster_->Saw(outcome->revision);
  // The lease is unused. If revoking it fails, it expires by itself.
  if (lease != 0 && outcome && !outcome->Written()) (void)Send(kRevoke, etcd::RevokeBody(lease), true, 0, stop);
  return outcome;
}

Result<WriteOutcome> EtcdBackend::Delete(const std::string& key, Revision replaces, const std::stop_token& stop) {
  const Result<std::string> body =
      Send(kTxn, etcd::WriteBody(key, nullptr, replaces, 0), /*is_write=*/true, replaces, stop);
  if (!body) return body.error();
  return etcd::ReadWrite(*body, key);
}

Result<std::pair<std::optional<KeyValue>, Revision>> EtcdBackend::Get(const std::string& key,
                                                                      const std::stop_token& stop) {
  Result<RangeResult> range = Range({.prefix = key}, stop);
  if (!range) return std::move(range).error();
  std::optional<KeyValue> found;
  if (!range->items.empty()) found = std::move(range->items.front());
  return std::pair(std::move(found), range->revision);
}

Result<RangeResult> EtcdBackend::Range(const RangeQuery& query, const std::stop_token& stop) {
  if (stop.stop_requested()) return CancelledError();
  RangeCall call(cluster_, query);
  return Await(call, stop);
}

std::unique_ptr<PullStream<RangeResult>> EtcdBackend::StartRange(RangeQuery query) {
  return std::make_unique<RangeCall>(cluster_, std::move(query));
}

Result<Revision> EtcdBackend::CurrentRevision(const std::stop_token& stop) {
  const Result<std::string> body = Send(kRange, etcd::RevisionBody(), /*is_write=*/false, 0, stop);
  if (!body) return body.error();
  return etcd::ReadRevision(*body);
}

std::unique_ptr<BackendWatch> EtcdBackend::Watch(const std::string& prefix, Revision after) {
  return std::make_unique<WatchCall>(cluster_, prefix, after);
}

Result<void> EtcdBackend::Compact(Revision revision, const std::stop_token& stop) {
  const Result<std::string> body = Send(kCompaction, etcd::CompactBody(revision), /*is_write=*/true, revision, stop);
  if (!body) return body.error();
  return {};
}

Result<std::string> EtcdBackend::Version(const std::stop_token& stop) {
  const Result<std::string> body = Send(kStatus, "{}", /*is_write=*/false, 0, stop);
  if (!body) return body.error();
  return etcd::ReadVersion(*body);
}

}  // namespace kinformer::apiserver
