#include "src/codec/status_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <kinformer/codec/object.h>

#include "src/base/utf8.h"
#include "src/codec/json_text.h"
#include "src/codec/json_walker.h"
#include "src/meta/status_reason.h"

namespace kinformer::internal {
namespace {

/// A Status is small; a longer body is not parsed.
constexpr std::size_t kMaxStatusBytes = 4U << 20U;
constexpr std::size_t kMaxMessageBytes = 16U << 10U;
constexpr std::size_t kMaxCauses = 256;
constexpr std::size_t kMaxStatusSnippet = 256;
constexpr std::int64_t kMaxRetryAfterSeconds = 24 * 60 * 60;

/// Truncated to `max_bytes`, but not inside a character, and marked with "...".
std::string Bounded(std::string text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  return text + "...";
}

std::string TextAt(const Value& value, std::string_view pointer) {
  return Bounded(value.At(pointer).StringOr(""), kMaxMessageBytes);
}

}  // namespace

std::optional<Error> ErrorFromStatus(std::string_view json) {
  if (json.size() > kMaxStatusBytes || !IsValidJson(json)) return std::nullopt;
  while (!json.empty() && IsJsonSpace(json.front())) json.remove_prefix(1);
  const Value status = MakeValue(json);
  if (status.At("/kind").AsString() != "Status" || status.At("/status").AsString() == "Success") return std::nullopt;

  Error error;
  error.code = ErrorCode::kServer;
  error.http_status = static_cast<int>(std::clamp<std::int64_t>(status.At("/code").IntOr(0), 0, 999));
  error.reason = TextAt(status, "/reason");
  if (error.reason.empty()) error.reason = ReasonForHttpStatus(error.http_status);
  error.message = TextAt(status, "/message");
  if (error.message.empty()) {
    error.message = error.reason.empty() ? "the server reported a failure" : "the server reported " + error.reason;
  }

  const Value details = status.At("/details");
  error.details.name = TextAt(details, "/name");
  error.details.group = TextAt(details, "/group");
  error.details.kind = TextAt(details, "/kind");
  error.details.uid = TextAt(details, "/uid");
  for (const Value& cause : details.At("/causes").Elements()) {
    if (error.details.causes.size() == kMaxCauses) break;
    error.details.causes.push_back({TextAt(cause, "/reason"), TextAt(cause, "/message"), TextAt(cause, "/field")});
  }
  if (const auto seconds = details.At("/retryAfterSeconds").AsInt(); seconds && *seconds > 0) {
    error.retry_after = std::chrono::seconds(std::min(*seconds, kMaxRetryAfterSeconds));
  }
  return error;
}

Error ErrorFromResponse(int http_status, std::string_view body) {
  if (auto error = ErrorFromStatus(body)) {
    if (error->http_status == 0) error->http_status = http_status;
    if (error->reason.empty()) error->reason = ReasonForHttpStatus(error->http_status);
    return *std::move(error);
  }
  Error error;
  error.code = ErrorCode::kServer;
  error.http_status = http_status;
  error.reason = ReasonForHttpStatus(http_status);
  error.message = "the server answered with HTTP status " + std::to_string(http_status);
  // Only the start of the body is looked at: the rest may be long.
  const std::string snippet = PrintableSnippet(body.substr(0, 16 * kMaxStatusSnippet), kMaxStatusSnippet);
  if (!snippet.empty()) error.message += ": " + snippet;
  return error;
}

}  // namespace kinformer::internal
