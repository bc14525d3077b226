#include "src/apiserver/endpoints/request_audit.h"

#include <algorithm>
#include <utility>

#include "src/apiserver/registry/names.h"
#include "src/base/text.h"

namespace kinformer::apiserver {
namespace {

constexpr std::size_t kMaxIdBytes = 64;

/// The id is echoed in a header and written to the log.
bool IsGoodId(const std::string& id) {
  return !id.empty() && id.size() <= kMaxIdBytes && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
           c == '.';
  });
}

}  // namespace

RequestAudit::RequestAudit(std::shared_ptr<AuditLog> log, std::shared_ptr<const Clock> clock,
                           const HttpRequest& request)
    : log_(std::move(log)), clock_(std::move(clock)) {
  const std::string* id = request.FindHeader("Audit-ID");
  event_.id = id != nullptr && IsGoodId(*id) ? *id : NewUid();
  // Path and query only: the authority of an absolute-form target may contain a password.
  event_.request_uri = RedactedUri(request.query.empty() ? request.path : request.path + "?" + request.query);
  event_.peer_address = request.peer.address;
  if (const std::string* agent = request.FindHeader("User-Agent")) event_.user_agent = *agent;
  event_.received = clock_->WallNow();
  event_.request.verb = internal::Lower(request.method);
}

void RequestAudit::Set(const RequestInfo& info) { event_.request = info; }

void RequestAudit::Set(const Admission& admission) {
  event_.user = admission.sender;
  event_.impersonated = admission.impersonated;
  event_.decision = admission.decision;
}

void RequestAudit::Start(int code) {
  event_.stage = AuditStage::kResponseStarted;
  event_.code = code;
  event_.stage_time = clock_->WallNow();
  log_->Write(event_);
}

void RequestAudit::Complete(int code) {
  if (std::exchange(complete_, true)) return;
  event_.stage = AuditStage::kResponseComplete;
  event_.code = code;
  event_.stage_time = clock_->WallNow();
  log_->Write(event_);
}

}  // namespace kinformer::apiserver
