#include "src/transport/endpoint.h"

#include <utility>

#include "src/transport/url.h"

namespace kinformer::internal {
namespace {

Error BadServer(std::string_view why) {
  return Error{.code = ErrorCode::kInvalidConfig, .message = "server URL: " + std::string(why)};
}

}  // namespace

Result<Endpoint> Endpoint::Parse(std::string_view text) {
  Result<UrlParts> parts = ParseUrl(text);
  if (!parts) return BadServer(parts.error().message);
  if (parts->scheme != "https" && parts->scheme != "http") return BadServer("the scheme must be https or http");
  if (parts->has_user_info) return BadServer("it must not contain a user or password");
  if (parts->has_query || parts->has_fragment) return BadServer("it must not contain a query or fragment");
  if (parts->port.empty()) parts->port = parts->scheme == "https" ? "443" : "80";
  return Endpoint{.scheme = std::move(parts->scheme),
                  .host = std::move(parts->host),
                  .port = std::move(parts->port),
                  .prefix = std::move(parts->path)};
}

bool Endpoint::IsLoopback() const { return host == "localhost" || host == "[::1]" || host.starts_with("127."); }

}  // namespace kinformer::internal
