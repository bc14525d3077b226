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
#include <kinformer/codec/watch_event.h>
#include <kinformer/reflector/lister_watcher.h>
#include <kinformer/watch/wait_limit.h>

namespace kinformer {

/// Which objects of a resource.
struct WatchScope {
  /// Empty: all namespaces.
  std::string namespace_name{};
  std::string label_selector{};
  std::string field_selector{};
  bool keep_managed_fields = false;
};

struct RetryWatcherOptions {
  /// Between the beginnings of two watches, at least. What the server asks for (Retry-After) counts beside it.
  Duration min_restart_delay = std::chrono::seconds(1);
  Logger logger{};
  std::shared_ptr<const Clock> clock = Clock::System();
};

/// A watch that goes on: where the server ends it, the connection breaks or the server is busy, it is begun again from
/// the last version that was seen, and the reader notices nothing. It shows every event after its first version,
/// exactly once, in order; bookmarks are taken in and not shown.
///
/// It cannot go on where events may have been missed (410, wherever the server says so) or where asking again would
/// bring the same answer: 400, 401, 403, 422, an event without a resourceVersion or of an unknown type, bytes that are
/// no events. Such an error is the last thing that Next returns. Who wants to survive 410 uses an informer, or
/// UntilWithSync.
///
/// Nothing runs between two calls of Next: a reader who is slow makes the server wait.
///
/// @par Thread Safety
/// One reader at a time.
class RetryWatcher {
 public:
  /// Events after `resource_version`, as a list or an object gave it; "" and "0" (which say "whatever you have" and are
  /// no place to go on from) are kInvalidArgument. Sends nothing yet.
  static Result<RetryWatcher> Create(const ResourceClient& client, std::string resource_version,
                                     const WatchScope& scope = {}, const RetryWatcherOptions& options = {});
  /// Over any source; its Watch is called on the reader's thread.
  static Result<RetryWatcher> Create(std::shared_ptr<ListerWatcher> source, std::string resource_version,
                                     const RetryWatcherOptions& options = {});
  RetryWatcher(RetryWatcher&&) noexcept;
  RetryWatcher& operator=(RetryWatcher&&) noexcept;
  /// Ends the watch.
  ~RetryWatcher();

  /// Waits for the next event, which is added, modified or deleted. kCancelled when stopped, which ends nothing: it can
  /// be called again.
  Result<WatchEvent> Next(const std::stop_token& stop = {});
  /// The same, kDeadlineExceeded at the deadline, by this watcher's clock; that too ends nothing.
  Result<WatchEvent> NextBefore(std::optional<TimePoint> deadline, const std::stop_token& stop = {});

  /// Of the last event or bookmark: where another watch could go on.
  const std::string& ResourceVersion() const;
  /// Why the watch is down at the moment, if it is because of an error.
  const std::optional<Error>& LastError() const;
  const std::shared_ptr<const Clock>& clock() const;

 private:
  struct Impl;
  explicit RetryWatcher(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_WATCH_RETRY_WATCHER_H_
