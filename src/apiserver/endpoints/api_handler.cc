#include "src/apiserver/endpoints/api_handler.h"

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "src/apiserver/access/gate.h"
#include "src/apiserver/apply/field_manager.h"
#include "src/apiserver/compression/gzip.h"
#include "src/apiserver/endpoints/aggregated_discovery.h"
#include "src/apiserver/endpoints/discovery_text.h"
#include "src/apiserver/endpoints/list_text.h"
#include "src/apiserver/endpoints/media_types.h"
#include "src/apiserver/endpoints/request_body.h"
#include "src/apiserver/endpoints/request_options.h"
#include "src/apiserver/endpoints/warning_headers.h"
#include "src/apiserver/registry/json_reader.h"
#include "src/apiserver/registry/pod_eviction.h"
#include "src/apiserver/storage/continue_token.h"
#include "src/apiserver/storage/storage_errors.h"
#include "src/apiserver/watch/status_text.h"
#include "src/apiserver/yaml/yaml_reader.h"
#include "src/codec/json_walker.h"

namespace kinformer::apiserver {
namespace {

Error Refusal(int http_status, std::string_view reason, std::string message) {
  return {.code = ErrorCode::kServer,
          .message = std::move(message),
          .http_status = http_status,
          .reason = std::string(reason)};
}

Error NoSuchResource() { return Refusal(404, "NotFound", "the server could not find the requested resource"); }

Error MethodNotAllowed() {
  return Refusal(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
}

Error TooManyRequests() {
  Error error = Refusal(429, "TooManyRequests", "Too many requests, please try again later.");
  error.retry_after = std::chrono::seconds(1);
  return error;
}

Error TimedOut() {
  return Refusal(504, "Timeout",
                 "Timeout: request did not complete within requested timeout - context deadline exceeded");
}

/// Every thread its own, so that none waits for another.
double Jitter() {
  thread_local std::minstd_rand random{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(random);
}

RequestKind KindOf(const RequestInfo& info) {
  if (info.is_resource_request && info.verb == "watch") return RequestKind::kLongRunning;
  return info.IsReadOnly() ? RequestKind::kReadOnly : RequestKind::kMutating;
}

Subresource SubresourceOf(const RequestInfo& info) {
  if (info.subresource == "status") return Subresource::kStatus;
  if (info.subresource == "scale") return Subresource::kScale;
  if (info.subresource == "finalize") return Subresource::kFinalize;
  return Subresource::kNone;
}

/// The Status that has nothing more to say than that it is done.
std::string DeletedText(const ServedKind& kind, const Object& object) {
  nlohmann::ordered_json details = {{"name", object.Name()}};
  if (!kind.resource.group.empty()) details["group"] = kind.resource.group;
  details["kind"] = kind.resource.resource;
  details["uid"] = object.Uid();
  const nlohmann::ordered_json status = {{"kind", "Status"},
                                         {"apiVersion", "v1"},
                                         {"metadata", nlohmann::ordered_json::object()},
                                         {"status", "Success"},
                                         {"details", std::move(details)}};
  return status.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::vector<Buffer> Indented(const std::vector<Buffer>& parts) {
  std::string text;
  for (const Buffer& part : parts) text += part.bytes;
  const auto json = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return parts;
  std::vector<Buffer> pretty;
  pretty.emplace_back(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  return pretty;
}

/// Who writes, if he does not say it himself: his program.
void NameManager(const HttpRequest& request, WriteParameters& parameters) {
  const std::string* agent = request.FindHeader("User-Agent");
  parameters.field_manager = ManagerName(parameters.field_manager, agent == nullptr ? std::string_view() : *agent);
}

/// Behind the first header, which says what the body is, and before what else there is to warn of.
void WarnOfDeprecation(const ServedKind& kind, std::vector<HttpHeader>& headers) {
  if (kind.deprecation.empty()) return;
  for (std::string& value : WarningHeaders({kind.deprecation})) {
    headers.insert(headers.begin() + 1, {"Warning", std::move(value)});
  }
}

const HttpHeader kJson{"Content-Type", "application/json"};
constexpr std::string_view kOpenApi = "/openapi/v3";

}  // namespace

ApiHandler::ApiHandler(ApiHandlerOptions options, std::shared_ptr<const ResourceTable> resources, WatchServer& watches,
                       TaskPool& pool)
    : options_(std::move(options)),
      resources_(std::move(resources)),
      watches_(watches),
      clock_(pool.clock()),
      tracker_(pool, options_.limits),
      pool_(options_.request_threads) {}

ApiHandler::~ApiHandler() { Stop(); }

void ApiHandler::Start() { pool_.Start(); }

void ApiHandler::Stop() {
  tracker_.StopAll();
  pool_.Stop();
}

void ApiHandler::Handle(std::shared_ptr<HttpExchange> exchange) {
  Call call{.exchange = std::move(exchange)};
  const HttpRequest& request = call.request();
  if (options_.audit != nullptr) call.audit = std::make_shared<RequestAudit>(options_.audit, clock_, request);
  Result<RequestInfo> info = ParseRequestInfo(request.method, request.path, request.query);
  if (!info) return Send(call, ErrorReply(std::move(info).error()));
  call.info = *std::move(info);
  if (call.audit != nullptr) call.audit->Set(call.info);
  call.ticket = tracker_.Begin(KindOf(call.info));
  if (call.ticket == nullptr) return Send(call, ErrorReply(TooManyRequests()));
  call.exchange->OnClosed([ticket = call.ticket] { ticket->stop.request_stop(); });
  // A stopped pool drops it; then the server is on its way out, and so is the connection.
  pool_.Post([this, call = std::make_shared<Call>(std::move(call))] { Process(*call); });
}

void ApiHandler::Process(Call& call) {
  try {
    if (options_.faults != nullptr && options_.faults->OnRequest(call.info, call.exchange)) return;
    std::optional<Reply> reply = Answer(call);
    if (!reply) return;
    if (options_.faults != nullptr && options_.faults->OnAnswer(call.info, reply->status, call.exchange)) {
      if (call.audit != nullptr) call.audit->Complete(reply->status);
      return;
    }
    Send(call, *std::move(reply));
  } catch (const std::exception& e) {
    options_.logger.Error("apiserver", "a request failed", {{"path", call.info.path}, {"what", e.what()}});
    Send(call, ErrorReply(InternalServerError("Internal error occurred")));
  }
}

std::optional<ApiHandler::Reply> ApiHandler::Answer(Call& call) {
  Admission admission = Admit(options_.authenticator, options_.authorizer, call.request(), call.info);
  if (call.audit != nullptr) call.audit->Set(admission);
  if (admission.refusal) {
    return ErrorReply(*std::move(admission.refusal));
  }
  call.user = std::move(admission).TakeUser();
  if (!call.info.is_resource_request) return AnswerNonResource(call);
  if (!resources_->Serves(call.info.group, call.info.version)) {
    if (resources_->HasBuiltIn(call.info.group)) return ErrorReply(NoSuchResource());
    return TextReply(404, "404 page not found\n");
  }
  return AnswerResource(call);
}

Result<void> ApiHandler::Route(Call& call) const {
  const RequestInfo& info = call.info;
  const GroupVersionResource resource{info.group, info.version, info.resource};
  call.create_only = resources_->FindCreateOnly(resource);
  if (call.create_only != nullptr) return RouteCreateOnly(call);
  call.store = resources_->Find(resource);
  if (call.store == nullptr || info.has_more) return NoSuchResource();
  const ServedKind& kind = call.store->kind();
  const bool namespaced = kind.scope == Scope::kNamespaced;
  const std::string scope = ScopeOf(info);
  if (!namespaced && !scope.empty()) return NoSuchResource();
  if (info.legacy_watch) {
    if (!info.subresource.empty() || (namespaced && scope.empty() && !info.name.empty())) return NoSuchResource();
    if (info.verb != "watch") return MethodNotAllowed();
    return {};
  }
  if (namespaced && scope.empty()) {
    if (!info.name.empty()) return NoSuchResource();
    if (info.verb != "list" && info.verb != "watch") return MethodNotAllowed();
  }
  if (!info.subresource.empty()) {
    const std::vector<ServedSubresource> all = kind.Subresources();
    const auto served = std::find_if(all.begin(), all.end(),
                                     [&](const ServedSubresource& one) { return one.name == info.subresource; });
    if (served == all.end()) return NoSuchResource();
    if (std::find(served->verbs.begin(), served->verbs.end(), info.verb) == served->verbs.end()) {
      return MethodNotAllowed();
    }
  }
  const bool of_collection = info.verb == "list" || info.verb == "watch" || info.verb == "deletecollection" ||
                             (info.verb == "create" && info.subresource.empty());
  if (info.verb.empty() || of_collection != info.name.empty()) return MethodNotAllowed();
  const std::vector<std::string> verbs = kind.Verbs();
  if (info.subresource.empty() && std::find(verbs.begin(), verbs.end(), info.verb) == verbs.end()) {
    return MethodNotAllowed();
  }
  return {};
}

Result<void> ApiHandler::RouteCreateOnly(const Call& call) const {
  const RequestInfo& info = call.info;
  const bool namespaced = call.create_only->kind().scope == Scope::kNamespaced;
  if (info.has_more || info.legacy_watch || !info.name.empty() || namespaced == info.namespace_name.empty()) {
    return NoSuchResource();
  }
  if (info.verb != "create") return MethodNotAllowed();
  return {};
}

std::optional<ApiHandler::Reply> ApiHandler::AnswerResource(Call& call) {
  if (Result<void> route = Route(call); !route) {
    const bool no_such_place = call.store != nullptr && call.store->kind().schema != nullptr &&
                               call.store->kind().scope == Scope::kCluster && !ScopeOf(call.info).empty();
    if (no_such_place) return TextReply(404, "404 page not found\n");
    return ErrorReply(std::move(route).error());
  }
  call.routed = true;
  if (call.request().method == "HEAD") return ErrorReply(MethodNotAllowed());
  Result<AnswerForm> form = AgreeOnForm(call.request(), call.info, call.kind(), clock_);
  if (!form) return ErrorReply(std::move(form).error());
  call.form = *std::move(form);
  const std::string& verb = call.info.verb;
  if (verb != "patch") {
    Result<void> json = MakeJsonBody(call.exchange->request(), call.info, call.kind());
    if (!json) return ErrorReply(std::move(json).error());
  }
  if (verb == "watch") return Watch(call);
  Result<Reply> reply = call.create_only   ? CreateOnly(call)
                        : verb == "get"    ? Get(call)
                        : verb == "list"   ? List(call)
                        : verb == "create" ? Create(call)
                        : verb == "update" ? Update(call)
                        : verb == "patch"  ? Patch(call)
                        : verb == "delete" ? Delete(call)
                                           : DeleteCollection(call);
  if (reply) return *std::move(reply);
  if (reply.error().code == ErrorCode::kCancelled) return ErrorReply(TimedOut());
  return ErrorReply(std::move(reply).error());
}

Result<ApiHandler::Reply> ApiHandler::Get(const Call& call) const {
  const std::string* version = call.info.query.Find("resourceVersion");
  Result<ObjectPtr> object =
      call.store->Get(ScopeOf(call.info), call.info.name, version == nullptr ? "" : *version, call.stop());
  if (object && SubresourceOf(call.info) == Subresource::kScale) object = call.store->ScaleOf(**object);
  if (!object) return std::move(object).error();
  return ObjectReply(200, *object, call.form);
}

Result<ApiHandler::Reply> ApiHandler::List(const Call& call) const {
  const Result<ListQuery> query = ReadListQuery(call.info, call.store->kind());
  if (!query) return query.error();
  Result<ListResult> list = call.store->List(*query, call.stop());
  if (!list) return std::move(list).error();
  return Reply{.status = 200, .headers = {kJson}, .body = ListText(call.store->kind(), *list, call.form)};
}

void ApiHandler::SetWriter(const Call& call, WriteParameters& parameters) const {
  NameManager(call.request(), parameters);
  parameters.admit = [this, &call](const Object* before, const Object& after) -> Result<void> {
    if (before == nullptr && call.info.verb != "create") {
      // A PUT or an apply of what is not there creates it, which takes that right too.
      RequestInfo creation = call.info;
      creation.verb = "create";
      const AccessDecision decision = options_.authorizer(call.user, creation);
      if (!decision.allowed) return ForbiddenError(call.user, creation, decision.reason);
    }
    if (!options_.write_check) return {};
    return options_.write_check(call.user, call.info, before, after);
  };
}

Result<ApiHandler::Reply> ApiHandler::CreateOnly(const Call& call) const {
  if (const auto parameters = ReadWriteParameters(call.info, "CreateOptions"); !parameters) return parameters.error();
  const ServedKind& kind = call.create_only->kind();
  Result<nlohmann::json> body = ReadJson(call.request().body, kind.kind + " cannot be read");
  if (!body) return std::move(body).error();
  if (!body->is_object()) return BadRequestError(kind.kind + " cannot be read: it is no object");
  const Result<nlohmann::json> answer = call.create_only->Create(call.user, ScopeOf(call.info), *std::move(body));
  if (!answer) return answer.error();
  Reply reply = JsonReply(answer->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  reply.status = 201;
  return reply;
}

Result<ApiHandler::Reply> ApiHandler::Evict(const Call& call) const {
  const Result<DeleteParameters> parameters = ReadEviction(call.info, call.request().body);
  if (!parameters) return parameters.error();
  const auto budgets = resources_->Find({"policy", "v1", "poddisruptionbudgets"});
  if (budgets == nullptr) return NoSuchResource();
  const Result<void> evicted = apiserver::Evict(*call.store, *budgets, ScopeOf(call.info), call.info.name, *parameters,
                                                clock_->WallNow(), call.stop());
  if (!evicted) return evicted.error();
  return DoneReply();
}

Result<ApiHandler::Reply> ApiHandler::Create(const Call& call) const {
  if (call.info.subresource == "eviction") return Evict(call);
  Result<WriteParameters> parameters = ReadWriteParameters(call.info, "CreateOptions");
  if (!parameters) return std::move(parameters).error();
  std::vector<std::string> warnings;
  parameters->warnings = &warnings;
  SetWriter(call, *parameters);
  if (call.info.subresource == "binding") {
    const Result<ObjectPtr> bound =
        call.store->Bind(ScopeOf(call.info), call.info.name, call.request().body, *parameters, call.stop());
    if (!bound) return bound.error();
    return DoneReply();
  }
  Result<ObjectPtr> object = call.store->Create(ScopeOf(call.info), call.request().body, *parameters, call.stop());
  if (!object) return std::move(object).error();
  return WithWarnings(ObjectReply(201, *object, call.form), warnings);
}

Result<ApiHandler::Reply> ApiHandler::Update(const Call& call) const {
  Result<WriteParameters> parameters = ReadWriteParameters(call.info, "UpdateOptions");
  if (!parameters) return std::move(parameters).error();
  std::vector<std::string> warnings;
  parameters->warnings = &warnings;
  SetWriter(call, *parameters);
  Result<UpdateOutcome> outcome = call.store->Update(ScopeOf(call.info), call.info.name, SubresourceOf(call.info),
                                                     call.request().body, *parameters, call.stop());
  if (!outcome) return std::move(outcome).error();
  return WithWarnings(ObjectReply(outcome->created ? 201 : 200, outcome->object, call.form), warnings);
}

Result<ApiHandler::Reply> ApiHandler::Patch(const Call& call) const {
  const Result<PatchKind> kind = ReadPatchKind(call.request(), call.store->kind());
  if (!kind) return kind.error();
  Result<WriteParameters> parameters = ReadPatchParameters(call.info, *kind);
  if (!parameters) return std::move(parameters).error();
  SetWriter(call, *parameters);
  std::vector<std::string> warnings;
  parameters->warnings = &warnings;
  std::string from_yaml;
  std::string_view body = call.request().body;
  if (*kind == PatchKind::kApply && !internal::IsValidJson(body)) {
    const Result<nlohmann::json> read = ReadYaml(body);
    if (!read) return BadRequestError("error decoding YAML: " + read.error().message);
    from_yaml = read->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    body = from_yaml;
  }
  Result<UpdateOutcome> outcome = call.store->Patch(ScopeOf(call.info), call.info.name, SubresourceOf(call.info), *kind,
                                                    body, *parameters, call.stop());
  if (!outcome) return std::move(outcome).error();
  return WithWarnings(ObjectReply(outcome->created ? 201 : 200, outcome->object, call.form), warnings);
}

Result<ApiHandler::Reply> ApiHandler::Delete(const Call& call) const {
  const Result<DeleteRequest> wanted = ReadDeleteRequest(call.info, call.request().body);
  if (!wanted) return wanted.error();
  Result<DeleteOutcome> outcome =
      call.store->Delete(ScopeOf(call.info), call.info.name, wanted->parameters, call.stop());
  if (!outcome) return std::move(outcome).error();
  if (outcome->shows_object) return ObjectReply(wanted->accepted_is_202 ? 202 : 200, outcome->object, call.form);
  return JsonReply(DeletedText(call.store->kind(), *outcome->object));
}

Result<ApiHandler::Reply> ApiHandler::DeleteCollection(const Call& call) const {
  const Result<DeleteRequest> wanted = ReadDeleteRequest(call.info, call.request().body);
  if (!wanted) return wanted.error();
  const Result<ListQuery> query = ReadListQuery(call.info, call.store->kind());
  if (!query) return query.error();
  Result<ListResult> list = call.store->DeleteCollection(*query, wanted->parameters, call.stop());
  if (!list) return std::move(list).error();
  return Reply{.status = 200, .headers = {kJson}, .body = ListText(call.store->kind(), *list, call.form)};
}

std::optional<ApiHandler::Reply> ApiHandler::Watch(Call& call) {
  const Result<WatchQuery> query = ReadWatchQuery(call.info, call.store->kind(), clock_->Now(), Jitter());
  if (!query) return ErrorReply(query.error());
  Result<std::unique_ptr<WatchEventStream>> events = call.store->Watch(*query, call.stop());
  if (!events) {
    return ErrorReply(events.error().code == ErrorCode::kCancelled ? TimedOut() : std::move(events).error());
  }
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
    if (socket) watches_.Serve(*std::move(events), *std::move(socket), std::move(serve));
    return std::nullopt;
  }
  std::vector<HttpHeader> headers = {kJson, {"Cache-Control", "no-cache, private"}};
  WarnOfDeprecation(call.kind(), headers);
  if (call.audit != nullptr) headers.push_back({"Audit-Id", call.audit->id()});
  watches_.Serve(*std::move(events), call.exchange->BeginStream(200, std::move(headers)), std::move(serve));
  return std::nullopt;
}

ApiHandler::Reply ApiHandler::OpenApi(const Call& call) const {
  if (call.info.verb != "get" && call.info.verb != "head") return ErrorReply(MethodNotAllowed());
  const std::shared_ptr<const OpenApiTexts> texts = openapi_.For(resources_->Kinds());
  const OpenApiText* found = &texts->index;
  const std::string rest = call.info.path.substr(std::min(kOpenApi.size() + 1, call.info.path.size()));
  if (!rest.empty()) {
    const auto document = texts->documents.find(rest);
    if (document == texts->documents.end()) return TextReply(404, "404 page not found\n");
    found = &document->second;
  }
  const std::string* hash = call.info.query.Find("hash");
  if (!rest.empty() && hash != nullptr && !hash->empty() && *hash != found->hash) {
    Reply moved = TextReply(301, "");
    moved.headers.push_back({"Location", call.info.path + "?hash=" + found->hash});
    return moved;
  }
  const std::string tag = "\"" + found->hash + "\"";
  const std::string* known = call.request().FindHeader("If-None-Match");
  const bool current = known != nullptr && known->find(tag) != std::string::npos;
  Reply reply = current ? Reply{.status = 304, .headers = {kJson}} : JsonReply(found->text);
  reply.headers.push_back({"Etag", tag});
  reply.headers.push_back({"Vary", "Accept"});
  return reply;
}

ApiHandler::Reply ApiHandler::AnswerNonResource(const Call& call) const {
  const std::string& path = call.info.path;
  if (path == kOpenApi || path.starts_with(std::string(kOpenApi) + "/")) return OpenApi(call);
  std::optional<std::string> text;
  const bool ping = path == "/healthz/ping" || path == "/livez/ping" || path == "/readyz/ping";
  if (ping && (call.info.verb == "get" || call.info.verb == "head")) return TextReply(200, "ok");
  const bool health = path == "/healthz" || path == "/livez" || path == "/readyz";
  if (path == "/version") {
    text = VersionText();
  } else if (path == "/api") {
    const std::string* host = call.request().FindHeader("Host");
    text = ApiVersionsText(host == nullptr ? std::string_view() : *host);
  } else if (path == "/apis") {
    text = ApiGroupListText(resources_->Kinds());
  } else if (path.starts_with("/api/")) {
    text = ApiResourceListText(resources_->Kinds(), "", std::string_view(path).substr(5));
  } else if (path.starts_with("/apis/")) {
    const std::string_view rest = std::string_view(path).substr(6);
    const std::size_t slash = rest.find('/');
    text = slash == std::string_view::npos
               ? ApiGroupText(resources_->Kinds(), rest)
               : ApiResourceListText(resources_->Kinds(), rest.substr(0, slash), rest.substr(slash + 1));
  }
  if (!text && !health && path != "/metrics") {
    // Of a group it knows, a real server says in words of its own that there is no such version.
    const std::string_view rest = std::string_view(path).substr(path.starts_with("/apis/") ? 6 : 0);
    const std::size_t slash = rest.find('/');
    if (slash != 0 && slash != std::string_view::npos && resources_->HasBuiltIn(std::string(rest.substr(0, slash)))) {
      return ErrorReply(NoSuchResource());
    }
    return TextReply(404, "404 page not found\n");
  }
  if (call.info.verb != "get" && call.info.verb != "head") return ErrorReply(MethodNotAllowed());
  if (health) return Health(call);
  if (!text) return TextReply(200, Metrics());
  if ((path == "/api" || path == "/apis") && PrefersAggregatedDiscovery(call.request())) return Aggregated(call);
  return JsonReply(*std::move(text));
}

ApiHandler::Reply ApiHandler::Aggregated(const Call& call) const {
  AggregatedDiscovery discovery = AggregatedDiscoveryOf(resources_->Kinds(), call.info.path == "/api");
  Reply reply{.headers = {{"Content-Type", std::string(kAggregatedDiscoveryType)},
                          {"Etag", discovery.etag},
                          {"Vary", "Accept"}}};
  if (HasAlready(call.request(), discovery.etag)) {
    reply.status = 304;
  } else {
    reply.body.emplace_back(std::move(discovery.text));
  }
  return reply;
}

ApiHandler::Reply ApiHandler::Health(const Call& call) const {
  const bool verbose = call.info.query.Find("verbose") != nullptr;
  std::string lines = "[+]ping ok\n";
  bool good = true;
  if (call.info.path != "/livez") {
    for (const auto& store : resources_->All()) {
      const bool ready = store->storage().Ready().ok();
      good = good && ready;
      lines += (ready ? "[+]" : "[-]") + std::string("watchcache/") + ToString(store->kind().resource) +
               (ready ? " ok\n" : " failed: reason withheld\n");
    }
  }
  const std::string check = call.info.path.substr(1);
  if (!good) return TextReply(500, lines + check + " check failed\n");
  return TextReply(200, verbose ? lines + check + " check passed\n" : "ok");
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

ApiHandler::Reply ApiHandler::ErrorReply(Error error) {
  Reply reply{.status = HttpStatusOf(error), .headers = {kJson}};
  if (error.retry_after) reply.headers.push_back({"Retry-After", std::to_string(error.retry_after->count())});
  const std::optional<std::string> token = TakeContinue(error);
  reply.body.emplace_back(StatusText(error, token.value_or("")) + "\n");
  return reply;
}

ApiHandler::Reply ApiHandler::TextReply(int status, std::string text) {
  Reply reply{.status = status, .headers = {{"Content-Type", "text/plain; charset=utf-8"}}};
  reply.body.emplace_back(std::move(text));
  return reply;
}

ApiHandler::Reply ApiHandler::JsonReply(std::string text) {
  Reply reply{.status = 200, .headers = {kJson}};
  reply.body.emplace_back(std::move(text));
  return reply;
}

ApiHandler::Reply ApiHandler::DoneReply() {
  Reply reply = JsonReply(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})"
                          "\n");
  reply.status = 201;
  return reply;
}

ApiHandler::Reply ApiHandler::ObjectReply(int status, const ObjectPtr& object, const AnswerForm& form) {
  Reply reply{.status = status, .headers = {kJson}};
  AppendObject(object, form, reply.body);
  reply.body.push_back(Buffer::Static("\n"));
  return reply;
}

ApiHandler::Reply ApiHandler::WithWarnings(Reply reply, const std::vector<std::string>& warnings) {
  for (std::string& value : WarningHeaders(warnings)) reply.headers.push_back({"Warning", std::move(value)});
  return reply;
}

void ApiHandler::Send(const Call& call, Reply reply) {
  metrics_.Count(call.info, call.store != nullptr || call.create_only != nullptr, reply.status);
  if (call.info.query.Flag("pretty") && reply.headers.front() == kJson) reply.body = Indented(reply.body);
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
