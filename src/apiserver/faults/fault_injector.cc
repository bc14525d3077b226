#include "src/apiserver/faults/fault_injector.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/apiserver/faults/fault_errors.h"
#include "src/listwatch/storage/continue_token.h"
#include "src/listwatch/watch/status_text.h"

namespace kinformer::apiserver {
namespace {

const HttpHeader kJson{"Content-Type", "application/json"};
constexpr std::string_view kAggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

void AnswerError(HttpExchange& exchange, Error error) {
  std::vector<HttpHeader> headers = {kJson, {"Cache-Control", "no-cache, private"}};
  if (error.retry_after) headers.push_back({"Retry-After", std::to_string(error.retry_after->count())});
  const std::optional<std::string> token = TakeContinue(error);
  exchange.Respond(HttpStatusOf(error), std::move(headers), StatusText(error, token.value_or("")) + "\n");
}

bool WantsAggregated(HttpExchange& exchange) {
  const std::string* const accept = exchange.request().FindHeader("Accept");
  return accept != nullptr && accept->find("as=APIGroupDiscoveryList") != std::string::npos;
}

}  // namespace

std::string StaleDiscoveryText(const std::vector<ServedKind>& kinds, bool core, std::string_view stale_path) {
  using Json = nlohmann::ordered_json;
  Json groups = Json::array();
  const auto find = [](Json& list, const char* pointer, const std::string& value) -> Json* {
    const auto found = std::find_if(list.begin(), list.end(),
                                    [&](const Json& item) { return item.at(Json::json_pointer(pointer)) == value; });
    return found == list.end() ? nullptr : &*found;
  };
  for (const ServedKind& kind : kinds) {
    const GroupVersionResource& resource = kind.resource;
    if (resource.group.empty() != core) continue;
    Json* group = find(groups, "/metadata/name", resource.group);
    if (group == nullptr) {
      groups.push_back({{"metadata", {{"name", resource.group}}}, {"versions", Json::array()}});
      group = &groups.back();
    }
    Json& versions = (*group)["versions"];
    Json* version = find(versions, "/version", resource.version);
    if (version == nullptr) {
      const std::string path = core ? "/api/" + resource.version : "/apis/" + resource.group + "/" + resource.version;
      const bool stale = stale_path == "*" || stale_path == path;
      versions.push_back({{"version", resource.version}, {"freshness", stale ? "Stale" : "Current"}});
      version = &versions.back();
      (*version)["resources"] = Json::array();
    }
    if ((*version)["freshness"] == "Stale") continue;
    (*version)["resources"].push_back(
        {{"resource", resource.resource},
         {"responseKind", {{"group", resource.group}, {"version", resource.version}, {"kind", kind.kind}}},
         {"scope", kind.scope == Scope::kNamespaced ? "Namespaced" : "Cluster"},
         {"singularResource", kind.singular},
         {"verbs", {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}},
         {"shortNames", kind.short_names},
         {"categories", kind.categories}});
  }
  const Json list = {{"kind", "APIGroupDiscoveryList"},
                     {"apiVersion", "apidiscovery.k8s.io/v2"},
                     {"metadata", Json::object()},
                     {"items", std::move(groups)}};
  return list.dump() + "\n";
}

FaultInjector::FaultInjector(std::shared_ptr<FaultPlan> plan, TaskPool& pool, ServerControls controls)
    : plan_(std::move(plan)), pool_(pool), controls_(std::move(controls)) {}

bool FaultInjector::OnRequest(RequestInfo& request, const std::shared_ptr<HttpExchange>& exchange) {
  if (plan_->IsRemoved(request, pool_.clock()->Now())) {
    AnswerError(*exchange, NoSuchResourceError());
    return true;
  }
  const std::optional<JoinedFault> joined =
      plan_->StrikeRequest(request, FaultPlace::kRequest, WantsAggregated(*exchange));
  return joined && Apply(*joined, request, *exchange);
}

bool FaultInjector::OnAnswer(const RequestInfo& request, int /*status*/,
                             const std::shared_ptr<HttpExchange>& exchange) {
  if (!plan_->StrikeRequest(request, FaultPlace::kAnswer)) return false;
  exchange->Raw().Abort();
  return true;
}

bool FaultInjector::Apply(const JoinedFault& joined, RequestInfo& request, HttpExchange& exchange) {
  const Fault& fault = joined.fault;
  switch (fault.kind) {
    case FaultKind::kClose:
      exchange.Raw().CloseCleanly();
      return true;
    case FaultKind::kReset:
      exchange.Raw().WriteRaw(Buffer::Static("HTTP/1.1 200 OK\r\nContent-Type: appl"));
      exchange.Raw().Reset();
      return true;
    case FaultKind::kStall:
      exchange.Raw().Stall();
      return true;
    case FaultKind::kStaleList:
      MakeStale(fault, request);
      return false;
    case FaultKind::kStaleDiscovery:
      if (request.path != "/api" && request.path != "/apis") break;
      exchange.Respond(200, {{"Content-Type", std::string(kAggregatedType)}},
                       StaleDiscoveryText(controls_.kinds ? controls_.kinds() : std::vector<ServedKind>(),
                                          request.path == "/api", fault.resource));
      return true;
    case FaultKind::kKindRemoved:
      ApplyToServer(joined);
      AnswerError(exchange, NoSuchResourceError());
      return true;
    case FaultKind::kRefuseConnections:
      exchange.Raw().Abort();
      ApplyToServer(joined);
      return true;
    case FaultKind::kWipe:
    case FaultKind::kStorageDown:
      ApplyToServer(joined);
      return false;
    default:
      break;
  }
  AnswerError(exchange, ErrorOf(fault, request));
  return true;
}

void FaultInjector::ApplyToServer(const JoinedFault& joined) {
  const Duration time = DurationOf(joined.fault);
  switch (joined.fault.kind) {
    case FaultKind::kWipe:
      if (controls_.wipe) controls_.wipe();
      break;
    case FaultKind::kStorageDown:
      Switch(&ServerControls::set_storage_down, time);
      break;
    case FaultKind::kRefuseConnections:
      Switch(&ServerControls::set_refusing, time);
      break;
    case FaultKind::kKindRemoved:
      plan_->MarkRemoved(joined.id, time == Duration(0) ? std::nullopt : std::optional(pool_.clock()->Now() + time));
      break;
    default:
      break;
  }
}

void FaultInjector::Switch(std::function<void(bool)> ServerControls::*control, Duration time) {
  if (!(controls_.*control)) return;
  (controls_.*control)(true);
  pool_.PostAt(pool_.clock()->Now() + time, [injector = weak_from_this(), control] {
    if (const auto self = injector.lock()) (self->controls_.*control)(false);
  });
}

void FaultInjector::MakeStale(const Fault& fault, RequestInfo& request) const {
  if (!controls_.revision) return;
  const std::int64_t then = std::max<std::int64_t>(controls_.revision() - NumberOf(fault), 1);
  request.query.Set("resourceVersion", std::to_string(then));
  request.query.Set("resourceVersionMatch", "Exact");
  // Lists at version 0 ignore the limit.
  request.query.Erase("limit");
}

/// Applies the steps of a watch's script to its connection.
class FaultInjector::Interceptor final : public WatchInterceptor {
 public:
  Interceptor(std::shared_ptr<FaultInjector> injector, const RequestInfo& request)
      : injector_(std::move(injector)), request_(request), joined_(injector_->plan_->BeginWatch(request_, last_id_)) {}
  ~Interceptor() override {
    if (subscription_) injector_->plan_->Unsubscribe(*subscription_);
  }
  Interceptor(const Interceptor&) = delete;
  Interceptor& operator=(const Interceptor&) = delete;

  void Attach(std::function<void()> wake) override {
    wake_ = std::move(wake);
    subscription_ = injector_->plan_->Subscribe(wake_);
  }

  Next OnBegin(OutputStream& out) override {
    script_.emplace(request_, dynamic_cast<HttpStream*>(&out) != nullptr,
                    [plan = injector_->plan_](Faults::Id id) { return plan->Strike(id); });
    script_->Join(std::exchange(joined_, {}));
    return Next::kGoOn;
  }

  // Every server has a plan, usually empty: an empty plan must not slow a watch down.
  bool PassesThrough() const override { return injector_->plan_->LastId() == 0; }

  Next OnTurn(OutputStream& out) override {
    if (PassesThrough()) return Next::kGoOn;
    FaultPlan& plan = *injector_->plan_;
    if (plan.LastId() != last_id_) script_->Join(plan.JoinWatch(request_, last_id_));
    Next next = Do(script_->OnTurn(Now()), out);
    if (next == Next::kGoOn && plan.IsRemoved(request_, Now())) return Next::kEnd;
    if (next == Next::kGoOn && script_->Paused(Now())) return Next::kPause;
    return next;
  }

  Next OnEvent(const WatchEvent& event, std::span<const Buffer> line, OutputStream& out) override {
    return Do(script_->OnEvent(Now(), event, EventLine(line.begin(), line.end())), out);
  }

 private:
  TimePoint Now() const { return injector_->pool_.clock()->Now(); }

  Next Do(const std::vector<StreamStep>& steps, OutputStream& out) {
    for (const StreamStep& step : steps) {
      switch (step.kind) {
        case StreamStep::Kind::kWrite:
          if (!out.Write(step.bytes)) return Next::kAbandon;
          break;
        case StreamStep::Kind::kByteByByte:
          out.Raw().ByteByByte(true);
          break;
        case StreamStep::Kind::kServer:
          injector_->ApplyToServer(step.fault);
          break;
        case StreamStep::Kind::kEnd:
          return Next::kEnd;
        case StreamStep::Kind::kReset:
          out.Raw().Reset();
          return Next::kAbandon;
        case StreamStep::Kind::kStall:
          out.Raw().Stall();
          return Next::kAbandon;
      }
    }
    const std::optional<TimePoint> next = script_->NextTime();
    if (next && next != woken_at_) {
      woken_at_ = next;
      injector_->pool_.PostAt(*next, wake_);
    }
    return Next::kGoOn;
  }

  const std::shared_ptr<FaultInjector> injector_;
  const RequestInfo request_;
  Faults::Id last_id_ = 0;
  std::vector<JoinedFault> joined_;
  std::function<void()> wake_;
  std::optional<std::uint64_t> subscription_;
  std::optional<StreamScript> script_;
  std::optional<TimePoint> woken_at_;
};

std::unique_ptr<WatchInterceptor> FaultInjector::OnWatch(const RequestInfo& request) {
  return std::make_unique<Interceptor>(shared_from_this(), request);
}

}  // namespace kinformer::apiserver
