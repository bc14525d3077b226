#include "src/http/http_request.h"

#include <algorithm>

#include "src/base/base64.h"

namespace kinformer::apiserver {

namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view Trim(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

}  // namespace

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return Lower(x) == Lower(y); });
}

const std::string* HttpRequest::FindHeader(std::string_view name) const {
  for (const HttpHeader& header : headers) {
    if (EqualsIgnoringCase(header.name, name)) return &header.value;
  }
  return nullptr;
}

bool HttpRequest::HeaderNames(std::string_view name, std::string_view token) const {
  for (const HttpHeader& header : headers) {
    if (!EqualsIgnoringCase(header.name, name)) continue;
    std::string_view rest = header.value;
    while (!rest.empty()) {
      const auto comma = rest.find(',');
      if (EqualsIgnoringCase(Trim(rest.substr(0, comma)), token)) return true;
      rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    }
  }
  return false;
}

bool HttpRequest::IsWebSocketUpgrade() const {
  if (method != "GET" || minor_version < 1) return false;
  if (!HeaderNames("Connection", "upgrade") || !HeaderNames("Upgrade", "websocket")) return false;
  const std::string* version = FindHeader("Sec-WebSocket-Version");
  const std::string* key = FindHeader("Sec-WebSocket-Key");
  if (version == nullptr || *version != "13" || key == nullptr) return false;
  const auto nonce = internal::DecodeBase64(*key);
  return nonce.ok() && nonce->size() == 16;
}

}  // namespace kinformer::apiserver
