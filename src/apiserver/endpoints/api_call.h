#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_API_CALL_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_API_CALL_H_

// In:     an HTTP request
// Out:    what is known of it on its way: who asks, for what, and what it waits for
// Thread: one at a time; owned by the thread that works on it
// Next:   ApiHandler, Router, ObjectVerbs, NonResourcePaths

#include <memory>
#include <optional>
#include <stop_token>

#include "src/apiserver/access/gate.h"
#include "src/apiserver/access/request_info.h"
#include "src/apiserver/endpoints/answer_form.h"
#include "src/apiserver/endpoints/request_audit.h"
#include "src/apiserver/endpoints/request_pool.h"
#include "src/apiserver/endpoints/request_tracker.h"
#include "src/apiserver/registry/resource_store.h"
#include "src/apiserver/reviews/create_only_resource.h"
#include "src/http/http_exchange.h"
#include "src/listwatch/endpoint/list_resource.h"

namespace kinformer::apiserver {

/// What a call without a reply is waiting for.
enum class Pending {
  kNothing,        ///< It has been answered, or a watch answers it.
  kCache,          ///< The cache; see `suspension`.
  kStorageThread,  ///< It may block, so it must move to a storage thread.
  kStorageProbe,
};

/// One request.
struct ApiCall {
  std::shared_ptr<HttpExchange> exchange{};
  RequestInfo info{};
  Admission admission{};
  std::shared_ptr<RequestTracker::Ticket> ticket{};
  RequestLane lane = RequestLane::kStorage;
  Pending pending = Pending::kNothing;
  Suspension suspension{};
  /// For a list or watch: kept from one attempt to the next.
  std::optional<ListResource> list_resource{};
  std::shared_ptr<const ResourceStore> store{};
  AnswerForm form{};
  /// The kind exists and supports the verb.
  bool routed = false;
  /// Used instead of `store` for kinds that are never stored.
  std::shared_ptr<const CreateOnlyResource> create_only{};
  /// The user on whose behalf it runs.
  UserInfo user{};
  /// Null: no audit log.
  std::shared_ptr<RequestAudit> audit{};

  const HttpRequest& request() const { return exchange->request(); }
  /// Precondition: it has been routed.
  const ServedKind& kind() const { return create_only != nullptr ? create_only->kind() : store->kind(); }
  std::stop_token stop() const { return ticket->stop.get_token(); }
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_API_CALL_H_
