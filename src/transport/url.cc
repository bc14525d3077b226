#include "src/transport/url.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <curl/curl.h>

namespace kinformer::internal {
namespace {

struct UrlDeleter {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

std::string Part(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, 0) != CURLUE_OK || text == nullptr) return {};
  std::string copy = text;
  curl_free(text);
  return copy;
}

Error BadUrl(std::string message) { return Error{.code = ErrorCode::kInvalidConfig, .message = std::move(message)}; }

}  // namespace

Result<UrlParts> ParseUrl(std::string_view text) {
  if (text.find("://") == std::string_view::npos) return BadUrl("missing scheme, for example https://");
  // libcurl would truncate the text at a NUL.
  if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c <= 0x20 || c == 0x7F; })) {
    return BadUrl("a blank or control character in the URL");
  }
  const std::unique_ptr<CURLU, UrlDeleter> url(curl_url());
  if (const CURLUcode code =
          curl_url_set(url.get(), CURLUPART_URL, std::string(text).c_str(), CURLU_NON_SUPPORT_SCHEME);
      code != CURLUE_OK) {
    return BadUrl(curl_url_strerror(code));
  }
  UrlParts parts{
      .scheme = Part(url.get(), CURLUPART_SCHEME),
      .has_user_info = !Part(url.get(), CURLUPART_USER).empty() || !Part(url.get(), CURLUPART_PASSWORD).empty(),
      .host = Part(url.get(), CURLUPART_HOST),
      .port = Part(url.get(), CURLUPART_PORT),
      .path = Part(url.get(), CURLUPART_PATH),
      .has_query = !Part(url.get(), CURLUPART_QUERY).empty(),
      .has_fragment = !Part(url.get(), CURLUPART_FRAGMENT).empty()};
  if (parts.host.empty()) return BadUrl("no host");
  if (parts.port == "0") return BadUrl("invalid port: expected 1 to 65535");
  while (!parts.path.empty() && parts.path.back() == '/') parts.path.pop_back();
  return parts;
}

Result<void> CheckProxyUrl(std::string_view url) {
  Result<UrlParts> parts = ParseUrl(url);
  if (!parts) return std::move(parts).error();
  const std::string& scheme = parts->scheme;
  if (scheme != "http" && scheme != "https" && scheme != "socks5" && scheme != "socks5h") {
    return BadUrl("unsupported scheme: must be http, https, socks5 or socks5h");
  }
  return {};
}

}  // namespace kinformer::internal
