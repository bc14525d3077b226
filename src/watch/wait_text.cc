#include "src/watch/wait_text.h"

#include <chrono>
#include <cstdio>

namespace kinformer::internal {

std::string DurationText(Duration duration) {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  const auto ms = duration_cast<milliseconds>(duration).count();
  if (ms < 1000) return std::to_string(ms) + "ms";
  const auto seconds = ms / 1000;
  std::string text;
  if (seconds >= 3600) text += std::to_string(seconds / 3600) + "h";
  if (seconds / 60 % 60 > 0) text += std::to_string(seconds / 60 % 60) + "m";
  if (seconds % 60 > 0 || ms % 1000 > 0) {
    text += std::to_string(seconds % 60);
    if (ms % 1000 > 0) {
      std::string fraction = std::to_string(1000 + ms % 1000).substr(1);
      fraction.erase(fraction.find_last_not_of('0') + 1);
      text += "." + fraction;
    }
    text += "s";
  }
  return text;
}

namespace {

std::string WithLastSeen(std::string message, std::string_view what, std::string_view seen, const std::string& why) {
  message += what;
  message += "; last seen: ";
  message += seen;
  if (!why.empty()) message += "; " + why;
  return message;
}

}  // namespace

Error TimeoutError(std::string_view subject, Duration timeout, std::string_view what, std::string_view seen,
                   const std::string& why) {
  return {
      .code = ErrorCode::kDeadlineExceeded,
      .message = WithLastSeen(std::string(subject) + ": waited " + DurationText(timeout) + " for ", what, seen, why)};
}

Error ConditionThrew(std::string_view description, const std::string& what) {
  return Error{.code = ErrorCode::kInternal,
               .message = "the condition \"" + std::string(description) + "\" threw: " + what};
}

Error StoppedError(std::string_view subject, std::string_view what, std::string_view seen, const std::string& why) {
  return {.code = ErrorCode::kCancelled,
          .message = WithLastSeen(std::string(subject) + ": stopped while waiting for ", what, seen, why)};
}

std::string WhyNoEvents(const SharedInformer& informer, WaitsOn waits_on, bool with_status) {
  const InformerStatus status = informer.Status();
  const auto error = [&] { return with_status ? ToString(*status.last_error) : status.last_error->message; };
  if (waits_on == WaitsOn::kClient && !status.synced) {
    return status.last_error ? "the last attempt failed: " + error() : "the server has not answered yet";
  }
  switch (status.state) {
    case InformerState::kWatching:
      return "";
    case InformerState::kStopped:
      return waits_on == WaitsOn::kClient ? "" : "the informer is not running";
    case InformerState::kParked:
      return "the server does not have this kind";
    case InformerState::kSyncing:
    case InformerState::kRetrying:
      break;
  }
  if (status.last_error) return "the watch is down: " + error();
  return status.state == InformerState::kSyncing ? "the list is not complete" : "the watch is down";
}

}  // namespace kinformer::internal
