#include "src/apiserver/audit/audit_event.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "src/apiserver/access/url_query.h"
#include "src/base/text.h"
#include "src/http/http_request.h"

namespace kinformer::apiserver {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxUserAgent = 1024;
constexpr std::string_view kTruncated = "...TRUNCATED";

Json UserJson(const UserInfo& user) {
  Json json = Json::object();
  if (!user.name.empty()) json["username"] = user.name;
  if (!user.uid.empty()) json["uid"] = user.uid;
  if (!user.groups.empty()) json["groups"] = user.groups;
  if (!user.extra.empty()) json["extra"] = user.extra;
  return json;
}

/// Without the port, and without the brackets of an IPv6 address.
std::string HostOf(std::string_view address) {
  const std::size_t colon = address.rfind(':');
  std::string_view host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return std::string(host);
}

Json ObjectRef(const RequestInfo& request) {
  Json json = {{"resource", request.resource}};
  const std::string name = request.NameForAccess();
  if (!request.namespace_name.empty()) json["namespace"] = request.namespace_name;
  if (!name.empty()) json["name"] = name;
  if (!request.group.empty()) json["apiGroup"] = request.group;
  json["apiVersion"] = request.version;
  if (!request.subresource.empty()) json["subresource"] = request.subresource;
  return json;
}

}  // namespace

std::string RedactedUri(std::string_view target) {
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return std::string(target);
  std::string out(target.substr(0, mark + 1));
  std::string_view query = target.substr(mark + 1);
  for (;;) {
    const std::size_t end = query.find('&');
    const std::string_view pair = query.substr(0, end);
    const std::string_view name = pair.substr(0, pair.find('='));
    const bool secret =
        internal::EqualsIgnoringCase(PercentDecode(name, true).value_or(std::string(name)), "access_token");
    out += secret ? "access_token=REDACTED" : std::string(pair);
    if (end == std::string_view::npos) return out;
    out += '&';
    query.remove_prefix(end + 1);
  }
}

std::string AuditLine(const AuditEvent& event) {
  Json json = {{"kind", "Event"},
               {"apiVersion", "audit.k8s.io/v1"},
               {"level", "Metadata"},
               {"auditID", event.id},
               {"stage", event.stage == AuditStage::kResponseStarted ? "ResponseStarted" : "ResponseComplete"},
               {"requestURI", event.request_uri},
               {"verb", event.request.verb},
               {"user", UserJson(event.user)}};
  if (event.impersonated) json["impersonatedUser"] = UserJson(*event.impersonated);
  if (!event.peer_address.empty()) json["sourceIPs"] = Json::array({HostOf(event.peer_address)});
  if (!event.user_agent.empty()) {
    const bool cut = event.user_agent.size() > kMaxUserAgent;
    json["userAgent"] = cut ? event.user_agent.substr(0, kMaxUserAgent) + std::string(kTruncated) : event.user_agent;
  }
  if (event.request.is_resource_request) json["objectRef"] = ObjectRef(event.request);
  json["responseStatus"] = {{"metadata", Json::object()}, {"code", event.code}};
  json["requestReceivedTimestamp"] = FormatMicroTime(event.received);
  json["stageTimestamp"] = FormatMicroTime(event.stage_time);
  if (event.decision) {
    json["annotations"] = {{"authorization.k8s.io/decision", event.decision->allowed ? "allow" : "forbid"},
                           {"authorization.k8s.io/reason", event.decision->reason}};
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kinformer::apiserver
