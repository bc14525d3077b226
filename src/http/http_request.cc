#include "src/http/http_request.h"

#include "src/base/base64.h"
#include "src/base/text.h"

namespace kinformer::apiserver {

const std::string* HttpRequest::FindHeader(std::string_view name) const {
  for (const HttpHeader& header : headers) {
    if (internal::EqualsIgnoringCase(header.name, name)) return &header.value;
  }
  return nullptr;
}

bool HttpRequest::HeaderNames(std::string_view name, std::string_view token) const {
  for (const HttpHeader& header : headers) {
    if (!internal::EqualsIgnoringCase(header.name, name)) continue;
    std::string_view rest = header.value;
    while (!rest.empty()) {
      const auto comma = rest.find(',');
      if (internal::EqualsIgnoringCase(internal::Trim(rest.substr(0, comma), internal::kHeaderSpace), token))
        return true;
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
