#include "src/apiserver/access/url_query.h"

#include "src/base/text.h"
#include "src/http/http_request.h"

namespace kinformer::apiserver {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_blank) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = HexDigit(text[i + 1]);
      const int low = HexDigit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += plus_is_blank && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

Result<UrlQuery> UrlQuery::Parse(std::string_view text) {
  UrlQuery query;
  while (!text.empty()) {
    const std::size_t end = text.find('&');
    const std::string_view pair = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    auto name = PercentDecode(pair.substr(0, equals), true);
    auto value = PercentDecode(equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1), true);
    if (!name || !value) {
      return Error{.code = ErrorCode::kServer,
                   .message = "invalid percent-encoding in the URL query",
                   .http_status = 400,
                   .reason = "BadRequest"};
    }
    query.values_.emplace_back(*std::move(name), *std::move(value));
  }
  return query;
}

const std::string* UrlQuery::Find(std::string_view name) const {
  for (const auto& [key, value] : values_) {
    if (key == name) return &value;
  }
  return nullptr;
}

std::vector<std::string> UrlQuery::All(std::string_view name) const {
  std::vector<std::string> all;
  for (const auto& [key, value] : values_) {
    if (key == name) all.push_back(value);
  }
  return all;
}

bool UrlQuery::Flag(std::string_view name) const {
  const std::string* value = Find(name);
  return value != nullptr && *value != "0" && !internal::EqualsIgnoringCase(*value, "false");
}

void UrlQuery::Set(std::string_view name, std::string value) {
  Erase(name);
  values_.emplace_back(name, std::move(value));
}

void UrlQuery::Erase(std::string_view name) {
  std::erase_if(values_, [&](const auto& item) { return item.first == name; });
}

}  // namespace kinformer::apiserver
