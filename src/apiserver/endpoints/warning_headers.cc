#include "src/apiserver/endpoints/warning_headers.h"

#include <set>
#include <utility>

namespace kinformer::apiserver {
namespace {

constexpr std::size_t kMaxTotal = 4096;
constexpr unsigned char kDelete = 0x7f;

}  // namespace

std::vector<std::string> WarningHeaders(const std::vector<std::string>& texts) {
  std::vector<std::string> headers;
  std::set<std::string> seen;
  std::size_t total = 0;
  for (const std::string& text : texts) {
    if (!seen.insert(text).second) continue;
    std::string value = "299 - \"";
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') value += '\\';
      value += byte < ' ' || byte == kDelete ? ' ' : c;
    }
    value += '"';
    total += value.size();
    if (total > kMaxTotal) break;
    headers.push_back(std::move(value));
  }
  return headers;
}

}  // namespace kinformer::apiserver
