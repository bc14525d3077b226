#include "src/client/retry_policy.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "src/base/text.h"

namespace kinformer::internal {
namespace {

constexpr std::chrono::seconds kAfterBrokenConnection{1};
/// The longest Retry-After a call waits for itself; longer ones are returned to the caller.
constexpr std::chrono::seconds kLongestWait = std::chrono::minutes(10);
/// Upper limit for a Retry-After returned to the caller, so that adding it to a time cannot overflow.
constexpr std::chrono::seconds kLongestTold = std::chrono::hours(24);

}  // namespace

std::optional<Duration> RetryDelay(const FailedAttempt& attempt) {
  const Error& error = *attempt.error;
  if (error.code == ErrorCode::kServer) {
    const bool later = error.http_status == 429 || error.http_status >= 500;
    const bool soon = attempt.retry_after_header && *attempt.retry_after_header <= kLongestWait;
    return later && soon ? std::optional<Duration>(*attempt.retry_after_header) : std::nullopt;
  }
  if (attempt.method != "GET") return std::nullopt;
  if (error.code == ErrorCode::kDisconnected) return kAfterBrokenConnection;
  if (attempt.is_watch && error.code == ErrorCode::kDeadlineExceeded) return kAfterBrokenConnection;
  return std::nullopt;
}

std::optional<std::chrono::seconds> RetryAfterHeader(const std::vector<Header>& headers) {
  const std::optional<std::string_view> text = FindHeader(headers, "Retry-After");
  if (!text) return std::nullopt;
  std::uint64_t seconds = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), seconds);
  if (end != text->data() + text->size() || error == std::errc::invalid_argument) return std::nullopt;
  const auto longest = static_cast<std::uint64_t>(kLongestTold.count());
  return std::chrono::seconds(error != std::errc() ? longest : std::min(seconds, longest));
}

std::vector<std::string> WarningTexts(const std::vector<Header>& headers) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : headers) {
    if (!EqualsIgnoringCase(name, "Warning")) continue;
    // One header may carry several warnings: 299 agent "text" [date], 299 agent "text"
    std::size_t at = 0;
    while ((at = value.find("299 ", at)) != std::string::npos) {
      const std::size_t open = value.find('"', at);
      if (open == std::string::npos) break;
      std::string text;
      std::size_t i = open + 1;
      for (; i < value.size() && value[i] != '"'; ++i) {
        if (value[i] == '\\' && i + 1 < value.size()) ++i;
        text += value[i];
      }
      if (i >= value.size()) break;
      texts.push_back(std::move(text));
      at = i + 1;
    }
  }
  return texts;
}

}  // namespace kinformer::internal
