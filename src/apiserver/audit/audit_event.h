#ifndef KINFORMER_SRC_APISERVER_AUDIT_AUDIT_EVENT_H_
#define KINFORMER_SRC_APISERVER_AUDIT_AUDIT_EVENT_H_

// In:     the facts about a request
// Out:    its line in an audit log
// Thread: any; pure
// Next:   AuditLog

#include <optional>
#include <string>
#include <string_view>

#include <kinformer/meta/time.h>

#include "src/apiserver/access/authorizer.h"
#include "src/apiserver/access/request_info.h"
#include "src/apiserver/access/user_info.h"

namespace kinformer::apiserver {

enum class AuditStage { kResponseStarted, kResponseComplete };

/// An Event of audit.k8s.io/v1 at level Metadata: no bodies, no credentials.
struct AuditEvent {
  std::string id{};
  AuditStage stage = AuditStage::kResponseComplete;
  /// As sent, except for tokens: see RedactedUri.
  std::string request_uri{};
  RequestInfo request{};
  UserInfo user{};
  std::optional<UserInfo> impersonated{};
  /// "127.0.0.1:51234"; the port is not logged.
  std::string peer_address{};
  std::string user_agent{};
  int code = 0;
  std::optional<AccessDecision> decision{};
  Timestamp received{};
  Timestamp stage_time{};
};

/// One line of JSON, including the newline.
std::string AuditLine(const AuditEvent& event);

/// A target without the values of access_token parameters.
std::string RedactedUri(std::string_view target);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_AUDIT_AUDIT_EVENT_H_
