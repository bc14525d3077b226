#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_AUDIT_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_AUDIT_H_

// In:     a request, as its details become known
// Out:    its events in the audit log
// Thread: one at a time; calls must not overlap
// Next:   AuditLog

#include <memory>
#include <string>

#include <kinformer/base/clock.h>

#include "src/apiserver/access/gate.h"
#include "src/apiserver/access/request_info.h"
#include "src/apiserver/audit/audit_log.h"
#include "src/http/http_request.h"

namespace kinformer::apiserver {

class RequestAudit {
 public:
  RequestAudit(std::shared_ptr<AuditLog> log, std::shared_ptr<const Clock> clock, const HttpRequest& request);

  /// The client's Audit-ID if valid, otherwise a new one.
  const std::string& id() const { return event_.id; }
  void Set(const RequestInfo& info);
  void Set(const Admission& admission);
  /// A streaming response has started.
  void Start(int code);
  /// Takes effect once; later calls are ignored.
  void Complete(int code);

 private:
  const std::shared_ptr<AuditLog> log_;
  const std::shared_ptr<const Clock> clock_;
  AuditEvent event_;
  bool complete_ = false;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_AUDIT_H_
