#include "src/meta/error_text.h"

#include <utility>

namespace kinformer::internal {

Error InvalidArgument(std::string message) {
  Error error;
  error.code = ErrorCode::kInvalidArgument;
  error.message = std::move(message);
  return error;
}

Error TooLarge(std::string_view what, std::size_t limit) {
  Error error;
  error.code = ErrorCode::kTooLarge;
  error.message = std::string(what) + " is longer than " + std::to_string(limit) + " bytes";
  return error;
}

std::string Quoted(std::string_view text) {
  constexpr std::size_t kShown = 80;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      quoted += c;
    } else {
      quoted += "\\x";
      quoted += kHex[byte >> 4U];
      quoted += kHex[byte & 0xfU];
    }
  }
  quoted += text.size() > kShown ? "...\"" : "\"";
  return quoted;
}

std::string KindText(std::string_view api_version, std::string_view kind) {
  if (api_version.empty() && kind.empty()) return "has no apiVersion and no kind";
  if (api_version.empty()) return "is a " + std::string(kind) + " without an apiVersion";
  if (kind.empty()) return "has apiVersion " + std::string(api_version) + " and no kind";
  return "is a " + std::string(api_version) + " " + std::string(kind);
}

}  // namespace kinformer::internal
