#include "src/apiserver/endpoints/discovery.h"

#include <algorithm>
#include <string_view>

#include "src/apiserver/endpoints/aggregated_discovery.h"
#include "src/apiserver/endpoints/discovery_text.h"
#include "src/apiserver/endpoints/media_types.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kOpenApi = "/openapi/v3";

bool IsRead(const ApiCall& call) { return call.info.verb == "get" || call.info.verb == "head"; }

}  // namespace

std::optional<Reply> Discovery::Find(const ApiCall& call) {
  const std::string& path = call.info.path;
  if (path == kOpenApi || path.starts_with(std::string(kOpenApi) + "/")) return OpenApi(call);
  std::optional<std::string> text = TextAt(call);
  if (!text) return std::nullopt;
  if (!IsRead(call)) return ErrorReply(MethodNotAllowed());
  if ((path == "/api" || path == "/apis") && PrefersAggregatedDiscovery(call.request())) return Aggregated(call);
  return JsonReply(*std::move(text));
}

std::optional<std::string> Discovery::TextAt(const ApiCall& call) const {
  const std::string_view path = call.info.path;
  if (path == "/version") return VersionText();
  if (path == "/api") {
    const std::string* host = call.request().FindHeader("Host");
    return ApiVersionsText(host == nullptr ? std::string_view() : *host);
  }
  if (path == "/apis") return ApiGroupListText(resources_->Kinds());
  if (path.starts_with("/api/")) return ApiResourceListText(resources_->Kinds(), "", path.substr(5));
  if (!path.starts_with("/apis/")) return std::nullopt;
  const std::string_view rest = path.substr(6);
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return ApiGroupText(resources_->Kinds(), rest);
  return ApiResourceListText(resources_->Kinds(), rest.substr(0, slash), rest.substr(slash + 1));
}

Reply Discovery::NotFound(const std::string& path) const {
  const std::string_view rest = std::string_view(path).substr(path.starts_with("/apis/") ? 6 : 0);
  const std::size_t slash = rest.find('/');
  if (slash != 0 && slash != std::string_view::npos && resources_->HasBuiltIn(std::string(rest.substr(0, slash)))) {
    return ErrorReply(NoSuchResource());
  }
  return PageNotFound();
}

Reply Discovery::OpenApi(const ApiCall& call) {
  if (!IsRead(call)) return ErrorReply(MethodNotAllowed());
  const std::shared_ptr<const OpenApiTexts> texts = openapi_.For(resources_->Kinds());
  const OpenApiText* found = &texts->index;
  const std::string rest = call.info.path.substr(std::min(kOpenApi.size() + 1, call.info.path.size()));
  if (!rest.empty()) {
    const auto document = texts->documents.find(rest);
    if (document == texts->documents.end()) return PageNotFound();
    found = &document->second;
  }
  const std::string* hash = call.info.query.Find("hash");
  if (!rest.empty() && hash != nullptr && !hash->empty() && *hash != found->hash) {
    Reply moved = TextReply(301, "");
    moved.headers.push_back({"Location", call.info.path + "?hash=" + found->hash});
    return moved;
  }
  const std::string tag = "\"" + found->hash + "\"";
  const std::string* known = call.request().FindHeader("If-None-Match");
  const bool current = known != nullptr && known->find(tag) != std::string::npos;
  Reply reply = current ? Reply{.status = 304, .headers = {kJsonHeader}} : JsonReply(found->text);
  reply.headers.push_back({"Etag", tag});
  reply.headers.push_back({"Vary", "Accept"});
  return reply;
}

Reply Discovery::Aggregated(const ApiCall& call) const {
  AggregatedDiscovery discovery = AggregatedDiscoveryOf(resources_->Kinds(), call.info.path == "/api");
  Reply reply{.headers = {{"Content-Type", std::string(kAggregatedDiscoveryType)},
                          {"Etag", discovery.etag},
                          {"Vary", "Accept"}}};
  if (HasAlready(call.request(), discovery.etag)) {
    reply.status = 304;
  } else {
    reply.body.emplace_back(std::move(discovery.text));
  }
  return reply;
}

}  // namespace kinformer::apiserver
