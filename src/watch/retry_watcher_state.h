#ifndef KINFORMER_SRC_WATCH_RETRY_WATCHER_STATE_H_
#define KINFORMER_SRC_WATCH_RETRY_WATCHER_STATE_H_

// In:     what happened to a watch, and when
// Out:    what to do: show the event, read on, begin again at a time, give up
// Thread: none of its own; the reader's. Pure
// Next:   RetryWatcher

#include <chrono>
#include <optional>
#include <string>
#include <variant>

#include <kinformer/base/clock.h>
#include <kinformer/base/error.h>
#include <kinformer/codec/watch_event.h>

namespace kinformer::internal {

/// When a RetryWatcher begins again and from where, and when it gives up.
///
/// @par Thread Safety
/// None; it belongs to one reader.
class RetryWatcherState {
 public:
  struct Show {
    WatchEvent event;
  };
  struct ReadOn {};
  struct BeginAgain {
    TimePoint at;
  };
  struct GiveUp {
    Error error;
  };
  using Step = std::variant<Show, ReadOn, BeginAgain, GiveUp>;

  RetryWatcherState(std::string resource_version, Duration min_restart_delay);

  /// A watch is asked for now, from resource_version().
  void Began(TimePoint now);
  /// The server has accepted it.
  void Opened() { last_error_.reset(); }
  Step OnEvent(WatchEvent event, TimePoint now);
  /// In good order.
  Step OnClosed(TimePoint now);
  /// It broke, or was refused.
  Step OnFailed(Error error, TimePoint now);

  const std::string& resource_version() const { return resource_version_; }
  /// Of the watch before, until another one is accepted.
  const std::optional<Error>& last_error() const { return last_error_; }

 private:
  BeginAgain Again(TimePoint now, std::optional<std::chrono::seconds> retry_after) const;

  const Duration min_restart_delay_;
  std::string resource_version_;
  TimePoint began_{};
  std::optional<Error> last_error_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_WATCH_RETRY_WATCHER_STATE_H_
