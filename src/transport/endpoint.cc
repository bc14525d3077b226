#include "src/transport/endpoint.h"

#include <memory>

#include <curl/curl.h>

namespace kinformer::internal {
namespace {

struct UrlDeleter {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using UrlPtr = std::unique_ptr<CURLU, UrlDeleter>;

std::string Part(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK || text == nullptr) return {};
  std::string copy = text;
  curl_free(text);
  return copy;
}

Error Bad(std::string_view why) {
  // The URL itself is not repeated: it may carry a password.
  return Error{.code = ErrorCode::kInvalidConfig, .message = "server URL: " + std::string(why)};
}

}  // namespace

Result<Endpoint> Endpoint::Parse(std::string_view text) {
  const UrlPtr url(curl_url());
  const std::string copy(text);
  if (copy.find('\0') != std::string::npos || curl_url_set(url.get(), CURLUPART_URL, copy.c_str(), 0) != CURLUE_OK) {
    return Bad("not a valid URL; expected something like https://host:6443");
  }
  Endpoint endpoint{.scheme = Part(url.get(), CURLUPART_SCHEME),
                    .host = Part(url.get(), CURLUPART_HOST),
                    .port = Part(url.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT),
                    .prefix = Part(url.get(), CURLUPART_PATH)};
  if (endpoint.scheme != "https" && endpoint.scheme != "http") {
    return Bad("the scheme must be https or http, not \"" + endpoint.scheme + "\"");
  }
  if (endpoint.host.empty()) return Bad("it has no host");
  if (!Part(url.get(), CURLUPART_USER).empty() || !Part(url.get(), CURLUPART_PASSWORD).empty()) {
    return Bad("it must not contain a user or password");
  }
  if (!Part(url.get(), CURLUPART_QUERY).empty() || !Part(url.get(), CURLUPART_FRAGMENT).empty()) {
    return Bad("it must not contain a query or fragment");
  }
  while (!endpoint.prefix.empty() && endpoint.prefix.back() == '/') endpoint.prefix.pop_back();
  return endpoint;
}

bool Endpoint::IsLoopback() const { return host == "localhost" || host == "[::1]" || host.starts_with("127."); }

}  // namespace kinformer::internal
