#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_API_HANDLER_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_API_HANDLER_H_

// In:     HTTP requests
// Out:    responses; watches are handed to the WatchServer
// Thread: Handle on the HTTP server's I/O threads; requests on its own threads, which may block; health checks and
//         metrics on a separate thread, so that requests cannot delay them
// Next:   ResourceStore

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>

#include "src/apiserver/access/authenticator.h"
#include "src/apiserver/access/authorizer.h"
#include "src/apiserver/audit/audit_log.h"
#include "src/apiserver/endpoints/api_call.h"
#include "src/apiserver/endpoints/discovery.h"
#include "src/apiserver/endpoints/fault_hook.h"
#include "src/apiserver/endpoints/health_checks.h"
#include "src/apiserver/endpoints/object_verbs.h"
#include "src/apiserver/endpoints/reply.h"
#include "src/apiserver/endpoints/request_metrics.h"
#include "src/apiserver/endpoints/request_pool.h"
#include "src/apiserver/endpoints/request_tracker.h"
#include "src/apiserver/endpoints/resource_table.h"
#include "src/apiserver/endpoints/storage_probe.h"
#include "src/base/task_pool.h"
#include "src/http/http_exchange.h"
#include "src/http/http_server.h"
#include "src/listwatch/watch/watch_server.h"

namespace kinformer::apiserver {

struct ApiHandlerOptions {
  Authenticator authenticator{{}};
  Authorizer authorizer = AllowAuthenticated();
  RequestLimits limits{};
  /// Threads for requests that may block on the storage. Added to these: a quarter as many, at least one, for requests
  /// answered from memory, and two for health checks.
  std::size_t request_threads = 16;
  WriteCheck write_check{};
  /// Null: no audit log.
  std::shared_ptr<AuditLog> audit{};
  /// Null: no fault injection.
  std::shared_ptr<FaultHook> faults{};
  /// A cheap storage request, used by /readyz and /healthz. Unset: the storage is not checked.
  std::function<Result<void>(const std::stop_token& stop)> ask_storage{};
  /// The storage counts as unhealthy if `ask_storage` takes longer.
  Duration storage_timeout = std::chrono::seconds(2);
  std::vector<HealthCheck> health_checks{};
  /// Appends further samples to /metrics.
  std::function<void(std::string& out)> more_metrics{};
  Logger logger{};
};

/// Serves the API: authentication, limits, authorization, then the request itself.
///
/// A read that waits for a cache to catch up holds no thread. A request that blocks on the storage holds one until its
/// timeout (RequestLimits::timeout); this delays only other requests that need the storage.
///
/// Handle may be called from any thread and does not block. Start and Stop must not be called concurrently.
class ApiHandler {
 public:
  /// `pool` and `watches` must outlive it.
  ApiHandler(ApiHandlerOptions options, std::shared_ptr<const ResourceTable> resources, WatchServer& watches,
             TaskPool& pool);
  ~ApiHandler();
  ApiHandler(const ApiHandler&) = delete;
  ApiHandler& operator=(const ApiHandler&) = delete;

  void Start();
  /// Cancels running requests and waits for them.
  void Stop();
  void Handle(std::shared_ptr<HttpExchange> exchange);

  /// The response, a Status, to a request that was rejected before it reached Handle.
  static HttpRefusal Refusal(const Error& error);

 private:
  using Reply = apiserver::Reply;
  using Call = ApiCall;
  using CallPtr = std::shared_ptr<Call>;

  void Process(const CallPtr& call);
  /// Resumes a suspended call at Execute.
  void Resume(const CallPtr& call);
  /// Sends the reply, or suspends the call as `pending` says.
  void Continue(const CallPtr& call, std::optional<Reply> reply);
  void Finish(const Call& call, Reply reply);
  /// Runs a part of the call; an exception is answered with 500.
  template <typename Part>
  void Guard(const Call& call, Part part);

  // nullopt: see `pending`.
  std::optional<Reply> Answer(Call& call);
  std::optional<Reply> AnswerNonResource(Call& call);
  std::optional<Reply> AnswerResource(Call& call);
  std::optional<Reply> Execute(Call& call);
  std::optional<Reply> ListOrWatch(Call& call);
  /// Hands an accepted watch to the WatchServer.
  void Stream(Call& call, std::unique_ptr<WatchEventStream> events);
  /// The reply to a failed read or write, unless it is to be tried again after a wait.
  static std::optional<Reply> Failed(Call& call, Error error);

  std::string Metrics() const;
  void Send(const Call& call, Reply reply);

  const ApiHandlerOptions options_;
  const std::shared_ptr<const ResourceTable> resources_;
  WatchServer& watches_;
  const std::shared_ptr<const Clock> clock_;
  Discovery discovery_;
  const HealthChecks health_;
  const ObjectVerbs verbs_;
  RequestMetrics metrics_;
  RequestTracker tracker_;
  std::optional<StorageProbe> probe_;
  RequestPool health_pool_{1};
  /// Shared with suspended calls, which may be resumed after the handler is gone; a stopped pool drops them.
  const std::shared_ptr<RequestPool> pool_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_API_HANDLER_H_
