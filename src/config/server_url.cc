#include "src/config/server_url.h"

#include <utility>

#include "src/transport/url.h"

namespace kinformer::internal {
namespace {

Error Bad(std::string message) { return {.code = ErrorCode::kInvalidConfig, .message = std::move(message)}; }

}  // namespace

Result<std::string> NormalizeServerUrl(std::string_view url) {
  auto parts = ParseUrl(url);
  if (!parts) return std::move(parts).error();
  if (parts->scheme != "https" && parts->scheme != "http") return Bad("the scheme must be https or http");
  if (parts->has_user_info) return Bad("user name or password in the URL; put them in the kubeconfig's user entry");
  std::string out = parts->scheme + "://" + parts->host;
  if (!parts->port.empty()) out += ":" + parts->port;
  return out + parts->path;
}

bool IsHttps(std::string_view server) { return server.starts_with("https://"); }

}  // namespace kinformer::internal
