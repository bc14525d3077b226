#include "src/listwatch/storage/continue_token.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "src/base/base64.h"
#include "src/listwatch/storage/storage_errors.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kVersion = "meta.k8s.io/v1";
constexpr std::string_view kCause = "InconsistentContinue";
/// Longer than any key.
constexpr std::size_t kMaxTokenBytes = 8192;

Error Invalid(std::string_view why) {
  return BadRequestError("invalid continue token: continue key is not valid: " + std::string(why));
}

/// Whether Go's path.Clean would leave the path unchanged: no empty, "." or ".." segment, no trailing slash.
bool IsClean(std::string_view path) {
  for (;;) {
    const std::size_t slash = path.find('/');
    const std::string_view segment = path.substr(0, slash);
    if (segment.empty() || segment == "." || segment == "..") return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

std::string EncodeContinue(const ContinueToken& token, std::string_view prefix) {
  nlohmann::ordered_json json;
  json["v"] = kVersion;
  json["rv"] = token.revision;
  json["start"] = token.start.substr(prefix.size());
  std::string text = internal::EncodeBase64(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  text.erase(std::find(text.begin(), text.end(), '='), text.end());
  return text;
}

Result<ContinueToken> DecodeContinue(std::string_view text, std::string_view prefix) {
  if (text.size() > kMaxTokenBytes) return Invalid("too long");
  if (text.find_first_of("+/= \t\r\n") != std::string_view::npos) return Invalid("not base64url");
  std::string padded(text);
  std::replace(padded.begin(), padded.end(), '-', '+');
  std::replace(padded.begin(), padded.end(), '_', '/');
  padded.append((4 - padded.size() % 4) % 4, '=');
  const Result<std::string> decoded = internal::DecodeBase64(padded);
  if (!decoded) return Invalid("not base64url");
  const nlohmann::json json = nlohmann::json::parse(*decoded, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Invalid("not a JSON object");
  const auto version = json.find("v");
  if (version == json.end() || *version != kVersion) {
    return Invalid("server does not recognize this encoded version " +
                   (version != json.end() && version->is_string() ? version->get<std::string>() : std::string()));
  }
  const auto revision = json.find("rv");
  if (revision == json.end() || !revision->is_number_integer() || *revision == 0) {
    return Invalid("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  }
  const auto start = json.find("start");
  if (start == json.end() || !start->is_string() || start->get_ref<const std::string&>().empty()) {
    return Invalid("encoded start key empty (version meta.k8s.io/v1)");
  }
  std::string_view key = start->get_ref<const std::string&>();
  if (key.front() == '/') key.remove_prefix(1);
  if (!IsClean(key)) return Invalid(start->get_ref<const std::string&>());
  return ContinueToken{.start = std::string(prefix) + std::string(key), .revision = revision->get<Revision>()};
}

Error ContinueExpiredError(const std::string& start, std::string_view prefix) {
  Error error = ExpiredError(
      "The provided continue parameter is too old to display a consistent list result. You can start a new list "
      "without the continue parameter, or use the continue token in this response to retrieve the remainder of the "
      "results. Continuing with the provided token results in an inconsistent list - objects that were created, "
      "modified, or deleted between the time the first chunk was returned and now may show up in the list.");
  error.details.causes.push_back({.reason = std::string(kCause),
                                  .message = EncodeContinue({.start = start, .revision = -1}, prefix),
                                  .field = {}});
  return error;
}

std::optional<std::string> TakeContinue(Error& error) {
  auto& causes = error.details.causes;
  const auto found =
      std::find_if(causes.begin(), causes.end(), [](const ErrorCause& cause) { return cause.reason == kCause; });
  if (found == causes.end()) return std::nullopt;
  std::string token = std::move(found->message);
  causes.erase(found);
  return token;
}

}  // namespace kinformer::apiserver
