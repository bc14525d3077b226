#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_FAULT_HOOK_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_FAULT_HOOK_H_

// In:     requests and watches, before and while they are served
// Out:    what goes wrong with them
// Thread: any of the request threads, many at a time; see WatchInterceptor for its own
// Next:   the connection's raw side, or the handler as if nothing were

#include <memory>

#include "src/apiserver/access/request_info.h"
#include "src/apiserver/http/http_exchange.h"
#include "src/apiserver/watch/watch_server.h"

namespace kinformer::apiserver {

/// The seam for fault injection. None by default, and then nothing is asked.
class FaultHook {
 public:
  virtual ~FaultHook() = default;

  /// Before a request is looked at. True: it has been answered, or its connection broken; it goes no further. What is
  /// changed in `request` counts for all that follows.
  virtual bool OnRequest(RequestInfo& request, const std::shared_ptr<HttpExchange>& exchange) = 0;
  /// A request has been carried out and is about to be answered with that status: the place to lose the answer. True:
  /// as above.
  virtual bool OnAnswer(const RequestInfo& /*request*/, int /*status*/,
                        const std::shared_ptr<HttpExchange>& /*exchange*/) {
    return false;
  }
  /// A watch begins. Null: it is left alone.
  virtual std::unique_ptr<WatchInterceptor> OnWatch(const RequestInfo& /*request*/) { return nullptr; }
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_FAULT_HOOK_H_
