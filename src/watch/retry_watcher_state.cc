#include "src/watch/retry_watcher_state.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <kinformer/meta/status_error.h>

namespace kinformer::internal {
namespace {

/// Upper limit for all delays: a bad Retry-After must neither stop the watch for good nor overflow.
constexpr std::chrono::seconds kLongest = std::chrono::hours(24);

/// True if retrying from the same version would fail the same way, or leave a gap.
bool IsFinal(const Error& error) {
  switch (error.code) {
    case ErrorCode::kMalformed:
    case ErrorCode::kTooLarge:
    case ErrorCode::kInvalidArgument:
      return true;
    default:
      return IsGone(error) || IsResourceExpired(error) || IsUnauthorized(error) || IsForbidden(error) ||
             IsBadRequest(error) || IsInvalid(error);
  }
}

}  // namespace

RetryWatcherState::RetryWatcherState(std::string resource_version, Duration min_restart_delay)
    : min_restart_delay_(std::min<Duration>(min_restart_delay, kLongest)),
      resource_version_(std::move(resource_version)) {}

void RetryWatcherState::Began(TimePoint now) { began_ = now; }

RetryWatcherState::Step RetryWatcherState::OnEvent(WatchEvent event, TimePoint now) {
  switch (event.type) {
    case WatchEventType::kError:
      return OnFailed(std::move(event.error), now);
    case WatchEventType::kAdded:
    case WatchEventType::kModified:
    case WatchEventType::kDeleted:
    case WatchEventType::kBookmark:
      break;
    default:
      return GiveUp{{.code = ErrorCode::kMalformed, .message = "a watch event of an unknown type"}};
  }
  if (event.object == nullptr || event.object->ResourceVersion().empty()) {
    return GiveUp{{.code = ErrorCode::kMalformed,
                   .message = "a watch event of type " + std::string(ToString(event.type)) +
                              " has no resourceVersion: cannot resume the watch"}};
  }
  last_error_.reset();
  resource_version_ = event.object->ResourceVersion();
  if (event.type == WatchEventType::kBookmark) return ReadOn{};
  return Show{std::move(event)};
}

RetryWatcherState::Step RetryWatcherState::OnClosed(TimePoint now) { return Again(now, {}); }

RetryWatcherState::Step RetryWatcherState::OnFailed(Error error, TimePoint now) {
  last_error_ = error;
  if (IsFinal(error)) return GiveUp{std::move(error)};
  return Again(now, error.retry_after);
}

RetryWatcherState::BeginAgain RetryWatcherState::Again(TimePoint now,
                                                       std::optional<std::chrono::seconds> retry_after) const {
  const auto asked = std::clamp(retry_after.value_or(std::chrono::seconds(0)), std::chrono::seconds(0), kLongest);
  return {std::max(SaturatingAdd(began_, min_restart_delay_), SaturatingAdd(now, asked))};
}

}  // namespace kinformer::internal
