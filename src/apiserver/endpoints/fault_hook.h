#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_FAULT_HOOK_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_FAULT_HOOK_H_

// In:     requests and watches, before and while they are served
// Out:    the faults to inject
// Thread: request threads, concurrently; see WatchInterceptor for its own
// Next:   the raw connection, or the handler as usual

#include <memory>

#include "src/apiserver/access/request_info.h"
#include "src/http/http_exchange.h"
#include "src/listwatch/watch/watch_server.h"

namespace kinformer::apiserver {

/// The seam for fault injection. An ApiServer always installs one (FaultInjector); it does nothing while its plan is
/// empty.
class FaultHook {
 public:
  virtual ~FaultHook() = default;

  /// Called after authentication and limits, before authorization. True: the request has been answered or its
  /// connection broken, and is not processed further. Changes to `request` apply to all later steps.
  virtual bool OnRequest(RequestInfo& request, const std::shared_ptr<HttpExchange>& exchange) = 0;
  /// Called when a request has been executed, before its response with `status` is sent: the place to lose a response.
  /// True: as in OnRequest.
  virtual bool OnAnswer(const RequestInfo& /*request*/, int /*status*/,
                        const std::shared_ptr<HttpExchange>& /*exchange*/) {
    return false;
  }
  /// Called when a watch starts. Null: no interception.
  virtual std::unique_ptr<WatchInterceptor> OnWatch(const RequestInfo& /*request*/) { return nullptr; }
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_FAULT_HOOK_H_
