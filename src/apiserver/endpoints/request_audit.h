#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_AUDIT_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_AUDIT_H_

// In:     a request, as more and more of it is known
// Out:    its lines in the audit log
// Thread: one at a time
// Next:   AuditLog

#include <memory>
#include <string>

#include <kinformer/base/clock.h>

#include "src/apiserver/access/gate.h"
#include "src/apiserver/access/request_info.h"
#include "src/apiserver/audit/audit_log.h"
#include "src/apiserver/http/http_request.h"

namespace kinformer::apiserver {

class RequestAudit {
 public:
  RequestAudit(std::shared_ptr<AuditLog> log, std::shared_ptr<const Clock> clock, const HttpRequest& request);

  /// The client's Audit-ID, or a new one.
  const std::string& id() const { return event_.id; }
  void Set(const RequestInfo& info);
  void Set(const Admission& admission);
  /// An answer that goes on has begun.
  void Start(int code);
  /// Once; what comes later is not written.
  void Complete(int code);

 private:
  const std::shared_ptr<AuditLog> log_;
  const std::shared_ptr<const Clock> clock_;
  AuditEvent event_;
  bool complete_ = false;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_REQUEST_AUDIT_H_
