#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_API_HANDLER_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_API_HANDLER_H_

// In:     HTTP requests
// Out:    their answers; watches go to the WatchServer
// Thread: Handle on the HTTP server's I/O threads; the work on request threads of its own, which may block
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
#include <kinformer/base/task_pool.h>

#include "src/apiserver/access/authenticator.h"
#include "src/apiserver/access/authorizer.h"
#include "src/apiserver/access/request_info.h"
#include "src/apiserver/audit/audit_log.h"
#include "src/apiserver/endpoints/answer_form.h"
#include "src/apiserver/endpoints/fault_hook.h"
#include "src/apiserver/endpoints/openapi_text.h"
#include "src/apiserver/endpoints/request_audit.h"
#include "src/apiserver/endpoints/request_metrics.h"
#include "src/apiserver/endpoints/request_pool.h"
#include "src/apiserver/endpoints/request_tracker.h"
#include "src/apiserver/endpoints/resource_table.h"
#include "src/apiserver/http/http_exchange.h"
#include "src/apiserver/http/http_server.h"
#include "src/apiserver/watch/watch_server.h"

namespace kinformer::apiserver {

struct ApiHandlerOptions {
  Authenticator authenticator{{}};
  Authorizer authorizer = AllowAuthenticated();
  RequestLimits limits{};
  std::size_t request_threads = 16;
  /// Asked before an object is stored that this user wants so; see WriteParameters::admit. Unset: nobody is.
  std::function<Result<void>(const UserInfo& user, const RequestInfo& request, const Object* before,
                             const Object& after)>
      write_check{};
  /// Null: nothing is written down.
  std::shared_ptr<AuditLog> audit{};
  /// Null: nothing goes wrong.
  std::shared_ptr<FaultHook> faults{};
  /// What /metrics tells besides.
  std::function<void(std::string& out)> more_metrics{};
  Logger logger{};
};

/// The API: who asks, whether he may, and what he gets.
///
/// @par Thread Safety
/// Handle from any thread; it does not block. Start and Stop one at a time.
class ApiHandler {
 public:
  /// `pool` and `watches` must outlive it.
  ApiHandler(ApiHandlerOptions options, std::shared_ptr<const ResourceTable> resources, WatchServer& watches,
             TaskPool& pool);
  ~ApiHandler();
  ApiHandler(const ApiHandler&) = delete;
  ApiHandler& operator=(const ApiHandler&) = delete;

  void Start();
  /// Stops what is under way and waits for it.
  void Stop();
  void Handle(std::shared_ptr<HttpExchange> exchange);

  /// What a client is told of a request that was refused before it came here: a Status, as everywhere.
  static HttpRefusal Refusal(const Error& error);

 private:
  struct Reply {
    int status = 200;
    std::vector<HttpHeader> headers{};
    std::vector<Buffer> body{};
  };
  struct Call {
    std::shared_ptr<HttpExchange> exchange{};
    RequestInfo info{};
    std::shared_ptr<RequestTracker::Ticket> ticket{};
    std::shared_ptr<const ResourceStore> store{};
    AnswerForm form{};
    /// It is of that kind, and one of its verbs.
    bool routed = false;
    /// In place of the store, for what is never stored.
    std::shared_ptr<const CreateOnlyResource> create_only{};
    /// As whom it runs.
    UserInfo user{};
    /// Null: there is no audit log.
    std::shared_ptr<RequestAudit> audit{};

    const HttpRequest& request() const { return exchange->request(); }
    /// Precondition: it has been routed.
    const ServedKind& kind() const { return create_only != nullptr ? create_only->kind() : store->kind(); }
    std::stop_token stop() const { return ticket->stop.get_token(); }
  };

  void Process(Call& call);
  /// nullopt: it has been answered, or will be.
  std::optional<Reply> Answer(Call& call);
  Reply AnswerNonResource(const Call& call) const;
  Reply OpenApi(const Call& call) const;
  std::optional<Reply> AnswerResource(Call& call);
  Result<void> Route(Call& call) const;
  Result<void> RouteCreateOnly(const Call& call) const;
  Result<Reply> CreateOnly(const Call& call) const;
  /// Who writes it, and who has the last word on it. `call` must outlive the parameters.
  void SetWriter(const Call& call, WriteParameters& parameters) const;
  Result<Reply> Get(const Call& call) const;
  Result<Reply> List(const Call& call) const;
  Result<Reply> Create(const Call& call) const;
  Result<Reply> Evict(const Call& call) const;
  Result<Reply> Update(const Call& call) const;
  Result<Reply> Patch(const Call& call) const;
  Result<Reply> Delete(const Call& call) const;
  Result<Reply> DeleteCollection(const Call& call) const;
  std::optional<Reply> Watch(Call& call);

  Reply Aggregated(const Call& call) const;
  Reply Health(const Call& call) const;
  std::string Metrics() const;
  void Send(const Call& call, Reply reply);

  static Reply ErrorReply(Error error);
  static Reply TextReply(int status, std::string text);
  static Reply JsonReply(std::string text);
  /// Of what was created but is no object: a Status.
  static Reply DoneReply();
  static Reply ObjectReply(int status, const ObjectPtr& object, const AnswerForm& form);
  static Reply WithWarnings(Reply reply, const std::vector<std::string>& warnings);

  const ApiHandlerOptions options_;
  const std::shared_ptr<const ResourceTable> resources_;
  WatchServer& watches_;
  const std::shared_ptr<const Clock> clock_;
  mutable OpenApiCache openapi_;
  RequestMetrics metrics_;
  RequestTracker tracker_;
  RequestPool pool_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_API_HANDLER_H_
