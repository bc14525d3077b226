#include "src/apiserver/endpoints/api_handler.h"

#include <algorithm>
#include <random>
#include <utility>

#include "src/apiserver/compression/gzip.h"
#include "src/apiserver/endpoints/list_text.h"
#include "src/apiserver/endpoints/request_body.h"
#include "src/apiserver/endpoints/request_class.h"
#include "src/apiserver/endpoints/request_options.h"
#include "src/apiserver/endpoints/router.h"
#include "src/base/user_code.h"
#include "src/listwatch/storage/storage_errors.h"
#include "src/listwatch/watch/status_text.h"

namespace kinformer::apiserver {
namespace {

/// One generator per thread avoids contention.
double Jitter() {
  thread_local std::minstd_rand random{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(random);
}

const HttpHeader kJson{"Content-Type", "application/json"};

}  // namespace

ApiHandler::ApiHandler(ApiHandlerOptions options, std::shared_ptr<const ResourceTable> resources, WatchServer& watches,
                       TaskPool& pool)
    : options_(std::move(options)),
      resources_(std::move(resources)),
      watches_(watches),
      clock_(pool.clock()),
      discovery_(resources_),
      health_(options_.health_checks),
      verbs_({.resources = resources_,
              .authorizer = options_.authorizer,
              .write_check = options_.write_check,
              .clock = clock_}),
      tracker_(pool, options_.limits),
      pool_(std::make_shared<RequestPool>(options_.request_threads,
                                          std::max<std::size_t>(1, options_.request_threads / 4))) {
  if (options_.ask_storage) {
    probe_.emplace(pool, StorageProbeOptions{.ask = options_.ask_storage, .timeout = options_.storage_timeout});
  }
}

ApiHandler::~ApiHandler() { Stop(); }

void ApiHandler::Start() {
  pool_->Start();
  health_pool_.Start();
  if (probe_) probe_->Start();
}

void ApiHandler::Stop() {
  tracker_.StopAll();
  pool_->Stop();
  health_pool_.Stop();
  if (probe_) probe_->Stop();
}

void ApiHandler::Handle(std::shared_ptr<HttpExchange> exchange) {
  const auto call = std::make_shared<Call>();
  call->exchange = std::move(exchange);
  const HttpRequest& request = call->request();
  if (options_.audit != nullptr) call->audit = std::make_shared<RequestAudit>(options_.audit, clock_, request);
  Result<RequestInfo> info = ParseRequestInfo(request.method, request.path, request.query);
  if (!info) return Send(*call, ErrorReply(std::move(info).error()));
  call->info = *std::move(info);
  if (call->audit != nullptr) call->audit->Set(call->info);
  call->admission = Authenticate(options_.authenticator, request);
  if (call->audit != nullptr) call->audit->Set(call->admission);
  if (call->admission.refusal) return Send(*call, ErrorReply(*std::move(call->admission.refusal)));
  const RequestKind kind = KindOf(call->info);
  call->ticket = tracker_.Begin(kind);
  if (call->ticket == nullptr) return Send(*call, ErrorReply(TooManyRequests()));
  call->exchange->OnClosed([ticket = call->ticket] { ticket->stop.request_stop(); });
  call->lane = LaneOf(call->info);
  RequestPool& pool = kind == RequestKind::kHealth ? health_pool_ : *pool_;
  // A stopped pool drops the call: the server is shutting down, and its connections with it.
  pool.Post([this, call] { Process(call); }, call->lane);
}

template <typename Part>
void ApiHandler::Guard(const Call& call, Part part) {
  if (const auto threw = internal::Contain(part)) {
    options_.logger.Error("apiserver", "a request failed", {{"path", call.info.path}, {"what", *threw}});
    Send(call, ErrorReply(InternalServerError("Internal error occurred")));
  }
}

void ApiHandler::Process(const CallPtr& call) {
  Guard(*call, [&] {
    if (options_.faults != nullptr && options_.faults->OnRequest(call->info, call->exchange)) return;
    Continue(call, Answer(*call));
  });
}

void ApiHandler::Resume(const CallPtr& call) {
  Guard(*call, [&] { Continue(call, Execute(*call)); });
}

void ApiHandler::Continue(const CallPtr& call, std::optional<Reply> reply) {
  if (reply) return Finish(*call, *std::move(reply));
  // After this, another thread may own the call.
  switch (std::exchange(call->pending, Pending::kNothing)) {
    case Pending::kNothing:
      return;
    case Pending::kCache: {
      const Suspension::Wait wait = std::exchange(call->suspension.wait, nullptr);
      // Captures the pool: the handler may be gone by then, and a stopped pool never runs `resume`.
      return wait([pool = pool_, lane = call->lane, resume = std::function<void()>([this, call] { Resume(call); })] {
        pool->Post(resume, lane);
      });
    }
    case Pending::kStorageThread:
      call->lane = RequestLane::kStorage;
      pool_->Post([this, call] { Resume(call); }, call->lane);
      return;
    case Pending::kStorageProbe:
      return probe_->Check([this, call](const Result<void>& answer) {
        Guard(*call, [&] { Finish(*call, health_.Summary(*call, &answer)); });
      });
  }
}

void ApiHandler::Finish(const Call& call, Reply reply) {
  if (options_.faults != nullptr && options_.faults->OnAnswer(call.info, reply.status, call.exchange)) {
    if (call.audit != nullptr) call.audit->Complete(reply.status);
    return;
  }
  Send(call, std::move(reply));
}

std::optional<Reply> ApiHandler::Answer(Call& call) {
  Authorize(options_.authorizer, call.request(), call.info, call.admission);
  if (call.audit != nullptr) call.audit->Set(call.admission);
  if (call.admission.refusal) return ErrorReply(*std::move(call.admission.refusal));
  call.user = std::move(call.admission).TakeUser();
  if (!call.info.is_resource_request) return AnswerNonResource(call);
  return AnswerResource(call);
}

std::optional<Reply> ApiHandler::AnswerResource(Call& call) {
  if (std::optional<Reply> refused = Route(*resources_, call)) return refused;
  if (call.request().method == "HEAD") return ErrorReply(MethodNotAllowed());
  Result<AnswerForm> form = AgreeOnForm(call.request(), call.info, call.kind(), clock_);
  if (!form) return ErrorReply(std::move(form).error());
  call.form = *std::move(form);
  if (call.info.verb != "patch") {
    Result<void> json = MakeJsonBody(call.exchange->request(), call.info, call.kind());
    if (!json) return ErrorReply(std::move(json).error());
  }
  if (call.lane == RequestLane::kMemory && call.store != nullptr && !call.store->storage().AnswersFromMemory()) {
    call.pending = Pending::kStorageThread;
    return std::nullopt;
  }
  return Execute(call);
}

std::optional<Reply> ApiHandler::Execute(Call& call) {
  const std::string& verb = call.info.verb;
  if (verb == "list" || verb == "watch") return ListOrWatch(call);
  Result<Reply> reply = call.create_only   ? verbs_.CreateOnly(call)
                        : verb == "get"    ? verbs_.Get(call)
                        : verb == "create" ? verbs_.Create(call)
                        : verb == "update" ? verbs_.Update(call)
                        : verb == "patch"  ? verbs_.Patch(call)
                        : verb == "delete" ? verbs_.Delete(call)
                                           : verbs_.DeleteCollection(call);
  if (reply) return *std::move(reply);
  return Failed(call, std::move(reply).error());
}

std::optional<Reply> ApiHandler::Failed(Call& call, Error error) {
  if (call.suspension.wait) {
    call.pending = Pending::kCache;
    return std::nullopt;
  }
  return ErrorReply(error.code == ErrorCode::kCancelled ? TimedOut() : std::move(error));
}

std::optional<Reply> ApiHandler::ListOrWatch(Call& call) {
  if (!call.list_resource) {
    Result<CollectionRequest> request = ReadCollectionRequest(call.info);
    if (!request) return ErrorReply(std::move(request).error());
    Result<ListResource> accepted =
        ListResource::Accept(*std::move(request), SelectableFieldCheck(call.store->kind()), clock_->Now(), Jitter());
    if (!accepted) return ErrorReply(std::move(accepted).error());
    call.list_resource = *std::move(accepted);
  }
  Result<ListResource::Answer> answer = call.list_resource->Read(call.store->storage(), &call.suspension, call.stop());
  if (!answer) return Failed(call, std::move(answer).error());
  if (const auto* const list = std::get_if<ObjectList>(&*answer)) {
    return Reply{.status = 200, .headers = {kJson}, .body = ListText(call.store->kind(), *list, call.form)};
  }
  Stream(call, std::get<std::unique_ptr<WatchEventStream>>(*std::move(answer)));
  return std::nullopt;
}

void ApiHandler::Stream(Call& call, std::unique_ptr<WatchEventStream> events) {
  ServeOptions serve = ServeIn(call.form);
  if (options_.faults != nullptr) serve.interceptor = options_.faults->OnWatch(call.info);
  metrics_.Count(call.info, true, 200);
  const bool web_socket = call.request().IsWebSocketUpgrade();
  const int status = web_socket ? 101 : 200;
  if (call.audit != nullptr) {
    call.audit->Start(status);
    serve.until_end = std::shared_ptr<void>(nullptr, [audit = call.audit, status](void*) { audit->Complete(status); });
  }
  if (web_socket) {
    Result<std::shared_ptr<WebSocketStream>> socket = call.exchange->AcceptWebSocket({});
    if (socket) watches_.Serve(std::move(events), *std::move(socket), std::move(serve));
    return;
  }
  std::vector<HttpHeader> headers = {kJson, {"Cache-Control", "no-cache, private"}};
  WarnOfDeprecation(call.kind(), headers);
  if (call.audit != nullptr) headers.push_back({"Audit-Id", call.audit->id()});
  watches_.Serve(std::move(events), call.exchange->BeginStream(200, std::move(headers)), std::move(serve));
}

std::optional<Reply> ApiHandler::AnswerNonResource(Call& call) {
  const std::string& path = call.info.path;
  const bool reads = call.info.verb == "get" || call.info.verb == "head";
  if (std::optional<Reply> found = discovery_.Find(call)) return found;
  if (reads) {
    if (std::optional<Reply> check = health_.Single(path)) return check;
  }
  const bool is_health = HealthChecks::IsSummary(path);
  if (!is_health && path != "/metrics") return discovery_.NotFound(path);
  if (!reads) return ErrorReply(MethodNotAllowed());
  if (!is_health) return TextReply(200, Metrics());
  if (HealthChecks::AsksStorage(path) && probe_) {
    call.pending = Pending::kStorageProbe;
    return std::nullopt;
  }
  return health_.Summary(call, nullptr);
}

std::string ApiHandler::Metrics() const {
  std::string out;
  metrics_.AppendTo(out);
  AppendMetric(out, "apiserver_current_inflight_requests", "gauge", MetricLabel("request_kind", "readOnly"),
               tracker_.Count(RequestKind::kReadOnly));
  AppendMetric(out, "apiserver_current_inflight_requests", {}, MetricLabel("request_kind", "mutating"),
               tracker_.Count(RequestKind::kMutating));
  AppendMetric(out, "apiserver_registered_watchers", "gauge", {}, watches_.Count());
  if (options_.more_metrics) options_.more_metrics(out);
  return out;
}

HttpRefusal ApiHandler::Refusal(const Error& error) {
  return {.headers = {kJson, {"Cache-Control", "no-cache, private"}}, .body = StatusText(error) + "\n"};
}

void ApiHandler::Send(const Call& call, Reply reply) {
  metrics_.Count(call.info, call.store != nullptr || call.create_only != nullptr, reply.status);
  if (call.info.query.Flag("pretty")) MakePretty(reply);
  if (call.routed) WarnOfDeprecation(call.kind(), reply.headers);
  reply.headers.push_back({"Cache-Control", "no-cache, private"});
  CompressAnswer(call.request(), reply.headers, reply.body);
  if (call.audit != nullptr) {
    reply.headers.push_back({"Audit-Id", call.audit->id()});
    call.audit->Complete(reply.status);
  }
  call.exchange->Respond(reply.status, std::move(reply.headers), std::move(reply.body));
}

}  // namespace kinformer::apiserver
