#include "src/apiserver/endpoints/request_body.h"

#include <string>
#include <utility>

#include "src/apiserver/endpoints/media_types.h"
#include "src/apiserver/protobuf/protobuf_decoder.h"

namespace kinformer::apiserver {
namespace {

/// What the body of such a request is, if it does not say so.
ProtobufDefaults DefaultsFor(const RequestInfo& info, const ServedKind& kind, const std::string& api_version) {
  if (info.verb == "delete" || info.verb == "deletecollection") return {.api_version = "v1", .kind = "DeleteOptions"};
  if (info.subresource == "scale") return {.api_version = "autoscaling/v1", .kind = "Scale"};
  if (info.subresource == "binding") return {.api_version = "v1", .kind = "Binding"};
  return {.api_version = api_version, .kind = kind.kind};
}

}  // namespace

Result<void> MakeJsonBody(HttpRequest& request, const RequestInfo& info, const ServedKind& kind) {
  const Result<BodyType> type = ReadBodyType(request);
  if (!type) return type.error();
  if (*type == BodyType::kJson) return {};
  const std::string api_version = kind.resource.ApiVersion();
  const ProtobufDefaults defaults = DefaultsFor(info, kind, api_version);
  Result<std::string> json = ProtobufToJson(request.body, defaults);
  if (!json) {
    Error error = std::move(json).error();
    if (error.http_status == 400) {
      error.message =
          "the object provided is unrecognized (must be of type " + std::string(defaults.kind) + "): " + error.message;
    }
    return error;
  }
  request.body = *std::move(json);
  for (HttpHeader& header : request.headers) {
    if (EqualsIgnoringCase(header.name, "Content-Type")) header.value = "application/json";
  }
  return {};
}

}  // namespace kinformer::apiserver
