#ifndef KINFORMER_WATCH_RETRY_WATCHER_H_
#define KINFORMER_WATCH_RETRY_WATCHER_H_

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include <kinformer/base/clock.h>
#include <kinformer/base/error.h>
#include <kinformer/base/logger.h>
#include <kinformer/base/result.h>
#include <kinformer/client/resource_client.h>
#include <kinformer/client/selection.h>
#include <kinformer/codec/watch_event.h>
#include <kinformer/reflector/lister_watcher.h>
#include <kinformer/watch/wait_limit.h>

namespace kinformer {

struct RetryWatcherOptions {
  /// The minimum time between the starts of two watches. A server's Retry-After applies as well.
  Duration min_restart_delay = std::chrono::seconds(1);
  Logger logger{};
  std::shared_ptr<const Clock> clock = Clock::System();
};

/// A watch that resumes: when the server ends it, the connection breaks or the server is busy, it is restarted from the
/// last version seen, transparently for the reader. It delivers every event after its first version exactly once, in
/// order; bookmarks are consumed, not delivered.
///
/// It fails if events may have been missed (410, in any form) or if a retry would fail the same way: 400, 401, 403,
/// 422, an event without a resourceVersion or of an unknown type, malformed data. Next then returns that error from
/// every call. To survive 410, use an informer or UntilWithSync.
///
/// Nothing runs between calls of Next: a slow reader exerts back-pressure on the server. Move-only; a moved-from
/// watcher returns kFailedPrecondition.
///
/// @par Thread Safety
/// One reader at a time.
class RetryWatcher {
 public:
  /// Delivers events after `resource_version`, the version of a list or an object. "" and "0" are kInvalidArgument:
  /// they mean "any version", from which a watch cannot resume. Sends no request yet.
  static Result<RetryWatcher> Create(const ResourceClient& client, std::string resource_version,
                                     const Selection& selection = {}, const RetryWatcherOptions& options = {});
  /// Over any source; its Watch is called on the reader's thread.
  static Result<RetryWatcher> Create(std::shared_ptr<ListerWatcher> source, std::string resource_version,
                                     const RetryWatcherOptions& options = {});
  RetryWatcher(RetryWatcher&&) noexcept;
  RetryWatcher& operator=(RetryWatcher&&) noexcept;
  /// Ends the watch.
  ~RetryWatcher();

  /// Waits for the next ADDED, MODIFIED or DELETED event. kCancelled when stopped; it may be called again.
  Result<WatchEvent> Next(const std::stop_token& stop = {});
  /// The same with a deadline on this watcher's clock. kDeadlineExceeded when it passes; it may be called again.
  Result<WatchEvent> NextBefore(std::optional<TimePoint> deadline, const std::stop_token& stop = {});

  /// The version of the last event or bookmark, from which another watch can resume.
  const std::string& ResourceVersion() const&;
  const std::string& ResourceVersion() const&& = delete;
  /// Why the watch is down, if an error broke it.
  const std::optional<Error>& LastError() const&;
  const std::optional<Error>& LastError() const&& = delete;
  const std::shared_ptr<const Clock>& clock() const&;
  std::shared_ptr<const Clock> clock() const&& { return clock(); }

 private:
  struct Impl;
  explicit RetryWatcher(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_WATCH_RETRY_WATCHER_H_
