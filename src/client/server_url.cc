#include "src/client/server_url.h"

#include <algorithm>
#include <charconv>

namespace kinformer::internal {
namespace {

Error Bad(std::string message) { return {.code = ErrorCode::kInvalidConfig, .message = std::move(message)}; }

bool IsHostCharacter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte != 0x7F && std::string_view("<>\"\\^`{|}[]%").find(c) == std::string_view::npos;
}

char LowerCase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

Result<UrlParts> ParseUrl(std::string_view url) {
  UrlParts parts;
  const std::size_t scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos || scheme_end == 0) return Bad("no scheme such as https:// in front");
  parts.scheme = url.substr(0, scheme_end);
  std::transform(parts.scheme.begin(), parts.scheme.end(), parts.scheme.begin(), LowerCase);
  const bool scheme_ok = std::all_of(parts.scheme.begin(), parts.scheme.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  });
  if (!scheme_ok) return Bad("no scheme such as https:// in front");
  url.remove_prefix(scheme_end + 3);

  const auto is_clean = [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7F; };
  if (!std::all_of(url.begin(), url.end(), is_clean)) return Bad("a blank or control character in the URL");

  std::string_view authority = url.substr(0, url.find_first_of("/?#"));
  std::string_view rest = url.substr(authority.size());
  parts.path = rest.substr(0, rest.find_first_of("?#"));

  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    parts.has_user_info = true;
    authority.remove_prefix(at + 1);
  }
  std::string_view port;
  bool has_port = false;
  if (!authority.empty() && authority.front() == '[') {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos) return Bad("an IPv6 address without its closing bracket");
    parts.host = authority.substr(1, close - 1);
    const bool address_ok = std::all_of(parts.host.begin(), parts.host.end(), [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ':' || c == '.' ||
             c == '%' || c == '-' || c == '_';
    });
    if (!address_ok) return Bad("no valid IPv6 address between the brackets");
    authority.remove_prefix(close + 1);
    if (!authority.empty() && authority.front() != ':') return Bad("text after the IPv6 address");
    has_port = !authority.empty();
    if (has_port) port = authority.substr(1);
  } else {
    const std::size_t colon = authority.find(':');
    parts.host = authority.substr(0, colon);
    has_port = colon != std::string_view::npos;
    if (has_port) port = authority.substr(colon + 1);
    if (!std::all_of(parts.host.begin(), parts.host.end(), IsHostCharacter)) return Bad("no valid host name");
  }
  if (parts.host.empty()) return Bad("no host");
  if (has_port && !port.empty()) {
    const auto [end, problem] = std::from_chars(port.data(), port.data() + port.size(), parts.port);
    if (problem != std::errc() || end != port.data() + port.size() || parts.port < 1 || parts.port > 65535) {
      return Bad("no valid port: a number from 1 to 65535");
    }
  }
  return parts;
}

Result<std::string> NormalizeServerUrl(std::string_view url) {
  auto parts = ParseUrl(url);
  if (!parts) return std::move(parts).error();
  if (parts->scheme != "https" && parts->scheme != "http") return Bad("the scheme must be https or http");
  if (parts->has_user_info) return Bad("user name or password in the URL; they belong into the user's entry");
  while (!parts->path.empty() && parts->path.back() == '/') parts->path.pop_back();
  std::string out = parts->scheme + "://";
  out += parts->host.find(':') == std::string::npos ? parts->host : "[" + parts->host + "]";
  if (parts->port != 0) out += ":" + std::to_string(parts->port);
  return out + parts->path;
}

Result<void> CheckProxyUrl(std::string_view url) {
  auto parts = ParseUrl(url);
  if (!parts) return std::move(parts).error();
  if (parts->scheme != "http" && parts->scheme != "https" && parts->scheme != "socks5") {
    return Bad("unsupported scheme: must be http, https or socks5");
  }
  return {};
}

bool IsHttps(std::string_view server) { return server.substr(0, 8) == "https://"; }

}  // namespace kinformer::internal
