#include "src/apiserver/endpoints/request_body.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "src/apiserver/endpoints/media_types.h"
#include "src/apiserver/protobuf/protobuf_decoder.h"
#include "src/apiserver/registry/json_reader.h"
#include "src/base/text.h"
#include "src/yaml/yaml_reader.h"

namespace kinformer::apiserver {
namespace {

/// The type of the body if it does not name one itself.
ProtobufDefaults DefaultsFor(const RequestInfo& info, const ServedKind& kind, const std::string& api_version) {
  if (info.verb == "delete" || info.verb == "deletecollection") return {.api_version = "v1", .kind = "DeleteOptions"};
  if (info.subresource == "scale") return {.api_version = "autoscaling/v1", .kind = "Scale"};
  if (info.subresource == "binding") return {.api_version = "v1", .kind = "Binding"};
  if (info.subresource == "eviction") return {.api_version = "policy/v1", .kind = "Eviction"};
  return {.api_version = api_version, .kind = kind.kind};
}

void SetJson(HttpRequest& request, std::string body) {
  request.body = std::move(body);
  for (HttpHeader& header : request.headers) {
    if (internal::EqualsIgnoringCase(header.name, "Content-Type")) header.value = "application/json";
  }
}

}  // namespace

Result<void> MakeJsonBody(HttpRequest& request, const RequestInfo& info, const ServedKind& kind) {
  const Result<BodyType> type = ReadBodyType(request);
  if (!type) return type.error();
  if (*type == BodyType::kJson) return {};
  const std::string api_version = kind.resource.ApiVersion();
  const ProtobufDefaults defaults = DefaultsFor(info, kind, api_version);
  if (*type == BodyType::kYaml) {
    const Result<nlohmann::json> read = ReadYaml(request.body);
    if (!read) return Unrecognized(request.body, defaults.kind, read.error().message);
    SetJson(request, read->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return {};
  }
  Result<std::string> json = ProtobufToJson(request.body, defaults);
  if (!json) {
    Error error = std::move(json).error();
    if (error.http_status == 400) {
      error = Unrecognized(request.body, defaults.kind, error.message);
    }
    return error;
  }
  SetJson(request, *std::move(json));
  return {};
}

}  // namespace kinformer::apiserver
