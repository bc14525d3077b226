#ifndef KINFORMER_SRC_WATCH_RETRY_WATCHER_STATE_H_
#define KINFORMER_SRC_WATCH_RETRY_WATCHER_STATE_H_

// In:     what happened to a watch, and when
// Out:    the next step: deliver the event, read on, restart at a given time, give up
// Thread: the reader's; pure
// Next:   RetryWatcher

#include <chrono>
#include <optional>
#include <string>
#include <variant>

#include <kinformer/base/clock.h>
#include <kinformer/base/error.h>
#include <kinformer/codec/watch_event.h>

namespace kinformer::internal {

/// Decides when a RetryWatcher restarts, from which version, and when it gives up.
///
/// @par Thread Safety
/// None: owned by one reader.
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

  /// A watch is being requested now, from resource_version().
  void Began(TimePoint now);
  /// The server has accepted the watch.
  void Opened() { last_error_.reset(); }
  Step OnEvent(WatchEvent event, TimePoint now);
  /// The server closed the watch normally.
  Step OnClosed(TimePoint now);
  /// The watch failed or was refused.
  Step OnFailed(Error error, TimePoint now);

  const std::string& resource_version() const { return resource_version_; }
  /// The error of the last failed watch; reset once a watch is accepted or delivers an event.
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
